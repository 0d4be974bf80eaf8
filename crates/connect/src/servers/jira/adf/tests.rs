use proptest::prelude::*;
use serde_json::{Value, json};

use super::{from_markdown, to_text};

fn kinds(node: &Value, found: &mut Vec<String>) {
    found.extend(node["type"].as_str().map(str::to_owned));
    node["content"].as_array().into_iter().flatten().for_each(|child| kinds(child, found));
}

#[test]
fn markdown_becomes_a_document() {
    let document =
        from_markdown("# Title\n\nSome **bold** `code` and [link](https://x.example).\n\n- one\n- two\n");
    assert_eq!(document["version"], 1);
    let content = &document["content"];
    assert_eq!(
        content[0],
        json!({"type": "heading", "attrs": {"level": 1}, "content": [{"type": "text", "text": "Title"}]})
    );
    assert_eq!(
        content[1]["content"][1],
        json!({"type": "text", "text": "bold", "marks": [{"type": "strong"}]})
    );
    assert_eq!(
        content[1]["content"][3],
        json!({"type": "text", "text": "code", "marks": [{"type": "code"}]})
    );
    assert_eq!(content[2]["type"], "bulletList");
    assert_eq!(content[2]["content"][1]["content"][0]["content"][0]["text"], "two");
}

#[test]
fn code_is_kept_letter_for_letter() {
    let code = "code_review_params:\n\tgitlab_project_id: 42\n  *not* _emphasis_ <b> \u{201c}quotes\u{201d}";
    let document = from_markdown(&format!("```yaml\n{code}\n```\n"));
    assert_eq!(document["content"][0]["content"][0]["text"], code);
    assert_eq!(to_text(&document), format!("```yaml\n{code}\n```"));
}

#[test]
fn a_fence_is_longer_than_any_inside() {
    let document = json!({"type": "doc", "content": [{"type": "codeBlock", "content": [{"type": "text", "text": "a\n```\nb"}]}]});
    assert_eq!(to_text(&document), "````\na\n```\nb\n````");
}

#[test]
fn what_may_not_stand_somewhere_becomes_what_may() {
    let document = from_markdown(
        "> # quoted heading\n> > deeper\n> ---\n\n- # item heading\n- | a | b |\n  |---|---|\n  | c | d |\n",
    );
    let mut found = Vec::new();
    kinds(&document["content"][0], &mut found);
    kinds(&document["content"][1], &mut found);
    for forbidden in ["heading", "rule", "table", "tableRow"] {
        assert!(!found.iter().any(|kind| kind == forbidden), "{forbidden} in {found:?}");
    }
    assert_eq!(found.iter().filter(|kind| *kind == "blockquote").count(), 1);
    let text = to_text(&document);
    for word in ["quoted heading", "deeper", "item heading", "c | d"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[test]
fn the_nodes_of_real_descriptions_read_as_text() {
    let document = json!({"type": "doc", "version": 1, "content": [
        {"type": "paragraph", "content": [{"type": "text", "text": "By "}, {"type": "mention", "attrs": {"id": "1", "text": "@Ann"}},
            {"type": "hardBreak"}, {"type": "inlineCard", "attrs": {"url": "https://git.example/mr/1"}}]},
        {"type": "panel", "attrs": {"panelType": "info"}, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "note"}]}]},
        {"type": "orderedList", "attrs": {"order": 3}, "content": [
            {"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "a"}]}]},
            {"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "b"}]},
                {"type": "bulletList", "content": [{"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "c"}]}]}]}]}]},
        {"type": "taskList", "content": [{"type": "taskItem", "attrs": {"state": "DONE"}, "content": [{"type": "text", "text": "done"}]}]},
        {"type": "table", "content": [{"type": "tableRow", "content": [
            {"type": "tableHeader", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "h"}]}]},
            {"type": "tableCell", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "v"}]}]}]}]},
        {"type": "paragraph", "content": [{"type": "date", "attrs": {"timestamp": "1700000000000"}},
            {"type": "text", "text": " text", "marks": [{"type": "link", "attrs": {"href": "https://l.example"}}]}]},
        {"type": "brandNew", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "unknown"}]}]}]});
    let expected = "By @Ann\nhttps://git.example/mr/1\n\nnote\n\n3. a\n4. b\n   - c\n\n- [x] done\n\n| h | v |\n\n\
                    2023-11-14[ text](https://l.example)\n\nunknown";
    assert_eq!(to_text(&document), expected);
}

#[test]
fn nesting_without_end_ends() {
    for piece in ["> ", "- ", "1. ", "* > "] {
        let text = format!("{}x", piece.repeat(5_000));
        let document = from_markdown(&text);
        assert!(document.to_string().contains("\"text\":\"x\""), "{piece:?}");
    }
}

