//! `countersign mcp github`.

use std::collections::HashMap;

use domain::change::{LineKind, Oid};
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, InlinePlace, LineSpot, MergeRequest, MergeRequestDiff, MergeRequestRef, MergeRequestState,
    NewMergeRequest, Origin, PostedComment, Project, Provider, Published, ReviewPost, StatusState,
    ThreadState, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::shapes::{comment, number, oid, refs, status_state, thread_state, unreadable, whole, withheld};

#[derive(Debug)]
pub struct Github(pub Server);

#[derive(Deserialize)]
struct Me {
    login: String,
}

#[derive(Deserialize)]
struct Head {
    branch: String,
    sha: String,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    title: String,
    body: String,
    state: String,
    draft: bool,
    merged: bool,
    url: String,
    author: String,
    head: Head,
    base: Head,
    from_fork: bool,
    labels: Vec<String>,
}

#[derive(Deserialize)]
struct ByBranch {
    pull_request: Option<Pull>,
}

#[derive(Deserialize)]
struct Made {
    created: bool,
    pull_request: Pull,
}

#[derive(Deserialize)]
struct Diff {
    diff: String,
    base_sha: String,
    head_sha: String,
    complete: bool,
    omitted: Vec<String>,
}

#[derive(Deserialize)]
struct Said {
    id: u64,
    author: String,
    body: String,
    in_reply_to_id: Option<u64>,
}

#[derive(Deserialize)]
struct Comments {
    comments: Vec<Said>,
    review_comments: Vec<Said>,
    complete: bool,
}

#[derive(Deserialize)]
struct Thread {
    resolved: bool,
    comment_ids: Vec<u64>,
}

#[derive(Deserialize)]
struct Threads {
    threads: Vec<Thread>,
}

#[derive(Deserialize)]
struct BranchShape {
    name: String,
    sha: String,
}

#[derive(Deserialize)]
struct CheckRun {
    id: u64,
    name: String,
    status: String,
    conclusion: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct StatusShape {
    context: String,
    state: String,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Checks {
    statuses: Vec<StatusShape>,
    check_runs: Vec<CheckRun>,
}

/// `line` and `side`, and the same for the start where there is more than one line.
pub(super) fn place_arguments(place: &InlinePlace) -> Value {
    let at = |spot: LineSpot| match spot.kind {
        LineKind::Added | LineKind::Context => (spot.new, "RIGHT"),
        LineKind::Removed => (spot.old, "LEFT"),
    };
    let (line, side) = at(place.end);
    let mut arguments = json!({ "path": place.path.to_str(), "line": line, "side": side });
    if place.start != place.end {
        let (line, side) = at(place.start);
        (arguments["start_line"], arguments["start_side"]) = (json!(line), json!(side));
    }
    arguments
}

fn conclusion(state: StatusState) -> (&'static str, Option<&'static str>) {
    match state {
        StatusState::Pending => ("in_progress", None),
        StatusState::Success => ("completed", Some("success")),
        StatusState::Failure => ("completed", Some("failure")),
    }
}

impl Pull {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let state = match (self.merged, self.state.as_str()) {
            (true, _) => MergeRequestState::Merged,
            (false, "open") => MergeRequestState::Open,
            (false, _) => MergeRequestState::Closed,
        };
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number: self.number },
            title: self.title,
            description: self.body,
            state,
            is_draft: self.draft,
            url: self.url,
            author: self.author,
            source_branch: self.head.branch,
            target_branch: self.base.branch,
            head: Some(oid(action, &self.head.sha)?),
            origin: if self.from_fork { Origin::Fork } else { Origin::SameProject },
            diff_refs: None,
            labels: self.labels,
        })
    }
}

impl Github {
    async fn checks(&self, project: &Project, commit: &Oid) -> Result<Checks, PortError> {
        let arguments = json!({ "repo": project.as_str(), "ref": commit.as_str() });
        self.0.read("read check runs", "github_get_check_runs", arguments).await
    }

