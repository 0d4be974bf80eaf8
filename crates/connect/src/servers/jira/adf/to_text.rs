use serde_json::Value;

use crate::rest::Fields as _;

/// Tables and lists nest; a document that does so deeper is cut.
const DEEPEST: usize = 24;

/// The document as text: paragraphs apart, code in fences and letter for letter, lists with their marks.
pub(in super::super) fn to_text(document: &Value) -> String {
    blocks(document.list("/content"), 0).trim_matches('\n').to_owned()
}

fn blocks(nodes: &[Value], depth: usize) -> String {
    let texts = nodes.iter().map(|node| block(node, depth)).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

fn block(node: &Value, depth: usize) -> String {
    if depth > DEEPEST {
        return String::new();
    }
    let content = node.list("/content");
    match kind(node) {
        "heading" => {
            let level = node.number_if("/attrs/level").unwrap_or(1).clamp(1, 6);
            format!("{} {}", "#".repeat(usize::try_from(level).unwrap_or(1)), inline(content, depth))
        }
        "codeBlock" => fenced(&node.text_or_empty("/attrs/language"), &plain(content)),
        "rule" => "---".to_owned(),
        "bulletList" => list(content, depth, |_| "- ".to_owned()),
        "orderedList" => {
            let first = node.number_if("/attrs/order").unwrap_or(1);
            list(content, depth, |n| format!("{}. ", first.saturating_add(n as u64)))
        }
        "taskList" => tasks(content, depth),
        "decisionList" => list(content, depth, |_| "- ".to_owned()),
        "blockquote" => prefixed(&blocks(content, depth + 1), "> ", "> "),
        "expand" | "nestedExpand" => {
            let title = node.text_or_empty("/attrs/title");
            let inner = blocks(content, depth + 1);
            if title.is_empty() { inner } else { format!("{title}\n\n{inner}") }
        }
        "table" => content.iter().map(|row| table_row(row, depth)).collect::<Vec<_>>().join("\n"),
        _ if content.iter().any(is_block) => blocks(content, depth + 1),
        _ => inline(std::slice::from_ref(node), depth),
    }
}

fn list(items: &[Value], depth: usize, marker: impl Fn(usize) -> String) -> String {
    let lines = items.iter().enumerate().map(|(n, item)| {
        let marker = marker(n);
        let inner = match item.list("/content") {
            content if content.iter().any(is_block) => tight(content, depth + 1),
            content => inline(content, depth + 1),
        };
        prefixed(&inner, &marker, &" ".repeat(marker.len()))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn tasks(items: &[Value], depth: usize) -> String {
    let lines = items.iter().map(|item| match kind(item) {
        "taskList" => prefixed(&block(item, depth + 1), "  ", "  "),
        _ => {
            let mark =
                if item.text_if("/attrs/state").as_deref() == Some("DONE") { "- [x] " } else { "- [ ] " };
            prefixed(&inline(item.list("/content"), depth + 1), mark, "      ")
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// In an item one line follows the other.
fn tight(nodes: &[Value], depth: usize) -> String {
    let texts = nodes.iter().map(|node| block(node, depth)).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// Code keeps its lines: a row that has some is no line of a table.
fn table_row(row: &Value, depth: usize) -> String {
    let cells = row.list("/content");
    let is_code = |cell: &Value| cell.list("/content").iter().any(|node| kind(node) == "codeBlock");
    let texts = cells.iter().map(|cell| tight(cell.list("/content"), depth + 1));
    match cells.iter().any(is_code) {
        true => texts.collect::<Vec<_>>().join("\n"),
        false => {
            let cells = texts.map(|cell| cell.replace('\n', " ")).collect::<Vec<_>>();
            format!("| {} |", cells.join(" | "))
        }
    }
}

fn prefixed(text: &str, first: &str, others: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(n, line)| match n {
        0 => format!("{first}{line}"),
        _ if line.is_empty() => others.trim_end().to_owned(),
        _ => format!("{others}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// With a fence longer than any inside.
fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{code}\n{fence}")
}

fn plain(nodes: &[Value]) -> String {
    nodes
        .iter()
        .map(|node| match kind(node) {
            "hardBreak" => "\n".to_owned(),
            _ => node.text_or_empty("/text"),
        })
        .collect()
}

fn inline(nodes: &[Value], depth: usize) -> String {
    if depth > DEEPEST {
        return String::new();
    }
    let text = |node: &Value| match kind(node) {
        "text" => linked(node),
        "hardBreak" => "\n".to_owned(),
        "mention" | "status" | "placeholder" => node.text_or_empty("/attrs/text"),
        "emoji" => node.text_if("/attrs/text").unwrap_or_else(|| node.text_or_empty("/attrs/shortName")),
        "inlineCard" | "blockCard" | "embedCard" => node.text_or_empty("/attrs/url"),
        "date" => date(&node.text_or_empty("/attrs/timestamp")),
        "media" | "mediaInline" => {
            node.text_if("/attrs/alt").map(|alt| format!("[{alt}]")).unwrap_or_default()
        }
        _ => inline(node.list("/content"), depth + 1),
    };
    nodes.iter().map(text).collect()
}

/// A link that says where it leads needs no more words.
fn linked(node: &Value) -> String {
    let text = node.text_or_empty("/text");
    let links = node.list("/marks").iter().filter(|mark| kind(mark) == "link");
    match links.filter_map(|mark| mark.text_if("/attrs/href")).next() {
        Some(href) if href.trim_end_matches('/') != text.trim().trim_end_matches('/') => {
            format!("[{text}]({href})")
        }
        Some(_) | None => text,
    }
}

/// Milliseconds since 1970.
fn date(timestamp: &str) -> String {
    let at =
        timestamp.parse().ok().and_then(|milliseconds| jiff::Timestamp::from_millisecond(milliseconds).ok());
    at.map_or_else(|| timestamp.to_owned(), |at| at.strftime("%Y-%m-%d").to_string())
}

fn is_block(node: &Value) -> bool {
    matches!(
        kind(node),
        "paragraph"
            | "heading"
            | "codeBlock"
            | "rule"
            | "bulletList"
            | "orderedList"
            | "taskList"
            | "decisionList"
            | "blockquote"
            | "panel"
            | "expand"
            | "nestedExpand"
            | "table"
            | "mediaSingle"
            | "mediaGroup"
            | "blockCard"
            | "layoutSection"
            | "layoutColumn"
            | "bodiedExtension"
    )
}

fn kind(node: &Value) -> &str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}
