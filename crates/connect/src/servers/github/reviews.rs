use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::{Review, ReviewComment};
use super::{Github, of_pull};
use crate::rest::{Ask, Kind, Trouble};
use crate::servers::ids::{Number, Repo, Sha};
use crate::servers::tool::{Answer, Hints, Tool, put};

pub(crate) struct CreateReview;
pub(crate) struct AddReviewComment;
pub(crate) struct ReplyToReviewComment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewReview {
    repo: Repo,
    pr_number: Number,
    #[serde(default)]
    body: String,
    /// The commit that was reviewed; the newest if left out.
    #[serde(default)]
    commit_id: Option<Sha>,
    /// COMMENT if left out. To approve is not offered.
    #[serde(default)]
    event: Option<Event>,
    #[serde(default)]
    comments: Vec<Inline>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Event {
    Comment,
    RequestChanges,
}

/// Lines as they are in the file: of the new one on the RIGHT, of the old one on the LEFT; inside a hunk of the diff.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inline {
    path: String,
    body: String,
    line: Number,
    /// RIGHT if left out.
    #[serde(default)]
    side: Option<Side>,
    /// The first line of several.
    #[serde(default)]
    start_line: Option<Number>,
    #[serde(default)]
    start_side: Option<Side>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Side {
    Left,
    Right,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewInline {
    repo: Repo,
    pr_number: Number,
    commit_id: Sha,
    path: String,
    body: String,
    /// The whole file if left out.
    #[serde(default)]
    line: Option<Number>,
    #[serde(default)]
    side: Option<Side>,
    #[serde(default)]
    start_line: Option<Number>,
    #[serde(default)]
    start_side: Option<Side>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    repo: Repo,
    pr_number: Number,
    comment_id: Number,
    body: String,
}

impl Tool for CreateReview {
    const NAME: &'static str = "github_create_review";
    const DESCRIPTION: &'static str = "Write one review with comments in the diff. All or nothing: one line outside the diff refuses them all.";
    const HINTS: Hints = Hints::Adds;
    type Of = Github;
    type Input = NewReview;
    type Output = Review;

    async fn call(github: &Github, input: NewReview) -> Answer<Review> {
        let event = input.event.unwrap_or(Event::Comment);
        let comments: Vec<Value> = input.comments.iter().map(Inline::to_json).collect();
        let mut body = json!({"body": input.body, "event": event, "comments": comments});
        put(&mut body, "commit_id", input.commit_id);
        let path = of_pull(&input.repo, input.pr_number).join(&"reviews");
        let value = github.rest.json(&Ask::post(path, body)).await.map_err(explained)?;
        Review::of(&value)
    }
}

impl Tool for AddReviewComment {
    const NAME: &'static str = "github_add_review_comment";
    const DESCRIPTION: &'static str = "Write one comment on a line, several lines or a file of the diff.";
    const HINTS: Hints = Hints::Adds;
    type Of = Github;
    type Input = NewInline;
    type Output = ReviewComment;

    async fn call(github: &Github, input: NewInline) -> Answer<ReviewComment> {
        let NewInline { repo, pr_number, commit_id, path, body, line, side, start_line, start_side } = input;
        let mut body = match line {
            Some(line) => Inline { path, body, line, side, start_line, start_side }.to_json(),
            None => json!({"path": path, "body": body, "subject_type": "file"}),
        };
        body["commit_id"] = commit_id.as_str().into();
        let ask = Ask::post(of_pull(&repo, pr_number).join(&"comments"), body);
        ReviewComment::of(&github.rest.json(&ask).await.map_err(explained)?)
    }
}

impl Tool for ReplyToReviewComment {
    const NAME: &'static str = "github_reply_to_review_comment";
    const DESCRIPTION: &'static str = "Answer a comment in the diff, in its thread.";
    const HINTS: Hints = Hints::Adds;
    type Of = Github;
    type Input = Reply;
    type Output = ReviewComment;

    async fn call(github: &Github, input: Reply) -> Answer<ReviewComment> {
        let pull = of_pull(&input.repo, input.pr_number);
        let path = pull.join(&"comments").join(&input.comment_id).join(&"replies");
        ReviewComment::of(&github.rest.json(&Ask::post(path, json!({"body": input.body}))).await?)
    }
}

impl Inline {
    fn to_json(&self) -> Value {
        let side = self.side.unwrap_or(Side::Right);
        let mut comment =
            json!({"path": self.path, "body": self.body, "line": self.line.get(), "side": side});
        // A range of one line is refused by GitHub; it is that line.
        if let Some(start) = self.start_line.filter(|start| start.get() != self.line.get()) {
            comment["start_line"] = start.get().into();
            comment["start_side"] = json!(self.start_side.unwrap_or(side));
        }
        comment
    }
}

fn explained(trouble: Trouble) -> Trouble {
    match trouble.kind {
        Kind::Invalid { .. } if trouble.status == Some(422) => trouble.hint(
            "each line must be inside a hunk of the diff, on its side, and commit_id the newest head; put what has no place \
             into the body. Nothing was written",
        ),
        _ => trouble,
    }
}
