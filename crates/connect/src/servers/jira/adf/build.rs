use serde_json::{Value, json};

/// Deeper than this, lists and quotations go on at the level they have reached.
const DEEPEST: usize = 12;

/// A node whose content is still being written.
#[derive(Debug)]
pub(super) struct Frame {
    shape: Shape,
    content: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Shape {
    Doc,
    Quote,
    Bullets,
    Numbers(u64),
    Item,
    Paragraph,
    /// Made by us around text that stands where the format wants a block.
    Implied,
    Heading(u8),
    Code(String),
    Table,
    /// Its cells are headers.
    HeadRow,
    Row,
    Header,
    Cell,
    /// Too deep: what is inside goes to where this stands.
    Through,
}

/// Writes a document so that Jira takes it: the format says which node may stand in which, and a document that breaks the
/// rule is refused as a whole.
#[derive(Debug)]
pub(in super::super) struct Builder {
    frames: Vec<Frame>,
    marks: Vec<Value>,
}

impl Builder {
    pub(in super::super) fn new() -> Builder {
        Builder { frames: vec![Frame { shape: Shape::Doc, content: Vec::new() }], marks: Vec::new() }
    }

    pub(in super::super) fn open(&mut self, shape: Shape) {
        self.close_implied();
        let is_deep = self.frames.len() > DEEPEST;
        let nests = matches!(shape, Shape::Quote | Shape::Bullets | Shape::Numbers(_) | Shape::Item);
        let in_through = self.shape() == &Shape::Through && shape == Shape::Item;
        let shape = if (is_deep && nests) || in_through { Shape::Through } else { shape };
        let shape = match (shape, self.shape()) {
            (Shape::Cell, Shape::HeadRow) => Shape::Header,
            (shape, _) => shape,
        };
        self.frames.push(Frame { shape, content: Vec::new() });
    }

    pub(in super::super) fn close(&mut self) {
        self.close_implied();
        self.pop();
    }

    pub(in super::super) fn mark(&mut self, mark: Value) {
        self.marks.push(mark);
    }

    pub(in super::super) fn unmark(&mut self) {
        self.marks.pop();
    }

    pub(super) fn rule(&mut self) {
        self.close_implied();
        self.place(json!({"type": "rule"}));
    }

    pub(in super::super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let node = match self.marks.as_slice() {
            [] => json!({"type": "text", "text": text}),
            marks => json!({"type": "text", "text": text, "marks": marks}),
        };
        self.inline(node);
    }

    pub(super) fn code(&mut self, text: &str) {
        // Of the other marks code goes together with links only.
        let links = self.marks.iter().filter(|mark| mark["type"] == "link").cloned();
        let marks: Vec<Value> = links.chain([json!({"type": "code"})]).collect();
        self.inline(json!({"type": "text", "text": text, "marks": marks}));
    }

    pub(in super::super) fn line_break(&mut self) {
        self.inline(json!({"type": "hardBreak"}));
    }

    pub(in super::super) fn finish(mut self) -> Value {
        while self.frames.len() > 1 {
            self.pop();
        }
        let content = self.frames.pop().map(|frame| frame.content).unwrap_or_default();
        let content = if content.is_empty() { vec![paragraph(Vec::new())] } else { content };
        json!({"version": 1, "type": "doc", "content": content})
    }

    fn shape(&self) -> &Shape {
        self.frames.last().map_or(&Shape::Doc, |frame| &frame.shape)
    }

    fn inline(&mut self, node: Value) {
        let takes_inline = matches!(
            self.shape(),
            Shape::Paragraph
                | Shape::Implied
                | Shape::Heading(_)
                | Shape::Code(_)
                | Shape::Header
                | Shape::Cell
        );
        if !takes_inline {
            self.frames.push(Frame { shape: Shape::Implied, content: Vec::new() });
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.content.push(node);
        }
    }

    fn close_implied(&mut self) {
        if self.shape() == &Shape::Implied {
            self.pop();
        }
    }

