use brain::agents::Codex;
use serde_json::{Value, json};
use testkit::model_server::Reply;

use super::{Scene, schema, verdict};

/// The model of today writes a program that calls the tools.
fn program(tool: &str, input: &Value) -> Reply {
    Reply::call("exec", json!(format!("text(await tools.{tool}({input}))")))
}

pub(super) fn shell(command: &str) -> Reply {
    program("exec_command", &json!({"cmd": command}))
}

pub(super) fn patch() -> Reply {
    let patch = "*** Begin Patch\n*** Update File: src/total.rs\n@@\n-    a - b\n+    a + b\n*** End Patch\n";
    program("apply_patch", &json!(patch))
}

#[test]
fn codex_reads_the_change_and_answers_in_our_schema() {
    let scene = Scene::of_review(&Codex, |_| vec![shell("cat src/total.rs"), Reply::json(&verdict())]);
    let Some(scene) = scene else { return };
    let answer = scene.review();
    assert_eq!(answer.structured, Some(verdict()), "{}", scene.story());
    assert_eq!(answer.denied_tools, [""; 0]);
    assert_eq!(answer.usage.unwrap().input_tokens, 200);
    let questions = scene.questions();
    assert_eq!(questions[0].body["text"]["format"]["schema"], schema());
    assert!(questions[1].text().contains("a - b"), "{}", scene.story());
    assert!(scene.told("cat src/total.rs"), "{}", scene.story());
    scene.assert_nothing_else_was_touched();
}

#[test]
fn codex_that_reviews_is_refused_to_write() {
    let scene = Scene::of_review(&Codex, |tree| {
        let write = "echo x > src/total.rs; echo x > src/new.rs; rm src/total.rs";
        vec![
            shell(&format!("cat src/total.rs; {write}; {}", Scene::attack(tree))),
            patch(),
            Reply::json(&verdict()),
        ]
    });
    let Some(scene) = scene else { return };
    let answer = scene.review();
    assert_eq!(answer.denied_tools, ["apply_patch"], "{}", scene.story());
    scene.assert_the_attack_failed();
    scene.assert_tree_was_not_touched();
    scene.assert_nothing_else_was_touched();
}

#[test]
fn codex_fixes_its_worktree_and_nothing_else() {
    let scene =
        Scene::of_fix(&Codex, |tree| vec![patch(), shell(&Scene::attack(tree)), Reply::text("It adds now.")]);
    let Some(scene) = scene else { return };
    assert_eq!(scene.fix().summary, "It adds now.");
    scene.assert_the_attack_failed();
    scene.assert_no_command_saw_the_key();
    scene.assert_nothing_else_was_touched();
    scene.assert_only_the_file_was_fixed();
}
