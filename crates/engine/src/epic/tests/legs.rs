use domain::cycle::{Cycle, Event, Limits, ReviewMode, Work};
use domain::epic::StopReason;
use domain::epic::run::{AttemptResult, MergeStep, Merging};
use domain::review::Verdict;

use super::super::step;
use super::stage::*;
use crate::epic::*;

fn alone(merging: Merging) -> Ground {
    ground(&[("a", "")], merging, "")
}

#[test]
fn a_ticket_is_built_validated_reviewed_and_completed() {
    let stage = Stage::new();
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!(*stage.done.lock().unwrap(), ["a base", "a build", "a validate", "a review"]);
    let ticket = &stored.tickets[0];
    assert_eq!((ticket.review_approved, ticket.history.len()), (Some(true), 1));
    assert!(ticket.completed_at.is_some() && stored.run.finished_at.is_some());
}

#[test]
fn a_revision_keeps_its_base_and_tells_the_builder_what_to_do() {
    let stage = Stage::reviewed(&[Says::Fail]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!((stage.count("base"), stage.count("build")), (1, 2));
    let works: Vec<Work> = stored.tickets[0].attempts.iter().map(|attempt| attempt.work).collect();
    assert_eq!(works, [Work::Build, Work::Revise]);
    assert_eq!(stored.tickets[0].cycle.revision_count(), 1);
}

#[test]
fn a_failure_without_a_reason_proves_nothing_and_not_for_ever() {
    let stage = Stage::reviewed(&[Says::FailsWithoutReason, Says::Pass]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!(stored.tickets[0].attempts[0].reviews.len(), 2);

    let stage = Stage::reviewed(&[Says::FailsWithoutReason; 2]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Inconclusive));
    assert_eq!((stage.count("review"), stored.tickets[0].history.len()), (2, 0));
}

#[test]
fn a_wait_says_how_long_it_is_and_which_retry_comes_next() {
    let (stored, _) = Stage::new().run(&alone(Merging::ByHand));
    let (mut ticket, stage) = (stored.tickets[0].clone(), Stage::new());
    ticket.cycle = Cycle::ticket(ReviewMode::On, Limits::default()).unwrap();
    let (now, crash) = (stage.now(), Event::ExecutionFailed { reason: "it crashed".to_owned() });
    for event in [Event::Enqueue, Event::Start, crash.clone(), crash] {
        step::apply(&mut ticket, event, now).unwrap();
    }
    step::tell_wait(&ticket, &stage);
    let told = stage.told.lock().unwrap().pop().unwrap();
    assert!(told.contains("waiting ") && told.ends_with(" s, retry 2 of 5"), "{told}");
}

#[test]
fn a_review_of_another_commit_proves_nothing() {
    let stage = Stage::reviewed(&[Says::OfAnotherCommit]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Completed));
    let reviews = &stored.tickets[0].attempts[0].reviews;
    assert_eq!(reviews[0].verdict, Verdict::Inconclusive);
    assert!(reviews[0].trouble.as_deref().unwrap().contains("another commit"));
}

#[test]
fn criteria_that_the_builder_leaves_open_are_no_reviewers_business() {
    let stage = Stage::new();
    let built = |said: &str| Built::Changed {
        base: oid(1),
        commit: stage.commit(),
        report: report(said),
        took: TOOK,
    };
    stage.builds.lock().unwrap().push_back(built("Not met: 2 - later"));
    stage.builds.lock().unwrap().push_back(Built::Unchanged { report: report("Met: 1, 2"), took: TOOK });
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Completed));
    assert!(
        matches!(&stored.tickets[0].attempts[0].result, AttemptResult::Invalid { reason } if reason.contains("later"))
    );
    assert!(stored.tickets[0].criteria.iter().all(|criterion| criterion.met));
    assert_eq!(stage.count("validate"), 1);
}

#[test]
fn a_conflict_is_rebased_reviewed_again_and_merged() {
    let stage = Stage::new();
    stage.merges.lock().unwrap().push_back(MergeMade::Conflict { files: vec!["x".to_owned()] });
    let (stored, ended) = stage.run(&alone(Merging::Automatic));
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!((stage.count("review"), stage.count("merge")), (2, 2));
    let ticket = &stored.tickets[0];
    assert_eq!(ticket.attempts[1].work, Work::Rebase);
    assert!(
        matches!(&ticket.merge, MergeStep::Merged { work, .. } if Some(work) == ticket.final_commit.as_ref())
    );
}

#[test]
fn what_cannot_begin_waits_for_a_human_and_others_go_on() {
    let stage = Stage::new();
    stage.bases.lock().unwrap().push_back(Based::Conflict { what: "x".to_owned() });
    let mut ground = ground(&[("a", ""), ("b", "")], Merging::ByHand, "");
    ground.order.parallel = 1;
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Stopped));
    assert_eq!(stored.tickets[0].stop().unwrap().reason, StopReason::Human);
    assert_eq!(stored.tickets[1].status().as_str(), "completed");
}

