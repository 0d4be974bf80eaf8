use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use tree_sitter::Node;

use super::arguments::Invocation;
use super::guards::{self, Guard};
use super::native;
use super::parameters::parameters;
use super::taken::Taken;
use super::walk::{Step, walk};
use super::{Flow, Origin};
use crate::language::Language;

/// A function with this many assignments is generated; its last ones are not looked at.
const MOST: usize = 2_000;

/// A call with more arguments is generated.
const MOST_ARGUMENTS: usize = 64;

/// What is assigned inside one function, or outside all of them.
#[derive(Debug)]
pub(super) struct Scope<'t> {
    /// In the order of the text.
    pub(super) assignments: Vec<Assignment<'t>>,
    /// The function; nothing outside all of them.
    pub(super) function: Option<Node<'t>>,
    pub(super) guards: Vec<Guard<'t>>,
    /// Branches that are never taken, once somebody asked.
    pub(super) never: OnceCell<Vec<Range<usize>>>,
    /// Where the assignments of each name are.
    names: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Scope<'t> {
    fn new(assignments: Vec<Assignment<'t>>, function: Option<Node<'t>>, guards: Vec<Guard<'t>>) -> Self {
        let mut names: HashMap<&'t str, Vec<usize>> = HashMap::new();
        for (at, one) in assignments.iter().enumerate() {
            names.entry(one.name).or_default().push(at);
        }
        Scope { assignments, function, guards, never: OnceCell::new(), names }
    }

    /// The assignments of a name, in the order of the text.
    pub(super) fn of_name<'s>(
        &'s self,
        name: &str,
    ) -> impl DoubleEndedIterator<Item = &'s Assignment<'t>> + use<'s, 't> {
        let all = self.names.get(name).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|at| self.assignments.get(*at))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Assignment<'t> {
    pub(super) name: &'t str,
    /// The end of the assignment: what comes later may see it.
    pub(super) after: usize,
    /// The block it stands in: whatever comes later there has seen it.
    pub(super) block: Range<usize>,
    pub(super) given: Given<'t>,
    /// What says it, which may name a type.
    pub(super) whole: Node<'t>,
    /// Of a value with several parts, the one that it gets.
    pub(super) taken: Option<Taken<'t>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Given<'t> {
    Value(Node<'t>),
    /// `+=`, `.append(…)`: what it was, and this behind it.
    Added(Node<'t>),
    /// `.add(…)`, `.put(…)`: what it was, and this as one more.
    Listed(Node<'t>),
    /// A parameter.
    From(Origin),
    /// A builder of text to which nothing was written yet.
    Nothing,
}

pub(super) const FUNCTIONS: [&str; 23] = [
    "function_definition",
    "lambda",
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
    "method_declaration",
    "func_literal",
    "constructor_declaration",
    "compact_constructor_declaration",
    "lambda_expression",
    "function",
    "function_item",
    "closure_expression",
    "lambda_literal",
    "local_function_statement",
    "anonymous_method_expression",
    "accessor_declaration",
    "anonymous_function",
    "method",
    "singleton_method",
];

const BLOCKS: [&str; 19] = [
    "block",
    "statement_block",
    "module",
    "program",
    "source_file",
    "class_body",
    "constructor_body",
    "switch_block_statement_group",
    "expression_case",
    "switch_case",
    "compound_statement",
    "translation_unit",
    "declaration_list",
    "lambda_literal",
    "switch_section",
    "body_statement",
    "block_body",
    "then",
    "else",
];

/// Where fields stand, and what protects them.
const CLASSES: [&str; 7] = [
    "class_declaration",
    "class_definition",
    "class_specifier",
    "record_declaration",
    "enum_declaration",
    "struct_declaration",
    "object_declaration",
];

impl<'t> Flow<'t> {
    /// The outermost function around a node; outside all of them its class, and without one the whole file.
    pub(crate) fn around(&self, node: Node<'t>) -> Node<'t> {
        let (mut outermost, mut class, mut current) = (None, None, node);
        while let Some(parent) = self.parent(current) {
            current = parent;
            if FUNCTIONS.contains(&parent.kind()) {
                outermost = Some(parent);
            }
            if CLASSES.contains(&parent.kind()) {
                class = Some(parent);
            }
        }
        // A function without a name has that of what it is given to.
        let is_given = |parent: &Node<'t>| matches!(parent.kind(), "variable_declarator" | "pair");
        let named = outermost.and_then(|function| function.parent()).filter(is_given);
        named.or(outermost).or(class).unwrap_or(current)
    }

    /// The scopes around a node, from the inside out.
    pub(super) fn scopes_around(&self, node: Node<'t>) -> Vec<Rc<Scope<'t>>> {
        let mut scopes = Vec::new();
        let mut current = node;
        while let Some(parent) = self.parent(current) {
            current = parent;
            if FUNCTIONS.contains(&parent.kind()) {
                scopes.push(self.scope(parent, Some(parent)));
            }
        }
        scopes.push(self.scope(current, None));
        scopes
    }

    fn scope(&self, node: Node<'t>, function: Option<Node<'t>>) -> Rc<Scope<'t>> {
        if let Some(known) = self.scopes.borrow().get(&node.id()) {
            return Rc::clone(known);
        }
        let mut guards = Vec::new();
        let assignments = self.assignments(node, function, &mut guards);
        let scope = Rc::new(Scope::new(assignments, function, guards));
        self.scopes.borrow_mut().insert(node.id(), Rc::clone(&scope));
        scope
    }

    fn assignments(
        &self,
        root: Node<'t>,
        function: Option<Node<'t>>,
        guards: &mut Vec<Guard<'t>>,
    ) -> Vec<Assignment<'t>> {
        let mut found: Vec<Assignment<'t>> = function.map(|f| parameters(self, f)).unwrap_or_default();
        walk(root, |node| {
            if node.id() != root.id() && FUNCTIONS.contains(&node.kind()) || found.len() > MOST {
                return Step::Over;
            }
            if guards.len() < guards::MOST {
                guards.extend(self.guard(node));
                guards.extend(self.attempts(node));
                guards.extend(self.checked_loop(node));
                guards.extend(self.chosen_cases(node));
            }
            self.collect(node, &mut found);
            Step::Into
        });
        found
    }

    fn collect(&self, node: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        let field = |name| node.child_by_field_name(name);
        let (target, value, added) = match node.kind() {
            "assignment"
            | "assignment_expression"
            | "assignment_statement"
            | "short_var_declaration"
            | "range_clause"
            | "for_in_clause"
            | "for_in_statement" => {
                let operator = field("operator").map_or("=", |operator| self.text_of(operator));
                (field("left"), field("right"), !matches!(operator, "=" | ":=" | "in" | "of"))
            }
            "variable_declarator" if self.language == Language::CSharp => {
                return self.collect_declared(node, found);
            }
            "invocation_expression" => return self.collect_called_in_csharp(node, found),
            "foreach_statement" | "for_statement" if field("left").is_some() => {
                (field("left"), field("right"), false)
            }
            "augmented_assignment" | "augmented_assignment_expression" | "operator_assignment" => {
                (field("left"), field("right"), true)
            }
            "named_expression"
            | "variable_declarator"
            | "var_spec"
            | "const_spec"
            | "enhanced_for_statement" => (field("name"), field("value"), false),
            "resource" => (field("name"), field("value"), false),
            "as_pattern" => (field("alias"), node.named_child(0), false),
            "call" | "call_expression" | "method_invocation" => return self.collect_added(node, found),
            _ => match native::assigned(node) {
                Some((target, value, added)) => (Some(target), Some(value), added),
                None => return,
            },
        };
        let is_empty = |declared: Node<'t>| matches!(self.text_of(declared), "strings.Builder" | "[]string");
        if let (Language::Go, "var_spec", Some(name), None) = (self.language, node.kind(), target, value)
            && field("type").is_some_and(is_empty)
        {
            found.push(self.assignment(self.text_of(name), Given::Nothing, node));
        }
        if let (Some(target), Some(value)) = (target, value)
            && !self.collect_appended(target, value, node, found)
        {
            let known = found.len();
            self.assign(target, value, added, node, found);
            self.note_taken(target, value, &mut found[known..]);
        }
    }

    /// Go's `list = append(list, more)`: what it was, and more.
    fn collect_appended(
        &self,
        target: Node<'t>,
        value: Node<'t>,
        whole: Node<'t>,
        found: &mut Vec<Assignment<'t>>,
    ) -> bool {
        if self.language != Language::Go || value.named_child_count() != 1 {
            return false;
        }
        let call =
            value.named_child(0).filter(|call| call.kind() == "call_expression").and_then(Invocation::of);
        let Some(call) = call.filter(|call| self.text_of(call.callee) == "append") else { return false };
        let arguments = call.values();
        let name = self.text_of(target);
        let is_itself = arguments.first().is_some_and(|list| self.text_of(*list) == name);
        if !is_itself || target.named_child(0).is_none_or(|only| only.kind() != "identifier") {
            return false;
        }
        for more in arguments.into_iter().skip(1).take(MOST_ARGUMENTS) {
            found.push(self.assignment(name, Given::Listed(more), whole));
        }
        true
    }

    /// Pairs lists with lists of the same length; else everything on the left gets everything on the right.
    fn assign(
        &self,
        target: Node<'t>,
        value: Node<'t>,
        added: bool,
        whole: Node<'t>,
        found: &mut Vec<Assignment<'t>>,
    ) {
        let is_list = |node: Node<'_>| {
            matches!(node.kind(), "expression_list" | "pattern_list" | "tuple" | "tuple_pattern")
        };
        let given = |value| if added { Given::Added(value) } else { Given::Value(value) };
        if is_list(target) && is_list(value) && target.named_child_count() == value.named_child_count() {
            let mut cursors = (target.walk(), value.walk());
            let pairs = target.named_children(&mut cursors.0).zip(value.named_children(&mut cursors.1));
            for (target, value) in pairs {
                self.assign_names(target, given(value), whole, found);
            }
        } else if let (true, Some(counted)) = (is_list(target), self.counted(value)) {
            let mut cursor = target.walk();
            for (at, name) in target.named_children(&mut cursor).enumerate() {
                let given = if at == 0 { Given::From(Origin::Clean) } else { given(counted) };
                self.assign_names(name, given, whole, found);
            }
        } else if let Some(object) = self.paired(target, value) {
            // The keys, and what stands under them.
            let mut cursor = target.walk();
            for (at, name) in target.named_children(&mut cursor).enumerate() {
                let given = Given::Value(if at == 0 { object } else { value });
                self.assign_names(name, given, whole, found);
            }
        } else if is_list(target) && self.language == Language::Go {
            // An error tells what went wrong, not what came in.
            let mut cursor = target.walk();
            for name in target.named_children(&mut cursor) {
                let is_error = is_error_name(self.text_of(name));
                let given = if is_error { Given::From(Origin::Clean) } else { given(value) };
                self.assign_names(name, given, whole, found);
            }
        } else {
            self.assign_names(target, given(value), whole, found);
        }
    }

    /// The list of Python's `enumerate(list)`, which gives a number with each of it.
    fn counted(&self, value: Node<'t>) -> Option<Node<'t>> {
        let call = Invocation::of(value).filter(|_| self.language == Language::Python)?;
        call.at(0).filter(|_| self.text_of(call.callee) == "enumerate")
    }

    fn assign_names(
        &self,
        target: Node<'t>,
        given: Given<'t>,
        whole: Node<'t>,
        found: &mut Vec<Assignment<'t>>,
    ) {
        walk(target, |node| {
            let is_name = matches!(
                node.kind(),
                "identifier"
                    | "shorthand_property_identifier_pattern"
                    | "as_pattern_target"
                    | "variable_name"
                    | "instance_variable"
            );
            // What is written to a part of a value makes the value more than it was.
            let given = match (node.kind(), given) {
                (
                    "attribute"
                    | "subscript"
                    | "member_expression"
                    | "subscript_expression"
                    | "index_expression"
                    | "selector_expression"
                    | "field_access"
                    | "array_access"
                    | "field_expression"
                    | "navigation_expression"
                    | "member_access_expression"
                    | "element_access_expression"
                    | "element_reference",
                    _,
                ) => {
                    if let (Some(object), Given::Value(value) | Given::Added(value) | Given::Listed(value)) =
                        (root_of(node), given)
                        && !matches!(self.text_of(object), "self" | "this" | "$this")
                    {
                        found.push(self.assignment(self.text_of(object), Given::Listed(value), whole));
                    }
                    return Step::Over;
                }
                (_, given) => given,
            };
            if is_name {
                found.push(self.assignment(self.text_of(node), given, whole));
                return Step::Over;
            }
            Step::Into
        });
    }

    pub(super) fn assignment(&self, name: &'t str, given: Given<'t>, whole: Node<'t>) -> Assignment<'t> {
        // A loop gives its variable to its own body.
        let own_body = matches!(
            whole.kind(),
            "for_statement"
                | "foreach_statement"
                | "for_in_statement"
                | "enhanced_for_statement"
                | "range_clause"
                | "for_expression"
                | "let_condition"
        );
        // What is made of each stands in front of the `for` there.
        let comprehension = self.parent(whole).filter(|_| whole.kind() == "for_in_clause");
        if let Some(comprehension) = comprehension {
            let block = comprehension.byte_range();
            return Assignment { name, after: block.start, block, given, whole, taken: None };
        }
        let after = if own_body { whole.start_byte() } else { whole.end_byte() };
        Assignment { name, after, block: self.block_around(whole), given, whole, taken: None }
    }

    /// Where what stands around a node ends.
    pub(super) fn end_around(&self, node: Node<'t>) -> usize {
        self.parent(node).map_or(0, |block| block.end_byte())
    }

    /// From behind a statement to the end of the block that it stands in.
    pub(super) fn rest_of_block(&self, node: Node<'t>) -> Range<usize> {
        let mut whole = node;
        while let Some(around) = self.parent(whole).filter(|around| around.kind() == "expression_statement") {
            whole = around;
        }
        node.end_byte()..self.end_around(whole)
    }

    pub(super) fn block_around(&self, node: Node<'t>) -> Range<usize> {
        let mut current = node;
        while let Some(parent) = self.parent(current) {
            if BLOCKS.contains(&parent.kind()) {
                return parent.byte_range();
            }
            if is_branch(parent, current) {
                return current.byte_range();
            }
            current = parent;
        }
        current.byte_range()
    }
}

/// The variable at the beginning of `a.b[c].d`.
pub(super) fn root_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..16 {
        if matches!(node.kind(), "identifier" | "variable_name") {
            return Some(node);
        }
        node = match node.kind() {
            "navigation_expression" => node.named_child(0)?,
            // Kotlin's has no name for what is called.
            "call_expression" if node.child_by_field_name("function").is_none() => node.named_child(0)?,
            // Nor has PHP's for what is looked into.
            "subscript_expression" if is_bare(node) => node.named_child(0)?,
            _ => ["object", "operand", "value", "array", "function", "argument", "expression"]
                .iter()
                .find_map(|field| node.child_by_field_name(field))?,
        };
    }
    None
}

fn is_bare(subscript: Node<'_>) -> bool {
    ["object", "argument"].iter().all(|field| subscript.child_by_field_name(field).is_none())
}

/// A branch without braces is a block of one statement.
fn is_branch(parent: Node<'_>, node: Node<'_>) -> bool {
    let is = |field| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "if_statement" => is("consequence") || is("alternative") || is("body"),
        "while_statement"
        | "for_statement"
        | "foreach_statement"
        | "for_in_statement"
        | "enhanced_for_statement" => is("body"),
        kind => kind == "else_clause",
    }
}

fn is_error_name(name: &str) -> bool {
    matches!(name.trim_end_matches(|c: char| c.is_ascii_digit()), "err" | "ok") || name.ends_with("Err")
}
