//! Random steps on the store, and the same events on a cycle by itself.

use domain::assignments::{AssignmentId, Step};
use domain::cycle::{Cycle, Event, Limits, Outcome, Resolution};
use domain::ports::AssignmentStore;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use store::Store;

use crate::assigning::{accept, draft, green, made, mia, review, reviewer, submit};
use crate::place::*;

#[derive(Debug, Clone)]
enum Move {
    Accept,
    Submit,
    Review(Outcome),
    Resolve(Resolution),
}

fn a_move() -> impl Strategy<Value = Move> {
    let outcome = prop_oneof![
        1 => Just(Outcome::Passed),
        4 => Just(Outcome::Rejected),
        2 => Just(Outcome::Inconclusive { reason: "cut off".to_owned() }),
    ];
    prop_oneof![
        4 => Just(Move::Accept),
        4 => Just(Move::Submit),
        5 => outcome.prop_map(Move::Review),
        2 => prop::sample::select(Resolution::ALL.to_vec()).prop_map(Move::Resolve),
    ]
}

/// What a move means to the cycle where it stands; nothing where it has to be refused.
fn events(cycle: &Cycle, a_move: &Move) -> Vec<Event> {
    match (a_move, cycle.status()) {
        (Move::Accept, "pending") => vec![Event::Accept, Event::Start],
        (Move::Accept, "rework") => vec![Event::Start],
        (Move::Submit, "in_progress") => vec![Event::Submit],
        (Move::Review(outcome), "completed") => vec![Event::reviewed(outcome.clone())],
        (Move::Resolve(resolution), "escalated") => vec![Event::resolved(*resolution)],
        (Move::Accept | Move::Submit | Move::Review(_) | Move::Resolve(_), _) => Vec::new(),
    }
}

async fn take(store: &Store, id: AssignmentId, a_move: &Move, number: u32) -> bool {
    let (step, by) = match a_move {
        Move::Accept => (accept(), green()),
        Move::Submit => (submit(number), green()),
        Move::Review(outcome) => (review(outcome.clone()), reviewer("purple")),
        Move::Resolve(resolution) => (Step::Resolve { resolution: *resolution, note: None }, mia()),
    };
    store.take_step(id, &step, &by).await.is_ok()
}

async fn follow(store: &Store, moves: &[Move]) {
    let id = made(store, draft()).await.id;
    let mut cycle = Cycle::assignment(Limits::default()).unwrap();
    let mut verdicts = 0;
    for (number, a_move) in (1..).zip(moves) {
        let events = events(&cycle, a_move);
        let expected = events
            .iter()
            .try_fold(cycle.clone(), |cycle, event| Ok::<_, ()>(cycle.apply(event).map_err(|_| ())?.0));
        let expected = expected.ok().filter(|_| !events.is_empty());
        assert_eq!(take(store, id, a_move, number).await, expected.is_some(), "{a_move:?} on {cycle:?}");
        if expected.is_some() && matches!(a_move, Move::Review(_)) {
            verdicts += 1;
        }
        cycle = expected.unwrap_or(cycle);
        let stored = store.assignment(id).await.unwrap().unwrap();
        assert_eq!(stored.cycle, cycle);
        let is_handed_in = matches!(cycle.status(), "completed" | "approved" | "escalated" | "closed");
        assert_eq!(stored.completed_at.is_some(), is_handed_in, "{cycle:?}");
    }
    assert_eq!(store.assignment_reviews(id).await.unwrap().len(), verdicts);
}

fn agrees_with_the_cycle(place: &Place, runtime: &tokio::runtime::Runtime) {
    let config = Config { cases: 32, failure_persistence: None, ..Config::default() };
    let moves = prop::collection::vec(a_move(), 1..50);
    let answer = TestRunner::new(config).run(&moves, |moves| {
        runtime.block_on(follow(&place.store, &moves));
        Ok(())
    });
    answer.unwrap();
}

#[test]
fn sqlite_agrees_with_the_cycle() {
    let runtime = runtime();
    let place = runtime.block_on(Place::sqlite());
    agrees_with_the_cycle(&place, &runtime);
}

#[test]
fn postgres_agrees_with_the_cycle() {
    let Some(postgres) = Postgres::find() else { return };
    let runtime = runtime();
    let place = runtime.block_on(async { Place::postgres(postgres.fresh_database().await).await });
    agrees_with_the_cycle(&place, &runtime);
}
