use std::time::Duration;

use domain::cycle::Resolution;

use super::stage::*;
use crate::story::*;

const FIXED: &str = "fix check publish";

#[test]
fn a_clean_branch_is_done_at_once() {
    let stage = stage(vec![finds(&[])]);
    assert_eq!(stage.run(&mut story()), Ok(Ended::Clean));
    assert_eq!(stage.did(), "review");
}

#[test]
fn what_was_found_is_fixed_and_reviewed_again() {
    let stage = stage(vec![finds(&["a", "b"]), finds(&["b"]), finds(&[])]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(stage.did(), format!("review {FIXED} review {FIXED} review"));
    assert_eq!(story.rounds.iter().map(|round| round.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(stage.last_saved(), story);
    assert_eq!(story.usage().calls, 3);
}

fn blocked_at_three() -> (Stage, Story) {
    let stage = stage(vec![finds(&["a"]), finds(&["b"]), finds(&["c"])]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    (stage, story)
}

#[test]
fn after_the_third_round_a_human_decides() {
    let (_, mut story) = blocked_at_three();
    assert_eq!(story.cycle.failure_reason().unwrap(), "Review failed after 3 review rounds");
    let now = story.started_at;
    assert_eq!(story.resolve(Resolution::Accept, "ada", " ", now), Err(NotNow::ReasonNeeded));
    assert_eq!(story.resolve(Resolution::Accept, "ada", "ships today", now), Ok(Decided::Accepted));
    let ruling = story.rulings.values().next().unwrap();
    assert_eq!((ruling.by.as_str(), ruling.reason.as_str()), ("ada", "ships today"));
    assert_eq!(story.decisions[0].findings, story.rounds[2].blocking);
    assert!(story.is_over());
}

#[test]
fn a_story_fixed_by_hand_is_reviewed_again() {
    let (stage, mut story) = blocked_at_three();
    assert_eq!(story.resolve(Resolution::Block, "ada", "", story.started_at), Ok(Decided::Blocked));
    assert_eq!(stage.run(&mut story), Ok(Ended::Blocked));
    story.fixed_by_hand("ada", story.started_at).unwrap();
    stage.reviews.borrow_mut().push_back(finds(&[]));
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(story.rounds.last().unwrap().number, 4);
}

#[test]
fn one_more_round_is_granted_until_the_hard_cap() {
    let (stage, mut story) = blocked_at_three();
    for code in ["d", "e"] {
        assert_eq!(story.resolve(Resolution::OneMore, "ada", "", story.started_at), Ok(Decided::GoesOn));
        stage.reviews.borrow_mut().push_back(finds(&[code]));
        assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    }
    assert_eq!(story.cycle.round(), 5);
    assert!(matches!(
        story.resolve(Resolution::OneMore, "ada", "", story.started_at),
        Err(NotNow::Illegal(_))
    ));
}

#[test]
fn a_fixer_that_does_nothing_is_asked_again_with_the_reason_and_then_given_up() {
    let stage = stage(vec![finds(&["a"])]);
    let idle = || Fixed::Unchanged { report: report("Done."), took: Duration::ZERO };
    stage.fixes.borrow_mut().extend([idle(), idle()]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(*stage.given.borrow(), ["a is wrong", "a is wrong after nothing was changed"]);
    assert!(story.cycle.failure_reason().unwrap().contains("nothing was changed"));
}

#[test]
fn work_that_was_refused_is_not_published() {
    let stage = stage(vec![finds(&["a"]), finds(&[])]);
    stage.checks.borrow_mut().push_back(Checked::Refused { reason: "tests fail".into() });
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(stage.did(), format!("review fix check {FIXED} review"));
    assert_eq!(stage.given.borrow()[1], "a is wrong after tests fail");
    assert_eq!(story.rounds[0].fixes[0].outcome, FixOutcome::Refused { reason: "tests fail".into() });
}

#[test]
fn a_branch_that_somebody_moved_meanwhile_is_fixed_from_where_it_is() {
    let stage = stage(vec![finds(&["a"]), finds(&[])]);
    stage.publications.borrow_mut().push_back(Published::Moved);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(stage.did(), format!("review {FIXED} {FIXED} review"));
    assert_eq!(stage.given.borrow()[1], "a is wrong after topic was moved by somebody else meanwhile");
}

#[test]
fn a_commit_that_is_gone_is_made_again_and_costs_no_retry() {
    let stage = stage(vec![finds(&["a"]), finds(&[])]);
    stage.checks.borrow_mut().extend([Checked::Lost, Checked::Lost, Checked::Lost]);
    assert_eq!(stage.run(&mut story()), Ok(Ended::Clean));
}

#[test]
fn a_review_that_proves_nothing_uses_up_no_round() {
    let stage = stage(vec![Says::ProvesNothing, Says::ProvesNothing, finds(&[])]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!((story.rounds.len(), story.rounds[0].number, story.rounds[0].unproved.len()), (1, 1, 2));
    assert!(stage.documents.borrow()[&1].contains("Recommendation:** Approve"));
}

#[test]
fn a_human_is_told_when_reviews_keep_proving_nothing() {
    let stage = stage((0..4).map(|_| Says::ProvesNothing).collect());
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(story.cycle.failure_reason().unwrap(), "Review inconclusive after 3 retries: cut off");
}

/// Dies before each save in turn, and goes on from what was saved before.
#[test]
fn dying_before_any_save_loses_only_the_step_that_was_under_way() {
    let script = || stage(vec![finds(&["a"]), finds(&["b"]), finds(&[])]);
    let whole = script();
    whole.run(&mut story()).unwrap();
    let saves = whole.saved.borrow().len();
    assert!(saves > 10, "{saves}");
    for death in 0..saves {
        let stage = script();
        stage.saved.borrow_mut().push(serde_json::to_string(&story()).unwrap());
        stage.dies_at.set(Some(death + 1));
        assert_eq!(stage.run(&mut story()), Err(Halt::Stopped));
        let mut resumed = stage.last_saved();
        if resumed.step == Step::Review {
            let lost = if resumed.rounds.is_empty() { finds(&["a"]) } else { finds(&["b"]) };
            let lost = if resumed.rounds.len() == 2 { finds(&[]) } else { lost };
            stage.reviews.borrow_mut().push_front(lost);
        }
        assert_eq!(stage.run(&mut resumed), Ok(Ended::Clean), "after save {death}");
        assert_eq!(resumed.rounds.len(), 3);
        let performed = stage.done.borrow().len();
        assert!(performed <= whole.done.borrow().len() + 1, "after save {death}: {}", stage.did());
    }
}
