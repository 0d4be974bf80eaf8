//! What a `switch` gives, and branches that are never taken because what they ask is written in the program.

use std::ops::Range;

use tree_sitter::Node;

use super::evaluate::Fuel;
use super::names::unquoted;
use super::scope::Given;
use super::walk::{Step, walk};
use super::{Flow, Value};
use crate::language::Language;

/// Sums with more brackets are nobody's condition.
const DEEPEST: u32 = 8;

/// A `switch` with more cases is generated.
const MOST_CASES: usize = 200;

impl<'t> Flow<'t> {
    /// What one of the arms of a `switch` gives: `case "a" -> "b";`, `yield "b";`.
    pub(super) fn switched(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let Some(body) = node.child_by_field_name("body") else { return Value::unknown() };
        let mut given = Vec::new();
        walk(body, |inner| match inner.kind() {
            "switch_expression" | "lambda_expression" | "class_body" => Step::Over,
            "yield_statement" => {
                given.extend(inner.named_child(0));
                Step::Over
            }
            "expression_statement" if self.parent(inner).is_some_and(|arm| arm.kind() == "switch_rule") => {
                given.extend(inner.named_child(0));
                Step::Over
            }
            _ => Step::Into,
        });
        let values = given.into_iter().take(32).map(|one| self.evaluate(one, fuel));
        values.reduce(Value::or).unwrap_or_else(Value::unknown)
    }

    /// Where the branches of a function stand that are never taken.
    pub(super) fn never_reached(&self, function: Option<Node<'t>>) -> Vec<Range<usize>> {
        let mut never = Vec::new();
        let Some(function) = function.filter(|_| self.decides()) else { return never };
        walk(function, |node| {
            let field = |name| node.child_by_field_name(name);
            match node.kind() {
                "if_statement" => match field("condition").and_then(|asked| self.decided(asked)) {
                    Some(true) => {
                        let mut cursor = node.walk();
                        never.extend(
                            node.children_by_field_name("alternative", &mut cursor)
                                .map(|other| other.byte_range()),
                        );
                    }
                    Some(false) => never.extend(field("consequence").map(|then| then.byte_range())),
                    None => {}
                },
                "switch_block_statement_group" | "switch_case" | "switch_default" | "case_clause"
                    if self.is_another_case(node) =>
                {
                    never.push(node.byte_range());
                }
                _ => {}
            }
            Step::Into
        });
        never.sort_unstable_by_key(|skipped| (skipped.start, std::cmp::Reverse(skipped.end)));
        // What is inside of another is never reached with it.
        never.dedup_by(|next, before| next.end <= before.end);
        never
    }

    fn decides(&self) -> bool {
        matches!(
            self.language,
            Language::Java | Language::Go | Language::Python | Language::JavaScript | Language::TypeScript
        )
    }

    /// What a condition comes to that is made of numbers alone.
    pub(super) fn decided(&self, condition: Node<'t>) -> Option<bool> {
        if !self.decides() {
            return None;
        }
        let field = |name| condition.child_by_field_name(name);
        let (operator, left, right) = match condition.kind() {
            "parenthesized_expression" => return self.decided(condition.named_child(0)?),
            "binary_expression" => (field("operator")?, field("left")?, field("right")?),
            // Of Python, which may compare more than two.
            "comparison_operator" if condition.named_child_count() == 2 => {
                (field("operators")?, condition.named_child(0)?, condition.named_child(1)?)
            }
            _ => return None,
        };
        let order = self.number(left, DEEPEST)?.cmp(&self.number(right, DEEPEST)?);
        match self.text_of(operator) {
            ">" => Some(order.is_gt()),
            ">=" => Some(order.is_ge()),
            "<" => Some(order.is_lt()),
            "<=" => Some(order.is_le()),
            "==" | "===" => Some(order.is_eq()),
            "!=" | "!==" => Some(order.is_ne()),
            _ => None,
        }
    }

