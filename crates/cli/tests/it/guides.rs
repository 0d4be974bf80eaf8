//! How to queue work, and how to help with it.

use std::process::Command;

use crate::agents::{Running, eventually};
use crate::program::{Outcome, clean_branch, countersign};

fn json(outcome: &Outcome) -> serde_json::Value {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn add(repo: &testkit::Repo, more: &[&str]) -> String {
    let arguments = [&["task", "add", "--title", "T"], more].concat();
    let added = countersign(repo.path(), &arguments);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    added.stdout.trim().to_owned()
}

#[test]
fn the_guide_speaks_of_the_agents_and_limits_of_this_repository() {
    let repo = clean_branch();
    repo.write(
        "countersign.yaml",
        "agents:\n  - id: lena\n    queue: reviews\nsafeguards:\n  max_queue_size: 7\n",
    );
    let guide = countersign(repo.path(), &["task", "guide"]);
    assert_eq!(guide.code, Some(0), "{}", guide.stderr);
    for expected in [
        "- `lena`: lena; files go into `.agent-communication/queues/reviews/`",
        "takes 7 unfinished tasks",
        "- `id` (required): ",
        "- `priority` (default 50): ",
        "--agent reviews ",
    ] {
        assert!(guide.stdout.contains(expected), "{expected}: {}", guide.stdout);
    }
}

#[test]
fn the_file_of_the_guide_is_taken_in_as_printed() {
    let repo = clean_branch();
    let guide = countersign(repo.path(), &["task", "guide"]).stdout;
    let (_, after) = guide.split_once("```sh\nmkdir").unwrap();
    let (script, _) = after.split_once("```").unwrap();
    let script = format!("mkdir{script}");
    assert!(Command::new("sh").args(["-ec", &script]).current_dir(repo.path()).status().unwrap().success());
    let _agents = Running::start(&repo, &["qa"]);
    let shown = || countersign(repo.path(), &["task", "show", "my-first-review"]);
    eventually("the task is taken in", || shown().code == Some(0));
    assert!(shown().stdout.contains("Review the login"));
}

#[test]
fn the_guide_as_json_holds_the_schema_of_a_task() {
    let repo = clean_branch();
    let guide = json(&countersign(repo.path(), &["task", "guide", "--format", "json"]));
    assert_eq!(guide["schema"], json(&countersign(repo.path(), &["schema", "task"])));
    assert_eq!(guide["agents"][0]["folder"], ".agent-communication/queues/qa/");
    let validator = jsonschema::draft202012::new(&guide["schema"]).unwrap();
    assert!(validator.is_valid(&guide["example"]));
    let mut spoilt = guide["example"].clone();
    spoilt["id"] = "../x".into();
    assert!(!validator.is_valid(&spoilt));
}

#[test]
fn guidance_reaches_the_next_attempt() {
    let repo = clean_branch();
    repo.write(
        "countersign.yaml",
        "agents:\n  - id: engineer\n    command: [sh, -c, 'cat > ../new.json; mv ../new.json ../seen.json']\n",
    );
    let id = add(&repo, &["--agent", "engineer", "--type", "implementation"]);
    let guided = countersign(repo.path(), &["task", "guide", &id, "Keep", "the\u{1b}[2J endpoint"]);
    assert_eq!(guided.code, Some(0), "{}", guided.stderr);
    assert_eq!(guided.stderr, format!("Whoever takes {id} will see it.\n"));
    let shown = countersign(repo.path(), &["task", "show", &id]);
    assert!(shown.words().contains("Notes Guidance from somebody: Keep the endpoint"), "{}", shown.stdout);
    assert!(shown.words().contains("note_added by somebody: Guidance from"), "{}", shown.stdout);

    let _agents = Running::start(&repo, &[]);
    let seen = repo.path().join("../seen.json");
    eventually("the task is worked on", || seen.exists());
    let seen: serde_json::Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(seen["notes"], serde_json::json!(["Guidance from somebody: Keep the endpoint"]));
}

#[test]
fn guidance_for_what_is_over_or_unknown_is_refused_with_a_hint() {
    let repo = clean_branch();
    let id = add(&repo, &["--agent", "qa"]);
    let almost = &id[..id.len() - 1];
    let unknown = countersign(repo.path(), &["task", "guide", almost, "x"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains(&format!("did you mean {id}?")), "{}", unknown.stderr);
    for bad in [&["task", "guide", &id][..], &["task", "guide", &id, " "]] {
        assert_eq!(countersign(repo.path(), bad).code, Some(2), "{bad:?}");
    }
    let cancelled = json(&countersign(repo.path(), &["task", "cancel", &id, "--format", "json"]));
    assert_eq!(cancelled["task"]["status"], "cancelled");
    let over = countersign(repo.path(), &["task", "guide", &id, "x"]);
    assert_eq!(over.code, Some(2));
    assert!(over.stderr.contains("it is over; `countersign task add`"), "{}", over.stderr);
}
