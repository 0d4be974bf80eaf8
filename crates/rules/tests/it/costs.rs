//! Files that are large, or made to take long. What searches a file for each of its lines takes minutes for these.

use std::time::{Duration, Instant};

use crate::support::Scenario;

/// Far more than it takes on a busy machine.
const LONGEST: Duration = Duration::from_secs(25);

fn ends(path: &str, text: &str) {
    let started = Instant::now();
    Scenario::adding(path, text).lines("command-injection");
    let taken = started.elapsed();
    assert!(taken < LONGEST, "{path} took {taken:?}: {}", text.lines().take(3).collect::<Vec<_>>().join(" "));
}

#[test]
fn many_matches_in_a_file_are_not_many_searches_of_it() {
    for (path, before, line, behind) in [
        ("a.js", "", "a.addEventListener(b, c);\n", ""),
        ("a.js", "// allErrors\n", "new A(b);\n", ""),
        ("a.js", "function f(b) {\n", "const a = window[b];\n", "}\n"),
        ("a.js", "// methodOverride\n", "csrf();\n", ""),
        ("a.py", "import jwt\n", "a = {\"password\": 1}\n", ""),
        ("a.py", "def f(a):\n", "    g(request.host_url + a)\n", ""),
        ("a.sh", "", "eval \"$a\"\n", ""),
        ("a.c", "void f(char *a) {\n", "strcpy(b, a);\n", "}\n"),
        ("a.go", "package a\nfunc f() {\n", "int32(a)\n", "}\n"),
    ] {
        ends(path, &format!("{before}{}{behind}", line.repeat(2_000)));
    }
}

#[test]
fn a_large_class_with_one_vector_in_it_is_read_once() {
    let fields: String = (0..4_000).map(|number| format!("  int a{number} = 1;\n")).collect();
    ends(
        "A.java",
        &format!("class A {{\n{fields}  Object f(byte[] iv) {{ return new IvParameterSpec(iv); }}\n}}\n"),
    );
}

#[test]
fn a_script_of_comments_is_read_once() {
    ends("a.sh", &format!("#!/bin/sh\n{}", "#a\n#b\n#c\n\n".repeat(32_000)));
}

#[test]
fn texts_that_are_put_together_are_folded_once() {
    for piece in [
        "\"a\" + ",
        "\"a\", ",
        "\"a\" +\n",
        "'\"`",
        "\"gh\" + \"p_\" + ",
        concat!("\"gh", "p_\" +\n"),
        "\"",
        "' ",
        "\"\".join([\"a\",\n\"b\",\n",
    ] {
        let text = piece.repeat(512 * 1024 / piece.len());
        let started = Instant::now();
        rules::redact(&text);
        let taken = started.elapsed();
        assert!(taken < LONGEST, "{piece:?} took {taken:?}");
    }
    ends("src/a.js", &concat!("\"gh", "p_\" +\n").repeat(10_000));
}
