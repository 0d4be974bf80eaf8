//! The engine believes no reviewer, and its workers lose nothing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot set itself up has failed"
)]

use bytes::Bytes;
use domain::change::{
    Attributes, Change, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Scope, Side, Status, Target,
};
use domain::config::Config;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError, SourceError, Sources};
use domain::review::{
    Anchor, Confidence, Coverage, Evidence, Finding, Fingerprint, Place, Review, SkipReason, Told, Verdict,
};
use domain::words::{Category, Dimension, Severity};
use domain::work::WorkOrder;
use engine::{ReviewOrder, review};

#[macro_use]
mod hall;

mod chain;
mod mortal;
mod on_postgres;
mod worker;

struct NoSources;

impl Sources for NoSources {
    fn read(&self, _: &FileChange, _: Side) -> Result<Option<Bytes>, SourceError> {
        Ok(None)
    }

    fn read_path(&self, _: &RepoPath, _: Side) -> Result<Option<Bytes>, SourceError> {
        Ok(None)
    }

    fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        Ok(Vec::new())
    }
}

/// Hands over what it was given.
struct Scripted(Evidence);

impl Reviewer for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn review(&self, _: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        Ok(self.0.clone())
    }
}

fn change(files: &[(&str, &str)]) -> Change {
    let file = |(path, text): &(&str, &str)| FileChange {
        status: Status::Added,
        old: None,
        new: Some(FileSide { path: (*path).into(), mode: Mode::File, oid: None }),
        content: Content::Text(Hunk::whole_file(text.as_bytes()).into_iter().collect()),
        attributes: Attributes::default(),
    };
    Change {
        scope: Scope {
            base: None,
            base_name: "main".into(),
            head: Target::Worktree,
            head_name: "topic".into(),
            notes: vec![],
        },
        files: files.iter().map(file).collect(),
    }
}

fn seen(change: &Change) -> Coverage {
    let mut coverage = Coverage::plan(change);
    coverage.files.iter_mut().for_each(|file| file.see("scripted"));
    coverage
}

fn finding(path: &str, line: u32, text: &str) -> Finding {
    Finding {
        rule: "model".into(),
        severity: Severity::High,
        category: Category::Correctness,
        dimension: Category::Correctness.dimension(),
        confidence: Confidence::High,
        place: Place::Lines(Anchor {
            path: path.into(),
            side: Side::New,
            start: line,
            end: line,
            text: text.into(),
        }),
        message: "wrong".into(),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Fingerprint::default(),
    }
}

fn reviewed(change: &Change, evidence: Evidence) -> Review {
    reviewed_under(&Config::default(), change, evidence)
}

fn reviewed_under(config: &Config, change: &Change, evidence: Evidence) -> Review {
    let order = WorkOrder::default();
    let order = ReviewOrder {
        change,
        sources: &NoSources,
        config,
        policy: "the default policy",
        order: &order,
        revision_count: 0,
        now: jiff::Timestamp::UNIX_EPOCH,
        redact: |text| text.replace("hunter2", "[redacted]").into(),
    };
    review(&order, &Scripted(evidence)).unwrap()
}

#[test]
fn a_clean_and_complete_review_passes() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let review = reviewed(&change, Evidence { coverage: seen(&change), ..Evidence::default() });
    assert_eq!((review.verdict(), review.decision.overall_score), (Verdict::Pass, 100));
}

#[test]
fn a_review_that_left_a_file_out_of_its_list_is_inconclusive() {
    let change = change(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n")]);
    let mut coverage = seen(&change);
    coverage.files.pop();
    let review =
        reviewed(&change, Evidence { coverage, claimed: Some(Verdict::Pass), ..Evidence::default() });
    assert_eq!(review.verdict(), Verdict::Inconclusive);
    assert_eq!(review.troubles[0].message, "1 of 2 hunks were not reviewed, the first at b.rs:1");
}

#[test]
fn a_list_about_other_hunks_proves_nothing() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let mut coverage = seen(&change);
    coverage.files[0].hunks[0].new_lines = 7;
    assert_eq!(
        reviewed(&change, Evidence { coverage, ..Evidence::default() }).verdict(),
        Verdict::Inconclusive
    );
}

#[test]
fn a_merge_conflict_in_the_index_is_inconclusive() {
    let mut change = change(&[("a.rs", "")]);
    change.files[0].status = Status::Unmerged;
    let review = reviewed(&change, Evidence { coverage: seen(&change), ..Evidence::default() });
    assert_eq!(review.verdict(), Verdict::Inconclusive);
    assert_eq!(review.troubles[0].message, "a.rs has unresolved merge conflicts");
}

