use super::*;
use Event::{Enqueue, Retry, Start, Submit, ValidationPassed};

fn ticket() -> Cycle {
    Cycle::ticket(ReviewMode::On, Limits::default()).unwrap()
}

fn reviewing() -> Cycle {
    after(&ticket(), &[Enqueue, Start, Submit, ValidationPassed])
}

fn invalid() -> Event {
    Event::ValidationFailed { reason: "2 tests fail".into() }
}

fn failed(name: &str) -> Event {
    Event::DependencyFailed { dependency: name.into() }
}

fn recovered(name: &str) -> Event {
    Event::DependencyRecovered { dependency: name.into() }
}

const REVISION: [Event; 4] =
    [Start, Submit, ValidationPassed, Event::Reviewed { outcome: Outcome::Rejected }];

#[test]
fn the_standard_flow_ends_completed() {
    let (statuses, end) = walk(&ticket(), &[Enqueue, Start, Submit, ValidationPassed, passed()]);
    assert_eq!(statuses, ["pending", "queued", "executing", "validating", "reviewing", "completed"]);
    assert_eq!(end.revision_count(), 0);
    assert_eq!(end.state(), &State::Done { outcome: Done::Approved });
}

#[test]
fn review_off_leaves_the_old_lifecycle_unchanged() {
    let start = Cycle::ticket(ReviewMode::Off, Limits::default()).unwrap();
    let (statuses, end) = walk(&start, &[Enqueue, Start, Submit, ValidationPassed]);
    assert_eq!(statuses, ["pending", "queued", "executing", "validating", "completed"]);
    assert_eq!(end.state(), &State::Done { outcome: Done::Unreviewed });
}

#[test]
fn a_failed_review_is_revised_and_reviewed_again() {
    let events = [rejected(), Start, Submit, ValidationPassed, passed()];
    let (statuses, end) = walk(&reviewing(), &events);
    assert_eq!(
        statuses,
        ["reviewing", "needs_revision", "executing", "validating", "reviewing", "completed"]
    );
    assert_eq!(end.revision_count(), 1);
}

#[test]
fn the_third_failed_review_fails_the_ticket() {
    let mut events = vec![rejected()];
    events.extend(REVISION);
    events.extend(REVISION);
    let (statuses, end) = walk(&reviewing(), &events);
    let revision = ["needs_revision", "executing", "validating", "reviewing"];
    assert_eq!(statuses, [&["reviewing"][..], &revision, &revision, &["failed"]].concat());
    assert_eq!(end.revision_count(), 2);
    assert_eq!(end.failure_reason().as_deref(), Some("Review failed after 2 revisions"));
}

#[test]
fn the_revision_limit_is_the_items_own() {
    let limits = Limits { max_revisions: 0, ..Limits::default() };
    let start = Cycle::ticket(ReviewMode::On, limits).unwrap();
    let end = after(&start, &[Enqueue, Start, Submit, ValidationPassed, rejected()]);
    assert_eq!(end.failure_reason().as_deref(), Some("Review failed after 0 revisions"));
}

#[test]
fn a_review_starts_when_validation_passed_and_not_before() {
    let validating = after(&ticket(), &[Enqueue, Start, Submit]);
    assert_eq!(
        effects(&validating, &ValidationPassed),
        [
            Effect::RecordReviewStarted,
            Effect::SpawnReviewer { attempt: 1, reviewer: ReviewerChoice::Any, after_seconds: 0 }
        ]
    );
    let executing = after(&ticket(), &[Enqueue, Start]);
    assert_eq!(effects(&executing, &Submit), [Effect::RunValidation]);
    refused(&executing, &passed());
    refused(&validating, &passed());
}

#[test]
fn approval_is_recorded_before_completion() {
    assert_eq!(
        effects(&reviewing(), &passed()),
        [Effect::RecordReviewCompleted { attempt: 1 }, Effect::RecordReviewApproved, Effect::RecordCompleted]
    );
}

#[test]
fn a_rejection_prepares_the_revision_and_the_builder_gets_it() {
    assert_eq!(
        effects(&reviewing(), &rejected()),
        [
            Effect::RecordReviewCompleted { attempt: 1 },
            Effect::RecordFeedback { attempt: 1 },
            Effect::PrepareRevisionContext { revision_count: 1 },
        ]
    );
    let needs_revision = after(&reviewing(), &[rejected()]);
    assert_eq!(
        effects(&needs_revision, &Start),
        [Effect::SpawnBuilder { work: Work::Revise, after_seconds: 0 }]
    );
}

#[test]
fn the_last_rejection_records_the_reason_and_blocks_what_depends_on_it() {
    let last = after(&reviewing(), &[&[rejected()][..], &REVISION, &REVISION[..3]].concat());
    assert_eq!(
        effects(&last, &rejected()),
        [
            Effect::RecordReviewCompleted { attempt: 3 },
            Effect::RecordFeedback { attempt: 3 },
            Effect::RecordFailure { reason: "Review failed after 2 revisions".into() },
            Effect::BlockDependents,
            Effect::HandToHuman { cause: Cause::ReviewLimit, options: vec![] },
        ]
    );
}

