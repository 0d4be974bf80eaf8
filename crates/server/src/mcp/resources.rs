//! Reports, findings documents and epics as resources.

use std::sync::Arc;

use domain::tasks::{TaskFilter, TaskId};
use domain::text::{clean_line, short_line};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::{Value, json};

use super::clean::{cleaned, visible_text};
use super::found;
use super::tools::epic;
use super::trouble::Trouble;
use crate::workbench::{Stores, Workbench};

const SCHEME: &str = "countersign://";
const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
/// Among the newest tasks, as many reviews are listed.
const LOOKED_AT: u32 = 100;
const MOST_REVIEWS: usize = 20;

/// What a URI of ours names.
enum Named {
    Report(TaskId),
    Findings(TaskId),
    Epic(String),
}

impl Named {
    fn parse(uri: &str) -> Option<Named> {
        match uri.strip_prefix(SCHEME)?.split('/').collect::<Vec<_>>()[..] {
            ["reviews", id, "report"] => Some(Named::Report(TaskId::parse(id).ok()?)),
            ["reviews", id, "findings"] => Some(Named::Findings(TaskId::parse(id).ok()?)),
            ["epics", key] if !key.is_empty() => Some(Named::Epic(decoded(key))),
            _ => None,
        }
    }
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, about: &str, kind: &str| {
        ResourceTemplate::new(format!("{SCHEME}{uri}"), name).with_description(about).with_mime_type(kind)
    };
    vec![
        template("reviews/{task_id}/report", "review report", "The ReviewReport of a review", JSON),
        template(
            "reviews/{task_id}/findings",
            "findings document",
            "What a review found, for people",
            MARKDOWN,
        ),
        template("epics/{epic_key}", "epic", "How far an epic is", JSON),
    ]
}

/// The newest reviews and the epics of the newest tasks; others can be read by their URI all the same.
pub(crate) async fn list<S: Stores>(bench: &Arc<Workbench<S>>) -> Result<Vec<Resource>, Trouble> {
    let page = bench.store.list(&TaskFilter::default(), None, LOOKED_AT).await?;
    let is_review = |kind: &str| kind == "review" || kind == "review-now";
    let reviewed = page
        .tasks
        .iter()
        .filter(|stored| is_review(&stored.task.kind) && stored.task.status.as_str() == "completed");
    let mut listed = Vec::new();
    for stored in reviewed.take(MOST_REVIEWS) {
        let (id, title) = (&stored.task.id, clean_line(&stored.task.title));
        let of = |what: &str, kind: &str| {
            let (uri, name) = (format!("{SCHEME}reviews/{id}/{what}"), format!("{id} {what}"));
            Resource::new(uri, name).with_title(title.clone()).with_mime_type(kind)
        };
        listed.extend([of("report", JSON), of("findings", MARKDOWN)]);
    }
    for key in epic::epics(bench).await? {
        let name = format!("epic {}", clean_line(&key));
        listed.push(Resource::new(format!("{SCHEME}epics/{}", encoded(&key)), name).with_mime_type(JSON));
    }
    Ok(listed)
}

pub(crate) async fn read<S: Stores>(
    bench: &Arc<Workbench<S>>,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let named = Named::parse(uri).ok_or_else(|| missing(uri, "the templates say which URIs there are"))?;
    let not_there = |trouble: Trouble| {
        trouble.aside.iter().for_each(|aside| (bench.tell)(&format!("resources/read: {aside}")));
        missing(uri, &trouble.text())
    };
    let (text, kind) = match named {
        Named::Report(id) => {
            let found = found::review(bench, &id).await.map_err(not_there)?;
            (as_json(&found.review.report), JSON)
        }
        Named::Findings(id) => {
            let found = found::review(bench, &id).await.map_err(not_there)?;
            (visible_text(found.review.findings.render()), MARKDOWN)
        }
        Named::Epic(key) => {
            let progress = epic::progress(bench, &key).await.map_err(not_there)?;
            if progress.total == 0 {
                return Err(missing(uri, "there is no such epic, and no task names it"));
            }
            (as_json(&progress), JSON)
        }
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]))
}

fn as_json(value: &impl Serialize) -> String {
    cleaned(serde_json::to_value(value).unwrap_or(Value::Null)).to_string()
}

fn missing(uri: &str, why: &str) -> ErrorData {
    let uri = short_line(uri);
    ErrorData::resource_not_found(format!("there is no resource {uri}: {why}"), Some(json!({ "uri": uri })))
}

/// An epic's key as one part of a URI.
fn encoded(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    key.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn decoded(part: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), part.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        match (first, tail.get(..2).and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (_, _) => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_epic_comes_back_from_its_uri() {
        for key in ["PROJ-100", "a b/c", "ä%41", "100%"] {
            assert_eq!(decoded(&encoded(key)), key);
        }
    }

    #[test]
    fn what_is_no_uri_of_ours_names_nothing() {
        for uri in [
            "file:///etc/passwd",
            "countersign://reviews/../x/report",
            "countersign://reviews/a",
            "countersign://epics/",
            "",
        ] {
            assert!(Named::parse(uri).is_none(), "{uri}");
        }
    }
}
