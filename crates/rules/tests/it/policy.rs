//! Changes to the policy itself.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "policy-changed";

fn judged(old: &str, new: &str) -> (Severity, String) {
    let findings = Scenario::changing("countersign.yaml", old, new).findings(RULE);
    let [finding] = findings.as_slice() else { panic!("one finding expected for {new}") };
    assert!(finding.message.contains("the base's policy was in force"), "{}", finding.message);
    (finding.severity, finding.message.clone())
}

#[test]
fn a_milder_policy_is_high_and_says_what_changed() {
    let (severity, message) = judged("gate:\n  overall: 80\n", "gate:\n  overall: 60\n");
    assert_eq!(severity, Severity::High);
    assert!(message.contains("loosens") && message.contains("gate.overall: 80 -> 60"), "{message}");
}

#[test]
fn every_way_to_ask_for_less_counts() {
    for new in [
        "gate: { fail_on: CRITICAL }\n",
        "gate: { thresholds: { critical: 80 } }\n",
        "gate: { weights: { critical: 1 } }\n",
        "gate: { dimensions: { test_quality: { weight: moderate } } }\n",
        "gate: { dimensions: { test_quality: { weight: important, minimum: 10 } } }\n",
        "rules: { disable: [secret] }\n",
        "rules: { severity: { stub: LOW } }\n",
        "suppressions: { secrets: true }\n",
        "gate: { allow_skipped: [binary] }\n",
        "gate: { no_such_key: 1 }\n",
        "{{{\n",
    ] {
        assert_eq!(judged("# empty\n", new).0, Severity::High, "{new}");
    }
}

#[test]
fn asking_for_more_is_low() {
    for new in [
        "gate: { overall: 90 }\n",
        "gate: { fail_on: LOW }\n",
        "gate: { dimensions: { accessibility: { weight: important, minimum: 80 } } }\n",
        "rules: { severity: { todo-comment: MAJOR } }\n",
        "suppressions: { comments: false }\n",
        "# only a comment\n",
    ] {
        assert_eq!(judged("# empty\n", new).0, Severity::Low, "{new}");
    }
}

#[test]
fn a_removed_policy_is_high() {
    let findings =
        Scenario::default().and_removing("countersign.yaml", "gate: { overall: 80 }\n").findings(RULE);
    assert_eq!((findings.len(), findings[0].severity), (1, Severity::High));
}

#[test]
fn a_policy_of_another_name_is_none() {
    assert_eq!(Scenario::adding("docs/countersign.yaml", "gate: { overall: 1 }\n").lines(RULE), NOTHING);
}

fn hides(scenario: Scenario) -> Option<String> {
    let findings = scenario.findings(RULE);
    assert!(findings.iter().all(|finding| finding.line().is_none() && finding.severity == Severity::High));
    findings.into_iter().next().map(|finding| finding.message)
}

#[test]
fn attributes_that_hide_files_are_reported_once() {
    let text = "*.png binary\n# *.rs -diff\nsrc/** linguist-generated\nsrc/*.rs -diff\n*.sh text eol=lf\n";
    let message = hides(Scenario::adding(".gitattributes", text)).unwrap();
    assert!(message.contains("adds `src/** linguist-generated` and 1 more"), "{message}");
    let harmless =
        "*.go linguist-generated=false\n* text=auto\n*.rs diff=rust\nCargo.lock linguist-generated\n";
    assert_eq!(hides(Scenario::adding(".gitattributes", harmless)), None);
}

#[test]
fn attributes_that_kept_files_in_sight_are_missed() {
    let (old, new) = ("vendor/ours/** -linguist-vendored\n* text\n", "* text\n");
    for scenario in [
        Scenario::changing(".gitattributes", old, new),
        Scenario::default().and_removing(".gitattributes", old),
        Scenario::renaming(".gitattributes", "attributes.txt", old),
    ] {
        let message = hides(scenario).unwrap();
        assert!(message.contains("takes away `vendor/ours/** -linguist-vendored`"), "{message}");
    }
    assert_eq!(hides(Scenario::changing(".gitattributes", old, &format!("{new}# why\n{old}"))), None);
    assert_eq!(hides(Scenario::default().and_removing("web/.gitattributes", new)), None);
}

