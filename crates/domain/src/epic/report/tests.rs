use proptest::prelude::*;

use super::*;
use crate::epic::StopReason;
use crate::formats::review_report::ScoredDimension;
use crate::words::{Level, Weight};

fn finding(severity: Level, message: &str) -> ReportFinding {
    ReportFinding {
        dimension: "test_quality".into(),
        severity,
        file: Some("src/auth.rs".into()),
        line: Some(45),
        message: message.into(),
        suggestion: "Add a test".into(),
    }
}

fn attempt(number: u32, outcome: AttemptOutcome, score: Option<i64>) -> AttemptReport {
    AttemptReport {
        attempt: number,
        work: if number == 0 { Work::Build } else { Work::Revise },
        rebased_after: None,
        inconclusive: usize::from(matches!(outcome, AttemptOutcome::Inconclusive { .. })),
        outcome,
        overall_score: score,
        blocking_issues: vec![],
        findings: vec![],
        corrected: vec![],
        reviewer: Some("rules".into()),
        dimension_scores: DimensionScores::default(),
        unmet: vec![],
        seconds: Some(75),
        usage: Usage::default(),
        unknown: Unknown::default(),
    }
}

fn ticket(id: &str, status: TicketStatus, attempts: Vec<AttemptReport>) -> TicketReport {
    TicketReport {
        id: id.into(),
        title: format!("About {id}"),
        status,
        branch: Some(format!("ticket/{id}")),
        base_commit: Some("1111111".into()),
        final_commit: Some("2222222".into()),
        seconds: Some(3_700),
        usage: Usage { calls: 2, input_tokens: 1_000, output_tokens: 50, cost_micro_usd: Some(20_000) },
        unknown: Unknown::default(),
        cut_off: 0,
        moved_to: None,
        attempts,
        accepted_late: vec![],
        stopped: None,
        failure_reason: None,
        blocked_by: vec![],
        merge: Merge::NotAttempted,
    }
}

fn report(tickets: Vec<TicketReport>) -> EpicReport {
    EpicReport {
        epic_id: "auth".into(),
        title: "Accounts".into(),
        epic_branch: "epic/auth".into(),
        base_branch: Some("main".into()),
        base_commit: Some("0000000".into()),
        epic_commit: Some("3333333".into()),
        started_at: Some("2026-02-03T10:00:00Z".parse().unwrap()),
        finished_at: Some("2026-02-03T11:30:05Z".parse().unwrap()),
        review: ReviewMode::On,
        tests: Tests::Configured,
        threshold: 75,
        stopped: None,
        usage: Usage::default(),
        unknown: Unknown::default(),
        tickets,
        unreviewed: vec![],
        remarks: vec![],
    }
}

fn eventful() -> EpicReport {
    let mut failed = attempt(0, AttemptOutcome::Failed, Some(60));
    failed.findings = vec![finding(Level::Info, "Naming"), finding(Level::Error, "No test for @null <b>")];
    failed.blocking_issues = vec![BlockingIssue {
        dimension: "coordination_compliance".into(),
        message: "authenticate takes 3 arguments, the epic says 2".into(),
        required_action: "Remove the third".into(),
    }];
    let scored = |score, weight| ScoredDimension { score, weight };
    failed.dimension_scores = DimensionScores(vec![
        ("requirement_adherence".into(), scored(95, Weight::Critical)),
        ("code_quality".into(), scored(60, Weight::Important)),
    ]);
    failed.unmet = vec![Criterion {
        name: "code_quality".into(),
        required: ">= 70".into(),
        actual: "60".into(),
        met: false,
    }];
    failed.corrected = vec!["it said pass, its scores say fail".into()];
    let inconclusive =
        attempt(1, AttemptOutcome::Inconclusive { reason: "cut off after 120 s".into() }, None);
    let passed = attempt(1, AttemptOutcome::Passed, Some(77));
    let mut base = ticket("base", TicketStatus::Completed, vec![failed.clone(), inconclusive, passed]);
    base.merge = Merge::Merged { commit: "4444444".into() };
    base.accepted_late = vec![finding(Level::Warning, "An edge case")];
    let mut api = ticket("api", TicketStatus::Failed, vec![failed]);
    api.failure_reason = Some("Review failed after 2 revisions".into());
    let mut page = ticket("page", TicketStatus::Blocked, vec![]);
    page.blocked_by = vec!["api".into()];
    let mut docs =
        ticket("docs", TicketStatus::Completed, vec![attempt(0, AttemptOutcome::Passed, Some(95))]);
    docs.merge = Merge::Conflict { files: vec!["README.md".into()] };
    let mut report = report(vec![base, api, page, docs]);
    report.tests = Tests::NotConfigured;
    report.stopped = Some(Stop { reason: StopReason::Budget, detail: "$5.00 are spent".into() });
    report.remarks = vec!["the reviewer could not be confined".into()];
    report
}

