use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::is_literal;
use super::logic_moved::{Heirs, is_put_together};
use super::words::words;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Function, Node, Notion, Parameter, Takes, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("logic-replaced"),
    title: text(
        "A function whose logic gave way to a constant; MEDIUM where its name asks for yes or no, where it does nothing at all, or where heirs have the logic now",
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
        Example::edit_bad(
            "src/a.py",
            "def total(items):\n    return sum(item.price() for item in items)\n",
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
                let body = function.body?;
                let left = left(body, file.language)
                    .or_else(|| handed_back(&function, body))
                    .or_else(|| fixed_collection(body))?;
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
        let mut heirs: Option<Heirs<'_>> = None;
        for (function, left) in hollow {
            let Some([was]) = by_path.get(&function.path()).map(Vec::as_slice) else { continue };
            let Some((body, weight)) = was.body.and_then(|body| Some((body, weight(body, was)?))) else {
                continue;
            };
            let line = function.name_line();
            if file.in_test(line) {
                continue;
            }
            // What it called went too: the whole feature was taken out.
            let feature = calls(body).any(|name| known.contains(&name) && !now.contains(&name));
            let question = QUESTION.regex().is_match(function.name.as_bytes());
            let name = &function.name;
            let (message, harmless) = match left {
                Left::Constant(value) if is_put_together(&value, body) => continue,
                Left::Constant(value) => {
                    let plain = weight == Weight::Expression && !is_telling(&value);
                    let stays = weight == Weight::Logic && is_success_in_c(&value, body, file.language);
                    (
                        format!("`{name}` had logic before and now only returns `{value}`"),
                        question || plain || stays || weight == Weight::Call,
                    )
                }
                // What depended on nothing may as well be written down.
                Left::Collection(value) => (
                    format!("`{name}` had logic before and now only returns `{value}`"),
                    weight != Weight::Logic || !uses_given(was, body),
                ),
                // One expression that makes way for nothing was most likely not needed.
                Left::Refusal | Left::Nothing | Left::Given(_) if weight != Weight::Logic => continue,
                Left::Refusal => (format!("`{name}` had logic before and now only refuses to work"), false),
                Left::Given(given) => {
                    (format!("`{name}` had logic before and now only hands back `{given}`"), true)
                }
                Left::Nothing => (format!("`{name}` had logic before and now does nothing"), true),
            };
            let mut has_heirs = || heirs.get_or_insert_with(|| Heirs::of(file)).have(&function, file);
            let mild = harmless || feature || has_heirs();
            let severity = if mild { Severity::Medium } else { Severity::High };
            report.add(Draft::lines(head, line, function.node.end_line(), message).severity(severity));
        }
    }
}

/// Whether enough is taken out, or a line put in that may be a constant.
fn may_hollow_out(file: &FileContext<'_>) -> bool {
    let constant = |line: &[u8]| {
        let line = line.trim_ascii();
        let line = line.strip_suffix(b"}").unwrap_or(line).trim_ascii_end();
        let line = line.strip_suffix(b";").unwrap_or(line).trim_ascii_end();
        let value = BEGINNINGS.iter().find_map(|start| {
            memchr::memmem::rfind(line, start).map(|at| line[at + start.len()..].trim_ascii())
        });
        is_literal(value.unwrap_or(line))
    };
    let mut removed = file.change.removed();
    let first = removed.next();
    file.change.old.is_some()
        && first.is_some()
        && (removed.nth(1).is_some() || file.change.added().any(|(_, line)| constant(line)))
}

/// What a value stands behind on its line.
const BEGINNINGS: [&[u8]; 4] = [b"return ", b"=> ", b"{ ", b"= "];

/// Whether a body does nothing, or only returns a value that it did not work out.
pub(super) fn says_nothing(body: Node<'_>, language: Language) -> bool {
    left(body, language).is_some_and(|left| !matches!(left, Left::Refusal)) || literals(body).is_some()
}

