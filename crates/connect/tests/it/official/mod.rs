//! A stand-in for GitHub's own MCP server: its published tools with their schemas, which it enforces, in front of the
//! forge. It answers in the shapes of that server, and does to comments what its versions do when they read them.

mod answers;
mod server;

use connect::adapters::Vcs;
use connect::client::{Effect, Limits, Link, Source};
use connect::profiles::{GithubOfficial, Server};
use domain::change::{LineKind, Side};
use domain::forge::{
    CommentKind, CommentRef, CreatedMergeRequest, InlineComment, InlinePlace, LineSpot, NewMergeRequest,
    Origin, Project, Provider, ReviewPost,
};
use domain::ports::{PortErrorKind, VcsPort};
use domain::review::Fingerprint;
use domain::tools::ToolPolicy;
use engine::publish::StatusOutcome;
use serde_json::{Value, json};
use testkit::forge::{Limits as ForgeLimits, PullSeed, ReviewState, Rights};

use self::server::{Looking, Official, Reading};
use crate::ports_stage::{REPO, Stage};

const PLACES: [(Side, u32, u32); 3] = [(Side::New, 3, 4), (Side::Old, 3, 3), (Side::New, 12, 12)];

fn link(server: &Official) -> Link {
    let server = server.clone();
    let make = move || server.begin();
    Link::new("github", Source::InProcess(Box::new(make)), Limits::default())
}

fn port(server: &Official) -> Vcs {
    let link = link(server);
    Vcs::GithubOfficial(GithubOfficial(Server { link, policy: ToolPolicy::default(), scope: None }))
}

fn official(reading: Reading) -> (Stage, Official, Vcs) {
    let stage = Stage::new(Provider::Github);
    let server = Official::new(&stage.forge.github_url(), &stage.token, reading);
    let vcs = port(&server);
    (stage, server, vcs)
}

/// Ours, by the marker that they carry.
fn marked(stage: &Stage, kind: &str) -> usize {
    let marker = format!("[countersign]: # ({kind} ");
    let pull = stage.forge.pull(REPO, stage.number);
    pull.everything_said().iter().filter(|said| said.starts_with(&marker)).count()
}

