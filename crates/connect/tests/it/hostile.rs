//! Services and servers that answer with anything but what they should.

use connect::adapters::{Docs, Tracker, Vcs};
use connect::client::{Limits, Link, Source};
use connect::profiles::{
    AtlassianDocs, AtlassianTracker, Confluence, Github, GithubOfficial, Gitlab, GitlabZereight, Jira, Server,
};
use connect::servers::{Access, Service, tools};
use domain::change::{LineKind, Oid};
use domain::forge::{
    CommentKind, CommentRef, CommitStatus, DiffRefs, InlineComment, InlinePlace, IssueKey, LineSpot,
    MergeRequestRef, NewMergeRequest, Project, ReviewPost, StatusState,
};
use domain::ports::{DocsPort, PortError, TrackerPort, VcsPort};
use domain::tools::ToolPolicy;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use testkit::forge::{Fault, Forge, Rights};

use super::table::{Table, settings};

/// As the texts that they arrive as.
fn answers() -> Vec<String> {
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let nested = format!("{}1{}", "{\"notes\":[".repeat(100), "]}".repeat(100));
    let mut answers: Vec<String> =
        ["", "null", "true", "7", "-1", "1e400", "[]", "{}", "[null]", "[[]]", "\"\"", "{", "\u{0}"]
            .map(str::to_owned)
            .to_vec();
    answers.extend([deep, nested, format!("[{}0]", "{},".repeat(500))]);
    let said = "\u{1b}[31m\u{0}\r\nX-Evil: 1\u{202e}../../user".to_owned() + &"x".repeat(5_000);
    let greatest = u64::MAX;
    for value in [json!(said), json!(greatest), json!({}), json!([]), json!(null)] {
        let names = [
            "id",
            "iid",
            "number",
            "title",
            "name",
            "sha",
            "state",
            "status",
            "key",
            "login",
            "username",
            "startAt",
            "total",
            "changes",
            "additions",
            "deletions",
            "complete",
            "created",
            "diff",
            "body",
            "head",
            "base",
            "user",
            "author",
            "comments",
            "review_comments",
            "discussions",
            "statuses",
            "check_runs",
            "threads",
            "issues",
            "fields",
            "results",
            "transitions",
            "content",
            "message",
            "errors",
            "errorMessages",
            "pull_request",
            "merge_request",
            "page",
            "metadata",
            "items",
            "pagination",
            "review_threads",
            "pageInfo",
            "base_sha",
            "start_sha",
            "head_sha",
            "omitted",
            "files",
            "url",
            "html_url",
            "web_url",
            "source_branch",
            "target_branch",
        ];
        let all: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), value.clone())).collect();
        answers.push(Value::Object(all.clone()).to_string());
        answers.push(json!([all]).to_string());
    }
    answers
}

/// What a tool cannot do without.
fn arguments(tool: &rmcp::model::Tool) -> Value {
    let sha = "a".repeat(40);
    let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let value = |name: &str| match name {
        "repo" | "project" => json!("acme/shop"),
        "pr_number" | "mr_iid" | "comment_id" | "note_id" | "check_run_id"
            if tool.name.starts_with("jira") =>
        {
            json!("1")
        }
        "pr_number" | "mr_iid" | "comment_id" | "note_id" | "check_run_id" => json!(1),
        "head_sha" | "sha" | "commit_id" => json!(sha),
        "issue_key" => json!("PROJ-1"),
        "page_id" => json!("1"),
        "discussion_id" => json!("abc"),
        "state" if tool.name.starts_with("gitlab") => json!("failed"),
        "state" => json!("failure"),
        "url" => json!("https://x.example"),
        _ => json!("main"),
    };
    let fields = required.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), value(name)));
    let mut all: serde_json::Map<String, Value> = fields.collect();
    match tool.name.as_ref() {
        "github_resolve_thread" => _ = all.insert("comment_id".to_owned(), json!(1)),
        "github_update_pr" | "gitlab_update_mr" => _ = all.insert("title".to_owned(), json!("t")),
        "github_create_check_run" => _ = all.insert("conclusion".to_owned(), json!("failure")),
        "confluence_search" => _ = all.insert("text".to_owned(), json!("t")),
        _ => {}
    }
    Value::Object(all)
}

