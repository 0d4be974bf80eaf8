use tree_sitter::Node;

use super::arguments::receiver;
use super::calls::scripts;
use super::scope::Given;
use super::typed::leaves_no_choice;
use super::{Flow, Origin, Places, Value, sources};
use crate::language::Language;

/// So many nodes are looked at for one answer.
const STEPS: u32 = 600;

/// And so deep.
const DEEPEST: u32 = 40;

/// What one question may still cost.
#[derive(Debug)]
pub(super) struct Fuel {
    steps: u32,
    depth: u32,
}

impl Fuel {
    /// For a question on the side.
    pub(super) fn little() -> Self {
        Fuel { steps: STEPS / 4, depth: DEEPEST / 2 }
    }
}

impl<'t> Flow<'t> {
    /// What is known about the value of an expression. Once a file has used up its budget, everything is clean.
    pub(crate) fn value(&self, node: Node<'t>) -> Value {
        let Some(left) = self.questions.get().checked_sub(1) else { return Value::of(Origin::Clean) };
        let mut fuel = Fuel { steps: STEPS, depth: DEEPEST };
        let value = self.evaluate(node, &mut fuel);
        let steps = self.steps.get().saturating_sub(STEPS - fuel.steps);
        self.steps.set(steps);
        self.questions.set(if steps == 0 { 0 } else { left });
        value
    }

    pub(super) fn evaluate(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        if fuel.steps == 0 || fuel.depth == 0 {
            return Value::unknown();
        }
        fuel.steps -= 1;
        fuel.depth -= 1;
        let value = match self.handed_back(node) {
            Some(same) => self.evaluate(same, fuel),
            None => self.evaluate_here(node, fuel).unwrap_or_else(|| self.evaluate_kind(node, fuel)),
        };
        fuel.depth += 1;
        value
    }

    /// What only the language of this file writes so.
    fn evaluate_here(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        match self.language {
            Language::Rust | Language::Kotlin => self.branched(node, fuel),
            Language::CSharp => self.branched(node, fuel).or_else(|| self.own_in_csharp(node)),
            Language::Php => self.branched(node, fuel).or_else(|| self.evaluate_php(node, fuel)),
            Language::Ruby => self.branched(node, fuel).or_else(|| self.evaluate_ruby(node, fuel)),
            _ => None,
        }
    }

    fn evaluate_kind(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        match node.kind() {
            "string"
            | "template_string"
            | "string_literal"
            | "multiline_string_literal"
            | "interpreted_string_literal"
            | "raw_string_literal" => self.string(node, fuel),
            "concatenated_string" => self.in_sequence(node, fuel),
            "integer"
            | "float"
            | "number"
            | "int_literal"
            | "float_literal"
            | "decimal_integer_literal"
            | "decimal_floating_point_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "true"
            | "false"
            | "none"
            | "null"
            | "nil"
            | "null_literal"
            | "undefined"
            | "rune_literal"
            | "character_literal"
            | "regex"
            | "ellipsis"
            | "class_literal"
            | "binary_integer_literal" => Value::constant(self.text_of(node)),
            "identifier" | "shorthand_property_identifier" => self.variable(node, fuel),
            "binary_operator" | "binary_expression" => self.binary(node, fuel),
            "boolean_operator" => self.either(node, fuel),
            "conditional_expression" if node.child_by_field_name("condition").is_none() => {
                let branches = [node.named_child(0), node.named_child(2)];
                match node.named_child(1).and_then(|condition| self.decided(condition)) {
                    Some(holds) => self.inside(branches[usize::from(!holds)], fuel),
                    None => self.either_of(branches, fuel),
                }
            }
            "ternary_expression" | "conditional_expression" => {
                let branches = ["consequence", "alternative"].map(|field| node.child_by_field_name(field));
                let condition = node.child_by_field_name("condition");
                if let Some(holds) = condition.and_then(|condition| self.decided(condition)) {
                    let [then, other] = branches;
                    return self.inside(if holds { then } else { other }, fuel);
                }
                self.either_of(branches, fuel)
            }
            "comparison_operator" | "not_operator" | "instanceof_expression" | "update_expression" => {
                Value::of(Origin::Clean)
            }
            "unary_operator" => Value::of(Origin::Clean),
            "unary_expression" => {
                let operator = node.child(0).map_or("", |operator| self.text_of(operator));
                match operator {
                    "&" | "*" | "<-" => self.last_inside(node, fuel),
                    _ if self.text_of(node).ends_with("!!") => self.inside(node.named_child(0), fuel),
                    _ => Value::of(Origin::Clean),
                }
            }
            "call"
            | "call_expression"
            | "method_invocation"
            | "new_expression"
            | "object_creation_expression" => self.call(node, fuel),
            "attribute" | "member_expression" | "selector_expression" | "field_access" => {
                if self.is_entry_name(node) {
                    return Value::entry();
                }
                let value = self.kept(node, fuel).unwrap_or_else(|| self.member(node, fuel));
                self.as_checked(node, value)
            }
            "subscript" | "subscript_expression" if scripts(self.language) => {
                let value = self.element(node, fuel);
                self.as_checked(node, value)
            }
            "subscript"
            | "subscript_expression"
            | "index_expression"
            | "array_access"
            | "slice_expression" => self.element(node, fuel),
            "type_conversion_expression" | "type_assertion_expression" => {
                self.inside(node.child_by_field_name("operand"), fuel)
            }
            "cast_expression" => match node.child_by_field_name("type").map(|one| self.text_of(one)) {
                Some(declared) if leaves_no_choice(self, declared) => {
                    let value = self.inside(node.child_by_field_name("value"), fuel);
                    if value.origin == Origin::Constant { value } else { Value::of(Origin::Clean) }
                }
                _ => self.inside(node.child_by_field_name("value"), fuel),
            },
            "named_expression" | "keyword_argument" | "pair" => {
                self.inside(node.child_by_field_name("value"), fuel)
            }
            "assignment_expression" => self.inside(node.child_by_field_name("right"), fuel),
            "list_comprehension" | "set_comprehension" | "generator_expression" => {
                self.inside(node.child_by_field_name("body").or_else(|| node.named_child(0)), fuel)
            }
            "parenthesized_expression"
            | "await"
            | "await_expression"
            | "spread_element"
            | "list_splat"
            | "dictionary_splat"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "literal_element"
            | "interpolation"
            | "template_substitution"
            | "expression_statement"
            | "variadic_argument" => self.inside(node.named_child(0), fuel),
            "keyed_element" => self.last_inside(node, fuel),
            "list" | "tuple" | "set" | "dictionary" | "array" | "object" | "array_initializer"
            | "literal_value" | "expression_list" | "argument_list" | "arguments" => {
                self.all_inside(node, fuel)
            }
            "switch_expression" => self.switched(node, fuel),
            "composite_literal" => self.inside(node.child_by_field_name("body"), fuel),
            "array_creation_expression" if self.language == Language::CSharp => {
                self.array_of_csharp(node, fuel)
            }
            "array_creation_expression" => match node.child_by_field_name("value") {
                Some(value) => self.evaluate(value, fuel),
                // Whatever the class does with a field is not seen here.
                None if is_field(node) => Value::unknown(),
                None => Value::constant(self.text_of(node)),
            },
            _ => self.evaluate_native(node, fuel),
        }
    }

