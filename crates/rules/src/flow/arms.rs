//! What one of several branches gives, where an `if`, a `match` or a `when` has a value.

use tree_sitter::Node;

use super::evaluate::Fuel;
use super::names::unquoted;
use super::{Flow, Origin, Value};
use crate::language::Language;

/// A choice among more is generated.
const MOST_ARMS: usize = 64;

/// What leaves instead of giving something.
const LEAVING: [&str; 10] = [
    "return_expression",
    "throw_expression",
    "continue_expression",
    "break_expression",
    "return_statement",
    "throw_statement",
    "return",
    "next",
    "break",
    "exit_statement",
];

/// Macros of Rust and functions of Kotlin that do the same.
const FAILING: [&str; 8] =
    ["panic!", "unreachable!", "unimplemented!", "todo!", "bail!", "anyhow::bail!", "error(", "TODO("];

/// One of the branches: what it asks for, where that is written as a pattern, and what it gives.
struct Arm<'t> {
    pattern: Option<Node<'t>>,
    gives: Node<'t>,
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(MOST_ARMS).collect()
}

fn plain(gives: Option<Node<'_>>) -> Option<Arm<'_>> {
    gives.map(|gives| Arm { pattern: None, gives })
}

impl<'t> Flow<'t> {
    /// Nothing for what is no choice.
    pub(super) fn branched(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let field = |name| node.child_by_field_name(name);
        let (subject, arms): (Option<Node<'t>>, Vec<Arm<'t>>) = match (self.language, node.kind()) {
            (Language::Rust, "if_expression") => {
                let branches = [field("consequence"), field("alternative")];
                (None, branches.into_iter().filter_map(plain).collect())
            }
            (Language::Ruby, "if" | "unless" | "conditional" | "elsif") => {
                let branches = [field("consequence"), field("alternative")];
                (None, branches.into_iter().filter_map(plain).collect())
            }
            (Language::Kotlin, "if_expression") => {
                let condition = field("condition")?;
                let rest = children(node).into_iter().filter(|child| child.id() != condition.id());
                (None, rest.map(|gives| Arm { pattern: None, gives }).collect())
            }
            (Language::Rust, "match_expression") => (field("value"), self.arms_of(field("body")?)),
            (Language::Php, "match_expression") => (field("condition"), self.arms_of(field("body")?)),
            (Language::Kotlin, "when_expression") => {
                let subject = node.named_child(0).filter(|first| first.kind() == "when_subject");
                (subject.and_then(|subject| subject.named_child(0)), self.arms_of(node))
            }
            (Language::CSharp, "switch_expression") => (node.named_child(0), self.arms_of(node)),
            (Language::Ruby, "case") => (field("value"), self.arms_of(node)),
            (Language::Rust | Language::Kotlin, "block") | (Language::Rust, "else_clause") => {
                return Some(self.last_of_block(node, fuel));
            }
            _ => return None,
        };
        let subject = subject.map(|subject| self.text_of(subject));
        let values = arms.into_iter().filter(|arm| !self.leaves_instead(arm.gives)).map(|arm| {
            let is_subject = subject.is_some_and(|subject| same(self.text_of(arm.gives), subject));
            let is_fixed = arm.pattern.is_some_and(|pattern| is_literals(self.text_of(pattern)));
            match is_subject && is_fixed {
                true => Value::of(Origin::Clean),
                false => self.evaluate(arm.gives, fuel),
            }
        });
        values.reduce(Value::or).or_else(|| Some(Value::unknown()))
    }

    fn arms_of(&self, body: Node<'t>) -> Vec<Arm<'t>> {
        let arm = |node: Node<'t>| {
            let field = |name| node.child_by_field_name(name);
            let last = || children(node).last().copied();
            match node.kind() {
                "match_arm" => Some(Arm { pattern: field("pattern"), gives: field("value")? }),
                "match_conditional_expression" => Some(Arm {
                    pattern: field("conditional_expressions"),
                    gives: field("return_expression")?,
                }),
                "match_default_expression" => plain(field("return_expression")),
                "when_entry" => Some(Arm { pattern: field("condition"), gives: last()? }),
                "switch_expression_arm" => Some(Arm { pattern: node.named_child(0), gives: last()? }),
                "when" => Some(Arm { pattern: field("pattern"), gives: field("body")? }),
                "else" => plain(Some(node)),
                _ => None,
            }
        };
        children(body).into_iter().filter_map(arm).collect()
    }

    /// What a block gives that ends in an expression.
    fn last_of_block(&self, block: Node<'t>, fuel: &mut Fuel) -> Value {
        match children(block).last().copied() {
            // In Rust one that ends in a block of its own is a statement to the grammar.
            Some(last) if last.kind() == "expression_statement" => {
                let inner = last.named_child(0).filter(|_| !self.text_of(last).ends_with(';'));
                self.inside(inner, fuel)
            }
            Some(last) => self.evaluate(last, fuel),
            None => Value::unknown(),
        }
    }

    /// Whether a branch ends the function or the turn of the loop.
    fn leaves_instead(&self, gives: Node<'t>) -> bool {
        let mut node = gives;
        for _ in 0..4 {
            if LEAVING.contains(&node.kind()) {
                return true;
            }
            let is_around = matches!(node.kind(), "block" | "expression_statement" | "then" | "else");
            match children(node).last().filter(|_| is_around) {
                Some(last) => node = *last,
                None => break,
            }
        }
        let text = self.text_of(node);
        FAILING.iter().any(|word| text.starts_with(word)) || text.starts_with("raise") && !is_word(text, 5)
    }
}

fn is_word(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Whether both name the same, however it is borrowed or bracketed.
fn same(gives: &str, subject: &str) -> bool {
    fn bare(text: &str) -> &str {
        let text = text.trim().trim_start_matches(['&', '*', '(']).trim_end_matches(')');
        text.trim_end_matches(".as_str(").trim_end_matches(".as_ref(").trim()
    }
    bare(gives) == bare(subject)
}

/// `"a" | "b"`, `"a", "b"`, `"a" or "b"`: texts that are written down, and nothing else.
fn is_literals(pattern: &str) -> bool {
    let is_literal = |part: &str| {
        let part = part.trim();
        part.len() >= 2 && part.starts_with(['"', '\'']) && unquoted(part).len() + 2 == part.len()
    };
    pattern.split(['|', ',']).flat_map(|part| part.split(" or ")).all(is_literal)
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_choice_of_constants_is_harmless_whoever_chooses() {
        for (language, text) in [
            (
                Language::Rust,
                "fn f(sort: &str) { let c = match sort { \"a\" => \"x\", _ => \"y\" }; sink(c); }",
            ),
            (Language::Rust, "fn f(d: bool) { let c = if d { \"DESC\" } else { \"ASC\" }; sink(c); }"),
            (
                Language::Rust,
                "fn f(sort: &str) { let c = match sort { \"a\" | \"b\" => sort, _ => \"y\" }; sink(c); }",
            ),
            (
                Language::Rust,
                "fn f(sort: &str) { let c = match sort { \"a\" => \"x\", _ => return Err(Bad) }; sink(c); }",
            ),
            (
                Language::Kotlin,
                "fun f(s: String) { val c = when (s) { \"a\" -> \"x\"\n else -> \"y\" }\n sink(c) }",
            ),
            (Language::Kotlin, "fun f(d: Boolean) { sink(\"a ${if (d) \"DESC\" else \"ASC\"}\") }"),
            (
                Language::CSharp,
                "class A { void F(string s) { var c = s switch { \"a\" => \"x\", _ => \"y\" }; sink(c); } }",
            ),
            (
                Language::Php,
                "<?php function f($s) { $c = match ($s) { 'a' => 'x', default => 'y' }; sink($c); }",
            ),
            (
                Language::Ruby,
                "def f(s)\n  c = case s\n      when 'a' then 'x'\n      else 'y'\n      end\n  sink(c)\nend\n",
            ),
            (Language::Ruby, "def f(s)\n  c = s == 'a' ? 'x' : 'y'\n  sink(c)\nend\n"),
        ] {
            assert!(sunk(language, text).origin <= Origin::Clean, "{text}");
        }
    }

    #[test]
    fn one_branch_that_lets_all_through_is_enough() {
        for (language, text) in [
            (
                Language::Rust,
                "fn f(sort: &str) { let c = match sort { \"a\" => \"x\", _ => sort }; sink(c); }",
            ),
            (Language::Rust, "fn f(d: bool, s: &str) { let c = if d { \"DESC\" } else { s }; sink(c); }"),
            (
                Language::Kotlin,
                "fun f(s: String) { val c = when (s) { \"a\" -> \"x\"\n else -> s }\n sink(c) }",
            ),
            (
                Language::CSharp,
                "class A { void F(string s) { var c = s switch { \"a\" => \"x\", _ => s }; sink(c); } }",
            ),
            (
                Language::Php,
                "<?php function f($s) { $c = match ($s) { 'a' => 'x', default => $s }; sink($c); }",
            ),
            (Language::Ruby, "def f(s)\n  c = s == 'a' ? 'x' : s\n  sink(c)\nend\n"),
        ] {
            assert!(sunk(language, text).origin > Origin::Clean, "{text}");
        }
    }
}
