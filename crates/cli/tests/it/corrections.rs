//! Corrections that a review offers, where a format has a place for them.

use serde_json::{Value, json};
use testkit::Repo;

use crate::program::countersign;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.js", "export function a(x) {\n  return x;\n}\n");
    repo.write(
        ".countersign/rules/js/api.yml",
        "id: new-api\ntitle: The old function\nlanguage: javascript\nseverity: MAJOR\nrule: {pattern: 'oldApi($A, $B)'}\n\
         fix: 'newApi($B, $A)'\n",
    );
    repo.commit("Start");
    repo.branch("topic");
    repo.write("src/a.js", "export function a(x) {\n  debugger;\n  oldApi(1, x);\n  return x;\n}\n");
    repo.commit("Look at it");
    repo
}

fn reviewed(format: &str) -> String {
    countersign(repo().path(), &["review", "--format", format]).stdout
}

fn json_of(format: &str) -> Value {
    serde_json::from_str(&reviewed(format)).unwrap()
}

#[test]
fn programs_get_them_as_their_formats_have_them() {
    let sarif = json_of("sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of = |rule: &str| results.iter().find(|one| one["ruleId"] == rule).unwrap();
    let change = |rule: &str| &of(rule)["fixes"][0]["artifactChanges"][0];
    assert_eq!(change("debugger-stop")["artifactLocation"]["uri"], "src/a.js");
    let gone = json!({"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1});
    assert_eq!(change("debugger-stop")["replacements"][0], json!({ "deletedRegion": gone }));
    assert_eq!(change("new-api")["replacements"][0]["insertedContent"]["text"], "  newApi(x, 1);");

    let rdjson = json_of("rdjson");
    let texts: Vec<_> = rdjson["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| one["suggestions"].as_array())
        .collect();
    assert_eq!(texts.len(), 2, "{rdjson}");

    let report = json_of("json");
    let patches = report["countersign"]["patches"].as_object().unwrap();
    assert_eq!(patches.len(), 2, "{report}");
}

#[test]
fn people_see_what_would_change() {
    let markdown = reviewed("markdown");
    assert!(markdown.contains("    ```diff\n    -   debugger;\n    ```\n"), "{markdown}");
    let pretty = reviewed("pretty");
    assert!(pretty.contains("  patch:\n       -   oldApi(1, x);\n       +   newApi(x, 1);\n"), "{pretty}");
    assert!(!reviewed("github").contains("patch"));
}
