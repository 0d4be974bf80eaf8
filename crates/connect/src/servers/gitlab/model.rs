//! What GitLab says about merge requests and discussions, in the words of our tools.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::rest::{Fields as _, Trouble};

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MergeRequest {
    pub(super) iid: u64,
    id: u64,
    project_id: u64,
    title: String,
    description: String,
    /// opened, closed, merged or locked
    state: String,
    draft: bool,
    url: String,
    author: String,
    source_branch: String,
    target_branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_project_id: Option<u64>,
    target_project_id: u64,
    from_fork: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff_refs: Option<DiffRefs>,
    labels: Vec<String>,
    created_at: String,
    updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffRefs {
    base_sha: String,
    start_sha: String,
    head_sha: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Note {
    id: u64,
    author: String,
    body: String,
    system: bool,
    created_at: String,
    updated_at: String,
    resolvable: bool,
    resolved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Place>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Place {
    base_sha: String,
    start_sha: String,
    head_sha: String,
    old_path: String,
    new_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_line: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Discussion {
    id: String,
    individual_note: bool,
    resolvable: bool,
    resolved: bool,
    notes: Vec<Note>,
}

impl MergeRequest {
    pub(super) fn of(value: &Value) -> Result<MergeRequest, Trouble> {
        let (source, target) = (value.number_if("/source_project_id"), value.number("/target_project_id")?);
        Ok(MergeRequest {
            iid: value.number("/iid")?,
            id: value.number("/id")?,
            project_id: value.number("/project_id")?,
            title: value.text("/title")?,
            description: value.text_or_empty("/description"),
            state: value.text("/state")?,
            draft: value.is("/draft") || value.is("/work_in_progress"),
            url: value.text_or_empty("/web_url"),
            author: author(value),
            source_branch: value.text("/source_branch")?,
            target_branch: value.text("/target_branch")?,
            source_project_id: source,
            target_project_id: target,
            // No source: the fork is gone.
            from_fork: source != Some(target),
            sha: value.text_if("/sha"),
            diff_refs: DiffRefs::of(value),
            labels: value.texts("/labels", "/name"),
            created_at: value.text_or_empty("/created_at"),
            updated_at: value.text_or_empty("/updated_at"),
        })
    }
}

impl DiffRefs {
    fn of(value: &Value) -> Option<DiffRefs> {
        Some(DiffRefs {
            base_sha: value.text_if("/diff_refs/base_sha")?,
            start_sha: value.text_if("/diff_refs/start_sha")?,
            head_sha: value.text_if("/diff_refs/head_sha")?,
        })
    }
}

impl Note {
    pub(super) fn of(value: &Value) -> Result<Note, Trouble> {
        Ok(Note {
            id: value.number("/id")?,
            author: author(value),
            body: value.text_or_empty("/body"),
            system: value.is("/system"),
            created_at: value.text_or_empty("/created_at"),
            updated_at: value.text_or_empty("/updated_at"),
            resolvable: value.is("/resolvable"),
            resolved: value.is("/resolved"),
            position: value.pointer("/position").filter(|place| place.is_object()).map(Place::of),
        })
    }
}

impl Place {
    fn of(value: &Value) -> Place {
        Place {
            base_sha: value.text_or_empty("/base_sha"),
            start_sha: value.text_or_empty("/start_sha"),
            head_sha: value.text_or_empty("/head_sha"),
            old_path: value.text_or_empty("/old_path"),
            new_path: value.text_or_empty("/new_path"),
            old_line: value.number_if("/old_line"),
            new_line: value.number_if("/new_line"),
        }
    }
}

impl Discussion {
    pub(super) fn of(value: &Value) -> Result<Discussion, Trouble> {
        let notes = value.list("/notes").iter().map(Note::of).collect::<Result<Vec<Note>, Trouble>>()?;
        let mut resolvable = notes.iter().filter(|note| note.resolvable).peekable();
        Ok(Discussion {
            id: value.text("/id")?,
            individual_note: value.is("/individual_note"),
            resolvable: resolvable.peek().is_some(),
            resolved: resolvable.peek().is_some() && resolvable.all(|note| note.resolved),
            notes,
        })
    }
}

fn author(value: &Value) -> String {
    value.text_if("/author/username").unwrap_or_else(|| "ghost".to_owned())
}
