mod branches;
mod drafts;
mod reviewing;
mod working;

use jiff::Timestamp;

use super::*;
use crate::change::Oid;
use crate::cycle::{Limits, Outcome};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn coder() -> Caller {
    Caller::new("green", Role::Coder).unwrap()
}

fn reviewer(name: &str) -> Caller {
    Caller::new(name, Role::Reviewer).unwrap()
}

fn person() -> Caller {
    Caller::new("Mia Müller", Role::Person).unwrap()
}

fn draft() -> AssignmentDraft {
    AssignmentDraft { title: "Log in".to_owned(), agent: "green".to_owned(), ..AssignmentDraft::default() }
}

fn fresh() -> Assignment {
    of(draft())
}

fn of(draft: AssignmentDraft) -> Assignment {
    let new = NewAssignment::new(draft, &Limits::default()).unwrap();
    new.begin(AssignmentId::new(7).unwrap(), &person(), at(0))
}

fn commit(number: u32) -> Oid {
    Oid::parse(&format!("{number:040x}")).unwrap()
}

fn accept() -> Step {
    Step::Accept { then: AfterAccept::Begin }
}

fn submit(number: u32) -> Step {
    Step::Submit(Submission {
        branch: BranchName::parse("task/x").unwrap(),
        base: "main".to_owned(),
        base_commit: commit(1000),
        head: commit(number),
    })
}

fn verdict(outcome: Outcome, feedback: &str) -> Verdict {
    let feedback = Feedback::parse(feedback).unwrap();
    Verdict { outcome, feedback, head: None, attempt: None, known_reviewers: Vec::new() }
}

fn approve() -> Step {
    Step::Review(verdict(Outcome::Passed, ""))
}

fn reject() -> Step {
    Step::Review(verdict(Outcome::Rejected, "null check missing"))
}

fn taken(assignment: &Assignment, step: &Step, by: &Caller) -> Decision {
    decide(assignment, step, by, at(60)).unwrap()
}

fn refused(assignment: &Assignment, step: &Step, by: &Caller) -> Refusal {
    decide(assignment, step, by, at(60)).unwrap_err()
}

fn after(assignment: &Assignment, step: &Step, by: &Caller) -> Assignment {
    taken(assignment, step, by).assignment
}

fn submitted() -> Assignment {
    after(&after(&fresh(), &accept(), &coder()), &submit(1), &coder())
}

/// Sent back and handed in again so often, by `purple`.
fn on_attempt(attempt: u32) -> Assignment {
    (1..attempt).fold(submitted(), |assignment, number| {
        let back = after(&assignment, &reject(), &reviewer("purple"));
        let working = after(&back, &accept(), &coder());
        after(&working, &submit(number + 1), &coder())
    })
}

fn escalated() -> Assignment {
    after(&on_attempt(3), &reject(), &reviewer("purple"))
}
