//! What calls put into names: by a method of theirs, or by what is passed to them.

use tree_sitter::Node;

use super::arguments::receiver;
use super::scope::{Assignment, Given, root_of};
use super::{Flow, Origin};
use crate::language::Language;

/// Calls that write what they read into what an argument points to, as Go's.
const READING: [&str; 10] = [
    "Decode",
    "Unmarshal",
    "Bind",
    "BindJSON",
    "ShouldBind",
    "ShouldBindJSON",
    "ShouldBindQuery",
    "ShouldBindUri",
    "BodyParser",
    "QueryParser",
];

/// Calls that fill the buffers they are given.
const OVERWRITING: [&str; 7] =
    ["nextBytes", "Read", "ReadFull", "getRandomValues", "randomFillSync", "randomFill", "readFully"];

/// Calls on a value that put more into it.
const ADDING: [&str; 17] = [
    "append",
    "add",
    "push",
    "unshift",
    "insert",
    "extend",
    "concat",
    "WriteString",
    "write",
    "put",
    "update",
    "set",
    "Add",
    "Set",
    "push_str",
    "arg",
    "args",
];

/// Calls that put nothing into the lists they are given.
const ONLY_READING: [&str; 13] = [
    "join", "Join", "addAll", "append", "len", "cap", "format", "valueOf", "copyOf", "println", "info",
    "debug", "size",
];

impl<'t> Flow<'t> {
    pub(super) fn collect_added(&self, call: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        if matches!(self.language, Language::C | Language::Cpp) {
            return self.collect_buffers(call, found);
        }
        let callee = call.child_by_field_name("function").unwrap_or(call);
        let method = ["attribute", "property", "field", "name"]
            .iter()
            .find_map(|field| callee.child_by_field_name(field))
            .map(|method| self.text_of(method));
        let object = receiver(callee);
        self.collect_filled(call, found);
        if let Some(method) = method
            && READING.contains(&method)
        {
            return self.collect_read(call, object, found);
        }
        if let Some(method) = method
            && OVERWRITING.contains(&method)
        {
            return self.collect_overwritten(call, found);
        }
        let (Some(method), Some(object)) = (method, object.and_then(root_of)) else { return };
        if !ADDING.contains(&method) {
            return;
        }
        if let Some(arguments) = call.child_by_field_name("arguments") {
            let is_text = matches!(method, "append" | "concat" | "WriteString" | "write" | "push_str");
            let given = if is_text { Given::Added(arguments) } else { Given::Listed(arguments) };
            found.push(self.assignment(self.text_of(object), given, call));
        }
    }

    /// Whatever is passed an empty buffer may write to it.
    fn collect_filled(&self, call: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        if !matches!(self.language, Language::Java | Language::Go) {
            return;
        }
        let Some(arguments) = call.child_by_field_name("arguments") else { return };
        let mut cursor = arguments.walk();
        for passed in arguments.named_children(&mut cursor).filter_map(root_of) {
            let name = self.text_of(passed);
            let known = found.iter().rev().find(|one| one.name == name).map(|one| one.given);
            let may_fill = match known {
                Some(Given::Value(value)) if self.is_collection(value) => {
                    self.is_handed_over(name, call, found)
                }
                Some(Given::Value(value)) => self.is_room(value),
                Some(Given::Nothing | Given::Added(_)) => {
                    self.language == Language::Go && self.text_of(call).contains(&format!("&{name}"))
                }
                Some(Given::Listed(_)) => {
                    self.language == Language::Java && self.is_handed_over(name, call, found)
                }
                Some(Given::From(_)) | None => false,
            };
            if may_fill {
                found.push(self.assignment(name, Given::From(Origin::Unknown), call));
            }
        }
    }

    /// Whether a call is passed a new list of this name, and may put into it what it likes.
    fn is_handed_over(&self, name: &str, call: Node<'t>, found: &[Assignment<'t>]) -> bool {
        let called = call.child_by_field_name("name").or_else(|| call.child_by_field_name("function"));
        let called = called.map_or("", |called| self.text_of(called));
        let last = called.rsplit('.').next().unwrap_or(called);
        let made = found.iter().rev().filter(|one| one.name == name).find_map(|one| match one.given {
            Given::Value(value) => Some(value),
            Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => None,
        });
        !self.only_reads(call, last) && made.is_some_and(|made| self.is_collection(made))
    }

    /// By its name, unless that may be one of the program's own: a function of this file, or one that is called without
    /// saying of what.
    fn only_reads(&self, call: Node<'t>, last: &str) -> bool {
        const BUILT_IN: [&str; 3] = ["len", "cap", "append"];
        let of = call.child_by_field_name("object").or_else(|| call.child_by_field_name("function"));
        let is_bare = match of.map(|of| (of.kind(), self.text_of(of))) {
            None | Some(("identifier", _)) if self.language == Language::Go => !BUILT_IN.contains(&last),
            None => true,
            Some((_, before)) => matches!(before, "this" | "super"),
        };
        ONLY_READING.contains(&last) && !is_bare && !self.defines(last)
    }

    /// What such a call puts into a buffer is no constant any more.
    fn collect_overwritten(&self, call: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        let Some(arguments) = call.child_by_field_name("arguments") else { return };
        let mut cursor = arguments.walk();
        for passed in arguments.named_children(&mut cursor).filter(|one| one.kind() == "identifier") {
            found.push(self.assignment(self.text_of(passed), Given::From(Origin::Unknown), call));
        }
    }

    /// `json.NewDecoder(r.Body).Decode(&order)`, `json.Unmarshal(body, &order)`, `c.BindJSON(&order)`.
    fn collect_read(&self, call: Node<'t>, object: Option<Node<'t>>, found: &mut Vec<Assignment<'t>>) {
        let Some(arguments) = call.child_by_field_name("arguments") else { return };
        let mut cursor = arguments.walk();
        let passed: Vec<Node<'t>> = arguments.named_children(&mut cursor).collect();
        let pointed = passed.iter().rev().find(|one| self.text_of(**one).starts_with('&'));
        let Some(target) = pointed.and_then(|one| one.child_by_field_name("operand")) else { return };
        let given = match (object, passed.as_slice()) {
            (_, [data, _, ..]) => Given::Value(*data),
            (Some(object), _) if matches!(self.text_of(object), "c" | "ctx") => Given::From(Origin::Tainted),
            (Some(object), _) => Given::Value(object),
            (None, _) => return,
        };
        if target.kind() == "identifier" {
            found.push(self.assignment(self.text_of(target), given, call));
        }
    }
}
