use std::time::Duration;

use domain::forge::{Provider, StatusState, ThreadState};
use domain::publish::CannotPublish;
use tokio::time::timeout;

use super::forge::{Fault, Forge, oid};
use crate::publish::{LocalTurns, PublishError, StatusOutcome};

#[tokio::test(start_paused = true)]
async fn a_review_is_published_once_however_often_it_is_published() {
    let forge = Forge::new(Provider::Github);
    let outcome = forge.publish(&[2, 4]).await.unwrap();
    assert_eq!((outcome.added, outcome.status), (2, StatusOutcome::Set));
    let again = forge.publish(&[2, 4]).await.unwrap();
    assert_eq!((again.added, again.settled, again.status), (0, 0, StatusOutcome::Unchanged));
    assert_eq!((forge.open("finding"), forge.open("summary"), forge.state().reviews), (2, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn one_bad_line_never_loses_the_review() {
    for provider in Provider::ALL {
        let mut forge = Forge::new(provider);
        forge.bad_lines.insert(4);
        let outcome = forge.publish(&[1, 2, 4]).await.unwrap();
        assert_eq!((outcome.added, outcome.only_in_summary), (2, 1));
        assert_eq!((forge.open("finding"), forge.open("summary")), (2, 1));
        let summary = forge
            .state()
            .comments
            .iter()
            .find(|c| c.body.contains("countersign:summary"))
            .unwrap()
            .body
            .clone();
        assert!(summary.contains("said only here (1)"), "{summary}");
        assert_eq!(forge.publish(&[1, 2, 4]).await.unwrap().added, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_looked_for_before_anything_is_posted_again() {
    for late in [0, 1, 2] {
        for write in 1..=4 {
            let mut forge = Forge::new(Provider::Github);
            forge.lists_late_by = late;
            forge.faults.insert(write, Fault::Lost);
            forge.publish(&[2, 4]).await.unwrap();
            let there = (forge.open("finding"), forge.open("summary"));
            assert_eq!(there, (2, 1), "write {write}, listed {late} late");
            assert_eq!(forge.state().reviews, 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn killed_at_every_step_nothing_is_missing_and_nothing_twice() {
    for fault in [Fault::KilledBefore, Fault::KilledAfter] {
        for write in 1..=9 {
            let mut forge = Forge::new(Provider::Github);
            forge.publish(&[1, 2]).await.unwrap();
            forge.push('4');
            forge.faults.insert(4 + write, fault);
            let killed = timeout(Duration::from_secs(3_600), forge.publish(&[2, 5])).await;
            let last = killed.is_ok();
            forge.publish(&[2, 5]).await.unwrap();
            assert_eq!((forge.open("finding"), forge.open("summary")), (2, 1), "{fault:?} at write {write}");
            assert_eq!(forge.publish(&[2, 5]).await.unwrap().added, 0);
            let state = forge.state();
            let settled =
                state.comments.iter().find(|comment| comment.body.contains("state=settled")).unwrap();
            assert_eq!(settled.thread, ThreadState::Resolved);
            assert_eq!(state.statuses.last().map(|status| &status.commit), Some(&oid('4')));
            if last {
                break;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_forge_that_is_down_for_a_moment_is_asked_again() {
    let mut forge = Forge::new(Provider::Gitlab);
    forge.faults = [(1, Fault::Down), (2, Fault::Down), (4, Fault::Down)].into();
    assert_eq!(forge.publish(&[2]).await.unwrap().added, 1);
    assert_eq!(forge.open("finding"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_forge_that_stays_down_is_given_up_on_and_said_so() {
    let mut forge = Forge::new(Provider::Gitlab);
    forge.faults = (1..100).map(|write| (write, Fault::Down)).collect();
    let error = forge.publish(&[2]).await.unwrap_err();
    assert!(matches!(error, PublishError::GaveUp { .. }) && error.is_transient(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_push_meanwhile_stops_it() {
    let mut forge = Forge::new(Provider::Github);
    forge.faults.insert(2, Fault::Pushed);
    let error = forge.publish(&[2]).await.unwrap_err();
    assert!(matches!(error, PublishError::Cannot(CannotPublish::Moved { .. })), "{error}");
    let state = forge.state();
    assert!(state.comments.is_empty() && state.statuses.is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_publishers_that_know_of_each_other_go_one_after_the_other() {
    let (forge, turns) = (Forge::new(Provider::Github), LocalTurns::default());
    let (one, other) = tokio::join!(forge.publish_as(&[2, 4], &turns), forge.publish_as(&[2, 4], &turns));
    assert_eq!(one.unwrap().added + other.unwrap().added, 2);
    let state = forge.state();
    assert_eq!((state.comments.len(), state.reviews), (4, 1));
}

/// Everything that is there is there once, and nothing else is.
fn assert_once(forge: &Forge, findings: usize, about: &str) {
    assert_eq!((forge.open("finding"), forge.open("summary")), (findings, 1), "{about}");
    let state = forge.state();
    let said = |word: &str| state.comments.iter().filter(|comment| comment.body.contains(word)).count();
    assert_eq!((said("countersign:claim"), said("Duplicate"), state.reviews), (0, 0, 1), "{about}");
}

#[tokio::test(start_paused = true)]
async fn publishers_that_know_nothing_of_each_other_post_once_in_every_order_of_events() {
    for (seed, late) in (0..120).flat_map(|seed| [(seed, 0), (seed, 2)]) {
        let provider = if seed % 2 == 0 { Provider::Github } else { Provider::Gitlab };
        let mut forge = Forge::new(provider).shuffled(seed);
        (forge.slowness, forge.lists_late_by) = (1_500, late);
        let ours = || forge.publish(&[2, 4]);
        let (one, two, three) = tokio::join!(ours(), ours(), ours());
        let added = one.unwrap().added + two.unwrap().added + three.unwrap().added;
        assert_eq!(added, 2, "seed {seed}");
        assert_once(&forge, 2, &format!("seed {seed}, listed {late} late"));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_killed_among_them_leaves_nothing_twice() {
    for seed in 0..120 {
        let mut forge = Forge::new(Provider::Github).shuffled(seed);
        forge.slowness = 1_500;
        let time = Duration::from_millis(200 * (seed + 1));
        let ours = || forge.publish(&[2, 4]);
        let (_, two, three) = tokio::join!(timeout(time, ours()), ours(), ours());
        two.unwrap();
        three.unwrap();
        forge.publish(&[2, 4]).await.unwrap();
        assert_once(&forge, 2, &format!("seed {seed}"));
    }
}

#[tokio::test(start_paused = true)]
async fn two_who_found_different_things_are_both_heard() {
    for seed in 0..40 {
        let mut forge = Forge::new(Provider::Gitlab).shuffled(seed);
        forge.slowness = 1_500;
        forge.publish(&[1]).await.unwrap();
        forge.push('4');
        let (one, two) = tokio::join!(forge.publish(&[1, 2]), forge.publish(&[1, 2, 5]));
        assert_eq!(one.unwrap().added + two.unwrap().added, 2, "seed {seed}");
        assert_eq!(forge.open("summary"), 1);
        assert!(!forge.state().comments.iter().any(|comment| comment.body.contains("countersign:claim")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_pass_never_outlives_what_somebody_else_found_meanwhile() {
    for held in 1..=16 {
        let mut forge = Forge::new(Provider::Gitlab);
        forge.faults.insert(held, Fault::Held);
        forge.publish(&[]).await.unwrap();
        forge.push('4');
        let (rules, model) = tokio::join!(forge.publish(&[]), forge.publish_model(&[2]));
        rules.unwrap();
        model.unwrap();
        let state = forge.state();
        let last = state.statuses.iter().rfind(|status| status.commit == oid('4')).unwrap();
        assert_eq!(last.state, StatusState::Failure, "write {held} was held");
        let is_summary = |body: &str| body.contains("countersign:summary") && body.contains("state=open");
        let summary = state.comments.iter().find(|comment| is_summary(&comment.body)).unwrap();
        assert!(!summary.body.contains("Countersign: pass"), "write {held} was held: {}", summary.body);
    }
}

#[tokio::test(start_paused = true)]
async fn where_nothing_can_be_deleted_a_claim_says_that_it_is_over() {
    let mut forge = Forge::new(Provider::Gitlab);
    forge.keeps_everything = true;
    forge.publish(&[2]).await.unwrap();
    forge.push('4');
    forge.publish(&[2, 4]).await.unwrap();
    assert_eq!((forge.open("finding"), forge.open("summary")), (2, 1));
    let state = forge.state();
    let said = |word: &str| state.comments.iter().filter(|comment| comment.body.contains(word)).count();
    assert_eq!((said("countersign:claim"), said("has posted its review of")), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_was_asleep_for_too_long_asks_for_its_turn_again() {
    let mut forge = Forge::new(Provider::Github);
    forge.faults.insert(2, Fault::Limited);
    let sleepy = forge.publish(&[2, 4]);
    let other = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        forge.publish(&[2, 4]).await
    };
    let (one, two) = tokio::join!(sleepy, other);
    assert_eq!((one.unwrap().added, two.unwrap().added), (0, 2));
    assert_once(&forge, 2, "the other did not wait for ever");
}

#[tokio::test(start_paused = true)]
async fn limits_one_after_the_other_are_not_waited_for_without_end() {
    let mut forge = Forge::new(Provider::Github);
    forge.faults.extend((2..20).map(|write| (write, Fault::Limited)));
    let error = forge.publish(&[2]).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(60)));
}

#[tokio::test(start_paused = true)]
async fn two_publishers_that_do_not_end_with_one_comment_each() {
    let mut forge = Forge::new(Provider::Github);
    // The first publisher is killed after its review was taken and before it was listed.
    forge.lists_late_by = 1;
    forge.faults.insert(2, Fault::KilledAfter);
    assert!(timeout(Duration::from_secs(60), forge.publish(&[2, 4])).await.is_err());
    forge.publish(&[2, 4]).await.unwrap();
    assert_eq!((forge.open("finding"), forge.open("summary")), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn the_verdict_is_for_exactly_that_commit() {
    let forge = Forge::new(Provider::Github);
    forge.publish(&[2]).await.unwrap();
    forge.push('4');
    forge.publish(&[]).await.unwrap();
    let verdicts: Vec<_> = forge.state().statuses.iter().map(|s| (s.commit.clone(), s.state)).collect();
    assert_eq!(verdicts, [(oid('2'), StatusState::Failure), (oid('4'), StatusState::Success)]);
}
