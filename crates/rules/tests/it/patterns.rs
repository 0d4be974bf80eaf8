//! Rules that are data, ours and a project's own.

use domain::config::RulesPolicy;
use domain::ports::Reviewer as _;
use domain::review::{Confidence, Finding};
use domain::words::Severity;
use rules::{Language, ProjectRules, RulesReviewer, mend};

use crate::support::{NOTHING, Scenario};

const OWN: &str = "id: no-print-in-views\ntitle: A print in a view\nlanguage: python\nseverity: MAJOR\n\
    message: \"`$CALL` prints\"\nrule: {pattern: $CALL, kind: call, has: {field: function, regex: ^print$}}\n\
    literals: [print]\nfiles: ['views/**']\nfix: log($CALL)\n";

fn with_own(rules: &str, path: &str, text: &str) -> Scenario {
    Scenario::adding(path, text).and_at_base(".countersign/rules/views.yml", rules)
}

fn failure(rules: &str) -> String {
    with_own(rules, "a.py", "a = 1\n")
        .with_request(|request| RulesReviewer::default().review(request).unwrap_err().to_string())
}

#[test]
fn only_added_lines_are_held_against_a_change() {
    let old = "import os\ndef f(a):\n    os.system('ls ' + a)\n\n\ndef g(a):\n    return a\n";
    let new = "import os\ndef f(a):\n    os.system('ls ' + a)\n\n\ndef g(a):\n    os.system('rm ' + a)\n    return a\n";
    assert_eq!(Scenario::changing("src/a.py", old, new).lines("command-injection"), [7]);
}

#[test]
fn a_match_that_an_added_line_completes_is_reported_where_it_begins() {
    let old = "import subprocess\ndef f(a):\n    subprocess.run(\n        'ls ' + a,\n    )\n";
    let new =
        "import subprocess\ndef f(a):\n    subprocess.run(\n        'ls ' + a,\n        shell=True,\n    )\n";
    let findings = Scenario::changing("src/a.py", old, new).findings("command-injection");
    let [finding] = findings.as_slice() else { panic!("one finding expected: {findings:?}") };
    assert_eq!(finding.line(), Some(3));
    assert!(finding.blocks(Severity::Major));
}

#[test]
fn a_finding_begins_no_higher_than_the_diff_shows() {
    let old = "const a = 1;\nfunction f(req) {\n  const rows =\n    // 1\n    // 2\n    // 3\n    // 4\n    // 5\n    db.query(x);\n}\n";
    let new = old.replace("db.query(x)", "db.query(\"SELECT a FROM b WHERE c = '\" + req.query.a + \"'\")");
    assert_eq!(Scenario::changing("src/a.js", old, &new).lines("sql-injection"), [9]);
    let near = |text: &str| text.replace("    // 1\n    // 2\n    // 3\n    // 4\n", "");
    assert_eq!(Scenario::changing("src/a.js", &near(old), &near(&new)).lines("sql-injection"), [3]);
}

#[test]
fn tests_may_do_what_programs_must_not() {
    let text = "import requests\nrequests.get('https://example.com', verify=False)\n";
    assert_eq!(Scenario::adding("tests/test_a.py", text).lines("tls-verification-off"), NOTHING);
    assert_eq!(Scenario::adding("src/a.py", text).lines("tls-verification-off"), [2]);
}

#[test]
fn a_policy_can_switch_a_rule_off_or_say_how_bad_it_is() {
    let text = "import os\ndef f(a):\n    os.system('ls ' + a)\n";
    let mut scenario = Scenario::adding("src/a.py", text);
    scenario.config.rules.severity = [("command-injection".to_owned(), Severity::Low)].into();
    assert_eq!(scenario.findings("command-injection")[0].severity, Severity::Low);
    scenario.config.rules.disable = vec!["command-injection".into()];
    assert_eq!(scenario.lines("command-injection"), NOTHING);
}

#[test]
fn a_project_brings_rules_of_its_own() {
    let scenario = with_own(OWN, "views/a.py", "x = 1\nprint(x)\n");
    let findings = scenario.findings("no-print-in-views");
    let [finding] = findings.as_slice() else { panic!("one finding expected: {findings:?}") };
    assert_eq!(
        (finding.line(), finding.severity, finding.confidence),
        (Some(2), Severity::Major, Confidence::Medium)
    );
    assert_eq!(finding.message, "`print(x)` prints");
    assert!(finding.suggestion.contains("write `log(print(x))`"), "{}", finding.suggestion);
    assert_eq!(with_own(OWN, "models/a.py", "print(1)\n").lines("no-print-in-views"), NOTHING);
}

