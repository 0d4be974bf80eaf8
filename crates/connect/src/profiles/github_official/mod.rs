//! GitHub's own MCP server, by its published tools: `pull_request_read`, `pull_request_review_write` and their like,
//! with their arguments as of 1.0 and later.
//!
//! It has no tool to edit a comment or to set a status, and what it reads of comments it alters: see [`marker`]. Reviews
//! are drafted, filled and submitted in three steps. An account has one draft on a pull request; one that was left by
//! somebody who was killed is thrown away before comments are read, because they are listed like all others and nobody
//! ever saw them.

mod answers;
mod marker;

use domain::change::Oid;
use domain::forge::{
    Branch, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity, InlineComment,
    MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, PostedComment, Project, Provider,
    Published, ReviewPost, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::tools::McpTool;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::answers::{FileShape, Resolving, ReviewShape, Said, Threads};
use self::marker::{carried, is_marked};
use super::Server;
use super::files::changes;
use super::pull::{Pull, place};
use super::server::tools_of_the_server;
use super::shapes::{
    BranchShape, Named, RequestShape as _, more_files, moved, note_refusal, refs, unreadable, whole, with,
};
use crate::client::Effect;

#[derive(Debug)]
pub struct GithubOfficial(pub Server);

const READ: &str = "pull_request_read";
const REVIEW: &str = "pull_request_review_write";
const PAGE: usize = 100;
const MOST_PAGES: usize = 50;

fn of_project(project: &Project, more: Value) -> Value {
    let (owner, repo) = project.as_str().split_once('/').unwrap_or((project.as_str(), ""));
    with(json!({ "owner": owner, "repo": repo }), more)
}

/// Which pull request, and what else the tool is to know.
fn of(request: &MergeRequestRef, method: &str, more: Value) -> Value {
    let arguments = of_project(&request.project, json!({ "pullNumber": request.number, "method": method }));
    with(arguments, more)
}

impl GithubOfficial {
    /// Everything that a method lists by pages. `None` if there is more than that.
    async fn listed<T: DeserializeOwned>(
        &self,
        action: &str,
        request: &MergeRequestRef,
        method: &str,
    ) -> Result<Option<Vec<T>>, PortError> {
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let arguments = of(request, method, json!({ "page": page, "perPage": PAGE }));
            let read: Option<Vec<T>> = self.0.read(action, READ, arguments).await?;
            let read = read.unwrap_or_default();
            let is_last = read.len() < PAGE;
            all.extend(read);
            if is_last {
                return Ok(Some(all));
            }
        }
        Ok(None)
    }

    async fn threads(
        &self,
        action: &str,
        request: &MergeRequestRef,
    ) -> Result<Vec<PostedComment>, PortError> {
        let resolving = self.resolving().await?;
        let mut comments = Vec::new();
        let mut more = json!({ "perPage": PAGE });
        for _ in 0..MOST_PAGES {
            let arguments = of(request, "get_review_comments", more);
            let read: Threads = self.0.read(action, READ, arguments).await?;
            let threads = read.review_threads.unwrap_or_default();
            comments.extend(threads.into_iter().filter_map(|thread| thread.into_comment(resolving)));
            match read.page.next() {
                Some(after) => more = json!({ "perPage": PAGE, "after": after }),
                None => return Ok(comments),
            }
        }
        whole(action, false).map(|()| comments)
    }

    async fn resolving(&self) -> Result<Resolving, PortError> {
        let tools = self.0.link.tools().await?;
        let tool = tools.iter().find(|tool| tool.name == REVIEW);
        let methods = tool.and_then(|tool| tool.input.pointer("/properties/method/enum")?.as_array());
        let has = methods.is_some_and(|methods| methods.iter().any(|method| method == "resolve_thread"));
        Ok(if has { Resolving::Possible } else { Resolving::Impossible })
    }

    /// Throws away the draft of our account, unless a person writes with it as well: then it may be theirs.
    async fn discard_left_draft(
        &self,
        request: &MergeRequestRef,
        comments: &[PostedComment],
    ) -> Result<(), PortError> {
        let me = self.get_identity().await?;
        let is_ours = |comment: &PostedComment| me.as_ref().is_some_and(|me| me.wrote(comment));
        if comments.iter().any(|comment| is_ours(comment) && !is_marked(&comment.body)) {
            let reason = "our account has the draft of a review there, and somebody writes with it by hand";
            let hint = "submit or discard the draft; give Countersign an account of its own";
            return Err(PortError::new(PortErrorKind::Conflict, "read the comments", reason, hint));
        }
        self.discard_draft(request).await
    }

    async fn discard_draft(&self, request: &MergeRequestRef) -> Result<(), PortError> {
        match self.review(request, "throw away a draft", "delete_pending", json!({})).await {
            // Versions that look at the oldest review of an account find no draft behind it. They add nothing to it
            // either: no comment of ours is in there.
            Err(error) if error.kind == PortErrorKind::Rejected => Ok(()),
            answer => answer,
        }
    }

    async fn review(
        &self,
        request: &MergeRequestRef,
        action: &str,
        method: &str,
        more: Value,
    ) -> Result<(), PortError> {
        self.0.tell(action, REVIEW, of(request, method, more)).await
    }

    async fn begin_draft(&self, request: &MergeRequestRef, commit: &Oid) -> Result<(), PortError> {
        let more = json!({ "commitID": commit.as_str() });
        self.review(request, "begin a review", "create", more).await
    }

    async fn add_to_draft(
        &self,
        request: &MergeRequestRef,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let said = json!({
            "pullNumber": request.number, "subjectType": "LINE", "body": carried(&comment.body),
        });
        let arguments =
            with(of_project(&request.project, said), place(&comment.place, ["startLine", "startSide"]));
        self.0.tell("comment on a line", "add_comment_to_pending_review", arguments).await
    }

    async fn submit_draft(&self, request: &MergeRequestRef, body: Option<&str>) -> Result<(), PortError> {
        let mut more = json!({ "event": "COMMENT" });
        if let Some(body) = body {
            more["body"] = json!(carried(body));
        }
        self.review(request, "publish the review", "submit_pending", more).await
    }

    async fn pull(&self, action: &str, request: &MergeRequestRef) -> Result<Pull, PortError> {
        let found: Option<Pull> = self.0.find(action, READ, of(request, "get", json!({}))).await?;
        found.ok_or_else(|| unreadable(action, "the pull request is gone"))
    }

    /// Of a diff that is too large for one answer.
    async fn diff_of_files(
        &self,
        action: &str,
        request: &MergeRequestRef,
        pull: &Pull,
    ) -> Result<MergeRequestDiff, PortError> {
        let read: Option<Vec<FileShape>> = self.listed(action, request, "get_files").await?;
        let count = read.as_ref().map(Vec::len);
        let (files, mut withheld) = changes(action, read.unwrap_or_default(), FileShape::is_withheld)?;
        if count.is_none() || count < pull.changed_files {
            withheld.push(more_files());
        }
        let refs = refs(action, &pull.base.sha, &pull.base.sha, &pull.head.sha)?;
        Ok(MergeRequestDiff { refs, files, withheld })
    }
}

