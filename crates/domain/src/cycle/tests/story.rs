use super::*;
use crate::words::Class;
use Event::{Resume, Start, Submit};

fn story() -> Cycle {
    Cycle::story(Limits::default()).unwrap()
}

fn escalated() -> Cycle {
    after(&story(), &[Start, rejected(), Submit, rejected(), Submit, rejected()])
}

fn at_the_cap() -> Cycle {
    after(&escalated(), &[one_more(), Submit, rejected(), one_more(), Submit, rejected()])
}

fn one_more() -> Event {
    Event::resolved(Resolution::OneMore)
}

fn block() -> Event {
    Event::resolved(Resolution::Block)
}

fn message(cycle: &Cycle) -> String {
    escalation_message(&EscalationNotice {
        cycle,
        story_id: "X.Y",
        tally: Tally { critical: 1, important: 2, minor: 1 },
        findings_document: &format!("docs/progress/story-X-Y-review-findings-round-{}.md", cycle.round()),
    })
}

#[test]
fn the_decision_matrix() {
    let table = [
        (0, 1, 3, NextStep::Clean),
        (0, 2, 3, NextStep::Clean),
        (0, 3, 3, NextStep::Clean),
        (1, 1, 3, NextStep::Fix),
        (7, 2, 3, NextStep::Fix),
        (1, 3, 3, NextStep::Escalate),
        (1, 3, 4, NextStep::Fix),
        (0, 4, 4, NextStep::Clean),
        (1, 4, 4, NextStep::Escalate),
        (1, 5, 5, NextStep::Escalate),
    ];
    for (must_fix, round, max, expected) in table {
        assert_eq!(decide(must_fix, round, max), expected, "{must_fix} must-fix in round {round} of {max}");
    }
}

#[test]
fn a_clean_first_round_is_done() {
    let (statuses, end) = walk(&story(), &[Start, passed()]);
    assert_eq!(statuses, ["pending", "reviewing", "done"]);
    assert_eq!(end.round(), 1);
}

#[test]
fn three_rounds_and_two_fixes_then_a_human() {
    let (statuses, end) = walk(&story(), &[Start, rejected(), Submit, rejected(), Submit, rejected()]);
    assert_eq!(statuses, ["pending", "reviewing", "fixing", "reviewing", "fixing", "reviewing", "escalated"]);
    assert_eq!(end.round(), 3);
    assert_eq!(end.options(), [Resolution::Block, Resolution::Accept, Resolution::OneMore]);
}

#[test]
fn the_fixer_works_on_the_round_that_found_it_and_the_next_reviewer_is_fresh() {
    let reviewing = after(&story(), &[Start]);
    assert!(effects(&reviewing, &rejected()).contains(&Effect::SpawnFixer { round: 1, after_seconds: 0 }));
    let fixing = after(&reviewing, &[rejected()]);
    assert_eq!(fixing.round(), 1);
    let spawn = Effect::SpawnReviewer { attempt: 2, reviewer: ReviewerChoice::Any, after_seconds: 0 };
    assert_eq!(effects(&fixing, &Submit), [Effect::RecordReviewStarted, spawn]);
}

#[test]
fn option_a_blocks_until_it_was_fixed_by_hand_and_reviews_again() {
    let (statuses, end) = walk(&escalated(), &[block(), Resume]);
    assert_eq!(statuses, ["escalated", "blocked", "reviewing"]);
    assert_eq!((end.round(), end.max_reviews()), (4, 4));
    assert_eq!(after(&end, &[passed()]).status(), "done");
}

#[test]
fn option_b_is_done_with_the_findings_on_record() {
    let accept = Event::resolved(Resolution::Accept);
    assert_eq!(effects(&escalated(), &accept), [Effect::RecordAcceptedFindings, Effect::RecordCompleted]);
    let end = after(&escalated(), &[accept]);
    assert_eq!((end.status(), end.state()), ("done", &State::Done { outcome: Done::Accepted }));
}

#[test]
fn option_c_adds_one_round() {
    let (statuses, end) = walk(&escalated(), &[one_more(), Submit, rejected()]);
    assert_eq!(statuses, ["escalated", "fixing", "reviewing", "escalated"]);
    assert_eq!((end.round(), end.max_reviews()), (4, 4));
}

#[test]
fn at_the_hard_cap_option_c_is_neither_offered_nor_taken() {
    let end = at_the_cap();
    assert_eq!((end.status(), end.round()), ("escalated", 5));
    assert_eq!(end.options(), [Resolution::Block, Resolution::Accept]);
    assert_eq!(refused(&end, &one_more()).event, "resolve_one_more");
}

#[test]
fn a_story_fixed_by_hand_at_the_cap_repeats_the_last_round() {
    let (statuses, end) = walk(&at_the_cap(), &[block(), Resume, rejected()]);
    assert_eq!(statuses, ["escalated", "blocked", "reviewing", "escalated"]);
    assert_eq!((end.round(), end.max_reviews()), (5, 5));
}

#[test]
fn stories_are_not_closed() {
    refused(&escalated(), &Event::resolved(Resolution::Close));
}