#[test]
fn skipped_files_need_not_be_seen_beside_others() {
    let change = change(&[("yarn.lock", "x\n"), ("a.rs", "fn a() {}\n")]);
    let mut coverage = seen(&change);
    coverage.files[0].hunks[0].seen_by.clear();
    assert_eq!(reviewed(&change, Evidence { coverage, ..Evidence::default() }).verdict(), Verdict::Pass);
}

#[test]
fn only_the_policy_lets_a_change_of_skipped_files_pass() {
    let change = change(&[("yarn.lock", "x\n"), ("api/user.pb.go", "y\n")]);
    let verdict = |allowed: &[SkipReason], findings: Vec<Finding>| {
        let mut config = Config::default();
        config.gate.allow_skipped = allowed.to_vec();
        let evidence = Evidence { coverage: seen(&change), findings, ..Evidence::default() };
        let review = reviewed_under(&config, &change, evidence);
        (review.verdict(), review.troubles.first().map(|trouble| trouble.message.clone()))
    };
    let why = "every file of the change was skipped, so nothing was reviewed: yarn.lock (lock file, 1 of 2)";
    assert_eq!(verdict(&[], vec![]), (Verdict::Inconclusive, Some(why.to_owned())));
    assert_eq!(verdict(&[SkipReason::Lock], vec![]).0, Verdict::Inconclusive);
    assert_eq!(verdict(&[SkipReason::Lock, SkipReason::Generated], vec![]), (Verdict::Pass, None));
    assert_eq!(verdict(&[], vec![finding("yarn.lock", 1, "x")]).0, Verdict::Fail);
}

#[test]
fn a_claimed_pass_with_a_blocking_finding_is_corrected_and_marked() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let evidence = Evidence {
        findings: vec![finding("a.rs", 1, "fn a() {}")],
        coverage: seen(&change),
        claimed: Some(Verdict::Pass),
        ..Evidence::default()
    };
    let review = reviewed(&change, evidence);
    assert_eq!(review.verdict(), Verdict::Fail);
    assert_eq!(review.decision.corrected.as_deref(), Some("the reviewer said pass, the gate says fail"));
}

#[test]
fn a_reviewer_cannot_score_a_change_better_than_its_findings_allow() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let full = || Some(Dimension::BUILT_IN.map(|(dimension, _)| (dimension, 100)).into());
    let score = |findings: Vec<Finding>, scores| {
        let coverage = seen(&change);
        reviewed(&change, Evidence { findings, coverage, scores, ..Evidence::default() })
            .decision
            .overall_score
    };
    let found = |severity| vec![Finding { severity, ..finding("a.rs", 1, "fn a() {}") }];
    for severity in [Severity::Critical, Severity::Medium] {
        let by_rules = score(found(severity), None);
        assert!(by_rules < 100);
        assert_eq!(score(found(severity), full()), by_rules);
    }
    let low = Some(Dimension::BUILT_IN.map(|(dimension, _)| (dimension, 40)).into());
    assert_eq!(score(vec![], low), 40);
}

#[test]
fn a_vulnerability_that_a_model_calls_medium_is_critical_and_says_so() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let said = |confidence| Finding {
        severity: Severity::Medium,
        category: Category::Security,
        message: "SQL injection through the name".into(),
        confidence,
        ..finding("a.rs", 1, "fn a() {}")
    };
    let review = |confidence| {
        let findings = vec![said(confidence)];
        reviewed(&change, Evidence { findings, coverage: seen(&change), ..Evidence::default() })
    };
    let raised = review(Confidence::Medium);
    assert_eq!((raised.verdict(), raised.findings[0].severity), (Verdict::Fail, Severity::Critical));
    assert!(raised.findings[0].impact.starts_with("Raised from MEDIUM to CRITICAL"));
    assert_eq!(review(Confidence::Low).verdict(), Verdict::Pass);
}

#[test]
fn a_fail_that_nothing_explains_is_inconclusive() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let fail = || Evidence { coverage: seen(&change), claimed: Some(Verdict::Fail), ..Evidence::default() };
    let review = reviewed(&change, fail());
    assert_eq!((review.verdict(), review.troubles[0].kind.as_str()), (Verdict::Inconclusive, "unexplained"));
    let mut advice = finding("a.rs", 1, "fn a() {}");
    advice.severity = Severity::Minor;
    let advised = reviewed(&change, Evidence { findings: vec![advice], ..fail() });
    assert_eq!(advised.verdict(), Verdict::Inconclusive, "correcting a report never opens the gate");
}