impl VcsPort for GithubOfficial {
    fn provider(&self) -> Provider {
        Provider::Github
    }

    fn editing(&self) -> Editing {
        Editing::Impossible
    }

    /// An account is needed: a signature over a text that this server alters says nothing.
    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Named>("ask who we are", "get_me", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.into_name() })),
            Err(error) => {
                let hint = "give the server the token of an account, not of an app, and its toolset context";
                Err(PortError { hint: hint.to_owned(), ..error })
            }
        }
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        for page in 1..=MOST_PAGES {
            let arguments = of_project(project, json!({ "page": page, "perPage": PAGE }));
            let read: Option<Vec<BranchShape>> = self.0.find(action, "list_branches", arguments).await?;
            let read = read.unwrap_or_default();
            let is_last = read.len() < PAGE;
            if let Some(branch) = read.into_iter().find(|branch| branch.name == name) {
                return branch.into_branch(action).map(Some);
            }
            if is_last {
                return Ok(None);
            }
        }
        Err(unreadable(action, "there are more branches than can be listed"))
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let arguments = of(request, "get", json!({}));
        self.0.find_request::<Pull>("read the pull request", READ, arguments, &request.project).await
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the pull request";
        let owner = project.as_str().split('/').next().unwrap_or_default();
        let wanted = json!({ "head": format!("{owner}:{source_branch}"), "state": "open" });
        let arguments = of_project(project, wanted);
        let found: Option<Vec<Pull>> = self.0.read(action, "list_pull_requests", arguments).await?;
        let of_branch = found.into_iter().flatten().filter(|pull| pull.head.branch == source_branch);
        // A fork may have a branch of the same name: the project's own comes first.
        let newest = of_branch.max_by_key(|pull| (pull.is_from_here(), pull.number));
        newest.map(|pull| pull.into_request(action, project)).transpose()
    }

    /// Names the commits before and after, because the diff itself does not say which it is of.
    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the pull request";
        let before = self.pull(action, request).await?;
        let asked = of(request, "get_diff", json!({}));
        let diff = match self.0.link.call(action, READ, asked, Effect::Reads).await {
            Ok(answer) => MergeRequestDiff {
                refs: refs(action, &before.base.sha, &before.base.sha, &before.head.sha)?,
                files: parse_diff(answer.text()).map_err(|bad| unreadable(action, &bad.to_string()))?,
                withheld: Vec::new(),
            },
            Err(error) if error.kind == PortErrorKind::Rejected => {
                self.diff_of_files(action, request, &before).await?
            }
            Err(error) => return Err(error),
        };
        match self.pull(action, request).await?.head.sha == before.head.sha {
            true => Ok(diff),
            false => Err(moved(action)),
        }
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        if let Some(there) = self.find_merge_request(&new.project, &new.source_branch).await? {
            return Ok(CreatedMergeRequest::AlreadyThere(there));
        }
        let action = "create the pull request";
        let wanted = json!({
            "title": new.title, "head": new.source_branch, "base": new.target_branch, "body": new.description,
        });
        self.0.tell(action, "create_pull_request", of_project(&new.project, wanted)).await?;
        let made = self.find_merge_request(&new.project, &new.source_branch).await?;
        made.map(CreatedMergeRequest::New)
            .ok_or_else(|| unreadable(action, "it was created and cannot be found"))
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the pull request";
        let said: Option<Vec<Said>> = self.listed(action, request, "get_comments").await?;
        let reviews: Option<Vec<ReviewShape>> = self.listed(action, request, "get_reviews").await?;
        whole(action, said.is_some() && reviews.is_some())?;
        let mut inline = self.threads(action, request).await?;
        if reviews.iter().flatten().any(ReviewShape::is_draft) {
            self.discard_left_draft(request, &inline).await?;
            inline = self.threads(action, request).await?;
        }
        Ok(said.into_iter().flatten().map(PostedComment::from).chain(inline).collect())
    }

    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        self.begin_draft(request, &post.refs.head).await?;
        let mut published = Published::default();
        for comment in &post.comments {
            let answer = self.add_to_draft(request, comment).await;
            note_refusal(&mut published, comment, answer)?;
        }
        match published.refused.len() < post.comments.len() {
            true => self.submit_draft(request, Some(&post.body)).await?,
            false => self.discard_draft(request).await?,
        }
        Ok(published)
    }

    /// As a review of one comment: there is no other way.
    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        self.begin_draft(request, &refs.head).await?;
        match self.add_to_draft(request, comment).await {
            Ok(()) => self.submit_draft(request, None).await,
            Err(error) => {
                self.discard_draft(request).await?;
                Err(error)
            }
        }
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let said = json!({ "issue_number": request.number, "body": carried(body) });
        let arguments = of_project(&request.project, said);
        self.0.tell("comment on the pull request", "add_issue_comment", arguments).await
    }

    async fn edit_comment(&self, _: &MergeRequestRef, _: &CommentRef, _: &str) -> Result<(), PortError> {
        Err(self.0.link.missing("edit a comment", "to edit a comment"))
    }

    async fn delete_comment(&self, _: &MergeRequestRef, _: &CommentRef) -> Result<(), PortError> {
        Err(self.0.link.missing("take back a comment", "to delete a comment"))
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let more = json!({ "threadId": resolved.thread });
        self.review(request, "resolve a thread", "resolve_thread", more).await
    }

    async fn get_statuses(&self, _: &Project, _: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        Err(self.0.link.missing("read commit statuses", "to read the statuses of a commit"))
    }

    async fn set_status(&self, _: &Project, _: &CommitStatus) -> Result<(), PortError> {
        Err(self.0.link.missing("set the commit status", "to set a status"))
    }

    tools_of_the_server!();
}
