use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::assignments::{Assignment, AssignmentId, Caller, Refusal};

/// Older ones are forgotten.
const MOST: usize = 10_000;

/// Which attempt each reviewer was shown last, as far as this process knows. It only ever makes a desk stricter: with
/// one that has forgotten, a verdict that names nothing is about what is under review now.
#[derive(Debug, Clone, Default)]
pub struct Handed(Arc<Mutex<BTreeMap<(AssignmentId, String), u32>>>);

impl Handed {
    pub(super) fn note(&self, assignment: &Assignment, to: &Caller) {
        let mut shown = self.shown();
        shown.insert((assignment.id, to.name().to_owned()), assignment.review_attempt());
        if shown.len() > MOST {
            shown.pop_first();
        }
    }

    /// Refuses whoever is known to have looked at another attempt than the one under review.
    pub(super) fn check(&self, assignment: &Assignment, by: &Caller) -> Result<(), Refusal> {
        let (id, attempt) = (assignment.id, assignment.review_attempt());
        match self.shown().get(&(id, by.name().to_owned())) {
            Some(shown) if *shown != attempt => {
                Err(Refusal::ShownAnotherAttempt { id, shown: *shown, attempt })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whoever gave a verdict is done with that attempt.
    pub(super) fn settle(&self, id: AssignmentId, by: &Caller) {
        self.shown().remove(&(id, by.name().to_owned()));
    }

    fn shown(&self) -> MutexGuard<'_, BTreeMap<(AssignmentId, String), u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
