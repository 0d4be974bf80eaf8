//! Whatever builders, validation, reviewers and merges come up with.

use domain::cycle::{Cycle, State, replay};
use domain::epic::run::{Merging, StoredEpic, TicketRun};
use domain::review::Verdict;
use proptest::prelude::*;

use super::stage::*;
use crate::epic::*;

const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Up to five tickets, each depending on any of those before it.
fn epics() -> impl Strategy<Value = Ground> {
    let links = prop::collection::vec(0..16u8, 1..=5);
    (links, any::<bool>(), any::<bool>()).prop_map(|(links, merges, reviews)| {
        let before = |index: usize, link: u8| {
            let names = (0..index).filter(|bit| link & (1 << bit) != 0).map(|bit| IDS[bit]);
            names.collect::<Vec<_>>().join(", ")
        };
        let before: Vec<String> =
            links.iter().enumerate().map(|(index, link)| before(index, *link)).collect();
        let tickets: Vec<(&str, &str)> = IDS.into_iter().zip(before.iter().map(String::as_str)).collect();
        let merging = if merges { Merging::Automatic } else { Merging::ByHand };
        ground(&tickets, merging, if reviews { "" } else { "review: off\n" })
    })
}

fn luck() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..60)
}

fn stage(luck: &[u8]) -> Stage {
    let stage = Stage::new();
    stage.luck.lock().unwrap().extend(luck);
    stage
}

/// It is over: nothing happens to it before a human does something.
fn is_over(ticket: &TicketRun, merging: Merging) -> bool {
    ticket.is_complete(merging)
        || matches!(ticket.cycle.state(), State::Failed { .. } | State::Blocked { .. })
        || ticket.stopped.is_some()
}

fn check(stored: &StoredEpic, ground: &Ground) -> Result<(), TestCaseError> {
    prop_assert!(is_at_rest(stored, ground));
    for (ticket, bounds) in stored.tickets.iter().zip(&ground.bounds) {
        let waits = stored.tickets.iter().any(|other| other.stopped.is_some())
            && ticket.cycle.state() == &State::Pending;
        let over = is_over(ticket, ground.order.merging) || waits;
        prop_assert!(over, "{} is {}", ticket.id, ticket.cycle.status());
        let start = Cycle::ticket(ground.document.review, bounds.cycle.clone()).unwrap();
        let replayed = replay(start, ticket.log.iter().map(|logged| &logged.event));
        prop_assert_eq!(replayed, Ok(ticket.cycle.clone()), "its log tells it all");
        let reviews = || ticket.attempts.iter().flat_map(|attempt| &attempt.reviews);
        let conclusive = reviews().filter(|review| review.verdict != Verdict::Inconclusive);
        prop_assert_eq!(conclusive.count(), ticket.history.len(), "its history is complete");
        let most = bounds.cycle.max_revisions + 1 + bounds.cycle.max_validation_failures;
        prop_assert!(ticket.history.len() <= most as usize, "{} reviews", ticket.history.len());
        if matches!(ticket.cycle.state(), State::Done { .. })
            && ground.document.review == domain::cycle::ReviewMode::On
        {
            let last = reviews().next_back();
            prop_assert!(
                last.is_some_and(|review| review.verdict == Verdict::Pass),
                "nothing is completed unreviewed"
            );
            prop_assert_eq!(last.map(|review| &review.commit), ticket.final_commit.as_ref());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_within_its_limits_with_its_history_complete(ground in epics(), luck in luck()) {
        let stage = stage(&luck);
        let (stored, ended) = stage.run(&ground);
        prop_assert!(ended.is_ok(), "{ended:?}");
        check(&stored, &ground)?;
        prop_assert_eq!(ended == Ok(Ended::Completed), stored.is_complete());
        let kept = stage.stored.lock().unwrap().clone();
        prop_assert_eq!(kept.as_ref(), Some(&stored), "what is stored is what is");
    }

    #[test]
    fn a_run_that_dies_at_any_save_goes_on_to_such_an_end(ground in epics(), luck in luck(), dies_at in 0..60usize) {
        let mut first = stage(&luck);
        first.dies_at = Some(dies_at);
        let (_, ended) = first.run(&ground);
        let second = stage(&luck);
        *second.stored.lock().unwrap() = first.stored.lock().unwrap().clone();
        let (stored, again) = second.run(&ground);
        prop_assert!(again.is_ok(), "{ended:?}, then {again:?}");
        check(&stored, &ground)?;
    }
}
