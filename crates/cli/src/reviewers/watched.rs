use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use brain::{Answer, Call, CallError, Mind};

/// What was answered in a review, and by whom.
#[derive(Debug, Default)]
pub(super) struct Seen {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    answers: usize,
    reused: usize,
    models: BTreeSet<String>,
}

/// A mind whose answers are counted.
#[derive(Debug)]
pub(super) struct Watched<M> {
    mind: M,
    seen: Arc<Seen>,
}

impl<M: Mind> Watched<M> {
    pub(super) fn new(mind: M, seen: &Arc<Seen>) -> Self {
        Watched { mind, seen: Arc::clone(seen) }
    }
}

impl<M: Mind> Mind for Watched<M> {
    fn name(&self) -> String {
        self.mind.name()
    }

    fn models(&self) -> Vec<String> {
        self.mind.models()
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        let answer = self.mind.ask(call).await?;
        let mut told = self.seen.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.answers += 1;
        told.reused += usize::from(answer.cached);
        told.models.insert(answer.model.clone());
        Ok(answer)
    }
}

impl Seen {
    /// For the report: what was not asked anew, and that another answered than the one asked first.
    pub(super) fn remarks(&self, asked: &[String]) -> Vec<String> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut remarks = Vec::new();
        match (told.reused, told.answers) {
            (0, _) => {}
            (reused, answers) if reused == answers => remarks.push(
                "Nobody was asked: exactly this was answered before, and those answers are used again"
                    .to_owned(),
            ),
            (reused, answers) => remarks.push(format!(
                "{reused} of {answers} answers were given to identical questions before, and were reused"
            )),
        }
        let others: Vec<&str> =
            told.models.iter().filter(|model| !asked.contains(model)).map(String::as_str).collect();
        if !others.is_empty() {
            remarks.push(format!("Answered by {}, since {} failed", others.join(", "), asked.join(", ")));
        }
        remarks
    }
}
