use std::rc::Rc;

use tree_sitter::Node;

use super::evaluate::{Fuel, is_constant_name};
use super::scope::{Assignment, Given, Scope};
use super::{Flow, Origin, Value};

/// So many of the values that a variable was given are looked at, and so many with what was added to it: a query with
/// thirty columns has thirty.
const MOST_GIVEN: u32 = 12;
const MOST_ADDED: usize = 64;

impl<'t> Flow<'t> {
    pub(super) fn variable(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        self.named(self.text_of(node), node, fuel)
    }

    /// What a name stands for where `node` is.
    pub(super) fn named(&self, name: &str, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let scopes = self.scopes_around(node);
        let mut at = node.start_byte();
        for scope in scopes {
            let value = self.in_scope(name, at, &scope, fuel);
            if let Some(value) = value {
                if value.is_dynamic() && self.is_field_of_few(name, &scope) {
                    return Value::of(Origin::Clean);
                }
                return match value.is_dynamic() {
                    true => self.checked(name, node.start_byte(), &scope).leave_of(value),
                    false => value,
                };
            }
            // What a function sees of the one around it may have been set after it was written.
            at = usize::MAX;
        }
        if let Some(value) = self.each_of_kotlin(name, node, fuel) {
            return value;
        }
        match name {
            "None" | "True" | "False" | "nil" | "__file__" | "__name__" => Value::constant(name),
            _ if is_constant_name(name) || self.is_field_of_numbers(name) => Value::of(Origin::Clean),
            _ => Value::unknown(),
        }
    }

    /// All that may have been assigned before `at`, back to what certainly was.
    fn in_scope(&self, name: &str, at: usize, scope: &Rc<Scope<'t>>, fuel: &mut Fuel) -> Option<Value> {
        let never = scope.never.get_or_init(|| self.never_reached(scope.function));
        let is_reached = |one: &&Assignment<'t>| {
            let at = one.whole.start_byte();
            let begun = never.partition_point(|skipped| skipped.start <= at);
            !never[..begun].last().is_some_and(|skipped| skipped.contains(&at))
        };
        let seen = scope.of_name(name).rev().filter(|one| one.after <= at);
        let mut value: Option<Value> = None;
        let mut added: Vec<&Assignment<'t>> = Vec::new();
        let mut values = 0;
        for assignment in seen.filter(is_reached).take(MOST_ADDED) {
            let certain = assignment.block.contains(&at) || scope.function.is_none();
            match assignment.given {
                Given::Added(_) | Given::Listed(_) => {
                    added.push(assignment);
                    continue;
                }
                Given::Value(given) => {
                    let found = match assignment.taken {
                        _ if self.goes_through(assignment.whole) => self.each_of(given, fuel),
                        Some(taken) => self.part_of_result(given, taken, fuel),
                        None => self.evaluate(given, fuel),
                    };
                    value = Some(value.map_or(found.clone(), |value| value.or(found)));
                }
                Given::From(origin) => {
                    let passed = match origin {
                        Origin::Parameter => self
                            .passed(name, assignment.whole, fuel)
                            .or_else(|| self.element_passed(name, assignment.whole, fuel)),
                        _ => None,
                    };
                    let found = passed.unwrap_or_else(|| Value::of(origin));
                    value = Some(value.map_or(found.clone(), |value| value.or(found)));
                }
                Given::Nothing => {
                    let found = Value::constant("");
                    value = Some(value.map_or(found.clone(), |value| value.or(found)));
                }
            }
            values += 1;
            if certain || values == MOST_GIVEN {
                break;
            }
        }
        let start = match (value, added.is_empty()) {
            (None, true) => return None,
            // Something that is only ever added to came from elsewhere.
            (None, false) => Value::unknown(),
            (Some(value), _) => value,
        };
        Some(added.into_iter().rev().fold(start, |value, assignment| match assignment.given {
            Given::Added(node) => value.followed_by(self.evaluate(node, fuel)),
            Given::Listed(node) => value.with(self.evaluate(node, fuel)),
            Given::Value(_) | Given::From(_) | Given::Nothing => value,
        }))
    }
}