#[test]
fn the_report_of_an_eventful_epic() {
    insta::assert_snapshot!(markdown(&eventful()));
}

#[test]
fn the_report_of_an_epic_that_simply_worked() {
    let done = ticket("base", TicketStatus::Completed, vec![attempt(0, AttemptOutcome::Passed, Some(95))]);
    insta::assert_snapshot!(markdown(&report(vec![done])));
}

#[test]
fn what_needs_a_human_comes_with_the_most_urgent_first() {
    let kinds: Vec<_> = attention(&eventful()).into_iter().map(|attention| attention.kind).collect();
    use AttentionKind as Kind;
    let expected = [
        Kind::Stopped,
        Kind::Failed,
        Kind::Conflict,
        Kind::Blocked,
        Kind::Inconclusive,
        Kind::CorrectedReport,
        Kind::CorrectedReport,
        Kind::AcceptedLate,
        Kind::NoTests,
        Kind::LowScore,
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn a_ticket_that_was_never_finished_is_not_forgotten() {
    for status in TicketStatus::ALL {
        let passed = vec![attempt(0, AttemptOutcome::Passed, Some(95))];
        let mut one = ticket("a", status, passed);
        one.merge = Merge::Merged { commit: "6666666".into() };
        let looked_at = attention(&report(vec![one]));
        assert_eq!(looked_at.is_empty(), status == TicketStatus::Completed, "{status:?}");
    }
}

proptest! {
    #[test]
    fn nobody_can_change_the_layout(said in "(?s)[#|@<>\n*_`\\[\\]()!a ]{0,40}") {
        let mut hostile = eventful();
        let plain = markdown(&hostile);
        let headings = |page: &str| page.lines().filter(|line| line.starts_with('#')).count();
        hostile.title = format!("x{said}");
        hostile.remarks = vec![said.clone()];
        for ticket in &mut hostile.tickets {
            ticket.title = said.clone();
            ticket.failure_reason = Some(said.clone());
            for attempt in &mut ticket.attempts {
                attempt.reviewer = Some(said.clone());
                attempt.corrected = attempt.corrected.iter().map(|_| said.clone()).collect();
                attempt.findings.iter_mut().for_each(|finding| finding.message.clone_from(&said));
            }
        }
        let page = markdown(&hostile);
        prop_assert_eq!(headings(&page), headings(&plain));
        prop_assert!(!page.contains("<b>") && !page.contains("@a"));
    }
}

#[test]
fn a_human_hears_of_rebases_and_of_branches_that_were_moved_and_of_nothing_twice() {
    let mut rebased = attempt(0, AttemptOutcome::Passed, Some(95));
    rebased.work = Work::Rebase;
    rebased.rebased_after = Some("it conflicts with what was merged before: a.rs".into());
    rebased.corrected = vec!["it said fail".into(), "it said fail".into()];
    let mut one = ticket("base", TicketStatus::Completed, vec![rebased.clone(), rebased]);
    one.moved_to = Some("5555555".into());
    let report = report(vec![one]);
    let kinds: Vec<_> = attention(&report).into_iter().map(|attention| attention.kind).collect();
    use AttentionKind as Kind;
    assert_eq!(kinds, [Kind::NotMerged, Kind::CorrectedReport, Kind::MovedBranch, Kind::Rebased]);
    let page = markdown(&report);
    assert!(page.contains("#### Attempt 0 (rebase): passed, score 95 of 100"), "{page}");
    assert!(page.contains("Rebase, because it conflicts with what was merged before: a.rs"), "{page}");
}

#[test]
fn what_is_not_known_is_not_called_nothing() {
    let mut one = attempt(0, AttemptOutcome::NotReviewed, None);
    one.unknown.unmetered = 1;
    let mut page = markdown(&report(vec![ticket("base", TicketStatus::Reviewing, vec![one])]));
    assert!(!page.contains("proved nothing"), "{page}");
    assert!(page.contains("; not known."), "{page}");
    let mut partly = ticket("base", TicketStatus::Reviewing, vec![]);
    partly.unknown.unmetered = 1;
    page = markdown(&report(vec![partly.clone()]));
    assert!(page.contains("| at least 2 calls, 1,000 tokens in, 50 out, $0.02 |"), "{page}");
    partly.unknown = Unknown { unmetered: 0, unpriced: 1 };
    assert!(markdown(&report(vec![partly])).contains("| at least 2 calls"));
}
