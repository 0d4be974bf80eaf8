use std::future::Future;
use std::time::Duration;

use super::StoreError;

/// What is done outside, once, by one of all who share a store: a comment on a ticket, for one, which cannot be taken
/// back and may be listed late.
///
/// The store cannot hold back whoever is paused for longer than its lease and then goes on. So the lease is extended
/// while the work goes on, and whatever was done is looked for outside before it is done again.
pub trait EffectStore: Send + Sync {
    /// Takes the effect for `lease` from now, or extends it for whoever has it. A holder that dies keeps others waiting
    /// for no longer than that.
    fn begin_effect(
        &self,
        effect: &Effect<'_>,
        lease: Duration,
    ) -> impl Future<Output = Result<Begun, StoreError>> + Send;

    /// It has happened, and nobody begins it again.
    fn effect_done(&self, effect: &Effect<'_>) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// It has not happened, and may be begun by somebody else at once. Nothing changes if it is done, or held by another.
    fn leave_effect(&self, effect: &Effect<'_>) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// One effect, as one of those sees it who want it done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect<'a> {
    /// What is to be done, the same for everybody who wants the same.
    pub key: &'a str,
    /// Whom nobody else is called like.
    pub holder: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// It is ours to do.
    Ours,
    /// Somebody is at it.
    Elsewhere,
    /// It has happened.
    Done,
}
