//! Runs the binary the way a shell would, in a clean environment.

use std::path::Path;
use std::process::{Command, Stdio};

use testkit::Repo;

pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Standard output however it was wrapped.
    pub(crate) fn words(&self) -> String {
        self.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// `countersign` with only the variables that make its output reproducible.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.current_dir(folder).env_clear().stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder.join("no-home")).env("LANG", "C.UTF-8");
    // Beside the repository, not in it.
    command.env("XDG_CACHE_HOME", folder.with_file_name("cache"));
    command
}

pub(crate) fn run(mut command: Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn countersign(folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = command(folder);
    command.args(arguments);
    run(command)
}

/// The pull request of the documentation: a login that ships a token, a stub and a debugger.
pub(crate) fn login_branch() -> Repo {
    let repo = Repo::new();
    repo.write("src/login.rs", "pub fn login(user: &str) -> bool {\n    !user.is_empty()\n}\n");
    repo.write("README.md", "# Shop\n");
    repo.commit("Start");
    repo.branch("feature/login");
    let token = ["gh", "p_", "k3Vb9QxT2mWz7LpR4sYd8NfH1jCg5AuE6oBi"].concat();
    repo.write(
        "src/login.rs",
        format!(
            "const TOKEN: &str = \"{token}\";\n\npub fn login(user: &str) -> bool {{\n    dbg!(user);\n    \
             !user.is_empty()\n}}\n\npub fn logout(user: &str) {{\n    todo!()\n}}\n"
        ),
    );
    repo.write("Cargo.lock", "# lock\nversion = 4\n");
    repo.commit("Add login");
    repo
}

/// A branch nobody could object to.
pub(crate) fn clean_branch() -> Repo {
    let repo = Repo::new();
    repo.write("README.md", "# Shop\n");
    repo.commit("Start");
    repo.branch("docs");
    repo.write("README.md", "# Shop\n\nSells things.\n");
    repo.commit("Say what it does");
    repo
}

/// Replaces what differs from run to run.
pub(crate) fn stable(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = match line.find(", in ") {
            Some(at) if line.ends_with(" ms.") || line.ends_with(" s.") => {
                format!("{}, in N ms.", &line[..at])
            }
            _ => line.to_owned(),
        };
        let time = ["\"reviewed_at\": ", "\"endTimeUtc\": "]
            .iter()
            .find_map(|key| Some(line.find(key)? + key.len()));
        lines.push(match time {
            Some(at) => format!("{}\"TIME\"{}", &line[..at], if line.ends_with(',') { "," } else { "" }),
            None => line,
        });
    }
    lines.join("\n") + "\n"
}

/// Whether the kernel confines well enough for a test, which is skipped where it does not.
pub(crate) fn skip_unless_confined(enough: bool) -> bool {
    if !enough {
        let abi = brain::confine::support().abi;
        testkit::skip(&format!("Landlock of this kernel has ABI {abi}, which is too old"));
    }
    enough
}
