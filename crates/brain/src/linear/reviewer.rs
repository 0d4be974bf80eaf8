use std::time::Duration;

use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence};
use futures_util::stream::{self, StreamExt};
use tokio::runtime::{Builder, Handle};
use tokio::time::Instant;

use super::ask::{Outcome, ask, who_answered};
use super::conclude::{Heard, conclude};
use super::merge;
use super::plan::{Draft, Plan};
use crate::answer::Reader;
use crate::call::Mind;
use crate::clean::Redact;

/// Reviews by one structured question per bundle of hunks: `LINEAR_DETERMINISTIC`.
///
/// How it asks is `config.model` of the request. It never fails for what a model does: what could not be found
/// out is in the troubles of the evidence, beside all that could.
#[derive(Debug)]
pub struct LinearReviewer<M> {
    pub(crate) name: String,
    pub(crate) minds: Vec<M>,
    pub(crate) redact: Redact,
    pub(crate) runtime: Option<Handle>,
}

impl<M: Mind> LinearReviewer<M> {
    /// `minds` are as many as `model.consensus` asks for, or more; further ones are not asked. Nothing that
    /// `redact` masks is sent to any of them.
    pub fn new(name: impl Into<String>, minds: Vec<M>, redact: Redact) -> Self {
        LinearReviewer { name: name.into(), minds, redact, runtime: None }
    }

    /// Calls are made on this runtime, which has to outlive the reviews. Without it each review has one of its own,
    /// which is no good to minds that keep connections open in between.
    #[must_use]
    pub fn on(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// The review itself, for callers that have a runtime. Reads sources before it asks anything, and blocks
    /// while it does.
    pub async fn run(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let policy = &request.config.model;
        let deadline = Instant::now() + Duration::from_secs(policy.timeout.into());
        let draft = Draft::make(request, self.redact).map_err(|error| self.failed(error.to_string()))?;
        self.ask_about(request, draft, deadline).await
    }

    /// The review of a change that has been drafted, until `deadline` at most.
    pub(crate) async fn ask_about(
        &self,
        request: &ReviewRequest<'_>,
        draft: Draft,
        deadline: Instant,
    ) -> Result<Evidence, ReviewerError> {
        let policy = &request.config.model;
        let minds = self.asked(policy.consensus)?;
        let plan = draft.pack(request).map_err(|error| self.failed(error.to_string()))?;
        let reader = plan.ground.reader(request);
        let parallel = policy.parallel.max(1) as usize;
        let outcomes = self.ask_all(minds, &plan, &reader, parallel, deadline).await;

        let mut heard = Heard {
            coverage: Coverage::plan(request.change),
            remarks: plan.ground.frame.cut.clone(),
            ..Heard::default()
        };
        for (mind, outcomes) in minds.iter().zip(outcomes) {
            outcomes.iter().for_each(|outcome| heard.usage += outcome.usage);
            let name = who_answered(mind, outcomes.iter().flat_map(|outcome| &outcome.readings));
            merge::see(&mut heard.coverage, request.change, &plan.bundles, &name, &outcomes);
            heard.opinions.push((name, merge::opinion(&outcomes)));
        }
        Ok(conclude(minds, request, Some(&plan), heard, deadline).await)
    }

    /// All bundles by all minds, by mind and bundle, `parallel` at a time.
    async fn ask_all(
        &self,
        minds: &[M],
        plan: &Plan,
        reader: &Reader<'_>,
        parallel: usize,
        deadline: Instant,
    ) -> Vec<Vec<Outcome>> {
        let bundles = plan.bundles.len();
        let questions = minds.iter().flat_map(|mind| plan.parts().map(move |part| (mind, part)));
        let mut all: Vec<(usize, Outcome)> = stream::iter(questions.enumerate())
            .map(
                |(index, (mind, part))| async move { (index, ask(mind, part, plan, reader, deadline).await) },
            )
            .buffer_unordered(parallel)
            .collect()
            .await;
        all.sort_by_key(|(index, _)| *index);
        let mut by_mind = Vec::new();
        for _ in minds {
            let rest = all.split_off(bundles.min(all.len()));
            by_mind.push(all.into_iter().map(|(_, outcome)| outcome).collect());
            all = rest;
        }
        by_mind
    }

    /// The minds that review, if there are as many as `model.consensus` asks for.
    pub(crate) fn asked(&self, consensus: u32) -> Result<&[M], ReviewerError> {
        let wanted = consensus.max(1) as usize;
        self.minds.get(..wanted).ok_or_else(|| {
            let there = self.minds.len();
            self.failed(format!("model.consensus asks for {wanted} models, and {there} are configured"))
        })
    }

    pub(crate) fn failed(&self, reason: impl Into<String>) -> ReviewerError {
        ReviewerError { reviewer: self.name.clone(), reason: reason.into() }
    }

    /// Waits for a review on a thread of its own, so that it may be called from anywhere.
    pub(crate) fn wait<'a, F>(
        &'a self,
        review: impl FnOnce() -> F + Send + 'a,
    ) -> Result<Evidence, ReviewerError>
    where
        F: Future<Output = Result<Evidence, ReviewerError>> + 'a,
    {
        let block_on = || match &self.runtime {
            Some(runtime) => runtime.block_on(review()),
            None => Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| self.failed(format!("no runtime could be started: {error}")))?
                .block_on(review()),
        };
        std::thread::scope(|scope| {
            let review = scope.spawn(block_on);
            review
                .join()
                .unwrap_or_else(|_| Err(self.failed("it broke down; this is a defect of Countersign")))
        })
    }
}

impl<M: Mind> Reviewer for LinearReviewer<M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        self.wait(|| self.run(request))
    }
}
