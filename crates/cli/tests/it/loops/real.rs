//! The real Claude Code reviews and the real Codex fixes, both confined, against scripted models. Without them (a plain
//! `cargo nextest run`) there is nothing to test here.

use serde_json::{Value, json};
use testkit::Repo;
use testkit::model_server::{ModelServer, Reply};

use super::stage::assert_code;
use crate::program::{command, run, skip_unless_confined};

const RIGHT: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
const WRONG: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    a - b\n}\n";

const YAML: &str = "agents:\n  - {id: qa, brain: claude}\n  - {id: engineer, brain: codex, protocol: cli}\n\
    limits: {inconclusive_retries: 0}\nloop: {fixer_retries: 0}\n";

fn verdict(findings: Value, verdict: &str) -> Reply {
    let report = json!({"summary": "s", "findings": findings, "dimension_scores": null, "verdict": verdict});
    Reply::call("StructuredOutput", report)
}

fn wrong() -> Value {
    json!([{"file": "src/total.rs", "line": 2, "end_line": null, "quote": "a - b", "severity": "MAJOR",
        "category": "correctness", "dimension": "code_quality", "confidence": "high", "message": "It subtracts.",
        "impact": null, "suggestion": "a + b"}])
}

/// The model of today writes a program that calls the tools.
fn patch() -> Reply {
    let patch = "*** Begin Patch\n*** Update File: src/total.rs\n@@\n-    a - b\n+    a + b\n*** End Patch\n";
    Reply::call("exec", json!(format!("text(await tools.apply_patch({}))", json!(patch))))
}

#[test]
fn claude_code_and_codex_take_turns() {
    let Some(agents) = testkit::installed("COUNTERSIGN_TEST_AGENTS", "coding agents are") else { return };
    if !skip_unless_confined(brain::confine::support().remark("an agent").is_none()) {
        return;
    }
    let reviewer = ModelServer::start(vec![verdict(wrong(), "fail"), verdict(json!([]), "pass")]);
    let fixer = ModelServer::start(vec![patch(), Reply::text("It adds now.\nAddressed: 1")]);
    let repo = Repo::new();
    repo.write("countersign.yaml", YAML);
    repo.commit("Start");
    repo.branch("topic").write("src/total.rs", WRONG).commit("A total");
    repo.checkout("main");
    // Codex does not work below the directory for temporary files.
    let cache = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut command = command(repo.path());
    command.args([
        "loop",
        "--title",
        "A total",
        "--branch",
        "topic",
        "--reviewer",
        "qa",
        "--fixer",
        "engineer",
    ]);
    command.env("PATH", format!("{}:/usr/bin:/bin", agents.display())).env("XDG_CACHE_HOME", cache.path());
    command.env("ANTHROPIC_API_KEY", ModelServer::KEY).env("ANTHROPIC_BASE_URL", reviewer.url());
    command.env("OPENAI_API_KEY", ModelServer::KEY).env("OPENAI_BASE_URL", format!("{}/v1", fixer.url()));
    let outcome = run(command);
    assert_code(&outcome, 0);
    assert_eq!(repo.git(&["show", "topic:src/total.rs"]) + "\n", RIGHT);
    let subject = repo.git(&["log", "-1", "--format=%s", "topic"]);
    assert!(subject.starts_with("fix: address code review round 1 - "), "{subject}");
    let second = reviewer.questions().pop().unwrap().text();
    assert!(second.contains("a + b") && !second.contains("It subtracts."), "{second}");
}
