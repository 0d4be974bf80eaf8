//! What clients are told about the tools.

use connect::servers::{Access, Service, tools};
use serde_json::Value;
use testkit::forge::{Forge, Rights};

use super::table::{Revision, Table, settings};

fn names(service: Service, access: Access) -> Vec<String> {
    tools(service, access).into_iter().map(|tool| tool.name.to_string()).collect()
}

#[test]
fn every_tool_says_what_it_takes_gives_and_does() {
    for service in Service::ALL {
        for tool in tools(service, Access::Full) {
            let input = Value::Object((*tool.input_schema).clone());
            assert_eq!(input["additionalProperties"], false, "{}", tool.name);
            assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object", "{}", tool.name);
            assert!(tool.description.as_ref().is_some_and(|text| text.ends_with('.')), "{}", tool.name);
            assert!(tool.name.starts_with(service.as_str()), "{}", tool.name);
            let hints = tool.annotations.unwrap();
            assert!(hints.read_only_hint.is_some() && hints.open_world_hint == Some(true), "{}", tool.name);
            if hints.read_only_hint == Some(false) {
                assert!(hints.destructive_hint.is_some() && hints.idempotent_hint.is_some(), "{}", tool.name);
            }
        }
    }
}

#[test]
fn what_only_reads_is_left_when_nothing_may_be_written() {
    for service in Service::ALL {
        for tool in tools(service, Access::ReadOnly) {
            assert!(tool.annotations.unwrap().read_only_hint == Some(true), "{}", tool.name);
        }
    }
    assert_eq!(names(Service::Jira, Access::ReadOnly).len(), 5);
    assert_eq!(names(Service::Confluence, Access::Full), names(Service::Confluence, Access::ReadOnly));
}

#[test]
fn the_tools_are_these() {
    let all: Vec<String> = Service::ALL.iter().flat_map(|service| names(*service, Access::Full)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_the_tools_take_stays_as_it_is() {
    let mut text = String::new();
    for tool in Service::ALL.iter().flat_map(|service| tools(*service, Access::Full)) {
        text += &format!("{} {}\n", tool.name, Value::Object((*tool.input_schema).clone()));
    }
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn both_revisions_of_the_protocol_are_spoken() {
    let forge = Forge::start();
    forge.repository("acme/shop");
    let token = forge.token("reviewer", Rights::Read);
    let settings =
        settings(Service::Github, &[("GITHUB_API_URL", &forge.github_url()), ("GITHUB_TOKEN", &token)]);
    for revision in [Revision::Handshake, Revision::Stateless] {
        let table = Table::speaking(&settings, Access::ReadOnly, revision).await;
        assert_eq!(table.names().await, names(Service::Github, Access::ReadOnly));
        let branch = serde_json::json!({"repo": "acme/shop", "branch": "main"});
        assert_eq!(table.done("github_get_branch", branch).await["name"], "main");
    }
}
