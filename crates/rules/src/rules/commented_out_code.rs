use std::borrow::Cow;

use bytes::Bytes;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::commented_out_shell;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::lines::LONGEST_LINE;
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{self, Node, Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("commented-out-code"),
    title: text("Code in comments, at least three lines of it"),
    why: text("Nobody knows whether it is still true, and the history keeps it anyway"),
    fix: text("Remove it"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Swift,
        Language::Scala,
        Language::C,
        Language::Cpp,
        Language::Shell,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "# x = f(1)\n# if x:\n#     g(x)\n", &[1]),
        Example::good("a.py", "# Counts what is there,\n# and then again,\n# until nothing is left.\n"),
    ]),
};

const FEWEST_LINES: usize = 3;

/// Calls, assignments and the like.
const FEWEST_TELLING: usize = 2;

/// Comments that mean to show code.
static SHOWS: Pattern = Pattern::new(
    r"(?i)\b(?:e\.?g|example|usage|such as|for instance|like this|looks? like|equivalent|pseudo|same as|becomes?|expands?|generated|roughly|means|snippet|algorithm|instead of|copyright|licen[cs]e|spdx|output|result|format|syntax|grammar|input)\b|```|>>>|^\s*\$ ",
);

pub(crate) struct CommentedOutCode;

impl FileRule for CommentedOutCode {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"//", b"#", b"/*"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) {
            return;
        }
        let Some(table) = file.change.new.as_ref().and_then(|side| syntax::table(file.language, &side.path))
        else {
            return;
        };
        let heading =
            if file.language == Language::Shell { commented_out_shell::end_of_heading(file) } else { 0 };
        for run in runs(file) {
            let (Some(first), Some(last), Some(head)) = (run.first(), run.last(), file.head()) else {
                continue;
            };
            let above = head.line(first.number.saturating_sub(1));
            let is_shown =
                SHOWS.regex().is_match(above) || above.trim_ascii().ends_with(b":") && is_comment(above);
            let text: Vec<u8> = run.iter().flat_map(|line| line.text.iter().copied().chain(*b"\n")).collect();
            // The type is no word about what the code gives.
            let words = String::from_utf8_lossy(&text).replace("Result<", "");
            if is_shown || SHOWS.regex().is_match(words.as_bytes()) {
                continue;
            }
            if first.number <= heading {
                continue;
            }
            let reads = |wrapped: Vec<u8>| {
                let tree = syntax::parse(&Bytes::from(wrapped), table);
                tree.is_some_and(|tree| match file.language {
                    Language::Shell => commented_out_shell::is_code(&tree),
                    language => is_code(&tree, language),
                })
            };
            if reads(wrapped(&text, file.language)) || as_member(&text, file.language).is_some_and(reads) {
                let message = format!("{} lines of code are commented out", run.len());
                report.add(Draft::lines(head, first.number, last.number, message));
            }
        }
    }
}

/// What a comment says on one line.
struct Said<'a> {
    number: u32,
    text: &'a [u8],
}

/// Lines with nothing but a comment, one after the other, all added by the change.
fn runs<'a>(file: &FileContext<'a>) -> Vec<Vec<Said<'a>>> {
    let mut runs: Vec<Vec<Said<'a>>> = Vec::new();
    let mut in_block = false;
    for line in file.added() {
        let trimmed = line.text.trim_ascii();
        let said = match () {
            () if line.text.len() > LONGEST_LINE => None,
            () if in_block => {
                in_block = memchr::memmem::find(trimmed, b"*/").is_none();
                // The stars of a block that is written as prose.
                (in_block && !trimmed.starts_with(b"*")).then_some(line.text)
            }
            () if !has_hashes(file.language) && opens_block(trimmed) => {
                in_block = true;
                None
            }
            () => after_marker(trimmed, file.language),
        };
        let is_comment = || {
            let column = line.text.len() - line.text.trim_ascii_start().len();
            in_block || file.kind(&line, column) == Some(Kind::Comment)
        };
        let Some(text) = said.filter(|_| is_comment()) else {
            runs.push(Vec::new());
            continue;
        };
        let follows =
            runs.last().and_then(|run| run.last()).is_some_and(|last| last.number + 1 == line.number);
        if !follows && runs.last().is_none_or(|run| !run.is_empty()) {
            runs.push(Vec::new());
        }
        if let Some(run) = runs.last_mut() {
            run.push(Said { number: line.number, text });
        }
    }
    runs.retain(|run| run.iter().filter(|line| !line.text.trim_ascii().is_empty()).count() >= FEWEST_LINES);
    runs
}

fn has_hashes(language: Language) -> bool {
    matches!(language, Language::Python | Language::Ruby | Language::Shell)
}

