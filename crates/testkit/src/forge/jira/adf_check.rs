//! What Cloud refuses in a document.

use serde_json::Value;

const BLOCKS: [&str; 17] = [
    "paragraph",
    "heading",
    "codeBlock",
    "bulletList",
    "orderedList",
    "listItem",
    "blockquote",
    "panel",
    "rule",
    "table",
    "tableRow",
    "tableCell",
    "tableHeader",
    "expand",
    "mediaSingle",
    "mediaGroup",
    "taskList",
];
const WORDS: [&str; 8] = ["text", "hardBreak", "mention", "emoji", "inlineCard", "status", "date", "media"];
const MARKS: [&str; 10] = [
    "strong",
    "em",
    "code",
    "link",
    "strike",
    "underline",
    "subsup",
    "textColor",
    "backgroundColor",
    "border",
];

pub(super) fn is_document(value: &Value) -> bool {
    value["type"] == "doc"
        && value["version"] == 1
        && value["content"].as_array().is_some_and(|all| all.iter().all(is_block))
}

fn is_block(node: &Value) -> bool {
    let Some(kind) = node["type"].as_str() else { return false };
    let inside = node["content"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    if kind == "codeBlock" {
        return inside.iter().all(|word| word["type"] == "text" && is_word(word));
    }
    if kind == "heading" && !node["attrs"]["level"].as_u64().is_some_and(|level| (1..=6).contains(&level)) {
        return false;
    }
    BLOCKS.contains(&kind) && inside.iter().all(|node| is_block(node) || is_word(node))
}

fn is_word(node: &Value) -> bool {
    let Some(kind) = node["type"].as_str() else { return false };
    let marks = node["marks"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let marks_known =
        marks.iter().all(|mark| mark["type"].as_str().is_some_and(|kind| MARKS.contains(&kind)));
    // An empty text is not allowed, which catches many a converter.
    let said = kind != "text" || node["text"].as_str().is_some_and(|text| !text.is_empty());
    WORDS.contains(&kind) && marks_known && said
}
