//! The real Claude Code and Codex, really confined, against a scripted model. `scripts/test` installs them and says
//! where they are; without them (a plain `cargo nextest run`) there is nothing to test here.

mod acp;
mod claude;
mod codex;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use brain::agents::{AgentAnswer, AgentAuthor, CodingAgent, Role, Waiting};
use brain::answer::Shape;
use domain::config::{Config, Sandbox};
use domain::ports::{Author, AuthorJob, AuthorReport};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::model_server::{Asked, ModelServer, Reply};
use testkit::{Repo, Snapshot};

use crate::stage::{Stage, kernel_confines};

const PROMPT: &str = "The prompt of this test: is the total right?";
const WRONG: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    a - b\n}\n";
const RIGHT: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    a + b\n}\n";

/// A repository with one file in it, a place where an agent looks at that file, a home, and a model that says what
/// it is told to.
struct Scene {
    stage: Stage,
    repo: Repo,
    /// Where the agent runs: an export for a reviewer, a linked worktree for an author.
    tree: PathBuf,
    server: ModelServer,
    told: Mutex<Vec<String>>,
    /// Of what nobody may touch.
    before: [Snapshot; 2],
    tree_before: Snapshot,
    _scratch: TempDir,
}

impl Scene {
    /// With an export of the files. `None` if the agents are not installed, or this kernel cannot confine them.
    fn of_review(agent: &'static dyn CodingAgent, script: impl Fn(&Path) -> Vec<Reply>) -> Option<Scene> {
        Scene::set(agent, script, |repo, tree| {
            std::fs::create_dir_all(tree.join("src")).unwrap();
            std::fs::copy(repo.path().join("src/total.rs"), tree.join("src/total.rs")).unwrap();
        })
    }

    /// With a linked worktree.
    fn of_fix(agent: &'static dyn CodingAgent, script: impl Fn(&Path) -> Vec<Reply>) -> Option<Scene> {
        Scene::set(agent, script, |repo, tree| {
            repo.git(&["worktree", "add", "--quiet", "-b", "fix", tree.to_str().unwrap()]);
        })
    }

    fn set(
        agent: &'static dyn CodingAgent,
        script: impl Fn(&Path) -> Vec<Reply>,
        fill: impl Fn(&Repo, &Path),
    ) -> Option<Scene> {
        let programs = testkit::installed("COUNTERSIGN_TEST_AGENTS", "coding agents are")?;
        if !kernel_confines() {
            return None;
        }
        let repo = Repo::new();
        repo.write("src/total.rs", WRONG);
        repo.commit("a total");
        let tree = repo.outside("tree");
        fill(&repo, &tree);
        let server = ModelServer::start(script(&tree));
        let mut stage = Stage::with_agent(agent, "");
        let scratch = scratch();
        let path = format!("{}:/usr/bin:/bin", programs.display());
        stage.launch.command = Vec::new();
        stage.launch.sandbox = Sandbox::Required;
        stage.launch.scratch_root = scratch.path().to_owned();
        stage.launch.inherited.retain(|(name, _)| name != "PATH");
        stage.launch.inherited.extend(
            [
                ("PATH", path),
                ("ANTHROPIC_API_KEY", ModelServer::KEY.to_owned()),
                ("ANTHROPIC_BASE_URL", server.url()),
                ("OPENAI_API_KEY", ModelServer::KEY.to_owned()),
                ("OPENAI_BASE_URL", format!("{}/v1", server.url())),
            ]
            .map(|(name, value)| (name.into(), value.into())),
        );
        let before = [Snapshot::of(repo.path()), Snapshot::of(&stage.at("home"))];
        let tree_before = Snapshot::of(&tree);
        let told = Mutex::default();
        Some(Scene { stage, repo, tree, server, told, before, tree_before, _scratch: scratch })
    }

    fn hear(&self, line: &str) {
        self.told.lock().unwrap().push(line.to_owned());
    }

    fn told(&self, what: &str) -> bool {
        self.told.lock().unwrap().iter().any(|line| line.contains(what))
    }

    fn review(&self) -> AgentAnswer {
        let (launch, schema) = (&self.stage.launch, schema());
        let hear = |line: &str| self.hear(line);
        let waiting = Waiting::patiently(&hear);
        let finished = launch.run(Role::Reviewer, PROMPT, Some(&schema), &self.tree, waiting);
        let finished = finished.unwrap_or_else(|trouble| panic!("{trouble}\n{}", self.story()));
        assert_eq!(finished.remarks, [""; 0]);
        finished.answer
    }

