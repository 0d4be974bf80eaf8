use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::change::{Change, Scope, Target};
use crate::words::Severity;

fn sarif(uri: &str, line: u32) -> String {
    json!({
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "ruff", "rules": [
                {"id": "S608", "properties": {"tags": ["security"]}, "defaultConfiguration": {"level": "error"},
                 "messageStrings": {"default": {"text": "Query built from {0}"}}}
            ]}},
            "results": [
                {"ruleId": "S608", "message": {"id": "default", "arguments": ["name"]},
                 "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}]},
                {"ruleId": "S608", "suppressions": [{"kind": "inSource"}], "message": {"text": "accepted"},
                 "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}]},
                {"ruleId": "X", "kind": "pass", "message": {"text": "fine"}}
            ]
        }]
    })
    .to_string()
}

fn change() -> Change {
    let diff = "diff --git a/src/a b.py b/src/a b.py\n--- a/src/a b.py\t\n+++ b/src/a b.py\t\n@@ -1,2 +1,3 @@\n old\n+new\n old\n";
    let hunk = &diff[diff.find("@@").unwrap()..];
    let body = hunk.split_once('\n').unwrap().1;
    let span = |start, len| crate::change::Span { start, len };
    let side =
        || crate::change::FileSide { path: "src/a b.py".into(), mode: crate::change::Mode::File, oid: None };
    let hunk =
        crate::change::Hunk::new(span(1, 2), span(1, 3), String::new(), bytes::Bytes::from(body.to_owned()));
    let file = crate::change::FileChange {
        status: crate::change::Status::Modified,
        old: Some(side()),
        new: Some(side()),
        content: crate::change::Content::Text(vec![hunk]),
        attributes: crate::change::Attributes::default(),
    };
    let scope = Scope {
        base: None,
        base_name: "main".into(),
        head: Target::Worktree,
        head_name: "topic".into(),
        notes: vec![],
    };
    Change { scope, files: vec![file] }
}

fn placed(uri: &str, line: u32) -> Placed {
    place(&read_sarif(&sarif(uri, line)).unwrap().results, &change(), Some("/home/me/repo"))
}

#[test]
fn a_result_on_an_added_line_is_a_finding_with_its_rule_and_level() {
    for uri in
        ["src/a%20b.py", "./src/a b.py", "file:///home/me/repo/src/a%20b.py", "/home/me/repo/src/a b.py"]
    {
        let Placed { findings, elsewhere } = placed(uri, 2);
        assert_eq!((findings.len(), elsewhere), (1, 0), "{uri}");
        let finding = &findings[0];
        assert_eq!((finding.rule.as_str(), finding.message.as_str()), ("ruff/S608", "Query built from name"));
        assert_eq!((finding.severity, finding.category), (Severity::Major, Category::Security));
        assert_eq!(finding.location(), "src/a b.py:2");
    }
}

/// As gitleaks writes it, which gives neither its results nor its rules a level.
#[test]
fn a_secret_without_a_level_is_to_be_mended() {
    let report = |tool: &str, configured: serde_json::Value| {
        let report = json!({
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {"name": tool, "rules": [
                    {"id": "aws-access-token", "shortDescription": {"text": "AWS"}, "defaultConfiguration": configured}
                ]}},
                "results": [
                    {"ruleId": "aws-access-token", "message": {"text": "aws-access-token has detected secret"},
                     "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/a b.py"},
                                                         "region": {"startLine": 2, "endLine": 2}}}]}
                ]
            }]
        });
        let found = place(&read_sarif(&report.to_string()).unwrap().results, &change(), None).findings;
        (found[0].severity, found[0].category, found[0].is_secret())
    };
    let leak = (Severity::Major, Category::Security, true);
    assert_eq!(report("gitleaks", json!({})), leak);
    assert_eq!(report("gitleaks", json!({"level": "error"})), leak);
    assert_eq!(report("gitleaks", json!({"level": "note"})), (Severity::Minor, Category::Security, true));
    assert_eq!(report("some-tool", json!({})), (Severity::Low, Category::Readability, false));
}

#[test]
fn of_a_long_result_the_first_added_line_counts() {
    let results = |first: u32, last: u32| {
        let result = ToolResult {
            end_line: last,
            ..read_sarif(&sarif("src/a b.py", first)).unwrap().results[0].clone()
        };
        place(&[result], &change(), None).findings.first().map(crate::review::Finding::location)
    };
    assert_eq!(results(1, 3).as_deref(), Some("src/a b.py:2"));
    assert_eq!(results(1, 1), None);
    assert_eq!(results(3, 9), None);
}

