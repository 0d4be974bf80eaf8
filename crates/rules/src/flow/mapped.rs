//! Lists that a function makes of others, and texts that are repeated: `ids.map(() => "?").join(", ")` has nothing of the
//! `ids` in it.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::scope::FUNCTIONS;
use super::scope::Given;
use super::sources;
use super::walk::{Step, walk};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// Calls that give a list, or a text, of what the function gives that they are passed.
const MAPPING: [&str; 13] = [
    "map",
    "Select",
    "SelectMany",
    "flatMap",
    "flat_map",
    "mapToObj",
    "mapIndexed",
    "mapNotNull",
    "joinToString",
    "generate",
    "from",
    "List",
    "Array",
];

/// Calls that pass each of a list to a function, beside those above.
const VISITING: [&str; 5] = ["forEach", "for_each", "filter", "forEachIndexed", "ForEach"];

/// Calls that repeat one of their arguments, and which.
const REPEATING: [(&str, usize); 8] = [
    ("strings.Repeat", 0),
    ("bytes.Repeat", 0),
    ("Collections.nCopies", 1),
    ("StringUtils.repeat", 0),
    ("Strings.repeat", 0),
    ("std.iter.repeat", 0),
    ("std.iter.repeat_n", 0),
    ("itertools.repeat", 0),
];

/// Methods that give some or all of what a list holds, in another form.
const PASSING: [&str; 26] = [
    "collect",
    "toList",
    "to_vec",
    "iter",
    "into_iter",
    "stream",
    "chars",
    "take",
    "limit",
    "skip",
    "sorted",
    "distinct",
    "cloned",
    "copied",
    "enumerate",
    "joinToString",
    "joining",
    "keys",
    "reversed",
    "rev",
    "boxed",
    "find",
    "next",
    "last",
    "nth",
    "firstOrNull",
];

/// What makes a collection, or room for a text, that is empty or holds what it is given.
const MAKING: [&str; 21] = [
    "ArrayList",
    "LinkedList",
    "HashSet",
    "LinkedHashSet",
    "TreeSet",
    "ArrayDeque",
    "StringJoiner",
    "mutableListOf",
    "arrayListOf",
    "listOf",
    "setOf",
    "arrayOf",
    "Vec.new",
    "Vec.from",
    "String.new",
    "Set",
    "mapOf",
    "hashMapOf",
    "linkedMapOf",
    "sortedMapOf",
    "mutableMapOf",
];

/// So much of a function is searched for what it gives back.
const MOST_NODES: u32 = 2_000;

/// So many nodes may stand between a name and the function that it is used in.
const MOST_AROUND: usize = 64;

/// By name alone, before anything is looked at.
fn may_map(whole: &str, last: &str) -> bool {
    matches!(last, "repeat" | "fill" | "with_capacity")
        || MAPPING.contains(&last)
        || MAKING.contains(&whole)
        || REPEATING.iter().any(|(name, _)| *name == whole)
}

