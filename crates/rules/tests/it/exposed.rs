//! Lines that nobody touched, and that lost what kept them harmless.

use domain::review::Finding;
use domain::words::{Dimension, Severity};

use crate::support::{NOTHING, Scenario};

fn dangers(path: &str, old: &str, new: &str) -> Vec<(u32, Severity)> {
    let findings = Scenario::changing(path, old, new).review().findings;
    let dangers = findings.iter().filter(|one| one.dimension == Dimension::SECURITY_PERFORMANCE);
    dangers.map(|one| (one.line().unwrap_or_default(), one.severity)).collect()
}

const GUARDED: &str = "\
from flask import Flask, request, abort

COLUMNS = {\"name\", \"price\"}


def listing(cursor):
    sort = request.args[\"sort\"]
    if sort not in COLUMNS:
        abort(400)
    cursor.execute(f\"SELECT * FROM items ORDER BY {sort}\")
";

const GUARD: &str = "    if sort not in COLUMNS:\n        abort(400)\n";

#[test]
fn a_check_that_goes_leaves_what_it_guarded() {
    let open = GUARDED.replace(GUARD, "");
    assert_eq!(dangers("src/a.py", GUARDED, &open), [(8, Severity::High)]);
    assert_eq!(dangers("src/a.py", &open, GUARDED), []);
    let told = Scenario::changing("src/a.py", GUARDED, &open).findings("sql-injection");
    assert!(told[0].message.ends_with("what stood against that before is gone"), "{}", told[0].message);
}

/// What is called now may do what the check did.
#[test]
fn a_check_that_may_have_moved_is_advice() {
    let moved = GUARDED.replace(GUARD, "    refuse_unknown(sort)\n");
    assert_eq!(dangers("src/a.py", GUARDED, &moved), [(9, Severity::Medium)]);
}

#[test]
fn what_was_dangerous_before_is_an_old_sin() {
    let open = GUARDED.replace(GUARD, "");
    let touched = open.replace("    sort =", "    count = 1\n    sort =");
    assert_eq!(dangers("src/a.py", &open, &touched), []);
    let less = open.replace("from flask import Flask, request, abort", "from flask import request");
    assert_eq!(dangers("src/a.py", &open, &less), []);
}

#[test]
fn a_value_or_a_type_may_be_what_is_gone() {
    let fixed = "import subprocess\n\n\ndef f(request):\n    name = \"a\"\n    subprocess.run(\"ls \" + name, shell=True)\n";
    let open = fixed.replace("\"a\"", "request.args[\"n\"]");
    assert_eq!(dangers("src/a.py", fixed, &open), [(6, Severity::High)]);
    let number = "package a\n\nfunc f(db *sql.DB, id int) {\n\tdb.Query(\"SELECT a FROM b WHERE id = \" + fmt.Sprint(id))\n}\n";
    assert_eq!(dangers("a.go", number, &number.replace("id int", "id string")).len(), 1);
}

#[test]
fn an_argument_of_a_call_over_several_lines_may_be_what_is_gone() {
    let old = "import requests\n\n\ndef f(url):\n    return requests.get(\n        url,\n        timeout=5,\n    )\n";
    let new = old.replace("        timeout=5,\n", "");
    assert_eq!(Scenario::changing("src/a.py", old, &new).lines("missing-timeout"), [5]);
    assert_eq!(Scenario::changing("src/a.py", &new, old).lines("missing-timeout"), NOTHING);
}

/// An import, or a setting, of which functions make use that nobody touched.
#[test]
fn what_stands_outside_of_functions_matters_inside_of_them() {
    let old = "from defusedxml import ElementTree as ET\n\n\ndef f(path):\n    return ET.parse(path)\n";
    let new = old.replace("defusedxml", "xml.etree");
    assert_eq!(Scenario::changing("src/a.py", old, &new).lines("xml-external-entities"), [5]);
    let old = "package a\n\nimport \"crypto/rand\"\n\nfunc Token() []byte {\n\ttoken := make([]byte, 32)\n\trand.Read(token)\n\treturn token\n}\n";
    let new = old.replace("crypto/rand", "math/rand");
    assert_eq!(Scenario::changing("a.go", old, &new).lines("weak-randomness"), [7]);
}

#[test]
fn tests_may_lose_what_they_like() {
    let open = GUARDED.replace(GUARD, "");
    assert_eq!(dangers("tests/test_a.py", GUARDED, &open), []);
}

const INSIDE: &str = "\
class A {
  byte[] read(@RequestParam String name) throws IOException {
    File file = new File(\"/srv/files\", name).getCanonicalFile();
    if (!file.getPath().startsWith(\"/srv/files/\")) throw new FileNotFoundException();
    return Files.readAllBytes(file.toPath());
  }
}
";

/// A path that is resolved and no longer compared with the folder.
#[test]
fn a_path_may_have_lost_its_folder() {
    let check = "    if (!file.getPath().startsWith(\"/srv/files/\")) throw new FileNotFoundException();\n";
    let open = INSIDE.replace(check, "");
    let told = Scenario::changing("src/A.java", INSIDE, &open).findings("path-traversal");
    let lines: Vec<u32> = told.iter().filter_map(Finding::line).collect();
    assert_eq!(lines, [3, 4]);
    assert_eq!(dangers("src/A.java", &open, INSIDE), []);
    let moved = INSIDE.replace(check, "    ensureInside(file);\n");
    assert_eq!(dangers("src/A.java", INSIDE, &moved), []);
}

/// What a prefix or a base name leaves harmless as a path is anything to a shell.
#[test]
fn what_is_checked_as_a_path_is_checked_as_nothing_else() {
    let python = "from flask import request\nfrom urllib.parse import urlparse\nimport os, subprocess, requests\n\n\ndef f(cursor):\n";
    let sinks = [
        ("subprocess.run(\"cat \" + name, shell=True)", true),
        ("cursor.execute(\"SELECT * FROM a WHERE b = '\" + name + \"'\")", true),
        ("open(os.path.join(\"/srv\", name))", false),
    ];
    for (sink, told) in sinks {
        let text = format!("{python}    name = os.path.basename(request.args[\"n\"])\n    {sink}\n");
        assert_eq!(!dangers("src/a.py", "", &text).is_empty(), told, "{text}");
        let check =
            "    name = request.args[\"n\"]\n    if not name.startswith(ROOT):\n        raise ValueError\n";
        let text = format!("{python}{check}    {sink}\n");
        assert_eq!(!dangers("src/a.py", "", &text).is_empty(), told, "{text}");
    }
    let check = "    name = request.args[\"n\"]\n    if urlparse(name).netloc not in HOSTS:\n        raise ValueError\n";
    for (sink, told) in [("requests.get(name, timeout=5)", false), ("os.system(\"curl \" + name)", true)] {
        let text = format!("{python}{check}    {sink}\n");
        assert_eq!(!dangers("src/a.py", "", &text).is_empty(), told, "{text}");
    }
}
