use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::{Comment, Review, ReviewComment};
use super::{Github, OnePull, of_pull, of_repo};
use crate::rest::{Ask, Fields as _, Kind, Path, path_of};
use crate::servers::ids::{Number, Repo};
use crate::servers::ours::{Author, only_ours};
use crate::servers::tool::{Answer, Hints, Tool};

pub(crate) struct GetPrComments;
pub(crate) struct AddPrComment;
pub(crate) struct UpdateComment;
pub(crate) struct DeleteComment;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Conversation {
    comments: Vec<Comment>,
    review_comments: Vec<ReviewComment>,
    reviews: Vec<Review>,
    complete: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewComment {
    repo: Repo,
    pr_number: Number,
    /// Markdown.
    body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewText {
    repo: Repo,
    comment_id: Number,
    body: String,
    /// issue if left out: a comment below the pull request. review: one in the diff.
    #[serde(default)]
    kind: Option<CommentKind>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneComment {
    repo: Repo,
    comment_id: Number,
    /// issue if left out: a comment below the pull request. review: one in the diff.
    #[serde(default)]
    kind: Option<CommentKind>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Deleted {
    deleted: u64,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CommentKind {
    Issue,
    Review,
}

impl Tool for GetPrComments {
    const NAME: &'static str = "github_get_pr_comments";
    const DESCRIPTION: &'static str =
        "All that was said on a pull request: comments below it, comments in the diff, reviews.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OnePull;
    type Output = Conversation;

    async fn call(github: &Github, input: OnePull) -> Answer<Conversation> {
        let pull = of_pull(&input.repo, input.pr_number);
        let below = of_repo(&input.repo).join(&"issues").join(&input.pr_number).join(&"comments");
        let [below, inline, reviews] = [below, pull.clone().join(&"comments"), pull.join(&"reviews")]
            .map(|path| Ask::get(path).query("per_page", 100));
        let (below, inline, reviews) = tokio::try_join!(
            github.rest.list(&below, ""),
            github.rest.list(&inline, ""),
            github.rest.list(&reviews, "")
        )?;
        Ok(Conversation {
            complete: below.complete && inline.complete && reviews.complete,
            comments: below.items.iter().map(Comment::of).collect::<Answer<_>>()?,
            review_comments: inline.items.iter().map(ReviewComment::of).collect::<Answer<_>>()?,
            reviews: reviews.items.iter().map(Review::of).collect::<Answer<_>>()?,
        })
    }
}

impl Tool for AddPrComment {
    const NAME: &'static str = "github_add_pr_comment";
    const DESCRIPTION: &'static str = "Write a comment below a pull request.";
    const HINTS: Hints = Hints::Adds;
    type Of = Github;
    type Input = NewComment;
    type Output = Comment;

    async fn call(github: &Github, input: NewComment) -> Answer<Comment> {
        let path = of_repo(&input.repo).join(&"issues").join(&input.pr_number).join(&"comments");
        Comment::of(&github.rest.json(&Ask::post(path, json!({"body": input.body}))).await?)
    }
}

impl Tool for UpdateComment {
    const NAME: &'static str = "github_update_comment";
    const DESCRIPTION: &'static str = "Put another text in the place of a comment.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Github;
    type Input = NewText;
    type Output = Comment;

    async fn call(github: &Github, input: NewText) -> Answer<Comment> {
        let path = of_comment(&input.repo, input.kind, input.comment_id);
        Comment::of(&github.rest.json(&Ask::patch(path, json!({"body": input.body}))).await?)
    }
}

impl Tool for DeleteComment {
    const NAME: &'static str = "github_delete_comment";
    const DESCRIPTION: &'static str =
        "Take a comment away for good that Countersign posted with this token; any other is refused.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Github;
    type Input = OneComment;
    type Output = Deleted;

    async fn call(github: &Github, input: OneComment) -> Answer<Deleted> {
        let path = of_comment(&input.repo, input.kind, input.comment_id);
        let comment = github.rest.json(&Ask::get(path.clone())).await?;
        only_ours(author(github, &comment).await?, &comment.text_or_empty("/body"))?;
        github.rest.reply(&Ask::delete(path)).await?;
        Ok(Deleted { deleted: input.comment_id.get() })
    }
}

/// The token of an app does not say whose it is. Apps are bots, and only they are.
async fn author(github: &Github, comment: &Value) -> Answer<Author> {
    let is_us = match github.rest.json(&Ask::get(path_of!["user"])).await {
        Ok(me) => me.number("/id")? == comment.number("/user/id")?,
        Err(trouble) if trouble.is(&Kind::Forbidden) => comment.text_or_empty("/user/type") == "Bot",
        Err(trouble) => return Err(trouble),
    };
    Ok(if is_us { Author::Us } else { Author::Somebody })
}

fn of_comment(repo: &Repo, kind: Option<CommentKind>, id: Number) -> Path {
    let kind = match kind.unwrap_or(CommentKind::Issue) {
        CommentKind::Issue => "issues",
        CommentKind::Review => "pulls",
    };
    of_repo(repo).join(&kind).join(&"comments").join(&id)
}
