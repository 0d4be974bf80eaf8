use brain::agents::{AgentMind, Scratch, withhold};
use brain::linear::LinearReviewer;
use domain::change::RepoPath;
use domain::config::{AgentConfig, Config};
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::Evidence;
use git::ExportLimits;

use super::launch::refuse_own_files;
use super::{Heard, REDACT, Reviewing, launch, under_review};
use crate::failure::Failure;

/// A coding agent that reviews: asked about each bundle of hunks as a model is, beside an export of the head that it
/// can read and not write.
pub(super) struct AgentReviewer {
    name: String,
    agent: AgentConfig,
    launch: brain::agents::Launch,
    /// Goes away with the review.
    scratch: Scratch,
    remarks: Vec<String>,
    heard: Heard,
}

impl AgentReviewer {
    pub(super) fn prepare(agent: &AgentConfig, reviewing: &Reviewing<'_>) -> Result<AgentReviewer, Failure> {
        let config = reviewing.order.config;
        let own = under_review(reviewing.repository);
        let mut launch = launch(agent, config.sandbox, config.model.budget.cents_per_review, &own)?;
        if let Some(root) = &reviewing.scratch {
            launch.scratch_root.clone_from(root);
        }
        let unwritable = |error: std::io::Error| {
            Failure::new(
                format!("no directory can be made in {}: {error}", launch.scratch_root.display()),
                "make it writable, or set XDG_CACHE_HOME to a place that is",
            )
        };
        let scratch = Scratch::create(&launch.scratch_root).map_err(unwritable)?;
        let export = scratch.files();
        let scope = &reviewing.change.scope;
        (reviewing.heard)("Writing out the files for the agent");
        let exported = reviewing.repository.export(scope, &export, ExportLimits::default())?;
        withhold(&export).map_err(unwritable)?;
        for path in reviewing.withheld.iter().filter_map(RepoPath::to_str) {
            std::fs::remove_file(export.join(path)).map_err(unwritable)?;
        }
        refuse_own_files(agent, &launch, &own, &[&export])?;
        let mut remarks = Vec::new();
        if exported.left_out > 0 {
            remarks.push(format!(
                "{} files were too large or too many to be shown to {} beside the diff",
                exported.left_out, agent.id
            ));
        }
        let heard = reviewing.heard.clone();
        Ok(AgentReviewer { name: agent.id.clone(), agent: agent.clone(), launch, scratch, remarks, heard })
    }
}

impl Reviewer for AgentReviewer {
    fn name(&self) -> &str {
        &self.name
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let mut mind = AgentMind::new(self.name.clone(), self.launch.clone(), self.scratch.files());
        mind.emphasis.clone_from(&self.agent.prompt);
        mind.progress = self.heard.clone();
        let linear = LinearReviewer::new(self.name.clone(), vec![Shared(&mind)], REDACT);
        let config = for_one_agent(request.config, &self.agent);
        let mut evidence = linear.review(&ReviewRequest { config: &config, ..*request })?;
        evidence.remarks.splice(..0, self.remarks.clone());
        evidence.remarks.splice(..0, mind.remarks());
        Ok(evidence)
    }
}

/// It is one, and its time is its own.
fn for_one_agent(config: &Config, agent: &AgentConfig) -> Config {
    let mut own = config.clone();
    own.model.consensus = 1;
    own.model.timeout = u32::try_from(agent.timeout.as_secs()).unwrap_or(u32::MAX);
    own
}

/// So that what the mind noted can be read afterwards.
struct Shared<'a>(&'a AgentMind);

impl brain::Mind for Shared<'_> {
    fn name(&self) -> String {
        self.0.name()
    }

    async fn ask(&self, call: &brain::Call) -> Result<brain::Answer, brain::CallError> {
        self.0.ask(call).await
    }
}
