//! `[AllowAnonymous]` on a method that its controller's `[Authorize]` guarded before.

use std::collections::HashMap;

use domain::words::Severity;

use super::Found;
use crate::context::FileContext;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Function, Node, Tree, functions};

/// What has to be reached before anybody is known, or by machines that show a signature.
static PUBLIC: Pattern = Pattern::new(
    r"(?i)log(?:in|out|on|off)|sign(?:in|up|out)|regist|token|refresh|password|confirm|verif|activat|callback|webhook|hook|health|ping|status|ready|alive|version|challenge|error|csrf|captcha|invit|subscri|newsletter|contact|feedback|search|public|anonymous|guest",
);
/// What asks in another way who calls: a key, a signature, an answer of its own.
static ASKS: Pattern = Pattern::new(
    r"(?i)api_?key|signature|hmac|basicauth|\bUnauthorized\(|\bForbid\(|Status(?:Codes\.Status)?40[13]|FixedTimeEquals|ConstructEvent|\[Signed|\bVerify\w*\(|\bValidate\w*(?:Request|Webhook)",
);
static WRITES: Pattern = Pattern::new(r"^(?:Http(?:Post|Put|Patch|Delete)|AcceptVerbs)");

/// Only of methods that were there: who adds one says with the attribute whom it is for.
pub(super) fn opened(file: &FileContext<'_>, base: &Tree, head: &Tree) -> Vec<Found> {
    if file.language != Language::CSharp {
        return Vec::new();
    }
    let mut was: HashMap<String, Vec<Function<'_>>> = HashMap::new();
    for function in functions(base) {
        was.entry(function.path()).or_default().push(function);
    }
    let touched = file.touched_lines();
    let opens = |function: &Function<'_>| {
        let mark = attributes(function.node).find(|mark| name(*mark) == "AllowAnonymous")?;
        let before = was.get(&function.path())?;
        // Of several with one name nobody knows which it was.
        let [before] = before.as_slice() else { return None };
        let was_guarded = is_guarded(before.node) && !has_mark(before.node, "AllowAnonymous");
        let is_told = touched.is_added(mark.line())
            && was_guarded
            && class_of(function.node).is_some_and(|class| has_mark(class, "Authorize"))
            && !PUBLIC.regex().is_match(function.name.as_bytes())
            && !ASKS.regex().is_match(function.node.bytes());
        is_told.then(|| mark.line())
    };
    let now = functions(head);
    let found = now.iter().filter_map(|function| {
        let line = opens(function)?;
        let writes = attributes(function.node).any(|mark| WRITES.regex().is_match(name(mark).as_bytes()));
        let severity = if writes { Severity::Major } else { Severity::Medium };
        Some((line, severity, format!("`{}` was for known users, and is for anybody now", function.name)))
    });
    found.collect()
}

fn is_guarded(method: Node<'_>) -> bool {
    let class = class_of(method);
    (class.is_some_and(|class| has_mark(class, "Authorize")) || has_mark(method, "Authorize"))
        && !class.is_some_and(|class| has_mark(class, "AllowAnonymous"))
}

fn class_of(method: Node<'_>) -> Option<Node<'_>> {
    method.ancestors().find(|around| around.is_kind(&["class_declaration", "record_declaration"]))
}

fn attributes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let lists = node.children().filter(|child| child.kind() == "attribute_list");
    lists.flat_map(|list| list.children()).filter(|child| child.kind() == "attribute")
}

fn has_mark(node: Node<'_>, wanted: &str) -> bool {
    attributes(node).any(|mark| name(mark) == wanted)
}

/// Without its namespace, its ending and what it is given.
fn name(attribute: Node<'_>) -> String {
    let text = attribute.text();
    let name = text.split(['(', ' ']).next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    name.strip_suffix("Attribute").unwrap_or(name).to_owned()
}