/// As a program writes it that has its rules in packs: the result names the pack and the rule's place in it, and its file
/// stands in the list of all files, below a folder of the machine it ran on.
#[test]
fn rules_of_extensions_and_listed_files_are_found() {
    let report = json!({
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {"name": "CodeQL"},
                "extensions": [
                    {"name": "empty"},
                    {"name": "codeql/python-queries", "rules": [
                        {"id": "py/other"},
                        {"id": "py/sql-injection", "defaultConfiguration": {"level": "error"},
                         "properties": {"tags": ["security"], "security-severity": "8.8", "precision": "high"}},
                        {"id": "py/guess", "defaultConfiguration": {"level": "error"}, "properties": {"precision": "low"}}
                    ]}
                ]
            },
            "originalUriBaseIds": {"%SRCROOT%": {"uri": "file:///srv/shop/"}},
            "artifacts": [{"location": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%", "index": 0}}],
            "results": [
                {"rule": {"index": 1, "toolComponent": {"index": 1}}, "message": {"text": "a query"},
                 "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 2}}}]},
                {"ruleId": "py/guess", "message": {"text": "a guess"},
                 "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"},
                                                     "region": {"startLine": 2}}}]}
            ]
        }]
    });
    let results = read_sarif(&report.to_string()).unwrap().results;
    let findings = place(&results, &change(), Some("/home/me/repo")).findings;
    let told: Vec<_> =
        findings.iter().map(|one| (one.rule.as_str(), one.severity, one.category, one.confidence)).collect();
    assert_eq!(
        told,
        [
            ("CodeQL/py/sql-injection", Severity::Major, Category::Security, Confidence::Medium),
            ("CodeQL/py/guess", Severity::Major, Category::Readability, Confidence::Low),
        ]
    );
}

#[test]
fn a_name_of_several_words_is_one_that_a_comment_can_say() {
    let report = read_sarif(&sarif("src/a b.py", 2).replace("\"ruff\"", "\"Semgrep OSS\"")).unwrap();
    assert_eq!(report.tools, ["Semgrep-OSS"]);
    assert_eq!(place(&report.results, &change(), None).findings[0].rule, "Semgrep-OSS/S608");
}

#[test]
fn old_lines_and_other_files_stay_silent() {
    for (uri, line) in [("src/a%20b.py", 1), ("src/other.py", 2), ("../src/a b.py", 2), ("/etc/passwd", 2)] {
        assert_eq!(placed(uri, line), Placed { findings: vec![], elsewhere: 1 }, "{uri}:{line}");
    }
}

#[test]
fn what_is_said_twice_is_a_finding_once() {
    let results = read_sarif(&sarif("src/a b.py", 2)).unwrap().results;
    let twice = [results.clone(), results].concat();
    assert_eq!(place(&twice, &change(), None).findings.len(), 1);
}

#[test]
fn lines_that_begin_with_a_place_are_read_and_others_are_not() {
    let output = "a.py:3:1: E501 Line too long\nsrc/x.sh:7: note: Double quote [SC2086]\n   | excerpt\nFound 2 errors.\n\
                  C:\\x.c:9:2: fatal error: gone\nb.js:1:2: error: Unexpected eval (no-eval)\n";
    let read: Vec<_> = read_lines("lint", output)
        .into_iter()
        .map(|one| (one.path, one.line, one.rule, one.level, one.message))
        .collect();
    assert_eq!(
        read,
        [
            ("a.py".into(), 3, "E501".into(), Level::Warning, "E501 Line too long".into()),
            ("src/x.sh".into(), 7, "SC2086".into(), Level::Info, "Double quote [SC2086]".into()),
            ("C:\\x.c".into(), 9, String::new(), Level::Error, "gone".to_owned()),
            ("b.js".into(), 1, "no-eval".into(), Level::Error, "Unexpected eval (no-eval)".into()),
        ]
    );
}