#[test]
fn failed_validation_goes_back_to_the_builder_three_times() {
    let start = after(&ticket(), &[Enqueue, Start, Submit]);
    let events = [invalid(), Submit, invalid(), Submit, invalid(), Submit, invalid()];
    let (statuses, end) = walk(&start, &events);
    assert_eq!(statuses[..3], ["validating", "executing", "validating"]);
    assert_eq!(end.status(), "failed");
    assert_eq!(end.failure_reason().as_deref(), Some("Validation failed after 3 corrections: 2 tests fail"));
    assert_eq!(effects(&start, &invalid()), [Effect::SpawnBuilder { work: Work::Repair, after_seconds: 0 }]);
}

#[test]
fn failed_validation_costs_no_revision() {
    let start = after(&ticket(), &[Enqueue, Start, Submit]);
    let end = after(&start, &[invalid(), Submit, ValidationPassed]);
    assert_eq!((end.revision_count(), end.counters().validation_failures), (0, 0));
}

#[test]
fn the_fourth_inconclusive_review_in_a_row_fails_the_ticket_and_says_so() {
    let (statuses, end) =
        walk(&reviewing(), &[inconclusive(), inconclusive(), inconclusive(), inconclusive()]);
    assert_eq!(statuses, ["reviewing", "reviewing", "reviewing", "reviewing", "failed"]);
    assert_eq!(end.failure_reason().as_deref(), Some("Review inconclusive after 3 retries: cut off"));
    assert_eq!(end.revision_count(), 0);
}

#[test]
fn an_inconclusive_review_is_repeated_later_and_later() {
    let mut cycle = reviewing();
    let mut waits = vec![];
    for _ in 0..3 {
        let (next, effects) = cycle.apply(&inconclusive()).unwrap();
        let [Effect::SpawnReviewer { attempt: 1, after_seconds, .. }] = effects[..] else {
            panic!("{effects:?}")
        };
        waits.push(after_seconds);
        cycle = next;
    }
    assert_eq!(waits, [30, 60, 120]);
}

#[test]
fn a_conclusive_review_forgets_the_inconclusive_ones() {
    let end = after(&reviewing(), &[inconclusive(), inconclusive(), inconclusive(), rejected()]);
    assert_eq!((end.status(), end.counters().inconclusive), ("needs_revision", 0));
}

#[test]
fn a_crashed_builder_is_started_again_with_the_same_order() {
    let revising = after(&reviewing(), &[rejected(), Start]);
    assert_eq!(
        effects(&revising, &crash()),
        [Effect::SpawnBuilder { work: Work::Revise, after_seconds: 30 }]
    );
    let end = after(&revising, &[crash(), crash(), crash(), crash(), crash(), crash()]);
    assert_eq!(end.failure_reason().as_deref(), Some("Execution failed after 5 retries: killed"));
}

#[test]
fn a_failed_dependency_blocks_until_all_recovered() {
    let events = [failed("a"), failed("b"), recovered("a"), recovered("b"), Enqueue];
    let (statuses, _) = walk(&ticket(), &events);
    assert_eq!(statuses, ["pending", "blocked", "blocked", "blocked", "pending", "queued"]);
}

#[test]
fn a_queued_ticket_is_blocked_too_and_passes_it_on() {
    let queued = after(&ticket(), &[Enqueue]);
    assert_eq!(effects(&queued, &failed("a")), [Effect::BlockDependents]);
    let blocked = after(&queued, &[failed("a")]);
    assert_eq!(effects(&blocked, &recovered("a")), [Effect::FreeDependents]);
    assert_eq!(blocked.waits_for(), WaitsFor::Dependencies);
    refused(&blocked, &recovered("somebody else"));
    refused(&blocked, &Start);
}

#[test]
fn a_retried_ticket_begins_anew_and_frees_what_it_blocked() {
    let end = after(&reviewing(), &[&[rejected()][..], &REVISION, &REVISION].concat());
    assert_eq!(effects(&end, &Retry), [Effect::FreeDependents]);
    assert_eq!(after(&end, &[Retry]), ticket());
}

#[test]
fn a_refusal_says_where_what_and_what_else() {
    assert_eq!(
        refused(&reviewing(), &Submit).to_string(),
        "a ticket that is reviewing cannot take `submit`: it takes reviewed"
    );
    let done = after(&reviewing(), &[passed()]);
    assert_eq!(
        refused(&done, &Retry).to_string(),
        "a ticket that is completed cannot take `retry`: it takes merge_failed"
    );
}

#[test]
fn finished_work_that_does_not_fit_is_rebased_and_reviewed_again() {
    let done = after(&reviewing(), &[passed()]);
    let begun = done.apply(&unmergeable()).unwrap();
    assert_eq!(
        begun.1,
        [Effect::ClearCompleted, Effect::SpawnBuilder { work: Work::Rebase, after_seconds: 0 }]
    );
    let again = [Event::Submit, Event::ValidationPassed, passed()];
    let (statuses, end) = walk(&begun.0, &again);
    assert_eq!(statuses, ["executing", "validating", "reviewing", "completed"]);
    assert_eq!((end.revision_count(), end.counters().merge_failures), (0, 1));
}

#[test]
fn work_that_never_fits_fails_and_says_so() {
    let again = [unmergeable(), Event::Submit, Event::ValidationPassed, passed()];
    let events: Vec<Event> = [passed()].into_iter().chain(again.iter().cycle().take(13).cloned()).collect();
    let end = after(&reviewing(), &events);
    assert_eq!(end.status(), "failed");
    assert_eq!(end.failure_reason().unwrap(), "Merge failed after 3 corrections: conflict");
}
