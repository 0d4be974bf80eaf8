use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use domain::change::Line;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{fixed_condition, full_switch};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("unreachable-code"),
    title: text("Statements that can never run"),
    why: text("What stands there looks as if it had an effect, and has none"),
    fix: text("Remove them, or move what leaves the block behind them"),
    severity: Severity::Medium,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
        Language::Ruby,
        Language::C,
        Language::Cpp,
        Language::Swift,
        Language::Scala,
        Language::Shell,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "def a():\n    return 1\n    b()\n", &[3]),
        Example::bad("a.py", "def a():\n    if False and late(x):\n        b()\n", &[2]),
        Example::good("a.py", "def a():\n    if x:\n        return 1\n    b()\n"),
    ]),
};

/// Calls that never come back, as they are written.
const NO_RETURN: [(Language, &[&[u8]]); 6] = [
    (Language::Rust, &[b"panic", b"unreachable", b"std::process::exit", b"process::exit"]),
    (Language::Python, &[b"sys.exit", b"os._exit", b"exit"]),
    (Language::JavaScript, &[b"process.exit"]),
    (Language::TypeScript, &[b"process.exit"]),
    (Language::Go, &[b"os.Exit", b"panic", b"log.Fatal", b"log.Fatalf", b"log.Fatalln"]),
    (Language::Php, &[b"exit", b"die"]),
];

pub(crate) struct UnreachableCode;

impl FileRule for UnreachableCode {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        // What leaves may be old, and only what stands behind it new.
        Interest::Every
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) {
            return;
        }
        fixed_condition::check(file, report);
        let by_switch = full_switch::may_be_shown(file);
        if !by_switch && !shows_leaving(file) {
            return;
        }
        let Some(head) = file.head().filter(|head| by_switch || may_be_dead(head, file)) else { return };
        let Some(tree) = file.touched_tree() else { return };
        let mut reported = 0;
        let mut known = None;
        for node in tree.root().descendants() {
            let Some(dead) = follower(node, file.language) else { continue };
            // What is inside it is dead as well, and said already.
            if dead.line() <= reported || !file.touched_lines().head_lines(node.line(), dead.line()) {
                continue;
            }
            let known = known.get_or_insert_with(|| dead_before(file));
            if !known.contains(&mark(node, dead)) {
                reported = dead.end_line();
                let message =
                    format!("Nothing behind `{}` on line {} ever runs", first_word(node), node.line());
                report.add(Draft::lines(head, dead.line(), dead.end_line(), message));
            }
        }
    }
}

/// Whether a hunk shows something that leaves in front of something else, one of them added or freed of what stood between or
/// around them. A new file is looked through as a whole, and does not need this.
fn shows_leaving(file: &FileContext<'_>) -> bool {
    file.change.old.is_none()
        || file.change.hunks().iter().any(|hunk| {
            let takes_away = hunk.lines().any(|line| line.new.is_none());
            let shown = hunk.lines().filter(|line| line.new.is_some() && tells(line.text.trim_ascii()));
            let mut before: Option<Line<'_>> = None;
            let inside = shown.into_iter().any(|line| {
                let last = before.replace(line);
                last.is_some_and(|last| {
                    let is_new = |line: &Line<'_>| line.old.is_none();
                    (takes_away || is_new(&last) || is_new(&line)) && may_end(last.text, line.text)
                })
            });
            // What follows it may be further down than a hunk shows.
            inside
                || before.is_some_and(|last| {
                    (takes_away || last.old.is_none()) && may_leave(last.text.trim_ascii())
                })
        })
}

/// Whether a line says something to the machine.
fn tells(code: &[u8]) -> bool {
    !code.is_empty() && !COMMENTS.iter().any(|mark| code.starts_with(mark))
}

/// Whether what leaves stands on one line, and what it keeps from running on the next.
fn may_end(left: &[u8], line: &[u8]) -> bool {
    let indented = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let closes = line.trim_ascii().first().is_some_and(|first| b"})]".contains(first));
    !closes && indented(line) >= indented(left) && may_leave(left.trim_ascii())
}

/// By lines alone: something that leaves is followed by a line that is indented as far. Most code has none, and need not be
/// parsed.
fn may_be_dead(head: &Source, file: &FileContext<'_>) -> bool {
    let mut before: Option<(u32, &[u8])> = None;
    (1..=head.line_count()).any(|number| {
        let line = head.line(number);
        if !tells(line.trim_ascii()) {
            return false;
        }
        before
            .replace((number, line))
            .is_some_and(|(from, left)| file.touched_lines().head_lines(from, number) && may_end(left, line))
    })
}

/// Behind them nothing is said to the machine.
const COMMENTS: [&[u8]; 4] = [b"//", b"#", b"/*", b"*"];

/// Words of which one stands in every statement that [`leaves`] may be true of: first, or behind a module.
const LEAVING: [&[u8]; 12] = [
    b"return",
    b"throw",
    b"raise",
    b"break",
    b"continue",
    b"next",
    b"goto",
    b"panic",
    b"exit",
    b"die",
    b"unreachable",
    b"Fatal",
];

/// What may stand before such a word.
const MODULES: [&[u8]; 5] = [b"log.", b"os.", b"sys.", b"process", b"std::process"];

