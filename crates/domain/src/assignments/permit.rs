//! Who may do what.

use super::caller::is_same_agent;
use super::{Assignment, Caller, Refusal, Role};

/// Only its coder works on an assignment; to whom else it is refused, and why, depends on who that is.
pub fn may_work_on(assignment: &Assignment, by: &Caller) -> Result<(), Refusal> {
    if by.name() == assignment.agent {
        return Ok(());
    }
    let (id, agent, caller) = (assignment.id, assignment.agent.clone(), by.name().to_owned());
    Err(match by.role() {
        Role::Reviewer => Refusal::ReviewerCannotAccept { id, agent, caller },
        Role::Coder | Role::Person => Refusal::NotYours { id, agent, caller },
    })
}

/// Whether attempts have come so far that somebody else should look.
pub fn is_for_another_reviewer(assignment: &Assignment) -> bool {
    let patience = assignment.cycle.limits().change_reviewer_after;
    patience > 0 && assignment.review_attempt() > patience
}

/// Nobody reviews what it wrote, and coders review nothing. People may review whatever is not theirs. An agent
/// keeps to the reviewer that was named, and to those who have not rejected the assignment before once it is for
/// another reviewer; if nobody else is known, the earlier ones may go on.
pub fn may_review(
    assignment: &Assignment,
    caller: &Caller,
    known_reviewers: &[String],
) -> Result<(), Refusal> {
    let (id, name) = (assignment.id, || caller.name().to_owned());
    if caller.is_also(&assignment.agent) {
        return Err(Refusal::OwnWork { id, caller: name() });
    }
    match caller.role() {
        Role::Coder => return Err(Refusal::NotAReviewer { id, caller: name() }),
        Role::Person => return Ok(()),
        Role::Reviewer => {}
    }
    let others =
        if is_for_another_reviewer(assignment) { fresh(assignment, known_reviewers) } else { vec![] };
    let has_rejected =
        |reviewer: &str| assignment.rejected_by.iter().any(|earlier| is_same_agent(earlier, reviewer));
    if has_rejected(caller.name()) && !others.is_empty() {
        let (attempt, others) = (assignment.review_attempt(), others.join(", "));
        return Err(Refusal::AnotherReviewer { id, caller: name(), attempt, others });
    }
    let has_none_else = is_for_another_reviewer(assignment) && others.is_empty();
    match &assignment.reviewer {
        Some(reviewer) if !caller.is_also(reviewer) => {
            if has_none_else && has_rejected(caller.name()) {
                return Ok(());
            }
            // It is for fresh eyes by now, and the one who was named has had a look.
            if !others.is_empty() && has_rejected(reviewer) {
                return Ok(());
            }
            Err(Refusal::NotTheReviewer { id, reviewer: reviewer.clone(), caller: name() })
        }
        Some(_) | None => Ok(()),
    }
}

/// Names who reviews next: after a verdict the one who gave it, and once the named one has made room, the one who is
/// left. Of several, any may.
pub(super) fn name_reviewer(after: &mut Assignment, was: &Assignment, by: &Caller, known: &[String]) {
    let is_new = by.role() == Role::Reviewer && !was.reviewer.as_ref().is_some_and(|named| by.is_also(named));
    if is_new && (was.reviewer.is_some() || is_for_another_reviewer(was)) {
        after.reviewer = Some(by.name().to_owned());
    }
    let Some(named) = &after.reviewer else { return };
    let has_made_room = after.rejected_by.iter().any(|earlier| is_same_agent(earlier, named));
    if !after.status().is_active_for_author() || !is_for_another_reviewer(after) || !has_made_room {
        return;
    }
    match fresh(after, known)[..] {
        [] => {}
        [one] => after.reviewer = Some(one.to_owned()),
        _ => after.reviewer = None,
    }
}

/// Known reviewers that neither wrote nor rejected it.
fn fresh<'a>(assignment: &Assignment, known: &'a [String]) -> Vec<&'a str> {
    const NAMED: usize = 5;
    let is_fresh = |name: &&str| {
        !is_same_agent(&assignment.agent, name)
            && !assignment.rejected_by.iter().any(|earlier| is_same_agent(earlier, name))
    };
    known.iter().map(String::as_str).filter(is_fresh).take(NAMED).collect()
}