    async fn check_run(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        let (word, conclusion) = conclusion(status.state);
        let mut arguments = json!({
            "repo": project.as_str(), "status": word, "title": status.title, "summary": status.summary,
        });
        if let Some(conclusion) = conclusion {
            arguments["conclusion"] = json!(conclusion);
        }
        if let Some(url) = &status.url {
            arguments["details_url"] = json!(url);
        }
        let there = self.checks(project, &status.commit).await?.check_runs;
        let newest = there.iter().filter(|run| run.name == status.name).max_by_key(|run| run.id);
        if let Some(run) = newest {
            let mut arguments = arguments.clone();
            arguments["check_run_id"] = json!(run.id);
            match self.0.write("update the check run", "github_update_check_run", arguments).await {
                // It is somebody else's.
                Err(error) if is_forbidden(&error) => {}
                answer => return answer.map(|_| ()),
            }
        }
        (arguments["name"], arguments["head_sha"]) = (json!(status.name), json!(status.commit.as_str()));
        self.0.write("create a check run", "github_create_check_run", arguments).await.map(|_| ())
    }
}

fn is_forbidden(error: &PortError) -> bool {
    matches!(error.kind, PortErrorKind::Unauthorised | PortErrorKind::MissingTool | PortErrorKind::NotFound)
}

