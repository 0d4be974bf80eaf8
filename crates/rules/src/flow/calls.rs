//! Calls inside one file: what a function is passed there, and what it gives back.

use std::collections::HashMap;

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::scope::FUNCTIONS;
use super::taken::Taken;
use super::walk::{Step, walk};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// What is called more often is called by everybody. A script has one function to run all of its commands.
const MOST_CALLS: usize = 6;
const MOST_CALLS_OF_SCRIPTS: usize = 40;

/// More functions of one name are generated.
pub(super) const MOST_OVERLOADS: usize = 16;

/// So much of a function is searched for what it gives back.
const MOST_NODES: u32 = 20_000;

/// So many calls are entered, one inside the other.
const DEEPEST: usize = 2;

/// The functions of a file and the calls that can only mean them, by name.
#[derive(Debug, Default)]
pub(super) struct Calls<'t> {
    declared: HashMap<&'t str, Vec<Node<'t>>>,
    made: HashMap<&'t str, Vec<Node<'t>>>,
    /// The methods of classes, by name: those of Java are among the functions.
    pub(super) methods: HashMap<&'t str, Vec<Node<'t>>>,
    /// How often a name stands anywhere, of languages that hand functions around by it.
    named: HashMap<&'t str, usize>,
}

/// Whether what other functions of the same file do counts.
pub(crate) fn follows_calls(language: Language) -> bool {
    matches!(language, Language::Java | Language::Go) || scripts(language)
}

/// Languages in which everybody may import a function.
pub(super) fn scripts(language: Language) -> bool {
    matches!(language, Language::Python | Language::JavaScript | Language::TypeScript)
}

/// Words in the names of functions that let only harmless values through.
const CHECKING: [&str; 9] =
    ["clean", "valid", "filter", "strip", "safe", "check", "encode", "allow", "normali"];