/// All that there is in a body.
enum Left {
    Constant(String),
    /// Of literals alone.
    Collection(String),
    /// One of its own parameters.
    Given(String),
    Refusal,
    Nothing,
}

/// `return x`, where `x` is what the function was given.
fn handed_back(function: &Function<'_>, body: Node<'_>) -> Option<Left> {
    let only = only_statement(body)?;
    let returned = only.text().trim_end_matches(';').strip_prefix("return ")?.trim().to_owned();
    let is_given = |one: &Parameter<'_>| words(one.node.bytes()).next() == Some(returned.as_bytes());
    let names = function.parameters();
    let mut given = names.iter().filter(|one| !matches!(one.takes, Takes::Receiver | Takes::Nothing));
    given.any(is_given).then_some(Left::Given(returned))
}

fn only_statement(body: Node<'_>) -> Option<Node<'_>> {
    let block = body.child_of(&["statement_list", "statements"]).unwrap_or(body);
    let says = |inner: &Node<'_>| {
        let is_text = inner.named_children().next().is_some_and(|inner| inner.kind() == "string");
        let is_docstring = inner.kind() == "expression_statement" && is_text;
        !inner.is(Notion::Comment) && !is_docstring
    };
    let mut inside = block.named_children().filter(says);
    let (only, None) = (inside.next()?, inside.next()) else { return None };
    Some(only)
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
    // `(void)x;` of C is there for the compiler.
    let set_aside = |statement: &Node<'_>| {
        statement.is_kind(&["expression_statement"]) && statement.bytes().starts_with(b"(void)")
    };
    let says = |one: &Node<'_>| !one.is(Notion::Comment) && !docstring(one) && !set_aside(one);
    let mut statements = block.named_children().filter(says);
    match (statements.next(), statements.next()) {
        (None, _) => Some(Left::Nothing),
        (Some(only), None) => of_statement(only, language),
        (Some(_), Some(_)) => None,
    }
}

fn of_statement(only: Node<'_>, language: Language) -> Option<Left> {
    let text = only.text();
    let statement = text.trim().trim_end_matches(';').trim();
    // `= 42` of Kotlin, `=> 42` of C#.
    let statement = statement.strip_prefix("=>").or_else(|| statement.strip_prefix('=')).unwrap_or(statement);
    let statement = statement.trim_start();
    let returned = statement.strip_prefix("return").map(str::trim_start);
    let says_nothing = |value: &str| is_literal(value.as_bytes()) || EMPTY.contains(&value);
    match returned {
        Some("") => Some(Left::Nothing),
        None if statement == "pass" => Some(Left::Nothing),
        None if statement.starts_with("throw new UnsupportedOperationException(") => Some(Left::Refusal),
        None if language != Language::Rust && only.kind().ends_with("_statement") => None,
        value => {
            let value = value.unwrap_or(statement);
            // What stands between these is run.
            let is_command = matches!(language, Language::Ruby | Language::Php) && value.starts_with('`');
            (!is_command && value.len() < LONGEST_VALUE && says_nothing(wrapped_in(value)))
                .then(|| Left::Constant(value.to_owned()))
        }
    }
}

/// A longer one is a table, which somebody wrote down by intent.
const LONGEST_VALUE: usize = 80;

/// A list, a table or an object that has nothing in it but literals: `[Decimal("3.34"), Decimal("3.33")]`.
fn fixed_collection(body: Node<'_>) -> Option<Left> {
    let value = literals(body).filter(|value| value.bytes().len() < LONGEST_VALUE)?;
    Some(Left::Collection(value.text().into_owned()))
}

