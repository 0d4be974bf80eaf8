use std::path::PathBuf;

use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence, Trouble};
use serde_json::Value;

use super::{AgentAnswer, AgentTrouble, Launch, Role, withhold};

/// What is said to a reviewing agent, and how its answer is understood.
pub trait Dialogue: Send + Sync {
    fn question(&self, request: &ReviewRequest<'_>) -> Question;

    /// Checks and cleans what was answered. An answer that cannot be understood becomes a trouble.
    fn evidence(&self, request: &ReviewRequest<'_>, answer: &AgentAnswer) -> Evidence;
}

/// A prompt, and what of the change is in it.
///
/// Nobody can prove that an agent looked at every line. What counts as seen is what it was shown: it is for the
/// prompt to hold the whole diff, and for the coverage to admit where it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub prompt: String,
    pub schema: Value,
    pub shown: Coverage,
}

/// A coding agent that reviews, in a fresh context, without the right to change anything.
pub struct AgentReviewer<D> {
    pub name: String,
    pub launch: Launch,
    /// An export of the files at the head, made for this review: what steers agents is removed from it.
    pub export: PathBuf,
    pub dialogue: D,
    /// Told of what the agent is doing, in one clean line each time.
    pub progress: Box<dyn Fn(&str) + Send + Sync>,
}

impl<D: Dialogue> Reviewer for AgentReviewer<D> {
    fn name(&self) -> &str {
        &self.name
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let failed = |reason: String| ReviewerError { reviewer: self.name.clone(), reason };
        withhold(&self.export).map_err(|error| failed(error.to_string()))?;
        let Question { prompt, schema, shown } = self.dialogue.question(request);
        let progress = &*self.progress;
        match self.launch.run(Role::Reviewer, &prompt, Some(&schema), &self.export, progress) {
            Ok(finished) => {
                let mut evidence = self.dialogue.evidence(request, &finished.answer);
                evidence.coverage = shown;
                evidence.usage = finished.answer.usage;
                evidence.remarks.extend(finished.remarks);
                evidence.remarks.extend(denied(&self.name, &finished.answer));
                Ok(evidence)
            }
            // Trying again will not help.
            Err(trouble @ (AgentTrouble::NotInstalled(_) | AgentTrouble::NotConfined(_))) => {
                Err(failed(trouble.to_string()))
            }
            Err(trouble) => Ok(inconclusive(&self.name, &trouble, request)),
        }
    }
}

fn denied(name: &str, answer: &AgentAnswer) -> Option<String> {
    let tools = domain::text::short_line(&answer.denied_tools.join(", "));
    (!tools.is_empty())
        .then(|| format!("{name} wanted to use what a reviewer may not, and was refused: {tools}"))
}

fn inconclusive(name: &str, trouble: &AgentTrouble, request: &ReviewRequest<'_>) -> Evidence {
    let message = domain::text::short_line(&format!("{name} {trouble}"));
    Evidence {
        coverage: Coverage::plan(request.change),
        troubles: vec![Trouble { kind: trouble.kind().to_owned(), message }],
        ..Evidence::default()
    }
}

impl<D> std::fmt::Debug for AgentReviewer<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentReviewer")
            .field("name", &self.name)
            .field("export", &self.export)
            .finish_non_exhaustive()
    }
}
