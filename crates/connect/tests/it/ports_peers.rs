//! Other people's servers, where they are installed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use connect::adapters::{Docs, Tracker, Vcs};
use connect::client::{Limits, Link, ServerEntry, Source};
use connect::profiles::{AtlassianDocs, AtlassianTracker, GitlabZereight, Server};
use domain::change::Side;
use domain::forge::{
    CreatedMergeRequest, IssueKey, MergeRequestRef, NewMergeRequest, Project, Provider, Transition,
};
use domain::ports::{DocsPort, TrackerPort, VcsPort};
use domain::tools::ToolPolicy;
use engine::publish::StatusOutcome;

use crate::ports_stage::{REPO, Stage};

/// `scripts/test` says where; without it there is nothing to test against.
fn installed() -> Option<PathBuf> {
    testkit::installed("COUNTERSIGN_TEST_FORGE", "other people's MCP servers are")
}

fn server(command: PathBuf, args: Vec<String>, env: &[(&str, String)]) -> Server {
    let env: BTreeMap<String, String> =
        env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let entry = ServerEntry::Stdio { command: command.to_string_lossy().into_owned(), args, env };
    let link = Link::new("peer", Source::Entry(entry), Limits::default());
    Server { link, policy: ToolPolicy::default(), scope: None }
}

fn mcp_gitlab(stage: &Stage) -> Option<Vcs> {
    let modules = installed()?.join("node_modules");
    let program = modules.join("@zereight/mcp-gitlab/build/index.js").to_string_lossy().into_owned();
    let env =
        [("GITLAB_API_URL", stage.forge.gitlab_url()), ("GITLAB_PERSONAL_ACCESS_TOKEN", stage.token.clone())];
    Some(Vcs::GitlabZereight(GitlabZereight(server(modules.join(".bin/node"), vec![program], &env))))
}

fn mcp_atlassian(stage: &Stage) -> Option<Server> {
    let env = [
        ("JIRA_URL", stage.forge.jira_url()),
        ("JIRA_PERSONAL_TOKEN", stage.token.clone()),
        ("CONFLUENCE_URL", stage.forge.confluence_url()),
        ("CONFLUENCE_PERSONAL_TOKEN", stage.token.clone()),
    ];
    Some(server(installed()?.join("python/bin/mcp-atlassian"), Vec::new(), &env))
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_gitlab_publishes_settles_and_reports_as_our_own_server_does() {
    let stage = Stage::new(Provider::Gitlab);
    let Some(vcs) = mcp_gitlab(&stage) else { return };
    let by_ours = stage.vcs().get_merge_request_diff(&stage.request()).await.unwrap();
    let by_theirs = vcs.get_merge_request_diff(&stage.request()).await.unwrap();
    assert_eq!(by_theirs.refs, by_ours.refs);
    let review = stage.review(&vcs, &[(Side::New, 3, 4), (Side::Old, 3, 3), (Side::New, 12, 12)]).await;
    let outcome = stage.publish(&vcs, &review).await.unwrap();
    assert_eq!((outcome.added, outcome.only_in_summary, outcome.status), (3, 0, StatusOutcome::Set));
    let writes = stage.forge.writes().len();
    assert_eq!(stage.publish(&vcs, &review).await.unwrap().added, 0);
    assert_eq!(stage.forge.writes().len(), writes);
    stage.forge.commit(REPO, "feature", &[("src/b.rs", "fresh\n")]);
    let next = stage.review(&vcs, &[(Side::New, 3, 4), (Side::New, 4, 4)]).await;
    let outcome = stage.publish(&vcs, &next).await.unwrap();
    assert_eq!((outcome.added, outcome.settled), (1, 2), "{:?}", outcome.notes);
    stage.forge.assert_no_token_leaked();
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_gitlab_finds_and_makes_requests() {
    let stage = Stage::new(Provider::Gitlab);
    let Some(vcs) = mcp_gitlab(&stage) else { return };
    let project = Project::parse(REPO).unwrap();
    assert_eq!(vcs.get_branch(&project, "nowhere").await, Ok(None));
    assert!(vcs.get_branch(&project, "feature").await.unwrap().is_some());
    let found = vcs.find_merge_request(&project, "feature").await.unwrap().unwrap();
    assert_eq!(found.reference, stage.request());
    let nowhere = MergeRequestRef { number: 999, ..stage.request() };
    assert_eq!(vcs.get_merge_request(&nowhere).await, Ok(None));
    stage.forge.commit(REPO, "work", &[("w", "x\n")]);
    let new = NewMergeRequest {
        project,
        source_branch: "work".into(),
        target_branch: "main".into(),
        title: "W".into(),
        description: "D".into(),
    };
    assert!(matches!(vcs.create_merge_request(&new).await.unwrap(), CreatedMergeRequest::New(_)));
    assert!(matches!(vcs.create_merge_request(&new).await.unwrap(), CreatedMergeRequest::AlreadyThere(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_atlassian_reads_comments_moves_and_finds_pages() {
    let stage = Stage::new(Provider::Gitlab);
    let (Some(tracker), Some(docs)) = (mcp_atlassian(&stage), mcp_atlassian(&stage)) else { return };
    let (tracker, docs) =
        (Tracker::AtlassianTracker(AtlassianTracker(tracker)), Docs::AtlassianDocs(AtlassianDocs(docs)));
    stage.forge.ticket("PROJ-1", "Summary", "Text");
    stage.forge.set_status("PROJ-1", "In Progress");
    let key = IssueKey::parse("PROJ-1").unwrap();
    assert_eq!(tracker.get_issue(&key).await.unwrap().unwrap().summary, "Summary");
    tracker.add_comment(&key, "hello").await.unwrap();
    assert!(tracker.get_comments(&key).await.unwrap()[0].body.contains("hello"));
    // It does not say where transitions lead.
    let error = tracker.transition_issue(&key, "code_review").await.unwrap_err();
    assert!(
        error.reason.contains("Submit for Review") && error.hint.contains("connect.statuses"),
        "{error:?}"
    );
    let moved = tracker.transition_issue(&key, "submit_for_review").await.unwrap();
    assert!(matches!(moved, Transition::Moved { from, .. } if from == "In Progress"));
    assert_eq!(stage.forge.issue("PROJ-1").status, "Code Review");
    let id = stage.forge.page("ENG", "Shop", "<p>Use ports.</p>", &[]);
    let page = docs.get_architecture_context(&id.to_string()).await.unwrap().unwrap();
    assert!(page.body.contains("Use ports."), "{page:?}");
    assert_eq!(docs.get_architecture_context("424242").await, Ok(None));
}
