use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{LONGEST_FUNCTION, is_function};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("quadratic-loop"),
    title: text("A loop whose every turn goes over all that the turns before it made"),
    why: text("Ten times as many entries take a hundred times as long"),
    fix: text("Use a set to look things up, and a builder or list that is added to at its end"),
    severity: Severity::Low,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Java,
        Language::Go,
        Language::Rust,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "for x in xs:\n    out.insert(0, x)\n", &[2]),
        Example::good("a.py", "for x in xs:\n    out.append(x)\n"),
    ]),
};

pub(crate) struct QuadraticLoop;

impl FileRule for QuadraticLoop {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"insert(0",
                b" in ",
                b"+=",
                b"[...",
                b"{...",
                b".concat(",
                b".includes(",
                b".contains(",
                b".indexOf(",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let lines = file.touched_lines();
        let new = tree.root().descendants().filter(|node| node.is_named() && lines.is_added(node.line()));
        for node in new {
            let found = match file.language {
                Language::Python => put_in_front(node).or_else(|| searched(node)),
                Language::Java => joined(node),
                Language::Go => joined_in_go(node),
                Language::Rust => asked(node),
                _ => spread(node).or_else(|| asked(node)),
            };
            if let Some(message) = found.filter(|_| !file.in_test(node.line())) {
                report.add(Draft::lines(head, node.line(), node.line(), message));
            }
        }
    }
}

/// The innermost loop around it in the same function, if it is in its body.
fn loop_around(node: Node<'_>) -> Option<Node<'_>> {
    let around = node.ancestors().find(|around| around.is(Notion::Loop) || is_function(*around))?;
    let body = around.child("body").filter(|_| around.is(Notion::Loop))?;
    body.contains(node).then_some(around)
}

/// `list.insert(0, x)`
fn put_in_front(node: Node<'_>) -> Option<String> {
    let call = node.call().filter(|call| call.callee().ends_with(b".insert"))?;
    let at_start =
        call.arguments().next().is_some_and(|first| first.bytes() == b"0") && call.arguments().count() == 2;
    let own = String::from_utf8_lossy(call.callee()).trim_end_matches(".insert").to_owned();
    let around = loop_around(node).filter(|around| around.kind() == "for_statement")?;
    (at_start && own != "sys.path" && !is_left_at_once(node, around))
        .then(|| format!("Each `insert` moves all of `{own}`"))
}

/// Whether the loop ends behind the statement that holds the node: then it happens once.
fn is_left_at_once(node: Node<'_>, around: Node<'_>) -> bool {
    let statements = node.ancestors().take_while(|outer| *outer != around);
    let behind = statements.filter_map(|outer| outer.next_sibling());
    behind
        .into_iter()
        .any(|next| next.is(Notion::Return) || next.is(Notion::Throw) || next.kind() == "break_statement")
}

/// `x in seen`, where the same loop appends to `seen`, which is a list.
fn searched(node: Node<'_>) -> Option<String> {
    let operator = node.children().find(|child| !child.is_named())?;
    if node.kind() != "comparison_operator" || !["in", "not in"].contains(&operator.kind()) {
        return None;
    }
    let list = node.named_children().last().filter(|list| list.kind() == "identifier")?;
    let around = loop_around(node).filter(|around| around.kind() == "for_statement")?;
    let function = around.ancestors().find(|outer| is_function(*outer) || outer.kind() == "module")?;
    if function.bytes().len() > LONGEST_FUNCTION {
        return None;
    }
    let appended = [list.bytes(), b".append("].concat();
    let appends = memchr::memmem::find(around.bytes(), &appended).is_some();
    let is_list = [&b" = []"[..], b" = list()"].iter().any(|empty| {
        memchr::memmem::find(function.bytes(), &[b"\n", list.bytes(), empty].concat()).is_some()
            || memchr::memmem::find(function.bytes(), &[b" ", list.bytes(), empty].concat()).is_some()
    });
    (appends && is_list).then(|| format!("Each turn searches all of the list `{}`", list.text()))
}

/// `seen.includes(x)`, `seen.contains(&x)`, where the same loop pushes to `seen`, which is a list of the function.
fn asked(node: Node<'_>) -> Option<String> {
    let call = node.call()?;
    let list = [&b".includes"[..], b".contains", b".indexOf"]
        .iter()
        .find_map(|method| call.callee().strip_suffix(*method))
        .filter(|list| list.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let around = loop_around(node)
        .filter(|around| around.is_kind(&["for_expression", "for_in_statement", "for_statement"]))?;
    let function = around.ancestors().find(|outer| is_function(*outer))?;
    if function.bytes().len() > LONGEST_FUNCTION {
        return None;
    }
    let pushes = memchr::memmem::find(around.bytes(), &[list, b".push("].concat()).is_some();
    let is_list = |line: &[u8]| {
        let line = line.trim_ascii();
        let declared = [&b"let mut "[..], b"let ", b"const ", b"var "]
            .iter()
            .find_map(|word| line.strip_prefix(*word)?.strip_prefix(list));
        let empty = [&b"Vec::new()"[..], b"vec![]", b"= []", b"Vec<"];
        declared.is_some_and(|rest| {
            !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                && empty.iter().any(|value| memchr::memmem::find(rest, value).is_some())
        })
    };
    (pushes && function.bytes().split(|byte| *byte == b'\n').any(is_list))
        .then(|| format!("Each turn searches all of the list `{}`", String::from_utf8_lossy(list)))
}

/// `s += x` on a string of the function.
fn joined_in_go(node: Node<'_>) -> Option<String> {
    let (left, operator) =
        node.child("left").zip(node.child("operator")).filter(|_| node.kind() == "assignment_statement")?;
    let target = left.named_children().next().filter(|target| target.kind() == "identifier")?;
    let around = loop_around(node).filter(|_| operator.bytes() == b"+=")?;
    let function = around.ancestors().find(|outer| is_function(*outer))?;
    if function.bytes().len() > LONGEST_FUNCTION {
        return None;
    }
    let before = &function.bytes()[..around.range().start - function.range().start];
    let declared = [[target.bytes(), b" := \""].concat(), [b"var ", target.bytes(), b" string"].concat()];
    let name = target.text();
    declared
        .iter()
        .any(|text| memchr::memmem::find(before, text).is_some())
        .then(|| format!("Each `+=` copies all of the string `{name}`"))
}

/// `s += x` on a `String` of the function.
fn joined(node: Node<'_>) -> Option<String> {
    let target = node.child("left").filter(|_| node.kind() == "assignment_expression")?;
    let adds = node.children().any(|child| child.kind() == "+=") && target.kind() == "identifier";
    let around = loop_around(node).filter(|_| adds)?;
    let function = around.ancestors().find(|outer| is_function(*outer))?;
    if function.bytes().len() > LONGEST_FUNCTION {
        return None;
    }
    let declared = [b"String ", target.bytes(), b" ="].concat();
    let before = &function.bytes()[..around.range().start - function.range().start];
    memchr::memmem::find(before, &declared)
        .is_some()
        .then(|| format!("Each `+=` copies all of the string `{}`", target.text()))
}

/// `all = [...all, x]`
fn spread(node: Node<'_>) -> Option<String> {
    let (target, value) =
        node.child("left").zip(node.child("right")).filter(|_| node.kind() == "assignment_expression")?;
    let first = value.named_children().next().filter(|first| first.kind() == "spread_element")?;
    let same = value.is_kind(&["array", "object"])
        && first.named_children().next().is_some_and(|inner| inner.bytes() == target.bytes());
    (same && loop_around(node).is_some()).then(|| format!("Each turn copies all of `{}`", target.text()))
}