impl VcsPort for Github {
    fn provider(&self) -> Provider {
        Provider::Github
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Me>("ask who we are", "github_get_me", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.login })),
            // The token of an app belongs to nobody.
            Err(error) if is_forbidden(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "repo": project.as_str(), "branch": name });
        let found: Option<BranchShape> = self.0.find(action, "github_get_branch", arguments).await?;
        found.map(|branch| Ok(Branch { head: oid(action, &branch.sha)?, name: branch.name })).transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let action = "read the pull request";
        let arguments = json!({ "repo": request.project.as_str(), "pr_number": request.number });
        let found: Option<Pull> = self.0.find(action, "github_get_pr", arguments).await?;
        found.map(|pull| pull.into_request(action, &request.project)).transpose()
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the pull request";
        let arguments = json!({ "repo": project.as_str(), "branch": source_branch });
        let found: Option<ByBranch> = self.0.find(action, "github_get_pr_by_branch", arguments).await?;
        let pull = found.and_then(|found| found.pull_request);
        pull.map(|pull| pull.into_request(action, project)).transpose()
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the pull request";
        let arguments = json!({ "repo": request.project.as_str(), "pr_number": request.number });
        let read: Diff = self.0.read(action, "github_get_pr_diff", arguments).await?;
        Ok(MergeRequestDiff {
            refs: refs(action, &read.base_sha, &read.base_sha, &read.head_sha)?,
            files: parse_diff(&read.diff).map_err(|bad| unreadable(action, &bad.to_string()))?,
            withheld: withheld(read.omitted, read.complete),
        })
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        let action = "create the pull request";
        let arguments = json!({
            "repo": new.project.as_str(), "title": new.title, "head": new.source_branch, "base": new.target_branch,
            "body": new.description,
        });
        let made: Made = self.0.write(action, "github_create_pr", arguments).await?.read(action)?;
        let request = made.pull_request.into_request(action, &new.project)?;
        Ok(match made.created {
            true => CreatedMergeRequest::New(request),
            false => CreatedMergeRequest::AlreadyThere(request),
        })
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the pull request";
        let arguments = json!({ "repo": request.project.as_str(), "pr_number": request.number });
        let read: Comments = self.0.read(action, "github_get_pr_comments", arguments.clone()).await?;
        whole(action, read.complete)?;
        let threads = match self.0.read::<Threads>(action, "github_get_review_threads", arguments).await {
            Ok(read) => read.threads,
            Err(error) if is_forbidden(&error) => Vec::new(),
            Err(error) => return Err(error),
        };
        let states: HashMap<u64, ThreadState> = threads
            .into_iter()
            .flat_map(|thread| {
                let state = thread_state(true, thread.resolved);
                thread.comment_ids.into_iter().map(move |id| (id, state))
            })
            .collect();
        let inline =
            read.review_comments.into_iter().filter(|said| said.in_reply_to_id.is_none()).map(|said| {
                let state = states.get(&said.id).copied().unwrap_or(ThreadState::NotResolvable);
                comment(said.id, CommentKind::Inline, None, (said.author, said.body), state)
            });
        let conversation = read.comments.into_iter().map(|said| {
            let words = (said.author, said.body);
            comment(said.id, CommentKind::Conversation, None, words, ThreadState::NotResolvable)
        });
        Ok(conversation.chain(inline).collect())
    }

    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        let comments: Vec<Value> = post
            .comments
            .iter()
            .map(|comment| {
                let mut arguments = place_arguments(&comment.place);
                arguments["body"] = json!(comment.body);
                arguments
            })
            .collect();
        let arguments = json!({
            "repo": request.project.as_str(), "pr_number": request.number, "commit_id": post.refs.head.as_str(),
            "event": "COMMENT", "body": post.body, "comments": comments,
        });
        self.0.write("publish the review", "github_create_review", arguments).await?;
        Ok(Published::default())
    }

    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let mut arguments = place_arguments(&comment.place);
        arguments["repo"] = json!(request.project.as_str());
        arguments["pr_number"] = json!(request.number);
        arguments["commit_id"] = json!(refs.head.as_str());
        arguments["body"] = json!(comment.body);
        self.0.write("comment on a line", "github_add_review_comment", arguments).await.map(|_| ())
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments =
            json!({ "repo": request.project.as_str(), "pr_number": request.number, "body": body });
        self.0.write("comment on the pull request", "github_add_pr_comment", arguments).await.map(|_| ())
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        edited: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let action = "edit a comment";
        let kind = match edited.kind {
            CommentKind::Conversation => "issue",
            CommentKind::Inline => "review",
            CommentKind::Review => return Err(self.0.link.missing(action, "to edit the text of a review")),
        };
        let id = number(action, &edited.id)?;
        let arguments =
            json!({ "repo": request.project.as_str(), "comment_id": id, "body": body, "kind": kind });
        self.0.write(action, "github_update_comment", arguments).await.map(|_| ())
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let action = "resolve a thread";
        let id = number(action, &resolved.id)?;
        let arguments =
            json!({ "repo": request.project.as_str(), "pr_number": request.number, "comment_id": id });
        self.0.write(action, "github_resolve_thread", arguments).await.map(|_| ())
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let Checks { statuses, mut check_runs } = self.checks(project, commit).await?;
        check_runs.sort_by_key(|run| std::cmp::Reverse(run.id));
        let status = |name: String, state: StatusState, title: Option<String>| CommitStatus {
            name,
            commit: commit.clone(),
            state,
            title: title.unwrap_or_default(),
            summary: String::new(),
            url: None,
        };
        let runs = check_runs.into_iter().map(|run| {
            let state = status_state(run.conclusion.as_deref().unwrap_or(&run.status));
            status(run.name, state, run.title)
        });
        let statuses = statuses.into_iter().map(|s| status(s.context, status_state(&s.state), s.description));
        let mut names = std::collections::HashSet::new();
        Ok(runs.chain(statuses).filter(|status| names.insert(status.name.clone())).collect())
    }

    /// A check run where the token may have one, else a commit status.
    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        match self.check_run(project, status).await {
            Err(error) if is_forbidden(&error) => {}
            answer => return answer,
        }
        let state = match status.state {
            StatusState::Pending => "pending",
            StatusState::Success => "success",
            StatusState::Failure => "failure",
        };
        let mut arguments = json!({
            "repo": project.as_str(), "sha": status.commit.as_str(), "state": state, "context": status.name,
            "description": status.title,
        });
        if let Some(url) = &status.url {
            arguments["target_url"] = json!(url);
        }
        self.0.write("set the commit status", "github_create_commit_status", arguments).await.map(|_| ())
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        self.0.get_mcp_tools().await
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        self.0.execute_tool(name, arguments).await
    }
}
