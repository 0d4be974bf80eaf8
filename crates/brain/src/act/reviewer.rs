use std::time::Duration;

use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence, Usage};
use tokio::runtime::{Builder, Handle};
use tokio::time::Instant;

use super::run::{Outcome, run};
use super::toolbox::Equipment;
use crate::call::Mind;
use crate::clean::Redact;
use crate::linear::{
    Before, Choice, Found, LinearReviewer, Mode, Why, change_tokens, choose_mode, without_duplicates,
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
    /// As [`LinearReviewer::new`]. The first of the minds is the one that explores.
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
        let tokens = change_tokens(request.change, self.linear.redact);
        let first = choose_mode(policy, tokens, Before::Nothing, self.asked);
        if first.mode == Mode::Agentic {
            return self.explore(request, first, deadline).await;
        }
        let mut evidence = self.linear.run(request).await?;
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
        let mind = self.linear.minds.first().ok_or_else(|| self.failed("no model is configured"))?;
        if Coverage::plan(request.change).counts().1 == 0 {
            let coverage = Coverage::plan(request.change);
            return Ok(Evidence { coverage, remarks: vec![reviewed(choice)], ..Evidence::default() });
        }
        let outcome = run(mind, request, &self.equipment, self.linear.redact, deadline)
            .await
            .map_err(|error| self.failed(error.to_string()))?;
        let mut evidence = explored(choice, outcome);
        let policy = &request.config.model;
        if policy.verify || policy.consensus > 1 {
            evidence.remarks.push("model.verify and model.consensus apply to linear reviews only".to_owned());
        }
        Ok(evidence)
    }

    fn failed(&self, reason: impl Into<String>) -> ReviewerError {
        ReviewerError { reviewer: self.linear.name.clone(), reason: reason.into() }
    }

    fn block_on(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        if let Some(runtime) = &self.linear.runtime {
            return runtime.block_on(self.run(request));
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| self.failed(format!("no runtime could be started: {error}")))?;
        runtime.block_on(self.run(request))
    }
}

impl<M: Mind> Reviewer for ModelReviewer<M> {
    fn name(&self) -> &str {
        &self.linear.name
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

fn reviewed(choice: Choice) -> String {
    let mode = match choice.mode {
        Mode::Linear => "LINEAR_DETERMINISTIC",
        Mode::Agentic => "AGENTIC_ACT_LOOP",
    };
    format!("Reviewed in mode {mode} {}", choice.why.in_words())
}

/// Why another attempt would end as the first did.
fn beyond_recovery(evidence: &Evidence, deadline: Instant, timeout: u32) -> Option<&'static str> {
    let has = |kind: &str| evidence.troubles.iter().any(|trouble| trouble.kind == kind);
    if has("over_budget") {
        return Some("the budget is used up");
    }
    if has("unauthorised") || has("not_configured") {
        return Some("the model cannot be asked");
    }
    let left = deadline.saturating_duration_since(Instant::now());
    (left < Duration::from_secs(timeout.into()) / 10).then_some("the time is up")
}

fn explored(choice: Choice, outcome: Outcome) -> Evidence {
    let Outcome { reading, coverage, usage, stop, turns, cut } = outcome;
    let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    let mut remarks = vec![reviewed(choice), format!("The model explored in {turns}; {}", stop.in_words())];
    remarks.extend(cut);
    match reading.unplaced {
        0 => {}
        1 => remarks.push("1 finding could not be placed in the diff where its reviewer saw it".to_owned()),
        count => {
            remarks.push(format!(
                "{count} findings could not be placed in the diff where their reviewer saw them"
            ));
        }
    }
    let found = reading.findings.into_iter().map(|finding| Found { finding, bundle: 0 }).collect();
    Evidence {
        findings: without_duplicates(found).into_iter().map(|found| found.finding).collect(),
        coverage,
        scores: reading.scores,
        troubles: reading.troubles,
        claimed: reading.claimed,
        remarks,
        usage: (usage != Usage::default()).then_some(usage),
    }
}

/// Two attempts as one. Nothing that either found is lost, and what either saw was seen; the troubles are those of
/// the second, and the first's become remarks, unless both failed.
fn recovered(first: Evidence, second: Evidence) -> Evidence {
    let mut both = second;
    let is_recovered = both.troubles.is_empty();
    let own = both.findings.len();
    let all =
        both.findings.drain(..).chain(first.findings).map(|finding| Found { finding, bundle: 0 }).collect();
    both.findings = without_duplicates(all).into_iter().map(|found| found.finding).collect();
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
    both.usage = match (first.usage, both.usage) {
        (Some(mut one), Some(other)) => {
            one += other;
            Some(one)
        }
        (one, other) => one.or(other),
    };
    both
}
