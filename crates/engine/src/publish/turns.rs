use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Has publishers for the same request go one after the other.
///
/// Turns save work and keep duplicates from ever appearing; they are not what the promise rests on. Publishers that
/// cannot see each other's turns agree afterwards on which comment stays.
pub trait Turns: Send + Sync {
    /// Gives the turn back when dropped.
    type Held: Send;

    fn take(&self, request: &str) -> impl Future<Output = Self::Held> + Send;
}

/// Among the publishers of one process.
#[derive(Debug, Default)]
pub struct LocalTurns {
    turns: Mutex<HashMap<String, Arc<Turn<()>>>>,
}

impl LocalTurns {
    fn turn(&self, request: &str) -> Arc<Turn<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(request.to_owned()).or_default())
    }
}

impl Turns for LocalTurns {
    type Held = OwnedMutexGuard<()>;

    async fn take(&self, request: &str) -> OwnedMutexGuard<()> {
        self.turn(request).lock_owned().await
    }
}