fn may_leave(code: &[u8]) -> bool {
    let begins = |text: &[u8]| {
        let text = text.trim_ascii_start();
        LEAVING.iter().chain(&MODULES).any(|word| text.starts_with(word))
    };
    let after = |byte: &u8| b";:{}>".contains(byte);
    begins(code) || code.split(after).skip(1).any(begins)
}

/// The statement behind one that leaves its block, if it can only be reached from there.
fn follower(node: Node<'_>, language: Language) -> Option<Node<'_>> {
    let leaves = leaves(node, language) || full_switch::leaves(node);
    if !node.is_named() || !leaves || node.has_error() {
        return None;
    }
    // In Swift it gives back what stands on the next line.
    if language == Language::Swift && node.bytes() == b"return" {
        return None;
    }
    let parent = node.parent().filter(|parent| holds_statements(*parent))?;
    let is_conditional = node.previous_sibling().is_some_and(|before| before.kind() == "attribute_item");
    let next = std::iter::successors(node.next_sibling(), Node::next_sibling)
        .find(|next| next.is_named() && !next.is(Notion::Comment))?;
    let dead = !is_conditional
        && !parent.has_error()
        && is_plain_statement(next, language)
        && node.line() < next.line();
    dead.then_some(next)
}

fn holds_statements(node: Node<'_>) -> bool {
    node.is(Notion::Block)
        || node.is_kind(&[
            "statement_list",
            "switch_case",
            "switch_default",
            "program",
            "switch_block_statement_group",
        ])
}

fn leaves(node: Node<'_>, language: Language) -> bool {
    let leaves_itself = |node: Node<'_>| {
        node.is(Notion::Return)
            || node.is(Notion::Throw)
            || (node.is(Notion::Jump) && node.kind() != "fallthrough_statement")
    };
    let never_returns = |node: Node<'_>| {
        let known = NO_RETURN.iter().find(|(known, _)| *known == language).map(|(_, calls)| *calls);
        known.is_some_and(|known| node.call().is_some_and(|call| known.contains(&call.callee())))
    };
    if language == Language::Shell {
        return is_exit_of_shell(node);
    }
    // Kotlin's and Ruby's statements are expressions without anything around them.
    let inner = match node.kind() {
        "expression_statement" => node.named_children().next(),
        _ => Some(node),
    };
    inner.is_some_and(|inner| {
        leaves_itself(inner)
            || inner.is_kind(&["exit_statement", "control_transfer_statement"])
            || (inner != node && never_returns(inner))
    })
}

/// `exit 1` and `return`. What stands behind the end of a script itself may be data that it reads.
fn is_exit_of_shell(node: Node<'_>) -> bool {
    let leaves = node.call().is_some_and(|call| matches!(call.callee(), b"exit" | b"return"));
    let in_body = || node.parent().is_some_and(|around| around.kind() == "compound_statement");
    let substituted = || node.descendants().any(|inner| inner.kind() == "command_substitution");
    node.kind() == "command" && leaves && in_body() && !substituted()
}

/// What runs from top to bottom: no label, no declaration that holds wherever it stands, no marker for a tool.
fn is_plain_statement(node: Node<'_>, language: Language) -> bool {
    const ELSEWHERE: [&str; 26] = [
        "labeled_statement",
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "function_item",
        "struct_item",
        "enum_item",
        "impl_item",
        "use_declaration",
        "const_item",
        "static_item",
        "mod_item",
        "macro_definition",
        "attribute_item",
        "inner_attribute_item",
        "local_function_statement",
        "case_statement",
        "empty_statement",
        "break_statement",
        "rescue",
        "ensure",
        "else",
        "function_definition",
        "ERROR",
        "text_interpolation",
        "label",
    ];
    // A `yield` that is never reached makes a function of Python a generator.
    let is_generator_mark = language == Language::Python && node.bytes().starts_with(b"yield");
    // There a function begins where its definition is run.
    let is_run = language == Language::Python && node.kind() == "function_definition";
    // `var x;` holds for the whole function.
    let is_bare_declaration = node.kind() == "variable_declaration" && !node.bytes().contains(&b'=');
    (is_run || !node.is_kind(&ELSEWHERE))
        && !node.kind().starts_with("preproc")
        && !node.kind().ends_with("_case")
        && !is_generator_mark
        && !is_bare_declaration
        && node.field() != "condition"
}

/// Dead ends that stood there before, moved or indented anew, are old sins.
fn dead_before(file: &FileContext<'_>) -> HashSet<u64> {
    let nodes = file.base_tree().into_iter().flat_map(|base| base.root().descendants());
    nodes.filter_map(|node| Some(mark(node, follower(node, file.language)?))).collect()
}

/// By their text: texts may hold each other, so they are not kept.
fn mark(leaving: Node<'_>, dead: Node<'_>) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    // Of a switch, one case more changes nothing.
    let leaving = if full_switch::leaves(leaving) { b"switch" } else { leaving.bytes() };
    (leaving, dead.bytes()).hash(&mut hasher);
    hasher.finish()
}

fn first_word(node: Node<'_>) -> String {
    let text = node.text();
    let word = text.split(|c: char| !(c.is_alphanumeric() || "_.:!".contains(c))).next().unwrap_or_default();
    word.chars().take(40).collect()
}
