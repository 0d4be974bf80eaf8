use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::Repo;

use super::chains::{Chain, Story};
use super::plan::Plan;

/// Where another build of the program is named, such as the one that is released.
const PROGRAM: &str = "COUNTERSIGN_CRASH_PROGRAM";

/// A repository with a branch for every chain, agents that work in it, and their store.
#[derive(Debug)]
pub(crate) struct Workshop {
    repo: Repo,
    /// Several ways to the same store; processes take turns.
    addresses: Vec<String>,
}

impl Workshop {
    pub(crate) fn on_sqlite(plan: &Plan) -> Workshop {
        let repo = repository(plan);
        let file = repo.path().join(".agent-communication/countersign.db");
        fs::create_dir_all(file.parent().expect("a folder")).unwrap();
        Workshop { repo, addresses: vec![file.to_string_lossy().into_owned()] }
    }

    /// Half of the processes keep statements on their connections and listen, the others do neither.
    pub(crate) fn on_postgres(plan: &Plan, url: &str) -> Workshop {
        let direct = format!("{url}?statement-cache-capacity=100");
        Workshop { repo: repository(plan), addresses: vec![url.to_owned(), direct] }
    }

    pub(crate) fn repo(&self) -> &Repo {
        &self.repo
    }

    pub(crate) fn address(&self) -> &str {
        &self.addresses[0]
    }

    pub(crate) fn mailbox(&self) -> PathBuf {
        self.repo.path().join(".agent-communication")
    }

    /// Where the engineer's command lives and keeps its journal.
    pub(crate) fn engineer(&self) -> PathBuf {
        engineer_of(&self.repo)
    }

    /// The program, as process `number` runs it.
    pub(crate) fn countersign(&self, number: usize) -> Command {
        let given = std::env::var_os(PROGRAM);
        let mut command = Command::new(given.unwrap_or_else(|| env!("CARGO_BIN_EXE_countersign").into()));
        command.current_dir(self.repo.path()).env_clear().envs(self.repo.vars()).stdin(Stdio::null());
        command.env("LANG", "C.UTF-8").env("USER", "crash-test");
        command.env("COUNTERSIGN_STORE", &self.addresses[number % self.addresses.len()]);
        command
    }
}

fn engineer_of(repo: &Repo) -> PathBuf {
    repo.outside("engineer")
}

fn repository(plan: &Plan) -> Repo {
    let repo = Repo::new();
    let engineer = engineer_of(&repo);
    fs::create_dir_all(engineer.join("marks")).unwrap();
    let script = engineer.join("engineer.sh");
    fs::write(&script, include_str!("engineer.sh")).unwrap();
    repo.write("README.md", "# Shop\n").write("countersign.yaml", configuration(&script));
    repo.commit("Start");
    repo.branch("clean").write("README.md", "# Shop\n\nSells things.\n").commit("Say what it does");
    repo.branch("broken").write("stop.py", "def stop():\n    breakpoint()\n").commit("Stop");
    repo.checkout("main");
    for chain in (0..plan.chains()).map(Chain::numbered) {
        match chain.story {
            Story::Plain => {}
            Story::Clean => _ = repo.git(&["branch", &chain.name(), "clean"]),
            Story::Mended | Story::Late | Story::Flaky | Story::Stubborn => {
                _ = repo.git(&["branch", &chain.name(), "broken"]);
            }
        }
    }
    repo
}

/// The shortest times there are, so that what a dead worker held is soon free again.
fn configuration(script: &Path) -> String {
    format!(
        "agents:\n  - id: qa\n  - id: engineer\n    command: [sh, {}]\n\
         task: {{ poll_interval: 1, max_retries: 100, timeout: 60 }}\n\
         limits: {{ backoff: {{ first_seconds: 1, ceiling_seconds: 2 }} }}\n\
         safeguards: {{ max_queue_size: 100000, heartbeat_timeout: 3, watchdog_interval: 1 }}\n",
        script.display()
    )
}
