use domain::forge::{IssueKey, Provider, Transition};
use domain::ports::{DocsPort, PortErrorKind, TrackerPort, VcsPort};
use serde_json::json;
use testkit::forge::Jira;

use crate::ports_stage::{REPO, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_is_read_commented_and_moved_by_the_name_of_a_status() {
    let stage = Stage::new(Provider::Gitlab);
    stage.forge.set_jira(Jira::Server);
    stage.forge.ticket("PROJ-1", "Summary", "code_review_params: {}");
    let tracker = stage.tracker();
    let key = IssueKey::parse("PROJ-1").unwrap();
    let issue = tracker.get_issue(&key).await.unwrap().unwrap();
    assert_eq!((issue.summary.as_str(), issue.description.as_str()), ("Summary", "code_review_params: {}"));
    assert_eq!(tracker.get_issue(&IssueKey::parse("PROJ-9").unwrap()).await, Ok(None));
    tracker.add_comment(&key, "hello").await.unwrap();
    let comments = tracker.get_comments(&key).await.unwrap();
    let me = tracker.get_identity().await.unwrap().unwrap();
    assert_eq!((comments[0].body.as_str(), &comments[0].author), ("hello", &me.login));
    stage.forge.set_status("PROJ-1", "In Progress");
    let moved = tracker.transition_issue(&key, "code_review").await.unwrap();
    assert!(matches!(moved, Transition::Moved { to, .. } if to == "Code Review"));
    let again = tracker.transition_issue(&key, "Code Review").await.unwrap();
    assert!(matches!(again, Transition::AlreadyThere { .. }));
    let error = tracker.transition_issue(&key, "Nirvana").await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Rejected, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_found_by_id_and_by_service() {
    let stage = Stage::new(Provider::Gitlab);
    let id = stage.forge.page("ENG", "Shop", "<p>Use ports.</p>", &["service-shop"]);
    let docs = stage.docs();
    let page = docs.get_architecture_context(&id.to_string()).await.unwrap().unwrap();
    assert!(page.body.contains("Use ports."), "{page:?}");
    assert_eq!(docs.get_project_context("shop").await.unwrap().map(|page| page.title), Some("Shop".into()));
    assert_eq!(docs.get_project_context("nothing").await, Ok(None));
    assert_eq!(docs.get_architecture_context("424242").await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_reads_and_comments_and_does_nothing_else() {
    let stage = Stage::new(Provider::Github);
    let vcs = stage.vcs();
    let tools = vcs.get_mcp_tools().await.unwrap();
    let sorted = domain::tools::sort(tools, &Default::default());
    let permitted: Vec<_> = sorted.permitted.iter().map(|tool| tool.name.as_str()).collect();
    assert!(
        permitted.contains(&"github_get_pr") && permitted.contains(&"github_add_pr_comment"),
        "{permitted:?}"
    );
    for denied in ["github_update_pr", "github_create_pr", "github_create_check_run", "github_resolve_thread"]
    {
        assert!(!permitted.contains(&denied), "{denied}");
        let error =
            vcs.execute_tool(denied, &json!({ "repo": REPO, "pr_number": stage.number })).await.unwrap_err();
        assert!(matches!(error.kind, PortErrorKind::Denied(_)), "{error}");
    }
    let read =
        vcs.execute_tool("github_get_pr", &json!({ "repo": REPO, "pr_number": stage.number })).await.unwrap();
    assert!(read.contains("\"title\""), "{read}");
    assert!(stage.forge.writes().is_empty());
}
