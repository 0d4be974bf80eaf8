use connect::servers::Service;
use serde_json::json;
use testkit::forge::{Fault, Forge, Jira, Rights};

use super::table::{Table, settings};

async fn cloud(forge: &Forge) -> Table {
    forge.set_jira(Jira::Cloud);
    let token = forge.token("reviewer", Rights::Write);
    let variables = [
        ("JIRA_URL", &*forge.jira_url()),
        ("JIRA_EMAIL", "reviewer@example.com"),
        ("JIRA_API_TOKEN", &token),
    ];
    Table::with(&settings(Service::Jira, &variables)).await
}

async fn server(forge: &Forge) -> Table {
    let token = forge.token("reviewer", Rights::Write);
    let variables = [("JIRA_URL", &*forge.jira_url()), ("JIRA_PERSONAL_TOKEN", &token)];
    Table::with(&settings(Service::Jira, &variables)).await
}

#[tokio::test]
async fn an_issue_of_a_server_keeps_its_wiki_markup() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "Do it", "h1. Why\n{code:yaml}\na: 1\n{code}");
    let table = server(&forge).await;
    let issue = table.done("jira_get_issue", json!({"issue_key": "PROJ-1"})).await;
    assert_eq!((&issue["summary"], &issue["description_format"]), (&json!("Do it"), &json!("wiki")));
    assert_eq!(issue["description"], "h1. Why\n{code:yaml}\na: 1\n{code}");
    assert_eq!(issue["url"], format!("{}/browse/PROJ-1", forge.jira_url()));
}

#[tokio::test]
async fn a_document_of_the_cloud_reads_as_text() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "Do it", json!({"type": "doc", "version": 1, "content": [
        {"type": "paragraph", "content": [{"type": "text", "text": "See"}]},
        {"type": "codeBlock", "attrs": {"language": "yaml"}, "content": [{"type": "text", "text": "a:\n\tb: 1"}]}]}));
    let table = cloud(&forge).await;
    let issue = table.done("jira_get_issue", json!({"issue_key": "PROJ-1"})).await;
    assert_eq!(issue["description"], "See\n\n```yaml\na:\n\tb: 1\n```");
    assert_eq!(issue["description_format"], "markdown");
}

#[tokio::test]
async fn a_comment_is_written_in_the_form_that_each_jira_takes() {
    for is_cloud in [true, false] {
        let forge = Forge::start();
        forge.ticket("PROJ-1", "S", "D");
        let table = if is_cloud { cloud(&forge).await } else { server(&forge).await };
        let body = "# Review\n\n> quoted\n> - in a list\n\n1. **one**\n2. `two`\n\n| a | b |\n|---|---|\n| c | d |\n\n```rust\nfn x() {}\n```";
        let written = table.done("jira_add_comment", json!({"issue_key": "PROJ-1", "body": body})).await;
        let changed = json!({"issue_key": "PROJ-1", "comment_id": written["id"], "body": "second *text*"});
        assert!(
            table.done("jira_update_comment", changed).await["body"].as_str().unwrap().contains("second")
        );
        let said = table.done("jira_get_comments", json!({"issue_key": "PROJ-1"})).await;
        assert_eq!((said["comments"].as_array().unwrap().len(), &said["complete"]), (1, &json!(true)));
        let me = table.done("jira_get_me", json!({})).await;
        assert_eq!(said["comments"][0]["author_id"], me["id"]);
    }
}

#[tokio::test]
async fn all_comments_are_read_page_by_page() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    for n in 0..120 {
        forge.remark("PROJ-1", "bob", n.to_string().as_str());
    }
    let table = server(&forge).await;
    let all = table.done("jira_get_comments", json!({"issue_key": "PROJ-1"})).await;
    assert_eq!((all["comments"].as_array().unwrap().len(), &all["complete"]), (120, &json!(true)));
    assert_eq!(all["comments"][119]["body"], "119");
    let some = table.done("jira_get_comments", json!({"issue_key": "PROJ-1", "limit": 7})).await;
    assert_eq!((some["comments"].as_array().unwrap().len(), &some["complete"]), (7, &json!(false)));
}

#[tokio::test]
async fn an_issue_moves_by_the_name_of_a_status() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    forge.set_status("PROJ-1", "Code Review");
    let table = cloud(&forge).await;
    let moved = table
        .done("jira_transition_issue", json!({"issue_key": "PROJ-1", "status": "changes_requested"}))
        .await;
    assert_eq!(
        (&moved["from"], &moved["to"], &moved["changed"]),
        (&json!("Code Review"), &json!("Changes Requested"), &json!(true))
    );
    assert_eq!(forge.issue("PROJ-1").status, "Changes Requested");
    let writes = forge.writes().len();
    let again = table
        .done("jira_transition_issue", json!({"issue_key": "PROJ-1", "status": "Changes Requested"}))
        .await;
    assert_eq!((&again["changed"], forge.writes().len()), (&json!(false), writes));
}