    fn pop(&mut self) {
        // The document itself stays.
        if self.frames.len() < 2 {
            return;
        }
        let Some(Frame { shape, content }) = self.frames.pop() else { return };
        match shape {
            Shape::Through => content.into_iter().for_each(|node| self.place(node)),
            shape => {
                if let Some(node) = node(shape, content) {
                    self.place(node);
                }
            }
        }
    }

    /// Puts a node where we are, as what may stand there.
    fn place(&mut self, node: Value) {
        let Some(frame) = self.frames.last_mut() else { return };
        match frame.shape {
            Shape::Quote | Shape::Item => frame.content.extend(fitting(node)),
            Shape::Code(_) => frame
                .content
                .extend(node.get("content").and_then(Value::as_array).cloned().unwrap_or_default()),
            _ => frame.content.push(node),
        }
    }
}

fn node(shape: Shape, content: Vec<Value>) -> Option<Value> {
    Some(match shape {
        Shape::Doc | Shape::Through => return None,
        Shape::Paragraph | Shape::Implied => paragraph(content),
        Shape::Heading(level) => json!({"type": "heading", "attrs": {"level": level}, "content": content}),
        Shape::Quote if content.is_empty() => return None,
        Shape::Quote => json!({"type": "blockquote", "content": content}),
        Shape::Bullets | Shape::Numbers(_) if content.is_empty() => return None,
        Shape::Bullets => json!({"type": "bulletList", "content": content}),
        Shape::Numbers(order) => {
            json!({"type": "orderedList", "attrs": {"order": order}, "content": content})
        }
        Shape::Item => json!({"type": "listItem", "content": beginning_well(content)}),
        Shape::Code(language) => code_block(&language, &content),
        Shape::Table if content.is_empty() => return None,
        Shape::Table => json!({"type": "table", "content": content}),
        Shape::Row | Shape::HeadRow => json!({"type": "tableRow", "content": content}),
        Shape::Header => json!({"type": "tableHeader", "content": [paragraph(content)]}),
        Shape::Cell => json!({"type": "tableCell", "content": [paragraph(content)]}),
    })
}

fn paragraph(content: Vec<Value>) -> Value {
    json!({"type": "paragraph", "content": content})
}

/// Text without any mark, in one piece.
fn code_block(language: &str, content: &[Value]) -> Value {
    let text: String = content.iter().filter_map(|node| node.get("text")?.as_str()).collect();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let content = if text.is_empty() { json!([]) } else { json!([{"type": "text", "text": text}]) };
    match language {
        "" => json!({"type": "codeBlock", "content": content}),
        language => json!({"type": "codeBlock", "attrs": {"language": language}, "content": content}),
    }
}

/// An item begins with a paragraph or with code.
fn beginning_well(mut content: Vec<Value>) -> Vec<Value> {
    let begins =
        content.first().is_some_and(|node| node["type"] == "paragraph" || node["type"] == "codeBlock");
    if !begins {
        content.insert(0, paragraph(Vec::new()));
    }
    content
}

/// What a quotation or an item of a list cannot hold becomes what it can.
fn fitting(node: Value) -> Vec<Value> {
    let content = || node.get("content").and_then(Value::as_array).cloned().unwrap_or_default();
    match node.get("type").and_then(Value::as_str) {
        Some("heading") => vec![paragraph(content())],
        Some("blockquote") => content(),
        Some("rule") => vec![paragraph(vec![json!({"type": "text", "text": "---"})])],
        Some("table") => content().iter().map(row_as_line).collect(),
        _ => vec![node],
    }
}

fn row_as_line(row: &Value) -> Value {
    let mut line = Vec::new();
    for cell in row.get("content").and_then(Value::as_array).into_iter().flatten() {
        if !line.is_empty() {
            line.push(json!({"type": "text", "text": " | "}));
        }
        let inline = cell.pointer("/content/0/content").and_then(Value::as_array);
        line.extend(inline.into_iter().flatten().cloned());
    }
    paragraph(line)
}