#[test]
fn a_chain_is_blocked_by_its_first_and_freed_by_its_retry() {
    let stage = Stage::reviewed(&[Says::Fail; 3]);
    let ground = ground(&[("a", ""), ("b", "a"), ("c", "b")], Merging::ByHand, "");
    let (mut stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Failed));
    assert_eq!(statuses(&stored).into_values().collect::<Vec<_>>(), ["failed", "blocked", "blocked"]);
    let retried = retry(&mut stored, "a", stage.now()).unwrap().unwrap();
    stage.save(&retried, "retry").unwrap();
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!(statuses(&stored).into_values().collect::<Vec<_>>(), ["completed"; 3]);
}

#[test]
fn without_review_nobody_is_asked() {
    let stage = Stage::new();
    let ground = ground(&[("a", "")], Merging::ByHand, "review: off\n");
    assert_eq!(ground.document.review, ReviewMode::Off);
    assert_eq!(stage.run(&ground).1, Ok(Ended::Completed));
    assert_eq!(stage.count("review"), 0);
}

#[test]
fn asked_to_stop_nothing_is_believed_and_nothing_is_lost() {
    let stage = Stage::new();
    stage.stop.store(true, std::sync::atomic::Ordering::SeqCst);
    let ground = alone(Merging::ByHand);
    assert_eq!(stage.run(&ground).1, Err(Halt::Stopped));
    stage.stop.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(stage.run(&ground).1, Ok(Ended::Completed));
}

#[test]
fn a_revision_that_changes_nothing_is_never_reviewed() {
    let stage = Stage::reviewed(&[Says::Fail]);
    let changed = Built::Changed { base: oid(1), commit: oid(50), report: report("Done."), took: TOOK };
    let unchanged = Built::Unchanged { report: report("Done."), took: TOOK };
    stage.builds.lock().unwrap().extend([changed, unchanged.clone(), unchanged.clone(), unchanged]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Failed));
    assert_eq!((stage.count("review"), stage.count("build")), (1, 4));
    let reason = stored.tickets[0].cycle.failure_reason().unwrap();
    assert!(reason.ends_with("nothing was changed"), "{reason}");
}

#[test]
fn work_that_is_not_valid_is_on_its_branch_all_the_same() {
    let stage = Stage::new();
    let open = |commit| Built::Changed {
        base: oid(1),
        commit: oid(commit),
        report: report("Not met: 1 - too hard"),
        took: TOOK,
    };
    stage.builds.lock().unwrap().extend([open(50), open(51), open(52)]);
    let (stored, ended) = stage.run(&alone(Merging::ByHand));
    assert_eq!(ended, Ok(Ended::Failed));
    assert_eq!(stored.tickets[0].branch_commit, Some(oid(52)));
}

#[test]
fn who_begins_anew_hears_nothing_of_earlier_reviews() {
    let stage = Stage::reviewed(&[Says::Fail; 3]);
    let ground = alone(Merging::ByHand);
    let (mut stored, _) = stage.run(&ground);
    assert!(stored.tickets[0].rejection().is_some());
    let retried = retry(&mut stored, "a", stage.now()).unwrap().unwrap();
    assert!(retried.rejection().is_none());
    stage.save(&retried, "retry").unwrap();
    let (stored, ended) = stage.run(&ground);
    assert_eq!((ended, stage.count("build")), (Ok(Ended::Completed), 4));
    assert_eq!(stored.tickets[0].present_attempts().len(), 1);
}

#[test]
fn where_reviews_only_proved_nothing_a_retry_only_reviews_again() {
    let stage = Stage::reviewed(&[Says::ProvesNothing; 2]);
    let ground = alone(Merging::ByHand);
    let (mut stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Inconclusive));
    let work = stored.tickets[0].final_commit.clone();
    let retried = retry(&mut stored, "a", stage.now()).unwrap().unwrap();
    stage.save(&retried, "retry").unwrap();
    let (stored, ended) = stage.run(&ground);
    assert_eq!((ended, stage.count("build"), stage.count("review")), (Ok(Ended::Completed), 1, 3));
    assert_eq!(stored.tickets[0].final_commit, work);
}

#[test]
fn a_run_is_at_rest_when_it_ended_however_it_ended_and_not_before() {
    let ground = ground(&[("a", ""), ("b", "a")], Merging::ByHand, "");
    let fresh = begin(&ground, oid(1), Stage::new().now()).unwrap();
    assert!(!is_at_rest(&fresh, &ground));
    let failed = Stage::reviewed(&[Says::Fail; 3]).run(&ground).0;
    assert!(is_at_rest(&failed, &ground));
    let waits = Stage::new();
    waits.bases.lock().unwrap().push_back(Based::Conflict { what: "x".to_owned() });
    let (stopped, _) = waits.run(&ground);
    assert_eq!(stopped.tickets[1].status().as_str(), "pending");
    assert!(is_at_rest(&stopped, &ground));
}

