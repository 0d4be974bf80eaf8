use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Call, Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("endless-loop"),
    title: text("A loop without a way out that waits for nothing"),
    why: text("It keeps a processor busy for ever, unless something it calls fails"),
    fix: text("Give it a condition, or a way out"),
    severity: Severity::Low,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Rust,
        Language::Go,
        Language::Java,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "while True:\n    x += 1\n", &[1]),
        Example::good("a.py", "while True:\n    if f():\n        break\n"),
    ]),
};

/// Words in the names of calls that wait, or that end the program.
const WAITS: [&str; 29] = [
    "spin", "wfi", "park", "yield", "idle", "panic", "fatal", "block", "dispatch", "sleep", "wait", "accept",
    "recv", "receive", "get", "read", "poll", "select", "input", "join", "acquire", "exit", "next", "pop",
    "take", "fetch", "listen", "run", "serve",
];

pub(crate) struct EndlessLoop;

impl FileRule for EndlessLoop {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"while True",
                b"while 1",
                b"while (true",
                b"while(true",
                b"while true",
                b"for (;;",
                b"for(;;",
                b"loop {",
                b"for {",
            ],
            removed: &[b"break", b"return"],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let endless = tree
            .all(Notion::Loop)
            .filter(|node| file.touched(*node) && !node.has_error() && has_no_end(*node));
        for node in endless {
            let message = match () {
                // It says itself that it never returns.
                () if never_returns(node) => continue,
                () if !node.descendants().any(is_way_out) => {
                    "Nothing in this loop ends it, or waits for anything"
                }
                () if reads_on(node, file.language) => {
                    "Nothing in this loop sees that the other side is done"
                }
                () => continue,
            };
            report.add(Draft::lines(head, node.line(), node.line(), message));
        }
    }
}

fn has_no_end(node: Node<'_>) -> bool {
    let said = node.child("condition").map(|condition| condition.text().into_owned()).unwrap_or_default();
    match node.kind() {
        "while_statement" => ["True", "1", "(true)", "(1)"].contains(&said.as_str()),
        "loop_expression" => true,
        "while_expression" => said == "true",
        "for_statement" if node.tree().table().language() == Language::Go => {
            node.named_children().all(|child| child.is_kind(&["block", "comment"]))
        }
        "for_statement" => said == ";" || (said.is_empty() && node.bytes().starts_with(b"for (;;)")),
        _ => false,
    }
}

/// `data += sock.recv(4096)`: what comes when there is nothing more is empty, and comes at once.
fn reads_on(node: Node<'_>, language: Language) -> bool {
    let receives = |call: Call<'_>| call.name() == "recv" && call.arguments().next().is_some();
    language == Language::Python
        && node.descendants().filter_map(|inner| inner.call()).any(receives)
        && !node
            .descendants()
            .any(|inner| leaves(inner) || inner.is(Notion::Branch) || inner.is(Notion::Catch))
}

/// `fn stop() -> !` of Rust.
fn never_returns(node: Node<'_>) -> bool {
    let function = node.ancestors().find(|around| around.is(Notion::Function));
    function.and_then(|function| function.child("return_type")).is_some_and(|given| given.bytes() == b"!")
}

fn leaves(node: Node<'_>) -> bool {
    const KINDS: [&str; 11] = [
        "break_statement",
        "break_expression",
        "goto_statement",
        "yield",
        "yield_expression",
        "await",
        "await_expression",
        "try_expression",
        // Channels of Go wait for the other side.
        "select_statement",
        "send_statement",
        "<-",
    ];
    node.is(Notion::Return) || node.is(Notion::Throw) || node.is_kind(&KINDS) || may_leave(node)
}

/// A macro of Rust may hold anything; those that print do not.
fn may_leave(node: Node<'_>) -> bool {
    node.kind() == "macro_invocation"
        && !node.call().is_some_and(|call| {
            ["println", "print", "eprintln", "eprint", "vec", "format"].contains(&call.name().as_str())
        })
}

fn is_way_out(node: Node<'_>) -> bool {
    leaves(node)
        || node.call().is_some_and(|call| {
            let name = call.name().to_ascii_lowercase();
            WAITS.iter().any(|word| name.contains(word))
        })
}
