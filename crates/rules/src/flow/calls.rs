//! Calls inside one file: what a function is passed there, and what it gives back.

use std::collections::HashMap;

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::scope::FUNCTIONS;
use super::walk::{Step, walk};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// What is called more often is called by everybody.
const MOST_CALLS: usize = 6;

/// More functions of one name are generated.
const MOST_OVERLOADS: usize = 16;

/// So much of a function is searched for what it gives back.
const MOST_NODES: u32 = 20_000;

/// So many calls are entered, one inside the other.
const DEEPEST: usize = 2;

/// The functions of a file and the calls that can only mean them, by name.
#[derive(Debug, Default)]
pub(super) struct Calls<'t> {
    declared: HashMap<&'t str, Vec<Node<'t>>>,
    made: HashMap<&'t str, Vec<Node<'t>>>,
}

/// Whether what other functions of the same file do counts.
pub(crate) fn follows_calls(language: Language) -> bool {
    matches!(language, Language::Java | Language::Go)
}

/// Words in the names of functions that let only harmless values through.
const CHECKING: [&str; 9] =
    ["clean", "valid", "filter", "strip", "safe", "check", "encode", "allow", "normali"];

impl<'t> Flow<'t> {
    fn calls(&self) -> &Calls<'t> {
        self.calls.get_or_init(|| {
            let mut calls = Calls::default();
            if !follows_calls(self.language) {
                return calls;
            }
            walk(self.root, |node| {
                match node.kind() {
                    "method_declaration" | "function_declaration" => {
                        if let Some(name) = node.child_by_field_name("name") {
                            calls.declared.entry(self.text_of(name)).or_default().push(node);
                        }
                    }
                    "method_invocation" | "call_expression" => {
                        if let Some(name) = self.own(node) {
                            calls.made.entry(name).or_default().push(node);
                        }
                    }
                    _ => {}
                }
                Step::Into
            });
            calls
        })
    }

    /// The name of the function that a call can only mean if the file has one of that name: `find(a)`, `this.find(a)`,
    /// `new Finder().find(a)`.
    fn own(&self, call: Node<'t>) -> Option<&'t str> {
        let field = |name| call.child_by_field_name(name);
        match call.kind() {
            "method_invocation" => {
                let is_own = field("object")
                    .is_none_or(|object| matches!(object.kind(), "this" | "object_creation_expression"));
                field("name").filter(|_| is_own).map(|name| self.text_of(name))
            }
            "call_expression" => {
                field("function").filter(|name| name.kind() == "identifier").map(|name| self.text_of(name))
            }
            _ => None,
        }
    }

    /// The one function of this name that takes so many values.
    fn declaration(&self, name: &str, arguments: usize) -> Option<Node<'t>> {
        let declared = self.calls().declared.get(name).filter(|all| all.len() <= MOST_OVERLOADS)?;
        let mut fitting = declared.iter().filter(|one| self.parameter_names(**one).len() == arguments);
        fitting.next().copied().filter(|_| fitting.next().is_none())
    }

    fn parameter_names(&self, function: Node<'t>) -> Vec<&'t str> {
        let Some(list) = function.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = list.walk();
        let mut names = Vec::new();
        for parameter in list.named_children(&mut cursor) {
            let mut cursor = parameter.walk();
            names
                .extend(parameter.children_by_field_name("name", &mut cursor).map(|name| self.text_of(name)));
        }
        names
    }

    /// What is known of a parameter by the calls in the same file, where others than those are not to be expected: hostile if
    /// one call passes something hostile, and harmless if all of them pass something harmless.
    pub(super) fn passed(&self, name: &str, parameter: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let function = self.parent(parameter).and_then(|list| self.parent(list))?;
        let entered = self.following.borrow().iter().rposition(|(id, _)| *id == function.id());
        let called = self.text_of(function.child_by_field_name("name")?);
        if entered.is_none() && !self.is_own_business(function, called) {
            return None;
        }
        let names = self.parameter_names(function);
        let at = names.iter().position(|one| *one == name)?;
        if let Some(depth) = entered {
            // What is passed stands where the call does, outside the function.
            let inside = self.following.borrow_mut().split_off(depth);
            let argument = inside.first().and_then(|(_, call)| Invocation::of(*call)?.at(at));
            let value = argument.map(|argument| self.evaluate(argument, fuel));
            self.following.borrow_mut().extend(inside);
            return value;
        }
        if self.declaration(called, names.len()).is_none_or(|one| one.id() != function.id()) {
            return None;
        }
        let calls = self.calls().made.get(called).filter(|calls| calls.len() <= MOST_CALLS)?;
        let mut passed = Vec::new();
        for call in calls.iter().filter(|call| !function.byte_range().contains(&call.start_byte())) {
            let values = Invocation::of(*call)?.values();
            if values.len() == names.len() {
                passed.push(self.evaluate(*values.get(at)?, fuel));
            }
        }
        let is_hostile = passed.iter().any(|value| value.origin == Origin::Tainted);
        let is_harmless =
            passed.iter().all(|value| value.origin <= Origin::Clean) && self.is_private(function);
        passed.into_iter().reduce(Value::or).filter(|_| is_hostile || is_harmless)
    }

    /// What a function of the same file gives back for these arguments. Nothing where that says no more than the call.
    pub(super) fn returned(&self, call: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let name = self.own(call)?;
        let lower = name.to_ascii_lowercase();
        if self.following.borrow().len() >= DEEPEST || CHECKING.iter().any(|word| lower.contains(word)) {
            return None;
        }
        let function = self.declaration(name, Invocation::of(call)?.values().len())?;
        let mut given = Vec::new();
        let mut left = MOST_NODES;
        walk(function, |node| {
            left = left.saturating_sub(1);
            match node.kind() {
                _ if left == 0 => Step::Over,
                kind if node.id() != function.id() && FUNCTIONS.contains(&kind) || kind == "class_body" => {
                    Step::Over
                }
                "return_statement" => {
                    given.extend(node.named_child(0));
                    Step::Over
                }
                _ => Step::Into,
            }
        });
        if left == 0 {
            return None;
        }
        self.following.borrow_mut().push((function.id(), call));
        let values = given.into_iter().take(8).map(|one| self.evaluate(one, fuel));
        let value = values.reduce(Value::or);
        self.following.borrow_mut().pop();
        value.filter(|value| match value.origin {
            Origin::Tainted | Origin::Local => true,
            Origin::Constant | Origin::Clean => self.is_fixed(function),
            Origin::Unknown | Origin::Parameter => false,
        })
    }

    fn modifiers(&self, function: Node<'t>) -> &'t str {
        let first = function.named_child(0).filter(|first| first.kind() == "modifiers");
        first.map_or("", |first| self.text_of(first))
    }

    fn is_private(&self, function: Node<'t>) -> bool {
        self.language == Language::Java && self.modifiers(function).contains("private")
    }

    /// Whether a function is there for this file, or at least for its package.
    fn is_own_business(&self, function: Node<'t>, name: &str) -> bool {
        match self.language {
            Language::Go => name.starts_with(|c: char| c.is_lowercase()),
            _ => self.is_private(function),
        }
    }

    /// Whether nothing can take the place of a function.
    fn is_fixed(&self, function: Node<'t>) -> bool {
        let modifiers = self.modifiers(function);
        self.language == Language::Go
            || ["private", "static", "final"].iter().any(|one| modifiers.contains(one))
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn java(body: &str) -> Origin {
        sunk(Language::Java, &format!("class A {{ {body} }}")).origin
    }

    const READ: &str = "String p = request.getParameter(\"a\");";

    #[test]
    fn a_parameter_is_what_the_calls_in_the_file_pass() {
        let call = |passed: &str| format!("void g(HttpServletRequest request) {{ {READ} f({passed}); }}");
        let sink = "void f(String a) { sink(a); }";
        assert_eq!(java(&format!("{} private {sink}", call("p"))), Origin::Tainted);
        // Whoever else calls it may have checked, and may do something in its place.
        assert_eq!(java(&format!("{} {sink}", call("p"))), Origin::Parameter);
        assert_eq!(java(&format!("{} private {sink}", call("\"b\""))), Origin::Constant);
        assert_eq!(java(&format!("private {sink}")), Origin::Parameter);
    }

    #[test]
    fn a_call_gives_what_its_function_returns_for_it() {
        let take = |passed: &str| format!("void g(HttpServletRequest request) {{ {READ} sink({passed}); }}");
        let same =
            "private String same(String a) { String b = \"\"; if (a != null) { b = a.trim(); } return b; }";
        assert_eq!(java(&format!("{} {same}", take("same(p)"))), Origin::Tainted);
        assert_eq!(java(&format!("{} {same} void h() {{ same(\"c\"); }}", take("same(p)"))), Origin::Tainted);
        assert_eq!(
            java(&format!("{} {same} void h() {{ same(p); }}", take("same(\"c\")"))),
            Origin::Constant
        );
        let inner = "class B { String same(String a) { return a; } }";
        assert_eq!(java(&format!("{} {inner}", take("new B().same(p)"))), Origin::Tainted);
        assert_eq!(java(&format!("{} {inner}", take("other.same(p)"))), Origin::Unknown);
        let checked = "private String cleaned(String a) { return a.replace(\"'\", \"\"); }";
        assert_eq!(java(&format!("{} {checked}", take("cleaned(p)"))), Origin::Unknown);
        // One that calls itself has an end.
        let again = "private String again(String a) { return again(a); }";
        assert_eq!(java(&format!("{} {again}", take("again(p)"))), Origin::Unknown);
    }

    #[test]
    fn go_s_functions_are_followed_too() {
        let head =
            "package a\nfunc h(w http.ResponseWriter, r *http.Request) { run(r.FormValue(\"a\"), 1) }\n";
        let text = format!("{head}func run(a string, n int) {{ sink(a) }}\n");
        assert_eq!(sunk(Language::Go, &text).origin, Origin::Tainted);
        let text = "package a\nfunc h(r *http.Request) { sink(pick(r.FormValue(\"a\"))) }\nfunc pick(a string) string { return \"b/\" + a }\n";
        assert_eq!(sunk(Language::Go, text).origin, Origin::Tainted);
    }
}