#[test]
fn that_a_ticket_is_blocked_is_told_once() {
    let stage = Stage::reviewed(&[Says::Fail; 6]);
    let ground = ground(&[("a", ""), ("b", ""), ("d", "a, b")], Merging::ByHand, "");
    assert_eq!(stage.run(&ground).1, Ok(Ended::Failed));
    let told = stage.told.lock().unwrap();
    assert_eq!(told.iter().filter(|line| line.starts_with("d blocked")).count(), 1, "{told:?}");
}

#[test]
fn a_function_that_was_agreed_on_and_is_nowhere_keeps_an_epic_from_being_completed() {
    let stage = Stage::new();
    stage.undefined.lock().unwrap().push("log_in/2".to_owned());
    let ground = alone(Merging::ByHand);
    for _ in 0..2 {
        let (stored, ended) = stage.run(&ground);
        assert_eq!((ended, stored.run.finished_at), (Ok(Ended::Stopped), None));
        let stop = stored.run.stopped.clone().unwrap();
        assert!(stop.reason == StopReason::Human && stop.detail.contains("log_in/2"), "{stop:?}");
        assert!(is_at_rest(&stored, &ground));
    }
    stage.undefined.lock().unwrap().clear();
    let (stored, ended) = stage.run(&ground);
    assert_eq!((ended, stored.run.stopped), (Ok(Ended::Completed), None));
}

#[test]
fn without_review_a_function_that_is_nowhere_is_only_told() {
    let stage = Stage::new();
    stage.undefined.lock().unwrap().push("log_in/2".to_owned());
    let ground = ground(&[("a", "")], Merging::ByHand, "review: off\n");
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Completed));
    assert!(stored.run.remarks[0].contains("log_in/2"), "{:?}", stored.run.remarks);
}

#[test]
fn hours_in_which_nobody_worked_do_not_count() {
    let ground = alone(Merging::Automatic);
    let (mut stored, _) = Stage::reviewed(&[Says::Fail]).run(&ground);
    let seconds = stored.tickets[0].seconds().unwrap();
    // Two builds and two reviews of a second each, and what the clock of the stage gives to validations and the merge.
    assert!((5..30).contains(&seconds), "{seconds}");
    let begun = stored.tickets[0].started_at.unwrap();
    stored.tickets[0].started_at = Some(begun - jiff::SignedDuration::from_hours(9));
    let report = report_of(&stored, &ground, domain::epic::report::Tests::Configured, 75);
    assert_eq!(report.tickets[0].seconds, Some(seconds));
    let attempts = report.tickets[0].attempts.iter().filter_map(|attempt| attempt.seconds);
    assert_eq!(attempts.sum::<u64>() + stored.tickets[0].merging_seconds, seconds);
}

#[test]
fn a_run_that_was_interrupted_says_so_until_it_is_resumed() {
    let ground = alone(Merging::ByHand);
    let mut stored = begin(&ground, oid(1), Stage::new().now()).unwrap();
    stored.run = interrupted(&stored.run);
    assert_eq!(stored.stop_of(&stored.tickets[0]).unwrap().reason, StopReason::Human);
    assert!(is_at_rest(&stored, &ground));
    resume(&mut stored, Stage::new().now());
    assert_eq!((stored.run.stopped.clone(), stored.stop_of(&stored.tickets[0])), (None, None));
}

#[test]
fn an_epic_branch_that_somebody_moved_stops_a_run_before_anything_is_done() {
    let stage = Stage::new();
    *stage.branch_stop.lock().unwrap() = Some("somebody moved it".to_owned());
    let ground = ground(&[("a", "")], Merging::Automatic, "");
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Stopped));
    assert_eq!(stored.run.stopped.map(|stop| stop.detail).as_deref(), Some("somebody moved it"));
    assert!(stage.done.lock().unwrap().is_empty());
    assert_eq!(stage.run(&ground).1, Ok(Ended::Completed), "who goes on was told");
}

#[test]
fn conflicts_that_were_left_are_repaired_on_the_new_base() {
    let stage = Stage::new();
    stage.merges.lock().unwrap().push_back(MergeMade::Conflict { files: vec!["a".to_owned()] });
    let left = Built::Unfitted {
        base: oid(7),
        commit: oid(8),
        reason: "left".to_owned(),
        report: report("Done."),
        took: TOOK,
    };
    let first = Built::Changed { base: oid(1), commit: oid(5), report: report("Done."), took: TOOK };
    stage.builds.lock().unwrap().extend([first, left]);
    let (stored, ended) = stage.run(&ground(&[("a", "")], Merging::Automatic, ""));
    assert_eq!(ended, Ok(Ended::Completed));
    assert_eq!(stored.tickets[0].base_commit, Some(oid(7)));
    assert_eq!(stage.count("build"), 3);
}
