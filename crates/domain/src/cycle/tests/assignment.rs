use super::*;
use Event::{Accept, Start, Submit};

fn assignment() -> Cycle {
    Cycle::assignment(Limits::default()).unwrap()
}

fn submitted() -> Cycle {
    after(&assignment(), &[Start, Submit])
}

fn third_attempt() -> Cycle {
    after(&submitted(), &[rejected(), Start, Submit, rejected(), Start, Submit])
}

fn resolve(resolution: Resolution) -> Event {
    Event::resolved(resolution)
}

#[test]
fn the_happy_path_is_approved_on_first_try() {
    let (statuses, end) = walk(&assignment(), &[Start, Submit, passed()]);
    assert_eq!(statuses, ["pending", "in_progress", "completed", "approved"]);
    assert_eq!(end.review_attempt(), 1);
}

#[test]
fn an_agent_may_accept_before_it_starts() {
    let (statuses, _) = walk(&assignment(), &[Accept, Start]);
    assert_eq!(statuses, ["pending", "accepted", "in_progress"]);
    refused(&after(&assignment(), &[Accept]), &Submit);
}

#[test]
fn the_rework_loop_is_attempt_two() {
    let (statuses, end) = walk(&submitted(), &[rejected(), Start, Submit, passed()]);
    assert_eq!(statuses, ["completed", "rework", "in_progress", "completed", "approved"]);
    assert_eq!(end.review_attempt(), 2);
}

#[test]
fn the_third_rejection_escalates() {
    let (statuses, end) =
        walk(&submitted(), &[rejected(), Start, Submit, rejected(), Start, Submit, rejected()]);
    assert_eq!(
        statuses,
        [
            "completed",
            "rework",
            "in_progress",
            "completed",
            "rework",
            "in_progress",
            "completed",
            "escalated"
        ]
    );
    assert_eq!((end.review_attempt(), end.waits_for()), (3, WaitsFor::Human));
}

#[test]
fn rework_counts_up_keeps_the_feedback_and_clears_completed_at() {
    assert_eq!(
        effects(&submitted(), &rejected()),
        [
            Effect::RecordReviewCompleted { attempt: 1 },
            Effect::RecordFeedback { attempt: 1 },
            Effect::ClearCompleted,
            Effect::LogActivity { action: Activity::SubmittedReviewResult },
            Effect::LogReview { mark: ReviewMark::Rejected, attempt: 1, max_cycles: 3 },
        ]
    );
    assert_eq!(after(&submitted(), &[rejected()]).review_attempt(), 2);
}

#[test]
fn escalation_is_logged_as_such_and_offers_what_a_human_may_do() {
    let options = vec![Resolution::Accept, Resolution::OneMore, Resolution::Close];
    assert_eq!(
        effects(&third_attempt(), &rejected())[2..],
        [
            Effect::LogActivity { action: Activity::EscalatedForHumanReview },
            Effect::LogReview { mark: ReviewMark::Escalation, attempt: 3, max_cycles: 3 },
            Effect::HandToHuman { cause: Cause::ReviewLimit, options },
        ]
    );
}

#[test]
fn approval_is_logged() {
    assert_eq!(
        effects(&submitted(), &passed())[1..],
        [
            Effect::RecordReviewApproved,
            Effect::LogActivity { action: Activity::SubmittedReviewResult },
            Effect::LogReview { mark: ReviewMark::Approved, attempt: 1, max_cycles: 3 },
        ]
    );
}

#[test]
fn activity_actions_and_log_prefixes_are_the_documented_words() {
    assert_eq!(Activity::SubmittedReviewResult.as_str(), "submitted_review_result");
    assert_eq!(Activity::EscalatedForHumanReview.as_str(), "escalated_for_human_review");
    let line = |mark| review_log_line(mark, "assignment 7", 2, 3, "null check\nmissing");
    insta::assert_snapshot!(
        [ReviewMark::Approved, ReviewMark::Rejected, ReviewMark::Escalation].map(line).join("\n"),
        @"
    [REVIEW-APPROVED] assignment 7 approved on attempt 2/3: null check missing
    [REVIEW-REJECTED] assignment 7 needs rework, attempt 2/3: null check missing
    [REVIEW-ESCALATION] assignment 7 escalated to human review on attempt 2/3: null check missing
    "
    );
}

#[test]
fn a_log_line_stays_one_short_line_whatever_the_feedback() {
    let line = review_log_line(
        ReviewMark::Rejected,
        "assignment 7\u{1b}[2J",
        1,
        3,
        &"\u{202e}x\r\n".repeat(100_000),
    );
    assert!(line.chars().count() < 700 && !line.chars().any(char::is_control), "{line}");
}

