use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::is_literal;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Function, Node, Notion, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("logic-replaced"),
    title: text(
        "A function whose logic gave way to a constant; MEDIUM where its name asks for yes or no, or where it does nothing at all",
    ),
    why: text("Callers get the same answer whatever they ask, and nothing fails"),
    fix: text("Keep the logic, or remove the function together with its callers"),
    severity: Severity::High,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Swift,
        Language::Scala,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::edit_bad(
            "src/a.py",
            "def total(items):\n    n = 0\n    for item in items:\n        n += item.price()\n    return n\n",
            "def total(items):\n    return 42\n",
            &[1],
        ),
        Example::edit_good(
            "src/a.py",
            "def total(items):\n    n = 0\n    for item in items:\n        n += item.price()\n    return n\n",
            "def total(items):\n    return sum(item.price() for item in items)\n",
        ),
    ]),
};

/// Names that ask for yes or no: a switch that is always on is a common end of an experiment.
static QUESTION: Pattern = Pattern::new(
    r"(?i)^_*(?:is|has|should|can|may|supports?|use|allow|enable)(?:_|[A-Z])|enabled$|supported$",
);

/// Values that say nothing.
const EMPTY: [&str; 33] = [
    "emptyList()",
    "listOf()",
    "mapOf()",
    "nullptr",
    "std::nullopt",
    "string.Empty",
    "default",
    "Task.CompletedTask",
    "Nil",
    "Seq.empty",
    "array()",
    "Ok(())",
    "None",
    "Default::default()",
    "String::new()",
    "Vec::new()",
    "vec![]",
    "HashMap::new()",
    "Ok(true)",
    "Ok(false)",
    "Some(true)",
    "Ok(vec![])",
    "Ok(Vec::new())",
    "Ok(None)",
    "nil, nil",
    "new ArrayList<>()",
    "Collections.emptyList()",
    "List.of()",
    "Optional.empty()",
    "Promise.resolve()",
    "new Map()",
    "{}",
    "[]",
];

pub(crate) struct LogicReplaced;

impl FileRule for LogicReplaced {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Every
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() || !may_hollow_out(file) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let hollow: Vec<(Function<'_>, Left)> = functions(tree)
            .into_iter()
            .filter(|function| !function.is_test && file.touched(function.node))
            .filter_map(|function| {
                let left = left(function.body?, file.language)?;
                Some((function, left))
            })
            .collect();
        if hollow.is_empty() {
            return;
        }
        let Some(base) = file.base_tree() else { return };
        let before = functions(base);
        let mut by_path: HashMap<String, Vec<&Function<'_>>> = HashMap::new();
        for function in &before {
            by_path.entry(function.path()).or_default().push(function);
        }
        let known: HashSet<String> = before.iter().map(|function| function.name.clone()).collect();
        let now: HashSet<String> = file
            .tree()
            .map(functions)
            .unwrap_or_default()
            .into_iter()
            .map(|function| function.name)
            .collect();
        for (function, left) in hollow {
            let Some([was]) = by_path.get(&function.path()).map(Vec::as_slice) else { continue };
            let Some(body) = was.body.filter(|body| has_logic(*body)) else { continue };
            let line = function.name_line();
            if file.in_test(line) {
                continue;
            }
            // What it called went too: the whole feature was taken out.
            let feature = calls(body).any(|name| known.contains(&name) && !now.contains(&name));
            let question = QUESTION.regex().is_match(function.name.as_bytes());
            let name = &function.name;
            let (message, harmless) = match left {
                Left::Constant(value) => {
                    (format!("`{name}` had logic before and now only returns `{value}`"), question)
                }
                Left::Refusal => (format!("`{name}` had logic before and now only refuses to work"), false),
                Left::Nothing => (format!("`{name}` had logic before and now does nothing"), true),
            };
            let severity = if harmless || feature { Severity::Medium } else { Severity::High };
            report.add(Draft::lines(head, line, function.node.end_line(), message).severity(severity));
        }
    }
}

/// Whether a hunk takes out more than it puts in.
fn may_hollow_out(file: &FileContext<'_>) -> bool {
    file.change.old.is_some() && file.change.removed().count() > 2 && file.change.added().next().is_some()
}

/// Whether a body does nothing, or only returns a value that says nothing.
pub(super) fn says_nothing(body: Node<'_>, language: Language) -> bool {
    left(body, language).is_some_and(|left| !matches!(left, Left::Refusal))
}

/// All that there is in a body.
enum Left {
    Constant(String),
    Refusal,
    Nothing,
}

fn left(body: Node<'_>, language: Language) -> Option<Left> {
    let mut block = body;
    for _ in 0..2 {
        const INNER: [&str; 3] = ["statement_list", "statements", "block"];
        let mut inside = block.named_children().filter(|inner| !inner.is(Notion::Comment));
        let inner = inside.next().filter(|inner| inner.is_kind(&INNER));
        block = inner.unwrap_or(block);
    }
    if !block.is(Notion::Block) && block == body {
        return of_statement(body, language).filter(|left| matches!(left, Left::Constant(_)));
    }
    let docstring = |statement: &Node<'_>| {
        language == Language::Python
            && statement.named_children().next().is_some_and(|inner| inner.kind() == "string")
            && statement.kind() == "expression_statement"
    };
    let mut statements =
        block.named_children().filter(|statement| !statement.is(Notion::Comment) && !docstring(statement));
    match (statements.next(), statements.next()) {
        (None, _) => Some(Left::Nothing),
        (Some(only), None) => of_statement(only, language),
        (Some(_), Some(_)) => None,
    }
}

fn of_statement(only: Node<'_>, language: Language) -> Option<Left> {
    let text = only.text();
    let statement = text.trim().trim_end_matches(';').trim();
    let returned = statement.strip_prefix("return").map(str::trim_start);
    let says_nothing = |value: &str| is_literal(value.as_bytes()) || EMPTY.contains(&value);
    match returned {
        Some("") => Some(Left::Nothing),
        None if statement == "pass" => Some(Left::Nothing),
        None if statement.starts_with("throw new UnsupportedOperationException(") => Some(Left::Refusal),
        None if language != Language::Rust && only.kind().ends_with("_statement") => None,
        value => {
            let value = value.unwrap_or(statement);
            (value.len() < 80 && says_nothing(wrapped_in(value))).then(|| Left::Constant(value.to_owned()))
        }
    }
}

/// What is wrapped to say that it went well: `3` of `Ok(3)`, and of `3, nil` in Go.
fn wrapped_in(value: &str) -> &str {
    let wrapped = ["Ok(", "Some(", "Right(", "Success("]
        .iter()
        .find_map(|beginning| value.strip_prefix(beginning)?.strip_suffix(')'));
    let plain = wrapped.or_else(|| value.strip_suffix(", nil")).unwrap_or(value);
    if is_literal(plain.as_bytes()) { plain } else { value }
}

/// Enough to call it logic: a decision and something that is called, or several calls.
fn has_logic(body: Node<'_>) -> bool {
    let decides = body.descendants().any(|node| node.is(Notion::Branch) || node.is(Notion::Loop));
    let calls = body.descendants().filter(|node| node.is(Notion::Call)).take(4).count();
    // Where a body stands between braces, those have lines of their own.
    let braces = if body.bytes().starts_with(b"{") { 0 } else { 2 };
    let lines = body.end_line() - body.line() + 1 + braces;
    lines > 2 && ((decides && calls > 0) || calls > 2 || (decides && lines > 4))
}

fn calls(body: Node<'_>) -> impl Iterator<Item = String> + use<'_> {
    body.descendants().filter_map(|node| node.call()).map(|call| call.name())
}
