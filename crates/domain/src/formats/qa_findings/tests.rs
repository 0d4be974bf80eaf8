use proptest::prelude::*;

use super::*;
use crate::formats::fixture;
use crate::text::clean_line;

fn finding(file: &str, line: u32, severity: Severity, category: Category, texts: (&str, &str)) -> QaFinding {
    QaFinding {
        file: Some(file.into()),
        line_number: Some(line),
        severity,
        description: texts.0.into(),
        suggested_fix: texts.1.into(),
        category,
    }
}

fn injection() -> QaFinding {
    let texts = (
        "SQL injection vulnerability in login handler",
        "Use parameterized queries with prepared statements",
    );
    finding("src/api/auth.ts", 45, Severity::Critical, Category::Security, texts)
}

fn n_plus_one() -> QaFinding {
    let texts = ("N+1 query detected in user data fetch", "Add eager loading or batch query");
    finding("src/db/query.ts", 89, Severity::High, Category::Performance, texts)
}

const CHECKLIST: &str = "## Review Findings

1. [ ] **CRITICAL** (security): src/api/auth.ts:45
    Issue: SQL injection vulnerability in login handler
    Fix: Use parameterized queries with prepared statements

2. [ ] **HIGH** (performance): src/db/query.ts:89
    Issue: N+1 query detected in user data fetch
    Fix: Add eager loading or batch query
";

/// File, line, severity and description of each, and how they were read.
fn read(text: &str) -> (ReadAs, Vec<String>) {
    let parsed = parse_findings(text);
    let show = |f: &QaFinding| {
        format!("{} {} {}", f.severity, lenient::location(f.file.as_ref(), f.line_number), f.description)
    };
    (parsed.read_as, parsed.findings.iter().map(show).collect())
}

#[test]
fn the_checklist_is_written_to_the_letter_and_reads_back() {
    let findings = [injection(), n_plus_one()];
    assert_eq!(checklist(&findings), CHECKLIST);
    let parsed = parse_findings(CHECKLIST);
    assert_eq!((parsed.read_as, parsed.unreadable), (ReadAs::Text, 0));
    assert_eq!(parsed.findings, findings);
}

#[test]
fn field_names_are_those_of_the_format() {
    let json = serde_json::to_string(&injection()).unwrap();
    assert_eq!(
        json,
        r#"{"file":"src/api/auth.ts","line_number":45,"severity":"CRITICAL","description":"SQL injection vulnerability in login handler","suggested_fix":"Use parameterized queries with prepared statements","category":"security"}"#
    );
    assert_eq!(serde_json::from_str::<QaFinding>(&json).unwrap(), injection());
}

#[test]
fn fenced_blocks_are_gathered_whatever_they_are_called() {
    let one = serde_json::to_string_pretty(&[injection()]).unwrap();
    let two = serde_json::to_string(&serde_json::json!({ "findings": [n_plus_one()] })).unwrap();
    let single = serde_json::to_string(&injection()).unwrap();
    let text = format!(
        "Here:\n```json\n{one}\n```\nand\n~~~\n{two}\n~~~\nagain\n````jsonc title=x\n{single}\n````\n```js\nf([1])\n```"
    );
    let parsed = parse_findings(&text);
    assert_eq!(parsed.read_as, ReadAs::JsonBlock);
    assert_eq!(parsed.findings, [injection(), n_plus_one()]);
}

#[test]
fn bare_json_is_found_in_prose() {
    let json = serde_json::to_string(&[injection()]).unwrap();
    let parsed = parse_findings(&format!("I looked [at \"it\"] and {{found}}: {json}. Done [x]."));
    assert_eq!((parsed.read_as, parsed.findings), (ReadAs::BareJson, vec![injection()]));
}

#[test]
fn an_empty_list_is_clean_and_silence_is_not() {
    for (text, expected) in [
        ("[]", ReadAs::BareJson),
        ("All good.\n```json\n[]\n```", ReadAs::JsonBlock),
        ("{\"findings\": []}", ReadAs::BareJson),
        ("All good.", ReadAs::Nothing),
        ("", ReadAs::Nothing),
    ] {
        let parsed = parse_findings(text);
        assert_eq!((parsed.read_as, parsed.findings.len(), parsed.unreadable), (expected, 0, 0), "{text}");
    }
}

#[test]
fn an_empty_list_in_a_code_sample_hides_nothing() {
    let text = "```js\n[]\n```\nCRITICAL: the list is never filled (src/a.js:3)\n";
    assert_eq!(read(text), (ReadAs::Text, vec!["CRITICAL src/a.js:3 the list is never filled".to_owned()]));
}