#[test]
fn a_change_cannot_bring_the_rules_it_is_judged_by() {
    let scenario =
        Scenario::adding(".countersign/rules/views.yml", OWN).and_adding("views/a.py", "print(1)\n");
    assert_eq!(scenario.lines("no-print-in-views"), NOTHING);
}

#[test]
fn rules_share_parts() {
    let rules = "utility: printing\nlanguage: python\nrule: {kind: call, has: {field: function, regex: ^print$}}\n\
        ---\nid: no-print\ntitle: A print\nlanguage: python\nrule: {kind: call, matches: printing}\n";
    assert_eq!(with_own(rules, "a.py", "print(1)\nlog(1)\n").lines("no-print"), [1]);
}

#[test]
fn a_rule_that_cannot_be_used_fails_the_review_and_says_where() {
    for (rules, said) in [
        ("id: a\ntitle: b\nlanguage: python\nrule: {kind: no_such_kind}\n", "views.yml:4:1: "),
        ("id: a\ntitle: b\nlanguage: klingon\nrule: {kind: call}\n", "views.yml:3:"),
        ("id: a\n---\nid: b\ntitel: c\n", "views.yml:4:1: "),
        ("id: stub\ntitle: b\nlanguage: python\nrule: {kind: call}\n", "views.yml:1:1: `stub` is the id"),
        (
            "id: command-injection\ntitle: b\nlanguage: python\nrule: {kind: call}\n",
            "is the id of a built-in rule",
        ),
        ("id: a\ntitle: b\nlanguage: python\n", "not clear what this rule looks for"),
        ("id: A B\ntitle: b\nlanguage: python\nrule: {kind: call}\n", "`A B` is not an id"),
        (
            "id: a\ntitle: b\nlanguage: python\ncall: f\nwhere: {argument: 0, matches: '('}\n",
            "views.yml:5:9: ",
        ),
        ("id: a\ntitle: b\nlanguage: python\nrule: {regex: a}\n", "which kinds of nodes"),
        (
            "id: a\ntitle: b\nlanguage: python\nrule: {kind: call}\n---\nid: a\ntitle: c\nlanguage: go\nrule: {kind: call_expression}\n",
            "two rules `a`",
        ),
    ] {
        let failure = failure(rules);
        assert!(failure.contains(said), "{failure}");
    }
}

#[test]
fn too_much_is_refused() {
    let many: Vec<(String, &[u8])> = (0..101).map(|n| (format!("{n}.yml"), &b"# nothing\n"[..])).collect();
    let files = many.iter().map(|(name, bytes)| (name.as_str(), *bytes));
    assert!(ProjectRules::of(files).unwrap_err().to_string().contains("101 files"));
    let large = vec![b'#'; 300 * 1024];
    assert!(ProjectRules::of([("a.yml", large.as_slice())]).unwrap_err().to_string().contains("256 KiB"));
    assert!(ProjectRules::of([("a.yml", &b"\xff"[..])]).is_err());
}

#[test]
fn a_project_can_test_its_rules() {
    let rules = "id: a\ntitle: b\nlanguage: python\ncall: print\nexamples:\n  bad: ['print(1)', 'log(1)']\n  good: ['log(1)']\n";
    let report = ProjectRules::of([("a.yml", rules.as_bytes())]).unwrap().test(None);
    assert_eq!((report.passed, report.failed.len()), (2, 1));
    assert_eq!((report.failed[0].text.as_str(), report.failed[0].language), ("log(1)\n", Language::Python));
}

#[test]
fn names_of_own_rules_are_known_to_the_policy() {
    let own = ProjectRules::of([("a.yml", OWN.as_bytes())]).unwrap();
    let policy = RulesPolicy { disable: vec!["no-print-in-views".into()], ..RulesPolicy::default() };
    assert_eq!(rules::unknown_rules(&policy, &own, []), []);
}

#[test]
fn what_a_pattern_can_mend_is_mended() {
    let text = "import yaml\ndef f(text):\n    return yaml.unsafe_load(text)\n";
    let findings = Scenario::adding("src/a.py", text).review().findings;
    let all: Vec<&Finding> = findings.iter().collect();
    let right = "import yaml\ndef f(text):\n    return yaml.safe_load(text)\n";
    assert_eq!(mend(text, Language::Python, &all).as_deref(), Some(right));
    assert!(findings[0].suggestion.contains("write `yaml.safe_load(text)`"), "{}", findings[0].suggestion);
}

