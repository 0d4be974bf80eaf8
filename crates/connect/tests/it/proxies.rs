//! Proxies come from the environment, which a test cannot change for itself: it starts itself again with another.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use connect::client::{Effect, Limits, Link, ServerEntry, Source};
use connect::servers::Service;
use serde_json::json;

use super::table::{Table, settings};
use super::tls::{answer, as_a_service_or_a_server};

/// Takes every request for itself, whomever it is for, and remembers them.
fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let first = answer(stream.unwrap(), as_a_service_or_a_server);
            kept.lock().unwrap().push(first);
        }
    });
    (address, asked)
}

fn child(proxy: &str, exempt: &str) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "proxies::behind_a_proxy", "--ignored"]).env("HTTP_PROXY", proxy);
    child.env("NO_PROXY", exempt).env_remove("http_proxy").env_remove("no_proxy").env_remove("ALL_PROXY");
    child.output().unwrap().status.success()
}

#[test]
fn services_and_servers_are_reached_through_the_proxy_unless_they_are_exempt() {
    let (address, asked) = proxy();
    assert!(child(&address, ""));
    let seen = asked.lock().unwrap().clone();
    let has = |start: &str| seen.iter().any(|line| line.starts_with(start));
    assert!(has("GET http://forge.invalid/repos/acme/shop/branches/main "), "{seen:?}");
    assert!(has("POST http://mcp.invalid/mcp "), "{seen:?}");
    asked.lock().unwrap().clear();
    assert!(!child(&address, "forge.invalid,mcp.invalid"));
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
#[ignore = "the test above starts it, with a proxy in its environment"]
async fn behind_a_proxy() {
    let variables = [("GITHUB_API_URL", "http://forge.invalid"), ("GITHUB_TOKEN", "token-of-mine")];
    let table = Table::with(&settings(Service::Github, &variables)).await;
    let branch = json!({"repo": "acme/shop", "branch": "main"});
    assert_eq!(table.done("github_get_branch", branch).await["name"], "main");
    let url = "http://mcp.invalid/mcp".to_owned();
    let entry = ServerEntry::Http { url, headers: BTreeMap::new(), trusted: None };
    let link = Link::new("far", Source::Entry(entry), Limits::default());
    assert_eq!(link.call("ping", "ping", json!({}), Effect::Reads).await.unwrap().text(), "pong");
}