    /// What is left to say of a part of something after the checks that were made of it as it is written: `data["kind"]`.
    fn as_checked(&self, node: Node<'t>, value: Value) -> Value {
        match self.scopes_around(node).into_iter().next().filter(|_| value.is_dynamic()) {
            Some(scope) => self.checked(self.text_of(node), node.start_byte(), &scope).leave_of(value),
            None => value,
        }
    }

    pub(super) fn inside(&self, node: Option<Node<'t>>, fuel: &mut Fuel) -> Value {
        node.map_or_else(Value::unknown, |node| self.evaluate(node, fuel))
    }

    pub(super) fn last_inside(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let last = u32::try_from(node.named_child_count()).unwrap_or_default().checked_sub(1);
        self.inside(last.and_then(|last| node.named_child(last)), fuel)
    }

    pub(super) fn children(&self, node: Node<'t>, fuel: &mut Fuel) -> Vec<Value> {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> =
            node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(64).collect();
        children.into_iter().map(|child| self.evaluate(child, fuel)).collect()
    }

    pub(super) fn in_sequence(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let parts = self.children(node, fuel).into_iter();
        parts.reduce(Value::followed_by).unwrap_or_else(|| Value::constant(""))
    }

    pub(super) fn all_inside(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let parts = self.children(node, fuel).into_iter();
        parts.reduce(Value::with).unwrap_or_else(|| Value::constant(""))
    }

    fn either(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let branches = ["left", "right"].map(|field| node.child_by_field_name(field));
        self.either_of(branches, fuel)
    }

