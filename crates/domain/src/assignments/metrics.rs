use schemars::JsonSchema;
use serde::Serialize;

/// How often work passes its reviews, agent by agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Metrics {
    /// By whose work it was.
    pub coders: Vec<AgentRates>,
    /// By who judged it.
    pub reviewers: Vec<AgentRates>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentRates {
    pub agent: String,
    /// A coder's: how often it handed in work. A reviewer's: how often it gave a verdict.
    pub submissions: u64,
    pub approvals: u64,
    pub rejections: u64,
    /// Rejections among all conclusive verdicts, from 0 to 1; nothing while there is none.
    pub rejection_rate: Option<f64>,
    /// Verdicts after which the assignment went to a person.
    pub escalations: u64,
    /// The attempt on which work was approved, on average; nothing while nothing was.
    pub mean_attempts_to_approval: Option<f64>,
}

/// What was counted for one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tallied {
    pub agent: String,
    pub submissions: u64,
    pub approvals: u64,
    pub rejections: u64,
    pub escalations: u64,
    /// The attempts of all approvals, added up.
    pub approved_attempts: u64,
}

impl From<Tallied> for AgentRates {
    fn from(counted: Tallied) -> AgentRates {
        let Tallied { agent, submissions, approvals, rejections, escalations, approved_attempts } = counted;
        AgentRates {
            agent,
            submissions,
            approvals,
            rejections,
            rejection_rate: ratio(rejections, approvals + rejections),
            escalations,
            mean_attempts_to_approval: ratio(approved_attempts, approvals),
        }
    }
}

/// To four places: what it is printed from is the same everywhere.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}