    fn number(&self, node: Node<'t>, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        match node.kind() {
            "decimal_integer_literal" | "int_literal" | "integer" | "number" => {
                self.text_of(node).parse().ok()
            }
            "parenthesized_expression" => self.number(node.named_child(0)?, depth),
            "identifier" => self.number(self.only_value(node)?, depth),
            "binary_expression" | "binary_operator" => {
                let operator = self.text_of(node.child_by_field_name("operator")?);
                let sides = ["left", "right"].map(|field| node.child_by_field_name(field));
                let [left, right] = sides.map(|side| self.number(side?, depth));
                match operator {
                    // Theirs gives fractions.
                    "/" if !matches!(self.language, Language::Java | Language::Go) => None,
                    "+" => left?.checked_add(right?),
                    "-" => left?.checked_sub(right?),
                    "*" => left?.checked_mul(right?),
                    "/" => left?.checked_div(right?),
                    "%" => left?.checked_rem(right?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a variable of the innermost function is given, if that is done once and nothing counts it up or points to it.
    fn only_value(&self, name: Node<'t>) -> Option<Node<'t>> {
        let scope = self.scopes_around(name).into_iter().next()?;
        let text = self.text_of(name);
        if is_set_again(self.text_of(scope.function?), text) {
            return None;
        }
        let mut given = scope.of_name(text);
        match (given.next()?.given, given.next()) {
            (Given::Value(value), None) => Some(value),
            _ => None,
        }
    }

    /// Whether a `switch` over a constant jumps past these cases, and nothing falls through to them.
    fn is_another_case(&self, group: Node<'t>) -> bool {
        let Some(block) = self.parent(group).filter(|block| block.named_child_count() <= MOST_CASES) else {
            return false;
        };
        let fields = ["condition", "value", "subject"];
        let asked = self
            .parent(block)
            .and_then(|switch| fields.iter().find_map(|field| switch.child_by_field_name(field)));
        let Some(chosen) = asked.and_then(|asked| self.chosen(asked, DEEPEST)) else { return false };
        let is_one =
            |group: Node<'t>, wanted: &str| self.labels(group).is_none_or(|labels| labels.contains(&wanted));
        let is_chosen = |group: Node<'t>| is_one(group, &chosen);
        let mut cursor = block.walk();
        let groups: Vec<Node<'t>> = block.named_children(&mut cursor).filter(|one| !one.is_extra()).collect();
        let any_chosen = groups.iter().any(|group| is_chosen(*group));
        let is_default = |group: Node<'t>| is_one(group, "default");
        // What does not jump away falls through to what comes next, except in Python.
        let falls_in = |group: &Node<'t>| {
            group
                .prev_named_sibling()
                .filter(|before| before.kind() != "case_clause" && !ends_in_jump(*before))
        };
        let mut reached = std::iter::successors(Some(group), falls_in);
        !reached.any(|group| is_chosen(group) || !any_chosen && is_default(group))
    }

    /// The constant that a `switch` asks for: a literal, or a character of one.
    fn chosen(&self, asked: Node<'t>, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match asked.kind() {
            "parenthesized_expression" => self.chosen(asked.named_child(0)?, depth),
            "string_literal"
            | "character_literal"
            | "decimal_integer_literal"
            | "string"
            | "integer"
            | "number" => Some(unquoted(self.text_of(asked)).to_owned()),
            "subscript" | "subscript_expression" => {
                let field = |names: [&str; 2]| names.iter().find_map(|name| asked.child_by_field_name(name));
                self.letter(field(["value", "object"])?, field(["subscript", "index"])?)
            }
            "identifier" => self.chosen(self.only_value(asked)?, depth),
            "method_invocation"
                if asked.child_by_field_name("name").map(|n| self.text_of(n)) == Some("charAt") =>
            {
                let index = asked.child_by_field_name("arguments")?.named_child(0)?;
                self.letter(asked.child_by_field_name("object")?, index)
            }
            _ => None,
        }
    }

    /// A character of a variable that holds a constant text.
    fn letter(&self, object: Node<'t>, index: Node<'t>) -> Option<String> {
        let text = Some(object).filter(|object| object.kind() == "identifier")?;
        let text = self.only_value(text)?;
        let index = usize::try_from(self.number(index, DEEPEST)?).ok()?;
        let is_text =
            matches!(text.kind(), "string_literal" | "string") && self.text_of(text).starts_with(['"', '\'']);
        unquoted(self.text_of(text)).chars().nth(index).filter(|_| is_text).map(String::from)
    }

    /// The constants that a case is for. Nothing where it asks for more than constants, and may be for everything.
    fn labels(&self, group: Node<'t>) -> Option<Vec<&'t str>> {
        let count = u32::try_from(group.named_child_count()).unwrap_or_default();
        let first = (0..count).map_while(|at| group.named_child(at));
        match group.kind() {
            "switch_default" => Some(vec!["default"]),
            "switch_case" => {
                let is_literal = |value: &Node<'t>| matches!(value.kind(), "string" | "number");
                let value = group.child_by_field_name("value").filter(is_literal)?;
                Some(vec![unquoted(self.text_of(value))])
            }
            "case_clause" if group.child_by_field_name("guard").is_some() => None,
            "case_clause" => {
                let pattern = self.text_of(group.named_child(0)?);
                let label = |one: &'t str| match one.trim() {
                    "_" => Some("default"),
                    one => Some(unquoted(one)).filter(|_| one.starts_with(['"', '\''])),
                };
                pattern.split('|').map(label).collect()
            }
            _ => {
                let labels = first.take_while(|label| label.kind() == "switch_label");
                Some(
                    labels
                        .map(|label| unquoted(self.text_of(label).trim_start_matches("case").trim()))
                        .collect(),
                )
            }
        }
    }
}

/// By the text alone, wherever in the function it stands: `n++`, `n += 1`, `&n`, or a second `n = 2`.
fn is_set_again(function: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut given = 0;
    function.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&function[..at], &function[at + name.len()..]);
        if before.ends_with(is_word) || behind.starts_with(is_word) || before.ends_with('.') {
            return false;
        }
        let (before, behind) = (before.trim_end(), behind.trim_start());
        let is_given = (behind.starts_with('=') && !behind.starts_with("==")) || behind.starts_with(":=");
        given += usize::from(is_given);
        let changes = behind.starts_with("++")
            || behind.starts_with("--")
            || behind.get(1..2) == Some("=") && behind.starts_with(['+', '-', '*', '/', '%', '&', '|', '^'])
            || behind.starts_with("<<=")
            || behind.starts_with(">>=");
        let is_pointed_to = before.ends_with('&') && !before.ends_with("&&");
        changes || before.ends_with("++") || before.ends_with("--") || is_pointed_to || given > 1
    })
}

