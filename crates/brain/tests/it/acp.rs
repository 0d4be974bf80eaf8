//! Authors that are talked with through the Agent Client Protocol.

use std::sync::Mutex;
use std::time::Duration;

use std::sync::atomic::{AtomicBool, Ordering};

use brain::agents::acp::{AcpAuthor, Execute, greet};
use brain::agents::{AgentTrouble, AnyAcp};
use domain::config::Sandbox;
use domain::ports::{Author, AuthorError, AuthorJob, AuthorReport};

use crate::stage::{Stage, exists, kernel_confines, sleepers, unique_sleep, wait_until};

/// An agent of few words. A script fills in what it does with a prompt.
const AGENT: &str = r#"
import json, os, subprocess, sys, time
def send(message): sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n"); sys.stdout.flush()
def receive():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def update(**fields): send({"method": "session/update", "params": {"sessionId": "s", "update": fields}})
def say(text): update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
def use(id, **fields): update(sessionUpdate="tool_call", toolCallId=id, **fields)
def ask(id, **fields):
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_always", "allow_once", "reject_once")]
    params = {"sessionId": "s", "toolCall": dict(fields, toolCallId=id), "options": options}
    send({"id": "ask", "method": "session/request_permission", "params": params})
    return receive()["result"]["outcome"].get("optionId", "cancelled")
def answer(request, result): send({"id": request["id"], "result": result})
def unheard():
    say("not listening\n")
    while not os.path.exists("src/not-listening"): time.sleep(0.01)
def introduce():
    request = receive()
    assert request["method"] == "initialize" and request["params"]["protocolVersion"] == 1
    capabilities = request["params"]["clientCapabilities"]
    assert not capabilities.get("terminal") and not any(capabilities.get("fs", {}).values()), capabilities
    answer(request, {"protocolVersion": 1, "agentCapabilities": {}})
    request = receive()
    assert request["method"] == "session/new" and request["params"]["cwd"] == os.getcwd()
    answer(request, {"sessionId": "s"})
    request = receive()
    assert request["method"] == "session/prompt"
    return request, request["params"]["prompt"][0]["text"]
"#;

fn staged(script: &str) -> Stage {
    let mut stage = Stage::with_agent(&AnyAcp, "exec python3 \"${0%/*}/agent.py\"");
    let mut program = format!("{AGENT}{script}");
    for place in ["home", "repo"] {
        program = program.replace(&format!("@{place}@"), &stage.at(place).display().to_string());
    }
    std::fs::write(stage.at("agent/agent.py"), program).unwrap();
    let link = format!("gitdir: {}\n", stage.at("repo/.git").display());
    std::fs::write(stage.at("export/.git"), link).unwrap();
    stage.launch.sandbox = Sandbox::Preferred;
    stage
}

struct Work {
    report: Result<AuthorReport, AuthorError>,
    progress: Vec<String>,
}

impl Work {
    fn error(self) -> (String, String) {
        let error = self.report.unwrap_err();
        (error.kind, error.reason)
    }
}

fn work_within(stage: &Stage, timeout: Duration, patience: Duration) -> Work {
    work_until(stage, timeout, patience, &|| false)
}

