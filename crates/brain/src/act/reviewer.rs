use std::time::Duration;

use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::heard::{heard, reviewed};
use super::run::run;
use super::toolbox::Equipment;
use crate::call::Mind;
use crate::clean::Redact;
use crate::linear::{
    Before, Choice, Draft, Found, LinearReviewer, Mode, Plan, Why, choose_mode, conclude, without_duplicates,
};

/// Reviews with a model, in the mode that fits the change: one structured answer for each bundle of hunks, or an
/// exploration with tools. The remarks of the evidence say which it was and why.
#[derive(Debug)]
pub struct ModelReviewer<M> {
    linear: LinearReviewer<M>,
    equipment: Equipment,
    asked: Option<Mode>,
}

impl<M: Mind> ModelReviewer<M> {
    /// As [`LinearReviewer::new`]. In either mode as many of the minds review as `model.consensus` says.
    pub fn new(name: impl Into<String>, minds: Vec<M>, redact: Redact) -> Self {
        let linear = LinearReviewer::new(name, minds, redact);
        ModelReviewer { linear, equipment: Equipment::default(), asked: None }
    }

    /// As [`LinearReviewer::on`].
    #[must_use]
    pub fn on(mut self, runtime: Handle) -> Self {
        self.linear = self.linear.on(runtime);
        self
    }

    /// What an exploration may use besides the change.
    #[must_use]
    pub fn with(mut self, equipment: Equipment) -> Self {
        self.equipment = equipment;
        self
    }

    /// The mission says which mode it wants.
    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.asked = Some(mode);
        self
    }

    /// The review itself, for callers that have a runtime. Reads sources, and blocks while it does.
    pub async fn run(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let policy = &request.config.model;
        let deadline = Instant::now() + Duration::from_secs(policy.timeout.into());
        let whatever_its_size = choose_mode(policy, 0, Before::Nothing, self.asked);
        if whatever_its_size.mode == Mode::Agentic {
            return self.explore(request, whatever_its_size, deadline).await;
        }
        let draft =
            Draft::make(request, self.linear.redact).map_err(|error| self.failed(error.to_string()))?;
        let tokens = draft.tokens();
        let first = choose_mode(policy, tokens, Before::Nothing, self.asked);
        if first.mode == Mode::Agentic {
            drop(draft);
            return self.explore(request, first, deadline).await;
        }
        let mut evidence = self.linear.ask_about(request, draft, deadline).await?;
        evidence.remarks.insert(0, reviewed(first));
        let then = choose_mode(policy, tokens, Before::LinearFailed, self.asked);
        if evidence.troubles.is_empty() || then.why != Why::Recovery {
            return Ok(evidence);
        }
        if let Some(why_not) = beyond_recovery(&evidence, deadline, policy.timeout) {
            evidence.remarks.push(format!("No other mode was tried: {why_not}"));
            return Ok(evidence);
        }
        match self.explore(request, then, deadline).await {
            Ok(second) => Ok(recovered(evidence, second)),
            // What the first attempt found is worth more than the reason why there was no second.
            Err(error) => {
                evidence.remarks.push(format!("The recovery could not begin: {}", error.reason));
                Ok(evidence)
            }
        }
    }

    async fn explore(
        &self,
        request: &ReviewRequest<'_>,
        choice: Choice,
        deadline: Instant,
    ) -> Result<Evidence, ReviewerError> {
        let minds = self.linear.asked(request.config.model.consensus)?;
        if Coverage::plan(request.change).counts().1 == 0 {
            let coverage = Coverage::plan(request.change);
            return Ok(Evidence { coverage, remarks: vec![reviewed(choice)], ..Evidence::default() });
        }
        let (equipment, redact) = (&self.equipment, self.linear.redact);
        let parallel = request.config.model.parallel.max(1) as usize;
        let outcomes: Vec<_> = stream::iter(minds)
            .map(|mind| run(mind, request, equipment, redact, deadline))
            .buffered(parallel)
            .try_collect()
            .await
            .map_err(|error| self.failed(error.to_string()))?;
        // What findings are held against. A change that cannot be sent in bundles leaves them as they are.
        let plan = match request.config.model.verify {
            true => Plan::make(request, redact).ok(),
            false => None,
        };
        let mut heard = heard(choice, minds, outcomes, equipment);
        for found in heard.opinions.iter_mut().flat_map(|(_, opinion)| &mut opinion.found) {
            found.bundle = plan.as_ref().map_or(0, |plan| plan.bundle_of(&found.finding, request.change));
        }
        Ok(conclude(minds, request, plan.as_ref(), heard, deadline).await)
    }

    fn failed(&self, reason: impl Into<String>) -> ReviewerError {
        self.linear.failed(reason)
    }
}

impl<M: Mind> Reviewer for ModelReviewer<M> {
    fn name(&self) -> &str {
        &self.linear.name
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        self.linear.wait(|| self.run(request))
    }
}

/// Why another attempt would end as the first did.
fn beyond_recovery(evidence: &Evidence, deadline: Instant, timeout: u32) -> Option<&'static str> {
    let has = |kind: &str| evidence.troubles.iter().any(|trouble| trouble.kind == kind);
    if has("over_budget") {
        return Some("the budget is used up");
    }
    if has("rate_limited") {
        return Some("the model wants to be left alone for longer than there is time");
    }
    if has("unauthorised") || has("not_configured") {
        return Some("the model cannot be asked");
    }
    let left = deadline.saturating_duration_since(Instant::now());
    (left < Duration::from_secs(timeout.into()) / 10).then_some("the time is up")
}

/// Two attempts as one. Nothing that either found is lost, and what either saw was seen; the troubles are those of
/// the second, and the first's become remarks, unless both failed.
fn recovered(first: Evidence, second: Evidence) -> Evidence {
    let mut both = second;
    let is_recovered = both.troubles.is_empty();
    let own = both.findings.len();
    let attempts = [std::mem::take(&mut both.findings), first.findings];
    let all = attempts
        .into_iter()
        .enumerate()
        .flat_map(|(bundle, findings)| findings.into_iter().map(move |finding| Found { finding, bundle }));
    both.findings = without_duplicates(all.collect()).into_iter().map(|found| found.finding).collect();
    if both.findings.len() > own {
        // Scores and outcome of the second attempt do not know of these.
        both.scores = None;
        both.claimed = None;
    }
    for (file, before) in both.coverage.files.iter_mut().zip(first.coverage.files) {
        for (hunk, before) in file.hunks.iter_mut().zip(before.hunks) {
            hunk.seen_by.splice(0..0, before.seen_by);
        }
    }
    let mut remarks = first.remarks;
    if is_recovered {
        remarks.extend(
            first.troubles.iter().map(|trouble| format!("The linear review failed: {}", trouble.message)),
        );
    } else {
        both.troubles.splice(0..0, first.troubles);
        both.troubles.dedup();
    }
    remarks.append(&mut both.remarks);
    both.remarks = remarks;
    both.answered_by = both.answered_by.or(first.answered_by);
    both.usage = match (first.usage, both.usage) {
        (Some(mut one), Some(other)) => {
            one += other;
            Some(one)
        }
        (one, other) => one.or(other),
    };
    both
}