impl<'t> Flow<'t> {
    pub(super) fn calls(&self) -> &Calls<'t> {
        self.calls.get_or_init(|| {
            let mut calls = Calls::default();
            if !follows_calls(self.language) {
                return calls;
            }
            walk(self.root, |node| {
                match node.kind() {
                    "identifier" | "shorthand_property_identifier" if scripts(self.language) => {
                        *calls.named.entry(self.text_of(node)).or_default() += 1;
                    }
                    "method_declaration"
                    | "function_declaration"
                    | "function_definition"
                    | "arrow_function"
                    | "method_definition"
                    | "function_expression" => {
                        if let Some(name) = self.name_of_method(node) {
                            calls.methods.entry(name).or_default().push(node);
                        }
                        if let Some(name) = name_of(node) {
                            calls.declared.entry(self.text_of(name)).or_default().push(node);
                        }
                    }
                    "method_invocation" | "call_expression" | "call" => {
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
            "call_expression" | "call" => {
                field("function").filter(|name| name.kind() == "identifier").map(|name| self.text_of(name))
            }
            _ => None,
        }
    }

    /// The one function of this name that takes so many values.
    fn declaration(&self, name: &str, arguments: usize) -> Option<Node<'t>> {
        let declared = self.calls().declared.get(name).filter(|all| all.len() <= MOST_OVERLOADS)?;
        if scripts(self.language) {
            return declared.first().copied().filter(|_| declared.len() == 1);
        }
        let mut fitting = declared.iter().filter(|one| self.parameter_names(**one).len() == arguments);
        fitting.next().copied().filter(|_| fitting.next().is_none())
    }

    fn parameter_names(&self, function: Node<'t>) -> Vec<&'t str> {
        let Some(list) = function.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = list.walk();
        if scripts(self.language) {
            let listed = list.named_children(&mut cursor).filter(|one| !one.is_extra());
            // What takes any number of values has no place of its own.
            let ends = |one: &Node<'t>| matches!(one.kind(), "list_splat_pattern" | "keyword_separator");
            return listed.take_while(|one| !ends(one)).map(|one| self.parameter_name(one)).collect();
        }
        let mut names = Vec::new();
        for parameter in list.named_children(&mut cursor) {
            let mut cursor = parameter.walk();
            let known = names.len();
            names
                .extend(parameter.children_by_field_name("name", &mut cursor).map(|name| self.text_of(name)));
            // Go's need none.
            if names.len() == known && parameter.kind() == "parameter_declaration" {
                names.push("_");
            }
        }
        names
    }

    /// Empty for what takes a value apart.
    fn parameter_name(&self, parameter: Node<'t>) -> &'t str {
        let fields = ["name", "pattern", "left"];
        let name = fields.iter().find_map(|field| parameter.child_by_field_name(field));
        let name = name.or_else(|| parameter.named_child(0)).unwrap_or(parameter);
        if name.kind() == "identifier" { self.text_of(name) } else { "" }
    }

    /// What is known of a parameter by the calls in the same file, where others than those are not to be expected: hostile if
    /// one call passes something hostile, and harmless if all of them pass something harmless.
    pub(super) fn passed(&self, name: &str, parameter: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let function = self.parent(parameter).and_then(|list| self.parent(list))?;
        let entered = self.following.borrow().iter().rposition(|(id, _)| *id == function.id());
        let names = self.parameter_names(function);
        let at = names.iter().position(|one| *one == name)?;
        if let Some(depth) = entered {
            // What is passed stands where the call does, outside the function.
            let inside = self.following.borrow_mut().split_off(depth);
            let call = inside.first().and_then(|(_, call)| Invocation::of(*call));
            let argument = call.and_then(|call| self.argument_for(call, name, at, function));
            let left_out = || parameter.child_by_field_name("value").filter(|_| scripts(self.language));
            let value = argument.or_else(left_out).map(|argument| self.evaluate(argument, fuel));
            self.following.borrow_mut().extend(inside);
            return value;
        }
        let called = self.text_of(name_of(function)?);
        if !self.is_own_business(function, called) {
            return None;
        }
        if self.declaration(called, names.len()).is_none_or(|one| one.id() != function.id()) {
            return None;
        }
        let most = if scripts(self.language) { MOST_CALLS_OF_SCRIPTS } else { MOST_CALLS };
        let calls = self.calls().made.get(called).filter(|calls| calls.len() <= most)?;
        let mut passed = Vec::new();
        for call in calls.iter().filter(|call| !function.byte_range().contains(&call.start_byte())) {
            let call = Invocation::of(*call)?;
            let values = call.values();
            if scripts(self.language) {
                let value = call.named(name, self).or_else(|| call.at(at)).filter(|_| !call.is_open())?;
                passed.push(self.evaluate(value, fuel));
            } else if values.len() == names.len() {
                passed.push(self.evaluate(*values.get(at)?, fuel));
            }
        }
        let is_hostile = passed.iter().any(|value| value.origin == Origin::Tainted);
        let is_harmless =
            passed.iter().all(|value| value.origin <= Origin::Clean) && self.is_private(function);
        passed.into_iter().reduce(Value::or).filter(|_| is_hostile || is_harmless)
    }

    /// What a call passes for the parameter of this name and place.
    fn argument_for(
        &self,
        call: Invocation<'t>,
        name: &str,
        at: usize,
        function: Node<'t>,
    ) -> Option<Node<'t>> {
        let at = at.checked_sub(usize::from(self.is_bound(function)))?;
        let named = || call.named(name, self).filter(|_| self.language == Language::Python);
        call.at(at).or_else(named).filter(|_| !call.is_open() || self.language == Language::Go)
    }

    /// The function of the file that a call means.
    pub(super) fn called_function(&self, call: Node<'t>) -> Option<Node<'t>> {
        self.declaration(self.own(call)?, Invocation::of(call)?.values().len())
    }

    /// What a function of the same file gives back for these arguments, or a part of it. Nothing where that says no more
    /// than the call.
    pub(super) fn returned(
        &self,
        call: Node<'t>,
        taken: Option<Taken<'t>>,
        fuel: &mut Fuel,
    ) -> Option<Value> {
        if self.following.borrow().len() >= DEEPEST {
            return None;
        }
        let function = self.called_function(call).or_else(|| self.called_method(call))?;
        let name = function.child_by_field_name("name").map_or("", |name| self.text_of(name));
        let lower = self.own(call).unwrap_or(name).to_ascii_lowercase();
        if CHECKING.iter().any(|word| lower.contains(word)) {
            return None;
        }
        let mut given = self.results(function)?;
        if let Some(taken) = taken {
            let mut parts = Vec::new();
            if !given.iter().all(|whole| self.parts_of(*whole, taken, 0, &mut parts)) {
                return None;
            }
            given = parts;
        }
        self.following.borrow_mut().push((function.id(), call));
        let values = given.into_iter().take(8).map(|one| self.evaluate(one, fuel));
        let value = values.reduce(Value::or);
        self.following.borrow_mut().pop();
        value.and_then(|value| match value.origin {
            // What else a function did to it is not always seen.
            Origin::Tainted | Origin::Local if scripts(self.language) || self.is_hook(function) => {
                Some(value.only_seen())
            }
            Origin::Tainted | Origin::Local => Some(value),
            Origin::Constant | Origin::Clean => {
                let is_certain = self.is_fixed(function) || self.is_of_made(call, function);
                Some(value).filter(|_| is_certain)
            }
            Origin::Unknown | Origin::Parameter => Some(value.only_seen()),
        })
    }

    /// The expressions that a function may give back. Nothing where it is too long.
    fn results(&self, function: Node<'t>) -> Option<Vec<Node<'t>>> {
        let body = function.child_by_field_name("body");
        // `(name) => "a" + name`
        let mut given: Vec<Node<'t>> = body
            .filter(|body| function.kind() == "arrow_function" && body.kind() != "statement_block")
            .into_iter()
            .collect();
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
        Some(given).filter(|_| left > 0)
    }

    fn modifiers(&self, function: Node<'t>) -> &'t str {
        let first = function.named_child(0).filter(|first| first.kind() == "modifiers");
        first.map_or("", |first| self.text_of(first))
    }

    fn is_private(&self, function: Node<'t>) -> bool {
        match self.language {
            Language::Java => self.modifiers(function).contains("private"),
            language if scripts(language) => self.is_only_called(function),
            _ => false,
        }
    }

    /// Whether a function is nothing but called, and only here: it is not exported, and nobody hands it around. What a file
    /// of Python has that is not run by itself may be imported, unless its name says otherwise.
    fn is_only_called(&self, function: Node<'t>) -> bool {
        let Some(name) = name_of(function).map(|name| self.text_of(name)) else { return false };
        let calls = self.calls();
        let around = std::iter::successors(function.parent(), Node::parent).take(3);
        let is_exported = around.into_iter().any(|one| one.kind() == "export_statement");
        let is_script = || memchr::memmem::find(self.text, b"__main__").is_some();
        let made = calls.made.get(name).map_or(0, Vec::len);
        let is_own = self.language != Language::Python || name.starts_with('_') || is_script();
        is_own && !is_exported && calls.named.get(name) == Some(&(made + 1))
    }

    /// Whether a function is there for this file, or at least for its package.
    fn is_own_business(&self, function: Node<'t>, name: &str) -> bool {
        match self.language {
            Language::Go => name.starts_with(|c: char| c.is_lowercase()),
            _ => self.is_private(function),
        }
    }

    /// `new Finder().find(a)`: nothing can take the place of the method of a class that is named where it is made.
    fn is_of_made(&self, call: Node<'t>, function: Node<'t>) -> bool {
        let made =
            call.child_by_field_name("object").filter(|one| one.kind() == "object_creation_expression");
        let class = function.parent().and_then(|body| body.parent());
        let name = class.and_then(|class| class.child_by_field_name("name")).map(|name| self.text_of(name));
        let made_as = made.and_then(|made| made.child_by_field_name("type")).map(|class| self.text_of(class));
        // One with a body of its own is another class.
        let is_plain = made.is_some_and(|made| {
            let last = u32::try_from(made.named_child_count()).unwrap_or_default().saturating_sub(1);
            made.named_child(last).is_none_or(|last| last.kind() != "class_body")
        });
        is_plain && name.is_some() && name == made_as
    }

    /// Whether nothing can take the place of a function.
    fn is_fixed(&self, function: Node<'t>) -> bool {
        let modifiers = self.modifiers(function);
        self.language == Language::Go
            || scripts(self.language)
            || ["private", "static", "final"].iter().any(|one| modifiers.contains(one))
    }
}

/// By which the file calls a function. A method of Python is not called by its name alone, and what a decorator makes of a
/// function is not known.
fn name_of(function: Node<'_>) -> Option<Node<'_>> {
    let around = function.parent()?;
    match function.kind() {
        "function_definition" => {
            let is_method = around.parent().is_some_and(|class| class.kind() == "class_definition");
            let is_plain = !is_method && around.kind() != "decorated_definition";
            function.child_by_field_name("name").filter(|_| is_plain)
        }
        "arrow_function" | "function_expression" => {
            let given = Some(around).filter(|around| around.kind() == "variable_declarator")?;
            given.child_by_field_name("name").filter(|name| name.kind() == "identifier")
        }
        "method_definition" => None,
        _ => function.child_by_field_name("name"),
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
    fn what_a_class_of_the_file_gives_back_is_known_where_it_is_made() {
        let take = |passed: &str| format!("void g(HttpServletRequest request) {{ {READ} sink({passed}); }}");
        let inner = "class B { public String fixed(String a) { return \"b\"; } }";
        assert_eq!(java(&format!("{} {inner}", take("new B().fixed(p)"))), Origin::Constant);
        assert_eq!(java(&format!("{} {inner}", take("new C().fixed(p)"))), Origin::Unknown);
        let own = "new B() { public String fixed(String a) { return other(); } }.fixed(p)";
        assert_eq!(java(&format!("{} {inner}", take(own))), Origin::Unknown);
    }

    #[test]
    fn go_s_functions_are_followed_too() {
        let head =
            "package a\nfunc h(w http.ResponseWriter, r *http.Request) { run(r.FormValue(\"a\"), 1) }\n";
        let text = format!("{head}func run(a string, n int) {{ sink(a) }}\n");
        assert_eq!(sunk(Language::Go, &text).origin, Origin::Tainted);
        let text = "package a\nfunc h(r *http.Request) { sink(pick(r.FormValue(\"a\"))) }\nfunc pick(a string) string { return \"b/\" + a }\n";
        assert_eq!(sunk(Language::Go, text).origin, Origin::Tainted);
        let text = "package a\nfunc h(r *http.Request) { sink(encode(r.FormValue(\"a\"))) }\nfunc encode(a string) []byte { return json.Marshal(a) }\n";
        assert_eq!(sunk(Language::Go, text).origin, Origin::Unknown);
        let text = "package a\nfunc h(r *http.Request) { sink(pick(r.FormValue(\"a\"))) }\nfunc pick(string) string { return \"b\" }\n";
        assert_eq!(sunk(Language::Go, text).origin, Origin::Constant);
    }

    #[test]
    fn what_scripts_call_themselves_is_followed_too() {
        let run = "def run(a):\n    sink(a)\n";
        let main = "if __name__ == '__main__':\n    main()\n";
        for (text, harmless) in [
            (format!("{run}def main():\n    run('ls')\n    run('pwd')\n{main}"), true),
            (format!("{run}def main():\n    run('ls')\n"), false),
            (format!("{run}def main(b):\n    run('ls')\n    run(b)\n{main}"), false),
            (format!("{run}def main():\n    run('ls')\n    use(run)\n{main}"), false),
            (format!("@wrapped\n{run}def main():\n    run('ls')\n{main}"), false),
            (format!("{run}{main}"), false),
            (run.replace("run", "_run") + "_run('ls')\n", true),
        ] {
            assert_eq!(!sunk(Language::Python, &text).is_dynamic(), harmless, "{text}");
        }
        for (text, harmless) in [
            ("const run = (a) => sink(a); run('ls'); run('pwd');", true),
            ("function run(a) { sink(a); } run('ls');", true),
            (
                "const pkg = require('./package.json'); const run = (a) => sink(a); run(`b ${pkg.version}`);",
                true,
            ),
            ("export const run = (a) => sink(a); run('ls');", false),
            ("const run = (a) => sink(a); run('ls'); module.exports = { run };", false),
            ("const run = (a) => sink(a); run(process.argv[2]);", false),
        ] {
            assert_eq!(!sunk(Language::JavaScript, text).is_dynamic(), harmless, "{text}");
        }
    }

    #[test]
    fn a_helper_of_the_same_file_may_give_a_constant() {
        let constant = "function constant() { return 'fixed'; } const same = (a) => a.trim();";
        for (passed, harmless) in [("constant(req.query.a)", true), ("same(req.query.a)", false)] {
            let text = format!("{constant} app.get('/', (req, res) => {{ sink('x' + {passed}); }});");
            assert_eq!(!sunk(Language::JavaScript, &text).is_dynamic(), harmless, "{passed}");
        }
        let text = "def pick(a):\n    return TABLE[a]\ndef f(a):\n    sink('x' + pick(a))\n";
        assert!(!sunk(Language::Python, text).is_dynamic());
        let text = "def pick(a):\n    return 'y' + a\ndef f(a):\n    sink('x' + pick(a))\n";
        assert!(sunk(Language::Python, text).is_dynamic());
    }
}
