//! Checks that a value has passed before it is used: membership in a list, equality with a constant, a pattern.

use std::ops::Range;

use tree_sitter::Node;

use super::attempts::{says_of_folder, without_types};
use super::conditions::{
    alternatives, compact, has_word, keeps_from_steps_up, parses, refuses_steps_up, says_of, says_of_host,
    speaks_of_host, speaks_of_parts,
};
use super::scope::{Given, Scope};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// Longer conditions are not read.
const LONGEST: usize = 400;

/// How a call begins that ends the function or the program.
const LEAVING: [&str; 14] = [
    "abort(",
    "sys.exit(",
    "exit(",
    "panic(",
    "process.exit(",
    "log.Fatal",
    "die(",
    "wp_die(",
    "raise ",
    "raise(",
    "fail ",
    "bail!(",
    "anyhow::bail!(",
    "panic!(",
];

/// A function with more checks is not read to its end.
pub(super) const MOST: usize = 200;

/// A condition, and where it is known to hold or not to hold.
#[derive(Debug)]
pub(super) struct Guard<'t> {
    pub(super) asks: Asks<'t>,
    pub(super) condition: Node<'t>,
    pub(super) holds: Range<usize>,
    pub(super) fails: Option<Range<usize>>,
    /// What is done where it holds, and what comes after that whether it held or not.
    pub(super) then: Node<'t>,
    pub(super) after: Range<usize>,
}

/// What kind of check it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asks<'t> {
    /// Whether something is so.
    Condition,
    /// For a conversion, which fails for what is not allowed.
    Attempt,
    /// For one of a few constants.
    Cases,
    /// For each of a list.
    Each { element: &'t str, list: &'t str },
}

impl<'t> Guard<'t> {
    /// A check after which the program goes on only if it was passed.
    pub(super) fn passed(asks: Asks<'t>, condition: Node<'t>, holds: Range<usize>) -> Self {
        Guard { asks, condition, holds, fails: None, then: condition, after: 0..0 }
    }
}

/// What a value is known to be that has passed checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Checked {
    Not,
    /// No step of it leads up. Of a command or a query that says nothing.
    Below,
    /// An address whose host was asked for. Of a path, a command or a query that says nothing.
    AtHost,
    /// It begins with a folder or a host. Of a command or a query that says nothing.
    Inside,
    /// One of a few.
    Wholly,
}

impl Checked {
    /// What two checks say together.
    pub(super) fn and(self, other: Checked) -> Checked {
        match (self, other) {
            (Checked::Below, Checked::AtHost) | (Checked::AtHost, Checked::Below) => Checked::Inside,
            _ => self.max(other),
        }
    }

    /// What there is still to say of a value after that.
    pub(super) fn leave_of(self, value: Value) -> Value {
        match self {
            Checked::Not => value,
            Checked::Below => value.kept_below(),
            Checked::AtHost => value.kept_at_host(),
            Checked::Inside => value.kept_inside(),
            Checked::Wholly => Value::of(Origin::Clean),
        }
    }
}

/// What a check says about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    /// Where it holds, the value is one of a few.
    Allowed,
    /// Where it holds, the value is none of them.
    Refused,
    /// Where it holds, no step leads up.
    StaysBelow,
    /// Where it holds, one may.
    LeadsUp,
    /// Where it holds, the value is an address at a host that is allowed.
    AtHost,
    /// Where it holds, at another.
    AtOther,
    /// Where it holds, the value begins with a folder or a host.
    Inside,
    /// Where it holds, with something else.
    Outside,
}

impl Says {
    /// What is known of the value where the check holds, or where it does not.
    pub(super) fn leaves(self, holds: bool) -> Checked {
        match (self, holds) {
            (Says::Allowed, true) | (Says::Refused, false) => Checked::Wholly,
            (Says::StaysBelow, true) | (Says::LeadsUp, false) => Checked::Below,
            (Says::AtHost, true) | (Says::AtOther, false) => Checked::AtHost,
            (Says::Inside, true) | (Says::Outside, false) => Checked::Inside,
            _ => Checked::Not,
        }
    }

    /// What a check says that leaves this where it holds.
    pub(super) fn of(left: Checked) -> Self {
        match left {
            Checked::Not => Says::Nothing,
            Checked::Below => Says::StaysBelow,
            Checked::AtHost => Says::AtHost,
            Checked::Inside => Says::Inside,
            Checked::Wholly => Says::Allowed,
        }
    }