#[test]
fn the_result_of_a_verdict_tells_the_reviewer_what_became_of_it() {
    let result =
        |cycle: &Cycle, event| serde_json::to_string(&ReviewResult::of(&after(cycle, &[event]))).unwrap();
    insta::assert_snapshot!(
        [
            result(&submitted(), passed()),
            result(&submitted(), rejected()),
            result(&submitted(), inconclusive()),
            result(&third_attempt(), rejected()),
        ].join("\n"),
        @r#"
    {"status":"approved","review_attempt":1,"max_cycles":3,"escalated":false,"message":"Approved on attempt 1 of 3"}
    {"status":"rework","review_attempt":2,"max_cycles":3,"escalated":false,"message":"Sent back for rework; attempt 2 of 3 comes next"}
    {"status":"completed","review_attempt":1,"max_cycles":3,"escalated":false,"message":"Inconclusive; attempt 1 of 3 is reviewed again"}
    {"status":"escalated","review_attempt":3,"max_cycles":3,"escalated":true,"message":"Escalated for human review. Review failed after 3 review cycles"}
    "#
    );
}

#[test]
fn the_fourth_inconclusive_review_in_a_row_escalates_and_says_so() {
    let (statuses, end) =
        walk(&submitted(), &[inconclusive(), inconclusive(), inconclusive(), inconclusive()]);
    assert_eq!(statuses, ["completed", "completed", "completed", "completed", "escalated"]);
    assert_eq!(end.failure_reason().as_deref(), Some("Review inconclusive after 3 retries: cut off"));
    let again = after(&end, &[resolve(Resolution::OneMore)]);
    assert_eq!((again.status(), again.review_attempt(), again.max_reviews()), ("completed", 1, 3));
}

#[test]
fn after_two_rejections_another_reviewer_looks() {
    let reviewer = |cycle: &Cycle| match effects(cycle, &Submit)[..] {
        [.., Effect::SpawnReviewer { attempt, reviewer, .. }] => (attempt, reviewer),
        ref other => panic!("{other:?}"),
    };
    let second = after(&submitted(), &[rejected(), Start]);
    assert_eq!(reviewer(&second), (2, ReviewerChoice::Any));
    let third = after(&second, &[Submit, rejected(), Start]);
    assert_eq!(reviewer(&third), (3, ReviewerChoice::Another));
}

#[test]
fn a_human_accepts_or_closes_an_escalated_assignment() {
    let escalated = after(&third_attempt(), &[rejected()]);
    let accepted = after(&escalated, &[resolve(Resolution::Accept)]);
    assert_eq!(accepted.state(), &State::Done { outcome: Done::Accepted });
    assert_eq!(accepted.status(), "approved");
    assert_eq!(after(&escalated, &[resolve(Resolution::Close)]).status(), "closed");
    refused(&escalated, &resolve(Resolution::Block));
}

#[test]
fn a_human_grants_cycles_up_to_the_hard_cap() {
    let again = [resolve(Resolution::OneMore), Start, Submit, rejected()];
    let escalated = after(&third_attempt(), &[rejected()]);
    let (statuses, fourth) = walk(&escalated, &again);
    assert_eq!(statuses, ["escalated", "rework", "in_progress", "completed", "escalated"]);
    let fifth = after(&fourth, &again);
    assert_eq!((fifth.review_attempt(), fifth.max_reviews()), (5, 5));
    let refusal = refused(&fifth, &resolve(Resolution::OneMore));
    assert_eq!(refusal.allowed, ["resolve_accept", "resolve_close"]);
}

#[test]
fn an_agent_that_keeps_crashing_becomes_a_humans_problem() {
    let working = after(&assignment(), &[Start]);
    assert_eq!(effects(&working, &crash()), [Effect::RetryAfter { seconds: 30 }]);
    let end = after(&working, &[crash(), crash(), crash(), crash(), crash(), crash()]);
    assert_eq!(end.status(), "escalated");
    let again = after(&end, &[resolve(Resolution::OneMore)]);
    assert_eq!((again.status(), again.retry_count()), ("in_progress", 0));
}

#[test]
fn authors_see_what_is_theirs_to_do() {
    let active: Vec<_> = AssignmentStatus::ALL
        .into_iter()
        .filter(|status| status.is_active_for_author())
        .map(AssignmentStatus::as_str)
        .collect();
    assert_eq!(active, ["pending", "accepted", "in_progress", "rework"]);
}