fn drafts(stage: &Stage) -> usize {
    let pull = stage.forge.pull(REPO, stage.number);
    pull.reviews.iter().filter(|review| review.state == ReviewState::Pending).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_is_read_and_what_is_not_is_none() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    let project = Project::parse(REPO).unwrap();
    assert_eq!(vcs.get_identity().await.unwrap().unwrap().login, "reviewer");
    let branch = vcs.get_branch(&project, "feature").await.unwrap().unwrap();
    assert_eq!(Some(branch.head.to_string()), stage.forge.branch(REPO, "feature"));
    assert_eq!(vcs.get_branch(&project, "nowhere").await, Ok(None));
    let request = vcs.get_merge_request(&stage.request()).await.unwrap().unwrap();
    assert_eq!((request.title.as_str(), request.author.as_str()), ("T", "alice"));
    assert_eq!((request.origin, request.head), (Origin::SameProject, Some(branch.head)));
    assert_eq!(request.url, stage.forge.pull_url(REPO, stage.number));
    let found = vcs.find_merge_request(&project, "feature").await.unwrap().unwrap();
    assert_eq!(found.reference, stage.request());
    let nowhere = domain::forge::MergeRequestRef { number: 404, ..stage.request() };
    assert_eq!(vcs.get_merge_request(&nowhere).await, Ok(None));
    server.assert_asked_properly();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_diff_is_the_same_by_either_server_and_by_files() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    let by_ours = stage.vcs().get_merge_request_diff(&stage.request()).await.unwrap();
    let whole = vcs.get_merge_request_diff(&stage.request()).await.unwrap();
    let shown = |files: &[domain::change::FileChange]| format!("{files:?}");
    assert_eq!((&whole.refs, shown(&whole.files)), (&by_ours.refs, shown(&by_ours.files)));
    stage.forge.commit(REPO, "feature", &[("src/b.rs", "fresh\n")]);
    stage.forge.set_limits(ForgeLimits { diff_files: 1, ..ForgeLimits::default() });
    let by_files = vcs.get_merge_request_diff(&stage.request()).await.unwrap();
    let names: Vec<String> = by_files.files.iter().map(|file| file.path().to_string()).collect();
    assert_eq!((names, by_files.withheld.len()), (vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()], 0));
    assert_eq!(format!("{:?}", by_files.files[0].content), format!("{:?}", whole.files[0].content));
    stage.forge.set_limits(ForgeLimits { diff_files: 1, patch_lines: 2, ..ForgeLimits::default() });
    let withheld = vcs.get_merge_request_diff(&stage.request()).await.unwrap().withheld;
    assert_eq!(withheld.iter().map(ToString::to_string).collect::<Vec<_>>(), ["src/a.rs"]);
    server.assert_asked_properly();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_lands_at_its_lines_and_a_second_run_adds_nothing_however_comments_are_read() {
    for reading in [Reading::AsItIs, Reading::WithoutHtml, Reading::Escaped] {
        let (stage, server, vcs) = official(reading);
        let review = stage.review(&vcs, &PLACES).await;
        let outcome = stage.publish(&vcs, &review).await.unwrap();
        assert_eq!((outcome.added, outcome.only_in_summary), (3, 0), "{reading:?} {:?}", outcome.notes);
        // There is no tool for that.
        let StatusOutcome::Failed(error) = outcome.status else { panic!("{:?}", outcome.status) };
        assert_eq!(error.kind, PortErrorKind::MissingTool, "{error}");
        let writes = stage.forge.writes().iter().filter(|asked| !asked.path.ends_with("graphql")).count();
        let again = stage.publish(&vcs, &review).await.unwrap();
        let now = stage.forge.writes().iter().filter(|asked| !asked.path.ends_with("graphql")).count();
        assert_eq!((again.added, now), (0, writes), "{reading:?}");
        assert_eq!((marked(&stage, "finding"), marked(&stage, "summary")), (3, 1), "{reading:?}");
        let pull = stage.forge.pull(REPO, stage.number);
        assert_eq!((pull.reviews.len(), drafts(&stage)), (1, 0));
        let mut lines: Vec<_> = pull
            .threads
            .iter()
            .filter_map(|thread| thread.anchor.as_ref())
            .map(|anchor| (anchor.side.name(), anchor.start.map(|(_, line)| line), anchor.line))
            .collect();
        lines.sort();
        let expected = [("LEFT", None, Some(3)), ("RIGHT", None, Some(12)), ("RIGHT", Some(3), Some(4))];
        assert_eq!(lines, expected);
        server.assert_asked_properly();
        stage.forge.assert_no_token_leaked();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_our_own_server_posted_is_known_as_ours() {
    let (stage, _, vcs) = official(Reading::Escaped);
    let own = stage.vcs();
    let review = stage.review(&own, &PLACES).await;
    stage.publish(&own, &review).await.unwrap();
    let outcome = stage.publish(&vcs, &review).await.unwrap();
    assert_eq!((outcome.added, marked(&stage, "summary")), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_resolves_what_is_fixed_and_adds_what_is_new() {
    let (stage, server, vcs) = official(Reading::WithoutHtml);
    let review = stage.review(&vcs, &PLACES).await;
    stage.publish(&vcs, &review).await.unwrap();
    stage.forge.commit(REPO, "feature", &[("src/b.rs", "fresh\n")]);
    let next = stage.review(&vcs, &[(Side::New, 3, 4), (Side::New, 4, 4)]).await;
    let outcome = stage.publish(&vcs, &next).await.unwrap();
    assert_eq!((outcome.added, outcome.settled), (1, 2), "{:?}", outcome.notes);
    let pull = stage.forge.pull(REPO, stage.number);
    assert_eq!(pull.threads.iter().filter(|thread| thread.is_resolved()).count(), 2);
    assert_eq!((pull.threads.len(), marked(&stage, "summary")), (4, 2), "a summary cannot be edited");
    server.assert_asked_properly();
}

fn at(line: u32) -> InlineComment {
    let spot = LineSpot { kind: LineKind::Added, old: line, new: line };
    let place = InlinePlace { path: "src/a.rs".into(), old_path: "src/a.rs".into(), start: spot, end: spot };
    let fingerprint: Fingerprint = serde_json::from_value(json!(format!("{line:032x}"))).unwrap();
    InlineComment { fingerprint, place, body: format!("at {line}") }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_refused_is_that_comments_alone() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    let refs = vcs.get_merge_request_diff(&stage.request()).await.unwrap().refs;
    let post = ReviewPost { refs: refs.clone(), body: "two".into(), comments: vec![at(999), at(3)] };
    let published = vcs.publish_review(&stage.request(), &post).await.unwrap();
    assert_eq!(published.refused.len(), 1, "{published:?}");
    assert_eq!(published.refused[0].fingerprint, at(999).fingerprint);
    let none = ReviewPost { refs: refs.clone(), body: "one".into(), comments: vec![at(999)] };
    assert_eq!(vcs.publish_review(&stage.request(), &none).await.unwrap().refused.len(), 1);
    let error = vcs.add_inline_comment(&stage.request(), &refs, &at(999)).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Rejected, "{error}");
    vcs.add_inline_comment(&stage.request(), &refs, &at(4)).await.unwrap();
    let pull = stage.forge.pull(REPO, stage.number);
    assert_eq!((pull.reviews.len(), pull.threads.len(), drafts(&stage)), (2, 2, 0));
    server.assert_asked_properly();
}

async fn leave_a_draft(stage: &Stage, server: &Official, body: &str) {
    let link = link(server);
    let request = json!({"owner": "acme", "repo": "shop", "pullNumber": stage.number});
    let with = |more: Value| {
        let mut all = request.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let write = Effect::Writes;
    link.call("draft", "pull_request_review_write", with(json!({"method": "create"})), write).await.unwrap();
    let comment =
        json!({"path": "src/a.rs", "line": 3, "side": "RIGHT", "subjectType": "LINE", "body": body});
    link.call("draft", "add_comment_to_pending_review", with(comment), write).await.unwrap();
    assert_eq!(drafts(stage), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_a_killed_run_left_is_thrown_away_and_its_comments_are_posted() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    let review = stage.review(&vcs, &PLACES).await;
    let print = review.findings[0].fingerprint.as_str();
    let head = stage.forge.branch(REPO, "feature").unwrap();
    let body = format!("[countersign]: # (finding fingerprint={print} head={head} state=open)\n\nlost");
    leave_a_draft(&stage, &server, &body).await;
    let outcome = stage.publish(&vcs, &review).await.unwrap();
    assert_eq!((outcome.added, drafts(&stage), marked(&stage, "finding")), (3, 0, 3));
    server.assert_asked_properly();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_draft_of_a_person_is_left_alone() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    leave_a_draft(&stage, &server, "half a thought of mine").await;
    let error = vcs.get_comments(&stage.request()).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Conflict);
    assert!(error.hint.contains("account of its own"), "{error} {}", error.hint);
    let refs = vcs.get_merge_request_diff(&stage.request()).await.unwrap().refs;
    let post = ReviewPost { refs, body: "x".into(), comments: vec![at(3)] };
    let error = vcs.publish_review(&stage.request(), &post).await.unwrap_err();
    assert_eq!((error.kind, drafts(&stage)), (PortErrorKind::Rejected, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_second_review_cannot_be_filled_what_is_new_is_in_the_summary() {
    let stage = Stage::new(Provider::Github);
    let server = Official::new(&stage.forge.github_url(), &stage.token, Reading::AsItIs);
    let vcs = port(&server.looking(Looking::AtTheOldest));
    let review = stage.review(&vcs, &[(Side::New, 3, 3)]).await;
    assert_eq!(stage.publish(&vcs, &review).await.unwrap().added, 1);
    for line in [4, 12] {
        let next = stage.review(&vcs, &[(Side::New, 3, 3), (Side::New, line, line)]).await;
        let outcome = stage.publish(&vcs, &next).await.unwrap();
        assert_eq!((outcome.added, outcome.only_in_summary), (0, 1), "{:?}", outcome.notes);
    }
    let pull = stage.forge.pull(REPO, stage.number);
    assert_eq!((pull.threads.len(), marked(&stage, "summary")), (1, 3));
    assert!(pull.comments.last().unwrap().body.contains("line 12 is a stub"), "{:?}", pull.comments.last());
}

#[tokio::test(flavor = "multi_thread")]
async fn long_conversations_are_read_once_and_to_their_end() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    (0..130).for_each(|n| _ = stage.forge.comment(REPO, stage.number, "bob", &n.to_string()));
    let comments: Vec<Value> =
        (0..230).map(|n| json!({"path": "src/a.rs", "line": 3, "body": format!("t{n}")})).collect();
    let arguments = json!({"repo": REPO, "pr_number": stage.number, "comments": comments, "body": "many"});
    let own = stage.server(connect::servers::Service::Github);
    own.link.call("post", "github_create_review", arguments, Effect::Writes).await.unwrap();
    let all = vcs.get_comments(&stage.request()).await.unwrap();
    let count = |kind: CommentKind| all.iter().filter(|said| said.reference.kind == kind).count();
    assert_eq!((count(CommentKind::Conversation), count(CommentKind::Inline)), (130, 230));
    assert_eq!((all[129].body.as_str(), all[359].body.as_str()), ("129", "t229"));
    server.assert_asked_properly();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_made_once_and_a_fork_is_a_stranger() {
    let (stage, server, vcs) = official(Reading::AsItIs);
    stage.forge.commit(REPO, "work", &[("w", "x\n")]);
    let project = Project::parse(REPO).unwrap();
    let new = NewMergeRequest {
        project: project.clone(),
        source_branch: "work".into(),
        target_branch: "main".into(),
        title: "W".into(),
        description: "D".into(),
    };
    assert!(matches!(vcs.create_merge_request(&new).await.unwrap(), CreatedMergeRequest::New(_)));
    assert!(matches!(vcs.create_merge_request(&new).await.unwrap(), CreatedMergeRequest::AlreadyThere(_)));
    stage.forge.fork(REPO, "mallory/shop");
    stage.forge.commit("mallory/shop", "evil", &[("x", "y\n")]);
    let number = stage.forge.open_pull(REPO, PullSeed::from("evil").fork("mallory/shop").by("mallory"));
    let evil = domain::forge::MergeRequestRef { project: project.clone(), number };
    assert_eq!(vcs.get_merge_request(&evil).await.unwrap().unwrap().origin, Origin::Fork);
    assert_eq!(vcs.find_merge_request(&project, "evil").await, Ok(None));
    server.assert_asked_properly();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_cannot_do_is_said_and_what_it_must_not_do_is_denied() {
    let (stage, _, vcs) = official(Reading::AsItIs);
    let comment = CommentRef { id: "1".into(), kind: CommentKind::Conversation, thread: None };
    let error = vcs.edit_comment(&stage.request(), &comment, "x").await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::MissingTool);
    let of = json!({"owner": "acme", "repo": "shop", "pullNumber": stage.number});
    let status = json!({"owner": "acme", "repo": "shop", "pullNumber": stage.number, "method": "get_status"});
    assert!(vcs.execute_tool("pull_request_read", &status).await.unwrap().contains("\"state\""));
    let approve = json!({"owner": "acme", "repo": "shop", "pullNumber": stage.number, "method": "create", "event": "APPROVE"});
    let resolve = json!({"owner": "acme", "repo": "shop", "pullNumber": stage.number, "method": "resolve_thread", "threadId": "PRRT_1"});
    let write = "pull_request_review_write";
    for (tool, arguments) in [("merge_pull_request", &of), (write, &approve), (write, &resolve)] {
        let error = vcs.execute_tool(tool, arguments).await.unwrap_err();
        assert!(matches!(error.kind, PortErrorKind::Denied(_)), "{error}");
    }
    assert!(stage.forge.writes().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_cannot_be_told_from_others_and_a_wrong_token_is_not_accepted() {
    let stage = Stage::with_rights(Provider::Github, Rights::Checks);
    let server = Official::new(&stage.forge.github_url(), &stage.token, Reading::AsItIs);
    stage.forge.revoke(&stage.token);
    let vcs = port(&server);
    let error = vcs.get_identity().await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unauthorised);
    assert!(error.hint.contains("not of an app"), "{}", error.hint);
    let error = vcs.get_merge_request(&stage.request()).await.unwrap_err();
    assert_eq!(error.kind, PortErrorKind::Unauthorised, "{error}");
    assert!(!error.to_string().contains(&stage.token));
}
