use crate::syntax::{Node, Notion};

/// How hard a function is to follow, in numbers with public definitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Measure {
    /// As SonarSource defines it: a break in the flow counts one, and one more for each level it is nested in.
    pub(super) cognitive: u32,
    /// As McCabe defines it, with each operand that may be left out as a way of its own.
    pub(super) cyclomatic: u32,
    /// Levels of branches, loops and handlers.
    pub(super) nesting: u32,
    /// Lines with code on them.
    pub(super) lines: u32,
}

impl Measure {
    /// The ways through it, unless nearly all of them are the arms of a flat choice: a table is easy to read.
    pub(super) fn ways(&self) -> u32 {
        if self.cognitive * 2 >= self.cyclomatic { self.cyclomatic } else { 0 }
    }

    /// Its lines, unless it hardly decides anything: a long list is easy to read.
    pub(super) fn steps(&self) -> u32 {
        if self.cyclomatic >= 8 { self.lines } else { 0 }
    }

    /// The lines of one that decides little, and is no mere list either.
    pub(super) fn plain_steps(&self) -> u32 {
        if (3..8).contains(&self.cyclomatic) { self.lines } else { 0 }
    }
}

const ARMS: [&str; 15] = [
    "match_arm",
    "switch_case",
    "expression_case",
    "type_case",
    "communication_case",
    "switch_label",
    "when_entry",
    "case_statement",
    "switch_section",
    "switch_expression_arm",
    "case_clause",
    "when",
    "in_clause",
    "match_conditional_expression",
    "case_item",
];

const CHOICES: [&str; 11] = [
    "match_expression",
    "switch_statement",
    "switch_expression",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "when_expression",
    "match_statement",
    "case",
    "case_match",
    "switch_block",
];

const ELSE_IFS: [&str; 3] = ["elif_clause", "elsif", "else_if_clause"];

/// Measures the body of a function, without the functions with names inside it.
pub(super) fn measure(body: Node<'_>) -> Measure {
    let mut measure = Measure { cyclomatic: 1, ..Measure::default() };
    // What is open around the node, and whether it counts as a level that people would call nested.
    let mut open: Vec<Node<'_>> = Vec::new();
    let mut lambdas = 0;
    let mut last_line = 0;
    let mut all = body.descendants();
    while let Some(node) = all.next() {
        while open.last().is_some_and(|around| !around.contains(node)) {
            lambdas -= u32::from(open.pop().is_some_and(|left| left.is(Notion::Lambda)));
        }
        if is_inner_function(node) {
            all.skip_inside(node);
            continue;
        }
        let is_leaf = node.children().next().is_none();
        if is_leaf && !node.is(Notion::Comment) && node.line() > last_line {
            measure.lines += 1;
            last_line = node.end_line();
        }
        if !node.is_named() {
            continue;
        }
        let level = u32::try_from(open.len()).unwrap_or(u32::MAX);
        let step = step(node);
        match step {
            Step::None => continue,
            Step::Way => measure.cyclomatic += 1,
            Step::Operand { begins } => {
                measure.cyclomatic += 1;
                measure.cognitive += u32::from(begins);
            }
            Step::ElseIf => {
                measure.cyclomatic += 1;
                measure.cognitive += 1;
            }
            Step::Else => measure.cognitive += 1,
            Step::Branch => {
                measure.cyclomatic += 1;
                measure.cognitive = measure.cognitive.saturating_add(1 + level);
            }
            Step::Choice => measure.cognitive = measure.cognitive.saturating_add(1 + level),
            Step::Inside => {}
        }
        if matches!(step, Step::Branch | Step::Choice | Step::Inside) {
            open.push(node);
            lambdas += u32::from(step == Step::Inside);
            let levels = u32::try_from(open.len()).unwrap_or(u32::MAX) - lambdas;
            measure.nesting = measure.nesting.max(levels);
        }
    }
    measure
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    None,
    /// An arm of a choice.
    Way,
    /// `&&` and its like; a row of equal ones counts once.
    Operand {
        begins: bool,
    },
    ElseIf,
    Else,
    Branch,
    /// `match`, `switch`, `when`.
    Choice,
    /// A function without a name.
    Inside,
}

fn step(node: Node<'_>) -> Step {
    let parent_is = |kind: &str| node.parent().is_some_and(|parent| parent.kind() == kind);
    match node.kind() {
        kind if ARMS.contains(&kind) => Step::Way,
        kind if CHOICES.contains(&kind) => Step::Choice,
        kind if ELSE_IFS.contains(&kind) => Step::ElseIf,
        "if_statement" | "if_expression" | "if" if is_behind_else(node) => Step::ElseIf,
        "else_clause" | "else" => {
            let continues =
                node.named_children().any(|inner| inner.is_kind(&["if_statement", "if_expression"]));
            if continues || parent_is("case") { Step::None } else { Step::Else }
        }
        // A filter inside a comprehension.
        "if_clause" => Step::Way,
        _ if node.is(Notion::Branch) || node.is(Notion::Loop) || node.is(Notion::Catch) => Step::Branch,
        _ if node.is(Notion::Lambda) => Step::Inside,
        _ if node.field() == "alternative" && node.is(Notion::Block) => Step::Else,
        _ if node.is(Notion::Logical) && node.is_logical() => {
            let same =
                node.parent().is_some_and(|parent| parent.is_logical() && operator(parent) == operator(node));
            Step::Operand { begins: !same }
        }
        _ => Step::None,
    }
}

fn is_behind_else(node: Node<'_>) -> bool {
    node.field() == "alternative"
        || node.parent().is_some_and(|parent| parent.kind() == "else_clause")
        || node.previous_sibling().is_some_and(|before| before.kind() == "else")
}

fn operator(node: Node<'_>) -> Option<&'static str> {
    node.children().find(|child| !child.is_named()).map(|child| child.kind())
}

/// It is measured by itself.
fn is_inner_function(node: Node<'_>) -> bool {
    node.is_kind(&[
        "function_item",
        "function_definition",
        "function_declaration",
        "method",
        "local_function_statement",
    ])
}