impl<'t> Flow<'t> {
    /// What a call gives that makes a list of what a function gives, or repeats one value. Nothing where that is not
    /// known to be harmless, and nothing worse than the list it is made of.
    pub(super) fn mapped(&self, node: Node<'t>, whole: &str, fuel: &mut Fuel) -> Option<Value> {
        // Behind the brackets of a call Kotlin takes a function as well.
        let whole = match self.language {
            Language::Kotlin => whole.strip_suffix("()").unwrap_or(whole),
            _ => whole,
        };
        let last = whole.rsplit('.').next().unwrap_or(whole);
        let call = Invocation::of(node).filter(|_| may_map(whole, last))?;
        let arguments = call.values();
        if let Some((_, at)) = REPEATING.iter().find(|(name, _)| *name == whole) {
            return arguments.get(*at).map(|one| self.evaluate(*one, fuel));
        }
        match (last, arguments.as_slice()) {
            ("repeat", [_]) => return call.receiver.map(|text| self.evaluate(text, fuel)),
            ("fill", [one]) if call.receiver.is_some_and(|list| self.is_new_array(list)) => {
                return Some(self.evaluate(*one, fuel));
            }
            ("with_capacity", [_]) => return Some(Value::constant("")),
            _ => {}
        }
        if MAKING.contains(&whole) {
            let held = arguments.iter().map(|one| self.evaluate(*one, fuel));
            return Some(held.reduce(Value::with).unwrap_or_else(|| Value::constant("")));
        }
        if !MAPPING.contains(&last) {
            return None;
        }
        let given = match self.function_passed(node, &arguments) {
            Some(function) => self.given_back(function, fuel)?,
            None => {
                let named = arguments.first().filter(|_| last == "map")?;
                let is_name = matches!(named.kind(), "identifier" | "member_expression" | "attribute");
                let name = self.name_of(*named);
                match arguments.get(1) {
                    _ if is_name && (sources::is_harmless(&name) || sources::makes_marks(&name)) => {
                        Value::of(Origin::Clean)
                    }
                    Some(list) if is_name && sources::gives_base_name(&name) => {
                        self.evaluate(*list, fuel).kept_inside()
                    }
                    // Python's `map(str, numbers)`.
                    Some(list) if is_name && sources::is_converting(&name) => self.evaluate(*list, fuel),
                    _ => return None,
                }
            }
        };
        Some(given).filter(|given| given.origin <= Origin::Clean || given.origin == Origin::Tainted)
    }

    /// Whether a method gives only what a harmless value already held.
    pub(super) fn passes_on(method: &str, value: &Value) -> bool {
        value.origin <= Origin::Clean && PASSING.contains(&method)
    }

    /// `new Array(n)`, `Array(n)`, `[]`, which nothing was put into yet.
    fn is_new_array(&self, list: Node<'t>) -> bool {
        matches!(self.language, Language::JavaScript | Language::TypeScript)
            && (list.kind() == "array" || self.name_of(list) == "Array()")
    }

