//! Fixers that are spoken to through the Agent Client Protocol, played by scripts.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use testkit::Repo;

use crate::agents::{Running, eventually};
use crate::program::{command, countersign, run};

/// An agent that does with its prompt what is filled in.
const AGENT: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
def send(message): print(json.dumps(dict(message, jsonrpc="2.0")), flush=True)
def receive():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def say(text):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send({"method": "session/update", "params": {"sessionId": "s", "update": update}})
def may(kind, **fields):
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
    call = dict(toolCallId="1", title=str(fields), kind=kind, rawInput=fields)
    send({"id": "ask", "method": "session/request_permission", "params": {"sessionId": "s", "toolCall": call, "options": options}})
    return receive()["result"]["outcome"].get("optionId") == "allow_once"
def answer(request, result): send({"id": request["id"], "result": result})
answer(receive(), {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "scripted", "version": "1"}})
answer(receive(), {"sessionId": "s"})
request = receive()
@does@
answer(request, {"stopReason": "end_turn"})
"#;

fn executable(folder: &Path, name: &str, text: &str) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let program = folder.join(name);
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    program
}

/// A repository whose `engineer` is the agent that `entry` describes, with @agent@ for the scripted one.
fn repo(entry: &str, does: &str) -> Repo {
    let repo = Repo::new();
    let program = executable(&repo.outside("agent"), "agent", &AGENT.replace("@does@", does));
    let entry = entry.replace("@agent@", &program.display().to_string());
    repo.write("README.md", "# Shop\n")
        .write("countersign.yaml", format!("agents:\n  - {{ id: engineer, {entry} }}\n"));
    repo.commit("Start");
    repo.git(&["branch", "docs"]);
    repo
}

fn fix_task(repo: &Repo) -> String {
    let words = [
        "task",
        "add",
        "--agent",
        "engineer",
        "--type",
        "fix",
        "--title",
        "Mend it",
        "--context",
        "branch_name=docs",
    ];
    let added = countersign(repo.path(), &words);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    added.stdout.trim().to_owned()
}

/// Its own `python3` and no version manager's, which keeps its files in a home that agents cannot read.
const PATH: &str = "/usr/bin:/bin";

fn start(repo: &Repo, path: &str) -> Running {
    let mut agents = command(repo.path());
    agents.args(["agent", "start", "engineer"]).env("PATH", path);
    agents.stdout(Stdio::null()).stderr(Stdio::null());
    Running::of(agents)
}

fn log(repo: &Repo) -> String {
    std::fs::read_to_string(repo.path().join("logs/engineer.log")).unwrap_or_default()
}

fn shown(repo: &Repo, id: &str) -> String {
    countersign(repo.path(), &["task", "show", id, "--format", "json"]).stdout
}

#[test]
fn a_fix_is_made_by_talking_and_what_is_not_allowed_is_refused() {
    let does = r#"
say("On it.\n")
if may("edit", path=os.getcwd() + "/README.md"): open("README.md", "a").write("Fixed.\n")
if may("execute", command="make all"): open("made", "w")
if may("execute", command="make test"): open("tested", "w")
say("Done.")"#;
    let repo = repo("brain: acp, command: ['@agent@'], allow_commands: [make test]", does);
    let id = fix_task(&repo);
    let _agents = start(&repo, PATH);
    eventually("the fix is completed", || shown(&repo, &id).contains("\"status\": \"completed\""));
    assert_eq!(repo.git(&["ls-tree", "--name-only", "docs"]), "README.md\ncountersign.yaml\ntested");
    assert_eq!(repo.git(&["show", "docs:README.md"]), "# Shop\nFixed.");
    assert!(shown(&repo, &id).contains("make all"), "{}", shown(&repo, &id));
    assert!(log(&repo).contains("On it.") && log(&repo).contains("refused: "), "{}", log(&repo));
}

#[test]
fn a_fixer_whose_task_is_cancelled_is_ended_at_once() {
    let does = "open('begun', 'w').write(str(os.getpid()))\nsay('begun\\n')\ntime.sleep(3600)";
    let repo = repo("brain: acp, command: ['@agent@'], timeout: 3600", does);
    let id = fix_task(&repo);
    let _agents = start(&repo, PATH);
    eventually("it has begun", || log(&repo).contains("begun"));
    let agent = repo.outside("agent/agent").display().to_string();
    let runs = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok())
            .any(|line| line.split('\0').any(|word| word == agent))
    };
    assert!(runs());
    assert_eq!(countersign(repo.path(), &["task", "cancel", &id]).code, Some(0));
    eventually("it is gone", || !runs());
}

#[test]
fn a_program_that_was_asked_for_and_is_missing_is_named_with_a_way_out() {
    let repo = repo("brain: claude, protocol: acp", "");
    fix_task(&repo);
    let _agents = start(&repo, PATH);
    eventually("the reason is logged", || log(&repo).contains("claude-agent-acp is not installed"));
    assert!(log(&repo).contains("npm install -g @agentclientprotocol/claude-agent-acp"), "{}", log(&repo));
}

#[test]
fn an_agent_without_such_a_program_is_run_by_its_command_line_and_that_is_logged() {
    let repo = repo("brain: claude", "");
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"Done."}"#;
    let script = format!("#!/bin/bash\ncat > /dev/null\necho Fixed. >> README.md\necho '{result}'\n");
    executable(&repo.outside("programs"), "claude", &script);
    let id = fix_task(&repo);
    let path = format!("{}:{PATH}", repo.outside("programs").display());
    let _agents = start(&repo, &path);
    eventually("the fix is completed", || shown(&repo, &id).contains("\"status\": \"completed\""));
    assert!(
        log(&repo).contains("claude-agent-acp is not installed: claude is run by its own command line"),
        "{}",
        log(&repo)
    );
}

#[test]
fn doctor_lists_what_speaks_the_protocol_and_asks_it_for_its_name() {
    let repo = repo("brain: acp, command: ['@agent@']", "say(json.dumps({'ok': True}))");
    repo.branch("more").write("README.md", "# Shop\n\nMore.\n");
    repo.commit("More");
    executable(&repo.outside("programs"), "codex-acp", "#!/bin/sh\necho 'codex-acp 9.8.7'\n");
    let path = format!("{}:{PATH}", repo.outside("programs").display());
    let doctor = |more: &[&str]| {
        let mut command = command(repo.path());
        command.arg("doctor").args(more).env("PATH", &path).env("XDG_CACHE_HOME", repo.outside("cache"));
        run(command)
    };
    let outcome = doctor(&[]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    for expected in ["codex-acp: codex-acp 9.8.7, ", "claude-agent-acp: not installed; "] {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
    let outcome = doctor(&["--ping"]);
    let answers = "agent engineer answers in the Agent Client Protocol, as scripted 1";
    assert!(
        outcome.stdout.contains(answers) && outcome.stdout.contains("agent engineer answers\n"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("codex-acp, asked in the Agent Client Protocol, does not answer"),
        "{}",
        outcome.stdout
    );
}
