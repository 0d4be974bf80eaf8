//! How the reviewer runs: order, coverage, policy, skipped and unreadable files.

use domain::review::Confidence;
use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const STUB: &str = "fn a() {\n    todo!()\n}\n";

#[test]
fn old_sins_stay_silent() {
    let scenario = Scenario::changing("src/a.rs", STUB, &format!("{STUB}fn b() {{}}\n"));
    assert_eq!(scenario.lines("stub"), NOTHING);
}

#[test]
fn everything_that_was_read_is_seen() {
    let review = Scenario::adding("a.rs", STUB).and_changing("b.py", "a\n", "b\n").review();
    assert_eq!((review.coverage.counts(), review.troubles.len()), ((2, 2), 0));
}

#[test]
fn a_file_that_cannot_be_read_stays_unseen() {
    let scenario = Scenario::changing("src/a.rs", "fn a() {}\n", STUB).unreadable("src/a.rs");
    let review = scenario.review();
    assert_eq!(review.coverage.counts(), (0, 1));
    let [trouble] = review.troubles.as_slice() else { panic!("one trouble expected") };
    assert_eq!(trouble.kind, "unseen");
    assert!(trouble.message.contains("src/a.rs") && trouble.message.contains("the disk is gone"));
}

#[test]
fn a_file_that_no_rule_needs_is_not_read() {
    let review = Scenario::changing("docs/a.md", "One.\n", "Two.\n").unreadable("docs/a.md").review();
    assert_eq!((review.coverage.counts(), review.troubles.len()), ((1, 1), 0));
}

#[test]
fn skipped_files_are_searched_for_secrets_markers_and_hidden_characters_only() {
    let token = concat!("gh", "p_Zk3Lw9QxV7rTn2Bd", "Hs5Jm8Pc4Yf6Ga1Eu0Wi");
    let text = format!("{STUB}{token}\n{} ours\n\u{202E}\n", "<".repeat(7));
    let review = Scenario::adding("vendor/a.rs", text).review();
    let rules: Vec<_> = review.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(rules, ["secret", "conflict-marker", "hidden-unicode"]);
}

#[test]
fn the_policy_switches_rules_off_and_sets_severities() {
    let mut scenario = Scenario::adding("src/a.rs", format!("{STUB}// TODO: x\n"));
    scenario.config.rules.disable.push("stub".into());
    scenario.config.rules.severity.insert("todo-comment".into(), Severity::Critical);
    let findings = scenario.review().findings;
    let seen: Vec<_> = findings.iter().map(|finding| (finding.rule.as_str(), finding.severity)).collect();
    assert_eq!(seen, [("todo-comment", Severity::Critical)]);
}

#[test]
fn source_that_git_calls_binary_is_reported() {
    for (path, severity) in
        [("src/a.rs", Severity::High), ("deploy.sh", Severity::High), ("tests/fixtures/a.cs", Severity::Low)]
    {
        let findings = Scenario::default().and_binary(path).findings("source-as-binary");
        assert_eq!((findings.len(), findings[0].severity), (1, severity), "{path}");
    }
}

#[test]
fn what_no_diff_can_show_may_be_binary() {
    for path in ["logo.png", "data/model.bin", "docs/a.txt"] {
        assert_eq!(Scenario::default().and_binary(path).lines("source-as-binary"), NOTHING, "{path}");
    }
}

#[test]
fn what_no_rule_can_read_does_not_pass_unseen() {
    let hidden = format!("# {}\ndef f(c):\n    return eval(c)\n", "x".repeat(20_000));
    let deep = ("(".repeat(1_001), ")".repeat(1_001));
    let nested = format!("x = {}1{}\ndef f(c):\n    return eval(c)\n", deep.0, deep.1);
    for text in [&hidden, &nested] {
        let new = Scenario::adding("src/a.py", text).findings("source-unread");
        assert_eq!((new.len(), new[0].severity), (1, Severity::Major));
        let grown = Scenario::changing("src/a.py", "x = 1\n", text).findings("source-unread");
        assert_eq!((grown.len(), grown[0].severity), (1, Severity::Major));
        let old = Scenario::changing("src/a.py", text, &format!("{text}y = 2\n")).findings("source-unread");
        assert_eq!((old.len(), old[0].severity), (1, Severity::Low));
    }
    let minified = format!("{}\n", "eval(c);".repeat(4_001));
    let table = format!("const T = [{}];\nexec('ls ' + req.query.c);\n", "1,".repeat(10_001));
    for text in [minified.as_str(), &table] {
        assert_eq!(Scenario::adding("src/a.js", text).findings("source-unread")[0].severity, Severity::Major);
        assert_eq!(Scenario::adding("src/a.min.js", text).lines("source-unread"), NOTHING);
    }
    let data = "x".repeat(20_001);
    for (path, text) in [("a.md", data.as_str()), ("src/a.py", "x = 1\n"), ("a.csv", data.as_str())] {
        assert_eq!(Scenario::adding(path, text).lines("source-unread"), NOTHING, "{path}");
    }
}

#[test]
fn a_danger_behind_too_many_values_does_not_pass_unseen() {
    let file = |lines: usize| {
        let queries = "    cursor.execute(\"select %s\" % NAME)\n".repeat(lines);
        let last = "    cursor.execute(\"select \" + request.args[\"x\"])\n";
        Scenario::adding("src/a.py", format!("NAME = 1\n\n\ndef f(cursor):\n{queries}{last}"))
    };
    assert_eq!((file(10).lines("sql-injection"), file(10).lines("source-unread")), (vec![15], vec![]));
    let unread = file(4_000).findings("source-unread");
    assert_eq!((unread.len(), unread[0].severity), (1, Severity::Major));
}