    /// Kotlin's stands behind the brackets, or in their place.
    fn function_passed(&self, call: Node<'t>, arguments: &[Node<'t>]) -> Option<Node<'t>> {
        let is_function = |node: &Node<'t>| FUNCTIONS.contains(&node.kind());
        if self.language != Language::Kotlin {
            return arguments.iter().copied().find(is_function);
        }
        let last = u32::try_from(call.named_child_count()).ok()?.checked_sub(1)?;
        let behind = call.named_child(last)?;
        let inner = if behind.kind() == "annotated_lambda" { behind.named_child(0)? } else { behind };
        Some(inner).filter(is_function)
    }

    /// What a function gives back that is written where it is passed.
    fn given_back(&self, function: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        if self.language == Language::Kotlin {
            let last = u32::try_from(function.named_child_count()).ok()?.checked_sub(1)?;
            let statement = function.named_child(last)?;
            let is_list = statement.kind() == "statements";
            return Some(if is_list {
                self.last_inside(statement, fuel)
            } else {
                self.evaluate(statement, fuel)
            });
        }
        let body = function.child_by_field_name("body")?;
        if !matches!(body.kind(), "statement_block" | "block") {
            return Some(self.evaluate(body, fuel));
        }
        let mut returned = Vec::new();
        let mut left = MOST_NODES;
        walk(body, |node| {
            left = left.saturating_sub(1);
            match node.kind() {
                _ if left == 0 => Step::Over,
                kind if FUNCTIONS.contains(&kind) => Step::Over,
                "return_statement" => {
                    returned.extend(node.named_child(0));
                    Step::Over
                }
                _ => Step::Into,
            }
        });
        let values = returned.into_iter().take(8).map(|one| self.evaluate(one, fuel));
        values.reduce(Value::or).filter(|_| left > 0)
    }

    /// What Kotlin calls `it`: one of the list that a function without parameters is passed.
    pub(super) fn each_of_kotlin(&self, name: &str, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        if self.language != Language::Kotlin || name != "it" {
            return None;
        }
        let function = std::iter::successors(node.parent(), Node::parent)
            .take(MOST_AROUND)
            .find(|around| around.kind() == "lambda_literal")?;
        if function.named_child(0).is_some_and(|first| first.kind() == "lambda_parameters") {
            return None;
        }
        let call = std::iter::successors(function.parent(), Node::parent).take(2).find_map(Invocation::of)?;
        // Behind the brackets of a call stands what is passed last.
        let call = Invocation::of(call.callee).unwrap_or(call);
        let whole = self.name_of(call.callee);
        let last = whole.rsplit('.').next().unwrap_or_default();
        let list = call.receiver.filter(|_| MAPPING.contains(&last) || VISITING.contains(&last))?;
        let list = self.evaluate(list, fuel);
        match list.origin {
            Origin::Constant | Origin::Clean => Some(Value::of(Origin::Clean)),
            Origin::Tainted => Some(Value::part_of(&list)),
            Origin::Unknown | Origin::Parameter | Origin::Local => None,
        }
    }

    /// What a function that is passed to `map` or its like is passed itself: one of the list, or its place in it. Nothing where
    /// that is not known.
    pub(super) fn element_passed(&self, name: &str, parameter: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let function = std::iter::successors(self.parent(parameter), |node| self.parent(*node))
            .take(3)
            .find(|around| FUNCTIONS.contains(&around.kind()))?;
        let call = std::iter::successors(self.parent(function), |node| self.parent(*node))
            .take(if self.language == Language::CSharp { 3 } else { 2 })
            .find_map(Invocation::of)
            .filter(|_| function.child_by_field_name("name").is_none())?;
        let whole = self.name_of(call.callee);
        let last = whole.rsplit('.').next().unwrap_or_default();
        if !MAPPING.contains(&last) && !VISITING.contains(&last) {
            return None;
        }
        let is_first = parameter
            .prev_named_sibling()
            .is_none_or(|before| matches!(before.kind(), "comment" | "line_comment" | "block_comment"));
        let counts = matches!(self.language, Language::JavaScript | Language::TypeScript | Language::CSharp);
        if counts && !is_first {
            // The third is the list itself.
            let is_second = parameter.prev_named_sibling().and_then(|one| one.prev_named_sibling()).is_none();
            let list = call.receiver.filter(|_| is_second)?;
            return match self.has_keys(list) {
                true => Some(self.evaluate(list, fuel)).filter(|value| value.origin == Origin::Tainted),
                false => Some(Value::of(Origin::Clean)),
            };
        }
        let list = call.receiver.filter(|_| is_first)?;
        let counted = self.text_of(list).ends_with(".enumerate()")
            && self.text_of(parameter).trim_start_matches('(').split(',').next().map(str::trim) == Some(name);
        if counted {
            return Some(Value::of(Origin::Clean));
        }
        let list = match parameter.kind() {
            "identifier" | "required_parameter" => self.each_of(list, fuel),
            _ => self.evaluate(list, fuel),
        };
        match list.origin {
            Origin::Constant | Origin::Clean => Some(Value::of(Origin::Clean)),
            Origin::Tainted => Some(Value::part_of(&list)),
            Origin::Unknown | Origin::Parameter | Origin::Local => None,
        }
    }
}

/// What gives its keys where a list gives places.
const KEYED: [&str; 9] = [
    "Map(",
    "URLSearchParams",
    "searchParams",
    "FormData",
    "formData",
    "Headers(",
    "headers",
    "Params",
    "lodash",
];

