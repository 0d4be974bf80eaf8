use std::time::Duration;

use domain::ports::{Begun, Effect, EffectStore};

use crate::place::*;

scenarios![
    one_of_many_begins_an_effect_and_the_others_learn_that_it_is_done,
    whoever_has_an_effect_extends_it_and_what_is_left_is_free_at_once,
    a_holder_that_died_keeps_nobody_waiting_for_longer_than_its_lease,
    what_was_left_too_late_stays_with_whoever_has_it,
];

fn effect<'a>(holder: &'a str) -> Effect<'a> {
    Effect { key: "hand-in:PROJ-1", holder }
}

async fn one_of_many_begins_an_effect_and_the_others_learn_that_it_is_done(place: Place) {
    let neighbour = place.neighbour().await;
    for round in 0..20 {
        let key = format!("hand-in:{round}");
        let begun = (0..8).map(|number| {
            let store = if number % 2 == 0 { place.store.clone() } else { neighbour.clone() };
            let key = key.clone();
            tokio::spawn(async move {
                let holder = format!("h{number}");
                store.begin_effect(&Effect { key: &key, holder: &holder }, LONG).await.unwrap()
            })
        });
        let mut ours = 0;
        for begun in begun.collect::<Vec<_>>() {
            ours += usize::from(begun.await.unwrap() == Begun::Ours);
        }
        assert_eq!(ours, 1, "round {round}");
        let late = Effect { key: &key, holder: "late" };
        assert_eq!(place.store.begin_effect(&late, LONG).await.unwrap(), Begun::Elsewhere);
        place.store.effect_done(&Effect { key: &key, holder: "h0" }).await.unwrap();
        assert_eq!(neighbour.begin_effect(&late, LONG).await.unwrap(), Begun::Done);
    }
}

async fn whoever_has_an_effect_extends_it_and_what_is_left_is_free_at_once(place: Place) {
    let store = &place.store;
    for _ in 0..2 {
        assert_eq!(store.begin_effect(&effect("a"), LONG).await.unwrap(), Begun::Ours);
    }
    store.leave_effect(&effect("a")).await.unwrap();
    assert_eq!(store.begin_effect(&effect("b"), LONG).await.unwrap(), Begun::Ours);
}

async fn a_holder_that_died_keeps_nobody_waiting_for_longer_than_its_lease(place: Place) {
    let store = &place.store;
    assert_eq!(store.begin_effect(&effect("dead"), NONE).await.unwrap(), Begun::Ours);
    assert_eq!(store.begin_effect(&effect("next"), LONG).await.unwrap(), Begun::Ours);
    assert_eq!(store.begin_effect(&effect("dead"), LONG).await.unwrap(), Begun::Elsewhere);
}

async fn what_was_left_too_late_stays_with_whoever_has_it(place: Place) {
    let store = &place.store;
    store.begin_effect(&effect("slow"), NONE).await.unwrap();
    store.begin_effect(&effect("next"), Duration::from_secs(60)).await.unwrap();
    store.leave_effect(&effect("slow")).await.unwrap();
    assert_eq!(store.begin_effect(&effect("third"), LONG).await.unwrap(), Begun::Elsewhere);
    store.effect_done(&effect("next")).await.unwrap();
    store.leave_effect(&effect("next")).await.unwrap();
    assert_eq!(store.begin_effect(&effect("third"), LONG).await.unwrap(), Begun::Done);
}