    /// What it says where it does not hold.
    pub(super) fn turned(self) -> Self {
        match self {
            Says::Nothing => Says::Nothing,
            Says::Allowed => Says::Refused,
            Says::Refused => Says::Allowed,
            Says::StaysBelow => Says::LeadsUp,
            Says::LeadsUp => Says::StaysBelow,
            Says::AtHost => Says::AtOther,
            Says::AtOther => Says::AtHost,
            Says::Inside => Says::Outside,
            Says::Outside => Says::Inside,
        }
    }

    /// What was asked of the host of an address says nothing of the rest of it.
    pub(super) fn of_host(self) -> Self {
        match self {
            Says::Allowed => Says::AtHost,
            Says::Refused => Says::AtOther,
            said => said,
        }
    }
}

impl<'t> Flow<'t> {
    /// The check that a branch makes. It fails in the `else`, and after a branch that leaves.
    pub(super) fn guard(&self, node: Node<'t>) -> Option<Guard<'t>> {
        if let Some(guard) = self.required(node).or_else(|| self.guard_of_ruby(node)) {
            return Some(guard);
        }
        let field = |name| node.child_by_field_name(name);
        let (condition, then, other) = match node.kind() {
            "if_statement" | "elif_clause" | "ternary_expression" | "else_if_clause" => {
                let then = field("consequence").or_else(|| field("body"))?;
                (field("condition")?, then, field("alternative"))
            }
            "conditional_expression" if field("condition").is_none() => {
                (node.named_child(1)?, node.named_child(0)?, node.named_child(2))
            }
            "if_expression" | "conditional_expression" => {
                let (then, other) = (field("consequence"), field("alternative"));
                (
                    field("condition")?,
                    then.or(node.named_child(1))?,
                    other.or(node.named_child(2).filter(|_| then.is_none())),
                )
            }
            "assert_statement" => {
                let holds = node.end_byte()..self.end_around(node);
                return Some(Guard::passed(Asks::Condition, node.named_child(0)?, holds));
            }
            // Of a comprehension, or of a case.
            "if_clause" => {
                let holds = node.parent()?.byte_range();
                return Some(Guard::passed(Asks::Condition, node.named_child(0)?, holds));
            }
            _ => return None,
        };
        let fails = match other {
            Some(other) => Some(other.byte_range()),
            None => self.leaves(then).then(|| self.rest_of_block(node)),
        };
        // Go may ask in front of the condition: `if ok := allowed[name]; ok`, `if _, err := parse(name); err != nil`.
        let fails_first = self.text_of(condition).trim() == "err != nil";
        let asks_first = |_: &Node<'t>| condition.kind() == "identifier" || fails_first;
        let asked = field("initializer").filter(asks_first).unwrap_or(condition);
        let after = self.rest_of_block(node);
        Some(Guard { asks: Asks::Condition, condition: asked, holds: then.byte_range(), fails, then, after })
    }

    /// What a variable can only hold by the checks that let it through to where it is used here.
    pub(super) fn checked(&self, name: &str, at: usize, scope: &Scope<'t>) -> Checked {
        let mut known = Checked::Not;
        for guard in &scope.guards {
            let holds = match &guard.fails {
                _ if guard.holds.contains(&at) => true,
                Some(fails) if fails.contains(&at) => false,
                // What did not pass was replaced.
                _ if guard.after.contains(&at) && self.sets(guard.then, name) => false,
                _ => continue,
            };
            let Some(left) = self.checks.get().checked_sub(1) else { break };
            self.checks.set(left);
            let said = match guard.asks {
                Asks::Condition => match self.says(guard.condition, name) {
                    Says::Nothing => self.says_of_parts(guard.condition, name, scope),
                    said => said,
                },
                Asks::Attempt => self.says_of_attempt(guard.condition, name),
                Asks::Cases if compact(self.text_of(guard.condition)) == name => Says::Allowed,
                Asks::Cases | Asks::Each { .. } => Says::Nothing,
            };
            let said = match said {
                Says::Nothing => self.says_further(guard.condition, name, scope),
                said => said,
            };
            known = known.and(said.leaves(holds));
            if known == Checked::Wholly {
                break;
            }
        }
        known
    }

    /// What a check says about an address by the host that another variable has of it:
    /// `parts = urlparse(name)`, then `parts.hostname in HOSTS`.
    fn says_of_parts(&self, condition: Node<'t>, name: &str, scope: &Scope<'t>) -> Says {
        let text = self.text_of(condition);
        if text.len() > LONGEST || !speaks_of_host(text) && !text.contains(".origin") {
            return Says::Nothing;
        }
        let is_parsed = scope.assignments.iter().any(|parts| match parts.given {
            Given::Value(value) => speaks_of_parts(text, parts.name) && parses(self.text_of(value), name),
            Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => false,
        });
        if is_parsed { says_of_host(&compact(text)) } else { Says::Nothing }
    }

    /// Whether a block gives a variable another value.
    fn sets(&self, body: Node<'t>, name: &str) -> bool {
        let text = self.text_of(body);
        text.len() < LONGEST
            && text.match_indices(name).any(|(at, _)| {
                let rest = text[at + name.len()..].trim_start();
                rest.starts_with('=') && !rest.starts_with("==") && !text[..at].ends_with(['.', '_'])
            })
    }

    /// Whether a block ends by leaving the function or the turn of the loop.
    pub(super) fn leaves(&self, body: Node<'t>) -> bool {
        let last_of = |node: Node<'t>| {
            let count = u32::try_from(node.named_child_count()).unwrap_or_default();
            (0..count).rev().filter_map(|at| node.named_child(at)).find(|child| !child.is_extra())
        };
        let leaves = |node: Node<'_>| {
            matches!(
                node.kind(),
                "return_statement"
                    | "raise_statement"
                    | "throw_statement"
                    | "continue_statement"
                    | "break_statement"
                    | "return_expression"
                    | "throw_expression"
                    | "continue_expression"
                    | "break_expression"
                    | "exit_statement"
                    | "return"
                    | "next"
                    | "break"
            )
        };
        let last = last_of(body).unwrap_or(body);
        // Go keeps statements in a list of their own.
        let is_around = |kind| matches!(kind, "statement_list" | "expression_statement");
        let last = if is_around(last.kind()) { last_of(last).unwrap_or(last) } else { last };
        let text = self.text_of(last);
        leaves(body)
            || leaves(last)
            || LEAVING.iter().any(|word| text.starts_with(word))
            || body.kind() == "call" && LEAVING.iter().any(|word| self.text_of(body).starts_with(word))
            || matches!(text, "die" | "exit" | "raise")
            || text.ends_with(" and return")
            || self.language == Language::Kotlin && text.starts_with("error(")
    }

    /// What is left where the matches of a regular expression are replaced: it may take out all but a few characters, the
    /// brackets of markup, or steps up a path.
    pub(super) fn strips(&self, pattern: Node<'t>) -> Checked {
        let text = self.text_of(pattern);
        let flags = text.rsplit('/').next().unwrap_or_default();
        // `replaceAll("[^a-z]", "")` of Java.
        if pattern.kind() == "string_literal" && text.starts_with("\"[^") {
            return if text.contains(['.', '/', '<']) { Checked::Not } else { Checked::Wholly };
        }
        // `path.normalize(name).replace(/^(\.\.(\/|\\|$))+/, "")`
        if pattern.kind() == "regex" && text.starts_with("/^(\\.\\.") && text.contains(")+") {
            return Checked::Below;
        }
        let takes_out = |harm: [&str; 2]| harm.iter().any(|harm| text.contains(harm));
        match pattern.kind() == "regex" && flags.contains('g') {
            true if takes_out(["[^", "<"]) => Checked::Wholly,
            true if takes_out(["\\.\\.", "\\/"]) => Checked::Below,
            _ => Checked::Not,
        }
    }

    pub(super) fn says(&self, condition: Node<'t>, name: &str) -> Says {
        let text = self.text_of(condition);
        if text.len() > LONGEST || !has_word(text, name) {
            return Says::Nothing;
        }
        let compact = match self.language {
            Language::TypeScript => without_types(&compact(text)),
            _ => compact(text),
        };
        match says_of_folder(&compact, name) {
            Says::Nothing => {}
            said => return said,
        }
        if keeps_from_steps_up(&compact, name) {
            return Says::StaysBelow;
        }
        if !refuses_steps_up(&compact, name) {
            return says_of(&compact, name);
        }
        // Whoever refuses more in the same breath may have left but a few.
        let left = alternatives(&compact).map(|part| says_of(part, name).leaves(false));
        Says::of(left.fold(Checked::Below, Checked::and)).turned()
    }
}
