//! Production code that asks whether it is being tested, and then gives an answer that it did not work out.

use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::is_fixed;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Function, Node, Notion, Takes, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("answer-for-tests"),
    title: text(
        "A constant that production code gives only while it is tested; MEDIUM where it is only yes or no",
    ),
    why: text("The tests see an answer that nobody else will ever get, and prove nothing of the code"),
    fix: text("Take the branch out, and let the test hand in what it wants to be different"),
    severity: Severity::Major,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "src/a.py",
            "def cost(weight):\n    if \"PYTEST_CURRENT_TEST\" in os.environ:\n        return 6.4\n    return rate() * weight\n",
            &[2],
        ),
        Example::good(
            "src/a.py",
            "def cost(weight):\n    if \"PYTEST_CURRENT_TEST\" not in os.environ:\n        metrics.count()\n    return rate() * weight\n",
        ),
    ]),
};

/// How code asks whether it is tested.
static TESTED: Pattern = Pattern::new(
    r#"\bcfg!\(test\)|PYTEST_CURRENT_TEST|["'](?:pytest|unittest)["'] in sys\.modules|\bNODE_ENV["'\]]*\s*===?\s*["'`]test|JEST_WORKER_ID|\benv\.VITEST\b|\btesting\.Testing\(\)|Lookup\(\s*"test\.v"|(?:environ(?:\.get\(|\[)|getenv\(|Getenv\()\s*["']CI["']|\bprocess\.env\.CI\b|["']CI["'] in os\.environ"#,
);

/// The branch is for everybody else.
static NOT_TESTED: Pattern = Pattern::new(
    r"^\(*\s*!|\bnot\b|!==?\s*(?:true|undefined|null)|is None|==\s*nil|===?\s*(?:undefined|null|false)",
);

/// What may well differ in tests: how long to wait, where to look, whether to tell.
static SETTING: Pattern = Pattern::new(
    r"(?i)log|telemetr|metric|track|analytic|enabled|level|delay|timeout|retr|interval|port|url|uri|host|env|config|setting|option|debug|sleep|wait|cache|worker|concurren|pool|limit|rounds|path|dir|file|seed|now|clock|mode|connect|database|dsn",
);

pub(crate) struct AnswerForTests;

impl FileRule for AnswerForTests {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"cfg!(test)",
                b"cfg(test)",
                b"PYTEST_CURRENT_TEST",
                b"sys.modules",
                b"NODE_ENV",
                b"JEST_WORKER_ID",
                b"VITEST",
                b"testing.Testing()",
                b"\"test.v\"",
                b"\"CI\"",
                b"'CI'",
                b"env.CI",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let asked: Vec<u32> = hits.iter().map(|hit| hit.number).collect();
        let functions = functions(tree);
        for node in tree.root().descendants() {
            let line = node.line();
            if asked.binary_search(&line).is_err() && asked.binary_search(&(line + 1)).is_err() {
                continue;
            }
            let Some(answer) = answer(node) else { continue };
            let Some(function) = around(node, &functions) else { continue };
            let is_test = function.is_test || file.in_test(function.node.line());
            if is_test || !takes_something(function) || SETTING.regex().is_match(function.name.as_bytes()) {
                continue;
            }
            let message =
                format!("`{}` answers `{answer}` where it is tested, and works otherwise", function.name);
            let severity = if is_telling(&answer) { Severity::Major } else { Severity::Medium };
            report.add(Draft::lines(head, line, node.end_line(), message).severity(severity));
        }
    }
}

/// The constant that a branch gives where the code is tested.
fn answer(node: Node<'_>) -> Option<String> {
    let (asked, given) = match node.kind() {
        "if_statement" | "if_expression" => (node.child("condition")?, node.child("consequence")?),
        "ternary_expression" => (node.child("condition")?, node.child("consequence")?),
        "conditional_expression" => {
            let mut parts = node.named_children();
            let given = parts.next()?;
            (parts.next()?, given)
        }
        "attribute_item" if node.bytes() == b"#[cfg(test)]" => {
            let next = node.next_sibling().filter(|next| next.bytes().starts_with(b"return"))?;
            return constant(next);
        }
        _ => return None,
    };
    let is_asked = TESTED.regex().is_match(asked.bytes()) && !NOT_TESTED.regex().is_match(asked.bytes());
    is_asked.then(|| constant(given)).flatten()
}

/// The value of the only statement there is, if nothing had to be worked out for it.
fn constant(given: Node<'_>) -> Option<String> {
    const HOLDERS: [&str; 4] = ["block", "statement_block", "statement_list", "expression_statement"];
    let mut at = given;
    for _ in 0..HOLDERS.len() {
        if !at.is_kind(&HOLDERS) {
            break;
        }
        let mut inside = at.named_children().filter(|inner| !inner.is(Notion::Comment));
        let (Some(only), None) = (inside.next(), inside.next()) else { return None };
        at = only;
    }
    let text = at.text();
    let value = text.strip_prefix("return").unwrap_or(&text).trim().trim_end_matches(';').trim_end();
    let plain = value.strip_suffix(", nil").unwrap_or(value);
    let is_short = value.len() < LONGEST;
    (!is_nothing(plain) && is_short && (is_fixed(plain.as_bytes()) || is_literal_collection(at)))
        .then(|| value.to_owned())
}

/// Longer ones are tables.
const LONGEST: usize = 120;

/// `{ total: 6.4 }`
fn is_literal_collection(at: Node<'_>) -> bool {
    let value = if at.is(Notion::Return) { at.named_children().next().unwrap_or(at) } else { at };
    let is_name = |leaf: Node<'_>| leaf.kind() == "identifier" || leaf.is(Notion::Call);
    value.is_kind(&["object", "array", "dictionary", "list", "tuple"])
        && value.named_children().next().is_some()
        && !value.descendants().any(is_name)
}

/// Anything but yes, no, and what many functions give in the end.
fn is_telling(answer: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "true",
        "false",
        "True",
        "False",
        "[]",
        "{}",
        "0",
        "1",
        "-1",
        "\"\"",
        "''",
        "Ok(true)",
        "Ok(false)",
        "vec![]",
    ];
    !PLAIN.contains(&answer)
}

/// Nothing is no answer: who gives it only stays away.
fn is_nothing(value: &str) -> bool {
    ["", "nil", "None", "null", "undefined", "()", "Ok(())"].contains(&value)
}

/// The innermost function that has more in it than this.
fn around<'f, 't>(node: Node<'t>, functions: &'f [Function<'t>]) -> Option<&'f Function<'t>> {
    let at = node.range();
    let before = functions.partition_point(|one| one.node.range().start <= at.start);
    let found =
        functions[..before].iter().rev().take(MOST_BEFORE).find(|one| one.node.range().end >= at.end)?;
    let rest = found.body?.bytes().len().saturating_sub(at.len());
    // A choice has the rest in itself.
    let is_choice = !node.kind().starts_with("if_") || node.child("alternative").is_some();
    (is_choice || rest > LEAST_REST).then_some(found)
}

/// So many functions may stand inside of one, in front of the branch.
const MOST_BEFORE: usize = 100;

/// So much has to stand besides the branch: two brackets are no logic.
const LEAST_REST: usize = 12;

fn takes_something(function: &Function<'_>) -> bool {
    function.parameters().iter().any(|one| !matches!(one.takes, Takes::Receiver | Takes::Nothing))
}