#[test]
fn a_fail_by_notes_alone_stands_and_its_notes_block() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let told = Told { notes: vec!["Rename a to b".to_owned()], ..Told::default() };
    let full = Dimension::BUILT_IN.map(|(dimension, _)| (dimension, 100)).into();
    for scores in [None, Some(full)] {
        let fail = Evidence {
            coverage: seen(&change),
            claimed: Some(Verdict::Fail),
            told: told.clone(),
            scores,
            ..Evidence::default()
        };
        let review = reviewed(&change, fail);
        assert_eq!(review.verdict(), Verdict::Fail);
        assert!(review.decision.corrected.unwrap().contains("what its revision notes ask for blocks"));
        let blocking = review.findings.iter().find(|finding| finding.blocks(Severity::Critical)).unwrap();
        assert_eq!(blocking.suggestion, "Rename a to b");
    }
}

#[test]
fn the_notes_of_a_pass_are_advice_and_are_not_lost() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let told = Told { notes: vec!["Rename a to b".to_owned()], ..Told::default() };
    let pass =
        Evidence { coverage: seen(&change), claimed: Some(Verdict::Pass), told, ..Evidence::default() };
    let review = reviewed(&change, pass);
    assert_eq!((review.verdict(), review.findings.len()), (Verdict::Pass, 1));
    assert_eq!(review.findings[0].suggestion, "Rename a to b");
}

#[test]
fn what_did_not_add_up_in_a_report_is_marked_besides_its_verdict() {
    let change = change(&[("a.rs", "fn a() {}\n")]);
    let evidence = Evidence {
        findings: vec![finding("a.rs", 1, "fn a() {}")],
        coverage: seen(&change),
        claimed: Some(Verdict::Pass),
        told: Told { corrections: vec!["the overall score is 60".to_owned()], ..Told::default() },
        ..Evidence::default()
    };
    let corrected = reviewed(&change, evidence).decision.corrected.unwrap();
    assert_eq!(corrected, "the reviewer said pass, the gate says fail; the overall score is 60");
}

#[test]
fn places_are_looked_up_and_not_believed() {
    let change = change(&[("a.rs", "one\ntwo\n")]);
    let findings = vec![finding("a.rs", 99, "two"), finding("a.rs", 99, "gone"), finding("b.rs", 1, "x")];
    let review = reviewed(&change, Evidence { findings, coverage: seen(&change), ..Evidence::default() });
    let places: Vec<_> = review.findings.iter().map(Finding::location).collect();
    assert_eq!(places, ["the change as a whole", "a.rs", "a.rs:2"]);
}

#[test]
fn accepting_one_finding_does_not_rename_its_twin() {
    let text = "stop();\n// countersign:ignore model -- measured, harmless\nstop();\n";
    let plain = change(&[("a.rs", "stop();\n//\nstop();\n")]);
    let accepted = change(&[("a.rs", text)]);
    let findings = vec![finding("a.rs", 3, "stop();"), finding("a.rs", 1, "stop();")];
    let of = |change: &Change| {
        reviewed(
            change,
            Evidence { findings: findings.clone(), coverage: seen(change), ..Evidence::default() },
        )
    };
    let (before, after) = (of(&plain), of(&accepted));
    assert_eq!((before.findings.len(), after.findings.len(), after.suppressed.len()), (2, 1, 1));
    assert_eq!(before.findings[0].fingerprint, after.findings[0].fingerprint);
    assert_eq!(before.findings[1].fingerprint, after.suppressed[0].finding.fingerprint);
}

#[test]
fn a_reason_of_two_lines_speaks_for_the_line_behind_it_alone() {
    let text = "// countersign:ignore model -- measured\n// and harmless\nstop();\nstop();\n";
    let change = change(&[("a.rs", text)]);
    let findings = vec![finding("a.rs", 3, "stop();"), finding("a.rs", 4, "stop();")];
    let review = reviewed(&change, Evidence { findings, coverage: seen(&change), ..Evidence::default() });
    assert_eq!((review.findings.len(), review.suppressed.len()), (1, 1));
    assert_eq!(review.suppressed[0].reason, "measured and harmless");
}

#[test]
fn secrets_are_masked_in_everything_a_reviewer_or_the_change_says() {
    let change = change(&[(
        "a.rs",
        "pw(hunter2); // countersign:ignore model -- it is hunter2\nhunter2 // countersign:ignore x\n",
    )]);
    let findings = ["hunter2", "pw(hunter2);"].map(|text| Finding {
        message: "says hunter2".into(),
        suggestion: "drop hunter2".into(),
        ..finding("a.rs", if text == "hunter2" { 2 } else { 1 }, text)
    });
    let evidence = Evidence { findings: findings.into(), coverage: seen(&change), ..Evidence::default() };
    let review = reviewed(&change, evidence);
    assert_eq!((review.findings.len(), review.suppressed.len()), (2, 1));
    assert!(!format!("{:?}{:?}", review.findings, review.suppressed).contains("hunter2"), "{review:#?}");
}
