use super::super::assertion::is_literal;
use super::before::tried_in;
use super::{Swallow, Weight, promises};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Node, Notion, Tree};

/// Everything, as `catch` can say it.
const BROAD: [&str; 13] = [
    "exception",
    "std::exception",
    "Exception",
    "BaseException",
    "Throwable",
    "Error",
    "StandardError",
    "System.Exception",
    "\\Exception",
    "\\Throwable",
    "RuntimeException",
    "java.lang.Exception",
    "NonFatal",
];

/// Errors that are a usual way to say no.
const BENIGN: [&str; 30] = [
    "ImportError",
    "ModuleNotFoundError",
    "KeyError",
    "AttributeError",
    "IndexError",
    "StopIteration",
    "StopAsyncIteration",
    "KeyboardInterrupt",
    "GeneratorExit",
    "FileNotFoundError",
    "FileExistsError",
    "NoSuchFileException",
    "ProcessLookupError",
    "Empty",
    "Full",
    "DoesNotExist",
    "NotFound",
    "AlreadyExists",
    "ValueError",
    "TypeError",
    "UnicodeDecodeError",
    "LookupError",
    "NumberFormatException",
    "Cancel",
    "BrokenPipe",
    "NoSuchElement",
    "ConnectionResetError",
    "EOFError",
    "NameError",
    "NotImplementedError",
];

/// What people try on the way out: if it fails, it was gone already.
pub(super) const CLEANS_UP: [&str; 32] = [
    "close",
    "Close",
    "unlink",
    "unlinkSync",
    "rm",
    "rmSync",
    "rmtree",
    "remove",
    "kill",
    "destroy",
    "abort",
    "disconnect",
    "removeItem",
    "setItem",
    "getItem",
    "require",
    "cleanup",
    "dispose",
    "Dispose",
    "release",
    "terminate",
    "shutdown",
    "cancel",
    "stop",
    "delete",
    "Delete",
    "flush",
    "end",
    "chmod",
    "closeQuietly",
    "releasePointerCapture",
    "setPointerCapture",
];

pub(super) fn swallows(tree: &Tree) -> Vec<Swallow<'_>> {
    tree.root().descendants().filter_map(swallow).collect()
}