fn work_until(
    stage: &Stage,
    timeout: Duration,
    patience: Duration,
    given_up: &(dyn Fn() -> bool + Sync),
) -> Work {
    let execute = Some(Execute::Listed(vec!["make test".into()]));
    let author = AcpAuthor { patience, ..AcpAuthor::new("fixer".into(), stage.launch.clone(), execute) };
    let told = Mutex::new(Vec::new());
    let report = author.work(&AuthorJob {
        prompt: "fix it",
        worktree: &stage.at("export"),
        timeout,
        progress: &|line| {
            told.lock().unwrap().push(line.to_owned());
            if line == "not listening" {
                std::fs::write(stage.at("export/src/not-listening"), "").unwrap();
                wait_until("the agent is gone", || !stage.is_at_work());
            }
        },
        given_up,
    });
    let left: Vec<_> = std::fs::read_dir(stage.at("scratch")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    Work { report, progress: told.into_inner().unwrap() }
}

fn work(stage: &Stage) -> Work {
    work_within(stage, Duration::from_secs(600), Duration::from_secs(600))
}

const LONG: Duration = Duration::from_secs(600);

#[test]
fn an_agent_edits_its_worktree_and_tells_what_it_does() {
    let stage = staged(
        r#"
request, prompt = introduce()
say("Let me look.\n")
use("1", title="Edit src/a.rs", kind="edit", locations=[{"path": os.getcwd() + "/src/a.rs"}])
if ask("1") == "allow_once": open("src/a.rs", "w").write(prompt)
use("2", title="make test", kind="execute", rawInput={"command": "make test"})
if ask("2") == "allow_once": open("src/tested", "w").write("")
update(sessionUpdate="usage_update", used=1, size=2, cost={"amount": 0.25, "currency": "USD"})
say("\x1b[31mFix"); say("ed.")
answer(request, {"stopReason": "end_turn"})
receive()
"#,
    );
    let Work { report, progress } = work(&stage);
    let report = report.unwrap();
    assert_eq!((report.summary.as_str(), report.denied_tools.len()), ("Fixed.", 0));
    assert_eq!(report.usage.unwrap().cost_micro_usd, Some(250_000));
    assert_eq!(std::fs::read_to_string(stage.at("export/src/a.rs")).unwrap(), "fix it");
    assert!(exists(&stage.at("export/src/tested")));
    assert_eq!(progress, ["Let me look.", "Edit src/a.rs", "make test", "Fixed."]);
}

#[test]
fn what_is_refused_is_in_the_report() {
    let stage = staged(
        r#"
request, _ = introduce()
answers = [
    ask("1", title="git push", kind="execute", rawInput={"command": "git push"}),
    ask("2", title="Write .bashrc", kind="edit", locations=[{"path": "@home@/.bashrc"}]),
    ask("3", title="Fetch a page", kind="fetch"),
    ask("4", title="Edit a.rs", kind="edit", locations=[{"path": os.getcwd() + "/src/a.rs"}]),
]
say(" ".join(answers))
answer(request, {"stopReason": "end_turn"})
"#,
    );
    let Work { report, progress } = work(&stage);
    let report = report.unwrap();
    assert_eq!(report.summary, "reject_once reject_once reject_once allow_once");
    let names: Vec<_> = report.denied_tools.iter().map(|tool| tool.split(':').next().unwrap()).collect();
    assert_eq!(names, ["git push", "Write .bashrc", "Fetch a page"]);
    assert!(progress[0].starts_with("refused: git push: "), "{progress:?}");
}

#[test]
fn an_agent_that_does_not_ask_still_cannot_leave_its_worktree() {
    if !kernel_confines() {
        return;
    }
    let stage = staged(
        r#"
request, _ = introduce()
for file in ("@repo@/README.md", "@repo@/.git/hooks/pre-commit", "@home@/.bashrc", "src/new.rs"):
    try:
        open(file, "w").write("x")
        say("wrote " + file)
    except OSError: pass
answer(request, {"stopReason": "end_turn"})
"#,
    );
    assert_eq!(work(&stage).report.unwrap().summary, "wrote src/new.rs");
    assert!(!exists(&stage.at("home/.bashrc")) && !exists(&stage.at("repo/.git/hooks/pre-commit")));
}

#[test]
fn an_agent_that_never_ends_is_told_to_stop_and_ended_with_all_it_started() {
    let sleep = unique_sleep();
    let stage = staged(&format!(
        r#"
request, _ = introduce()
subprocess.Popen(["setsid", "sleep", "{sleep}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
use("1", title="Thinking", kind="think")
message = receive()
open("src/told", "w").write(message["method"] + " " + ask("2", kind="think"))
time.sleep(3600)
"#
    ));
    let error = work_within(&stage, Duration::from_secs(15), LONG).error();
    assert_eq!(error, ("timed_out".into(), "was not done after 15 seconds".into()));
    assert_eq!(sleepers(&sleep), 0);
    assert_eq!(std::fs::read_to_string(stage.at("export/src/told")).unwrap(), "session/cancel cancelled");
}

#[test]
fn an_agent_that_nobody_waits_for_is_ended_at_once() {
    let sleep = unique_sleep();
    let stage = staged(&format!(
        r#"
request, _ = introduce()
subprocess.Popen(["setsid", "sleep", "{sleep}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
open("src/told", "w").write(receive()["method"])
answer(request, {{"stopReason": "cancelled"}})
time.sleep(3600)
"#
    ));
    let error = work_until(&stage, LONG, LONG, &|| sleepers(&sleep) > 0).error();
    assert_eq!(error.0, "given_up");
    assert_eq!(sleepers(&sleep), 0);
    assert_eq!(std::fs::read_to_string(stage.at("export/src/told")).unwrap(), "session/cancel");
}

#[test]
fn an_agent_that_nobody_waits_for_need_not_have_introduced_itself() {
    let stage = staged("receive(); open('src/asked', 'w'); time.sleep(3600)");
    let asked = AtomicBool::new(false);
    let given_up = || asked.fetch_or(exists(&stage.at("export/src/asked")), Ordering::Relaxed);
    assert_eq!(work_until(&stage, LONG, LONG, &given_up).error().0, "given_up");
}

#[test]
fn an_agent_that_takes_too_much_memory_is_ended() {
    let mut stage =
        staged("request, _ = introduce(); held = bytearray(os.urandom(1)) * (400 << 20); receive()");
    stage.launch.limits.memory_bytes = Some(200 << 20);
    assert_eq!(work(&stage).error(), ("out_of_bounds".into(), "held more than 200 MB in memory".into()));
}

#[test]
fn somebody_who_speaks_nothing_else_reviews_in_the_protocol_and_changes_nothing() {
    let mut stage = staged(
        r#"
request, prompt = introduce()
answers = [ask("1", kind="read", rawInput={"path": "src/a.rs"}), ask("2", kind="edit", rawInput={"path": "src/a.rs"}),
    ask("3", kind="execute", rawInput={"command": "make"})]
say(json.dumps({"answers": answers, "schema": "JSON schema" in prompt}))
answer(request, {"stopReason": "end_turn"})
"#,
    );
    stage.launch.sandbox = Sandbox::Preferred;
    let finished = stage.review().unwrap();
    let answers = ["allow_once", "reject_once", "reject_once"];
    let expected = serde_json::json!({"answers": answers, "schema": true});
    assert_eq!(finished.answer.structured, Some(expected));
    assert_eq!(finished.answer.denied_tools.len(), 2);
}

#[test]
fn a_program_can_be_asked_for_its_name_alone() {
    let named = "request = receive()
answer(request, {'protocolVersion': 1, 'agentCapabilities': {}, 'agentInfo': {'name': 'scripted', 'version': '1.2'}})
if sys.stdin.readline(): open('/dev/stderr', 'w').write('it was asked for more')";
    assert_eq!(greet(&staged(named).launch), Ok("scripted 1.2".to_owned()));
    assert!(matches!(greet(&staged("sys.exit(3)").launch), Err(AgentTrouble::Failed { exit: 3, .. })));
}

#[test]
fn an_agent_that_does_not_introduce_itself_is_not_waited_for() {
    let sleep = unique_sleep();
    let stage = staged(&format!("receive(); os.execvp('sleep', ['sleep', '{sleep}'])"));
    let (kind, reason) = work_within(&stage, LONG, Duration::from_secs(3)).error();
    assert_eq!(kind, "timed_out");
    assert_eq!(reason, "did not answer in the Agent Client Protocol within 3 seconds");
    wait_until("it is gone", || sleepers(&sleep) == 0);
}

#[test]
fn an_agent_that_ends_early_says_why() {
    let stage = staged("introduce(); say('I'); sys.stderr.write('no key\\n'); sys.exit(4)");
    assert_eq!(work(&stage).error(), ("failed".into(), "ended with exit code 4: no key".into()));
    let stage = staged("sys.exit(0)");
    assert_eq!(work(&stage).error().0, "empty");
}

#[test]
fn somebody_who_speaks_another_language_is_not_understood() {
    let (kind, reason) = work(&staged("print('Usage: agent FILE')")).error();
    assert_eq!((kind.as_str(), reason.contains("Usage: agent FILE")), ("unparsable", true), "{reason}");
    let (kind, _) = work(&staged("while True: print('garbage')")).error();
    assert_eq!(kind, "unparsable");
    let other = "request = receive(); answer(request, {'protocolVersion': 0}); receive()";
    assert_eq!(work(&staged(other)).error().0, "failed");
}

#[test]
fn a_warning_between_messages_is_passed_over() {
    let stage = staged(
        "print('Warning: old'); request, _ = introduce(); print('{\"a\":'); say('Fixed.')
answer(request, {'stopReason': 'end_turn'})
",
    );
    assert_eq!(work(&stage).report.unwrap().summary, "Fixed.");
}

/// What `unheard()` is followed by is read when all of the agent is gone, and none of it before.
#[test]
fn an_answer_counts_however_early_its_agent_is_gone() {
    for before in [
        "unheard()",
        "unheard(); print('{\"a\":')",
        "unheard(); send({'id': 'x', 'method': 'fs/read_text_file', 'params': {}})",
        "print('{\"a\":'); say('It listens.'); receive()",
    ] {
        let script = format!(
            "request, _ = introduce(); {before}; use('1', title='Read'); say('Fixed.')
answer(request, {{'stopReason': 'end_turn'}})"
        );
        assert_eq!(work(&staged(&script)).report.unwrap().summary, "Fixed.", "{before}");
    }
}

#[test]
fn an_agent_that_is_gone_early_has_still_said_why() {
    let stage = staged("introduce(); unheard(); sys.stderr.write('no key\\n'); sys.exit(4)");
    assert_eq!(work(&stage).error(), ("failed".into(), "ended with exit code 4: no key".into()));
    let hello = "request = receive(); unheard(); answer(request, {'protocolVersion': 1})";
    for script in [hello, "receive(); unheard()"] {
        let stage = staged(&format!("{script}; print('Log in first')"));
        let (kind, reason) = work(&stage).error();
        assert_eq!((kind.as_str(), reason.contains("Log in first")), ("unparsable", true), "{reason}");
    }
}

#[test]
fn an_agent_that_floods_is_stopped() {
    let (kind, reason) = work(&staged("introduce()\nwhile True: sys.stdout.write('x' * 65536)")).error();
    assert_eq!((kind.as_str(), reason.as_str()), ("out_of_bounds", "wrote more than 8 MB"));
    let (kind, reason) = work(&staged("introduce()\nwhile True: say('x' * 4000000)")).error();
    assert_eq!((kind.as_str(), reason.as_str()), ("out_of_bounds", "wrote more than 64 MB"));
}

#[test]
fn how_a_turn_ends_is_told() {
    for (stop, kind) in [
        ("max_tokens", "out_of_budget"),
        ("max_turn_requests", "out_of_budget"),
        ("refusal", "refused"),
        ("cancelled", "cancelled"),
    ] {
        let script = format!(
            "request, _ = introduce(); say('x'); answer(request, {{'stopReason': '{stop}'}}); receive()"
        );
        assert_eq!(work(&staged(&script)).error().0, kind);
    }
    let silent = "request, _ = introduce(); answer(request, {'stopReason': 'end_turn'}); receive()";
    assert_eq!(work(&staged(silent)).error().0, "empty");
}

#[test]
fn an_error_of_the_agent_is_passed_on() {
    let script = "request, _ = introduce()
send({'id': request['id'], 'error': {'code': -32000, 'message': 'Authentication required'}}); receive()";
    assert_eq!(
        work(&staged(script)).error(),
        ("failed".into(), "reports an error: Authentication required".into())
    );
}
