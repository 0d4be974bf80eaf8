//! Judges that are not ours. `scripts/test` installs them and says where they are; without them (a plain
//! `cargo nextest run`) only the validator that is a Rust crate is asked.

use std::path::Path;
use std::process::Command;

use testkit::Repo;

use crate::program::{clean_branch, countersign, login_branch};

fn repositories() -> [Repo; 2] {
    [login_branch(), clean_branch()]
}

fn report(repo: &Repo, format: &str) -> String {
    countersign(repo.path(), &["review", "--format", format]).stdout
}

fn schema(name: &str) -> serde_json::Value {
    serde_json::from_str(&countersign(Path::new("/"), &["schema", name]).stdout).unwrap()
}

#[test]
fn a_json_report_fits_its_published_schema() {
    let validator = jsonschema::validator_for(&schema("review-report")).unwrap();
    for repo in repositories() {
        let report: serde_json::Value = serde_json::from_str(&report(&repo, "json")).unwrap();
        let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn microsofts_validator_accepts_the_sarif_by_githubs_rules() {
    let Some(multitool) = testkit::installed("COUNTERSIGN_TEST_SARIF", "the validator of SARIF is") else {
        return;
    };
    for repo in repositories() {
        let file = repo.path().join("../report.sarif");
        std::fs::write(&file, report(&repo, "sarif")).unwrap();
        let output = Command::new(&multitool)
            .args(["validate", "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"])
            .arg(&file)
            .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("Analysis completed successfully"), "{said}");
        assert!(!said.contains(": error "), "{said}");
    }
}

#[test]
fn pythons_validator_accepts_schemas_and_reports() {
    let Some(python) = testkit::installed("COUNTERSIGN_TEST_PYTHON", "the validator of JSON schemas is")
    else {
        return;
    };
    let program = "import json, jsonschema, sys\n\
                   schema = json.load(open(sys.argv[1]))\n\
                   validator = jsonschema.validators.validator_for(schema)\n\
                   validator.check_schema(schema)\n\
                   jsonschema.validate(json.load(open(sys.argv[2])), schema) if len(sys.argv) > 2 else None\n";
    let repo = login_branch();
    let folder = repo.path().parent().unwrap();
    for name in countersign(repo.path(), &["schema"]).stdout.lines() {
        let file = folder.join(format!("{name}.schema.json"));
        std::fs::write(&file, schema(name).to_string()).unwrap();
        let mut command = Command::new(&python);
        command.args(["-c", program]).arg(&file);
        if name == "review-report" {
            let instance = folder.join("report.json");
            std::fs::write(&instance, report(&repo, "json")).unwrap();
            command.arg(instance);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Written from reviewdog's published format (`proto/rdf/reviewdog.proto`): what it reads, and nothing else.
fn rdjson_schema() -> serde_json::Value {
    let position = serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["line"],
        "properties": { "line": { "type": "integer", "minimum": 1 }, "column": { "type": "integer", "minimum": 1 } }
    });
    let range = serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["start"],
        "properties": { "start": position, "end": position }
    });
    let source = serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "name": { "type": "string" }, "url": { "type": "string" } }
    });
    let severity = serde_json::json!({ "enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"] });
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["diagnostics"],
        "properties": {
            "source": source,
            "severity": severity,
            "diagnostics": { "type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["message", "location"],
                "properties": {
                    "message": { "type": "string", "minLength": 1 },
                    "location": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["path"],
                        "properties": { "path": { "type": "string" }, "range": range }
                    },
                    "severity": severity,
                    "source": source,
                    "code": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": { "value": { "type": "string" }, "url": { "type": "string" } }
                    },
                    "suggestions": { "type": "array" },
                    "original_output": { "type": "string" },
                    "related_locations": { "type": "array" }
                }
            } }
        }
    })
}

#[test]
fn rdjson_is_what_reviewdog_reads() {
    let validator = jsonschema::validator_for(&rdjson_schema()).unwrap();
    for repo in repositories() {
        let report: serde_json::Value = serde_json::from_str(&report(&repo, "rdjson")).unwrap();
        let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}
