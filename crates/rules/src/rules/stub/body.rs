//! Python functions whose whole body is a placeholder.

use domain::review::Confidence;
use domain::words::Severity;

use super::BASE_NAME;
use super::alone::saying;
use super::surroundings::Surroundings;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Function, Node, Notion, Takes, functions};

static ABSTRACT_BASES: Pattern = Pattern::new(r"\b(?:ABC|ABCMeta|Protocol|Interface|TypedDict|NamedTuple)\b");

pub(super) fn check(file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
    let possible = |line: &AddedLine<'_>| {
        let statement = line.text.trim_ascii();
        super::WORTH.regex().is_match(statement)
            || [&b"pass"[..], b"..."]
                .iter()
                .any(|word| statement.starts_with(word) || statement.ends_with(word))
    };
    if !hits.iter().any(possible) || file.change.path().extension() == "pyi" {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let mut known = Surroundings::of(tree, file);
    for function in functions(tree) {
        let Some((only, filler)) = function.body.and_then(filler) else { continue };
        let line = only.line();
        let class = class_of(function.node);
        if !file.touched_lines().is_added(line) || is_abstract(&function, class, &known) {
            continue;
        }
        match filler {
            Filler::Refusal => {
                // A method with a docstring may be part of an interface that is implemented elsewhere, and so may one of
                // several that all refuse.
                let unsure =
                    class.is_some_and(|class| is_explained(function.node) || known.is_interface(class));
                let confidence = if unsure { Confidence::Low } else { Confidence::High };
                let message = "`raise NotImplementedError` stands where the implementation should be";
                report.add(Draft::lines(head, line, line, message).confidence(confidence));
            }
            Filler::Nothing
                if is_forgotten(&function, class)
                    && (!known.is_handed_over(&function) || known.worked_before(&function)) =>
            {
                // A method that does nothing may be what a null object needs.
                let confidence = if class.is_some() { Confidence::Low } else { Confidence::Medium };
                let message = format!("The body of `{}` is empty", function.name);
                report.add(Draft::lines(head, line, line, message).confidence(confidence));
            }
            Filler::Nothing if is_only_described(&function, class) && !known.is_handed_over(&function) => {
                let message = format!("Of `{}` there is only a description", function.name);
                let draft = Draft::lines(head, line, line, message).severity(Severity::Medium);
                let confidence = if class.is_some() { Confidence::Low } else { Confidence::Medium };
                report.add(draft.confidence(confidence));
            }
            Filler::Nothing => {}
            Filler::Failure | Filler::Message => {
                let message = format!("All that `{}` does is say that it is not written", function.name);
                let is_failure = matches!(filler, Filler::Failure);
                let severity = if is_failure { Severity::Major } else { Severity::Medium };
                let confidence = if class.is_some() { Confidence::Low } else { Confidence::Medium };
                report.add(Draft::lines(head, line, line, message).severity(severity).confidence(confidence));
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Filler {
    Refusal,
    Nothing,
    /// Another error that says the same.
    Failure,
    /// The same, only shown.
    Message,
}

/// What a body consists of, if it is a placeholder, by its statement or by what that says.
fn filler(body: Node<'_>) -> Option<(Node<'_>, Filler)> {
    only_filler(body).or_else(|| {
        let said = saying(&statements(body).take(3).collect::<Vec<_>>())?;
        Some((said.node, if said.fails { Filler::Failure } else { Filler::Message }))
    })
}

/// Without the docstring.
fn statements(body: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let is_docstring = |statement: &Node<'_>| {
        statement.kind() == "expression_statement"
            && statement.named_children().next().is_some_and(|inner| inner.is(Notion::String))
    };
    body.named_children().filter(move |statement| !statement.is(Notion::Comment) && !is_docstring(statement))
}

/// The only statement of a body besides its docstring, if it is a placeholder.
pub(super) fn only_filler(body: Node<'_>) -> Option<(Node<'_>, Filler)> {
    let mut statements = statements(body);
    let (only, None) = (statements.next()?, statements.next()) else { return None };
    let filler = match only.kind() {
        "pass_statement" => Filler::Nothing,
        "expression_statement" if only.bytes() == b"..." => Filler::Nothing,
        "raise_statement" => {
            let raised = only.named_children().next()?;
            let raised = raised.call().map_or(raised.bytes(), |call| call.callee());
            (raised == b"NotImplementedError").then_some(Filler::Refusal)?
        }
        _ => return None,
    };
    Some((only, filler))
}

fn decorators(function: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
    decorated.into_iter().flat_map(|parent| parent.children()).filter(|child| child.kind() == "decorator")
}

/// The class whose method it is.
fn class_of(function: Node<'_>) -> Option<Node<'_>> {
    let parent = function.parent()?;
    let outer = if parent.kind() == "decorated_definition" { parent.parent()? } else { parent };
    outer.parent().filter(|class| class.kind() == "class_definition")
}

fn is_abstract(function: &Function<'_>, class: Option<Node<'_>>, known: &Surroundings<'_, '_>) -> bool {
    let holds = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
    let marked = decorators(function.node)
        .any(|decorator| holds(decorator.bytes(), b"abstract") || holds(decorator.bytes(), b"overload"));
    let of_class = |class: Node<'_>| {
        let name = class.child("name").map(|name| name.text().into_owned()).unwrap_or_default();
        let bases = class.child("superclasses").map(|list| list.bytes()).unwrap_or_default();
        ABSTRACT_BASES.regex().is_match(bases)
            || BASE_NAME.regex().is_match(name.as_bytes())
            // Who inherits has to write it, if it did something before.
            || known.has_heirs(&name) && (!known.worked_before(function) || known.is_taken_over(function))
    };
    marked || class.is_some_and(of_class)
}

const HOOKS: [&str; 17] = [
    "on_",
    "handle_",
    "noop",
    "_noop",
    "visit_",
    "setup",
    "teardown",
    "do_nothing",
    "before_",
    "after_",
    "pytest_",
    "setUp",
    "tearDown",
    "asyncSetUp",
    "asyncTearDown",
    "upgrade",
    "downgrade",
];

/// Doing nothing can be right: in a hook that overrides another, a decorated declaration, a special method,
/// or where a comment or docstring says so. Only what is left is called forgotten.
fn is_forgotten(function: &Function<'_>, class: Option<Node<'_>>) -> bool {
    is_plain(function, class) && !is_explained(function.node)
}

/// Whether nobody else asked for the function, as far as its name and its place tell.
fn is_plain(function: &Function<'_>, class: Option<Node<'_>>) -> bool {
    let in_plain_scope = match class {
        // One of several definitions may be chosen by a condition.
        None => function.node.parent().is_some_and(|parent| parent.kind() == "module"),
        // What hands everything on to another object leaves out what it does not.
        Some(class) => {
            class.child("superclasses").is_none()
                && memchr::memmem::find(class.bytes(), b"def __getattr__(").is_none()
        }
    };
    in_plain_scope
        && decorators(function.node).next().is_none()
        && !function.name.starts_with("__")
        && !HOOKS.iter().any(|start| function.name.starts_with(start))
}

/// What a docstring says where doing nothing is what is wanted, or where others are to do it.
static MEANT_EMPTY: Pattern = Pattern::new(
    r"(?i)\b(?:noth|no-?op|do(?:es)? not\b|hook|overrid|subclass|default|ignor|callback|placeholder|dummy|stub|abstract|interface|optional|unused|deprecated|implement)",
);

/// Whether a function that is given something has a docstring of what it does, and does nothing.
fn is_only_described(function: &Function<'_>, class: Option<Node<'_>>) -> bool {
    let takes = function.parameters().iter().any(|one| one.takes != Takes::Receiver);
    let first = function.body.and_then(|body| body.named_children().next());
    let described = first.is_some_and(|first| {
        let is_text = first.named_children().next().is_some_and(|inner| inner.is(Notion::String));
        is_text && !MEANT_EMPTY.regex().is_match(first.bytes())
    });
    let commented = function.node.descendants().any(|node| node.is(Notion::Comment));
    takes && described && !commented && is_plain(function, class)
}

/// Whether a comment or a string stands in the function, be it only its docstring. A comment at its end belongs to it by
/// its indentation, though the grammar puts it behind.
fn is_explained(function: Node<'_>) -> bool {
    let says = |node: &Node<'_>| node.is(Notion::Comment) || node.is(Notion::String);
    let line = function.end_line();
    let behind = function.next_sibling().filter(|next| next.line() == line);
    function.descendants().any(|node| says(&node)) || behind.is_some_and(|next| says(&next))
}
