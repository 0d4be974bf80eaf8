use super::*;
use crate::cycle::AssignmentStatus;

fn known(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn nobody_reviews_its_own_work_under_any_name() {
    for name in ["green", "Green", "green-1"] {
        let refusal = refused(&submitted(), &approve(), &reviewer(name));
        assert!(matches!(refusal, Refusal::OwnWork { .. }), "{name}");
    }
    assert!(matches!(refused(&submitted(), &approve(), &coder()), Refusal::OwnWork { .. }));
    let mine = of(AssignmentDraft { agent: "mia".to_owned(), ..draft() });
    let mia = Caller::new("mia", Role::Person).unwrap();
    assert!(matches!(refused(&mine, &approve(), &mia), Refusal::OwnWork { .. }));
}

#[test]
fn coders_do_not_review_and_people_may() {
    let other = Caller::new("blue", Role::Coder).unwrap();
    assert!(matches!(refused(&submitted(), &approve(), &other), Refusal::NotAReviewer { .. }));
    assert_eq!(after(&submitted(), &approve(), &person()).status(), AssignmentStatus::Approved);
}

#[test]
fn a_named_reviewer_keeps_others_out_but_people() {
    let named = Assignment { reviewer: Some("purple".to_owned()), ..submitted() };
    assert!(matches!(refused(&named, &approve(), &reviewer("red")), Refusal::NotTheReviewer { .. }));
    after(&named, &approve(), &reviewer("purple"));
    after(&named, &approve(), &person());
}

#[test]
fn a_rejection_needs_something_to_read() {
    for feedback in ["", " \n", "\u{200b}\u{1b}[2J"] {
        let step = Step::Review(verdict(Outcome::Rejected, feedback));
        assert_eq!(refused(&submitted(), &step, &reviewer("purple")), Refusal::FeedbackMissing);
    }
    assert_eq!(Feedback::parse(&"x".repeat(70_000)).unwrap_err().field, "feedback");
}

#[test]
fn an_attempt_has_one_verdict() {
    let back = after(&submitted(), &reject(), &reviewer("purple"));
    for by in ["purple", "red"] {
        assert!(matches!(refused(&back, &approve(), &reviewer(by)), Refusal::AlreadyReviewed { .. }));
    }
    let working = after(&back, &accept(), &coder());
    assert!(matches!(refused(&working, &approve(), &reviewer("red")), Refusal::NothingSubmitted { .. }));
    let late = Step::Review(Verdict { attempt: Some(1), ..verdict(Outcome::Passed, "") });
    assert!(matches!(refused(&working, &late, &reviewer("red")), Refusal::AlreadyReviewed { .. }));
    assert!(matches!(refused(&on_attempt(2), &late, &reviewer("red")), Refusal::WrongAttempt { .. }));
}

#[test]
fn a_verdict_is_about_the_commit_that_was_submitted() {
    let naming =
        |number| Step::Review(Verdict { head: Some(commit(number)), ..verdict(Outcome::Passed, "") });
    let refusal = refused(&submitted(), &naming(2), &reviewer("purple"));
    assert_eq!(refusal, Refusal::WrongCommit { named: commit(2), submitted: commit(1) });
    let review = taken(&submitted(), &naming(1), &reviewer("purple")).review.unwrap();
    assert_eq!((review.head_commit, review.attempt), (Some(commit(1)), 1));
}

#[test]
fn rework_keeps_the_feedback_and_clears_completed_at() {
    let decision = taken(&submitted(), &reject(), &reviewer("purple"));
    let back = &decision.assignment;
    assert_eq!((back.status().as_str(), back.review_attempt()), ("rework", 2));
    assert_eq!((back.completed_at, back.reviewed_at), (None, Some(at(60))));
    assert_eq!(back.review_feedback.as_deref(), Some("null check missing"));
    assert_eq!(decision.entries[0].kind.as_str(), "submitted_review_result");
}

#[test]
fn the_third_rejection_is_told_with_the_whole_context() {
    let decision = taken(&on_attempt(3), &reject(), &reviewer("purple"));
    assert_eq!(decision.assignment.status(), AssignmentStatus::Escalated);
    let [entry] = &decision.entries[..] else { panic!("{:?}", decision.entries) };
    insta::assert_snapshot!(
        format!("{} {}", entry.kind.as_str(), entry.detail),
        @r#"escalated_for_human_review {"coder":"green","reviewer":"purple","outcome":"rejected","status":"escalated","review_attempt":3,"max_cycles":3,"branch_name":"task/x","base_commit":"00000000000000000000000000000000000003e8","head_commit":"0000000000000000000000000000000000000003","feedback":"null check missing","rejected_by":["purple"],"reason":"Review failed after 3 review cycles"}"#
    );
}

#[test]
fn an_inconclusive_review_costs_nothing_and_is_kept() {
    let outcome = Outcome::Inconclusive { reason: "cut off".to_owned() };
    let decision = taken(&submitted(), &Step::Review(verdict(outcome, "cut off")), &reviewer("purple"));
    assert_eq!(
        (decision.assignment.status().as_str(), decision.assignment.review_attempt()),
        ("completed", 1)
    );
    assert_eq!(decision.review.unwrap().outcome, ReviewOutcome::Inconclusive);
    assert_eq!(decision.entries[0].kind.as_str(), "review_inconclusive");
    assert_eq!(decision.assignment.review_feedback, None);
}

#[test]
fn after_two_rejections_another_reviewer_looks_if_one_is_known() {
    let (purple, red) = (reviewer("purple"), reviewer("red"));
    assert!(may_review(&on_attempt(2), &purple, &known(&["red"])).is_ok());
    let third = on_attempt(3);
    assert!(matches!(
        may_review(&third, &purple, &known(&["green", "purple", "red"])),
        Err(Refusal::AnotherReviewer { others, .. }) if others == "red"
    ));
    assert!(may_review(&third, &red, &known(&["purple", "red"])).is_ok());
    assert!(may_review(&third, &purple, &known(&["green", "green-2", "purple", "purple-1"])).is_ok());
    assert!(may_review(&third, &person(), &known(&["red"])).is_ok());
}

#[test]
fn the_named_reviewer_makes_room_for_another_in_the_end() {
    let third = Assignment { reviewer: Some("purple".to_owned()), ..on_attempt(3) };
    assert!(may_review(&third, &reviewer("red"), &known(&["red"])).is_ok());
    let second = Assignment { reviewer: Some("purple".to_owned()), ..on_attempt(2) };
    assert!(may_review(&second, &reviewer("red"), &known(&["red"])).is_err());
}

#[test]
fn after_a_change_of_reviewer_the_new_one_is_named() {
    let named = |name: &str| Assignment { reviewer: Some(name.to_owned()), ..on_attempt(2) };
    let rejected = |assignment: &Assignment, by: &str, names: &[&str]| {
        let verdict = verdict(Outcome::Rejected, "null check missing");
        let step = Step::Review(Verdict { known_reviewers: known(names), ..verdict });
        after(assignment, &step, &reviewer(by)).reviewer
    };
    let now = |by: &str, names: &[&str]| rejected(&named("purple"), by, names);
    assert_eq!(now("purple", &["green", "purple", "red"]).as_deref(), Some("red"));
    assert_eq!(now("purple", &["purple", "red", "teal"]), None, "either of them");
    assert_eq!(now("purple", &["purple"]).as_deref(), Some("purple"));
    let third = Assignment { reviewer: None, ..on_attempt(3) };
    assert_eq!(rejected(&third, "red", &["purple", "red"]).as_deref(), Some("red"));
    let first = Assignment { reviewer: Some("purple".to_owned()), ..submitted() };
    assert_eq!(rejected(&first, "purple", &["purple", "red"]).as_deref(), Some("purple"));
}

#[test]
fn the_earlier_reviewer_may_go_on_if_the_new_one_is_not_known_any_more() {
    let third = Assignment { reviewer: Some("red".to_owned()), ..on_attempt(3) };
    assert!(may_review(&third, &reviewer("purple"), &known(&["purple"])).is_ok());
    assert!(may_review(&third, &reviewer("purple"), &known(&["purple", "red"])).is_err());
}

#[test]
fn every_refusal_says_what_to_do_next() {
    let refusals = [
        refused(&fresh(), &submit(1), &coder()),
        refused(&fresh(), &accept(), &reviewer("purple")),
        refused(&submitted(), &approve(), &coder()),
        refused(&fresh(), &approve(), &reviewer("purple")),
        Refusal::FeedbackMissing,
    ];
    insta::assert_snapshot!(refusals.map(|refusal| refusal.to_string()).join("\n"), @"
    assignment 7 is pending; accept it before you submit the work
    purple reviews and cannot take assignment 7 for green; green has to accept it itself
    green wrote assignment 7 and cannot review it; another reviewer has to
    assignment 7 is pending, and there is nothing to review until its coder submits work
    a rejection needs feedback that says what to change; send it again with `feedback`
    ");
}