#[test]
fn what_no_diff_shows_is_read_whole() {
    let hiding = "src/** linguist-generated\n";
    assert!(hides(Scenario::renaming("notes.txt", ".gitattributes", hiding)).is_some());
    assert!(hides(Scenario::renaming("web/.gitattributes", ".gitattributes", hiding)).is_some());
    assert!(hides(Scenario::default().and_binary_text(".gitattributes", hiding)).is_some());
    assert!(hides(Scenario::renaming("notes.yaml", "countersign.yaml", "gate: { overall: 1 }\n")).is_some());
    assert!(hides(Scenario::renaming("countersign.yaml", "notes.yaml", "gate: { overall: 80 }\n")).is_some());
    assert!(hides(Scenario::renaming("notes.yaml", ".countersign/own.yaml", "x\n")).is_some());
}

#[test]
fn the_folder_of_the_gate_is_watched() {
    assert_eq!(Scenario::adding(".countersign/rules/own.yaml", "x\n").lines(RULE), [0]);
}

#[test]
fn rules_that_would_stop_every_later_review_are_told_with_their_mistake() {
    let rule = "id: no-sleep\ntitle: A sleep\nlanguage: python\ncall: time.sleep\n";
    let said = |text: &str| {
        let scenario = Scenario::adding(".countersign/rules/own.yaml", text);
        scenario
            .and_at_base(
                ".countersign/rules/other.yaml",
                "utility: slow\nlanguage: python\nrule: { pattern: wait() }\n",
            )
            .findings(RULE)[0]
            .message
            .clone()
    };
    assert!(!said(rule).contains("cannot be used"), "{}", said(rule));
    let brought = Scenario::adding(".countersign/rules/own.yaml", rule).findings(RULE);
    assert_eq!(brought[0].severity, Severity::Low, "{}", brought[0].message);
    let edited = Scenario::changing(".countersign/rules/own.yaml", rule, &rule.replace("sleep", "nap"));
    assert_eq!(edited.findings(RULE)[0].severity, Severity::High);
    // Parts of rules may stand in other files.
    let shared = "id: no-wait\ntitle: A wait\nlanguage: python\nrule: { matches: slow }\n";
    assert!(!said(shared).contains("cannot be used"), "{}", said(shared));
    let broken = said(&rule.replace("python", "pyton"));
    assert!(broken.contains("cannot be used") && broken.contains("own.yaml:3:11"), "{broken}");
    let broken =
        Scenario::adding(".countersign/rules/own.yaml", rule.replace("python", "pyton")).findings(RULE);
    assert!(broken[0].suggestion.starts_with("Repair"), "{}", broken[0].suggestion);
}

#[test]
fn attributes_that_most_projects_set_are_low() {
    for line in
        ["*.snap -diff", "vendor/** linguist-vendored", "dist/** linguist-generated", "*.min.js binary"]
    {
        let findings = Scenario::adding(".gitattributes", format!("{line}\n")).findings(RULE);
        assert_eq!(findings.iter().map(|f| f.severity).collect::<Vec<_>>(), [Severity::Low], "{line}");
    }
    for line in ["*.rs -diff", "src/** linguist-generated", "* -diff", "src/vendor/** -diff"] {
        let findings = Scenario::adding(".gitattributes", format!("*.snap -diff\n{line}\n")).findings(RULE);
        assert_eq!(findings.iter().map(|f| f.severity).collect::<Vec<_>>(), [Severity::High], "{line}");
    }
}

#[test]
fn a_change_of_policy_alone_is_not_told_to_become_one() {
    let alone = || Scenario::adding("countersign.yaml", "gate: { overall: 60 }\n");
    let fix = |scenario: Scenario| scenario.findings(RULE).remove(0).suggestion;
    assert!(fix(alone()).contains("a human who owns the policy"));
    assert!(fix(alone().and_adding(".gitattributes", "* text\n")).contains("a human who owns the policy"));
    assert!(fix(alone().and_adding("src/a.rs", "fn a() {}\n")).contains("change of its own"));
}

#[test]
fn an_edit_without_effect_says_so() {
    let (_, message) = judged("# a\n", "# b\n");
    assert!(message.contains("no setting of it"), "{message}");
}