#[test]
fn almost_right_entries_are_read_and_the_rest_is_counted() {
    let text = r#"```json
[{"file": "a.rs:7", "severity": "high", "description": "x"},
 {"path": "b.rs", "line": "12", "message": "y", "category": "Error handling"},
 {"severity": "blocker", "description": "z", "line_number": null},
 {"note": "what?"}, 7]
```"#;
    let parsed = parse_findings(text);
    assert_eq!(read(text).1, ["HIGH a.rs:7 x", "MAJOR b.rs:12 y", "CRITICAL the change as a whole z"]);
    assert_eq!(parsed.unreadable, 2);
}

#[test]
fn a_block_that_was_cut_off_is_not_clean() {
    let json = serde_json::to_string_pretty(&[injection(), n_plus_one()]).unwrap();
    let parsed = parse_findings(&format!("```json\n{}", &json[..json.len() - 40]));
    assert_eq!((parsed.findings, parsed.unreadable), (vec![injection()], 1));
}

#[test]
fn silence_and_rubble_are_trouble_and_an_empty_list_is_not() {
    let change = Change { scope: fixture::review().subject.scope, files: vec![] };
    let kinds = |text: &str| {
        let evidence = parse_findings(text).into_evidence("qa", &change, Severity::Major);
        (evidence.findings.len(), evidence.troubles.len())
    };
    assert_eq!(kinds("[]"), (0, 0));
    assert_eq!(kinds("Looks good to me!"), (0, 1));
    assert_eq!(kinds("```json\n[{\"severity\": \"HIGH\", \"descr"), (0, 1));
    assert_eq!(kinds(CHECKLIST), (2, 0));
}

#[test]
fn a_finding_in_text_beside_a_broken_block_is_one() {
    let text = "```json\n[{\"file\": \"b.py\", \"severity\"\n```\nCRITICAL: a.py:1 - the query is built from input\n";
    let parsed = parse_findings(text);
    assert_eq!(read(text), (ReadAs::Text, vec!["CRITICAL a.py:1 the query is built from input".to_owned()]));
    assert_eq!(parsed.trouble(Severity::Major), None);
    let mild = parse_findings(&text.replace("CRITICAL", "LOW"));
    assert!(mild.trouble(Severity::Major).is_some(), "what could not be read may be worse");
}

#[test]
fn prose_that_asks_for_changes_is_a_finding_and_prose_alone_never_approves() {
    let text = "I looked at it. Please fix the null check in a.py before this goes in.";
    assert_eq!(read(text), (ReadAs::Prose, vec![format!("MAJOR the change as a whole {text}")]));
    assert_eq!(parse_findings(text).trouble(Severity::Major), None);
    assert!(
        parse_findings(text).trouble(Severity::Critical).is_some(),
        "it does not block, and proves nothing"
    );
    for text in ["Approved, ship it.", "No changes needed."] {
        let parsed = parse_findings(text);
        assert!(parsed.findings.is_empty() && parsed.trouble(Severity::Major).is_some(), "{text}");
    }
}

#[test]
fn legacy_lines_are_understood() {
    let text = "Review:\n\
        CRITICAL: SQL injection in login (src/api/auth.ts:45)\n\
        - [HIGH] src/db/query.ts:12 - N+1 query\n\
        \x20 Fix: batch it\n\
        **MAJOR** src/a.rs:3: no error handling\n\
        * **Minor:** `src/b.rs:9` naming\n\
        2) LOW (testing): no test for the empty case\n\
        \n\
        Critical: 0\n- **High:** None\nLow quality: never mind\nHigh availability matters\n";
    let (read_as, findings) = read(text);
    assert_eq!(read_as, ReadAs::Text);
    assert_eq!(
        findings,
        [
            "CRITICAL src/api/auth.ts:45 SQL injection in login",
            "HIGH src/db/query.ts:12 N+1 query",
            "MAJOR src/a.rs:3 no error handling",
            "MINOR src/b.rs:9 naming",
            "LOW the change as a whole no test for the empty case",
        ]
    );
    let parsed = parse_findings(text);
    assert_eq!(parsed.findings[1].suggested_fix, "batch it");
    assert_eq!(parsed.findings[4].category, Category::Testing);
}

#[test]
fn json_in_a_code_block_comes_before_everything_else() {
    let (block, bare) = (serde_json::json!([injection()]), serde_json::json!([n_plus_one()]));
    let text = format!("{bare}\n{CHECKLIST}\nLOW: src/c.rs:1 - a loose line\n```json\n{block}\n```\n");
    let parsed = parse_findings(&text);
    assert_eq!((parsed.read_as, parsed.findings), (ReadAs::JsonBlock, vec![injection()]));
}

