use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use testkit::Repo;

use crate::program::{Outcome, command, run};

/// Finds every line with BUG in the notes, as a reviewer that can read would. Counts its calls where it can.
const REVIEWER: &str = r#"cat > /dev/null
echo review >> '@outside@/calls' 2> /dev/null
findings=""
while IFS=: read -r line text; do
  [ -n "$findings" ] && findings="$findings,"
  severity=MAJOR
  case "$text" in *FATAL*) severity=CRITICAL;; esac
  findings="$findings{\"file\":\"notes.txt\",\"line\":$line,\"end_line\":null,\"quote\":\"$text\",\"severity\":\"$severity\",
    \"category\":\"correctness\",\"dimension\":\"requirement_adherence\",\"confidence\":\"high\",
    \"message\":\"\`$text\` is wrong\",\"impact\":null,\"suggestion\":null}"
done < <(grep -n BUG notes.txt)
echo "{\"summary\":\"s\",\"findings\":[$findings],\"dimension_scores\":null,\"verdict\":\"pass\"}"
"#;

/// Sees only the first.
pub(crate) const REVIEWER_ONE_AT_A_TIME: &str = r#"cat > /dev/null
line=$(grep -n BUG notes.txt | head -1)
[ -z "$line" ] || finding="{\"file\":\"notes.txt\",\"line\":${line%%:*},\"end_line\":null,\"quote\":\"${line#*:}\",\"severity\":\"MAJOR\",
    \"category\":\"correctness\",\"dimension\":\"requirement_adherence\",\"confidence\":\"high\",
    \"message\":\"\`${line#*:}\` is wrong\",\"impact\":null,\"suggestion\":null}"
echo "{\"summary\":\"s\",\"findings\":[$finding],\"dimension_scores\":null,\"verdict\":\"pass\"}"
"#;

/// Takes one bug out at a time.
pub(crate) const ONE_AT_A_TIME: &str =
    "cat > /dev/null\nsed -i '0,/BUG/{/BUG/d}' notes.txt\necho 'Addressed: 1'";
/// Takes all of them out.
pub(crate) const ALL_AT_ONCE: &str = "cat > /dev/null\nsed -i '/BUG/d' notes.txt\necho 'Addressed: 1, 2, 3'";

/// Each fix brings another bug, so three rounds are not enough.
const NEVER_DONE: &str = "cat > /dev/null\necho \"BUG $RANDOM$RANDOM\" > notes.txt";

/// A branch `topic` with bugs in its notes, a reviewer `qa` and a fixer `engineer`; `main` is checked out.
pub(crate) struct Stage {
    pub(crate) repo: Repo,
}

pub(crate) struct Setup<'a> {
    pub(crate) notes: &'a str,
    pub(crate) reviewer: &'a str,
    pub(crate) fixer: &'a str,
    /// More of countersign.yaml.
    pub(crate) policy: &'a str,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Setup { notes: "fine\n", reviewer: REVIEWER, fixer: ALL_AT_ONCE, policy: "" }
    }
}

impl Setup<'_> {
    pub(crate) fn stage(&self) -> Stage {
        let repo = Repo::new();
        let qa = script(&repo, "qa", self.reviewer);
        let engineer = script(&repo, "engineer", self.fixer);
        repo.write("README.md", "# Notes\n").write(
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
        repo.commit("Start");
        repo.branch("topic").write("notes.txt", self.notes).commit("Take notes");
        repo.checkout("main");
        repo.write("../story.md", "# Story 1.2: Take notes\n\nNotes are taken.\n");
        Stage { repo }
    }
}

pub(crate) fn with_notes(notes: &str) -> Stage {
    Setup { notes, ..Setup::default() }.stage()
}

/// A loop that has come to its third round in vain, and waits for a person.
pub(crate) fn escalated() -> (Stage, Outcome) {
    let policy = "people: [mia]\n";
    let stage = Setup { notes: "BUG one\n", fixer: NEVER_DONE, policy, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 4);
    (stage, outcome)
}

pub(crate) fn script(repo: &Repo, name: &str, text: &str) -> PathBuf {
    let folder = repo.outside("agents");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join(name);
    let outside = repo.path().parent().unwrap().display().to_string();
    let text = text.replace("@outside@", &outside).replace("@repo@", &repo.path().display().to_string());
    std::fs::write(&program, format!("#!/bin/bash\n{text}\n")).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    program
}

impl Stage {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.repo.path());
        command.arg("loop").args(arguments).env("USER", "ada");
        command
    }

    pub(crate) fn begin(&self) -> Command {
        let story = self.repo.outside("story.md");
        let mut command = self.command(&["--branch", "topic", "--reviewer", "qa", "--fixer", "engineer"]);
        command.arg("--story").arg(story);
        command
    }

    /// A whole loop with these further arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Outcome {
        let mut command = self.begin();
        command.args(more);
        run(command)
    }

    pub(crate) fn resume(&self, more: &[&str]) -> Outcome {
        let mut command = self.command(&["--resume", "--branch", "topic"]);
        command.args(more);
        run(command)
    }

    pub(crate) fn dossier(&self) -> Value {
        let shown = run(self.command(&["--show", "--branch", "topic", "--format", "json"]));
        serde_json::from_str(&shown.stdout).unwrap()
    }

    pub(crate) fn document(&self, round: u32) -> String {
        std::fs::read_to_string(self.document_path(round)).unwrap_or_default()
    }

    pub(crate) fn document_path(&self, round: u32) -> PathBuf {
        self.repo.path().join(format!("docs/progress/story-1.2-review-findings-round-{round}.md"))
    }

    pub(crate) fn notes(&self) -> String {
        self.repo.git(&["show", "topic:notes.txt"])
    }

    pub(crate) fn tip(&self) -> String {
        self.repo.git(&["rev-parse", "topic"])
    }

    pub(crate) fn commits(&self) -> String {
        self.repo.git(&["rev-list", "--count", "main..topic"])
    }

    /// How often an unconfined script was called.
    pub(crate) fn calls(&self, what: &str) -> usize {
        let calls = std::fs::read_to_string(self.repo.outside("calls")).unwrap_or_default();
        calls.lines().filter(|line| *line == what).count()
    }

    /// No worktree, no scratch directory, no process of ours.
    pub(crate) fn assert_nothing_left(&self) {
        let trees = self.repo.git(&["worktree", "list", "--porcelain"]);
        assert_eq!(trees.matches("worktree ").count(), 1, "{trees}");
        let loops = self.repo.outside("cache/countersign/loops");
        let left: Vec<_> =
            std::fs::read_dir(loops).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

pub(crate) fn assert_code(outcome: &Outcome, code: i32) {
    assert_eq!(outcome.code, Some(code), "{}\n{}", outcome.stdout, outcome.stderr);
}
