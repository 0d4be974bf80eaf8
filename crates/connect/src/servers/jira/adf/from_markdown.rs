use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use super::build::{Builder, Shape};

/// A document that says what the Markdown says. HTML in it is text: Jira shows none.
pub(in super::super) fn from_markdown(text: &str) -> Value {
    let mut builder = Builder::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(tag) => start(&mut builder, tag),
            Event::End(tag) => end(&mut builder, tag),
            Event::Text(text) | Event::InlineHtml(text) => builder.text(&text),
            Event::Html(text) => html(&mut builder, &text),
            Event::Code(text) => builder.code(&text),
            Event::SoftBreak | Event::HardBreak => builder.line_break(),
            Event::Rule => builder.rule(),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                builder.text(&text);
            }
            Event::TaskListMarker(done) => builder.text(if done { "[x] " } else { "[ ] " }),
        }
    }
    builder.finish()
}

fn start(builder: &mut Builder, tag: Tag<'_>) {
    match tag {
        Tag::Paragraph | Tag::HtmlBlock => builder.open(Shape::Paragraph),
        Tag::Heading { level, .. } => builder.open(Shape::Heading(number(level))),
        Tag::BlockQuote(_) => builder.open(Shape::Quote),
        Tag::CodeBlock(kind) => builder.open(Shape::Code(language(&kind))),
        Tag::List(None) => builder.open(Shape::Bullets),
        Tag::List(Some(first)) => builder.open(Shape::Numbers(first)),
        Tag::Item => builder.open(Shape::Item),
        Tag::Table(_) => builder.open(Shape::Table),
        Tag::TableHead => builder.open(Shape::HeadRow),
        Tag::TableRow => builder.open(Shape::Row),
        Tag::TableCell => builder.open(Shape::Cell),
        Tag::Emphasis => builder.mark(json!({"type": "em"})),
        Tag::Strong => builder.mark(json!({"type": "strong"})),
        Tag::Strikethrough => builder.mark(json!({"type": "strike"})),
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
            builder.mark(json!({"type": "link", "attrs": {"href": dest_url.as_ref()}}));
        }
        // None of these is asked for.
        Tag::FootnoteDefinition(_)
        | Tag::DefinitionList
        | Tag::DefinitionListTitle
        | Tag::DefinitionListDefinition
        | Tag::Superscript
        | Tag::Subscript
        | Tag::MetadataBlock(_) => {}
    }
}

fn end(builder: &mut Builder, tag: TagEnd) {
    match tag {
        TagEnd::Paragraph
        | TagEnd::HtmlBlock
        | TagEnd::Heading(_)
        | TagEnd::BlockQuote(_)
        | TagEnd::CodeBlock
        | TagEnd::List(_)
        | TagEnd::Item
        | TagEnd::Table
        | TagEnd::TableHead
        | TagEnd::TableRow
        | TagEnd::TableCell => builder.close(),
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => {
            builder.unmark();
        }
        TagEnd::FootnoteDefinition
        | TagEnd::DefinitionList
        | TagEnd::DefinitionListTitle
        | TagEnd::DefinitionListDefinition
        | TagEnd::Superscript
        | TagEnd::Subscript
        | TagEnd::MetadataBlock(_) => {}
    }
}

fn html(builder: &mut Builder, text: &str) {
    for (n, line) in text.lines().enumerate() {
        if n > 0 {
            builder.line_break();
        }
        builder.text(line);
    }
    if text.ends_with('\n') {
        builder.line_break();
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// All that stands there: usually it is the language.
fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Indented => String::new(),
        CodeBlockKind::Fenced(info) => info.trim().to_owned(),
    }
}
