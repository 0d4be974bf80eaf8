use std::collections::BTreeSet;

use proptest::prelude::*;

use super::tables::table;
use super::*;

fn limits() -> impl Strategy<Value = Limits> {
    (1..6u32, 0..3u32, 0..3u32, 0..3u32).prop_flat_map(|(hard_cap, inconclusive, validation, retries)| {
        (0..hard_cap, 1..=hard_cap, 1..=hard_cap).prop_map(move |(revisions, cycles, rounds)| Limits {
            max_revisions: revisions,
            max_review_cycles: cycles,
            max_rounds: rounds,
            hard_cap,
            inconclusive_retries: inconclusive,
            max_validation_failures: validation,
            max_retries: retries,
            ..Limits::default()
        })
    })
}

fn start() -> impl Strategy<Value = Cycle> {
    let limits = prop_oneof![Just(Limits::default()), limits()];
    (0..7usize, limits, 0..7u32, 0..3u32).prop_map(|(kind, limits, review_attempt, granted)| {
        let chain = Chain { review_attempt, granted };
        match kind {
            0 => Cycle::ticket(ReviewMode::On, limits),
            1 => Cycle::ticket(ReviewMode::Off, limits),
            2 => Cycle::assignment(limits),
            3 => Cycle::story(limits),
            4 => Cycle::task(TaskKind::Review, limits, chain),
            5 => Cycle::task(TaskKind::Fix, limits, chain),
            _ => Cycle::task(TaskKind::Other, limits, chain),
        }
        .unwrap()
    })
}

/// Every event, rejections more often than passes so that runs become long.
fn event() -> impl Strategy<Value = Event> {
    let name = || prop_oneof![Just("a".to_owned()), Just("b".to_owned())];
    prop_oneof![
        2 => Just(Event::Enqueue),
        1 => Just(Event::Accept),
        4 => Just(Event::Start),
        4 => Just(Event::Submit),
        3 => Just(Event::ValidationPassed),
        1 => Just(Event::ValidationFailed { reason: "red".into() }),
        1 => Just(passed()),
        6 => Just(rejected()),
        2 => Just(inconclusive()),
        2 => Just(crash()),
        1 => name().prop_map(|dependency| Event::DependencyFailed { dependency }),
        2 => name().prop_map(|dependency| Event::DependencyRecovered { dependency }),
        1 => Just(unmergeable()),
        1 => Just(Event::Cancel),
        2 => Just(Event::Retry),
        2 => Just(Event::Resume),
        4 => (0..4usize).prop_map(|which| Event::resolved(Resolution::ALL[which])),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 0..80)
}

/// Applies what is legal and skips the rest: every cycle on the way, and the events that made it.
fn run(start: &Cycle, events: &[Event]) -> (Vec<Cycle>, Vec<Event>) {
    let (mut cycles, mut accepted) = (vec![start.clone()], vec![]);
    for event in events {
        if let Some((next, _)) = cycles[cycles.len() - 1].step(event) {
            cycles.push(next);
            accepted.push(event.clone());
        }
    }
    (cycles, accepted)
}

fn last(start: &Cycle, events: &[Event]) -> Cycle {
    run(start, events).0.pop().unwrap()
}

