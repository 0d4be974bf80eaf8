use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::model::{Discussion, Note};
use super::position::Position;
use super::{Gitlab, OneMergeRequest, of_merge_request};
use crate::rest::{Ask, Fields as _, Kind, Trouble, path_of};
use crate::servers::ids::{Number, Opaque, Project};
use crate::servers::ours::{Author, only_ours};
use crate::servers::tool::{Answer, Hints, Tool, put};

pub(crate) struct GetMrDiscussions;
pub(crate) struct AddMrNote;
pub(crate) struct UpdateNote;
pub(crate) struct DeleteNote;
pub(crate) struct CreateDiscussion;
pub(crate) struct ReplyToDiscussion;
pub(crate) struct ResolveDiscussion;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Discussions {
    discussions: Vec<Discussion>,
    complete: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewNote {
    project: Project,
    mr_iid: Number,
    /// Markdown.
    body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewText {
    project: Project,
    mr_iid: Number,
    note_id: Number,
    body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDiscussion {
    project: Project,
    mr_iid: Number,
    body: String,
    /// Where in the diff; the merge request as a whole if left out.
    #[serde(default)]
    position: Option<Position>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneNote {
    project: Project,
    mr_iid: Number,
    note_id: Number,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Deleted {
    deleted: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    project: Project,
    mr_iid: Number,
    discussion_id: Opaque,
    body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resolve {
    project: Project,
    mr_iid: Number,
    discussion_id: Opaque,
    /// true if left out; false opens it again.
    #[serde(default)]
    resolved: Option<bool>,
}

impl Tool for GetMrDiscussions {
    const NAME: &'static str = "gitlab_get_mr_discussions";
    const DESCRIPTION: &'static str =
        "All that was said on a merge request, with places in the diff and what is resolved.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = OneMergeRequest;
    type Output = Discussions;

    async fn call(gitlab: &Gitlab, input: OneMergeRequest) -> Answer<Discussions> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"discussions");
        let listed = gitlab.rest.list(&Ask::get(path).query("per_page", 100), "").await?;
        let discussions = listed.items.iter().map(Discussion::of).collect::<Answer<_>>()?;
        Ok(Discussions { discussions, complete: listed.complete })
    }
}

impl Tool for AddMrNote {
    const NAME: &'static str = "gitlab_add_mr_note";
    const DESCRIPTION: &'static str = "Write a note below a merge request.";
    const HINTS: Hints = Hints::Adds;
    type Of = Gitlab;
    type Input = NewNote;
    type Output = Note;

    async fn call(gitlab: &Gitlab, input: NewNote) -> Answer<Note> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"notes");
        Note::of(&gitlab.rest.json(&Ask::post(path, json!({"body": input.body}))).await?)
    }
}

impl Tool for UpdateNote {
    const NAME: &'static str = "gitlab_update_note";
    const DESCRIPTION: &'static str = "Put another text in the place of a note.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Gitlab;
    type Input = NewText;
    type Output = Note;

    async fn call(gitlab: &Gitlab, input: NewText) -> Answer<Note> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"notes").join(&input.note_id);
        Note::of(&gitlab.rest.json(&Ask::put(path, json!({"body": input.body}))).await?)
    }
}

impl Tool for DeleteNote {
    const NAME: &'static str = "gitlab_delete_note";
    const DESCRIPTION: &'static str =
        "Take a note away for good that Countersign posted with this token; any other is refused.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Gitlab;
    type Input = OneNote;
    type Output = Deleted;

    async fn call(gitlab: &Gitlab, input: OneNote) -> Answer<Deleted> {
        let path = of_merge_request(&input.project, input.mr_iid).join(&"notes").join(&input.note_id);
        let note = gitlab.rest.json(&Ask::get(path.clone())).await?;
        let me = gitlab.rest.json(&Ask::get(path_of!["user"])).await?;
        let is_us = me.number("/id")? == note.number("/author/id")?;
        let author = if is_us { Author::Us } else { Author::Somebody };
        only_ours(author, &note.text_or_empty("/body"))?;
        gitlab.rest.reply(&Ask::delete(path)).await?;
        Ok(Deleted { deleted: input.note_id.get() })
    }
}

impl Tool for CreateDiscussion {
    const NAME: &'static str = "gitlab_create_discussion";
    const DESCRIPTION: &'static str = "Begin a discussion, at a place in the diff or about the whole.";
    const HINTS: Hints = Hints::Adds;
    type Of = Gitlab;
    type Input = NewDiscussion;
    type Output = Discussion;

    async fn call(gitlab: &Gitlab, input: NewDiscussion) -> Answer<Discussion> {
        let mut body = json!({"body": input.body});
        put(&mut body, "position", input.position.map(|position| position.to_json()));
        let path = of_merge_request(&input.project, input.mr_iid).join(&"discussions");
        let value = gitlab.rest.json(&Ask::post(path, body)).await.map_err(explained)?;
        Discussion::of(&value)
    }
}

impl Tool for ReplyToDiscussion {
    const NAME: &'static str = "gitlab_reply_to_discussion";
    const DESCRIPTION: &'static str = "Answer in a discussion.";
    const HINTS: Hints = Hints::Adds;
    type Of = Gitlab;
    type Input = Reply;
    type Output = Note;

    async fn call(gitlab: &Gitlab, input: Reply) -> Answer<Note> {
        let merge_request = of_merge_request(&input.project, input.mr_iid);
        let path = merge_request.join(&"discussions").join(&input.discussion_id).join(&"notes");
        Note::of(&gitlab.rest.json(&Ask::post(path, json!({"body": input.body}))).await?)
    }
}

impl Tool for ResolveDiscussion {
    const NAME: &'static str = "gitlab_resolve_discussion";
    const DESCRIPTION: &'static str = "Mark a discussion as resolved, or open it again.";
    const HINTS: Hints = Hints::Settles;
    type Of = Gitlab;
    type Input = Resolve;
    type Output = Discussion;

    async fn call(gitlab: &Gitlab, input: Resolve) -> Answer<Discussion> {
        let merge_request = of_merge_request(&input.project, input.mr_iid);
        let path = merge_request.join(&"discussions").join(&input.discussion_id);
        let ask = Ask::put(path, json!({"resolved": input.resolved.unwrap_or(true)}));
        Discussion::of(&gitlab.rest.json(&ask).await?)
    }
}

fn explained(trouble: Trouble) -> Trouble {
    match trouble.kind {
        Kind::Invalid { .. } if trouble.status == Some(400) => trouble.hint(
            "the place must be in the newest version of the diff: new_line for an added line, old_line for a removed one, \
             both for an unchanged one. Put what has no place into a note. Nothing was written",
        ),
        _ => trouble,
    }
}