fn literals(body: Node<'_>) -> Option<Node<'_>> {
    const COLLECTIONS: [&str; 9] = [
        "list",
        "tuple",
        "dictionary",
        "array",
        "array_literal",
        "object",
        "hash",
        "array_expression",
        "array_creation_expression",
    ];
    let only = only_statement(body)?;
    let value = match only.kind() {
        kind if kind.ends_with("_statement") || kind == "return" => only.named_children().next()?,
        _ => only,
    };
    let is_name = |leaf: &Node<'_>| leaf.kind().contains("identifier") || leaf.is_kind(&["variable_name"]);
    let is_key = |leaf: &Node<'_>| leaf.kind() == "property_identifier" || leaf.field() == "key";
    let mut names = value.descendants().filter(|leaf| is_name(leaf) && !is_key(leaf));
    let is_type = |name: Node<'_>| name.bytes().first().is_some_and(u8::is_ascii_uppercase);
    let is_full = value.is_kind(&COLLECTIONS) && value.named_children().next().is_some();
    (is_full && names.all(is_type)).then_some(value)
}

/// What is wrapped to say that it went well: `3` of `Ok(3)`, and of `3, nil` in Go.
fn wrapped_in(value: &str) -> &str {
    let wrapped = ["Ok(", "Some(", "Right(", "Success("]
        .iter()
        .find_map(|beginning| value.strip_prefix(beginning)?.strip_suffix(')'));
    let plain = wrapped.or_else(|| value.strip_suffix(", nil")).unwrap_or(value);
    if is_literal(plain.as_bytes()) { plain } else { value }
}

/// How much there was of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Logic,
    /// One expression that works out its answer from what the function is given.
    Expression,
    /// One call that is handed what the function is given.
    Call,
}

fn weight(body: Node<'_>, function: &Function<'_>) -> Option<Weight> {
    if has_logic(body) {
        return Some(Weight::Logic);
    }
    if body.end_line() - body.line() > MOST_LINES {
        return None;
    }
    let calls = body.descendants().filter(|node| node.is(Notion::Call)).take(2).count();
    let works = |node: Node<'_>| {
        node.is(Notion::Lambda)
            || node.is(Notion::Loop)
            || node.is(Notion::Branch)
            || node.kind().ends_with("comprehension")
            || node.kind() == "generator_expression"
    };
    let works = body.descendants().any(works);
    // What it works out from its own fields it does not give away by a word that it was given.
    let of_fields = works && reads_fields(body);
    if !uses_given(function, body) && !of_fields {
        return None;
    }
    match calls {
        0 => None,
        1 if !works => Some(Weight::Call),
        _ => Some(Weight::Expression),
    }
}

/// Whether a body has to do with what its function is given.
fn uses_given(function: &Function<'_>, body: Node<'_>) -> bool {
    let given = function.parameters();
    let given = given.iter().filter(|one| !matches!(one.takes, Takes::Receiver | Takes::Nothing));
    let names: HashSet<&[u8]> = given.flat_map(|one| words(one.node.bytes())).collect();
    words(body.bytes()).any(|word| names.contains(word))
}

fn reads_fields(body: Node<'_>) -> bool {
    const OWN: [&[u8]; 4] = [b"self.", b"this.", b"$this->", b"@"];
    OWN.iter().any(|own| memchr::memmem::find(body.bytes(), own).is_some())
}

/// Longer bodies without a decision are lists of steps, of which [`has_logic`] has decided.
const MOST_LINES: u32 = 3;

/// A number that is worked out, not one that many functions give in the end. A text may well be fixed by intent.
fn is_telling(value: &str) -> bool {
    const PLAIN: [&str; 3] = ["0", "1", "-1"];
    let is_number = value.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    is_number && !PLAIN.contains(&value)
}

/// Where all went well, a function of C gives 0 in the end; and so it does when there is nothing left to do.
fn is_success_in_c(value: &str, body: Node<'_>, language: Language) -> bool {
    let last = body.named_children().last().map(|last| last.text().into_owned()).unwrap_or_default();
    matches!(language, Language::C | Language::Cpp) && value == "0" && last == "return 0;"
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
