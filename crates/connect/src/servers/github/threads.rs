use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Github, OnePull};
use crate::rest::{Fields as _, Kind, Trouble};
use crate::servers::ids::{Number, Opaque, Repo};
use crate::servers::tool::{Answer, Hints, Tool};

const THREADS: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved isOutdated path line comments(first: 100) { nodes { databaseId } } }
    } } } }";
const RESOLVE: &str =
    "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }";
const REOPEN: &str =
    "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }";

const MOST_PAGES: usize = 20;

pub(crate) struct GetReviewThreads;
pub(crate) struct ResolveThread;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Threads {
    threads: Vec<Thread>,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Thread {
    thread_id: String,
    resolved: bool,
    outdated: bool,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    comment_ids: Vec<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhichThread {
    repo: Repo,
    pr_number: Number,
    #[serde(default)]
    thread_id: Option<Opaque>,
    /// Instead: any comment of the thread.
    #[serde(default)]
    comment_id: Option<Number>,
    /// true if left out; false opens it again.
    #[serde(default)]
    resolved: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    thread_id: String,
    resolved: bool,
}

impl Tool for GetReviewThreads {
    const NAME: &'static str = "github_get_review_threads";
    const DESCRIPTION: &'static str =
        "The threads in the diff of a pull request, and which of them are resolved.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OnePull;
    type Output = Threads;

    async fn call(github: &Github, input: OnePull) -> Answer<Threads> {
        github.threads(&input.repo, input.pr_number).await
    }
}

impl Tool for ResolveThread {
    const NAME: &'static str = "github_resolve_thread";
    const DESCRIPTION: &'static str =
        "Mark a thread in the diff of a pull request as resolved, or open it again.";
    const HINTS: Hints = Hints::Settles;
    type Of = Github;
    type Input = WhichThread;
    type Output = Standing;

    async fn call(github: &Github, input: WhichThread) -> Answer<Standing> {
        if input.thread_id.is_some() == input.comment_id.is_some() {
            let what = "exactly one of thread_id and comment_id is needed";
            return Err(Trouble::invalid(what, "call again with one of them; nothing was sent"));
        }
        let wanted = input.resolved.unwrap_or(true);
        let threads = github.threads(&input.repo, input.pr_number).await?.threads;
        // Looked for among its pull request's: an id alone would reach into any repository.
        let is_meant = |thread: &&Thread| match (&input.thread_id, input.comment_id) {
            (Some(id), _) => thread.thread_id == id.as_str(),
            (None, Some(id)) => thread.comment_ids.contains(&id.get()),
            (None, None) => false,
        };
        let thread = threads.iter().find(is_meant).ok_or_else(|| {
            Trouble::new(
                Kind::NotFound,
                "the pull request has no such thread",
                "use an id as github_get_review_threads gives it",
            )
        })?;
        if thread.resolved == wanted {
            return Ok(Standing { thread_id: thread.thread_id.clone(), resolved: wanted });
        }
        let (query, place) = match wanted {
            true => (RESOLVE, "/data/resolveReviewThread/thread"),
            false => (REOPEN, "/data/unresolveReviewThread/thread"),
        };
        let answer = github.graphql(query, json!({"id": thread.thread_id})).await?;
        let now = answer.pointer(place).cloned().unwrap_or_default();
        Ok(Standing { thread_id: now.text("/id")?, resolved: now.is("/isResolved") })
    }
}

impl Github {
    async fn threads(&self, repo: &Repo, number: Number) -> Answer<Threads> {
        let mut threads = Vec::new();
        let mut after = None;
        for _ in 0..MOST_PAGES {
            let variables =
                json!({"owner": repo.owner(), "name": repo.name(), "number": number.get(), "after": after});
            let answer = self.graphql(THREADS, variables).await?;
            let Some(page) = answer.pointer("/data/repository/pullRequest/reviewThreads") else {
                let next = "check the names and numbers, and what the token may see";
                return Err(Trouble::new(Kind::NotFound, "there is no such pull request", next));
            };
            threads.extend(page.list("/nodes").iter().map(Thread::of).collect::<Answer<Vec<_>>>()?);
            if !page.is("/pageInfo/hasNextPage") {
                return Ok(Threads { threads, complete: true });
            }
            after = page.text_if("/pageInfo/endCursor");
        }
        Ok(Threads { threads, complete: false })
    }
}

impl Thread {
    fn of(value: &Value) -> Answer<Thread> {
        Ok(Thread {
            thread_id: value.text("/id")?,
            resolved: value.is("/isResolved"),
            outdated: value.is("/isOutdated"),
            path: value.text_or_empty("/path"),
            line: value.number_if("/line"),
            comment_ids: value
                .list("/comments/nodes")
                .iter()
                .filter_map(|comment| comment.number_if("/databaseId"))
                .collect(),
        })
    }
}
