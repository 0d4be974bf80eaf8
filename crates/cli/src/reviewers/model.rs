use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brain::act::{Equipment, ModelReviewer as Thinking, RepositoryView};
use brain::linear::Mode;
use brain::packing::count;
use brain::{
    Answer, Budgeted, CacheFolder, CachedMind, Call, CallError, Ledger, MODEL_PRIORITY, Mind, Models,
};
use domain::change::{RepoPath, Scope};
use domain::config::ModelPolicy;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError, SourceError};
use domain::review::Evidence;
use git::Repository;

use super::REDACT;
use super::places::{Places, variable};
use super::watched::{Seen, Watched};
use crate::failure::Failure;

/// A model that reviews: asked within its budget, and not twice the same.
#[derive(Debug)]
pub(super) struct ModelReviewer {
    thinking: Thinking<Watched<Careful>>,
    seen: Arc<Seen>,
    all: Models,
    /// Those that are asked before any other.
    first: Vec<String>,
}

/// `models` stands in for the list in the environment, and `mode` for what the policy says.
pub(super) fn reviewer(
    policy: &ModelPolicy,
    models: Option<&str>,
    mode: Option<Mode>,
    task: Option<&str>,
    equipment: Equipment,
) -> Result<ModelReviewer, Failure> {
    let all = listed(policy, models)?;
    let asked = match policy.consensus {
        0 | 1 => vec![all.clone()],
        wanted => all.one_by_one().into_iter().take(wanted as usize).collect(),
    };
    let first: Vec<String> = asked.iter().filter_map(|models| models.names().into_iter().next()).collect();
    let name = asked.iter().map(Mind::name).collect::<Vec<_>>().join(", ");
    let places = Places::of_this_user();
    let shared = share(policy, asked.len());
    let deadline = Instant::now() + Duration::from_secs(policy.timeout.into());
    let seen = Arc::new(Seen::default());
    let careful = |models: &Models| Careful::new(&models.until(deadline), &shared, task, &places);
    let minds = asked.iter().map(|models| Ok(Watched::new(careful(models)?, &seen)));
    let minds = minds.collect::<Result<Vec<_>, CallError>>().map_err(|error| not_configured(&error))?;
    let mut thinking = Thinking::new(name, minds, REDACT).with(equipment);
    if let Some(mode) = mode {
        thinking = thinking.in_mode(mode);
    }
    Ok(ModelReviewer { thinking, seen, all, first })
}

/// The repository a model may look around in.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) repository: PathBuf,
}

impl RepositoryView for Tree {
    fn files(&self, scope: &Scope) -> Result<Vec<RepoPath>, SourceError> {
        let listed = Repository::discover(&self.repository).and_then(|repository| repository.files(scope));
        listed.map_err(|error| SourceError { path: scope.head_name.clone(), reason: error.to_string() })
    }
}

impl Reviewer for ModelReviewer {
    fn name(&self) -> &str {
        self.thinking.name()
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let mut evidence = self.thinking.review(request)?;
        evidence.remarks.extend(self.seen.remarks(&self.first));
        self.all.mask(&mut evidence);
        Ok(evidence)
    }
}

/// Each of several models has its part of what the review may spend, so that together they keep to it.
fn share(policy: &ModelPolicy, minds: usize) -> ModelPolicy {
    let part = |limit: u64| match limit {
        0 => 0,
        limit => (limit / minds.max(1) as u64).max(1),
    };
    let mut shared = policy.clone();
    shared.budget.tokens_per_review = part(policy.budget.tokens_per_review);
    shared.budget.cents_per_review = part(policy.budget.cents_per_review);
    shared
}

fn listed(policy: &ModelPolicy, models: Option<&str>) -> Result<Models, Failure> {
    let value = |name: &str| match (name, models) {
        (MODEL_PRIORITY, Some(models)) => Some(models.to_owned()),
        _ => variable(name),
    };
    Models::from_environment(value, policy).map_err(|error| not_configured(&error))
}

/// Fails where no model can be asked, before anybody is paid.
pub(crate) fn is_there(policy: &ModelPolicy, models: Option<&str>) -> Result<(), Failure> {
    listed(policy, models).map(drop)
}

fn not_configured(error: &CallError) -> Failure {
    Failure::new(
        format!("no model can be asked: {error}"),
        format!(
            "for example {MODEL_PRIORITY}=anthropic:MODEL with ANTHROPIC_API_KEY; `countersign doctor` shows what is set"
        ),
    )
}

/// Within its budget; and remembering, where it may and can.
#[derive(Debug)]
enum Careful {
    Remembering(CachedMind<Budgeted<Models>>),
    Forgetful(Budgeted<Models>),
}

impl Careful {
    fn new(
        models: &Models,
        policy: &ModelPolicy,
        task: Option<&str>,
        places: &Places,
    ) -> Result<Careful, CallError> {
        // A limit that cannot be kept without a ledger is refused by the budget itself.
        let ledger = places.ledger.as_deref().and_then(|folder| Ledger::open(folder).ok());
        let count = Arc::new(|text: &str| count(text) as u64);
        let mut budgeted = Budgeted::new(models.clone(), policy, &models.names(), count, ledger)?;
        if let Some(task) = task {
            budgeted = budgeted.for_task(policy, task)?;
        }
        let folder = places.answers.as_deref().filter(|_| policy.cache);
        Ok(match folder.and_then(|folder| CacheFolder::open(folder).ok()) {
            Some(folder) => Careful::Remembering(CachedMind::new(budgeted, folder, models.identity())),
            None => Careful::Forgetful(budgeted),
        })
    }
}

impl Mind for Careful {
    fn name(&self) -> String {
        match self {
            Careful::Remembering(mind) => mind.name(),
            Careful::Forgetful(mind) => mind.name(),
        }
    }

    fn models(&self) -> Vec<String> {
        match self {
            Careful::Remembering(mind) => mind.models(),
            Careful::Forgetful(mind) => mind.models(),
        }
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        match self {
            Careful::Remembering(mind) => mind.ask(call).await,
            Careful::Forgetful(mind) => mind.ask(call).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_models_share_the_budget_of_a_review() {
        let mut policy = ModelPolicy::default();
        policy.budget.tokens_per_review = 90;
        policy.budget.cents_per_review = 1;
        let shared = share(&policy, 3).budget;
        assert_eq!((shared.tokens_per_review, shared.cents_per_review, shared.tokens_per_day), (30, 1, 0));
    }
}
