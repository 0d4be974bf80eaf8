//! Judges and clients that others wrote. `scripts/test` installs them and says where they are; without them (a plain
//! `cargo nextest run`) there is nothing to test here.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use testkit::model_server::{ModelServer, Reply};

use super::client::Client;
use super::place::{Place, Served};

fn tools() -> Option<PathBuf> {
    testkit::installed("COUNTERSIGN_TEST_MCP", "the judges of MCP are")
}

/// A program of theirs, with the Node that was installed beside it.
fn program(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(folder.join(name));
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// All that a server of a revision is required to do. What is excused, and why, stands in the files beside this one.
#[test]
fn the_official_conformance_suite_is_content() {
    let Some(folder) = tools() else { return };
    let place = Place::plain();
    let served = Served::start(place.command(&["serve", "--port", "0", "--as", "green"]));
    for revision in ["2025-11-25", "2026-07-28"] {
        let excused = format!("{}/tests/it/mcp/conformance-{revision}.yaml", env!("CARGO_MANIFEST_DIR"));
        let mut command = program(&folder, "conformance");
        command.args(["server", "--url", &served.url(), "--requirements", revision]);
        command.args(["--expected-failures", &excused, "--timeout", "120000"]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{revision}: {}", text(&output));
    }
}

#[test]
fn the_inspector_lists_and_calls_on_both_wires() {
    let Some(folder) = tools() else { return };
    let place = Place::plain();
    place.stdio("purple").call("create_assignment", json!({"agent": "green", "title": "Add up"})).done();
    let served = place.serve(&[]);
    let (url, header) = (served.url(), format!("Authorization: Bearer {}", Place::token("green")));
    let over_http = ["--cli", &url, "--transport", "http", "--header", &header];
    let over_stdio = ["--cli", env!("CARGO_BIN_EXE_countersign"), "mcp", "queue", "--as", "green"];
    for target in [&over_http[..], &over_stdio] {
        let inspect = |arguments: &[&str]| -> Value {
            let mut command = program(&folder, "mcp-inspector");
            command.args(target).args(arguments).current_dir(place.repo.path());
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)))
        };
        let listed = inspect(&["--method", "tools/list"]);
        assert!(
            listed["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "get_my_assignment"),
            "{listed}"
        );
        let called = inspect(&["--method", "tools/call", "--tool-name", "get_my_assignment"]);
        assert_eq!(called["structuredContent"]["assignment"]["title"], "Add up", "{called}");
    }
}

/// Claude Code with our server registered: its model is scripted, everything else is real.
#[test]
fn claude_code_lists_our_tools_and_calls_one() {
    let Some(agents) = testkit::installed("COUNTERSIGN_TEST_AGENTS", "coding agents are") else { return };
    let place = Place::plain();
    place.stdio("purple").call("create_assignment", json!({"agent": "green", "title": "Add up"})).done();
    let model = ModelServer::start(vec![
        Reply::call("mcp__countersign__get_my_assignment", json!({})),
        Reply::text("I see it."),
    ]);
    let server = json!({"mcpServers": {"countersign": {"type": "stdio", "command": env!("CARGO_BIN_EXE_countersign"),
        "args": ["mcp", "queue", "--as", "green"]}}});
    let home = place.repo.outside("home");
    std::fs::create_dir_all(&home).unwrap();
    let mut command = program(&agents, "claude");
    command.current_dir(place.repo.path()).env("HOME", &home);
    command.env("ANTHROPIC_BASE_URL", model.url()).env("ANTHROPIC_API_KEY", ModelServer::KEY);
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").stdin(std::process::Stdio::null());
    // Otherwise it would look our tools up one by one.
    command.env("ENABLE_TOOL_SEARCH", "false");
    command.args([
        "-p",
        "What is mine to do?",
        "--output-format",
        "json",
        "--strict-mcp-config",
        "--mcp-config",
    ]);
    command.arg(server.to_string());
    command.args(["--allowedTools", "mcp__countersign__get_my_assignment", "--no-session-persistence"]);
    let output = command.output().unwrap();
    let questions = model.questions();
    assert!(output.status.success(), "{}", text(&output));
    let offered: Vec<&str> = questions[0].body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(offered.contains(&"mcp__countersign__submit_for_review"), "{offered:?}");
    let last = questions.last().unwrap().text();
    assert!(last.contains("Add up") && last.contains("accept_assignment"), "{last}");
}
