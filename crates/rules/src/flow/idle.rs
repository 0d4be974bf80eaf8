//! Functions of a file that give back what they are given: whatever they are called, they make nothing harmless.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::Flow;
use super::arguments::Invocation;
use super::scope::FUNCTIONS;
use super::walk::{Step, walk};

/// The functions that a file defines, by name.
#[derive(Debug, Default)]
pub(super) struct Defined<'t> {
    /// For each of that name, which parameter it gives back as it is, if that is all it does.
    functions: HashMap<&'t str, Vec<Option<usize>>>,
    types: HashSet<&'t str>,
    /// In most files no function is.
    is_one_idle: bool,
}

/// What stands in front of a function of one's own.
const SELF: [&str; 7] = ["", "this", "self", "cls", "Self", "$this", "static"];

impl<'t> Flow<'t> {
    fn defined(&self) -> &Defined<'t> {
        self.defined.get_or_init(|| {
            let mut defined = Defined::default();
            walk(self.root, |node| {
                let kind = node.kind();
                if FUNCTIONS.contains(&kind) {
                    if let Some(name) = name_of(node) {
                        let unchanged = self.unchanged(node);
                        defined.is_one_idle |= unchanged.is_some();
                        defined.functions.entry(self.text_of(name)).or_default().push(unchanged);
                    }
                } else if kind.starts_with("class_") || kind.starts_with("object_") || kind == "impl_item" {
                    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"));
                    defined.types.extend(name.map(|name| self.text_of(name)));
                }
                Step::Into
            });
            defined
        })
    }

    /// Whether the file has a function of that name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined().functions.contains_key(name)
    }

    /// What a call gives back because it was given it, by a function of this file that does nothing else. A name
    /// promises much; what stands there to be read says more.
    pub(super) fn handed_back(&self, call: Node<'t>) -> Option<Node<'t>> {
        let invocation = Invocation::of(call)?;
        let defined = self.defined();
        if !defined.is_one_idle {
            return None;
        }
        let whole = self.name_of(invocation.callee);
        let (before, last) = whole.rsplit_once('.').unwrap_or(("", &whole));
        let all = defined.functions.get(last)?;
        if !SELF.contains(&before) && !defined.types.contains(before) {
            return None;
        }
        let place =
            all.first().copied().flatten().filter(|place| all.iter().all(|one| *one == Some(*place)))?;
        invocation.at(place).filter(|_| !invocation.is_open())
    }

    /// Whether a function is there for heirs to fill, and gives back what it is given until they do.
    pub(super) fn is_hook(&self, function: Node<'t>) -> bool {
        self.heirs_may_write(function) && self.sent_back(function).is_some()
    }

    fn unchanged(&self, function: Node<'t>) -> Option<usize> {
        self.sent_back(function).filter(|_| !self.heirs_may_write(function))
    }

    /// The place of the parameter that is all a function gives back.
    fn sent_back(&self, function: Node<'t>) -> Option<usize> {
        let is_decorated = function.parent().is_some_and(|around| around.kind() == "decorated_definition");
        let given = bare(only_result(function)?);
        let name = Some(self.text_of(given)).filter(|name| !name.is_empty() && !is_decorated)?;
        let plain = matches!(given.kind(), "identifier" | "variable_name" | "simple_identifier");
        let names = self.names_of_parameters(function);
        names.iter().position(|one| *one == name).filter(|_| plain)
    }

    /// Whether a class leaves it to its heirs to do what is not done here.
    fn heirs_may_write(&self, function: Node<'t>) -> bool {
        let class =
            function.parent().filter(|body| body.kind().ends_with("_body")).and_then(|body| body.parent());
        let Some(class) = class else { return false };
        let head = |node: Node<'t>, body: &str| {
            let end = node.child_by_field_name(body).map_or(node.end_byte(), |body| body.start_byte());
            self.text_of(node).get(..end - node.start_byte()).unwrap_or_default().to_owned()
        };
        let says = |head: &str, words: &[&str]| {
            head.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
        };
        says(&head(class, "body"), &["abstract", "open"])
            && !says(&head(function, "body"), &["private", "static", "final"])
    }

    /// As callers count them: without what stands in front of the dot.
    fn names_of_parameters(&self, function: Node<'t>) -> Vec<&'t str> {
        let declarator = function.child_by_field_name("declarator");
        let mut cursor = function.walk();
        let list = [Some(function), declarator]
            .into_iter()
            .flatten()
            .find_map(|node| node.child_by_field_name("parameters"))
            .or_else(|| {
                let mut children = function.named_children(&mut cursor);
                children.find(|child| child.kind() == "function_value_parameters")
            });
        // `a => a`
        let Some(list) = list else {
            return function
                .child_by_field_name("parameter")
                .map(|one| self.text_of(one))
                .into_iter()
                .collect();
        };
        let mut names: Vec<&'t str> = Vec::new();
        let mut cursor = list.walk();
        for one in
            list.named_children(&mut cursor).filter(|one| !one.is_extra() && one.kind() != "self_parameter")
        {
            let mut several = one.walk();
            let listed: Vec<&'t str> =
                one.children_by_field_name("name", &mut several).map(|name| self.text_of(name)).collect();
            if listed.is_empty() {
                let fields = ["pattern", "left", "declarator"];
                let name = fields.iter().find_map(|field| one.child_by_field_name(field));
                let name = name.or_else(|| one.named_child(0)).unwrap_or(one);
                names.push(self.text_of(name));
            } else {
                names.extend(listed);
            }
        }
        if function.kind() == "function_definition" && matches!(names.first(), Some(&("self" | "cls"))) {
            names.remove(0);
        }
        names
    }
}