#[test]
fn bare_json_comes_before_the_legacy_text() {
    let bare = serde_json::to_string_pretty(&[injection()]).unwrap();
    for legacy in ["LOW: src/c.rs:1 - a loose line", CHECKLIST.split_once("2.").unwrap().0, CHECKLIST] {
        for text in [format!("{legacy}\n{bare}\n"), format!("{bare}\n{legacy}\n")] {
            let parsed = parse_findings(&text);
            assert_eq!((parsed.read_as, parsed.findings), (ReadAs::BareJson, vec![injection()]), "{text}");
        }
    }
}

#[test]
fn the_checklist_comes_before_loose_lines() {
    let parsed = parse_findings(&format!("LOW: src/c.rs:1 - a loose line\n{CHECKLIST}"));
    assert_eq!((parsed.read_as, parsed.findings), (ReadAs::Text, vec![injection(), n_plus_one()]));
}

#[test]
fn an_empty_list_gives_way_to_a_form_further_down() {
    let parsed = parse_findings(&format!("```json\n[]\n```\n{CHECKLIST}"));
    assert_eq!((parsed.read_as, parsed.findings.len()), (ReadAs::Text, 2));
}

#[test]
fn a_quoted_finding_does_not_take_the_place_of_the_real_ones() {
    let fake = r#"[{"severity":"LOW","description":"nothing to see"}]"#;
    let real = QaFinding { description: fake.into(), ..injection() };
    assert_eq!(parse_findings(&checklist(std::slice::from_ref(&real))).findings, [real]);
}

#[test]
fn a_list_of_advice_does_not_hide_a_line_that_rejects() {
    let advice = "```json\n[{\"file\": \"a.py\", \"severity\": \"LOW\", \"description\": \"a name\"}]\n```\n";
    let critical = "CRITICAL: a.py:1 - anybody can delete the table\n";
    let severities = |answer: &str| -> Vec<Severity> {
        parse_findings(answer).findings.iter().map(|finding| finding.severity).collect()
    };
    assert_eq!(severities(&format!("{critical}{advice}")), [Severity::Low, Severity::Critical]);
    assert_eq!(severities(&format!("{advice}LOW: b.py:2 - another name\n")), [Severity::Low]);
    let rejecting = advice.replace("LOW", "HIGH");
    assert_eq!(severities(&format!("{rejecting}HIGH: a.py:1 - a name\n")), [Severity::High]);
}

#[test]
fn hostile_text_costs_little_time() {
    let started = std::time::Instant::now();
    for unit in ["[", "{\"", "[{", "```\n", "`", "[{\"a\":\"", "CRITICAL: x\n", "\\\""] {
        let text = unit.repeat(300_000 / unit.len());
        parse_findings(&text);
        parse_findings(&format!("```json\n{text}"));
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_finding_of_ours_becomes_one_of_theirs() {
    let findings: Vec<_> = fixture::review().findings.iter().map(QaFinding::from).collect();
    insta::assert_snapshot!(checklist(&findings));
}

fn any_finding() -> impl Strategy<Value = QaFinding> {
    let severity = proptest::sample::select(Severity::ALL.to_vec());
    let category = proptest::sample::select(Category::ALL.to_vec());
    let hostile = "(?s)(.|Fix: |Issue: |\n|```|[\\[\\]{}\":*]|1\\. \\[ \\] \\*\\*LOW\\*\\* ){0,12}";
    let file = proptest::option::of("[a-z:0-9./ \"]{1,12}".prop_map(|path| RepoPath::from(path.as_str())));
    (file, proptest::option::of(1u32..), severity, category, hostile, hostile).prop_map(
        |(file, line, severity, category, description, suggested_fix)| QaFinding {
            line_number: line.filter(|_| file.is_some()),
            file,
            severity,
            description: format!("x{}", clean_line(&description)),
            suggested_fix: clean_line(&suggested_fix),
            category,
        },
    )
}

proptest! {
    #[test]
    fn any_checklist_reads_back(findings in proptest::collection::vec(any_finding(), 1..6)) {
        prop_assert_eq!(parse_findings(&checklist(&findings)).findings, findings);
    }

    #[test]
    fn any_fenced_list_reads_back(findings in proptest::collection::vec(any_finding(), 1..6)) {
        let mut expected = Vec::new();
        for finding in &findings {
            if !expected.contains(finding) {
                expected.push(finding.clone());
            }
        }
        let text = format!("```json\n{}\n```", serde_json::to_string_pretty(&findings).unwrap());
        let read = parse_findings(&text).findings;
        prop_assert_eq!(read.len(), expected.len());
        prop_assert!(read.iter().zip(&expected).all(|(a, b)| a.description == b.description));
    }

    #[test]
    fn reading_never_panics(text in "(?s)(.|[\\[\\]{}\":,`\n*]|CRITICAL|findings|src/a.rs:1| \\(|severity){0,40}") {
        parse_findings(&text);
    }
}
