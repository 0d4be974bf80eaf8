//! `countersign mcp github`.

use std::collections::HashMap;

use domain::change::Oid;
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, PostedComment, Project,
    Provider, Published, ReviewPost, StatusState, ThreadState,
};
use domain::ports::{PortError, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::pull::{Pull, place};
use super::server::{is_forbidden, tools_of_the_server};
use super::shapes::{
    BranchShape, Found, Made, OwnDiff, StatusShape, comment, first_of_each, number, status, status_state,
    thread_state, whole, with,
};

#[derive(Debug)]
pub struct Github(pub Server);

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
struct CheckRun {
    id: u64,
    name: String,
    status: String,
    conclusion: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct Checks {
    statuses: Vec<StatusShape>,
    check_runs: Vec<CheckRun>,
}

fn conclusion(state: StatusState) -> (&'static str, Option<&'static str>) {
    match state {
        StatusState::Pending => ("in_progress", None),
        StatusState::Success => ("completed", Some("success")),
        StatusState::Failure => ("completed", Some("failure")),
    }
}

/// Which pull request, and what else the tool is to know.
fn of(request: &MergeRequestRef, more: Value) -> Value {
    with(json!({ "repo": request.project.as_str(), "pr_number": request.number }), more)
}

/// What is said where.
fn inline(comment: &InlineComment) -> Value {
    with(place(&comment.place, ["start_line", "start_side"]), json!({ "body": comment.body }))
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
            let arguments = with(arguments.clone(), json!({ "check_run_id": run.id }));
            match self.0.tell("update the check run", "github_update_check_run", arguments).await {
                // It is somebody else's.
                Err(error) if is_forbidden(&error) => {}
                answer => return answer,
            }
        }
        let named = json!({ "name": status.name, "head_sha": status.commit.as_str() });
        self.0.tell("create a check run", "github_create_check_run", with(arguments, named)).await
    }
}

impl VcsPort for Github {
    fn provider(&self) -> Provider {
        Provider::Github
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        self.0.identity("github_get_me").await
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "repo": project.as_str(), "branch": name });
        let found: Option<BranchShape> = self.0.find(action, "github_get_branch", arguments).await?;
        found.map(|branch| branch.into_branch(action)).transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let arguments = of(request, json!({}));
        self.0
            .find_request::<Pull>("read the pull request", "github_get_pr", arguments, &request.project)
            .await
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the pull request";
        let arguments = json!({ "repo": project.as_str(), "branch": source_branch });
        let found: Option<Found<Pull>> = self.0.find(action, "github_get_pr_by_branch", arguments).await?;
        found.map_or(Ok(None), |found| found.into_request(action, project))
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the pull request";
        let read: OwnDiff = self.0.read(action, "github_get_pr_diff", of(request, json!({}))).await?;
        read.into_diff(action)
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        let action = "create the pull request";
        let arguments = json!({
            "repo": new.project.as_str(), "title": new.title, "head": new.source_branch, "base": new.target_branch,
            "body": new.description,
        });
        let made: Made<Pull> = self.0.write(action, "github_create_pr", arguments).await?.read(action)?;
        made.into_created(action, &new.project)
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the pull request";
        let arguments = of(request, json!({}));
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
        let comments: Vec<Value> = post.comments.iter().map(inline).collect();
        let review = json!({
            "commit_id": post.refs.head.as_str(), "event": "COMMENT", "body": post.body, "comments": comments,
        });
        self.0.tell("publish the review", "github_create_review", of(request, review)).await?;
        Ok(Published::default())
    }

    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let arguments = with(of(request, inline(comment)), json!({ "commit_id": refs.head.as_str() }));
        self.0.tell("comment on a line", "github_add_review_comment", arguments).await
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments = of(request, json!({ "body": body }));
        self.0.tell("comment on the pull request", "github_add_pr_comment", arguments).await
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
        self.0.tell(action, "github_update_comment", arguments).await
    }

    async fn delete_comment(&self, request: &MergeRequestRef, gone: &CommentRef) -> Result<(), PortError> {
        let action = "take back a comment";
        let kind = match gone.kind {
            CommentKind::Conversation => "issue",
            CommentKind::Inline => "review",
            CommentKind::Review => return Err(self.0.link.missing(action, "to delete a review")),
        };
        let id = number(action, &gone.id)?;
        let arguments = json!({ "repo": request.project.as_str(), "comment_id": id, "kind": kind });
        self.0.tell_gone(action, "github_delete_comment", arguments).await
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let action = "resolve a thread";
        let id = number(action, &resolved.id)?;
        self.0.tell(action, "github_resolve_thread", of(request, json!({ "comment_id": id }))).await
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let Checks { statuses, mut check_runs } = self.checks(project, commit).await?;
        check_runs.sort_by_key(|run| std::cmp::Reverse(run.id));
        let runs = check_runs.into_iter().map(|run| {
            let state = status_state(run.conclusion.as_deref().unwrap_or(&run.status));
            status(run.name, commit, state, run.title)
        });
        let statuses = statuses.into_iter().map(|status| status.into_status(commit));
        Ok(first_of_each(runs.chain(statuses)))
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
        self.0.tell("set the commit status", "github_create_commit_status", arguments).await
    }

    tools_of_the_server!();
}