/// Letters and digits in their order.
fn words(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    #[test]
    fn no_text_is_lost_on_the_way_through_a_document(text in "([a-zé0-9 ]{0,8}([*_`#>~|!+-]|\n|\n\n|\t|    |```| \\* ){0,3}){0,12}") {
        let shown = to_text(&from_markdown(&text));
        // A number that begins a list is written anew, and counts on from there.
        let digits = |c: &char| !c.is_numeric();
        prop_assert_eq!(words(&shown).chars().filter(digits).collect::<String>(), words(&text).chars().filter(digits).collect::<String>());
    }

    #[test]
    fn any_text_becomes_a_document(text in "\\PC*|([\\[\\]()<>&;:*_`#>| \n\t-]|[a-z]){0,200}") {
        let document = from_markdown(&text);
        prop_assert_eq!(&document["type"], "doc");
        prop_assert!(!document.to_string().contains("\"text\":\"\""), "an empty text is refused by Jira");
    }

    #[test]
    fn any_document_becomes_text(kinds in prop::collection::vec("doc|paragraph|text|table|tableRow|listItem|bulletList|codeBlock|heading|x", 0..40)) {
        let mut node = json!({"type": "text", "text": "end"});
        for kind in kinds {
            node = json!({"type": kind, "content": [node, 7, null], "attrs": {"level": -3, "order": "x"}});
        }
        to_text(&node);
    }
}

/// What a mission needs from a ticket in the cloud, in whatever its author put it.
mod params {
    use domain::mission::find_params;
    use serde_json::{Value, json};

    use super::super::to_text;

    const URL: &str = "https://gitlab.example.com/acme/shop/-/merge_requests/7";
    const LINES: [&str; 5] = [
        "code_review_params:",
        "  gitlab_project_id: acme/shop",
        "  source_branch_name: feature/PROJ-1",
        "  review_request_url: https://gitlab.example.com/acme/shop/-/merge_requests/7",
        "  generated_at: 2026-11-15T10:00:00Z",
    ];

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn marked(words: &str, mark: &Value) -> Value {
        json!({"type": "text", "text": words, "marks": [mark]})
    }

    fn block(kind: &str, content: &[Value]) -> Value {
        json!({"type": kind, "content": content})
    }

    /// Lines of one paragraph, each of the nodes it is made of.
    fn paragraph(lines: &[Vec<Value>]) -> Value {
        let breaks = json!({"type": "hardBreak"});
        let content: Vec<Value> = lines.join(&breaks);
        block("paragraph", &content)
    }

    fn plain(lines: &[&str]) -> Value {
        paragraph(&lines.iter().map(|line| vec![text(line)]).collect::<Vec<_>>())
    }

    /// The address in nodes of its own.
    fn with_address(address: Value) -> Value {
        let key = text("  review_request_url: ");
        paragraph(&[
            vec![text(LINES[0])],
            vec![text(LINES[1])],
            vec![text(LINES[2])],
            vec![key, address],
            vec![text(LINES[4])],
        ])
    }

    fn bullets(lines: &[&str]) -> Value {
        let item = |line: &&str| block("listItem", &[plain(&[line.trim()])]);
        block("bulletList", &lines.iter().map(item).collect::<Vec<_>>())
    }

    #[test]
    fn the_parameters_of_a_mission_are_found_wherever_an_editor_put_them() {
        let code = block("codeBlock", &[text(&LINES.join("\n"))]);
        let tabs = block("codeBlock", &[text(&LINES.join("\n").replace("  ", "\t"))]);
        let one_by_one: Vec<Value> = LINES.iter().map(|line| plain(&[line])).collect();
        let smart = LINES.map(|line| line.replace("feature/PROJ-1", "\u{201c}feature/PROJ-1\u{201d}"));
        let link = json!({"type": "link", "attrs": {"href": URL}});
        let coded = json!({"type": "code"});
        let key = |name: &str, value: &str| vec![text(&format!("{name}: ")), marked(value, &coded)];
        let cases = [
            ("code block", vec![code.clone()]),
            ("tabs", vec![tabs]),
            ("panel", vec![block("panel", &[plain(&LINES)])]),
            ("panel with paragraphs", vec![block("panel", &one_by_one)]),
            ("paragraphs", one_by_one),
            ("no indentation", vec![plain(&LINES.map(str::trim))]),
            ("smart quotes", vec![plain(&smart.each_ref().map(String::as_str))]),
            ("expand", vec![block("expand", &[plain(&["Please"]), code.clone()])]),
            ("quote", vec![block("blockquote", &[plain(&LINES)])]),
            ("bullets", vec![plain(&LINES[..1]), bullets(&LINES[1..])]),
            (
                "nested bullets",
                vec![block("bulletList", &[block("listItem", &[plain(&LINES[..1]), bullets(&LINES[1..])])])],
            ),
            (
                "table",
                vec![block(
                    "table",
                    &[block("tableRow", &[block("tableCell", std::slice::from_ref(&code))])],
                )],
            ),
            ("card", vec![with_address(json!({"type": "inlineCard", "attrs": {"url": URL}}))]),
            ("named link", vec![with_address(marked("the request", &link))]),
            ("link", vec![with_address(marked(URL, &link))]),
            (
                "inline code",
                vec![paragraph(&[
                    vec![marked(LINES[0], &json!({"type": "strong"}))],
                    key("gitlab_project_id", "acme/shop"),
                    key("source_branch_name", "feature/PROJ-1"),
                    key("review_request_url", URL),
                    key("generated_at", "2026-11-15T10:00:00Z"),
                ])],
            ),
            (
                "fence as text",
                vec![plain(&["```yaml", LINES[0], LINES[1], LINES[2], LINES[3], LINES[4], "```"])],
            ),
        ];
        let expected = find_params(&LINES.join("\n")).unwrap();
        for (name, content) in cases {
            let description = to_text(&json!({"type": "doc", "version": 1, "content": content}));
            assert_eq!(find_params(&description), Ok(expected.clone()), "{name}:\n{description}");
        }
    }
}