#[test]
fn the_json_of_eslint_is_read() {
    let output = r#"[{"filePath":"/tmp/x/src/w.js","messages":[
        {"ruleId":"no-eval","severity":2,"message":"eval can be harmful.","line":2,"column":7,"endLine":3},
        {"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":5},
        {"ruleId":"no-warning","severity":1,"message":"Said of no line."}],
        "suppressedMessages":[],"errorCount":2},{"filePath":"b.js","messages":[]}]"#;
    let read: Vec<_> = read_eslint("eslint", output)
        .unwrap()
        .into_iter()
        .map(|one| (one.path, one.line, one.end_line, one.rule, one.level))
        .collect();
    let path = || "/tmp/x/src/w.js".to_owned();
    assert_eq!(
        read,
        [(path(), 2, 3, "no-eval".into(), Level::Error), (path(), 5, 5, String::new(), Level::Error),]
    );
    assert!(read_eslint("eslint", "src/w.js\n  2:7  error").is_err());
}

/// The line and level of what a formatter's output says about the change, whose second line is new.
fn unformatted(output: &str) -> Option<(u32, Level)> {
    read_formatter("fmt", output, &change()).first().map(|result| (result.line, result.level))
}

#[test]
fn a_formatter_may_name_files_in_several_ways() {
    for output in [
        "src/a b.py\n",
        "./src/a b.py\n",
        "would reformat src/a b.py\n\nOh no!\n1 file would be reformatted.\n",
        "Would reformat: src/a b.py\n1 file would be reformatted\n",
        "Checking formatting...\n[warn] src/a b.py\n[warn] Code style issues found in the above file.\n",
    ] {
        assert_eq!(unformatted(output), Some((2, Level::Info)), "{output}");
    }
    for output in ["", "All matched files use Prettier code style!\n", "src/other.py\n", "src/a b.pyc\n"] {
        assert_eq!(unformatted(output), None, "{output}");
    }
}

#[test]
fn a_diff_of_a_formatter_counts_where_the_change_added_lines() {
    let diff = |hunk: &str| format!("--- src/a b.py\t2026-11-16\n+++ src/a b.py\t2026-11-16\n{hunk}");
    for output in [
        diff("@@ -1,3 +1,3 @@\n old\n-new\n+ new\n old\n"),
        format!("diff src/a b.py.orig src/a b.py\n{}", diff("@@ -2 +2 @@\n-new\n+ new\n")),
        "Diff in src/a b.py:1:\n old\n-new\n+ new\n old\n".to_owned(),
        "Diff in ./src/a b.py at line 2:\n-new\n+ new\n old\n".to_owned(),
    ] {
        assert_eq!(unformatted(&output), Some((2, Level::Warning)), "{output}");
    }
    for output in [
        diff("@@ -1,3 +1,3 @@\n-old\n+ old\n new\n old\n"),
        "Diff in src/a b.py:3:\n-old\n+ old\n".to_owned(),
        "Diff in src/other.py:2:\n-new\n+ new\n".to_owned(),
    ] {
        assert_eq!(unformatted(&output), None, "{output}");
    }
}

#[test]
fn what_a_formatter_says_is_about_patterns() {
    let findings = place(&read_formatter("fmt", "src/a b.py\n", &change()), &change(), None).findings;
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.dimension, crate::words::Dimension::PATTERN_CONSISTENCY);
    assert_eq!((finding.rule.as_str(), finding.severity), ("fmt/unformatted", Severity::Minor));
}

#[test]
fn what_is_no_sarif_says_so() {
    assert!(read_sarif("<html>").unwrap_err().to_string().starts_with("it is no JSON"));
    assert_eq!(read_sarif("{}"), Err(BadSarif::NoRuns));
    assert_eq!(read_sarif(r#"{"version":"1.0.0","runs":[]}"#), Err(BadSarif::Version("1.0.0".into())));
}

proptest! {
    #[test]
    fn no_output_makes_it_panic(text in "(?s).{0,300}") {
        let results = read_lines("x", &text);
        place(&results, &change(), Some("/"));
        let _ = read_sarif(&text);
        read_formatter("x", &text, &change());
    }
}

#[test]
fn a_report_of_another_machine_counts_if_all_of_it_lies_in_one_folder() {
    let results = |paths: &[&str]| -> Vec<ToolResult> {
        paths.iter().flat_map(|path| read_sarif(&sarif(path, 2)).unwrap().results).collect()
    };
    let found = |paths: &[&str]| place(&results(paths), &change(), Some("/home/me/repo")).findings.len();
    assert_eq!(found(&["file:///ci/work/app/src/a%20b.py", "file:///ci/work/app/other.py"]), 1);
    assert_eq!(found(&["file:///ci/work/app/src/a%20b.py", "file:///usr/lib/other.py"]), 0);
    assert_eq!(found(&["file:///home/me/repo/other.py", "file:///usr/lib/src/a%20b.py"]), 0);
}
