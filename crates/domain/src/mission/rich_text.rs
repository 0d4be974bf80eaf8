use serde_json::Value;

/// Deeper than any editor nests.
const DEEPEST: usize = 60;

/// Atlassian's document format as plain text: one line a paragraph, code as it stands, links as their addresses.
pub fn rich_text(document: &Value) -> String {
    let mut text = String::new();
    write(document, 0, &mut text);
    text.trim_end().to_owned()
}

fn write(node: &Value, depth: usize, text: &mut String) {
    if depth > DEEPEST {
        return;
    }
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "text" => text.push_str(&linked(node)),
        "hardBreak" => text.push('\n'),
        "mention" | "emoji" | "status" => text.push_str(attribute(node, "text")),
        "inlineCard" | "blockCard" | "embedCard" => text.push_str(attribute(node, "url")),
        "codeBlock" => {
            text.push_str("```\n");
            children(node, depth, text);
            end_line(text);
            text.push_str("```\n");
        }
        "listItem" | "taskItem" => {
            text.push_str("- ");
            children(node, depth, text);
            end_line(text);
        }
        "paragraph" | "heading" | "tableRow" | "rule" => {
            children(node, depth, text);
            end_line(text);
        }
        "tableCell" | "tableHeader" => {
            children(node, depth, text);
            if text.ends_with('\n') {
                text.pop();
            }
            text.push_str(" | ");
        }
        _ => children(node, depth, text),
    }
}

fn children(node: &Value, depth: usize, text: &mut String) {
    for child in node.get("content").and_then(Value::as_array).into_iter().flatten() {
        write(child, depth + 1, text);
    }
}

fn attribute<'a>(node: &'a Value, name: &str) -> &'a str {
    node.get("attrs").and_then(|attributes| attributes.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// A link is what it leads to: what it shows may be anything.
fn linked(node: &Value) -> String {
    let shown = node.get("text").and_then(Value::as_str).unwrap_or_default();
    let marks = node.get("marks").and_then(Value::as_array).into_iter().flatten();
    let target = marks
        .filter(|mark| mark.get("type").and_then(Value::as_str) == Some("link"))
        .find_map(|mark| mark.get("attrs")?.get("href")?.as_str());
    match target {
        Some(target) if target != shown && shown.contains("://") => target.to_owned(),
        Some(target) if target != shown => format!("[{shown}]({target})"),
        Some(_) | None => shown.to_owned(),
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mission::find_params;

    fn paragraph(text: &str) -> Value {
        json!({"type": "paragraph", "content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn parameters_in_a_code_block_of_a_cloud_ticket_are_found() {
        let yaml = "code_review_params:\n  gitlab_project_id: a/b\n  source_branch_name: x\n  review_request_url: https://g.example.com/a/b/-/merge_requests/7\n  generated_at: 2026-11-15T10:00:00Z\n";
        let code = json!({"type": "codeBlock", "attrs": {"language": "yaml"}, "content": [{"type": "text", "text": yaml}]});
        let document = json!({"type": "doc", "version": 1, "content": [paragraph("Please review"), code, paragraph("a: b")]});
        assert_eq!(find_params(&rich_text(&document)).unwrap().project.as_str(), "a/b");
    }

    #[test]
    fn parameters_in_paragraphs_with_a_card_are_found() {
        let line = |text: &str| paragraph(text);
        let card = json!({"type": "paragraph", "content": [
            {"type": "text", "text": "review_request_url: "},
            {"type": "inlineCard", "attrs": {"url": "https://g.example.com/a/b/-/merge_requests/7"}}
        ]});
        let document = json!({"type": "doc", "content": [
            line("code_review_params:"), line("gitlab_project_id: 42"), line("source_branch_name: x"), card,
            line("generated_at: 2026-11-15T10:00:00Z"), line("Thank you")
        ]});
        let params = find_params(&rich_text(&document)).unwrap();
        assert_eq!(params.review_request_url, "https://g.example.com/a/b/-/merge_requests/7");
    }

    #[test]
    fn a_document_nested_without_end_comes_to_an_end() {
        let mut node = json!({"type": "text", "text": "deep"});
        for _ in 0..100 {
            node = json!({"type": "panel", "content": [node]});
        }
        assert_eq!(rich_text(&node), "");
    }
}