#[test]
fn a_token_in_a_binary_file_is_found() {
    let token = concat!("gh", "p_Zk3Lw9QxV7rTn2Bd", "Hs5Jm8Pc4Yf6Ga1Eu0Wi");
    let found = Scenario::default().and_binary_text("a.dat", &format!("\0\u{1}{token}\0")).findings("secret");
    assert_eq!(found.len(), 1);
    assert!(!found[0].message.contains(token));
    assert_eq!(Scenario::default().and_binary_text("a.dat", "\0gh\0").findings("secret").len(), 0);
    let wide: String = format!("TOKEN={token}\n").chars().flat_map(|c| [c, '\0']).collect();
    assert_eq!(Scenario::default().and_binary_text("settings.env", &wide).findings("secret").len(), 1);
}

#[test]
fn a_binary_file_that_cannot_be_searched_leaves_the_review_open() {
    let review = Scenario::default().and_binary("a.dat").unreadable("a.dat").review();
    let [trouble] = review.troubles.as_slice() else { panic!("one trouble expected") };
    assert_eq!(trouble.kind, "unseen");
    assert!(trouble.message.contains("a.dat") && trouble.message.contains("the disk is gone"));
}

#[test]
fn guesses_say_that_they_are() {
    let text = concat!("api_", "key = \"q8Zr2LxP0vNw7TkYb3\"\n");
    let findings = Scenario::adding("src/a.py", text).findings("hardcoded-credential");
    assert_eq!((findings[0].severity, findings[0].confidence), (Severity::High, Confidence::Medium));
}

fn code(lines: usize) -> String {
    (0..lines).map(|n| format!("run({n});\n")).collect()
}

#[test]
fn untested_code_weighs_by_its_size() {
    let severity = |lines| {
        let findings = Scenario::adding("src/a.rs", code(lines)).findings("untested-change");
        findings.first().map(|finding| finding.severity)
    };
    assert_eq!(
        [14, 15, 99, 100].map(severity),
        [None, Some(Severity::Medium), Some(Severity::Medium), Some(Severity::Major)]
    );
}

#[test]
fn a_touched_test_anywhere_is_enough() {
    let code = code(50);
    let tested = [
        Scenario::adding("src/a.rs", &code).and_adding("tests/a.rs", "#[test] fn a() { assert!(true); }\n"),
        Scenario::adding("src/a.rs", format!("{code}#[cfg(test)]\nmod tests {{}}\n")),
        Scenario::changing(
            "src/a.rs",
            "#[cfg(test)]\nmod tests {\n}\n",
            &format!("#[cfg(test)]\nmod tests {{\n{code}}}\n"),
        ),
        Scenario::adding("docs/a.rs", &code),
        Scenario::adding("a.md", &code),
        Scenario::default().and_removing("src/a.rs", &code),
        Scenario::adding("src/a.rs", "// only words\n".repeat(50)),
    ];
    for (index, scenario) in tested.iter().enumerate() {
        assert_eq!(scenario.lines("untested-change"), NOTHING, "{index}");
    }
    let untested = Scenario::adding("src/a.rs", &code).and_removing("tests/a.rs", "#[test] fn a() {}\n");
    assert_eq!(untested.lines("untested-change").len(), 1, "a deleted test is no test");
}

#[test]
fn the_numbers_are_in_the_message() {
    let findings =
        Scenario::adding("src/a.go", code(20)).and_adding("src/b.go", code(5)).findings("untested-change");
    assert!(findings[0].message.contains("25 new lines of code in 2 files"), "{}", findings[0].message);
    assert_eq!(findings[0].location(), "src/a.go");
}

#[test]
fn an_interface_and_a_null_object_get_advice_only() {
    let text = "class Port:\n    def read(self):\n        \"\"\"Reads.\"\"\"\n        raise NotImplementedError\n    \
                def close(self):\n        pass\n";
    let findings = Scenario::adding("src/port.py", text).findings("stub");
    let seen: Vec<_> = findings.iter().map(|finding| finding.confidence).collect();
    assert_eq!(seen, [Confidence::Low, Confidence::Low]);
}

#[test]
fn what_another_file_of_the_change_inherits_from_is_no_stub() {
    let base = "class Storage:\n    def get(self, key):\n        raise NotImplementedError\n    def size(self):\n        return 0\n";
    let heir = "from storage import Storage\nclass Files(Storage):\n    def get(self, key):\n        return read(key)\n";
    assert_eq!(
        Scenario::adding("src/storage.py", base).and_adding("src/files.py", heir).lines("stub"),
        NOTHING
    );
    let stranger = heir.replace("(Storage)", "(Shelf)");
    let scenario = Scenario::adding("src/storage.py", base).and_adding("src/files.py", stranger);
    assert_eq!(scenario.lines("stub"), [3]);
}

#[test]
fn what_two_rules_say_of_one_line_is_told_once() {
    let print = "package a;\nclass A {\n    void a() {\n        System.out.println(\"DEBUG a\");\n        System.out.println(\"b\");\n    }\n}\n";
    let scenario = Scenario::changing("src/main/java/A.java", "package a;\nclass A {\n}\n", print);
    assert_eq!(scenario.lines("debug-leftover"), [4]);
    assert_eq!(scenario.lines("stray-print"), [5]);
}
