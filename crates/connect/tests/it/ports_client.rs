use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use connect::adapters::Connections;
use connect::client::{Effect, Limits, Link, McpServers, ServerEntry, Source};
use domain::config::ConnectPolicy;
use domain::ports::{PortErrorKind, VcsPort};
use serde_json::json;

/// A server in a few lines of shell and none in Python: it answers the handshake of 2025-11-25, lists two tools, shows its
/// environment, and dies when it is told to.
const SERVER: &str = r#"
import json, os, subprocess, sys
child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    method, answer = m["method"], None
    if method == "initialize":
        answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif method == "tools/list":
        answer = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("env", "die", "flood", "sleep")]}
    elif method == "tools/call" and m["params"]["name"] == "env":
        answer = {"content": [{"type": "text", "text": json.dumps({"pid": os.getpid(), "child": child.pid, "env": dict(os.environ)})}]}
    elif method == "tools/call" and m["params"]["name"] == "die":
        print("dying with " + os.environ["TOKEN"], file=sys.stderr, flush=True)
        sys.exit(3)
    elif method == "tools/call" and m["params"]["name"] == "flood":
        answer = {"content": [{"type": "text", "text": "x" * 100000}]}
    elif method == "tools/call":
        child.wait()
    if answer is None:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no such method"}}), flush=True)
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answer}), flush=True)
"#;

fn link(limits: Limits) -> Link {
    let env = BTreeMap::from([("TOKEN".to_owned(), "s3cret-token".to_owned())]);
    let args = vec!["-c".to_owned(), SERVER.to_owned()];
    let entry = ServerEntry::Stdio { command: "python3".to_owned(), args, env };
    Link::new("toy", Source::Entry(entry), limits)
}

async fn process(link: &Link) -> serde_json::Value {
    link.call("look", "env", json!({}), Effect::Reads).await.unwrap().value().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_gets_what_its_entry_names_and_nothing_else_of_ours() {
    let seen = process(&link(Limits::default())).await;
    let env = seen["env"].as_object().unwrap();
    assert_eq!(env["TOKEN"], "s3cret-token");
    assert!(env.contains_key("PATH") && std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(
        !env.keys().any(|name| name.starts_with("CARGO") || name.starts_with("NEXTEST")),
        "{:?}",
        env.keys()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_died_is_started_again_and_its_last_words_are_masked() {
    let link = link(Limits::default());
    let first = process(&link).await["pid"].clone();
    let error = link.call("post", "die", json!({}), Effect::Writes).await.unwrap_err();
    assert!(error.may_have_happened(), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");
    let second = process(&link).await["pid"].clone();
    assert_ne!(first, second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_takes_too_long_ends_and_a_dropped_link_takes_everybody_along() {
    let link = link(Limits { call: Duration::from_secs(3), ..Limits::default() });
    let child = process(&link).await["child"].clone();
    let error = link.call("wait", "sleep", json!({}), Effect::Writes).await.unwrap_err();
    assert!(error.may_have_happened(), "{error}");
    let is_there = || {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    assert!(is_there());
    drop(link);
    for _ in 0..600 {
        if !is_there() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the child of the server is still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_long_is_refused_and_a_missing_tool_is_named() {
    let link = link(Limits { answer: 10_000, ..Limits::default() });
    let error = link.call("read", "flood", json!({}), Effect::Reads).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unreadable, "{error}");
    let error = link.call("read", "get_page", json!({}), Effect::Reads).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::MissingTool);
    assert_eq!(error.to_string(), "cannot read: the MCP server toy has no tool get_page");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_says_so() {
    let entry =
        ServerEntry::Stdio { command: "no-such-program-here".into(), args: vec![], env: BTreeMap::new() };
    let link = Link::new("gone", Source::Entry(entry), Limits::default());
    let error = link.tools().await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::NotConfigured, "{error}");
    assert!(error.to_string().contains("the MCP server gone cannot be used"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsupported_provider_is_an_error_of_its_own() {
    let (policy, servers) = (ConnectPolicy::default(), McpServers::default());
    let environment = |name: &str| (name == "VCS_PROVIDER").then(|| "BITBUCKET".to_owned());
    let connections = Connections {
        heard: None,
        policy: &policy,
        servers: &servers,
        program: Path::new("countersign"),
        environment: &environment,
        scope: None,
        limits: Limits::default(),
    };
    let error = connections.vcs().unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "cannot use the forge: VCS_PROVIDER BITBUCKET is not supported; use GITHUB or GITLAB"
    );
    let gitlab = |name: &str| (name == "VCS_PROVIDER").then(|| "GITLAB".to_owned());
    let vcs = Connections { environment: &gitlab, ..connections }.vcs().unwrap();
    assert_eq!(vcs.provider(), domain::forge::Provider::Gitlab);
}
