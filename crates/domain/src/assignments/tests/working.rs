use super::*;
use crate::tasks::AuditKind;

fn kinds(decision: &Decision) -> Vec<&'static str> {
    decision.entries.iter().map(|entry| entry.kind.as_str()).collect()
}

#[test]
fn a_new_assignment_is_accepted_before_it_is_in_progress() {
    let decision = taken(&fresh(), &accept(), &coder());
    assert_eq!(kinds(&decision), ["assignment_accepted", "assignment_started"]);
    assert_eq!(decision.assignment.status().as_str(), "in_progress");
    assert_eq!(decision.assignment.accepted_at, Some(at(60)));
    assert_eq!(decision.assignment.started_at, Some(at(60)));
}

#[test]
fn it_may_stay_accepted_until_it_is_begun() {
    let waiting = after(&fresh(), &Step::Accept { then: AfterAccept::Wait }, &coder());
    assert_eq!((waiting.status().as_str(), waiting.started_at), ("accepted", None));
    assert_eq!(after(&waiting, &accept(), &coder()).status().as_str(), "in_progress");
    let again = refused(&waiting, &Step::Accept { then: AfterAccept::Wait }, &coder());
    assert!(matches!(again, Refusal::AlreadyAccepted { .. }));
    let decision = taken(&waiting, &submit(1), &coder());
    assert_eq!(kinds(&decision), ["assignment_started", "submitted_for_review"]);
}

#[test]
fn only_its_coder_accepts_and_submits() {
    let working = after(&fresh(), &accept(), &coder());
    let other = Caller::new("blue", Role::Coder).unwrap();
    for (assignment, step) in [(fresh(), accept()), (working, submit(1))] {
        assert!(matches!(refused(&assignment, &step, &other), Refusal::NotYours { .. }));
        assert!(matches!(refused(&assignment, &step, &person()), Refusal::NotYours { .. }));
        let by_reviewer = refused(&assignment, &step, &reviewer("purple"));
        assert!(matches!(by_reviewer, Refusal::ReviewerCannotAccept { .. }));
    }
}

#[test]
fn what_was_handed_in_or_is_over_takes_no_work() {
    let waiting = refused(&escalated(), &submit(9), &coder());
    assert!(waiting.to_string().starts_with("assignment 7 is escalated and waits for a person; "));
    let approved = after(&submitted(), &approve(), &reviewer("purple"));
    assert!(matches!(refused(&approved, &submit(9), &coder()), Refusal::Over { .. }));
}

#[test]
fn nobody_decides_about_its_own_escalation() {
    let author = Caller::new("Green", Role::Person).unwrap();
    let accepted = Step::Resolve { resolution: crate::cycle::Resolution::Accept, note: None };
    assert!(matches!(refused(&escalated(), &accepted, &author), Refusal::OwnEscalation { .. }));
}

#[test]
fn what_is_being_worked_on_or_over_cannot_be_accepted_again() {
    for assignment in [after(&fresh(), &accept(), &coder()), submitted(), escalated()] {
        assert!(matches!(refused(&assignment, &accept(), &coder()), Refusal::AlreadyAccepted { .. }));
    }
}

#[test]
fn work_is_submitted_after_it_was_accepted_and_once() {
    assert!(matches!(refused(&fresh(), &submit(1), &coder()), Refusal::AcceptFirst { .. }));
    assert!(matches!(refused(&submitted(), &submit(2), &coder()), Refusal::AlreadySubmitted { .. }));
    let back = after(&submitted(), &reject(), &reviewer("purple"));
    assert!(matches!(refused(&back, &submit(2), &coder()), Refusal::AcceptFirst { .. }));
}

#[test]
fn a_submission_pins_what_was_handed_in() {
    let assignment = submitted();
    assert_eq!((assignment.head_commit, assignment.base_commit), (Some(commit(1)), Some(commit(1000))));
    assert_eq!((assignment.completed_at, assignment.submissions), (Some(at(60)), 1));
}

#[test]
fn branch_and_base_hold_from_the_first_submission_on() {
    let back = after(&submitted(), &reject(), &reviewer("purple"));
    let working = after(&back, &accept(), &coder());
    let with = |branch: &str, base: &str| {
        let Step::Submit(submission) = submit(2) else { unreachable!() };
        let branch = BranchName::parse(branch).unwrap();
        Step::Submit(Submission { branch, base: base.to_owned(), ..submission })
    };
    let refused = |step| refused(&working, &step, &coder());
    assert!(matches!(refused(with("task/y", "main")), Refusal::OtherBranch { .. }));
    assert!(matches!(refused(with("task/x", "mine")), Refusal::OtherBase { .. }));
    assert_eq!(after(&working, &with("task/x", "main"), &coder()).submissions, 2);
}

#[test]
fn the_rejected_commit_cannot_be_handed_in_again() {
    let back = after(&submitted(), &reject(), &reviewer("purple"));
    let working = after(&back, &accept(), &coder());
    assert!(matches!(refused(&working, &submit(1), &coder()), Refusal::NothingNew { .. }));
    assert_eq!(after(&working, &submit(2), &coder()).head_commit, Some(commit(2)));
}

#[test]
fn a_person_resolves_what_is_escalated_and_nobody_else() {
    use crate::cycle::Resolution::{Accept, Block, Close, OneMore};
    let resolve = |resolution, note: &str| Step::Resolve { resolution, note: Feedback::parse(note).unwrap() };
    for by in [coder(), reviewer("purple")] {
        assert!(matches!(
            refused(&escalated(), &resolve(Accept, ""), &by),
            Refusal::OnlyPeopleResolve { .. }
        ));
    }
    let early = refused(&submitted(), &resolve(Accept, ""), &person());
    assert!(matches!(early, Refusal::NotEscalated { .. }));
    let blocked = refused(&escalated(), &resolve(Block, ""), &person());
    assert!(matches!(blocked, Refusal::ResolutionNotOffered { .. }));
    assert_eq!(after(&escalated(), &resolve(Accept, ""), &person()).status().as_str(), "approved");
    assert_eq!(after(&escalated(), &resolve(Close, ""), &person()).status().as_str(), "closed");
    let decision = taken(&escalated(), &resolve(OneMore, "only the login"), &person());
    assert_eq!(decision.entries[0].kind, AuditKind::EscalationResolved);
    let again = decision.assignment;
    assert_eq!((again.status().as_str(), again.review_attempt(), again.max_cycles()), ("rework", 4, 4));
    assert_eq!(again.completed_at, None);
    assert_eq!(again.review_feedback.unwrap(), "null check missing\n\nMia Müller adds: only the login");
}