fn ends_in_jump(group: Node<'_>) -> bool {
    let last = u32::try_from(group.named_child_count()).unwrap_or_default().checked_sub(1);
    let last = last.and_then(|last| group.named_child(last));
    last.is_some_and(|last| {
        matches!(
            last.kind(),
            "break_statement" | "return_statement" | "throw_statement" | "continue_statement"
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        let text = format!("class A {{ void f(HttpServletRequest request) {{ {body} sink(bar); }} }}");
        sunk(Language::Java, &text).origin
    }

    #[test]
    fn what_is_never_reached_gives_nothing() {
        let read = "String p = request.getParameter(\"a\"); int n = 106; String bar;";
        let guess = "String guess = \"ABC\"; char t = guess.charAt(1);";
        let cases = "case 'B': bar = \"b\"; break; case 'C': case 'D': bar = p; break; default: bar = \"x\"; break; }";
        for body in [
            format!("{read} bar = (7 * 18) + n > 200 ? \"a\" : p;"),
            format!("{read} if ((7 * 42) - n > 100) bar = \"a\"; else bar = p;"),
            format!("{read} {guess} switch (t) {{ case 'A': bar = p; break; {cases}"),
        ] {
            assert!(origin(&body) <= Origin::Clean, "{body}");
        }
        for body in [
            format!("{read} bar = (7 * 18) + n < 200 ? \"a\" : p;"),
            format!("{read} if (n > limit()) bar = \"a\"; else bar = p;"),
            format!("{read} n++; if (n > 106) bar = p; else bar = \"a\";"),
            format!("{read} for (int i = 0; i < n; i++) {{ if (i > 0) bar = p; else bar = \"a\"; }}"),
            // It leads back to itself.
            format!("{read} char t = (t); switch (t) {{ case 'A': bar = p; break; {cases}"),
            format!("{read} {guess} switch (kind()) {{ case 'A': bar = p; break; {cases}"),
            // What is chosen falls through to it.
            format!(
                "{read} {guess} switch (t) {{ case 'B': case 'A': bar = p; break; default: bar = \"x\"; }}"
            ),
        ] {
            assert_eq!(origin(&body), Origin::Tainted, "{body}");
        }
    }

    #[test]
    fn python_s_and_javascript_s_branches_are_decided_too() {
        let read = "from flask import request\ndef f():\n    p = request.args['a']\n    n = 106\n    t = 'ABC'[1]\n    g = 'ABC'\n    k = g[1]\n";
        let matched = |arms: &str| format!("bar = 'x'\n    match k:\n        {arms}");
        for (body, harmless) in [
            ("bar = 'a' if 7 * 18 + n > 200 else p".to_owned(), true),
            ("bar = 'a' if 7 * 18 + n < 200 else p".to_owned(), false),
            ("bar = 'a' if 7 / 2 > 3 else p".to_owned(), false),
            ("if n > 100:\n        bar = 'a'\n    elif n > 90:\n        bar = p\n    else:\n        bar = p".to_owned(), true),
            (matched("case 'A':\n            bar = p\n        case _:\n            bar = 'b'"), true),
            (matched("case 'A' | 'B':\n            bar = p\n        case _:\n            bar = 'b'"), false),
            (matched("case 'A':\n            bar = 'a'\n        case _:\n            bar = p"), false),
            (matched("case other:\n            bar = p\n        case 'B':\n            bar = 'b'"), false),
        ] {
            let text = format!("{read}    {body}\n    sink(bar)\n");
            assert_eq!(sunk(Language::Python, &text).origin <= Origin::Clean, harmless, "{body}");
        }
        for (body, harmless) in [
            ("const bar = 7 * 18 + n > 200 ? 'a' : p;", true),
            ("const bar = 7 * 18 + n === 1 ? 'a' : p;", false),
            ("let bar; switch (k) { case 'A': bar = p; break; default: bar = 'b'; }", true),
            ("let bar; switch (k) { case 'B': case 'A': bar = p; break; default: bar = 'b'; }", false),
            ("let bar; switch (k) { case 'A': bar = 'a'; break; default: bar = p; }", false),
        ] {
            let text = format!(
                "app.get('/', (req, res) => {{ const p = req.query.p; const n = 106; const g = 'ABC'; const k = g[1]; {body} sink(bar); }});"
            );
            assert_eq!(sunk(Language::JavaScript, &text).origin <= Origin::Clean, harmless, "{body}");
        }
    }

    #[test]
    fn a_switch_gives_what_one_of_its_arms_gives() {
        let arms = "case \"a\" -> \"users\"; case \"b\" -> { yield \"groups\"; }";
        let body = format!("String bar = switch (kind) {{ {arms} default -> throw new E(); }};");
        assert_eq!(origin(&body), Origin::Constant);
        let read = "default -> request.getParameter(\"a\");";
        assert_eq!(origin(&format!("String bar = switch (kind) {{ {arms} {read} }};")), Origin::Tainted);
    }
}
