//! GitHub's own MCP server, by its published tool names.
//!
//! It has no tool to edit a comment or to set a status, and reviews are drafted, filled and submitted in three steps. A
//! draft that was left by somebody who was killed is thrown away: nobody but us ever saw it.

use domain::change::Oid;
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, MergeRequest, MergeRequestDiff, MergeRequestRef, MergeRequestState, NewMergeRequest,
    Origin, PostedComment, Project, Provider, Published, RefusedComment, ReviewPost, ThreadState, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::github::place_arguments;
use super::shapes::{comment, oid, refs, unreadable};
use crate::client::Effect;

#[derive(Debug)]
pub struct GithubOfficial(pub Server);

#[derive(Deserialize)]
struct Person {
    login: String,
}

#[derive(Deserialize)]
struct Repo {
    full_name: String,
}

#[derive(Deserialize)]
struct End {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    title: String,
    body: Option<String>,
    state: String,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    merged: bool,
    html_url: String,
    user: Person,
    head: End,
    base: End,
}

#[derive(Deserialize)]
struct BranchShape {
    name: String,
    sha: Option<String>,
    commit: Option<CommitShape>,
}

#[derive(Deserialize)]
struct CommitShape {
    sha: String,
}

const PAGE: usize = 100;
const MOST_PAGES: usize = 50;

impl Pull {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let state = match (self.merged, self.state.as_str()) {
            (true, _) => MergeRequestState::Merged,
            (false, "open") => MergeRequestState::Open,
            (false, _) => MergeRequestState::Closed,
        };
        let name = |end: &End| end.repo.as_ref().map(|repo| repo.full_name.to_ascii_lowercase());
        let same = name(&self.head).is_some() && name(&self.head) == name(&self.base);
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number: self.number },
            title: self.title,
            description: self.body.unwrap_or_default(),
            state,
            is_draft: self.draft,
            url: self.html_url,
            author: self.user.login,
            source_branch: self.head.branch,
            target_branch: self.base.branch,
            head: Some(oid(action, &self.head.sha)?),
            origin: if same { Origin::SameProject } else { Origin::Fork },
            diff_refs: None,
            labels: Vec::new(),
        })
    }
}

fn owner_and_name(project: &Project) -> (&str, &str) {
    project.as_str().split_once('/').unwrap_or((project.as_str(), ""))
}

/// Of a request; `more` is added.
fn arguments(request: &MergeRequestRef, more: Value) -> Value {
    let (owner, repo) = owner_and_name(&request.project);
    let mut all = json!({ "owner": owner, "repo": repo, "pullNumber": request.number });
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        all.extend(more);
    }
    all
}

/// Versions differ in how deep they wrap comments; whoever has a body and an author is one.
fn gather(value: &Value, resolved: bool, found: &mut Vec<(String, String, String, bool)>, depth: usize) {
    const DEEPEST: usize = 12;
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, resolved, found, depth + 1)),
        Value::Object(fields) => {
            let get = |names: &[&str]| names.iter().find_map(|name| fields.get(*name));
            let resolved = get(&["isResolved", "IsResolved", "is_resolved"])
                .and_then(Value::as_bool)
                .unwrap_or(resolved);
            let author = get(&["user", "author", "Author"]);
            let author = author.and_then(|author| {
                author
                    .as_str()
                    .or_else(|| ["login", "Login"].iter().find_map(|name| author.get(*name)?.as_str()))
            });
            let body = get(&["body", "Body"]).and_then(Value::as_str);
            if let (Some(author), Some(body)) = (author, body) {
                let id = get(&["id", "ID", "databaseId"])
                    .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                found.push((id.unwrap_or_default(), author.to_owned(), body.to_owned(), resolved));
            }
            fields.values().for_each(|field| gather(field, resolved, found, depth + 1));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl GithubOfficial {
    async fn comments(
        &self,
        request: &MergeRequestRef,
        method: &str,
        kind: CommentKind,
    ) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the pull request";
        let mut comments = Vec::new();
        for page in 1..=MOST_PAGES {
            let asked = arguments(request, json!({ "method": method, "page": page, "perPage": PAGE }));
            let read: Value = self.0.read(action, "pull_request_read", asked).await?;
            let mut found = Vec::new();
            gather(&read, false, &mut found, 0);
            let count = found.len();
            comments.extend(found.into_iter().map(|(id, author, body, resolved)| {
                let state = if resolved { ThreadState::Resolved } else { ThreadState::NotResolvable };
                comment(id, kind, None, (author, body), state)
            }));
            if count < PAGE {
                return Ok(comments);
            }
        }
        Err(unreadable(action, "there are more comments than can be listed"))
    }

    async fn draft(&self, request: &MergeRequestRef, commit: &Oid) -> Result<(), PortError> {
        let create = arguments(request, json!({ "method": "create", "commitID": commit.as_str() }));
        let write = |asked: Value| self.0.write("begin a review", "pull_request_review_write", asked);
        match write(create.clone()).await {
            Err(error) if matches!(error.kind, PortErrorKind::Rejected | PortErrorKind::Conflict) => {
                write(arguments(request, json!({ "method": "delete_pending" }))).await?;
                write(create).await.map(|_| ())
            }
            answer => answer.map(|_| ()),
        }
    }

    async fn add_to_draft(
        &self,
        request: &MergeRequestRef,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let mut asked = arguments(request, place_arguments(&comment.place));
        asked["body"] = json!(comment.body);
        asked["subjectType"] = json!("LINE");
        for (ours, theirs) in [("start_line", "startLine"), ("start_side", "startSide")] {
            if let Some(value) = asked.as_object_mut().and_then(|fields| fields.remove(ours)) {
                asked[theirs] = value;
            }
        }
        self.0.write("comment on a line", "add_comment_to_pending_review", asked).await.map(|_| ())
    }
}

