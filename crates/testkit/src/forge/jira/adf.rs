//! Documents and wiki text, each readable as the other, as far as tickets and review comments go: paragraphs,
//! headings, lists, code, links, marks and rules.

use serde_json::{Map, Value, json};

/// A document read as wiki text.
pub(in crate::forge) fn to_wiki(document: &Value) -> String {
    let mut text = String::new();
    for node in children(document) {
        block(node, "", &mut text);
    }
    text.trim_end().to_owned()
}

fn children(node: &Value) -> &[Value] {
    node["content"].as_array().map_or(&[], Vec::as_slice)
}

fn block(node: &Value, bullet: &str, text: &mut String) {
    match node["type"].as_str().unwrap_or_default() {
        "heading" => {
            text.push_str(&format!(
                "h{}. {}\n\n",
                node["attrs"]["level"].as_u64().unwrap_or(1),
                inline(node)
            ));
        }
        "codeBlock" => {
            let language =
                node["attrs"]["language"].as_str().map(|name| format!(":{name}")).unwrap_or_default();
            text.push_str(&format!("{{code{language}}}\n{}\n{{code}}\n\n", plain(node)));
        }
        kind @ ("bulletList" | "orderedList") => {
            let mark = if kind == "bulletList" { "*" } else { "#" };
            list(node, &format!("{bullet}{mark}"), text);
            if bullet.is_empty() {
                text.push('\n');
            }
        }
        "blockquote" => {
            let inside: Vec<String> = children(node).iter().map(inline).collect();
            text.push_str(&format!("{{quote}}{}{{quote}}\n\n", inside.join("\n")));
        }
        "panel" | "expand" => children(node).iter().for_each(|inner| block(inner, bullet, text)),
        "rule" => text.push_str("----\n\n"),
        _ => text.push_str(&format!("{}\n\n", inline(node))),
    }
}

fn list(node: &Value, bullet: &str, text: &mut String) {
    for inner in children(node).iter().flat_map(children) {
        match inner["type"].as_str().unwrap_or_default() {
            "bulletList" | "orderedList" => block(inner, bullet, text),
            _ => text.push_str(&format!("{bullet} {}\n", inline(inner))),
        }
    }
}

fn plain(node: &Value) -> String {
    children(node).iter().filter_map(|inner| inner["text"].as_str()).collect()
}

fn inline(node: &Value) -> String {
    children(node).iter().map(word).collect()
}

fn word(node: &Value) -> String {
    match node["type"].as_str().unwrap_or_default() {
        "text" => marked(node),
        "hardBreak" => "\n".to_owned(),
        "mention" | "emoji" => node["attrs"]["text"].as_str().unwrap_or_default().to_owned(),
        "inlineCard" => format!("[{}]", node["attrs"]["url"].as_str().unwrap_or_default()),
        _ => inline(node),
    }
}

fn marked(node: &Value) -> String {
    let text = node["text"].as_str().unwrap_or_default().to_owned();
    let marks = node["marks"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    marks.iter().fold(text, |text, mark| match mark["type"].as_str().unwrap_or_default() {
        "strong" => format!("*{text}*"),
        "em" => format!("_{text}_"),
        "code" => format!("{{{{{text}}}}}"),
        "link" => format!("[{text}|{}]", mark["attrs"]["href"].as_str().unwrap_or_default()),
        _ => text,
    })
}

/// Wiki text read as a document: what is not a heading, a list or code is paragraphs.
pub(in crate::forge) fn from_wiki(text: &str) -> Value {
    let mut content = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(language) = code_start(trimmed) {
            let code: Vec<&str> = lines.by_ref().take_while(|line| !ends_code(line)).collect();
            content.push(code_block(language, &code.join("\n")));
        } else if let Some((level, title)) = heading(trimmed) {
            content.push(json!({ "type": "heading", "attrs": { "level": level }, "content": [node(title)] }));
        } else if trimmed == "----" {
            content.push(json!({ "type": "rule" }));
        } else if let Some(first) = trimmed.strip_prefix("* ") {
            let mut items = vec![item(first)];
            while let Some(next) = lines.next_if(|line| line.trim().starts_with("* ")) {
                items.push(item(next.trim().trim_start_matches("* ")));
            }
            content.push(json!({ "type": "bulletList", "content": items }));
        } else if !trimmed.is_empty() {
            let mut words = vec![node(line)];
            while let Some(next) = lines.next_if(|line| continues(line.trim())) {
                words.extend([json!({ "type": "hardBreak" }), node(next)]);
            }
            content.push(json!({ "type": "paragraph", "content": words }));
        }
    }
    json!({ "version": 1, "type": "doc", "content": content })
}

fn continues(line: &str) -> bool {
    !line.is_empty()
        && code_start(line).is_none()
        && heading(line).is_none()
        && line != "----"
        && !line.starts_with("* ")
}

fn code_start(line: &str) -> Option<Option<&str>> {
    if line == "{noformat}" || line == "{code}" {
        return Some(None);
    }
    let inside = line.strip_prefix("{code:")?.strip_suffix('}')?;
    Some(inside.split('|').find(|part| !part.contains('=')))
}

fn ends_code(line: &str) -> bool {
    matches!(line.trim(), "{code}" | "{noformat}")
}

fn code_block(language: Option<&str>, code: &str) -> Value {
    let mut block = Map::new();
    block.insert("type".to_owned(), json!("codeBlock"));
    if let Some(language) = language {
        block.insert("attrs".to_owned(), json!({ "language": language }));
    }
    block.insert("content".to_owned(), json!([node(code)]));
    Value::Object(block)
}

fn heading(line: &str) -> Option<(u64, &str)> {
    let (level, title) = line.strip_prefix('h')?.split_once(". ")?;
    Some((level.parse().ok().filter(|level| (1..=6).contains(level))?, title))
}

fn node(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn item(text: &str) -> Value {
    json!({ "type": "listItem", "content": [{ "type": "paragraph", "content": [node(text)] }] })
}
