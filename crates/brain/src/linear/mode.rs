use domain::config::{ModelPolicy, ReviewMode};

/// How a model reviews a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `LINEAR_DETERMINISTIC`
    Linear,
    /// `AGENTIC_ACT_LOOP`
    Agentic,
}

/// What has been tried on this change already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    Nothing,
    /// A linear review came to no conclusion.
    LinearFailed,
}

/// The mode and the reason for it, so that the report can say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub mode: Mode,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The mission was marked so.
    Asked,
    /// `model.mode` says so.
    Configured,
    /// The linear review failed, and `model.recovery` is on.
    Recovery,
    /// More tokens than `model.linear_tokens`.
    TooLarge,
    Default,
}

impl Why {
    /// For the report.
    pub fn in_words(self) -> &'static str {
        match self {
            Why::Asked => "as was asked for",
            Why::Configured => "as model.mode says",
            Why::Recovery => "because the linear review failed and model.recovery is on",
            Why::TooLarge => "because the change has more tokens than model.linear_tokens",
            Why::Default => "by default",
        }
    }
}

/// Linear, unless somebody asks for something else, the change is too large for it, or it was tried and failed.
/// `explicit` is what the mission asks for.
pub fn choose_mode(
    policy: &ModelPolicy,
    total_tokens: u64,
    before: Before,
    explicit: Option<Mode>,
) -> Choice {
    let choice = |mode, why| Choice { mode, why };
    if let Some(mode) = explicit {
        return choice(mode, Why::Asked);
    }
    match (policy.mode, before) {
        (ReviewMode::Linear, _) => choice(Mode::Linear, Why::Configured),
        (ReviewMode::Agentic, _) => choice(Mode::Agentic, Why::Configured),
        (ReviewMode::Auto, Before::LinearFailed) if policy.recovery => choice(Mode::Agentic, Why::Recovery),
        (ReviewMode::Auto, _) if total_tokens > u64::from(policy.linear_tokens) => {
            choice(Mode::Agentic, Why::TooLarge)
        }
        (ReviewMode::Auto, Before::Nothing | Before::LinearFailed) => choice(Mode::Linear, Why::Default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_is_the_default_and_agentic_needs_a_reason() {
        use {Before::*, Mode::*, ReviewMode as Set};
        let recovering = ModelPolicy { linear_tokens: 100, ..ModelPolicy::default() };
        let resigned = ModelPolicy { recovery: false, ..recovering.clone() };
        let cases = [
            (&recovering, Set::Auto, 100, Nothing, None, Linear, Why::Default),
            (&recovering, Set::Auto, 101, Nothing, None, Agentic, Why::TooLarge),
            (&recovering, Set::Auto, 1, LinearFailed, None, Agentic, Why::Recovery),
            (&resigned, Set::Auto, 1, LinearFailed, None, Linear, Why::Default),
            (&resigned, Set::Auto, 101, LinearFailed, None, Agentic, Why::TooLarge),
            (&recovering, Set::Auto, 1, Nothing, Some(Agentic), Agentic, Why::Asked),
            (&recovering, Set::Agentic, 101, LinearFailed, Some(Linear), Linear, Why::Asked),
            (&recovering, Set::Linear, 101, LinearFailed, None, Linear, Why::Configured),
            (&recovering, Set::Agentic, 1, Nothing, None, Agentic, Why::Configured),
        ];
        for (index, (policy, set, tokens, before, explicit, mode, why)) in cases.into_iter().enumerate() {
            let policy = ModelPolicy { mode: set, ..policy.clone() };
            assert_eq!(choose_mode(&policy, tokens, before, explicit), Choice { mode, why }, "case {index}");
        }
    }
}
