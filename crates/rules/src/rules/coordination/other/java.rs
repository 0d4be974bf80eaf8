use std::collections::HashSet;

use super::super::rust::Alteration;
use super::{changed_types, demanded, kind, likely, parameter_types, slight};
use crate::language::Language;
use crate::syntax::{Item, ItemKind, Node};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    match was.kind {
        ItemKind::Function => method(was.node, is.node),
        ItemKind::Type => type_of(was.node, is.node),
        ItemKind::Field => field(was.node.parent()?, is.node.parent()?),
        ItemKind::Variant | ItemKind::Constant => None,
    }
}

fn says(node: Node<'_>, word: &str) -> bool {
    node.child_of(&["modifiers"]).is_some_and(|all| all.child_of(&[word]).is_some())
}

fn method(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    if let Some(how) = changed_types(old, new, Language::Java) {
        return Some(likely(how));
    }
    if says(old, "static") && !says(new, "static") {
        return Some(likely("is no longer static".to_owned()));
    }
    let body = |node: Node<'_>| node.child("body").is_some();
    if body(old) && !body(new) {
        return Some(likely("has lost its default implementation".to_owned()));
    }
    if let Some(thrown) = checked(new).difference(&checked(old)).next() {
        return Some(likely(format!("throws {thrown}, which callers have to handle")));
    }
    let (was, is) = (parameter_types(old), parameter_types(new));
    let mut pairs = was.iter().zip(&is).filter(|_| was.len() == is.len());
    let (was, is) = pairs.find(|(was, is)| is_other_class(was, is))?;
    Some(slight(format!("takes {is} instead of {was}")))
}

/// By simple names that are not those of everything, or of a collection that many are.
fn is_other_class(was: &str, is: &str) -> bool {
    const WIDE: [&str; 9] =
        ["Object", "List", "Collection", "Iterable", "Map", "Set", "CharSequence", "Number", "Serializable"];
    let name = |text: &str| {
        text.split('<').next().unwrap_or_default().rsplit('.').next().unwrap_or_default().to_owned()
    };
    let (was, is) = (name(was), name(is));
    let is_class = |text: &str| text.len() > 1 && text.starts_with(|c: char| c.is_uppercase());
    was != is && is_class(&was) && is_class(&is) && !WIDE.contains(&is.as_str())
}

/// What is declared to be thrown and cannot be left alone.
fn checked(method: Node<'_>) -> HashSet<String> {
    const CHECKED: [&str; 14] = [
        "IOException",
        "SQLException",
        "Exception",
        "Throwable",
        "InterruptedException",
        "ClassNotFoundException",
        "TimeoutException",
        "ExecutionException",
        "GeneralSecurityException",
        "NoSuchAlgorithmException",
        "URISyntaxException",
        "ParseException",
        "FileNotFoundException",
        "CloneNotSupportedException",
    ];
    let list = method.child_of(&["throws"]).into_iter().flat_map(|list| list.named_children());
    let names = list.map(|name| name.text().rsplit('.').next().unwrap_or_default().to_owned());
    names.filter(|name| CHECKED.contains(&name.as_str())).collect()
}

fn type_of(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    // A class that nobody can extend is used as a record is.
    let may_be_record =
        new.kind() == "record_declaration" && says(old, "final") && old.child("superclass").is_none();
    if may_be_record && old.kind() == "class_declaration" {
        return None;
    }
    if old.kind() != new.kind() {
        let noun = new.kind().trim_end_matches("_declaration").replace("_type", "");
        return Some(likely(format!("became a different kind of type: {noun}")));
    }
    if let Some(how) = demanded(old, new) {
        return Some(likely(how));
    }
    for word in ["final", "abstract", "sealed"] {
        if says(new, word) && !says(old, word) {
            return Some(likely(format!("became {word}")));
        }
    }
    if let Some(name) = abstract_methods(new).difference(&abstract_methods(old)).next() {
        return Some(likely(format!("demands the new method {name} of its subclasses")));
    }
    if let Some(name) = components(old).into_iter().find(|name| !components(new).contains(name)) {
        return Some(likely(format!("has lost its component {name}")));
    }
    let (was, is) = (supertypes(old), supertypes(new));
    let lost = was.iter().find(|name| !is.contains(*name))?;
    let how = format!("is no longer {lost}");
    // Another may bring it along.
    Some(if is.iter().all(|name| was.contains(name)) { likely(how) } else { slight(how) })
}

/// Those that a subclass has to write. None if it could not be extended before.
fn abstract_methods(class: Node<'_>) -> HashSet<String> {
    let body = class.child("body").filter(|_| class.kind() == "class_declaration");
    let methods = body.into_iter().flat_map(|body| body.named_children());
    methods
        .filter(|one| one.kind() == "method_declaration" && says(*one, "abstract"))
        .filter_map(|one| one.child("name").map(|name| name.text().into_owned()))
        .collect()
}

fn components(record: Node<'_>) -> Vec<String> {
    let list = record.child("parameters").filter(|_| record.kind() == "record_declaration");
    let all = list.into_iter().flat_map(|list| list.named_children());
    all.filter_map(|one| one.child("name").map(|name| name.text().into_owned())).collect()
}

fn supertypes(class: Node<'_>) -> HashSet<String> {
    let parts = ["superclass", "interfaces"].into_iter().filter_map(|field| class.child(field));
    let names = parts.flat_map(|part| part.descendants().collect::<Vec<_>>()).filter(|part| {
        let within =
            part.parent().is_some_and(|list| list.is_kind(&["type_arguments", "scoped_type_identifier"]));
        part.kind() == "type_identifier" && !within
    });
    names.map(|name| name.text().into_owned()).collect()
}

fn field(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    const KNOWN: [&str; 12] = [
        "int", "long", "short", "byte", "char", "float", "double", "boolean", "String", "Integer", "Long",
        "Boolean",
    ];
    let (was, is) = (kind(old, "type"), kind(new, "type"));
    if was != is && KNOWN.contains(&was.as_str()) && KNOWN.contains(&is.as_str()) {
        return Some(likely(format!("is {is} instead of {was}")));
    }
    (says(new, "final") && !says(old, "final")).then(|| likely("became final".to_owned()))
}

/// `protected`, in a class that others may extend.
pub(super) fn is_for_heirs(member: Node<'_>) -> bool {
    let says = |node: Node<'_>, word: &str| {
        let modifiers = node.child_of(&["modifiers"]);
        modifiers.is_some_and(|list| list.children().any(|one| one.bytes() == word.as_bytes()))
    };
    let declaration =
        if member.kind() == "variable_declarator" { member.parent().unwrap_or(member) } else { member };
    let mut classes = member.ancestors().filter(|around| around.kind() == "class_declaration").peekable();
    let open = |class: Node<'_>| says(class, "public") && !says(class, "final");
    says(declaration, "protected") && classes.peek().is_some() && classes.all(open)
}