#[test]
fn the_fourth_inconclusive_review_in_a_row_escalates_and_one_more_spends_no_round() {
    let reviewing = after(&story(), &[Start]);
    let (statuses, end) = walk(&reviewing, &[inconclusive(), inconclusive(), inconclusive(), inconclusive()]);
    assert_eq!(statuses, ["reviewing", "reviewing", "reviewing", "reviewing", "escalated"]);
    for again in [vec![one_more()], vec![block(), Resume]] {
        let again = after(&end, &again);
        assert_eq!((again.status(), again.round(), again.max_reviews()), ("reviewing", 1, 3));
    }
}

#[test]
fn a_fixer_that_keeps_crashing_becomes_a_humans_problem() {
    let fixing = after(&story(), &[Start, rejected()]);
    assert_eq!(effects(&fixing, &crash()), [Effect::SpawnFixer { round: 1, after_seconds: 30 }]);
    let end = after(&fixing, &[crash(), crash(), crash(), crash(), crash(), crash()]);
    assert_eq!(end.status(), "escalated");
    assert_eq!(after(&end, &[one_more()]).status(), "fixing");
    assert_eq!(after(&end, &[block(), Resume]).round(), 2);
}

#[test]
fn a_loop_that_leads_nowhere_is_escalated_before_its_limit_and_one_more_stays_within_it() {
    let stuck = Event::reviewed(Outcome::Stuck { reason: "the same finding again".into() });
    let (statuses, end) = walk(&story(), &[Start, rejected(), Submit, stuck]);
    assert_eq!(statuses.last(), Some(&"escalated"));
    assert_eq!((end.round(), end.options().len()), (2, 3));
    let text = message(&end);
    assert!(
        text.contains("Review leads nowhere: the same finding again. Found in round 2 so far:"),
        "{text}"
    );
    let again = after(&end, &[one_more(), Submit]);
    assert_eq!((again.status(), again.round(), again.max_reviews()), ("reviewing", 3, 3));
    assert_eq!(after(&end, &[block(), Resume]).round(), 3);
}

#[test]
fn must_fix_is_critical_and_important() {
    assert_eq!(Tally { critical: 1, important: 2, minor: 4 }.must_fix(), 3);
    assert_eq!(Outcome::of_tally(&Tally { minor: 9, ..Tally::default() }), Outcome::Passed);
    assert_eq!(Outcome::of_tally(&Tally { important: 1, ..Tally::default() }), Outcome::Rejected);
}

#[test]
fn every_kind_of_problem_has_its_class() {
    let of = |class| -> Vec<_> {
        Problem::ALL.into_iter().filter(|problem| problem.class() == class).map(Problem::as_str).collect()
    };
    let critical = [
        "security vulnerability",
        "crash",
        "data loss",
        "ADR violation",
        "hook violation",
        "missing critical tests",
    ];
    assert_eq!(of(Class::Critical), critical);
    let important =
        ["performance issue", "incomplete implementation", "architectural concern", "significant test gap"];
    assert_eq!(of(Class::Important), important);
    assert_eq!(of(Class::Minor), ["code style", "naming convention", "documentation", "minor refactoring"]);
}

#[test]
fn the_escalation_asks_for_a_choice() {
    insta::assert_snapshot!(message(&escalated()), @"
    ⚠️ Story X.Y Review Blocked

    After 3 review rounds, issues remain:
    - Critical: 1
    - Important: 2
    - Minor: 1

    Findings document: docs/progress/story-X-Y-review-findings-round-3.md

    Options:
    a) Manual review and fix (pause autonomous workflow)
    b) Accept findings and mark story complete (not recommended)
    c) Continue with 1 more review round (override limit)

    Your choice:
    ");
}

#[test]
fn the_escalation_at_the_cap_lists_two_options() {
    insta::assert_snapshot!(message(&at_the_cap()), @"
    ⚠️ Story X.Y Review Blocked

    After 5 review rounds, issues remain:
    - Critical: 1
    - Important: 2
    - Minor: 1

    Findings document: docs/progress/story-X-Y-review-findings-round-5.md

    Options:
    a) Manual review and fix (pause autonomous workflow)
    b) Accept findings and mark story complete (not recommended)

    Your choice:
    ");
}

#[test]
fn an_inconclusive_escalation_does_not_pretend_that_rounds_were_used_up() {
    let stuck = after(&story(), &[Start, inconclusive(), inconclusive(), inconclusive(), inconclusive()]);
    let text = message(&stuck);
    assert!(
        text.contains("\n\nReview inconclusive after 3 retries: cut off. Found in round 1 so far:\n"),
        "{text}"
    );
    assert!(text.contains("\nc) Continue"), "{text}");
}

#[test]
fn a_dry_run_says_whom_it_would_spawn() {
    assert_eq!(dry_run_reviewer("1.2", 1), "[DRY-RUN] Would spawn epic-reviewer for Story 1.2 round 1");
    assert_eq!(dry_run_fixer("1.2", 2), "[DRY-RUN] Would spawn epic-fixer for Story 1.2 round 2");
}