#[test]
fn corrections_of_a_file_are_tried_together_and_singly_only_where_one_is_wrong() {
    let own = "id: new-api\ntitle: The old function\nlanguage: python\nrule: {pattern: 'old_api($A, $B)'}\nfix: 'new_api($B = $A)'\n";
    let offered = |text: &str| -> Vec<bool> {
        let mut findings = with_own(own, "src/a.py", text).findings("new-api");
        findings.sort_by_key(Finding::line);
        findings.iter().map(|finding| finding.suggestion.contains("write `new_api(x = 1)`")).collect()
    };
    assert_eq!(offered("old_api(1, x)\nold_api(1, 2)\nold_api(1, x)\n"), [true, false, true]);
    assert_eq!(offered(&"old_api(1, x)\n".repeat(1_500)), [true; 1_500]);
    let one_wrong = offered(&format!("{}old_api(1, 2)\n", "old_api(1, x)\n".repeat(100)));
    assert_eq!(one_wrong.iter().filter(|offers| **offers).count(), 20);
}

#[test]
fn what_a_pattern_of_the_project_can_mend_is_mended() {
    let own = "id: new-api\ntitle: The old function\nlanguage: python\nrule: {pattern: 'old_api($A, $B)'}\nfix: 'new_api($B, $A)'\n";
    let text = "old_api(1, x)\n";
    let findings = with_own(own, "src/a.py", text).findings("new-api");
    let all: Vec<&Finding> = findings.iter().collect();
    let project = ProjectRules::of([("a.yml", own.as_bytes())]).unwrap();
    let mended = |project| rules::mend_with(text, Language::Python, &all, project);
    assert_eq!(mended(&project).as_deref(), Some("new_api(x, 1)\n"));
    assert_eq!(mended(&ProjectRules::default()), None);
    let text = "import yaml\nold_api(1, x)\nyaml.load(text, Loader=yaml.UnsafeLoader)\nold_api(2, x)\n";
    let findings = with_own(own, "src/a.py", text).review().findings;
    let all: Vec<&Finding> = findings.iter().collect();
    let right = "import yaml\nnew_api(x, 1)\nyaml.safe_load(text)\nnew_api(x, 2)\n";
    assert_eq!(rules::mend_with(text, Language::Python, &all, &project).as_deref(), Some(right));
    assert!(rules::can_mend("new-api", Language::Python, &project));
    assert!(!rules::can_mend("new-api", Language::Go, &project));
}

#[test]
fn a_dimension_that_nobody_scores_is_named_with_its_neighbour() {
    use domain::words::Dimension;
    let known: Vec<Dimension> = Dimension::BUILT_IN.into_iter().map(|(dimension, _)| dimension).collect();
    let error = |dimension: &str| {
        let own = format!("id: a\ntitle: b\nlanguage: python\ndimension: {dimension}\ncall: f\n");
        ProjectRules::of([("a.yml", own.as_bytes())]).unwrap().unknown_dimension(&known)
    };
    let misspelt = error("requirement_adherance").unwrap();
    assert!(misspelt.to_string().starts_with("a.yml:4:1: there is no dimension"), "{misspelt}");
    assert!(misspelt.hint.contains("`requirement_adherence`"), "{}", misspelt.hint);
    assert!(error("code_quality").is_none());
}

#[test]
fn a_correction_needs_a_pattern() {
    let own = "id: a\ntitle: b\nlanguage: python\ncall: f\nfix: g()\n";
    let error = ProjectRules::of([("a.yml", own.as_bytes())]).unwrap_err();
    assert!(error.to_string().starts_with("a.yml:5:1: "), "{error}");
}

