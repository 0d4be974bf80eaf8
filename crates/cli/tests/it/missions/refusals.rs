//! What a forge or a tracker refuses during a mission, and what people are told about it.

use testkit::forge::Fault;

use super::stage::{KEY, Stage, finds_it};
use crate::program::{Outcome, countersign};

const READ_REQUEST: (&str, &str) = ("GET", "/api/v4/projects/*/merge_requests/*");
const READ_BRANCH: (&str, &str) = ("GET", "/api/v4/projects/*/repository/branches/*");
const WRITE_REVIEW: (&str, &str) = ("POST", "/api/v4/projects/*/merge_requests/*/discussions");
const READ_TICKET: (&str, &str) = ("GET", "/rest/api/2/issue/*");
const WRITE_TICKET: (&str, &str) = ("POST", "/rest/api/2/issue/*/comment");

fn on((method, path): (&str, &str)) -> Fault {
    Fault::on(method, path)
}

fn mission(faults: impl IntoIterator<Item = Fault>) -> (Stage, Outcome) {
    let stage = Stage::new(finds_it());
    faults.into_iter().for_each(|fault| stage.forge.fault(fault));
    let outcome = stage.run(&[KEY]);
    (stage, outcome)
}

fn went_well(stage: &Stage, outcome: &Outcome) {
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(stage.forge.faults_left(), 0, "everything that was to go wrong did");
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    let found = stage.posted().iter().filter(|body| body.contains("countersign:finding")).count();
    assert_eq!(found, 1, "{:?}", stage.posted());
}

#[test]
fn a_rate_limit_of_the_forge_is_waited_for_and_the_mission_is_done() {
    for place in [READ_REQUEST, READ_BRANCH, WRITE_REVIEW] {
        let (stage, outcome) = mission([on(place).primary_limit(1), on(place).secondary_limit(1)]);
        went_well(&stage, &outcome);
    }
}

#[test]
fn a_rate_limit_of_the_tracker_is_waited_for_and_the_mission_is_done() {
    for place in [READ_TICKET, WRITE_TICKET] {
        let (stage, outcome) = mission([on(place).primary_limit(1), on(place).secondary_limit(1)]);
        went_well(&stage, &outcome);
    }
}

#[test]
fn a_conflict_is_looked_at_again_and_nothing_is_there_twice() {
    for place in [WRITE_REVIEW, WRITE_TICKET] {
        let (stage, outcome) = mission([on(place).status(409)]);
        went_well(&stage, &outcome);
    }
}

/// 401: nobody knows the token. 403: it may not do this.
#[test]
fn a_forge_that_refuses_is_told_to_the_ticket_with_the_reason() {
    for status in [401, 403] {
        for place in [READ_REQUEST, READ_BRANCH] {
            let (stage, outcome) = mission([on(place).status(status).always()]);
            assert_eq!(outcome.code, Some(4), "{status} {place:?} {}", outcome.stdout);
            assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
            let told = stage.told().pop().unwrap();
            assert!(told.contains("failed while looking for the") && told.contains("token"), "{told}");
            assert!(outcome.stdout.contains("token"), "{}", outcome.stdout);
            assert_eq!(stage.posted().len(), 0);
        }
    }
}

#[test]
fn a_tracker_that_refuses_leaves_an_escalation_with_the_reason() {
    for status in [401, 403] {
        for place in [READ_TICKET, WRITE_TICKET] {
            let refused = [on(place).status(status).always(), on(WRITE_TICKET).status(status).always()];
            let (stage, outcome) = mission(refused);
            assert_eq!(outcome.code, Some(4), "{status} {place:?} {}", outcome.stdout);
            assert!(outcome.stdout.contains("could not be told"), "{}", outcome.stdout);
            assert!(
                outcome.stdout.contains("countersign escalation show mission/PROJ-1"),
                "{}",
                outcome.stdout
            );
            assert_eq!((stage.told().len(), stage.posted().len()), (0, 0), "{status} {place:?}");
            let listed = countersign(stage.folder.path(), &["escalation", "list"]);
            assert!(listed.words().contains("mission/PROJ-1"), "{}{}", listed.stdout, listed.stderr);
            let shown = countersign(stage.folder.path(), &["escalation", "show", "mission/PROJ-1"]);
            assert!(shown.stdout.contains("token"), "{}", shown.stdout);
            stage.nothing_leaked(&shown);
        }
    }
}

#[test]
fn a_tracker_that_lets_us_in_again_is_told_by_one_more() {
    let (stage, outcome) = mission([on(WRITE_TICKET).after(1).status(403).always()]);
    assert_eq!(outcome.code, Some(4), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!((stage.count("start"), stage.count("result")), (1, 0), "{:?}", stage.told());
    stage.forge.heal();
    let decided = countersign(stage.folder.path(), &["escalation", "resolve", "mission/PROJ-1", "one-more"]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
    assert_eq!(stage.model.questions().len(), 1, "the review is not paid for again");
}

#[test]
fn a_ticket_that_cannot_be_read_for_a_moment_is_asked_for_again() {
    let (stage, outcome) = mission([on(READ_TICKET).status(503), on(READ_TICKET).cut_before()]);
    went_well(&stage, &outcome);
}
