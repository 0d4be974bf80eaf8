use std::process::Command;

use testkit::forge::{Forge, PullSeed, Rights};

use crate::program::{Outcome, command, run};

pub(super) const PROJECT: &str = "acme/shop";
pub(super) const KEY: &str = "PROJ-1";
/// One finding that can be mended without judgement.
pub(super) const STOPS: &str = "def total(prices):\n    breakpoint()\n    return sum(prices)\n";
pub(super) const SOUND: &str = "def total(prices):\n    return sum(prices)\n";

/// Has something to say about every file.
pub(super) const LINTER: &str = "model:\n  linters:\n    shouts:\n      \
    command: [sh, -c, 'echo \"src/total.py:1:1: loud\"']\n      files: ['*.py']\n      format: lines\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Github,
    Gitlab,
}

impl Kind {
    pub(super) const BOTH: [Kind; 2] = [Kind::Github, Kind::Gitlab];
}

/// A forge with one open request from `feature` into `main`, and a ticket.
pub(super) struct Stage {
    pub(super) forge: Forge,
    pub(super) kind: Kind,
    pub(super) number: u64,
    pub(super) token: String,
    pub(super) folder: tempfile::TempDir,
}

impl Stage {
    pub(super) fn new(kind: Kind, text: &str) -> Stage {
        Stage::under("", kind, text)
    }

    /// With this countersign.yaml on the target branch.
    pub(super) fn under(policy: &str, kind: Kind, text: &str) -> Stage {
        Stage::opened(policy, kind, |forge| {
            forge.commit(PROJECT, "feature", &[("src/total.py", text)]);
            forge.open_pull(PROJECT, PullSeed::from("feature").into("main").by("alice").title("Totals"))
        })
    }

    /// From somebody else's repository, into one whose policy has a linter.
    pub(super) fn from_fork(kind: Kind, text: &str) -> Stage {
        Stage::opened(LINTER, kind, |forge| {
            forge.fork(PROJECT, "mallory/shop");
            forge.commit("mallory/shop", "evil", &[("src/total.py", text)]);
            let seed = PullSeed::from("evil").fork("mallory/shop").into("main").by("mallory").title("Totals");
            forge.open_pull(PROJECT, seed)
        })
    }

    fn opened(policy: &str, kind: Kind, open: impl FnOnce(&Forge) -> u64) -> Stage {
        let forge = Forge::start();
        let token = forge.token("countersign", Rights::Write);
        forge.repository(PROJECT);
        forge.commit(PROJECT, "main", &[("countersign.yaml", policy)]);
        let number = open(&forge);
        forge.ticket(KEY, "Add up prices", "Please.");
        forge.set_status(KEY, "Code Review");
        Stage { forge, kind, number, token, folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn url(&self) -> String {
        match self.kind {
            Kind::Github => self.forge.pull_url(PROJECT, self.number),
            Kind::Gitlab => self.forge.merge_request_url(PROJECT, self.number),
        }
    }

    pub(super) fn prepare(&self, command: &mut Command) {
        let (provider, forge, token) = match self.kind {
            Kind::Github => {
                command.env("GITHUB_API_URL", self.forge.github_url());
                ("GITHUB", self.forge.url(), "GITHUB_TOKEN")
            }
            Kind::Gitlab => {
                command.env("GITLAB_API_URL", self.forge.gitlab_url());
                ("GITLAB", self.forge.url(), "GITLAB_TOKEN")
            }
        };
        command.env("VCS_PROVIDER", provider).env("VCS_BASE_URL", forge).env(token, &self.token);
        command.env("JIRA_URL", self.forge.jira_url()).env("JIRA_PERSONAL_TOKEN", &self.token);
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(arguments);
        self.prepare(&mut command);
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Outcome {
        let outcome = run(self.command(arguments));
        self.nothing_leaked(&outcome);
        outcome
    }

    pub(super) fn review(&self, more: &[&str]) -> Outcome {
        let url = self.url();
        self.run(&[&["review", "--pr", &url], more].concat())
    }

    pub(super) fn nothing_leaked(&self, outcome: &Outcome) {
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(!said.contains(&self.token), "{said}");
        self.forge.assert_no_token_leaked();
    }

    /// Every word on the request.
    pub(super) fn posted(&self) -> Vec<String> {
        let pull = self.forge.pull(PROJECT, self.number);
        pull.everything_said().into_iter().map(str::to_owned).collect()
    }

    pub(super) fn head(&self) -> String {
        self.forge.pull(PROJECT, self.number).head_sha
    }

    /// What was asked to be changed. Reading by GraphQL looks like writing.
    pub(super) fn writes(&self) -> Vec<String> {
        let reads = |body: &str| body.starts_with("{\"query\":\"query");
        let writes = self.forge.writes().into_iter().filter(|asked| !reads(&asked.body));
        writes.map(|asked| format!("{} {}", asked.method, asked.path)).collect()
    }

    /// The verdicts that the newest commit carries, in the forge's words.
    pub(super) fn statuses(&self, commit: &str) -> Vec<String> {
        self.forge.statuses(PROJECT, commit).into_iter().map(|status| status.state).collect()
    }
}
