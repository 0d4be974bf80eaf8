//! Models behind providers' interfaces: asked in the order of the user's list, the next when one fails.
//!
//! Answers are streamed, for three reasons: a model that has fallen silent is noticed, an answer without end is
//! stopped, and one that was broken off is never taken for a complete one.

mod attempt;
mod listen;
mod priority;
mod provider;
mod secrets;
mod survey;
mod target;
mod trouble;
mod wait;
mod wire;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::config::ModelPolicy;
use domain::review::{Evidence, Finding};

use crate::call::{Answer, Call, CallError, Mind};
use target::Target;
use trouble::combined;

pub use priority::MODEL_PRIORITY;
pub use survey::{Listed, key_variables, listed_models};

/// Without a sign of life for this long, a model is given up. Reasoning models think for minutes before they
/// say a word.
const PATIENCE: Duration = Duration::from_secs(300);

/// The models of the user's list. Clones share what was learnt about them.
#[derive(Debug, Clone)]
pub struct Models {
    targets: Vec<Arc<Target>>,
    limit: Limit,
    patience: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Limit {
    PerCall(Duration),
    Until(Instant),
}

impl Models {
    /// `variable` reads the environment. Fails with [`CallError::NotConfigured`], which says what to set.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
        policy: &ModelPolicy,
    ) -> Result<Models, CallError> {
        let targets = priority::targets(&variable, policy).map_err(CallError::NotConfigured)?;
        let limit = Limit::PerCall(Duration::from_secs(u64::from(policy.timeout.max(1))));
        Ok(Models { targets: targets.into_iter().map(Arc::new).collect(), limit, patience: PATIENCE })
    }

    /// `provider:model` of each, in the order in which they are tried.
    pub fn names(&self) -> Vec<String> {
        self.targets.iter().map(|target| target.name.clone()).collect()
    }

    /// What tells these models from others of the same names: where they are. Holds no key.
    pub fn identity(&self) -> String {
        let places: Vec<String> = self.targets.iter().map(|target| target.identity()).collect();
        places.join(",")
    }

    /// The same models for one review, all calls of which have to be over by then, waiting included.
    pub fn until(&self, deadline: Instant) -> Models {
        Models { limit: Limit::Until(deadline), ..self.clone() }
    }

    /// How long a model may be silent before it is given up.
    pub fn with_patience(self, patience: Duration) -> Models {
        Models { patience, ..self }
    }

    /// Each model by itself, for those who want several opinions.
    pub fn one_by_one(&self) -> Vec<Models> {
        self.targets
            .iter()
            .map(|target| Models { targets: vec![Arc::clone(target)], ..self.clone() })
            .collect()
    }

    /// Takes our own keys out of all that was said: a model that has seen one may repeat it.
    pub fn mask(&self, evidence: &mut Evidence) {
        let Evidence { findings, troubles, remarks, answered_by, .. } = evidence;
        let texts = findings.iter_mut().flat_map(Finding::texts_mut);
        let texts = texts.chain(troubles.iter_mut().map(|trouble| &mut trouble.message));
        for text in texts.chain(remarks).chain(answered_by) {
            for target in &self.targets {
                *text = target.secrets.mask(text);
            }
        }
    }

    fn deadline(&self) -> Instant {
        match self.limit {
            Limit::PerCall(limit) => Instant::now() + limit,
            Limit::Until(deadline) => deadline,
        }
    }
}

impl Mind for Models {
    fn name(&self) -> String {
        self.names().join(", ")
    }

    fn models(&self) -> Vec<String> {
        self.names()
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        let deadline = self.deadline();
        let asked = |target: &&Arc<Target>| !call.passing_over.contains(&target.name);
        let targets: Vec<_> = self.targets.iter().filter(asked).collect();
        if targets.is_empty() {
            return Err(CallError::NotConfigured("there is no other model to be asked".to_owned()));
        }
        let mut tried = Vec::new();
        for (position, target) in targets.iter().enumerate() {
            let others = match targets.len() - position {
                1 => attempt::Others::None,
                _ => attempt::Others::Left,
            };
            match attempt::ask(target, call, deadline, self.patience, others).await {
                Ok(answer) => return Ok(answer),
                Err(error) => tried.push(error),
            }
        }
        Err(combined(tried))
    }
}
