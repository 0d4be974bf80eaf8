//! What comes out of a map or a list that the same function has filled.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::names::unquoted;
use super::scope::{Assignment, Given, Scope};
use super::walk::{Step, walk};
use super::{Flow, Value};
use crate::language::Language;

/// Of a longer function nothing is known.
const MOST_NODES: u32 = 20_000;

/// What following one costs of the checks of a file.
const COST: u32 = 20;

/// Methods that change nothing.
const ASKING: [&str; 14] = [
    "get",
    "contains",
    "containsKey",
    "size",
    "isEmpty",
    "has",
    "includes",
    "keys",
    "values",
    "items",
    "has_section",
    "has_option",
    "add_section",
    "join",
];

/// Calls that make an empty one, beside `new` of Java.
const MAKING: [&str; 6] = [
    "list",
    "dict",
    "configparser.ConfigParser",
    "configparser.RawConfigParser",
    "configparser.SafeConfigParser",
    "Map",
];

/// Which of what was put in is asked for.
enum Key {
    Name(String),
    Place(usize),
}

/// What is done with a collection.
enum Done<'t> {
    Put(String, Node<'t>),
    Listed(Node<'t>),
    TakenOut(usize),
    TakenFromEnd,
    Asked,
}

impl<'t> Flow<'t> {
    /// `map.get("a")` after `map.put("a", value)`, `list[0]` after `list.append(value)`: the value. Nothing where what was
    /// put in cannot be told.
    pub(super) fn kept(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let (object, key) = self.taken_out(node)?;
        let scope = self.scopes_around(node).into_iter().next()?;
        let (name, at) = (self.text_of(object), object.start_byte());
        let is_made = |one: &&Assignment<'t>| one.after <= at && matches!(one.given, Given::Value(_));
        let made = scope.of_name(name).rev().find(is_made).filter(|made| made.block.contains(&at))?;
        let Given::Value(value) = made.given else { return None };
        let begins = self.begins_with(value)?;
        self.checks.set(self.checks.get().checked_sub(COST)?);
        let done = begins.into_iter().chain(self.done_with(object, made, &scope)?);
        let found = match key {
            Key::Name(key) => put_last(done, &key),
            Key::Place(index) => listed(done, index),
        };
        found.map(|value| self.evaluate(value, fuel))
    }

    /// The variable that something is taken out of, and what.
    fn taken_out(&self, node: Node<'t>) -> Option<(Node<'t>, Key)> {
        let field = |name| node.child_by_field_name(name);
        let named = |object: Option<Node<'t>>| object.filter(|object| object.kind() == "identifier");
        match (self.language, node.kind()) {
            (Language::Java, "method_invocation") if self.text_of(field("name")?) == "get" => {
                Some((named(field("object"))?, self.key_of(&Invocation::of(node)?.values())?))
            }
            (Language::Python, "subscript") => {
                Some((named(field("value"))?, self.key_of(&[field("subscript")?])?))
            }
            (Language::JavaScript | Language::TypeScript, "subscript_expression") => {
                Some((named(field("object"))?, self.key_of(&[field("index")?])?))
            }
            (Language::JavaScript | Language::TypeScript, "member_expression") => {
                let key = Key::Name(self.text_of(field("property")?).to_owned());
                Some((named(field("object"))?, key))
            }
            (Language::Python | Language::JavaScript | Language::TypeScript, "call" | "call_expression") => {
                let call = Invocation::of(node)?;
                let method =
                    ["attribute", "property"].iter().find_map(|one| call.callee.child_by_field_name(one))?;
                (self.text_of(method) == "get").then_some(())?;
                match self.key_of(&call.values())? {
                    Key::Place(_) => None,
                    key => Some((named(call.receiver)?, key)),
                }
            }
            _ => None,
        }
    }

    /// A place, a name, or of a file of settings a section and a name.
    fn key_of(&self, written: &[Node<'t>]) -> Option<Key> {
        match written {
            [place] if matches!(place.kind(), "decimal_integer_literal" | "integer" | "number") => {
                Some(Key::Place(self.text_of(*place).parse().ok()?))
            }
            _ => Some(Key::Name(self.named_by(written)?)),
        }
    }

    fn named_by(&self, written: &[Node<'t>]) -> Option<String> {
        let is_plain = |one: &Node<'t>| {
            matches!(one.kind(), "string" | "string_literal")
                && !self.text_of(*one).starts_with(['f', 'F'])
                && matches!(self.language, Language::Java | Language::Python)
                || one.kind() == "string"
        };
        let is_plain = !written.is_empty() && written.iter().all(is_plain);
        let names: Vec<&str> = written.iter().map(|one| unquoted(self.text_of(*one))).collect();
        is_plain.then(|| names.join("\u{0}"))
    }

    /// What a collection holds when it is made.
    fn begins_with(&self, value: Node<'t>) -> Option<Vec<Done<'t>>> {
        let is_followed =
            matches!(self.language, Language::Python | Language::JavaScript | Language::TypeScript);
        match value.kind() {
            "object_creation_expression" | "new_expression" | "call" => {
                let made = Invocation::of(value).filter(|made| made.values().is_empty())?;
                let is_known = || MAKING.contains(&self.name_of(made.callee).as_str());
                (self.language == Language::Java || is_followed && is_known()).then(Vec::new)
            }
            "list" | "array" | "dictionary" | "object" if is_followed => {
                let mut cursor = value.walk();
                let inside = value.named_children(&mut cursor).filter(|child| !child.is_extra());
                inside.map(|child| self.begins_with_one(value.kind(), child)).collect()
            }
            _ => None,
        }
    }

    fn begins_with_one(&self, kind: &str, child: Node<'t>) -> Option<Done<'t>> {
        match (kind, child.kind()) {
            (_, "spread_element" | "list_splat" | "dictionary_splat") => None,
            ("list" | "array", _) => Some(Done::Listed(child)),
            (_, "pair") => {
                let (key, value) = (child.child_by_field_name("key")?, child.child_by_field_name("value")?);
                let name = match key.kind() {
                    "property_identifier" => self.text_of(key).to_owned(),
                    _ => self.named_by(&[key])?,
                };
                Some(Done::Put(name, value))
            }
            (_, "shorthand_property_identifier") => Some(Done::Put(self.text_of(child).to_owned(), child)),
            _ => None,
        }
    }

    /// What was done with a variable before it is used here, if all of that is known.
    fn done_with(&self, object: Node<'t>, made: &Assignment<'t>, scope: &Scope<'t>) -> Option<Vec<Done<'t>>> {
        let (name, at) = (self.text_of(object), object.start_byte());
        let mut done = Vec::new();
        let mut is_known = true;
        let mut left = MOST_NODES;
        walk(scope.function?, |node| {
            left = left.saturating_sub(1);
            is_known &= left > 0;
            if node.start_byte() >= at || !is_known {
                return Step::Over;
            }
            let is_it = matches!(node.kind(), "identifier" | "shorthand_property_identifier");
            if is_it && self.text_of(node) == name && node.start_byte() > made.after {
                match self.done_by(node, made) {
                    Some(one) => done.push(one),
                    None => is_known = false,
                }
            }
            Step::Into
        });
        Some(done).filter(|_| is_known)
    }

    /// Nothing for what is not known, and for what changes it and may not have happened where it is used.
    fn done_by(&self, object: Node<'t>, made: &Assignment<'t>) -> Option<Done<'t>> {
        let around = object.parent()?;
        let is_certain = || self.block_around(around) == made.block;
        let is_object =
            |field| around.child_by_field_name(field).is_some_and(|child| child.id() == object.id());
        let parent = around.parent()?;
        let is_called = parent.child_by_field_name("function") == Some(around);
        match around.kind() {
            "method_invocation" if is_object("object") => {
                let name = self.text_of(around.child_by_field_name("name")?);
                self.done_by_method(name, Invocation::of(around)?, is_certain())
            }
            "attribute" | "member_expression" if is_object("object") && is_called => {
                let fields = ["attribute", "property"];
                let name = fields.iter().find_map(|field| around.child_by_field_name(field))?;
                self.done_by_method(self.text_of(name), Invocation::of(parent)?, is_certain())
            }
            "subscript" | "subscript_expression" | "member_expression"
                if is_object("value") || is_object("object") =>
            {
                match parent.kind() {
                    "assignment" | "assignment_expression"
                        if parent.child_by_field_name("left") == Some(around) =>
                    {
                        let value = parent.child_by_field_name("right").filter(|_| is_certain())?;
                        Some(Done::Put(self.written_key(around)?, value))
                    }
                    "augmented_assignment"
                    | "augmented_assignment_expression"
                    | "unary_expression"
                    | "update_expression"
                    | "delete_statement" => None,
                    _ => Some(Done::Asked),
                }
            }
            _ => None,
        }
    }

    fn written_key(&self, target: Node<'t>) -> Option<String> {
        if let Some(property) = target.child_by_field_name("property") {
            return Some(self.text_of(property).to_owned());
        }
        let fields = ["subscript", "index"];
        self.named_by(&[fields.iter().find_map(|field| target.child_by_field_name(field))?])
    }

    fn done_by_method(&self, name: &str, call: Invocation<'t>, is_certain: bool) -> Option<Done<'t>> {
        if ASKING.contains(&name) {
            return Some(Done::Asked);
        }
        let arguments = call.values();
        let done = match (name, arguments.as_slice()) {
            ("add" | "append" | "push", [value]) => Done::Listed(*value),
            ("put" | "set", [keys @ .., value]) => Done::Put(self.named_by(keys)?, *value),
            ("remove" | "pop", [at]) => match self.key_of(&[*at])? {
                Key::Place(at) if name == "pop" || self.language == Language::Java => Done::TakenOut(at),
                _ => return None,
            },
            ("shift", []) => Done::TakenOut(0),
            ("pop", []) => Done::TakenFromEnd,
            _ => return None,
        };
        Some(done).filter(|_| is_certain)
    }
}

fn put_last<'t>(all: impl Iterator<Item = Done<'t>>, key: &str) -> Option<Node<'t>> {
    let mut kept = None;
    for done in all {
        match done {
            Done::Put(known, value) if known == key => kept = Some(value),
            Done::Put(..) | Done::Asked => {}
            Done::Listed(_) | Done::TakenOut(_) | Done::TakenFromEnd => return None,
        }
    }
    kept
}

fn listed<'t>(all: impl Iterator<Item = Done<'t>>, index: usize) -> Option<Node<'t>> {
    let mut kept = Vec::new();
    for done in all {
        match done {
            Done::Listed(value) => kept.push(value),
            Done::TakenOut(at) => {
                (at < kept.len()).then(|| kept.remove(at))?;
            }
            Done::TakenFromEnd => {
                kept.pop()?;
            }
            Done::Asked => {}
            Done::Put(..) => return None,
        }
    }
    kept.get(index).copied()
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        let read = "String p = request.getParameter(\"a\");";
        let text = format!("class A {{ void f(HttpServletRequest request) {{ {read} {body} }} }}");
        sunk(Language::Java, &text).origin
    }

    #[test]
    fn what_is_taken_out_is_what_was_put_in() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", \"b\"); m.put(\"c\", p);";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Constant);
        assert_eq!(origin(&format!("{map} sink((String) m.get(\"c\"));")), Origin::Tainted);
        let list = "List<String> l = new ArrayList<>(); l.add(\"a\"); l.add(p); l.add(\"b\"); l.remove(0);";
        assert_eq!(origin(&format!("{list} sink(l.get(1));")), Origin::Constant);
        assert_eq!(origin(&format!("{list} sink(l.get(0));")), Origin::Tainted);
    }

    #[test]
    fn what_may_not_have_been_put_in_is_not_all_there_is() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", p); if (c) m.put(\"a\", \"b\");";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Tainted);
    }

    #[test]
    fn a_collection_that_others_had_in_hand_is_not_known() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", \"b\"); m.put(\"c\", p); fill(m);";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Tainted);
    }

    #[test]
    fn python_s_and_javascript_s_are_followed_too() {
        let read = "from flask import request\nimport configparser\ndef f():\n    p = request.args['a']\n";
        for (body, expected) in [
            ("d = {}\n    d['a'] = 'x'\n    d['b'] = p\n    sink(d['a'])", Origin::Constant),
            ("d = {}\n    d['a'] = 'x'\n    d['b'] = p\n    sink(d['b'])", Origin::Tainted),
            ("d = {'a': 'x', 'b': p}\n    sink(d.get('a'))", Origin::Constant),
            ("l = ['s']\n    l.append(p)\n    l.append('m')\n    l.pop(0)\n    sink(l[1])", Origin::Constant),
            ("l = ['s']\n    l.append(p)\n    l.append('m')\n    l.pop(0)\n    sink(l[0])", Origin::Tainted),
            (
                "c = configparser.ConfigParser()\n    c.add_section('s')\n    c.set('s', 'a', 'x')\n    c.set('s', 'k', p)\n    sink(c.get('s', 'a'))",
                Origin::Constant,
            ),
            (
                "c = configparser.ConfigParser()\n    c.add_section('s')\n    c.set('s', 'a', 'x')\n    c.set('s', 'k', p)\n    sink(c.get('s', 'k'))",
                Origin::Tainted,
            ),
            ("d = {'a': 'x', 'b': p}\n    fill(d)\n    sink(d['a'])", Origin::Tainted),
            ("d = {'a': 'x', 'b': p}\n    if p:\n        d['a'] = p\n    sink(d['a'])", Origin::Tainted),
            ("d = {'a': 'x', **p}\n    sink(d['a'])", Origin::Tainted),
        ] {
            assert_eq!(sunk(Language::Python, &format!("{read}    {body}\n")).origin, expected, "{body}");
        }
        for (body, expected) in [
            ("const o = { a: 'x', b: p }; sink(o.a);", Origin::Constant),
            ("const o = { a: 'x', b: p }; sink(o.b);", Origin::Tainted),
            ("const o = { a: 'x' }; o.a = p; sink(o.a);", Origin::Tainted),
            ("const l = []; l.push('s'); l.push(p); sink(l[0]);", Origin::Constant),
            ("const l = []; l.push('s'); l.push(p); l.shift(); sink(l[0]);", Origin::Tainted),
            ("const m = new Map(); m.set('a', 'x'); m.set('b', p); sink(m.get('a'));", Origin::Constant),
            ("const o = { a: 'x', ...p }; sink(o.a);", Origin::Tainted),
            ("const o = { a: 'x', b: p }; mix(o); sink(o.a);", Origin::Tainted),
        ] {
            let text = format!("app.get('/', (req, res) => {{ const p = req.query.p; {body} }});");
            let found = sunk(Language::JavaScript, &text).origin;
            assert_eq!(found > Origin::Clean, expected > Origin::Clean, "{body}: {found:?}");
        }
    }
}
