use std::process::Command;

use serde_json::{Value, json};
use testkit::forge::{Forge, PullSeed, Rights};
use testkit::model_server::{ModelServer, Reply, Script};

use crate::program::{Outcome, command, run};

/// A ticket, the merge request it names, and a wiki.
pub(super) struct Stage {
    pub(super) forge: Forge,
    pub(super) model: ModelServer,
    pub(super) number: u64,
    pub(super) folder: tempfile::TempDir,
    token: String,
    architecture: String,
}

pub(super) const PROJECT: &str = "acme/shop";
pub(super) const KEY: &str = "PROJ-1";

impl Stage {
    pub(super) fn new(script: impl Into<Script>) -> Stage {
        let forge = Forge::start();
        let token = forge.token("countersign", Rights::Write);
        forge.repository(PROJECT);
        forge.commit(
            PROJECT,
            "feature",
            &[("src/total.py", "def total(prices):\n    return sum(prices) / len(prices)\n")],
        );
        let number =
            forge.open_pull(PROJECT, PullSeed::from("feature").into("main").by("alice").title("Totals"));
        let architecture =
            forge.page("ARCH", "Architecture", "<p>Money is never a float.</p>", &[]).to_string();
        let stage = Stage {
            forge,
            model: ModelServer::start(script),
            number,
            folder: tempfile::tempdir().unwrap(),
            token,
            architecture,
        };
        stage.forge.ticket(KEY, "Add up prices", stage.description().as_str());
        stage
    }

    pub(super) fn description(&self) -> String {
        self.describing(self.number, "feature")
    }

    fn describing(&self, number: u64, branch: &str) -> String {
        let url = self.forge.merge_request_url(PROJECT, number);
        format!(
            "Please review.\n\n{{code:yaml}}\ncode_review_params:\n  gitlab_project_id: {PROJECT}\n  \
             source_branch_name: {branch}\n  review_request_url: {url}\n  generated_at: 2026-11-15T10:00:00Z\n{{code}}\n"
        )
    }

    /// Another request is what the ticket is about.
    pub(super) fn about(&mut self, number: u64, branch: &str) {
        self.number = number;
        self.forge.describe(KEY, self.describing(number, branch).as_str());
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.program(&[&["mission"], arguments].concat())
    }

    /// Any command, with everything that a mission needs.
    pub(super) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(arguments);
        command.env("VCS_PROVIDER", "GITLAB").env("VCS_BASE_URL", self.forge.url());
        command.env("GITLAB_API_URL", self.forge.gitlab_url()).env("GITLAB_TOKEN", &self.token);
        command.env("JIRA_URL", self.forge.jira_url()).env("JIRA_PERSONAL_TOKEN", &self.token);
        command
            .env("CONFLUENCE_URL", self.forge.confluence_url())
            .env("CONFLUENCE_PERSONAL_TOKEN", &self.token);
        command.env("ARCHITECTURE_DOC_PAGE_ID", &self.architecture);
        command.env("CODE_REVIEW_LLM_MODEL_PRIORITY", "anthropic:scripted");
        command.env("ANTHROPIC_API_KEY", ModelServer::KEY).env("ANTHROPIC_BASE_URL", self.model.url());
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Outcome {
        let outcome = run(self.command(arguments));
        self.nothing_leaked(&outcome);
        outcome
    }

    pub(super) fn nothing_leaked(&self, outcome: &Outcome) {
        for secret in [self.token.as_str(), ModelServer::KEY] {
            assert!(
                !outcome.stdout.contains(secret) && !outcome.stderr.contains(secret),
                "{}",
                outcome.stderr
            );
        }
        self.forge.assert_no_token_leaked();
    }

    /// What the ticket was told, oldest first, as people read it.
    pub(super) fn told(&self) -> Vec<String> {
        self.forge.issue(KEY).said().into_iter().map(read).collect()
    }

    pub(super) fn count(&self, kind: &str) -> usize {
        let ends = |body: &&String| body.contains("countersign:mission:") && body.trim_end().ends_with(kind);
        self.told().iter().filter(ends).count()
    }

    /// Every word on the merge request.
    pub(super) fn posted(&self) -> Vec<String> {
        let pull = self.forge.pull(PROJECT, self.number);
        pull.everything_said().into_iter().map(str::to_owned).collect()
    }
}

/// Wiki markup without what keeps text from being markup.
fn read(wiki: &str) -> String {
    wiki.replace("&#58;", ":")
        .replace("&#64;", "@")
        .replace("&#40;", "(")
        .replace("&amp;", "&")
        .replace('\\', "")
}

pub(super) fn finding() -> Value {
    json!({
        "file": "src/total.py", "line": 2, "end_line": null, "quote": "    return sum(prices) / len(prices)",
        "severity": "HIGH", "category": "correctness", "dimension": "requirement_adherence",
        "confidence": "high", "message": "This is the mean, not the total", "impact": "Customers pay too little",
        "suggestion": "Return the sum",
    })
}

pub(super) fn report(findings: &[Value]) -> Value {
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    json!({"summary": "s", "findings": findings, "dimension_scores": null, "verdict": verdict})
}

pub(super) fn finds_it() -> Reply {
    Reply::json(&report(&[finding()]))
}