fn swallow(node: Node<'_>) -> Option<Swallow<'_>> {
    match node.kind() {
        "except_clause" | "catch_clause" | "catch_block" | "rescue" => {
            let empty = (node.is_named() && is_empty_catch(node)).then(|| empty_catch(node)).flatten();
            empty.or_else(|| turned_into_nothing(node))
        }
        "rescue_modifier" => rescued_in_passing(node),
        "finally_clause" | "finally_block" => left_in_the_end(node),
        "call_expression" => promises::swallow(node).or_else(|| caught_and_dropped(node)),
        "try_expression" => tried_and_dropped(node),
        "with_statement" => suppressed(node),
        _ => None,
    }
}

/// `f rescue nil`; and `f rescue 0`, which weighs something only where somebody heard of the error before.
fn rescued_in_passing(node: Node<'_>) -> Option<Swallow<'_>> {
    let handler = node.child("handler").filter(|handler| is_default(&handler.text()))?;
    Some(Swallow {
        at: node,
        tried: node.child("body"),
        message: format!("`rescue {}` drops every error", handler.text()),
        weight: if handler.kind() == "nil" { Weight::Likely } else { Weight::Replaced },
    })
}

/// `finally: return x`: what was on its way up ends here.
fn left_in_the_end(node: Node<'_>) -> Option<Swallow<'_>> {
    let body = node.child_of(&["block", "statement_block", "compound_statement", "statements"])?;
    let leaves = statements(body).any(|statement| statement.is(Notion::Return));
    let message = "`return` in `finally` drops every error that is on its way".to_owned();
    leaves.then_some(Swallow { at: node, tried: None, message, weight: Weight::Likely })
}

/// `with suppress(Exception):` of Python.
fn suppressed(node: Node<'_>) -> Option<Swallow<'_>> {
    let clause = node.child_of(&["with_clause"])?;
    let call = clause.descendants().find_map(|inner| inner.call())?;
    let broad = call.arguments().any(|given| BROAD.contains(&given.text().as_ref()));
    let tried = node.child("body").filter(|_| broad && call.name() == "suppress")?;
    let weight = if cleans_up(tried) { Weight::Deliberate } else { Weight::Likely };
    let message = "Every error is suppressed here".to_owned();
    Some(Swallow { at: node, tried: Some(tried), message, weight })
}

/// Whether a handler does nothing at all.
pub(super) fn is_empty_catch(node: Node<'_>) -> bool {
    if node.has_error() {
        return false;
    }
    match node.kind() {
        "rescue" => node.child("body").is_none_or(|body| body.named_children().next().is_none()),
        "catch_block" if node.tree().table().language() == Language::Swift => {
            node.child_of(&["statements"]).is_none()
        }
        "catch_clause" if node.tree().table().language() == Language::Scala => {
            node.descendants().filter(|inner| inner.kind() == "case_clause").any(is_empty_case)
        }
        _ => {
            let body = node.child("body").or_else(|| node.child_of(&["block"]));
            body.is_some_and(|body| statements(body).all(does_nothing))
        }
    }
}

/// `except Exception: return None`, which weighs something only where the error was passed on before, or where the handler
/// takes everything.
fn turned_into_nothing(node: Node<'_>) -> Option<Swallow<'_>> {
    let parent = node.parent().filter(|_| node.is_named() && !node.has_error())?;
    gives_a_default(node).then_some(())?;
    Some(Swallow {
        at: node,
        tried: Some(tried_in(parent)?),
        message: "A default takes the place of the error, and nobody hears of it".to_owned(),
        weight: if names_everything(node) { Weight::TurnedByAll } else { Weight::TurnedIntoNothing },
    })
}

/// Whether all that a handler does is to give a value that says nothing of the error.
fn gives_a_default(node: Node<'_>) -> bool {
    if node.tree().table().language() == Language::Scala {
        let mut cases = node.descendants().filter(|inner| inner.kind() == "case_clause");
        let (Some(only), None) = (cases.next(), cases.next()) else { return false };
        return only.child("body").is_some_and(|body| is_default(&body.text()));
    }
    let body =
        node.child("body").or_else(|| node.child_of(&["block", "statements", "statement_block", "then"]));
    let Some(body) = body else { return false };
    let mut inside = statements(body);
    let (Some(only), None) = (inside.next(), inside.next()) else { return false };
    let text = only.text();
    let returned = text.strip_prefix("return").filter(|rest| !rest.starts_with(char::is_alphanumeric));
    // The last value of a block is what it gives in these languages.
    let gives_last = matches!(node.tree().table().language(), Language::Ruby | Language::Kotlin);
    returned.or_else(|| gives_last.then_some(text.as_ref())).is_some_and(is_default)
}

/// A value that was there before anything was tried: a literal, or something with nothing in it.
fn is_default(value: &str) -> bool {
    const EMPTY: [&str; 22] = [
        "",
        "None",
        "{}",
        "[]",
        "()",
        "dict()",
        "list()",
        "set()",
        "Nil",
        "new ArrayList<>()",
        "new HashMap<>()",
        "new HashSet<>()",
        "List.of()",
        "Map.of()",
        "Set.of()",
        "Collections.emptyList()",
        "Collections.emptyMap()",
        "Optional.empty()",
        "emptyList()",
        "emptyMap()",
        "new Map()",
        "new Set()",
    ];
    let value = value.trim().trim_end_matches(';').trim_end();
    // `{} as T`, `List.empty[Game]`, `Array.Empty<Bed>()`, `new List<Bed>()`.
    let plain = value.split(" as ").next().unwrap_or(value).trim_end();
    EMPTY.contains(&plain) || is_literal(plain.as_bytes()) || TYPED_EMPTY.regex().is_match(plain.as_bytes())
}

static TYPED_EMPTY: Pattern = Pattern::new(
    r"^(?:new\s+\w+<[\w, <>?]*>\(\)|(?:Array|Enumerable)\.Empty<[\w<>?]+>\(\)|(?:List|Seq|Map|Set|Vector|Option|Array)\.empty(?:\[[\w, \[\]]*\])?|\[\w+\]\(\))$",
);

/// Whether a handler says that it takes everything. One of JavaScript cannot say anything else.
fn names_everything(node: Node<'_>) -> bool {
    let says = !matches!(node.tree().table().language(), Language::JavaScript | Language::TypeScript);
    let caught = caught(node);
    says && (is_broad(&caught) && !caught.is_empty())
}

pub(super) fn statements(block: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    block.named_children().filter(|child| !child.is(Notion::Comment))
}

fn does_nothing(statement: Node<'_>) -> bool {
    match statement.kind() {
        "pass_statement" | "continue_statement" | "empty_statement" => true,
        "expression_statement" => statement.bytes() == b"...",
        _ => false,
    }
}

fn is_empty_case(case: Node<'_>) -> bool {
    case.child("body").is_none_or(|body| body.bytes() == b"()" || body.bytes() == b"{}")
}

fn empty_catch(node: Node<'_>) -> Option<Swallow<'_>> {
    let tried = tried_in(node.parent()?);
    let caught = caught(node);
    let is_benign = caught.iter().any(|name| BENIGN.iter().any(|known| name.contains(known)));
    let weight = match () {
        () if names_it_ignored(node) || tried.is_some_and(cleans_up) || is_benign => Weight::Deliberate,
        () if is_broad(&caught) => Weight::Certain,
        () => Weight::Perhaps,
    };
    let message = match caught.as_slice() {
        [] => "Every error is caught here and dropped".to_owned(),
        names => format!("`{}` is caught here and dropped", names.join(", ")),
    };
    Some(Swallow { at: node, tried, message, weight })
}

/// Whether a handler that names these takes everything.
pub(super) fn is_broad(caught: &[String]) -> bool {
    caught.is_empty() || caught.iter().any(|name| BROAD.contains(&name.as_str()))
}

/// The types that a handler names; none if it takes everything.
pub(super) fn caught(node: Node<'_>) -> Vec<String> {
    let head = node
        .children()
        .take_while(|child| !child.is(Notion::Block) && child.field() != "body" && child.kind() != "block");
    let language = node.tree().table().language();
    let cpp = language == Language::Cpp;
    let script = matches!(language, Language::JavaScript | Language::TypeScript);
    if script {
        return Vec::new();
    }
    let list = head.filter(|child| child.is_named() && !child.is(Notion::Comment)).flat_map(|child| {
        let alone = child.children().next().is_none().then_some(child);
        child.descendants().chain(alone)
    });
    let mut names: Vec<String> = list
        .filter(|inner| inner.children().next().is_none() && inner.is_named())
        .map(|inner| inner.text().into_owned())
        .filter(|name| {
            name.chars().next().is_some_and(char::is_uppercase)
                || name.contains("rror")
                || (cpp && !["const", "e", "ex", "err", "std"].contains(&name.as_str()))
        })
        .collect();
    names.dedup();
    names.truncate(3);
    names
}

/// `catch (Foo ignored)`.
fn names_it_ignored(node: Node<'_>) -> bool {
    let head = node
        .children()
        .take_while(|child| !child.is(Notion::Block) && child.field() != "body" && child.kind() != "block");
    head.flat_map(|child| child.descendants().chain(Some(child))).any(|inner| {
        let name = inner.text().trim_start_matches('$').to_ascii_lowercase();
        inner.children().next().is_none()
            && (["ignore", "expected", "unused", "swallow"].iter().any(|word| name.starts_with(word))
                || (name.starts_with('_') && inner.is_named()))
    })
}

/// Whether the body is a single call that tidies up.
fn cleans_up(body: Node<'_>) -> bool {
    let mut all = statements(body);
    let (Some(only), None) = (all.next(), all.next()) else { return false };
    let call = std::iter::successors(Some(only), |node| node.named_children().next())
        .take(4)
        .find_map(|node| node.call());
    call.is_some_and(|call| CLEANS_UP.contains(&call.name().as_str()))
}

/// `runCatching { ... }` of Kotlin and `Try(...)` of Scala, whose outcome nobody takes.
fn caught_and_dropped(node: Node<'_>) -> Option<Swallow<'_>> {
    let callee = node.call()?.callee();
    let word = match node.tree().table().language() {
        Language::Kotlin => &b"runCatching"[..],
        Language::Scala => b"Try",
        _ => return None,
    };
    let is_block = |around: Node<'_>| around.is(Notion::Block) && !around.is_kind(&["function_body"]);
    let alone = node.parent().is_some_and(is_block);
    // The last of a block of Scala is its value.
    let is_value = node.tree().table().language() == Language::Scala
        && node.next_sibling().is_none_or(|next| next.kind() == "}")
        && !returns_unit(node);
    (callee == word && alone && !is_value).then(|| Swallow {
        at: node,
        tried: node.named_children().last(),
        message: format!("`{}` drops the error", String::from_utf8_lossy(word)),
        weight: Weight::Likely,
    })
}

fn returns_unit(node: Node<'_>) -> bool {
    let function = node.ancestors().find(|around| around.is(Notion::Function) || around.is(Notion::Lambda));
    function.and_then(|function| function.child("return_type")).is_some_and(|kind| kind.bytes() == b"Unit")
}

/// `try? f()` of Swift, as a statement.
fn tried_and_dropped(node: Node<'_>) -> Option<Swallow<'_>> {
    let optional = node.child_of(&["try_operator"]).is_some_and(|operator| operator.bytes() == b"try?");
    let alone = node.parent().is_some_and(|parent| parent.is_kind(&["statements", "source_file"]));
    let tried = node.child("expr").filter(|_| optional && alone)?;
    let tidies = tried
        .call()
        .is_some_and(|call| CLEANS_UP.contains(&call.name().as_str()) || call.name() == "removeItem");
    Some(Swallow {
        at: node,
        tried: Some(tried),
        message: "`try?` drops the error".to_owned(),
        weight: if tidies { Weight::Deliberate } else { Weight::Likely },
    })
}
