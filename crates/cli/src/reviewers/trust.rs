use std::borrow::Cow;

use connect::servers::Service;
use domain::config::{AgentConfig, ForkPolicy};
use domain::forge::Origin;

/// Whose change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Of the project itself, or of whoever asks for the review.
    Own,
    /// From a fork. It is read, and nothing of it is executed: no linter, no test, no command.
    Stranger,
}

impl Trust {
    pub(crate) fn of(origin: Origin, forks: ForkPolicy) -> Trust {
        match (origin, forks) {
            (Origin::SameProject, _) | (Origin::Fork, ForkPolicy::Trusted) => Trust::Own,
            (Origin::Fork, ForkPolicy::ReadOnly) => Trust::Stranger,
        }
    }

    pub(super) fn remark(self) -> Option<&'static str> {
        match self {
            Trust::Own => None,
            Trust::Stranger => Some(
                "The change comes from a fork: it was only read. No linter, test or command was run on it, and its \
                 reviewer had no token to write with; `connect.forks: trusted` lifts this",
            ),
        }
    }

    /// Somebody who reads a stranger's words is not given what it takes to write elsewhere.
    pub(super) fn limits(self, agent: &AgentConfig) -> Cow<'_, AgentConfig> {
        match self {
            Trust::Own => Cow::Borrowed(agent),
            Trust::Stranger => {
                let mut limited = agent.clone();
                limited.environment.retain(|name| !is_token(name));
                Cow::Owned(limited)
            }
        }
    }
}

fn is_token(name: &str) -> bool {
    const ACCOUNTS: [&str; 2] = ["JIRA_API_TOKEN", "CONFLUENCE_API_TOKEN"];
    let known = Service::ALL.iter().flat_map(|service| service.token_variables()).chain(&ACCOUNTS);
    known.into_iter().any(|known| known.eq_ignore_ascii_case(name)) || name.ends_with("_PUBLISH_KEY")
}

#[cfg(test)]
mod tests {
    use domain::config::Config;

    use super::*;

    #[test]
    fn a_fork_is_a_stranger_unless_somebody_says_otherwise() {
        assert_eq!(Trust::of(Origin::Fork, ForkPolicy::ReadOnly), Trust::Stranger);
        assert_eq!(Trust::of(Origin::Fork, ForkPolicy::Trusted), Trust::Own);
        assert_eq!(Trust::of(Origin::SameProject, ForkPolicy::ReadOnly), Trust::Own);
    }

    #[test]
    fn whoever_reads_a_stranger_is_given_no_token_of_a_forge() {
        let text = "agents:\n  - {id: qa, brain: claude, environment: [GITHUB_TOKEN, GITLAB_TOKEN, LANG]}\n";
        let agent = Config::parse("c.yaml", text).unwrap().agents().remove(0);
        assert_eq!(Trust::Stranger.limits(&agent).environment, ["LANG"]);
        assert_eq!(Trust::Own.limits(&agent).environment.len(), 3);
    }
}
