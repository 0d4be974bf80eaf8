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

/// The loop goes on with a document that a person edited between its first review and its decision.
fn edited(reviews: Vec<Says>, edit: impl Fn(&str) -> String) -> (Stage, Story, Ended) {
    let stage = stage(reviews);
    stage.dies_at.set(Some(2));
    assert_eq!(stage.run(&mut story()), Err(Halt::Stopped));
    let text = stage.documents.borrow()[&1].clone();
    let changed = edit(&text);
    assert_ne!(text, changed);
    stage.documents.borrow_mut().insert(1, changed);
    let mut story = stage.last_saved();
    let ended = stage.run(&mut story).unwrap();
    (stage, story, ended)
}

fn without_item_2(text: &str) -> String {
    let (at, end) = (text.find("2. **[").unwrap(), text.find("3. **[").unwrap());
    format!("{}{}", &text[..at], &text[end..])
}

const BY_ADA: &str = "- **Accepted by Ada:** tested by hand\n   - **Problem:** a is wrong";

#[test]
fn what_a_person_accepts_or_advice_that_was_deleted_is_not_sent_to_the_fixer() {
    let found = |code: [(&'static str, Severity); 3]| Says::Finds(code.into());
    let all = [("a", Severity::Major), ("b", Severity::Low), ("c", Severity::Major)];
    let (stage, story, ended) = edited(vec![found(all), finds(&["a"])], |text| {
        let (at, end) = (text.find("3. **[").unwrap(), text.find("## Summary").unwrap());
        let without_advice = format!("{}{}", &text[..at], &text[end..]);
        without_advice.replace("- **Problem:** a is wrong", BY_ADA)
    });
    assert_eq!(ended, Ended::Accepted, "accepted is not clean");
    assert_eq!(*stage.given.borrow(), ["c is wrong"]);
    let kinds: Vec<_> = story.rulings.values().map(|ruling| ruling.kind).collect();
    assert!(kinds.contains(&RulingKind::Accepted) && kinds.contains(&RulingKind::Deleted), "{kinds:?}");
    let accepted = story.rulings.values().find(|ruling| ruling.kind == RulingKind::Accepted).unwrap();
    assert_eq!((accepted.by.as_str(), accepted.reason.as_str()), ("Ada", "tested by hand"));
    assert!(stage.documents.borrow()[&2].contains("**Accepted by Ada:** in round 1: tested by hand"));
    assert!(story.remarks.is_empty(), "{:?}", story.remarks);
}

#[test]
fn a_tick_a_reason_without_a_name_and_a_deletion_accept_nothing_that_must_be_fixed() {
    let tick = |text: &str| text.replace("1. **[", "1. [x] **[");
    let nameless =
        |text: &str| text.replace("- **Problem:** a", "- **Accepted:** it is fine\n   - **Problem:** a");
    let no_reason =
        |text: &str| text.replace("- **Problem:** a", "- **Accepted by Ada:**\n   - **Problem:** a");
    let edits: [&dyn Fn(&str) -> String; 4] = [&tick, &nameless, &no_reason, &without_item_2];
    for edit in edits {
        let critical = |code: &[&'static str]| {
            Says::Finds(code.iter().map(|code| (*code, Severity::Critical)).collect())
        };
        let (stage, story, ended) = edited(vec![critical(&["a", "b", "c"]), finds(&[])], edit);
        assert_eq!(ended, Ended::Clean);
        assert_eq!(*stage.given.borrow(), ["a is wrong, b is wrong, c is wrong"]);
        assert!(story.rulings.is_empty());
        assert!(
            story.remarks[0].ends_with("to accept it, write `- **Accepted by NAME:** REASON` below it"),
            "{:?}",
            story.remarks
        );
    }
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

const UNTESTED: &str = "No test covers subtraction";
const REWORDED: &str = "Subtraction is not covered by any test";
const WIPED: &str = "Anybody can wipe the database";

/// Somebody accepted that subtraction is untested, in round 1.
fn accepted_in_round_1(later: Vec<Says>) -> (Stage, Story) {
    let both = vec![(UNTESTED, Severity::High), ("The name is wrong", Severity::Major)];
    let stage = stage([Says::Judges(both)].into_iter().chain(later).collect());
    stage.dies_at.set(Some(2));
    assert_eq!(stage.run(&mut story()), Err(Halt::Stopped));
    let mut story = stage.last_saved();
    let accepted = &story.rounds[0].review.findings[0];
    let ruling = Ruling {
        kind: RulingKind::Accepted,
        round: 1,
        by: "ada".into(),
        reason: "tested by hand".into(),
        finding: accepted.message.clone(),
        severity: accepted.severity,
    };
    story.rulings.insert(accepted.fingerprint.clone(), ruling);
    (stage, story)
}

#[test]
fn an_acceptance_does_not_cover_another_finding_at_the_same_line() {
    let later = vec![Says::Judges(vec![(WIPED, Severity::Critical)]), finds(&[])];
    let (stage, mut story) = accepted_in_round_1(later);
    assert_eq!(stage.run(&mut story), Ok(Ended::Clean));
    assert_eq!((story.rounds.len(), story.rounds[1].blocking.len()), (3, 1));
    assert_eq!(stage.given.borrow()[1], WIPED);
}

#[test]
fn an_acceptance_covers_the_finding_in_other_words_unless_it_is_worse_now() {
    let again = |severity| vec![Says::Judges(vec![(REWORDED, severity)]), finds(&[])];
    let (stage, mut story) = accepted_in_round_1(again(Severity::High));
    assert_eq!(stage.run(&mut story), Ok(Ended::Accepted));
    assert_eq!((story.rounds.len(), story.rounds[1].blocking.len()), (2, 0));
    let (stage, mut story) = accepted_in_round_1(again(Severity::Critical));
    stage.run(&mut story).unwrap();
    assert_eq!((story.rounds.len(), story.rounds[1].blocking.len()), (3, 1));
    let same_words_but_worse = vec![Says::Judges(vec![(UNTESTED, Severity::Critical)]), finds(&[])];
    let (stage, mut story) = accepted_in_round_1(same_words_but_worse);
    stage.run(&mut story).unwrap();
    assert_eq!(story.rounds[1].blocking.len(), 1);
}

#[test]
fn a_fixed_finding_and_a_new_one_at_its_line_are_not_still_there() {
    let judges = |said| Says::Judges(vec![(said, Severity::High)]);
    let stage = stage(vec![judges(UNTESTED), judges(WIPED), judges("It is slow for large numbers")]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert_eq!(story.cycle.failure_reason().unwrap(), "Review failed after 3 review rounds");
    let standings: Vec<_> = histories(&story).iter().map(History::standing).collect();
    assert_eq!(standings, [Some(Standing::Fixed), Some(Standing::Fixed), Some(Standing::New)]);
}

#[test]
fn a_reworded_finding_is_still_there() {
    let judges = |said| Says::Judges(vec![(said, Severity::High)]);
    let stage = stage(vec![judges(UNTESTED), judges(REWORDED)]);
    let mut story = story();
    assert_eq!(stage.run(&mut story), Ok(Ended::Escalated));
    assert!(story.cycle.failure_reason().unwrap().starts_with("Review leads nowhere"));
}
