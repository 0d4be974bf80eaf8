//! The programs that speak the Agent Client Protocol for Claude Code and Codex.

use std::time::Duration;

use brain::agents::acp::{AcpAuthor, Execute, Spoken, greet, spoken};
use brain::agents::{Claude, Codex, CodingAgent};
use domain::config::Protocol;
use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};
use serde_json::json;
use testkit::model_server::{Asked, Reply};

use super::codex::{patch, shell};
use super::{PROMPT, RIGHT, Scene, edit};

impl Scene {
    /// As an author through the protocol, if what speaks it is installed.
    fn speaking(mut self) -> Option<Scene> {
        match spoken(&self.stage.launch, Protocol::Auto) {
            Ok(Spoken::Protocol(command)) => self.stage.launch.command = command,
            other => panic!("{other:?}"),
        }
        Some(self)
    }

    fn fix_by_talking(
        &self,
        execute: Option<Execute>,
        given_up: &(dyn Fn() -> bool + Sync),
    ) -> Result<AuthorReport, AuthorError> {
        let author = AcpAuthor::new("fixer".into(), self.stage.launch.clone(), execute);
        author.work(&AuthorJob {
            prompt: PROMPT,
            worktree: &self.tree,
            timeout: Duration::from_secs(600),
            progress: &|line| self.hear(line),
            given_up,
        })
    }

    /// Processes of the installed agents that run in this scene's worktree.
    fn left(&self) -> Vec<String> {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter(|entry| {
                std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&self.tree))
            })
            .map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
            .collect()
    }
}

fn scene(agent: &'static dyn CodingAgent, script: impl Fn(&std::path::Path) -> Vec<Reply>) -> Option<Scene> {
    Scene::of_fix(agent, script)?.speaking()
}

#[test]
fn claude_fixes_its_worktree_through_the_protocol_and_nothing_else() {
    let scene = scene(&Claude, |tree| {
        let [read, edit] = edit(tree);
        let run = Reply::call("Bash", json!({"command": "rm -f nothing.txt && echo NOTHING-$((1))-LEFT"}));
        vec![read, edit, run, Reply::text("It adds now.")]
    });
    let Some(scene) = scene else { return };
    let report =
        scene.fix_by_talking(None, &|| false).unwrap_or_else(|error| panic!("{error}\n{}", scene.story()));
    assert_eq!(
        (report.summary.as_str(), report.denied_tools.len()),
        ("It adds now.", 0),
        "{}",
        scene.story()
    );
    assert_eq!(scene.left(), [""; 0]);
    let last = scene.questions().last().map(Asked::text).unwrap_or_default();
    assert!(last.contains("NOTHING-1-LEFT"), "{last}");
    scene.assert_nothing_else_was_touched();
    scene.assert_only_the_file_was_fixed();
}

#[test]
fn what_the_policy_does_not_allow_is_refused_to_claude() {
    let scene = scene(&Claude, |tree| {
        let outside = tree.with_file_name("repo").join("src/total.rs");
        vec![
            Reply::call("Bash", json!({"command": "make test > made.txt"})),
            Reply::call("Write", json!({"file_path": outside.with_file_name("new.rs"), "content": RIGHT})),
            Reply::call("Bash", json!({"command": "touch listed.txt"})),
            Reply::text("I was not allowed to."),
        ]
    });
    let Some(scene) = scene else { return };
    let execute = Execute::Listed(vec!["touch listed.txt".into()]);
    let report = scene
        .fix_by_talking(Some(execute), &|| false)
        .unwrap_or_else(|error| panic!("{error}\n{}", scene.story()));
    assert_eq!(report.denied_tools.len(), 2, "{report:?}\n{}", scene.story());
    assert_eq!(scene.questions().len(), 4, "{}", scene.story());
    assert!(scene.told("refused: "), "{}", scene.story());
    assert!(
        scene.tree.join("listed.txt").exists() && !scene.tree.join("made.txt").exists(),
        "{}",
        scene.story()
    );
    scene.assert_nothing_else_was_touched();
}

#[test]
fn claude_that_nobody_waits_for_is_ended_with_all_it_started() {
    let scene = scene(&Claude, |_| {
        vec![
            Reply::call("Bash", json!({"command": "touch begun.txt; sleep 3000"})),
            Reply::text("It never comes to this."),
        ]
    });
    let Some(scene) = scene else { return };
    let begun = scene.tree.join("begun.txt");
    let error = scene.fix_by_talking(Some(Execute::Anything), &|| begun.exists()).unwrap_err();
    assert_eq!(error.kind, "given_up", "{error}\n{}", scene.story());
    assert_eq!(scene.left(), [""; 0]);
}

#[test]
fn codex_fixes_its_worktree_through_the_protocol_and_nothing_else() {
    let scene = scene(&Codex, |tree| vec![patch(), shell(&Scene::attack(tree)), Reply::text("It adds now.")]);
    let Some(scene) = scene else { return };
    let report =
        scene.fix_by_talking(None, &|| false).unwrap_or_else(|error| panic!("{error}\n{}", scene.story()));
    assert_eq!(report.summary, "It adds now.", "{}", scene.story());
    scene.assert_the_attack_failed();
    scene.assert_no_command_saw_the_key();
    assert_eq!(scene.left(), [""; 0]);
    scene.assert_nothing_else_was_touched();
    scene.assert_only_the_file_was_fixed();
}

#[test]
fn both_introduce_themselves() {
    for (agent, name) in [(&Claude as &'static dyn CodingAgent, "claude-agent-acp"), (&Codex, "codex-acp")] {
        let Some(scene) = scene(agent, |_| vec![]) else { return };
        let greeted = greet(&scene.stage.launch).unwrap();
        assert!(greeted.contains(name), "{greeted}");
        assert_eq!(scene.questions_asked(), 0);
    }
}