fn opens_block(line: &[u8]) -> bool {
    line.starts_with(b"/*")
        && !line.starts_with(b"/**")
        && !line.starts_with(b"/*!")
        && memchr::memmem::find(line, b"*/").is_none()
}

/// The text behind the marker of a comment that documents nothing.
fn after_marker(line: &[u8], language: Language) -> Option<&[u8]> {
    match language {
        _ if has_hashes(language) => {
            line.strip_prefix(b"#").filter(|rest| !rest.starts_with(b":") && !rest.starts_with(b"!"))
        }
        _ => line.strip_prefix(b"//").filter(|rest| !rest.starts_with(b"/") && !rest.starts_with(b"!")),
    }
}

fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"//") || line.starts_with(b"#") || line.starts_with(b"*") || line.starts_with(b"/*")
}

/// As part of a function, where the language lets no statement stand alone. Python's lines lose what all of them are
/// indented by.
fn wrapped(text: &[u8], language: Language) -> Vec<u8> {
    let (before, after): (&[u8], &[u8]) = match language {
        Language::Rust => (b"fn f() {\n", b"}\n"),
        Language::Go => (b"package p\nfunc f() {\n", b"}\n"),
        Language::Java => (b"class A { void f() {\n", b"} }\n"),
        Language::CSharp => (b"class A { void F() {\n", b"} }\n"),
        Language::Kotlin => (b"fun f() {\n", b"}\n"),
        Language::Swift => (b"func f() {\n", b"}\n"),
        Language::Scala => (b"object A { def f() = {\n", b"} }\n"),
        Language::C | Language::Cpp => (b"void f(void) {\n", b"}\n"),
        Language::Php => (b"<?php function f() {\n", b"}\n"),
        Language::Python => return dedented(text),
        _ => (b"", b""),
    };
    [before, text, after].concat()
}

/// As part of a class or a file, where functions do not stand in each other. What is around it counts as a function does.
fn as_member(text: &[u8], language: Language) -> Option<Vec<u8>> {
    let (before, after): (&[u8], &[u8]) = match language {
        Language::Go => (b"package p\n", b""),
        Language::Java | Language::CSharp => (b"class A {\n", b"}\n"),
        Language::Php => (b"<?php class A {\n", b"}\n"),
        Language::C | Language::Cpp => (b"", b""),
        _ => return None,
    };
    Some([before, text, after].concat())
}

fn dedented(text: &[u8]) -> Vec<u8> {
    let lines = || text.split(|byte| *byte == b'\n');
    let indent = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let common = lines().filter(|line| !line.trim_ascii().is_empty()).map(indent).min().unwrap_or(0);
    lines().map(|line| line.get(common..).unwrap_or_default()).collect::<Vec<_>>().join(&b'\n')
}

/// Whether all of it is statements, and most of them do something that prose does not.
fn is_code(tree: &Tree, language: Language) -> bool {
    let root = tree.root();
    if root.has_error() {
        return false;
    }
    let telling = root.descendants().filter(|node| is_telling(*node)).count();
    let statements: Vec<Node<'_>> = body_of(root, language).collect();
    let weak = statements.iter().filter(|node| is_weak(**node)).count();
    // What was around it is not counted.
    telling >= FEWEST_TELLING + wrapping(language) && weak == 0 && !statements.is_empty()
}

fn wrapping(language: Language) -> usize {
    let alone = [Language::Python, Language::JavaScript, Language::TypeScript, Language::Ruby];
    usize::from(!alone.contains(&language))
}

fn body_of(root: Node<'_>, language: Language) -> impl Iterator<Item = Node<'_>> {
    let inner = (wrapping(language) > 0)
        .then(|| root.descendants().find(|node| node.is(Notion::Block) || node.kind() == "statement_list"))
        .flatten();
    inner.unwrap_or(root).named_children()
}

fn is_telling(node: Node<'_>) -> bool {
    [
        Notion::Call,
        Notion::Assignment,
        Notion::Return,
        Notion::Loop,
        Notion::Branch,
        Notion::Function,
        Notion::Import,
    ]
    .into_iter()
    .any(|notion| node.is(notion))
}

/// What a sentence may pass for: a word, a label, a comparison, a list.
fn is_weak(statement: Node<'_>) -> bool {
    let inner = match statement.kind() {
        "expression_statement" => statement.named_children().next().unwrap_or(statement),
        _ => statement,
    };
    let inner =
        if inner.kind() == "assignment" && inner.child("right").is_none() { return true } else { inner };
    inner.is_kind(&[
        "identifier",
        "labeled_statement",
        "string",
        "comparison_operator",
        "binary_expression",
        "tuple",
        "expression_list",
        "sequence_expression",
        "integer",
        "attribute",
        "member_expression",
        "scoped_identifier",
        "type_expression",
        "list",
        "array",
        "subscript",
    ])
}
