//! Tokens are seen by their own service and by nobody else.

use connect::servers::{Service, Settings};
use serde_json::json;
use testkit::forge::{Fault, Forge, Rights};

use super::table::{REPO, Table, github_with, settings, with_pull};

#[tokio::test]
async fn a_token_is_in_no_answer_and_no_error() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let token = forge.token("reviewer", Rights::Write);
    let table = github_with(&forge, &token).await;
    let pull = json!({"repo": REPO, "pr_number": number});
    let echo =
        json!({"message": format!("bad credentials: Bearer {token}"), "errors": [token.clone()]}).to_string();
    for status in [400, 401, 403, 404, 409, 422, 429, 500] {
        forge.fault(Fault::on("POST", "/repos/*/*/issues/*/comments").answer(
            status,
            "application/json",
            &echo,
        ));
        let error = table
            .refused("github_add_pr_comment", json!({"repo": REPO, "pr_number": number, "body": "x"}))
            .await;
        assert!(!error.to_string().contains(&token), "{status}");
        forge.heal();
    }
    forge.fault(Fault::on("GET", "/repos/*/*/pulls/*").answer(200, &format!("text/{token}"), "no json"));
    assert!(!table.refused("github_get_pr", pull.clone()).await.to_string().contains(&token));
    forge.assert_no_token_leaked();
    forge.comment(REPO, number, "mallory", &format!("is this yours? {token}"));
    let said = table.done("github_get_pr_comments", pull).await;
    assert_eq!(said["comments"][0]["body"], "is this yours? ***");
}

#[test]
fn a_token_cannot_be_printed() {
    let variables = [
        ("JIRA_URL", "https://x.example"),
        ("JIRA_EMAIL", "a@b.example"),
        ("JIRA_API_TOKEN", "ATATT-secret-token"),
    ];
    let settings = settings(Service::Jira, &variables);
    assert!(!format!("{settings:?}").contains("ATATT"), "{settings:?}");
    let handler = connect::servers::Handler::new(&settings, connect::servers::Access::Full).unwrap();
    assert!(!format!("{handler:?}").contains("ATATT"));
}

#[test]
fn what_cannot_be_used_is_an_error_that_does_not_repeat_it() {
    let cases = [
        ("GITLAB_URL", "https://user:hunter22@git.example"),
        ("GITLAB_URL", "ftp://hunter22.example"),
        ("GITLAB_URL", "hunter22"),
        ("GITLAB_URL", "https://git.example/?token=hunter22"),
        ("GITLAB_TOKEN", "hunter22\u{7}"),
        ("GITLAB_TOKEN", "hunter22 and more"),
        ("COUNTERSIGN_HTTP_TIMEOUT", "hunter22"),
    ];
    for (variable, value) in cases {
        let look = |name: &str| (name == variable).then(|| value.to_owned());
        let error = Settings::from_env(Service::Gitlab, &look).unwrap_err().to_string();
        assert!(error.contains(variable) && !error.contains("hunter22"), "{error}");
    }
}

#[tokio::test]
async fn what_is_missing_is_said_by_each_tool() {
    for (service, tool, arguments, names) in [
        (Service::Github, "github_get_pr", json!({"repo": REPO, "pr_number": 1}), "GITHUB_TOKEN"),
        (Service::Gitlab, "gitlab_get_mr", json!({"project": REPO, "mr_iid": 1}), "GITLAB_API_URL"),
        (Service::Jira, "jira_get_issue", json!({"issue_key": "P-1"}), "JIRA_EMAIL"),
        (Service::Confluence, "confluence_get_page", json!({"page_id": "1"}), "CONFLUENCE_URL"),
    ] {
        let table = Table::with(&settings(service, &[])).await;
        let error = table.refused(tool, arguments).await;
        assert_eq!(error["kind"], "not_configured");
        assert!(error["message"].as_str().unwrap().contains(names), "{error}");
    }
}

#[tokio::test]
async fn only_named_authorities_are_trusted() {
    let variables = [("GITHUB_TOKEN", "token-of-mine"), ("COUNTERSIGN_CA_FILE", "/nowhere/ca.pem")];
    let settings = settings(Service::Github, &variables);
    let error = connect::servers::Handler::new(&settings, connect::servers::Access::Full).unwrap_err();
    assert!(error.to_string().contains("/nowhere/ca.pem"), "{error}");
}

#[test]
fn addresses_become_those_of_the_interface() {
    let at = |service: Service, variable: &str, value: &str| {
        settings(service, &[(variable, value)]).address().unwrap().trim_end_matches('/').to_owned()
    };
    assert_eq!(at(Service::Github, "GITHUB_SERVER_URL", "https://github.com"), "https://api.github.com");
    assert_eq!(at(Service::Github, "GITHUB_URL", "https://acme.ghe.com/"), "https://api.acme.ghe.com");
    assert_eq!(
        at(Service::Github, "GITHUB_ENTERPRISE_URL", "https://ghe.acme.example"),
        "https://ghe.acme.example/api/v3"
    );
    assert_eq!(at(Service::Github, "GITHUB_API_URL", "http://127.0.0.1:9"), "http://127.0.0.1:9");
    assert_eq!(
        at(Service::Gitlab, "GITLAB_URL", "https://git.acme.example/gitlab/"),
        "https://git.acme.example/gitlab/api/v4"
    );
    assert_eq!(
        at(Service::Gitlab, "GITLAB_API_URL", "https://git.acme.example/api/v4/"),
        "https://git.acme.example/api/v4"
    );
    assert_eq!(at(Service::Jira, "JIRA_URL", "https://acme.atlassian.net/"), "https://acme.atlassian.net");
    assert_eq!(settings(Service::Github, &[]).address(), Some("https://api.github.com/"));
    assert_eq!(settings(Service::Gitlab, &[]).address(), None);
}