/// What machines do by themselves, the worst first if `luck` says so.
fn next_by_machine(cycle: &Cycle, luck: usize) -> Option<Event> {
    let mine: Vec<_> = cycle
        .allowed()
        .into_iter()
        .flat_map(|event| match event {
            Event::Reviewed { .. } => vec![rejected(), inconclusive(), passed()],
            Event::Retry
            | Event::Resume
            | Event::Resolve { .. }
            | Event::Cancel
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. } => vec![],
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::MergeFailed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. } => vec![event],
        })
        .collect();
    mine.get(luck % mine.len().max(1)).cloned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn only_the_drawn_transitions_happen(start in start(), events in events()) {
        let drawn = table(start.lifecycle());
        for pair in run(&start, &events).0.windows(2) {
            let step = (pair[0].status(), pair[1].status());
            prop_assert!(step.0 == step.1 || drawn.contains(&step), "{step:?}");
        }
    }

    #[test]
    fn left_to_itself_every_run_ends_or_waits_for_somebody(
        start in start(),
        events in events(),
        luck in prop::collection::vec(0..6usize, 1..40),
    ) {
        let mut cycle = last(&start, &events);
        let mut luck = luck.into_iter().cycle();
        for _ in 0..1000 {
            match next_by_machine(&cycle, luck.next().unwrap()) {
                Some(event) => cycle = cycle.apply(&event).unwrap().0,
                None => break,
            }
        }
        let resting = [WaitsFor::Human, WaitsFor::Dependencies, WaitsFor::Nobody];
        prop_assert!(resting.contains(&cycle.waits_for()), "{cycle:?}");
    }

    #[test]
    fn counters_never_pass_their_limits(start in start(), events in events()) {
        for cycle in run(&start, &events).0 {
            let (counters, limits) = (cycle.counters(), cycle.limits());
            let is_fix = cycle.lifecycle() == Lifecycle::Task { task: TaskKind::Fix };
            let first = if is_fix { 0 } else { 1 };
            prop_assert!((first..=cycle.max_reviews()).contains(&counters.attempt), "{cycle:?}");
            prop_assert!(cycle.max_reviews() <= limits.hard_cap, "{cycle:?}");
            prop_assert!(counters.inconclusive <= limits.inconclusive_retries);
            prop_assert!(counters.validation_failures <= limits.max_validation_failures);
            prop_assert!(counters.execution_failures <= limits.max_retries);
            prop_assert!(counters.merge_failures <= limits.max_validation_failures);
        }
    }

    #[test]
    fn replaying_the_accepted_events_gives_the_same_cycle(start in start(), events in events()) {
        let (cycles, accepted) = run(&start, &events);
        prop_assert_eq!(replay(start, &accepted), Ok(cycles[cycles.len() - 1].clone()));
    }

    #[test]
    fn cycles_and_events_survive_storage(start in start(), events in events()) {
        let (cycles, accepted) = run(&start, &events);
        let text = serde_json::to_string(&(&cycles, &accepted)).unwrap();
        let read: (Vec<Cycle>, Vec<Event>) = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read, (cycles, accepted));
    }

    #[test]
    fn a_refusal_tells_the_truth(start in start(), events in events(), event in event()) {
        let cycle = last(&start, &events);
        let allowed: BTreeSet<_> = cycle.allowed().iter().map(Event::name).collect();
        match cycle.apply(&event) {
            Ok(_) => prop_assert!(allowed.contains(event.name())),
            Err(illegal) => {
                prop_assert_eq!(illegal.allowed.into_iter().collect::<BTreeSet<_>>(), allowed.clone());
                let names_another = matches!(event, Event::DependencyRecovered { .. });
                prop_assert!(names_another || !allowed.contains(event.name()));
            }
        }
    }

    #[test]
    fn an_inconclusive_review_costs_no_attempt_and_is_never_clean(start in start(), events in events()) {
        let cycle = last(&start, &events);
        if let Ok((next, effects)) = cycle.apply(&inconclusive()) {
            prop_assert_eq!(next.counters().attempt, cycle.counters().attempt);
            prop_assert_eq!(next.max_reviews(), cycle.max_reviews());
            let is_done = matches!(next.state(), State::Done { .. });
            prop_assert!(!is_done && !effects.contains(&Effect::RecordReviewApproved));
        }
    }

    #[test]
    fn only_a_passed_review_is_approved(start in start(), events in events(), event in event()) {
        let cycle = last(&start, &events);
        if let Ok((next, effects)) = cycle.apply(&event) {
            let approved = next.state() == &State::Done { outcome: Done::Approved };
            prop_assert_eq!(approved, event == passed());
            prop_assert_eq!(effects.contains(&Effect::RecordReviewApproved), approved);
        }
    }

    #[test]
    fn a_story_follows_the_decision_matrix(start in start(), events in events(), must_fix in 0..3u32) {
        let cycle = last(&start, &events);
        if cycle.lifecycle() != Lifecycle::Story || cycle.state() != &State::Reviewing {
            return Ok(());
        }
        let tally = Tally { important: must_fix, ..Tally::default() };
        let next = cycle.apply(&Event::reviewed(Outcome::of_tally(&tally))).unwrap().0;
        let expected = match decide(must_fix, cycle.round(), cycle.max_reviews()) {
            NextStep::Clean => "done",
            NextStep::Fix => "fixing",
            NextStep::Escalate => "escalated",
        };
        prop_assert_eq!(next.status(), expected);
    }
}

/// Everything that can be reached by any events at all, and the statuses of each step on the way.
fn explore(start: Cycle) -> BTreeSet<(&'static str, &'static str)> {
    let mut steps = BTreeSet::new();
    let mut known = BTreeSet::from([format!("{start:?}")]);
    let mut open = vec![start];
    while let Some(cycle) = open.pop() {
        assert!(known.len() < 20_000, "something counts without end: {cycle:?}");
        let mut events = cycle.allowed();
        events.extend([rejected(), inconclusive()]);
        for (next, _) in events.iter().filter_map(|event| cycle.step(event)) {
            if cycle.status() != next.status() {
                steps.insert((cycle.status(), next.status()));
            }
            if known.insert(format!("{next:?}")) {
                open.push(next);
            }
        }
    }
    steps
}

#[test]
fn exactly_the_drawn_transitions_can_happen() {
    let limits = || Limits {
        max_revisions: 1,
        max_review_cycles: 2,
        max_rounds: 2,
        hard_cap: 3,
        inconclusive_retries: 1,
        max_validation_failures: 1,
        max_retries: 1,
        ..Limits::default()
    };
    let starts = [
        Cycle::ticket(ReviewMode::On, limits()),
        Cycle::ticket(ReviewMode::Off, limits()),
        Cycle::assignment(limits()),
        Cycle::story(limits()),
        Cycle::task(TaskKind::Review, limits(), Chain { review_attempt: 2, granted: 0 }),
        Cycle::task(TaskKind::Fix, limits(), Chain::FIRST),
        Cycle::task(TaskKind::Other, limits(), Chain::FIRST),
    ];
    for start in starts {
        let start = start.unwrap();
        let drawn: BTreeSet<_> = table(start.lifecycle()).iter().copied().collect();
        assert_eq!(explore(start.clone()), drawn, "{:?}", start.lifecycle());
    }
}