impl VcsPort for GithubOfficial {
    fn provider(&self) -> Provider {
        Provider::Github
    }

    fn editing(&self) -> Editing {
        Editing::Impossible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Person>("ask who we are", "get_me", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.login })),
            Err(error) if matches!(error.kind, PortErrorKind::Unauthorised | PortErrorKind::MissingTool) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let (owner, repo) = owner_and_name(project);
        for page in 1..=MOST_PAGES {
            let asked = json!({ "owner": owner, "repo": repo, "page": page, "perPage": PAGE });
            let read: Vec<BranchShape> = self.0.read(action, "list_branches", asked).await?;
            let count = read.len();
            if let Some(branch) = read.into_iter().find(|branch| branch.name == name) {
                let sha = branch.sha.or(branch.commit.map(|commit| commit.sha)).unwrap_or_default();
                return Ok(Some(Branch { head: oid(action, &sha)?, name: branch.name }));
            }
            if count < PAGE {
                return Ok(None);
            }
        }
        Ok(None)
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let action = "read the pull request";
        let asked = arguments(request, json!({ "method": "get" }));
        let found: Option<Pull> = self.0.find(action, "pull_request_read", asked).await?;
        found.map(|pull| pull.into_request(action, &request.project)).transpose()
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the pull request";
        let (owner, repo) = owner_and_name(project);
        let head = format!("{owner}:{source_branch}");
        let asked = json!({ "owner": owner, "repo": repo, "head": head, "state": "open" });
        let found: Vec<Pull> = self.0.read(action, "list_pull_requests", asked).await?;
        let newest =
            found.into_iter().filter(|pull| pull.head.branch == source_branch).max_by_key(|pull| pull.number);
        newest.map(|pull| pull.into_request(action, project)).transpose()
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the pull request";
        let head = |asked: Option<Pull>| asked.ok_or_else(|| unreadable(action, "the pull request is gone"));
        let get = arguments(request, json!({ "method": "get" }));
        let before = head(self.0.find(action, "pull_request_read", get.clone()).await?)?;
        let asked = arguments(request, json!({ "method": "get_diff" }));
        let answer = self.0.link.call(action, "pull_request_read", asked, Effect::Reads).await?;
        let after = head(self.0.find(action, "pull_request_read", get).await?)?;
        if after.head.sha != before.head.sha {
            let reason = "somebody pushed while the diff was read";
            return Err(PortError::new(PortErrorKind::Conflict, action, reason, "try again"));
        }
        Ok(MergeRequestDiff {
            refs: refs(action, &before.base.sha, &before.base.sha, &before.head.sha)?,
            files: parse_diff(answer.text()).map_err(|bad| unreadable(action, &bad.to_string()))?,
            withheld: Vec::new(),
        })
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        if let Some(there) = self.find_merge_request(&new.project, &new.source_branch).await? {
            return Ok(CreatedMergeRequest::AlreadyThere(there));
        }
        let action = "create the pull request";
        let (owner, repo) = owner_and_name(&new.project);
        let asked = json!({
            "owner": owner, "repo": repo, "title": new.title, "head": new.source_branch, "base": new.target_branch,
            "body": new.description,
        });
        self.0.write(action, "create_pull_request", asked).await?;
        let made = self.find_merge_request(&new.project, &new.source_branch).await?;
        made.map(CreatedMergeRequest::New)
            .ok_or_else(|| unreadable(action, "it was created and cannot be found"))
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let mut comments = self.comments(request, "get_comments", CommentKind::Conversation).await?;
        comments.extend(self.comments(request, "get_review_comments", CommentKind::Inline).await?);
        Ok(comments)
    }

    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        self.draft(request, &post.refs.head).await?;
        let mut published = Published::default();
        for comment in &post.comments {
            match self.add_to_draft(request, comment).await {
                Ok(()) => {}
                Err(error) if error.kind == PortErrorKind::Rejected => published
                    .refused
                    .push(RefusedComment { fingerprint: comment.fingerprint.clone(), reason: error.reason }),
                Err(error) => return Err(error),
            }
        }
        let submit = json!({ "method": "submit_pending", "event": "COMMENT", "body": post.body });
        self.0.write("publish the review", "pull_request_review_write", arguments(request, submit)).await?;
        Ok(published)
    }

    /// As a review of one comment: there is no other way.
    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        self.draft(request, &refs.head).await?;
        self.add_to_draft(request, comment).await?;
        let submit = json!({ "method": "submit_pending", "event": "COMMENT" });
        self.0
            .write("publish the review", "pull_request_review_write", arguments(request, submit))
            .await
            .map(|_| ())
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let (owner, repo) = owner_and_name(&request.project);
        let asked = json!({ "owner": owner, "repo": repo, "issue_number": request.number, "body": body });
        self.0.write("comment on the pull request", "add_issue_comment", asked).await.map(|_| ())
    }

    async fn edit_comment(&self, _: &MergeRequestRef, _: &CommentRef, _: &str) -> Result<(), PortError> {
        Err(self.0.link.missing("edit a comment", "to edit a comment"))
    }

    async fn resolve_thread(&self, _: &MergeRequestRef, _: &CommentRef) -> Result<(), PortError> {
        Err(self.0.link.missing("resolve a thread", "to resolve a thread"))
    }

    async fn get_statuses(&self, _: &Project, _: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        Err(self.0.link.missing("read commit statuses", "to read the statuses of a commit"))
    }

    async fn set_status(&self, _: &Project, _: &CommitStatus) -> Result<(), PortError> {
        Err(self.0.link.missing("set the commit status", "to set a status"))
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        self.0.get_mcp_tools().await
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        self.0.execute_tool(name, arguments).await
    }
}