fn variables(forge: &Forge, service: Service, token: &str) -> Vec<(&'static str, String)> {
    let token = token.to_owned();
    match service {
        Service::Github => vec![("GITHUB_API_URL", forge.github_url()), ("GITHUB_TOKEN", token)],
        Service::Gitlab => vec![("GITLAB_API_URL", forge.gitlab_url()), ("GITLAB_TOKEN", token)],
        Service::Jira => vec![
            ("JIRA_URL", forge.jira_url()),
            ("JIRA_EMAIL", "a@b.example".to_owned()),
            ("JIRA_API_TOKEN", token),
            ("JIRA_API_VERSION", "3".to_owned()),
        ],
        Service::Confluence => {
            vec![("CONFLUENCE_URL", forge.confluence_url()), ("CONFLUENCE_PERSONAL_TOKEN", token)]
        }
    }
}

async fn server(forge: &Forge, service: Service, token: &str) -> Table {
    let variables = variables(forge, service, token);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut settings = settings(service, &variables);
    settings.patience.tries = 1;
    Table::with(&settings).await
}

fn is_clean(text: &str) -> bool {
    text.chars().count() < 6_000 && !text.chars().any(|c| c.is_control() || c == '\u{202e}')
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_outlives_every_answer_of_its_service() {
    for service in Service::ALL {
        let forge = Forge::start();
        let table = server(&forge, service, &forge.token("reviewer", Rights::Write)).await;
        for answer in answers() {
            for status in [200, 422] {
                forge.heal();
                forge.fault(Fault::on("*", "/**").answer(status, "application/json", &answer).always());
                for tool in tools(service, Access::Full) {
                    if let Err(error) = table.ask(&tool.name, arguments(&tool)).await {
                        let (message, hint) =
                            (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
                        assert!(is_clean(message) && is_clean(hint), "{}: {error}", tool.name);
                        assert_ne!(error["message"], "", "{}", tool.name);
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_service_gets_its_token_repeated() {
    for service in Service::ALL {
        let forge = Forge::start();
        let token = forge.token("reviewer", Rights::Write);
        let table = server(&forge, service, &token).await;
        let tool = tools(service, Access::ReadOnly).into_iter().nth(1).unwrap();
        table.ask(&tool.name, arguments(&tool)).await.ok();
        for status in [400, 401, 403, 404, 409, 422, 429, 500] {
            let echo =
                json!({"message": format!("no: {token}"), "errorMessages": [token], "errors": {"x": token}});
            forge.heal();
            forge.fault(Fault::on("*", "/**").answer(status, "application/json", &echo.to_string()).always());
            let error = table.refused(&tool.name, arguments(&tool)).await;
            assert!(!error.to_string().contains(&token), "{service:?} {status} {error}");
        }
        forge.assert_no_token_leaked();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_large_is_not_read_and_a_page_elsewhere_is_not_fetched() {
    let (forge, other) = (Forge::start(), Forge::start());
    let token = forge.token("reviewer", Rights::Write);
    let table = server(&forge, Service::Github, &token).await;
    let pull = json!({"repo": "acme/shop", "pr_number": 1});
    let large = format!("[{}\"\"]", " ".repeat(33 << 20));
    forge.fault(Fault::on("GET", "/repos/**").answer(200, "application/json", &large).always());
    let error = table.refused("github_get_pr", pull.clone()).await;
    assert_eq!(error["kind"], "unreadable");
    assert!(error["message"].as_str().unwrap().contains("longer than 32 MiB"), "{error}");
    forge.heal();
    let link = format!("<{}/next>; rel=\"next\"", other.url());
    forge.fault(
        Fault::on("GET", "/repos/**").answer(200, "application/json", "[]").header("link", &link).always(),
    );
    let error = table.refused("github_get_pr_comments", pull).await;
    assert!(error["message"].as_str().unwrap().contains("another host"), "{error}");
    assert!(other.requests().is_empty());
}

/// Has every tool that a profile asks for, and answers each with the same.
#[derive(Clone)]
struct Liar(String);

impl ServerHandler for Liar {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = std::sync::Arc::new(json!({"type": "object"}).as_object().unwrap().clone());
        let others = "get_me whoami list_branches get_branch pull_request_read pull_request_review_write \
            add_comment_to_pending_review add_issue_comment list_pull_requests create_pull_request get_merge_request \
            list_merge_requests get_merge_request_diffs create_merge_request mr_discussions create_merge_request_thread \
            create_merge_request_note update_merge_request_note resolve_merge_request_thread list_commit_statuses \
            create_commit_status jira_get_issue jira_add_comment jira_get_transitions jira_transition_issue jira_search \
            jira_create_remote_issue_link confluence_get_page confluence_search";
        let ours = Service::ALL.into_iter().flat_map(|service| tools(service, Access::Full));
        let names: Vec<String> = others
            .split_whitespace()
            .map(str::to_owned)
            .chain(ours.map(|tool| tool.name.to_string()))
            .collect();
        let tool = |name: String| Tool::new(name, "", std::sync::Arc::clone(&schema));
        Ok(ListToolsResult::with_all_items(names.into_iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(self.0.clone())]).into())
    }
}

fn liar(answer: &str) -> Server {
    let liar = Liar(answer.to_owned());
    let make = move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let liar = liar.clone();
        tokio::spawn(async move {
            if let Ok(running) = liar.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        ours
    };
    let link = Link::new("liar", Source::InProcess(Box::new(make)), Limits::default());
    Server { link, policy: ToolPolicy::default(), scope: None }
}

fn said<T>(answer: Result<T, PortError>) {
    if let Err(error) = answer {
        assert!(is_clean(&error.to_string()) && is_clean(&error.hint), "{error:?}");
    }
}

async fn every_call_to_a_forge(vcs: Vcs) {
    let project = Project::parse("acme/shop").unwrap();
    let request = MergeRequestRef { project: project.clone(), number: 1 };
    let commit = Oid::parse(&"a".repeat(40)).unwrap();
    let refs = DiffRefs { base: commit.clone(), start: commit.clone(), head: commit.clone() };
    let spot = LineSpot { kind: LineKind::Added, old: 1, new: 1 };
    let place = InlinePlace { path: "a".into(), old_path: "a".into(), start: spot, end: spot };
    let fingerprint = serde_json::from_value(json!("0".repeat(32))).unwrap();
    let comment = InlineComment { fingerprint, place, body: "x".into() };
    let new = NewMergeRequest {
        project: project.clone(),
        source_branch: "b".into(),
        target_branch: "main".into(),
        title: "t".into(),
        description: String::new(),
    };
    let there = CommentRef { id: "1".into(), kind: CommentKind::Inline, thread: Some("t".into()) };
    let status = CommitStatus {
        name: "n".into(),
        commit: commit.clone(),
        state: StatusState::Failure,
        title: "t".into(),
        summary: String::new(),
        url: None,
    };
    let post = ReviewPost { refs: refs.clone(), body: "x".into(), comments: vec![comment.clone()] };
    said(vcs.get_identity().await);
    said(vcs.get_branch(&project, "b").await);
    said(vcs.get_merge_request(&request).await);
    said(vcs.find_merge_request(&project, "b").await);
    said(vcs.get_merge_request_diff(&request).await);
    said(vcs.create_merge_request(&new).await);
    said(vcs.get_comments(&request).await);
    said(vcs.publish_review(&request, &post).await);
    said(vcs.add_inline_comment(&request, &refs, &comment).await);
    said(vcs.add_comment(&request, "x").await);
    said(vcs.edit_comment(&request, &there, "x").await);
    said(vcs.resolve_thread(&request, &there).await);
    said(vcs.get_statuses(&project, &commit).await);
    said(vcs.set_status(&project, &status).await);
}

async fn every_call_to_a_tracker_and_a_wiki(tracker: Tracker, docs: Docs) {
    let key = IssueKey::parse("PROJ-1").unwrap();
    said(tracker.get_identity().await);
    said(tracker.get_issue(&key).await);
    said(tracker.get_comments(&key).await);
    said(tracker.add_comment(&key, "x").await);
    said(tracker.transition_issue(&key, "Done").await);
    said(tracker.link(&key, "https://x.example", "t").await);
    said(tracker.search_issues("q", 5).await);
    said(docs.get_project_context("shop").await);
    said(docs.get_architecture_context("1").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_port_outlives_every_answer_of_its_server() {
    for answer in answers() {
        every_call_to_a_forge(Vcs::Github(Github(liar(&answer)))).await;
        every_call_to_a_forge(Vcs::Gitlab(Gitlab(liar(&answer)))).await;
        every_call_to_a_forge(Vcs::GithubOfficial(GithubOfficial(liar(&answer)))).await;
        every_call_to_a_forge(Vcs::GitlabZereight(GitlabZereight(liar(&answer)))).await;
        let (jira, confluence) =
            (Tracker::Jira(Jira(liar(&answer))), Docs::Confluence(Confluence(liar(&answer))));
        every_call_to_a_tracker_and_a_wiki(jira, confluence).await;
        let tracker = Tracker::AtlassianTracker(AtlassianTracker(liar(&answer)));
        every_call_to_a_tracker_and_a_wiki(tracker, Docs::AtlassianDocs(AtlassianDocs(liar(&answer)))).await;
    }
}