    pub(super) fn either_of(&self, branches: [Option<Node<'t>>; 2], fuel: &mut Fuel) -> Value {
        let [first, second] = branches.map(|branch| self.inside(branch, fuel));
        first.or(second)
    }

    /// The text between the quotes, and what is put into it.
    pub(super) fn string(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let mut value = Value::constant("");
        let mut cursor = node.walk();
        let mut has_parts = false;
        let children: Vec<Node<'t>> = node.children(&mut cursor).take(200).collect();
        for child in children {
            match child.kind() {
                "interpolation" | "template_substitution" | "string_interpolation" => {
                    has_parts = true;
                    let part =
                        self.inside(child.child_by_field_name("expression").or(child.named_child(0)), fuel);
                    value = value.followed_by(part);
                }
                "string_content"
                | "string_fragment"
                | "string_literal_content"
                | "escape_sequence"
                | "interpreted_string_literal_content"
                | "raw_string_literal_content"
                | "multiline_string_fragment" => {
                    has_parts = true;
                    value = match self.named_after_dollar(child, fuel) {
                        Some(part) => value.followed_by(part),
                        None => value.followed_by(Value::constant(self.text_of(child))),
                    };
                }
                _ => {}
            }
        }
        if has_parts { value } else { Value::constant(super::names::unquoted(self.text_of(node))) }
    }

    fn binary(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.text_of(operator));
        let [left, right] = ["left", "right"].map(|field| node.child_by_field_name(field));
        match operator {
            "+" => {
                let rooted = right.is_some_and(|right| self.is_rooted(right));
                let left = self.inside(left, fuel);
                left.followed_by(if rooted { Value::of(Origin::Clean) } else { self.inside(right, fuel) })
            }
            // Python's old way to fill in a text, and its way to repeat one.
            "%" | "*" if node.kind() == "binary_operator" => {
                let is_literal = left.is_some_and(|left| left.kind() == "string");
                let left = self.inside(left, fuel);
                let is_text = is_literal
                    || left.built
                    || left.text.contains(|c: char| c.is_alphabetic() || "?%<,".contains(c));
                match operator {
                    "*" if is_text => left,
                    "%" if is_text || left.is_dynamic() => {
                        let values = match right.filter(|right| right.kind() == "tuple") {
                            Some(tuple) => self.children(tuple, fuel),
                            None => vec![self.inside(right, fuel)],
                        };
                        left.filled_with(values, Places::Percent)
                    }
                    _ => Value::of(Origin::Clean),
                }
            }
            "||" | "??" | "&&" | "?:" => self.either_of([left, right], fuel),
            "/" if node.kind() == "binary_operator" => {
                // `/` joins paths of pathlib.
                let left = self.inside(left, fuel);
                left.with(self.inside(right, fuel))
            }
            _ => Value::of(Origin::Clean),
        }
    }

    pub(super) fn member(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let whole = self.name_of(node);
        if let Some(origin) = self.source(node, &whole) {
            return sources::as_written(origin, &whole);
        }
        let last = whole.rsplit('.').next().unwrap_or_default();
        // The last part of a path has no `..` in it.
        let is_last_part = whole.ends_with("Path().name");
        if is_last_part {
            return Value::part_of(&self.inside(receiver(node), fuel)).kept_inside();
        }
        if let Some(value) = self.field_of_go(node, last, fuel) {
            return value;
        }
        if is_constant_name(last)
            || matches!(last, "length" | "size" | "pk")
            || self.is_of_few(node, &whole)
            || receiver(node).is_some_and(|object| self.is_value_of_enumeration(object))
        {
            return Value::of(Origin::Clean);
        }
        match receiver(node).map(|object| (object, self.text_of(object))) {
            Some((_, "self" | "this" | "cls")) | None => self.field(node, last, fuel),
            Some((object, _)) => {
                let value = self.inside(Some(object), fuel);
                match value.origin {
                    Origin::Tainted | Origin::Local | Origin::Parameter => Value::part_of(&value),
                    // Of an enumeration.
                    Origin::Clean if matches!(last, "value" | "name") => Value::of(Origin::Clean),
                    Origin::Clean if self.is_enumerated(object) => Value::of(Origin::Clean),
                    Origin::Constant | Origin::Clean if self.is_table(object, last) => {
                        Value::of(Origin::Clean)
                    }
                    Origin::Constant | Origin::Clean | Origin::Unknown => Value::unknown(),
                }
            }
        }
    }

    /// A field that the class gives a constant.
    fn field(&self, node: Node<'t>, name: &str, fuel: &mut Fuel) -> Value {
        let outermost = self.scopes_around(node).pop();
        let given: Vec<Given<'t>> = outermost
            .iter()
            .flat_map(|scope| scope.of_name(name))
            .map(|assignment| assignment.given)
            .collect();
        match given.as_slice() {
            [Given::Value(value)] => {
                let value = self.evaluate(*value, fuel);
                if value.origin <= Origin::Clean { value } else { Value::unknown() }
            }
            _ if self.is_field_of_numbers(name) => Value::of(Origin::Clean),
            _ => Value::unknown(),
        }
    }

    fn element(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        if let Some(value) = self.indexed_in_go(node, fuel) {
            return value;
        }
        if let Some(origin) = self.source(node, &self.name_of(node)) {
            return Value::of(origin);
        }
        if let Some(value) = self.kept(node, fuel) {
            return value;
        }
        let fields = ["value", "object", "operand", "array", "argument"];
        let object = fields.iter().find_map(|field| node.child_by_field_name(field)).or(node.named_child(0));
        let value = self.inside(object, fuel);
        match value.origin {
            // One of a fixed set, whichever was asked for.
            Origin::Constant | Origin::Clean => Value::of(Origin::Clean),
            Origin::Unknown | Origin::Parameter | Origin::Local | Origin::Tainted => Value::part_of(&value),
        }
    }
}

fn is_field(array: Node<'_>) -> bool {
    let declared = array.parent().and_then(|declarator| declarator.parent());
    declared.is_some_and(|declared| declared.kind() == "field_declaration")
}

/// Written in capitals, as constants are.
pub(super) fn is_constant_name(name: &str) -> bool {
    name.len() > 1
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
}
