use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the gate says. There is no fourth answer, and no answer is ever assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Pass,
    Fail,
    /// The review did not see everything, was cut off or cannot be read. Never clean, and costs no attempt.
    Inconclusive,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}