    fn fix(&self) -> AuthorReport {
        let author = AgentAuthor { name: "fixer".into(), launch: self.stage.launch.clone() };
        let job = AuthorJob {
            prompt: PROMPT,
            worktree: &self.tree,
            timeout: Duration::from_secs(600),
            progress: &|line| self.hear(line),
            given_up: &|| false,
        };
        let report = author.work(&job);
        report.unwrap_or_else(|error| panic!("{error}\n{}", self.story()))
    }

    /// The questions to the model, of which none may have been refused, and none may know a secret.
    fn questions(&self) -> Vec<Asked> {
        assert_eq!(self.server.refusals(), [""; 0], "{}", self.story());
        for asked in self.server.requests() {
            let all = format!("{:?}{}", asked.headers, asked.body);
            assert!(!all.contains("forge-secret") && !all.contains("store-secret"), "{all}");
        }
        let questions = self.server.questions();
        assert!(questions[0].text().contains(PROMPT), "{}", self.story());
        questions
    }

    fn questions_asked(&self) -> usize {
        self.server.requests().len()
    }

    /// The repository and the home of the user are as they were.
    fn assert_nothing_else_was_touched(&self) {
        self.before[0].assert_same(&Snapshot::of(self.repo.path()));
        self.before[1].assert_same(&Snapshot::of(&self.stage.at("home")));
    }

    /// Only what the fix is about; git is asked last, since it may write its index.
    fn assert_only_the_file_was_fixed(&self) {
        assert_eq!(std::fs::read_to_string(self.tree.join("src/total.rs")).unwrap(), RIGHT);
        assert_eq!(self.repo.git_in(&self.tree, &["status", "--porcelain"]), " M src/total.rs");
    }

    fn assert_tree_was_not_touched(&self) {
        self.tree_before.assert_same(&Snapshot::of(&self.tree));
    }

    /// A command that writes where nobody may, and tells the model all that it sees of the environment.
    fn attack(tree: &Path) -> String {
        let repo = tree.with_file_name("repo");
        let repo = repo.display();
        format!(
            "for file in {repo}/new.rs {repo}/src/total.rs {repo}/.git/hooks/post-checkout {repo}/.git/config; do \
             echo x >> $file && echo GOT-$((1))-THROUGH; done; cat {repo}/.git/config; env"
        )
    }

    /// It was run, and the model was told how it went.
    fn assert_the_attack_failed(&self) {
        let last = self.questions().last().map(Asked::text).unwrap_or_default();
        assert!(last.contains("Permission denied") && last.contains("GIT_CONFIG_NOSYSTEM=1"), "{last}");
        assert!(!last.contains("GOT-1-THROUGH") && !last.contains("[core]"), "{last}");
    }

    fn assert_no_command_saw_the_key(&self) {
        let told = self.questions().iter().any(|asked| asked.text().contains(ModelServer::KEY));
        assert!(!told, "a command of its own saw the key of its model");
    }

    /// What happened, for a test that fails.
    fn story(&self) -> String {
        let asked: Vec<String> = self
            .server
            .requests()
            .iter()
            .map(|asked| format!("{} {} {:?}\n{}", asked.method, asked.path, asked.refused, asked.body))
            .collect();
        format!("told: {:#?}\nasked: {}", self.told.lock().unwrap(), asked.join("\n"))
    }
}

/// Outside of the directory for temporary files, where Codex would not work: a checkout may be there.
fn scratch() -> TempDir {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let temporary = std::env::temp_dir();
    let is_temporary = own.starts_with("/tmp") || own.starts_with(temporary);
    tempfile::tempdir_in(if is_temporary { Path::new("/var/tmp") } else { own }).unwrap()
}

/// What Claude Code is asked to do about the file that is wrong.
fn edit(tree: &Path) -> [Reply; 2] {
    let file = tree.join("src/total.rs");
    let change = json!({"file_path": file, "old_string": WRONG, "new_string": RIGHT, "replace_all": false});
    [Reply::call("Read", json!({"file_path": file})), Reply::call("Edit", change)]
}

/// The one that reviewers are really given.
fn schema() -> Value {
    Shape::review(&Config::default().gate).schema.schema
}

fn verdict() -> Value {
    let finding = json!({"file": "src/total.rs", "line": 2, "end_line": null, "quote": "a - b", "severity": "MAJOR",
        "category": "correctness", "dimension": "code_quality", "confidence": "high", "message": "It subtracts.",
        "impact": null, "suggestion": "a + b"});
    let verdict = json!({"summary": "The total is a difference.", "findings": [finding], "dimension_scores": null,
        "verdict": "fail"});
    assert_eq!(Shape::review(&Config::default().gate).errors(&verdict), [""; 0]);
    verdict
}
