//! Does something outside once, or one after the other, whoever of those that share a store wants it at the same moment.

use std::convert::Infallible;
use std::future::Future;
use std::ops::ControlFlow;
use std::time::Duration;

use domain::ports::{Begun, Effect, EffectStore, StoreError};
use tokio::time::sleep;

/// How long others wait for a holder that died.
const LEASE: Duration = Duration::from_secs(15);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<T> {
    /// By us, now.
    Now(T),
    /// By somebody else, or before.
    Before,
}

/// Waits while somebody else is at it. What fails has not happened and is free for the next one; what succeeds is
/// remembered for good.
///
/// Killed between the effect and our remembering it, the next one begins again after the lease: `work` looks outside for
/// what it is about to do.
pub async fn once<S: EffectStore, T, E: From<StoreError>>(
    store: &S,
    effect: Effect<'_>,
    work: impl Future<Output = Result<T, E>>,
) -> Result<Once<T>, E> {
    let ControlFlow::Continue(begun) = begun(store, &effect, patient).await?;
    if begun == Begun::Done {
        return Ok(Once::Before);
    }
    match kept(store, &effect, work).await {
        Ok(done) => {
            store.effect_done(&effect).await?;
            Ok(Once::Now(done))
        }
        Err(error) => {
            // If this fails, too, the lease ends by itself.
            let _ = store.leave_effect(&effect).await;
            Err(error)
        }
    }
}

/// Works while nobody else who shares the store works at the same, and leaves it to the next one, however it went.
/// Whoever has to wait is asked again and again whether to go on waiting.
///
/// Holders of one name are one: who knows that its predecessor of that name is dead need not wait for it.
pub async fn alone<S: EffectStore, T, Left>(
    store: &S,
    effect: Effect<'_>,
    waits: impl FnMut() -> ControlFlow<Left>,
    work: impl Future<Output = T>,
) -> Result<ControlFlow<Left, T>, StoreError> {
    if let ControlFlow::Break(left) = begun(store, &effect, waits).await? {
        return Ok(ControlFlow::Break(left));
    }
    let done = kept(store, &effect, work).await;
    // If this fails, the lease ends by itself.
    let _ = store.leave_effect(&effect).await;
    Ok(ControlFlow::Continue(done))
}

/// Of those who wait for as long as it takes.
pub fn patient() -> ControlFlow<Infallible> {
    ControlFlow::Continue(())
}

/// Whether it has happened, as far as the store knows. Somebody who is at it has not done it yet.
pub async fn has_happened<S: EffectStore>(store: &S, effect: Effect<'_>) -> Result<bool, StoreError> {
    match store.begin_effect(&effect, LEASE).await? {
        Begun::Done => Ok(true),
        Begun::Elsewhere => Ok(false),
        Begun::Ours => store.leave_effect(&effect).await.map(|()| false),
    }
}

async fn begun<S: EffectStore, Left>(
    store: &S,
    effect: &Effect<'_>,
    mut waits: impl FnMut() -> ControlFlow<Left>,
) -> Result<ControlFlow<Left, Begun>, StoreError> {
    loop {
        match store.begin_effect(effect, LEASE).await? {
            begun @ (Begun::Ours | Begun::Done) => return Ok(ControlFlow::Continue(begun)),
            Begun::Elsewhere => {}
        }
        if let ControlFlow::Break(left) = waits() {
            return Ok(ControlFlow::Break(left));
        }
        sleep(BETWEEN_LOOKS).await;
    }
}

async fn kept<S: EffectStore, T>(store: &S, effect: &Effect<'_>, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = work => done,
        never = keep(store, effect) => match never {},
    }
}

/// Extends the lease for as long as somebody waits for something else.
async fn keep<S: EffectStore>(store: &S, effect: &Effect<'_>) -> Infallible {
    loop {
        sleep(LEASE / 3).await;
        // A store that is away for a moment may be back for the next.
        let _ = store.begin_effect(effect, LEASE).await;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::Instant;

    use super::*;

    /// Until when somebody has it; nothing once it is done.
    #[derive(Debug, Default)]
    pub(crate) struct Memory(Mutex<HashMap<String, Option<(String, Instant)>>>);

    impl EffectStore for Memory {
        async fn begin_effect(&self, effect: &Effect<'_>, lease: Duration) -> Result<Begun, StoreError> {
            let mut all = self.0.lock().unwrap();
            match all.get(effect.key) {
                Some(None) => return Ok(Begun::Done),
                Some(Some((holder, until))) if holder != effect.holder && *until > Instant::now() => {
                    return Ok(Begun::Elsewhere);
                }
                Some(Some(_)) | None => {}
            }
            all.insert(effect.key.to_owned(), Some((effect.holder.to_owned(), Instant::now() + lease)));
            Ok(Begun::Ours)
        }

        async fn effect_done(&self, effect: &Effect<'_>) -> Result<(), StoreError> {
            self.0.lock().unwrap().insert(effect.key.to_owned(), None);
            Ok(())
        }

        async fn leave_effect(&self, effect: &Effect<'_>) -> Result<(), StoreError> {
            self.0.lock().unwrap().remove(effect.key);
            Ok(())
        }
    }

    fn effect(holder: &str) -> Effect<'_> {
        Effect { key: "comment", holder }
    }

    #[tokio::test(start_paused = true)]
    async fn of_two_at_the_same_moment_one_does_it_however_long_it_takes() {
        let (memory, done) = (Memory::default(), AtomicUsize::new(0));
        let work = || async {
            sleep(LEASE * 10).await;
            done.fetch_add(1, Ordering::SeqCst);
            Ok::<(), StoreError>(())
        };
        let (a, b) = tokio::join!(once(&memory, effect("a"), work()), once(&memory, effect("b"), work()));
        assert_eq!(done.load(Ordering::SeqCst), 1);
        assert_eq!([a.unwrap(), b.unwrap()].iter().filter(|once| **once == Once::Before).count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn one_works_after_the_other_and_whoever_loses_patience_does_not_work_at_all() {
        let (memory, at_work) = (Memory::default(), AtomicUsize::new(0));
        let work = || async {
            assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0, "somebody else is at it");
            sleep(LEASE * 10).await;
            at_work.fetch_sub(1, Ordering::SeqCst);
        };
        let (a, b, c) = tokio::join!(
            alone(&memory, effect("a"), patient, work()),
            alone(&memory, effect("b"), patient, work()),
            alone(&memory, effect("c"), || ControlFlow::Break("left"), work()),
        );
        assert!(a.unwrap().is_continue() && b.unwrap().is_continue());
        assert_eq!(c.unwrap(), ControlFlow::Break("left"));
        assert!(!has_happened(&memory, effect("d")).await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn what_failed_is_free_for_the_next_one_at_once() {
        let memory = Memory::default();
        let down = || StoreError::Unavailable { action: "tell", reason: "down".into() };
        let failed = once(&memory, effect("a"), async { Err::<(), _>(down()) }).await;
        assert!(failed.is_err());
        let began = Instant::now();
        let next = once(&memory, effect("b"), async { Ok::<_, StoreError>(7) }).await.unwrap();
        assert_eq!((next, began.elapsed()), (Once::Now(7), Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_holder_that_died_is_waited_for_no_longer_than_its_lease() {
        let memory = Memory::default();
        memory.begin_effect(&effect("dead"), LEASE).await.unwrap();
        let next = once(&memory, effect("b"), async { Ok::<_, StoreError>(7) }).await.unwrap();
        assert_eq!(next, Once::Now(7));
    }
}
