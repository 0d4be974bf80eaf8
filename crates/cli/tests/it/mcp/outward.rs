//! The servers for other services, started as agents start them.

use std::process::Command;

use serde_json::{Value, json};
use testkit::forge::{Forge, Rights};

use super::client::{Client, Stdio};
use crate::program::{command, run};

fn serve(arguments: &[&str], variables: &[(&str, &str)]) -> (tempfile::TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command.arg("mcp").args(arguments).envs(variables.iter().copied());
    (folder, command)
}

fn called(client: &mut Stdio, tool: &str, arguments: &Value) -> Value {
    client.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
}

#[test]
fn a_server_without_settings_starts_and_says_what_is_missing() {
    for (service, tool, arguments, missing) in [
        ("github", "github_get_me", json!({}), "GITHUB_TOKEN"),
        ("gitlab", "gitlab_get_me", json!({}), "GITLAB_API_URL"),
        ("jira", "jira_get_issue", json!({"issue_key": "P-1"}), "JIRA_URL"),
        ("confluence", "confluence_get_page", json!({"page_id": "1"}), "CONFLUENCE_URL"),
    ] {
        let (_folder, command) = serve(&[service], &[]);
        let mut client = Stdio::start(command);
        let result = called(&mut client, tool, &arguments);
        assert_eq!(result["structuredContent"]["error"]["kind"], "not_configured");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(missing), "{result}");
        assert!(client.finish().success());
    }
}

#[test]
fn an_address_that_cannot_be_used_is_an_error_at_the_start() {
    let (_folder, command) = serve(&["gitlab"], &[("GITLAB_URL", "https://me:hunter22@git.example")]);
    let outcome = run(command);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("GITLAB_URL is no address"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("hunter22"), "{}", outcome.stderr);
}

#[test]
fn a_tool_reaches_its_service_through_a_proxy_if_there_is_one() {
    let forge = Forge::start();
    forge.repository("acme/shop");
    let token = forge.token("reviewer", Rights::Read);
    let proxy = forge.url();
    let variables = [
        ("GITHUB_API_URL", "http://github.invalid/api/v3"),
        ("GITHUB_TOKEN", &*token),
        ("HTTP_PROXY", &*proxy),
    ];
    let (_folder, command) = serve(&["github", "--read-only"], &variables);
    let mut client = Stdio::start(command);
    let listed = client.request("tools/list", json!({}));
    let names =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    assert!(
        names.clone().any(|name| name == "github_get_pr")
            && !names.clone().any(|name| name == "github_create_pr")
    );
    let branch = called(&mut client, "github_get_branch", &json!({"repo": "acme/shop", "branch": "main"}));
    assert_eq!(branch["structuredContent"]["name"], "main", "{branch}");
}

#[test]
fn what_is_no_message_is_answered_by_every_server_of_ours() {
    for server in ["queue", "github", "gitlab", "jira", "confluence"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = crate::program::command(folder.path());
        command.args(["mcp", server]);
        let mut client = Stdio::start(command);
        let long = format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\"}}", "x".repeat(20 << 20));
        let odd = "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}";
        for (line, code) in [("{ no json", -32700), ("{\"id\": 7}", -32600), (odd, -32600), (&*long, -32700)]
        {
            client.send_line(line.as_bytes());
            let answer = client.receive();
            assert_eq!(answer["error"]["code"], code, "{server}: {answer}");
        }
        assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array(), "{server}");
        assert!(client.finish().success(), "{server}");
    }
}
