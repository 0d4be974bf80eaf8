use super::*;
use Event::{Cancel, Retry, Start, Submit};

fn task(kind: TaskKind, review_attempt: u32) -> Cycle {
    Cycle::task(kind, Limits::default(), Chain { review_attempt, granted: 0 }).unwrap()
}

fn reviewing(review_attempt: u32) -> Cycle {
    after(&task(TaskKind::Review, review_attempt), &[Start])
}

#[test]
fn an_approving_review_task_is_completed() {
    let (statuses, end) = walk(&task(TaskKind::Review, 1), &[Start, passed()]);
    assert_eq!(statuses, ["pending", "in_progress", "completed"]);
    assert_eq!(end.state(), &State::Done { outcome: Done::Approved });
}

#[test]
fn a_review_task_that_requests_changes_is_completed_and_queues_a_fix() {
    let chain = Chain { review_attempt: 1, granted: 0 };
    assert_eq!(
        effects(&reviewing(1), &rejected()),
        [
            Effect::RecordReviewCompleted { attempt: 1 },
            Effect::RecordFeedback { attempt: 1 },
            Effect::RecordCompleted,
            Effect::QueueFixTask { chain },
        ]
    );
    assert_eq!(after(&reviewing(1), &[rejected()]).status(), "completed");
}

#[test]
fn a_finished_fix_asks_for_the_next_review() {
    let fixing = after(&task(TaskKind::Fix, 1), &[Start]);
    let chain = Chain { review_attempt: 2, granted: 0 };
    assert_eq!(effects(&fixing, &Submit), [Effect::RecordCompleted, Effect::QueueReviewTask { chain }]);
}

#[test]
fn any_other_task_just_ends() {
    let working = after(&task(TaskKind::Other, 1), &[Start]);
    assert_eq!(effects(&working, &Submit), [Effect::RecordCompleted]);
    refused(&working, &passed());
}

#[test]
fn the_third_review_of_a_chain_escalates_instead_of_asking_for_another_fix() {
    let end = after(&reviewing(3), &[rejected()]);
    assert_eq!(end.status(), "escalated");
    assert_eq!(end.options(), [Resolution::Accept, Resolution::OneMore, Resolution::Close]);
}

#[test]
fn a_human_resolves_an_escalated_task() {
    let end = after(&reviewing(3), &[rejected()]);
    assert_eq!(after(&end, &[Event::resolved(Resolution::Accept)]).status(), "completed");
    assert_eq!(after(&end, &[Event::resolved(Resolution::Close)]).status(), "cancelled");
    let chain = Chain { review_attempt: 3, granted: 1 };
    assert_eq!(
        effects(&end, &Event::resolved(Resolution::OneMore)),
        [Effect::RecordCompleted, Effect::QueueFixTask { chain }]
    );
}

#[test]
fn a_granted_cycle_travels_along_the_chain() {
    let fix = Cycle::task(TaskKind::Fix, Limits::default(), Chain { review_attempt: 3, granted: 1 }).unwrap();
    let effects = effects(&after(&fix, &[Start]), &Submit);
    let Some(Effect::QueueReviewTask { chain }) = effects.last() else { panic!("{effects:?}") };
    let review = Cycle::task(TaskKind::Review, Limits::default(), *chain).unwrap();
    assert_eq!((review.review_attempt(), review.max_reviews()), (4, 4));
    assert_eq!(after(&review, &[Start, rejected()]).status(), "escalated");
}

#[test]
fn a_chain_that_claims_too_much_gets_the_hard_cap() {
    let chain = Chain { review_attempt: u32::MAX, granted: u32::MAX };
    let review = Cycle::task(TaskKind::Review, Limits::default(), chain).unwrap();
    assert_eq!((review.review_attempt(), review.max_reviews()), (5, 5));
}

#[test]
fn a_failing_task_is_retried_five_times_with_growing_waits_and_then_fails() {
    let mut cycle = task(TaskKind::Other, 1);
    let mut waits = vec![];
    for _ in 0..5 {
        let (next, effects) = after(&cycle, &[Start]).apply(&crash()).unwrap();
        let [Effect::RetryAfter { seconds }] = effects[..] else { panic!("{effects:?}") };
        assert_eq!(next.status(), "pending");
        waits.push(seconds);
        cycle = next;
    }
    assert_eq!(waits, [30, 60, 120, 240, 240]);
    assert_eq!(cycle.retry_count(), 5);
    let end = after(&cycle, &[Start, crash()]);
    assert_eq!(end.status(), "failed");
    let again = after(&end, &[Retry]);
    assert_eq!((again.status(), again.retry_count()), ("pending", 0));
}

#[test]
fn a_retried_review_keeps_its_place_in_the_chain() {
    let again = [crash(), Start];
    let end = after(&reviewing(2), &[&[&again[..]; 5].concat()[..], &[crash(), Retry]].concat());
    assert_eq!((end.status(), end.review_attempt()), ("pending", 2));
}

#[test]
fn only_open_tasks_can_be_cancelled() {
    assert_eq!(after(&task(TaskKind::Fix, 1), &[Cancel]).status(), "cancelled");
    assert_eq!(after(&reviewing(1), &[Cancel]).status(), "cancelled");
    assert_eq!(after(&task(TaskKind::Fix, 1), &[Start, Cancel]).status(), "cancelled");
    refused(&after(&reviewing(1), &[passed()]), &Cancel);
    refused(&after(&reviewing(1), &[Cancel]), &Retry);
}

#[test]
fn an_inconclusive_review_waits_its_turn_again_and_is_escalated_the_fourth_time() {
    assert_eq!(effects(&reviewing(1), &inconclusive()), [Effect::RetryAfter { seconds: 30 }]);
    let events = [inconclusive(), Start, inconclusive(), Start, inconclusive(), Start, inconclusive()];
    let (statuses, end) = walk(&reviewing(1), &events);
    assert_eq!(statuses[..3], ["in_progress", "pending", "in_progress"]);
    assert_eq!((end.status(), end.review_attempt(), end.retry_count()), ("escalated", 1, 0));
    assert_eq!(end.failure_reason().as_deref(), Some("Review inconclusive after 3 retries: cut off"));
    assert_eq!(after(&end, &[Event::resolved(Resolution::OneMore)]).status(), "pending");
}

#[test]
fn one_retry_is_told_as_one() {
    let limits = Limits { max_retries: 1, ..Limits::default() };
    let crash = || Event::ExecutionFailed { reason: "killed".into() };
    let cycle = Cycle::task(TaskKind::Other, limits, Chain::FIRST).unwrap();
    let end = replay(cycle, &[Event::Start, crash(), Event::Start, crash()]).unwrap();
    assert_eq!(end.failure_reason().as_deref(), Some("Execution failed after 1 retry: killed"));
}