#[test]
fn what_is_switched_off_is_switched_on_again() {
    for (path, language, wrong, right) in [
        (
            "src/a.py",
            Language::Python,
            "import requests\nrequests.get(url, verify=False, timeout=3)\n",
            "import requests\nrequests.get(url, verify=True, timeout=3)\n",
        ),
        (
            "src/a.py",
            Language::Python,
            "import yaml\nyaml.load(text, Loader=yaml.UnsafeLoader)\n",
            "import yaml\nyaml.safe_load(text)\n",
        ),
        (
            "src/a.js",
            Language::JavaScript,
            "const agent = new https.Agent({ rejectUnauthorized: false });\n",
            "const agent = new https.Agent({ rejectUnauthorized: true });\n",
        ),
        (
            "src/a.go",
            Language::Go,
            "package a\n\nvar c = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}\n",
            "package a\n\nvar c = &tls.Config{InsecureSkipVerify: false, MinVersion: tls.VersionTLS13}\n",
        ),
        (
            "src/A.java",
            Language::Java,
            "class A {\n  void set(Cookie cookie) {\n    cookie.setSecure(false);\n  }\n}\n",
            "class A {\n  void set(Cookie cookie) {\n    cookie.setSecure(true);\n  }\n}\n",
        ),
    ] {
        let findings = Scenario::adding(path, wrong).review().findings;
        let all: Vec<&Finding> = findings.iter().collect();
        assert_eq!(mend(wrong, language, &all).as_deref(), Some(right), "{wrong}");
    }
}

#[test]
fn a_correction_that_breaks_the_file_is_not_offered() {
    let broken = OWN.replace("log($CALL)", "log((");
    let finding = &with_own(&broken, "views/a.py", "print(1)\n").findings("no-print-in-views")[0];
    assert!(!finding.suggestion.contains("write `"), "{}", finding.suggestion);
}

#[test]
fn the_list_of_rules_is_up_to_date() {
    let written = include_str!("../../../../docs/RULES-LIST.md");
    assert_eq!(written, rules::documentation(), "write it anew: countersign rules docs > docs/RULES-LIST.md");
}

/// What a change calls may stand in a function of the same file that it did not touch.
#[test]
fn functions_that_nobody_touched_are_entered_where_they_are_called() {
    let before = "class A {\n    private String name(HttpServletRequest request) {\n        String name = request.getParameter(\"name\");\n        return name;\n    }\n\n    void other() {\n        int one = 1;\n        int two = 2;\n        use(one, two, one, two, one, two);\n    }\n\n    void run(HttpServletRequest request) throws IOException {\n        work();\n    }\n}\n";
    let after = before.replace(
        "        work();\n",
        "        Runtime.getRuntime().exec(new String[] { \"sh\", \"-c\", \"ls \" + name(request) });\n",
    );
    assert_eq!(Scenario::changing("src/A.java", before, &after).lines("command-injection"), [14]);
}

const BESIDE: &str = "id: opened-and-left\ntitle: A file that stays open\nlanguage: python\nseverity: MAJOR\n\
    rule: {kind: assignment, all: [{has: {field: left, pattern: $FILE}}, {has: {field: right, regex: ^take}}]}\n\
    literals: [take]\nbeside:\n\
    - {in: function, same: FILE, order: after, rule: {pattern: use($FILE)}, where: {variable: FILE, not: constant}}\n\
    - {in: function, none: true, order: after, same: FILE, rule: {pattern: $FILE.give()}}\n\
    - {in: file, none: true, mentions: FILE, rule: {kind: delete_statement}}\n";

#[test]
fn a_document_says_what_stands_beside() {
    let lines = |text: &str| with_own(BESIDE, "a.py", text).lines("opened-and-left");
    assert_eq!(lines("def f(p):\n    a = take(p)\n    use(a)\n"), [2]);
    for fine in [
        // Not there, of another name, in another function, and too early.
        "def f(p):\n    a = take(p)\n",
        "def f(p):\n    a = take(p)\n    use(b)\n",
        "def f(p):\n    a = take(p)\n\ndef g(a):\n    use(a)\n",
        "def f(p):\n    use(a)\n    a = take(p)\n",
        // There, though it must not be.
        "def f(p):\n    a = take(p)\n    use(a)\n    a.give()\n",
        "def f(p):\n    a = take(p)\n    use(a)\n\ndef g(b):\n    del b[a]\n",
    ] {
        assert_eq!(lines(fine), NOTHING, "{fine}");
    }
    assert_eq!(lines("def f(p):\n    a.give()\n    a = take(p)\n    use(a)\n"), [3]);
}

#[test]
fn what_stands_beside_is_checked_when_it_is_read() {
    let both = BESIDE.replace("mentions: FILE", "same: FILE, mentions: FILE");
    assert!(failure(&both).contains("not both"), "{}", failure(&both));
    let kind = BESIDE.replace("delete_statement", "no_such_kind");
    assert!(failure(&kind).contains("no_such_kind"), "{}", failure(&kind));
}
