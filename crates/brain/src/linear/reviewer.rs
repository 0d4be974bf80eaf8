use std::time::Duration;

use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence, Usage};
use futures_util::stream::{self, StreamExt};
use tokio::runtime::{Builder, Handle};
use tokio::time::Instant;

use super::ask::{Outcome, ask};
use super::consensus::consensus;
use super::merge::{self, Opinion};
use super::plan::Plan;
use super::verify::{Checked, verify};
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
        let minds = self.asked(policy.consensus)?;
        let plan = Plan::make(request, self.redact).map_err(|error| self.failed(error.to_string()))?;
        let reader = Reader {
            shape: &plan.shape,
            change: request.change,
            gate: &request.config.gate,
            redact: self.redact,
        };
        let parallel = policy.parallel.max(1) as usize;
        let outcomes = self.ask_all(minds, &plan, &reader, parallel, deadline).await;

        let mut usage = Usage::default();
        let mut coverage = Coverage::plan(request.change);
        let mut opinions = Vec::new();
        for (mind, outcomes) in minds.iter().zip(outcomes) {
            outcomes.iter().for_each(|outcome| usage += outcome.usage);
            merge::see(&mut coverage, request.change, &plan.bundles, &mind.name(), &outcomes);
            opinions.push((mind.name(), merge::opinion(&outcomes)));
        }
        let mut opinion = if opinions.len() == 1 {
            opinions.into_iter().next().map(|(_, opinion)| opinion).unwrap_or_default()
        } else {
            consensus(opinions)
        };
        let mut checked = Checked::default();
        if let Some(mind) = minds.last().filter(|_| policy.verify) {
            let fail_on = request.config.gate.fail_on;
            checked =
                verify(mind, &plan, request.change, fail_on, &mut opinion.found, parallel, deadline).await;
            usage += checked.usage;
        }
        Ok(evidence(&plan, coverage, opinion, &checked, usage))
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
        let questions = minds.iter().flat_map(|mind| plan.calls().map(move |call| (mind, call)));
        let mut all: Vec<(usize, Outcome)> =
            stream::iter(questions.enumerate())
                .map(|(index, (mind, call))| async move {
                    (index, ask(mind, &call, plan, reader, deadline).await)
                })
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

    fn asked(&self, consensus: u32) -> Result<&[M], ReviewerError> {
        let wanted = consensus.max(1) as usize;
        self.minds.get(..wanted).ok_or_else(|| {
            let there = self.minds.len();
            self.failed(format!("model.consensus asks for {wanted} models, and {there} are configured"))
        })
    }

    fn failed(&self, reason: impl Into<String>) -> ReviewerError {
        ReviewerError { reviewer: self.name.clone(), reason: reason.into() }
    }

    fn block_on(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        if let Some(runtime) = &self.runtime {
            return runtime.block_on(self.run(request));
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| self.failed(format!("no runtime could be started: {error}")))?;
        runtime.block_on(self.run(request))
    }
}

impl<M: Mind> Reviewer for LinearReviewer<M> {
    fn name(&self) -> &str {
        &self.name
    }

    /// On a thread of its own, so that it may be called from anywhere.
    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        std::thread::scope(|scope| {
            let review = scope.spawn(|| self.block_on(request));
            review
                .join()
                .unwrap_or_else(|_| Err(self.failed("it broke down; this is a defect of Countersign")))
        })
    }
}

fn evidence(plan: &Plan, coverage: Coverage, opinion: Opinion, checked: &Checked, usage: Usage) -> Evidence {
    let Opinion { found, unplaced, scores, claimed, troubles } = opinion;
    let mut remarks = plan.frame.cut.clone();
    let mut remark = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => remarks.push(format!("1 finding {one}")),
        count => remarks.push(format!("{count} findings {many}")),
    };
    remark(
        unplaced,
        "could not be placed in the diff where its reviewer saw it",
        "could not be placed in the diff where their reviewer saw them",
    );
    remark(checked.refuted, "was refuted by a second opinion", "were refuted by a second opinion");
    remark(checked.unanswered, "got no second opinion and stands", "got no second opinion and stand");
    Evidence {
        findings: found.into_iter().map(|found| found.finding).collect(),
        coverage,
        // Scores that rest on findings which did not hold are worth nothing: the gate works out its own.
        scores: scores.filter(|_| checked.refuted == 0),
        troubles,
        claimed,
        remarks,
        usage: (usage != Usage::default()).then_some(usage),
    }
}
