use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use brain::agents::{AgentTrouble, AnyCommand, CodingAgent, Finished, Launch, Role, Waiting};
use brain::confine::{Warden, support};
use tempfile::TempDir;

/// A hang is a failure; being slow is not.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A home with a key in it, a repository, an export of its files, and an agent.
pub(crate) struct Stage {
    root: TempDir,
    pub(crate) launch: Launch,
}

impl Stage {
    /// The agent is a program of bash.
    pub(crate) fn with_script(script: &str) -> Stage {
        Stage::with_agent(&AnyCommand, script)
    }

    /// As if `agent` were installed, and behaved like this.
    pub(crate) fn with_agent(agent: &'static dyn CodingAgent, script: &str) -> Stage {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let at = |path: &str| root.path().join(path);
        for directory in ["home/.ssh", "repo/.git/hooks", "export/src", "agent", "scratch"] {
            std::fs::create_dir_all(at(directory)).unwrap();
        }
        for file in ["home/.ssh/id_ed25519", "repo/README.md", "repo/.git/config", "export/src/a.rs"] {
            std::fs::write(at(file), "content\n").unwrap();
        }
        let program = at("agent/agent");
        std::fs::write(&program, format!("#!/bin/bash\n{script}\n")).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, executable).unwrap();
        let warden =
            Warden { program: env!("CARGO_BIN_EXE_confine-for-tests").into(), arguments: Vec::new() };
        let mut launch = Launch::new(agent, warden, at("scratch"));
        launch.command = vec![program.display().to_string()];
        launch.inherited = vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("HOME".into(), at("home").into()),
            ("GITHUB_TOKEN".into(), "forge-secret".into()),
            ("COUNTERSIGN_STORE".into(), "store-secret".into()),
        ];
        launch.timeout = Duration::from_secs(600);
        Stage { root, launch }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Whether any process of the agent is left. Its command line is empty as soon as it has ended.
    pub(crate) fn is_at_work(&self) -> bool {
        let place = self.at("agent").display().to_string();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
            .any(|line| String::from_utf8_lossy(&line).contains(&place))
    }

    /// Scripts may name places of the stage as `@repo@`.
    pub(crate) fn place(self, values: &[(&str, &str)]) -> Stage {
        let program = self.at("agent/agent");
        let mut script = std::fs::read_to_string(&program).unwrap();
        for place in ["home", "repo", "export"] {
            script = script.replace(&format!("@{place}@"), &self.at(place).display().to_string());
        }
        for (name, value) in values {
            script = script.replace(&format!("@{name}@"), value);
        }
        std::fs::write(program, script).unwrap();
        self
    }

    pub(crate) fn review(&self) -> Result<Finished, AgentTrouble> {
        let schema = serde_json::json!({"type": "object"});
        self.launch.run(
            Role::Reviewer,
            "the prompt",
            Some(&schema),
            &self.at("export"),
            Waiting::patiently(&|_| {}),
        )
    }
}

/// `false`, and the test is skipped, where the kernel cannot do what the test is about.
pub(crate) fn kernel_confines() -> bool {
    let support = support();
    if support.remark("an agent").is_some() {
        testkit::skip(&format!("Landlock of this kernel has ABI {}, and 6 is needed", support.abi));
    }
    support.remark("an agent").is_none()
}

/// Seconds for `sleep` that no other process sleeps, to find it by.
pub(crate) fn unique_sleep() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("86{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How many processes sleep that long.
pub(crate) fn sleepers(seconds: &str) -> usize {
    let wanted = format!("sleep\0{seconds}\0");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.ends_with(wanted.as_bytes()))
        })
        .count()
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}
