use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use testkit::Repo;

pub(crate) use crate::loops::stage::{assert_code, script};
use crate::program::{Outcome, command, run};

/// Reads whom it builds for off its prompt, and leaves the rest in `prompt`.
const WHO: &str = "prompt=$(cat)\nid=$(sed -n '1s/^Build ticket \\([^:]*\\):.*/\\1/p' <<< \"$prompt\")\n";

/// Writes what nobody objects to.
pub(crate) const FINE: &str = "echo fine >> \"$id.txt\"\necho 'Done.'";

/// Leaves a bug at first, and takes it out when a review asks for it.
pub(crate) const REVISES: &str = "if grep -q 'REVISION REQUIRED' <<< \"$prompt\"; then sed -i 's/BUG/fine/' \"$id.txt\"\n\
     else echo BUG > \"$id.txt\"; fi";

/// Whatever is asked, there is a bug in it, and each time another.
pub(crate) const HOPELESS: &str = "echo \"BUG $RANDOM$RANDOM\" > \"$id.txt\"";

/// Finds every line with BUG in files of text, as a reviewer that can read would.
pub(crate) const REVIEWER: &str = r#"cat > /dev/null
findings=""
while IFS=: read -r file line text; do
  [ -n "$findings" ] && findings="$findings,"
  findings="$findings{\"file\":\"$file\",\"line\":$line,\"end_line\":null,\"quote\":\"$text\",\"severity\":\"MAJOR\",
    \"category\":\"correctness\",\"dimension\":\"requirement_adherence\",\"confidence\":\"high\",
    \"message\":\"\`$text\` is wrong\",\"impact\":null,\"suggestion\":null}"
done < <(grep -n BUG -- *.txt /dev/null)
echo "{\"summary\":\"s\",\"findings\":[$findings],\"dimension_scores\":null,\"verdict\":\"pass\"}"
"#;

/// An epic `login` with an agent `engineer` that builds and an agent `qa` that reviews; `main` is checked out.
pub(crate) struct Stage {
    pub(crate) repo: Repo,
}

pub(crate) struct Setup<'a> {
    /// `a`, or `b: a` for one that depends on another.
    pub(crate) tickets: &'a [&'a str],
    pub(crate) builder: &'a str,
    pub(crate) reviewer: &'a str,
    /// More of countersign.yaml.
    pub(crate) policy: &'a str,
    /// More of the epic.
    pub(crate) epic: &'a str,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Setup { tickets: &["a"], builder: FINE, reviewer: REVIEWER, policy: "", epic: "" }
    }
}

impl Setup<'_> {
    pub(crate) fn stage(&self) -> Stage {
        let repo = Repo::new();
        let qa = script(&repo, "qa", self.reviewer);
        let engineer = script(&repo, "engineer", &format!("{WHO}{}", self.builder));
        repo.write("README.md", "# Shop\n").write(
            "countersign.yaml",
            format!(
                "agents:\n  - {{id: qa, brain: command, command: ['{}'], timeout: 120}}\n  \
                 - {{id: engineer, brain: command, command: ['{}'], timeout: 120}}\n\
                 limits: {{backoff: {{first_seconds: 0, ceiling_seconds: 0}}}}\n{}",
                qa.display(),
                engineer.display(),
                self.policy
            ),
        );
        repo.write("epics/login/epic.yaml", self.document());
        for ticket in self.tickets {
            let id = ticket.split(':').next().unwrap_or_default();
            repo.write(
                &format!("epics/login/{id}.md"),
                format!("# Ticket {id}\n\nWrite {id}.\n\n## Acceptance criteria\n\n- [ ] There is a {id}\n"),
            );
        }
        repo.commit("Start");
        Stage { repo }
    }

    fn document(&self) -> String {
        let mut text = "id: login\ntitle: Log in\nbuilder: engineer\nreviewer: qa\n".to_owned();
        text.push_str(self.epic);
        text.push_str("tickets:\n");
        for ticket in self.tickets {
            let (id, before) = ticket.split_once(':').unwrap_or((ticket, ""));
            text.push_str(&format!("  - {{id: {id}, path: {id}.md, depends_on: [{before}]}}\n"));
        }
        text
    }
}

pub(crate) fn with_tickets(tickets: &[&str]) -> Stage {
    Setup { tickets, ..Setup::default() }.stage()
}

impl Stage {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.repo.path());
        command.arg("epic").args(arguments).env("USER", "ada");
        command
    }

    /// A whole run with these further arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Outcome {
        run(self.begin(more))
    }

    pub(crate) fn begin(&self, more: &[&str]) -> Command {
        let mut command = self.command(&["run", "epics/login/epic.yaml"]);
        command.args(more);
        command
    }

    pub(crate) fn resume(&self, more: &[&str]) -> Outcome {
        let mut command = self.command(&["resume", "login"]);
        command.args(more);
        run(command)
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.repo.path().join("epics/login/epic-state.json")
    }

    /// What epic-state.json says.
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.state_path()).unwrap()).unwrap()
    }

    /// What epic-report.md says.
    pub(crate) fn report(&self) -> String {
        std::fs::read_to_string(self.repo.path().join("epics/login/epic-report.md")).unwrap()
    }

    pub(crate) fn ticket(&self, id: &str) -> Value {
        self.state()["tickets"][id].clone()
    }

    pub(crate) fn status(&self, id: &str) -> String {
        self.ticket(id)["status"].as_str().unwrap_or_default().to_owned()
    }

    /// What the store says, in the form of epic-state.json.
    pub(crate) fn stored(&self) -> Value {
        let shown = run(self.command(&["status", "login", "--format", "json"]));
        serde_json::from_str(&shown.stdout).unwrap()
    }

    /// File and store say the same, but for when it was written.
    pub(crate) fn assert_in_agreement(&self) {
        let without_time = |mut value: Value| {
            value.as_object_mut().unwrap().remove("updated_at");
            value
        };
        assert_eq!(without_time(self.state()), without_time(self.stored()));
    }

    pub(crate) fn file(&self, branch: &str, path: &str) -> String {
        self.repo.git(&["show", &format!("{branch}:{path}")])
    }

    /// How often an unconfined script wrote this line.
    pub(crate) fn calls(&self, what: &str) -> usize {
        let calls = std::fs::read_to_string(self.repo.outside("calls")).unwrap_or_default();
        calls.lines().filter(|line| *line == what).count()
    }

    /// No worktree and no scratch directory.
    pub(crate) fn assert_nothing_left(&self) {
        let trees = self.repo.git(&["worktree", "list", "--porcelain"]);
        assert_eq!(trees.matches("worktree ").count(), 1, "{trees}");
        let epics = self.repo.outside("cache/countersign/epics");
        let left: Vec<_> =
            std::fs::read_dir(epics).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