impl<'t> Flow<'t> {
    fn has_keys(&self, list: Node<'t>) -> bool {
        let made = self.last_assignment(list).and_then(|one| match one.given {
            Given::Value(value) => Some(self.text_of(value)),
            _ => None,
        });
        let says = |text: &str| text == "_" || KEYED.iter().any(|word| text.contains(word));
        says(self.text_of(list)) || made.is_some_and(says)
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn is_harmless(language: Language, text: &str) -> bool {
        sunk(language, text).origin <= Origin::Clean
    }

    #[test]
    fn what_stands_beside_a_value_is_its_place_or_its_key() {
        for (list, harmless) in [
            ("req.body.names", true),
            ("req.query.q.split(',')", true),
            ("new Map(Object.entries(req.body))", false),
            ("new URLSearchParams(req.url)", false),
        ] {
            let text =
                format!("app.get('/', (req, res) => {{ {list}.forEach((one, at) => sink('a' + at)); }});");
            assert_eq!(is_harmless(Language::JavaScript, &text), harmless, "{list}");
        }
    }

    #[test]
    fn what_is_only_called_a_mark_is_none() {
        let text = |given: &str| format!("def f(request):\n    sink('a ' + get_placeholder({given}))\n");
        assert!(is_harmless(Language::Python, &text("3")));
        assert!(!is_harmless(Language::Python, &text("request.args['x']")));
    }

    #[test]
    fn marks_hold_nothing_of_the_list_they_stand_for() {
        for value in [
            "ids.map(() => '?').join(', ')",
            "ids.map((_, i) => `$${i + 1}`).join()",
            "ids.map(function () { return '?'; }).join()",
            "new Array(ids.length).fill('?').join(',')",
            "Array(n).fill('?')",
            "Array.from({ length: n }, () => '?').join()",
            "ids.map(Number).join()",
            "'?,'.repeat(n)",
        ] {
            let text = format!("function f(ids, n) {{ sink('in (' + {value} + ')'); }}");
            assert!(is_harmless(Language::JavaScript, &text), "{value}");
        }
        for value in [
            "ids.map((id) => `'${id}'`).join()",
            "ids.map((_, i) => ids[i]).join()",
            "ids.map((a, b, all) => all).join()",
            "ids.map(decorated).join()",
            "ids.fill(n)",
            "n.repeat(2)",
        ] {
            let text = format!("function f(ids, n) {{ sink('in (' + {value} + ')'); }}");
            assert!(!is_harmless(Language::JavaScript, &text), "{value}");
        }
    }

    #[test]
    fn java_repeats_and_maps_too() {
        for (value, harmless) in [
            ("String.join(\",\", Collections.nCopies(ids.size(), \"?\"))", true),
            ("ids.stream().map(i -> \"?\").collect(Collectors.joining(\",\"))", true),
            ("IntStream.range(0, n).mapToObj(i -> \"?\").collect(joining(\",\"))", true),
            ("ids.stream().map(i -> \"'\" + i + \"'\").collect(Collectors.joining(\",\"))", false),
            ("String.join(\",\", Collections.nCopies(2, name))", false),
        ] {
            let text = format!("class A {{ void f(List<String> ids, String name) {{ sink({value}); }} }}");
            assert_eq!(is_harmless(Language::Java, &text), harmless, "{value}");
        }
    }

    #[test]
    fn a_list_of_constants_that_others_had_in_hand_is_not_known() {
        let list = "List<String> l = new ArrayList<>(); l.add(\"a = ?\");";
        for (then, harmless) in [("", true), ("fill(l, p);", false), ("l.add(p);", false)] {
            let text = format!(
                "class A {{ void f(String p) {{ {list} {then} sink(String.join(\" AND \", l)); }} }}"
            );
            assert_eq!(is_harmless(Language::Java, &text), harmless, "{then}");
        }
    }

    #[test]
    fn go_s_marks_are_counted_or_repeated() {
        for (body, harmless) in [
            ("sink(strings.Repeat(\"?,\", len(ids)))", true),
            (
                "marks := make([]string, len(ids))\nfor i := range ids { marks[i] = fmt.Sprintf(\"$%d\", i+1) }\nsink(strings.Join(marks, \",\"))",
                true,
            ),
            (
                "var sets []string\nif name != \"\" { sets = append(sets, \"name = ?\") }\nsink(strings.Join(sets, \",\"))",
                true,
            ),
            (
                "sets := []string{}\nsets = append(sets, \"a = ?\", \"b = ?\")\nsink(strings.Join(sets, \",\"))",
                true,
            ),
            ("var sets []string\nsets = append(sets, name)\nsink(strings.Join(sets, \",\"))", false),
            ("sets := make([]string, 2)\nfill(sets)\nsink(strings.Join(sets, \",\"))", false),
            ("sets := append(ids, \"a\")\nsink(strings.Join(sets, \",\"))", false),
            ("sink(strings.Repeat(name, 2))", false),
        ] {
            let text = format!("package a\nfunc f(ids []string, name string) {{\n{body}\n}}\n");
            assert_eq!(is_harmless(Language::Go, &text), harmless, "{body}");
        }
    }

    #[test]
    fn a_long_list_of_constants_is_read_to_its_end() {
        let many = "if name != \"\" { sets = append(sets, \"name = ?\") }\n".repeat(30);
        let text = format!(
            "package a\nfunc f(name string) {{\nvar sets []string\n{many}sink(strings.Join(sets, \",\"))\n}}\n"
        );
        assert!(is_harmless(Language::Go, &text));
    }

    #[test]
    fn rust_and_kotlin_make_marks_as_well() {
        for (value, harmless) in [
            ("vec![\"?\"; ids.len()].join(\",\")", true),
            ("std::iter::repeat(\"?\").take(ids.len()).collect::<Vec<_>>().join(\",\")", true),
            ("ids.iter().map(|_| \"?\").collect::<Vec<_>>().join(\",\")", true),
            ("(1..=ids.len()).map(|i| format!(\"${i}\")).collect::<Vec<_>>().join(\",\")", true),
            ("ids.iter().map(|id| format!(\"'{id}'\")).collect::<Vec<_>>().join(\",\")", false),
            ("vec![name; 2].join(\",\")", false),
        ] {
            let text = format!("fn f(ids: &[String], name: String) {{ sink({value}); }}");
            assert_eq!(is_harmless(Language::Rust, &text), harmless, "{value}");
        }
        for (value, harmless) in [
            ("ids.joinToString(\",\") { \"?\" }", true),
            ("ids.map { \"?\" }.joinToString(\",\")", true),
            ("List(ids.size) { \"?\" }.joinToString(\",\")", true),
            ("ids.joinToString(\",\") { \"'$it'\" }", false),
            ("ids.joinToString(\",\")", false),
        ] {
            let text = format!("fun f(ids: List<String>) {{ sink({value}) }}");
            assert_eq!(is_harmless(Language::Kotlin, &text), harmless, "{value}");
        }
    }

    #[test]
    fn python_s_marks_are_named_after_constants_or_counted() {
        for (value, harmless) in [
            ("', '.join(f':{c}' for c in COLUMNS)", true),
            ("', '.join(f'{c} = ?' for c in ('a', 'b'))", true),
            ("', '.join(f'${i}' for i in range(1, len(ids) + 1))", true),
            ("', '.join(f'${i}' for i, _ in enumerate(ids, 1))", true),
            ("', '.join(map(str, map(int, ids)))", true),
            ("', '.join(f'{c} = ?' for c in ids)", false),
            ("', '.join(f'{x}' for i, x in enumerate(ids, 1))", false),
            ("make_placeholders(len(ids))", true),
            ("resolve_placeholders(ids)", false),
        ] {
            let text = format!("COLUMNS = ('a', 'b')\ndef f(ids):\n    sink({value})\n");
            assert_eq!(is_harmless(Language::Python, &text), harmless, "{value}");
        }
    }

    #[test]
    fn what_is_taken_from_a_request_one_by_one_is_still_from_there() {
        let text = "app.post('/', (req, res) => { req.body.items.forEach((item) => { sink(`a ${item.name}`); }); });";
        assert_eq!(sunk(Language::JavaScript, text).origin, Origin::Tainted);
    }
}
