use domain::epic::StopReason;
use domain::epic::run::Merging;

use super::stage::*;
use crate::epic::*;

#[test]
fn a_ticket_whose_budget_is_spent_stands_still_and_has_it_again_when_resumed() {
    // A build costs 100 tokens and a review as many.
    let ground = ground(&[("a", ""), ("b", "")], Merging::ByHand, "limits: {ticket_tokens: 250}\n");
    let stage = Stage::reviewed(&[Says::Fail, Says::Fail, Says::Fail, Says::Pass]);
    let mut alone = ground.clone();
    alone.order.parallel = 1;
    let (mut stored, ended) = stage.run(&alone);
    assert_eq!(ended, Ok(Ended::Stopped));
    let stop = stored.tickets[0].stop().unwrap();
    assert_eq!(
        (stop.reason, stop.detail.as_str()),
        (StopReason::Budget, "the ticket's 250 tokens are used up")
    );
    for _ in 0..5 {
        for ticket in resume(&mut stored, stage.now()) {
            stage.save(&ticket, "resumed").unwrap();
        }
        let (again, ended) = stage.run(&alone);
        stored = again;
        if ended == Ok(Ended::Completed) {
            return;
        }
    }
    panic!("{:?}", statuses(&stored));
}

#[test]
fn an_epic_whose_money_is_spent_starts_nothing_more() {
    // $0.001 for a build.
    let mut ground =
        ground(&[("a", ""), ("b", ""), ("c", "")], Merging::ByHand, "limits: {epic_budget_usd: 0.0015}\n");
    ground.order.parallel = 1;
    let stage = Stage::new();
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Stopped));
    assert_eq!(stored.run.stopped.as_ref().unwrap().reason, StopReason::Budget);
    assert_eq!((stage.count("build"), stage.count("review")), (1, 1));
    assert_eq!(statuses(&stored).into_values().collect::<Vec<_>>(), ["completed", "queued", "queued"]);
}

#[test]
fn an_epic_whose_time_is_over_starts_nothing_more() {
    // The clock goes on by a second each time somebody looks.
    let ground = ground(&[("a", ""), ("b", "a")], Merging::ByHand, "limits: {epic_seconds: 15}\n");
    let stage = Stage::reviewed(&[Says::Fail, Says::Fail]);
    let (stored, ended) = stage.run(&ground);
    assert_eq!(ended, Ok(Ended::Stopped));
    assert_eq!(stored.run.stopped.unwrap().reason, StopReason::Time);
}
