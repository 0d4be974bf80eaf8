use domain::config::{EarlyStop, LateFindings};
use domain::words::Severity;

use super::stage::*;
use crate::story::*;

#[test]
fn a_finding_is_new_still_there_fixed_or_back_again() {
    let standing = |seen: &[bool]| memory::Standing::after(seen);
    assert_eq!(standing(&[true]), Some(Standing::New));
    assert_eq!(standing(&[false, true]), Some(Standing::New));
    assert_eq!(standing(&[true, true]), Some(Standing::StillThere));
    assert_eq!(standing(&[true, false]), Some(Standing::Fixed));
    assert_eq!(standing(&[true, false, false]), Some(Standing::Fixed));
    assert_eq!(standing(&[true, false, true]), Some(Standing::BackAgain));
    assert_eq!(standing(&[false]), None);
}

#[test]
fn the_same_findings_again_stop_the_loop_early() {
    let stage = stage(vec![finds(&["a", "b"]), finds(&["b", "a"])]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(
        story.cycle.failure_reason().unwrap(),
        "Review leads nowhere: all 2 must-fix findings are still there after the correction of round 1"
    );
}

#[test]
fn a_finding_that_comes_back_stops_the_loop_early() {
    let stage = stage(vec![finds(&["a"]), finds(&["b"]), finds(&["a"])]);
    let mut story = story();
    story.cycle = domain::cycle::Cycle::story(domain::cycle::Limits { max_rounds: 5, ..Default::default() })
        .map(|cycle| cycle.apply(&domain::cycle::Event::Start).unwrap().0)
        .unwrap();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    let reason = story.cycle.failure_reason().unwrap();
    assert_eq!(reason, "Review leads nowhere: src/a.rs:1 was fixed and is back: a is wrong");
}

#[test]
fn a_finding_that_comes_back_in_the_last_round_is_said_to_be_back() {
    let stage = stage(vec![finds(&["a"]), finds(&["b"]), finds(&["a"])]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(story.cycle.failure_reason().unwrap(), "Review failed after 3 review rounds");
    let remarks = Dossier::of(&story, story.started_at).remarks;
    assert_eq!(remarks, ["src/a.rs:1 was fixed and is back: a is wrong"]);
}

#[test]
fn a_project_may_want_all_its_rounds() {
    let stage = stage(vec![finds(&["a"]), finds(&["a"]), finds(&["a"])]);
    let mut story = story_with(EarlyStop::Never, LateFindings::Block);
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(story.cycle.failure_reason().unwrap(), "Review failed after 3 review rounds");
}

#[test]
fn what_was_there_all_along_and_is_found_late_does_not_block_where_it_is_advice() {
    let reviews = || vec![finds(&["a"]), finds(&["b"])];
    let stage = stage(reviews());
    let mut story = story_with(EarlyStop::Escalate, LateFindings::Advise);
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(story.rounds[1].late.len(), 1);
    assert!(stage.documents.borrow()[&2].contains("**Accepted:** recorded, does not block"));
}

#[test]
fn a_critical_finding_is_never_late() {
    let stage = stage(vec![
        finds(&["a"]),
        Says::Finds(vec![("b", Severity::Critical)]),
        Says::Finds(vec![("c", Severity::Critical)]),
    ]);
    let mut story = story_with(EarlyStop::Escalate, LateFindings::Advise);
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
}

#[test]
fn what_a_person_deletes_or_accepts_is_not_sent_to_the_fixer() {
    let stage = stage(vec![finds(&["a", "b", "c"]), finds(&["a", "b"])]);
    let mut story = story();
    stage.dies_at.set(Some(2));
    assert_eq!(stage.run(&mut story), Err(Halt::Stopped));
    let text = stage.documents.borrow()[&1].clone();
    let at = text.find("2. **[").unwrap();
    let end = text.find("3. **[").unwrap();
    let edited = format!("{}{}", &text[..at], &text[end..]).replace("1. **[", "1. [x] **[");
    stage.documents.borrow_mut().insert(1, edited);
    let mut story = stage.last_saved();
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!(*stage.given.borrow(), ["c is wrong"]);
    let kinds: Vec<_> = story.rulings.values().map(|ruling| ruling.kind).collect();
    assert!(kinds.contains(&RulingKind::Accepted) && kinds.contains(&RulingKind::Deleted), "{kinds:?}");
    assert!(stage.documents.borrow()[&2].contains("**Accepted:** in round 1"));
}

#[test]
fn a_document_that_was_broken_is_not_taken_for_a_short_one() {
    let stage = stage(vec![finds(&["a"])]);
    let mut story = story();
    stage.dies_at.set(Some(2));
    assert_eq!(stage.run(&mut story), Err(Halt::Stopped));
    stage.documents.borrow_mut().insert(1, "# Story 1.2 Code Review Findings - Round 1\n".into());
    let halted = stage.run(&mut stage.last_saved());
    assert!(matches!(halted, Err(Halt::Failed { ref what, .. }) if what.contains("docs/1.md")), "{halted:?}");
}

#[test]
fn what_the_fixer_claims_stands_beside_what_the_next_review_shows() {
    let stage = stage(vec![finds(&["a", "b"]), finds(&["a"]), finds(&[])]);
    let says = "I did it.\n- **Addressed:** 1\nNot addressed: 2 - needs a migration\nAddressed: 9";
    stage.fixes.borrow_mut().push_back(Fixed::Changed {
        start: oid(1),
        commit: oid(2),
        patch: String::new(),
        report: report(says),
        took: std::time::Duration::ZERO,
    });
    let mut story = story();
    stage.dies_at.set(Some(7));
    assert_eq!(stage.run(&mut story), Err(Halt::Stopped));
    let histories = histories(&stage.last_saved());
    let claimed: Vec<_> = histories.iter().map(|history| (history.standing(), &history.claimed)).collect();
    assert_eq!(claimed[0], (Some(Standing::StillThere), &Some(Claim::Addressed)));
    let reason = "needs a migration".to_owned();
    assert_eq!(claimed[1], (Some(Standing::Fixed), &Some(Claim::NotAddressed { reason })));
}

#[test]
fn the_dossier_tells_everything() {
    let stage = stage(vec![finds(&["a"]), finds(&["a"])]);
    let mut story = story();
    stage.run(&mut story).unwrap();
    let text = markdown(&Dossier::of(&story, story.started_at));
    for part in [
        "# Story 1.2: Log in",
        "- **Status:** escalated, round 2 of 3",
        "### Round 1 at ",
        "- correction in 2 s: 0000000000, published",
        "```diff\n+ a fix\n```",
        "**MAJOR** src/a.rs:1: a is wrong (new in round 1, still there in round 2); the fixer says: addressed",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}
