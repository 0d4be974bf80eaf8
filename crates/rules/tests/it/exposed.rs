//! Lines that nobody touched, and that lost what kept them harmless.

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