fn name_of(function: Node<'_>) -> Option<Node<'_>> {
    let around = function.parent().filter(|around| around.kind() == "variable_declarator");
    let declared = || {
        let name = function.child_by_field_name("declarator")?.child_by_field_name("declarator")?;
        (name.named_child_count() == 0).then_some(name)
    };
    function
        .child_by_field_name("name")
        .or_else(|| around.and_then(|around| around.child_by_field_name("name")))
        .or_else(declared)
}

/// The value that a function gives, if giving it is the only thing that it does.
fn only_result(function: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = function.walk();
    let mut at = function.child_by_field_name("body").or_else(|| {
        let mut children = function.named_children(&mut cursor);
        children.find(|child| child.kind() == "function_body")
    })?;
    // Through whatever the grammar puts around the only statement.
    for _ in 0..6 {
        if !AROUND.contains(&at.kind()) {
            return Some(at);
        }
        let mut cursor = at.walk();
        let mut inside = at.named_children(&mut cursor).filter(|child| !child.is_extra() && !is_text(*child));
        at = inside.next().filter(|_| inside.next().is_none())?;
    }
    None
}

/// What stands around a result.
const AROUND: [&str; 13] = [
    "block",
    "statement_block",
    "compound_statement",
    "function_body",
    "body_statement",
    "statements",
    "statement_list",
    "arrow_expression_clause",
    "return_statement",
    "return_expression",
    "return",
    "argument_list",
    "expression_statement",
];

/// What a function says of itself.
fn is_text(statement: Node<'_>) -> bool {
    let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement");
    inner.is_some_and(|inner| inner.kind() == "string")
}

/// Without brackets, and without a type that somebody says it has.
fn bare(node: Node<'_>) -> Node<'_> {
    const WRAPPED: [&str; 4] =
        ["parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"];
    let mut at = node;
    for _ in 0..6 {
        match at.named_child(0).filter(|_| WRAPPED.contains(&at.kind())) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_function_that_gives_back_what_it_is_given_makes_nothing_harmless() {
        for (language, text) in [
            (
                Language::Python,
                "def escape(a):\n    \"\"\"Makes it safe.\"\"\"\n    return a\n\ndef f():\n    sink('x' + escape(request.args['a']))\n",
            ),
            (
                Language::Python,
                "class A:\n    def sanitize(self, a):\n        return (a)\n\n    def f(self):\n        sink(self.sanitize(request.args['a']))\n",
            ),
            (
                Language::JavaScript,
                "const escapeHtml = (s) => s;\napp.get('/', (req, res) => { sink('<b>' + escapeHtml(req.query.a)); });\n",
            ),
            (
                Language::TypeScript,
                "function sanitize(s: string): Safe { return s as Safe; }\napp.get('/', (req, res) => { sink(sanitize(req.query.a)); });\n",
            ),
            (
                Language::Java,
                "class A { static String sanitize(String a) { return a; } void g(HttpServletRequest request) { String p = request.getParameter(\"a\"); sink(A.sanitize(p)); } }",
            ),
            (
                Language::Go,
                "package a\nfunc escape(s string) string {\n\t// safe\n\treturn s\n}\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tsink(escape(r.FormValue(\"a\")))\n}\n",
            ),
            (Language::Php, "<?php\nfunction sanitize($s) { return $s; }\nsink(sanitize($_GET['a']));\n"),
        ] {
            assert_eq!(sunk(language, text).origin, Origin::Tainted, "{text}");
        }
    }

    #[test]
    fn one_that_does_something_or_is_another_is_believed_by_its_name() {
        for (language, text) in [
            (
                Language::Python,
                "def escape(a):\n    check(a)\n    return a\n\ndef f():\n    sink('x' + escape(request.args['a']))\n",
            ),
            (
                Language::Python,
                "import html\ndef escape(a):\n    return a\n\ndef f():\n    sink('x' + html.escape(request.args['a']))\n",
            ),
            (
                Language::Python,
                "@wrapped\ndef escape(a):\n    return a\n\ndef f():\n    sink('x' + escape(request.args['a']))\n",
            ),
            (
                Language::JavaScript,
                "const sanitize = (a, s) => a;\napp.get('/', (req, res) => { sink(sanitize('b', req.query.a)); });\n",
            ),
            (
                Language::Java,
                "abstract class A { protected String escape(String a) { return a; } void g(HttpServletRequest request) { sink(\"<b>\" + escape(request.getParameter(\"a\"))); } }",
            ),
            (
                Language::Php,
                "<?php\nfunction sanitize($s) { return htmlspecialchars($s); }\nsink(sanitize($_GET['a']));\n",
            ),
        ] {
            assert!(sunk(language, text).origin <= Origin::Clean, "{text}");
        }
    }

    #[test]
    fn a_list_that_a_function_of_the_file_is_given_may_hold_anything() {
        let java = |call: &str, more: &str| {
            let text = format!(
                "class A {{ {more} void g(HttpServletRequest request) {{ List<String> a = new ArrayList<>(); a.add(\"ls\"); {call} sink(a); }} }}"
            );
            sunk(Language::Java, &text).origin
        };
        let own = "void info(List<String> a, HttpServletRequest r) { a.add(r.getParameter(\"b\")); }";
        assert!(java("info(a, request);", own) > Origin::Clean);
        assert!(java("this.info(a, request);", own) > Origin::Clean);
        assert!(
            java("helper.info(a, request);", &format!("static class H {{ {own} }} H helper;"))
                > Origin::Clean
        );
        assert!(java("info(a, request);", "") > Origin::Clean, "from above, or from elsewhere");
        assert!(java("log.info(a);", "") <= Origin::Clean);
        assert!(java("String b = String.join(\" \", a);", "") <= Origin::Clean);
    }
}
