use brain::agents::Claude;
use serde_json::{Value, json};
use testkit::model_server::{Asked, Reply};

use super::{RIGHT, Scene, edit, schema, verdict};

fn tools(asked: &Asked) -> Vec<&str> {
    let tools = asked.body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

fn schema_given(asked: &Asked) -> Option<&Value> {
    let tools = asked.body["tools"].as_array()?;
    Some(&tools.iter().find(|tool| tool["name"] == "StructuredOutput")?["input_schema"])
}

#[test]
fn claude_code_reads_the_change_and_answers_in_our_schema() {
    let scene = Scene::of_review(&Claude, |tree| {
        let file = tree.join("src/total.rs");
        vec![Reply::call("Read", json!({"file_path": file})), Reply::call("StructuredOutput", verdict())]
    });
    let Some(scene) = scene else { return };
    let answer = scene.review();
    assert_eq!(answer.structured, Some(verdict()), "{}", scene.story());
    assert_eq!(answer.denied_tools, [""; 0]);
    assert_eq!(answer.usage.unwrap().input_tokens, 200);
    let questions = scene.questions();
    assert_eq!(schema_given(&questions[0]), Some(&schema()));
    assert!(questions[1].text().contains("a - b"), "{}", scene.story());
    assert!(scene.told("Read: "), "{}", scene.story());
    scene.assert_nothing_else_was_touched();
}

#[test]
fn claude_code_that_reviews_is_refused_to_write() {
    let scene = Scene::of_review(&Claude, |tree| {
        let file = tree.join("src/total.rs");
        vec![
            Reply::call("Read", json!({"file_path": file})),
            Reply::call("Write", json!({"file_path": file, "content": RIGHT})),
            Reply::call("Bash", json!({"command": "echo x > src/new.rs"})),
            Reply::call("StructuredOutput", verdict()),
        ]
    });
    let Some(scene) = scene else { return };
    let answer = scene.review();
    assert_eq!(answer.denied_tools, ["Write", "Bash"], "{}", scene.story());
    let questions = scene.questions();
    let offered = tools(&questions[0]);
    assert!(!["Write", "Edit", "Bash"].iter().any(|tool| offered.contains(tool)), "{offered:?}");
    scene.assert_tree_was_not_touched();
    scene.assert_nothing_else_was_touched();
}

#[test]
fn claude_code_fixes_its_worktree_and_nothing_else() {
    let scene = Scene::of_fix(&Claude, |tree| {
        let [read, edit] = edit(tree);
        let attack = Reply::call("Bash", json!({"command": Scene::attack(tree)}));
        vec![read, edit, attack, Reply::text("It adds now.")]
    });
    let Some(scene) = scene else { return };
    let report = scene.fix();
    assert_eq!((report.summary.as_str(), report.denied_tools.len()), ("It adds now.", 0));
    scene.assert_the_attack_failed();
    scene.assert_nothing_else_was_touched();
    scene.assert_only_the_file_was_fixed();
}
