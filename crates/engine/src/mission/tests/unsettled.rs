//! Missions that take long, are interrupted, or end without a last word.

use std::time::Duration;

use domain::review::Verdict;

use super::stage::Stage;
use crate::mission::{Ended, Mission, Posted, Step, Unreviewed, report_interruption};
use crate::publish::tests::forge::Fault;
use crate::ticket::Telling;

fn broken_forge() -> Stage {
    let mut stage = Stage::new();
    stage.forge.faults = (1..1000).map(|number| (number, Fault::Down)).collect();
    stage
}

#[tokio::test(start_paused = true)]
async fn a_forge_that_takes_nothing_is_reported_within_a_minute() {
    let stage = broken_forge();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    let (said, told_after) = (stage.said(), stage.told_after.lock().unwrap().clone());
    assert!(said[1].starts_with("Mission delayed while publishing the review."), "{said:?}");
    assert!(told_after[1] < Duration::from_secs(60), "{told_after:?}");
    assert!(told_after[2] > Duration::from_secs(120), "it goes on trying: {told_after:?}");
    assert_eq!((stage.reports("delay"), stage.reports("result"), said.len()), (1, 1, 3), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_later_start_posts_the_review_that_the_forge_did_not_take() {
    let mut stage = broken_forge();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert!(matches!(stage.mission().posted, Some(Posted::Impossible { .. })));
    assert!(stage.said().pop().unwrap().contains("start `countersign mission PROJ-1` again"));
    stage.forge.faults.clear();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!((stage.forge.open("finding"), stage.forge.open("summary")), (1, 1));
    assert_eq!(stage.modes.lock().unwrap().len(), 1, "the review is not made again");
    assert_eq!((stage.reports("start"), stage.reports("result")), (1, 2), "{:?}", stage.said());
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Fail))));
}

#[tokio::test(start_paused = true)]
async fn after_a_push_the_review_that_was_not_posted_is_not_posted() {
    let mut stage = broken_forge();
    assert_eq!(stage.run().await, Ok(Ended::Done));
    stage.forge.faults.clear();
    stage.forge.push('5');
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert_eq!(stage.modes.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_inconclusive_review_says_what_to_do_and_is_made_again() {
    let mut stage = Stage { trouble: Some("the answer was cut off"), lines: vec![], ..Stage::new() };
    for _ in 0..2 {
        assert_eq!(stage.run().await, Ok(Ended::Done));
        assert_eq!(stage.mission().review.unwrap().verdict(), Verdict::Inconclusive);
    }
    let said = stage.said();
    assert_eq!((stage.reports("result"), said.len()), (1, 2), "the same is told once: {said:?}");
    assert!(said[1].contains("What to do: start `countersign mission PROJ-1` again"), "{}", said[1]);
    let posted =
        stage.forge.state().comments.iter().any(|one| one.body.contains("reviews this commit again"));
    assert!(posted, "the merge request says it, too");
    stage.trouble = None;
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert!(stage.said().pop().unwrap().starts_with("Code review passed."), "{:?}", stage.said());
    assert_eq!(stage.run().await, Ok(Ended::Known(Some(Verdict::Pass))));
}

#[tokio::test(start_paused = true)]
async fn an_interruption_is_told_once_and_only_while_the_mission_is_under_way() {
    let mut stage = Stage { dies_at_save: 4, ..Stage::new() };
    assert!(stage.run().await.is_err());
    let mission = stage.mission();
    assert!(mission.is_under_way());
    for telling in [Telling::Now, Telling::Before] {
        let told = report_interruption(&mission, &stage, &stage.effects, "other", None).await;
        assert_eq!(told, Ok(telling));
    }
    assert_eq!(stage.reports("interruption"), 1);
    assert!(stage.said()[1].starts_with("Mission interrupted while"), "{:?}", stage.said());
    stage.dies_at_save = usize::MAX;
    assert_eq!(stage.run().await, Ok(Ended::Done));
    assert!(!stage.mission().is_under_way());
}

#[test]
fn a_person_ends_or_resumes_a_mission_that_was_interrupted() {
    use domain::cycle::Resolution;
    let now = "2026-11-15T10:00:00Z".parse().unwrap();
    let begun = || Mission { step: Step::Review, ..Mission::begin(Stage::key(), now) };
    let mut ended = begun();
    ended.resolve(Resolution::Accept, "ann", "", now);
    assert!(ended.is_over() && !ended.is_unreported());
    let mut resumed = begun();
    resumed.resolve(Resolution::OneMore, "ann", "", now);
    assert!(!resumed.is_over() && !resumed.is_under_way(), "the person knows");
}

#[tokio::test(start_paused = true)]
async fn a_failure_and_a_verdict_begin_with_other_words() {
    let unreviewed = Unreviewed { reason: "no model".into(), hint: String::new() };
    let stage = Stage { unreviewed: Some(unreviewed), ..Stage::new() };
    assert_eq!(stage.run().await, Ok(Ended::Failed));
    assert!(stage.said()[1].starts_with("Mission failed while reviewing."), "{:?}", stage.said());
}