#[tokio::test]
async fn a_missing_transition_is_explained() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    forge.set_workflow(&[("Start", &["To Do"], "In Progress"), ("Drop", &["To Do"], "Done")]);
    let table = server(&forge).await;
    let error =
        table.refused("jira_transition_issue", json!({"issue_key": "PROJ-1", "status": "Approved"})).await;
    assert_eq!(
        (&error["kind"], &error["details"]),
        (&json!("invalid"), &json!(["Start -> In Progress", "Drop -> Done"]))
    );
    assert!(error["hint"].as_str().unwrap().contains("Start -> In Progress"), "{error}");
    let known = table.done("jira_get_transitions", json!({"issue_key": "PROJ-1"})).await;
    assert_eq!((&known["status"], known["transitions"].as_array().unwrap().len()), (&json!("To Do"), 2));
}

#[tokio::test]
async fn issues_are_searched_page_by_page_in_both_jiras() {
    for is_cloud in [true, false] {
        let forge = Forge::start();
        for n in 1..=5 {
            forge.ticket(&format!("PROJ-{n}"), "S", "D");
        }
        let table = if is_cloud { cloud(&forge).await } else { server(&forge).await };
        let (mut keys, mut token) = (Vec::new(), None);
        loop {
            let mut query = json!({"jql": "project = PROJ", "limit": 2});
            if let Some(token) = token {
                query["page_token"] = token;
            }
            let page = table.done("jira_search_issues", query).await;
            keys.extend(
                page["issues"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|issue| issue["key"].as_str().unwrap().to_owned()),
            );
            token = page.get("next_page_token").cloned();
            if token.is_none() {
                break;
            }
        }
        keys.sort();
        assert_eq!(keys, ["PROJ-1", "PROJ-2", "PROJ-3", "PROJ-4", "PROJ-5"]);
    }
}

#[tokio::test]
async fn a_pull_request_is_linked_once() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    let table = cloud(&forge).await;
    let link = json!({"issue_key": "PROJ-1", "url": "https://git.example/pr/1", "title": "PR 1"});
    assert_eq!(table.done("jira_add_remote_link", link.clone()).await["created"], true);
    assert_eq!(table.done("jira_add_remote_link", link).await["created"], false);
    assert_eq!(forge.issue("PROJ-1").links.len(), 1);
    let script = json!({"issue_key": "PROJ-1", "url": "javascript:alert(1)", "title": "x"});
    assert_eq!(table.refused("jira_add_remote_link", script).await["kind"], "invalid");
}

#[tokio::test]
async fn what_is_not_there_or_not_allowed_is_said() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    let table = server(&forge).await;
    assert_eq!(table.refused("jira_get_issue", json!({"issue_key": "PROJ-99"})).await["kind"], "not_found");
    assert_eq!(
        table.refused("jira_get_issue", json!({"issue_key": "../../myself"})).await["kind"],
        "invalid"
    );
    forge.fault(Fault::on("*", "/rest/**").primary_limit(600));
    let error = table.refused("jira_get_issue", json!({"issue_key": "PROJ-1"})).await;
    assert_eq!((&error["kind"], &error["retry_after_seconds"]), (&json!("rate_limited"), &json!(600)));
}

#[tokio::test]
async fn the_version_can_be_given() {
    let forge = Forge::start();
    forge.ticket("PROJ-1", "S", "D");
    let token = forge.token("reviewer", Rights::Write);
    let variables =
        [("JIRA_URL", &*forge.jira_url()), ("JIRA_PERSONAL_TOKEN", &token), ("JIRA_API_VERSION", "2")];
    let table = Table::with(&settings(Service::Jira, &variables)).await;
    table.done("jira_get_issue", json!({"issue_key": "PROJ-1"})).await;
    assert!(forge.requests().iter().all(|asked| !asked.path.contains("serverInfo")));
}

#[tokio::test]
async fn a_short_wait_is_waited_in_both_jiras() {
    for is_cloud in [true, false] {
        let forge = Forge::start();
        forge.ticket("PROJ-1", "S", "D");
        let table = if is_cloud { cloud(&forge).await } else { server(&forge).await };
        forge.fault(Fault::on("POST", "/rest/**").primary_limit(1));
        table.done("jira_add_comment", json!({"issue_key": "PROJ-1", "body": "once"})).await;
        assert_eq!((forge.issue("PROJ-1").comments.len(), forge.faults_left()), (1, 0));
    }
}
