use std::borrow::Cow;
use std::collections::HashMap;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::measure::{Measure, measure};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};
use crate::syntax::{Function, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("complex-function"),
    title: text(
        "A function that became too long, too nested or too complex: MEDIUM far over a limit, else LOW",
    ),
    why: text("Few people will dare to change it, and tests reach only some of its ways"),
    fix: text("Take a part of it that has a meaning of its own into a function with a name"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(LANGUAGES),
    examples: Cow::Borrowed(&[]),
};

const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Scala,
    Language::Swift,
];

/// What is measured, its limit, and by how much a change has to raise what was over it already.
struct Limit {
    name: &'static str,
    of: fn(&Measure) -> u32,
    /// The same of what stood there before, where the two are counted otherwise.
    was: fn(&Measure) -> u32,
    most: u32,
    step: u32,
}

/// Cognitive complexity as SonarSource defines it, cyclomatic complexity as McCabe does.
const LIMITS: [Limit; 5] = [
    Limit {
        name: "cognitive complexity",
        of: |measure| measure.cognitive,
        was: |measure| measure.cognitive,
        most: 25,
        step: 5,
    },
    Limit {
        name: "cyclomatic complexity",
        of: |measure| measure.ways(),
        was: |measure| measure.cyclomatic,
        most: 25,
        step: 5,
    },
    Limit {
        name: "nesting",
        of: |measure| measure.nesting,
        was: |measure| measure.nesting,
        most: 5,
        step: 1,
    },
    Limit {
        name: "lines of code",
        of: |measure| measure.steps(),
        was: |measure| measure.lines,
        most: 120,
        step: 20,
    },
    Limit {
        name: "lines of code",
        of: |measure| measure.plain_steps(),
        was: |measure| measure.lines,
        most: 180,
        step: 20,
    },
];

pub(crate) struct ComplexFunction;

impl FileRule for ComplexFunction {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"if", b"for", b"while", b"match", b"switch", b"case", b"when", b"catch", b"except",
                b"rescue", b"&&", b"||", b"loop", b"unless", b"?",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !LANGUAGES.contains(&file.language) || file.is_test_file() {
            return;
        }
        let is_over = |one: &Function<'_>| measured_over(one, file).is_some();
        if !file.touched_tree().is_some_and(|tree| functions(tree).iter().any(is_over)) {
            return;
        }
        let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
        let mut before: Option<HashMap<(String, usize), Measure>> = None;
        let mut order: Option<Vec<usize>> = None;
        let functions = functions(tree);
        for (at, function) in functions.iter().enumerate() {
            let Some(now) = measured_over(function, file) else { continue };
            let nth = order.get_or_insert_with(|| order_of(&functions))[at];
            let known = before.get_or_insert_with(|| measured_before(file));
            let raised = raised(&now, known.get(&(function.path(), nth)));
            let Some(worst) = raised.first() else { continue };
            let (first, last) = function.lines();
            let severity = if worst.is_far_over { Severity::Medium } else { Severity::Low };
            let said: Vec<String> = raised.iter().map(|one| one.text.clone()).collect();
            let path = function.path();
            let is_shown = file.change.hunks().iter().any(|hunk| hunk.new.contains(first));
            // What the diff does not show cannot be pointed at: then it is told where the function begins.
            let added = file.touched_lines().added_in(first, last).next();
            let (at, begins) = match added.filter(|_| !is_shown) {
                Some(line) => (line, format!(" (from line {first})")),
                None => (first, String::new()),
            };
            let message = format!("`{path}`{begins} has {}", said.join(", "));
            report.add(Draft::lines(head, at, last, message).severity(severity));
        }
    }
}

/// `None` for what the change did not touch, for tests, and for what is within the limits.
fn measured_over(function: &Function<'_>, file: &FileContext<'_>) -> Option<Measure> {
    let of_interest = file.touched(function.node) && !function.is_test && !file.in_test(function.node.line());
    let measured = function.body.filter(|body| of_interest && !body.has_error()).map(measure);
    measured.filter(|now| LIMITS.iter().any(|limit| over(limit, now)))
}

fn measured_before(file: &FileContext<'_>) -> HashMap<(String, usize), Measure> {
    let all = file.base_tree().map(functions).unwrap_or_default();
    let measured =
        |(function, nth): (&Function<'_>, usize)| Some(((function.path(), nth), measure(function.body?)));
    all.iter().zip(order_of(&all)).filter_map(measured).collect()
}

/// Overloads share a path: they are told apart by their order, which is that of each among them.
fn order_of(functions: &[Function<'_>]) -> Vec<usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let count_up = |function: &Function<'_>| {
        let count = seen.entry(function.path()).or_default();
        *count += 1;
        *count
    };
    functions.iter().map(count_up).collect()
}

fn over(limit: &Limit, measure: &Measure) -> bool {
    (limit.of)(measure) > limit.most
}

struct Raised {
    text: String,
    is_far_over: bool,
}

/// The limits that it is over because of the change.
fn raised(now: &Measure, before: Option<&Measure>) -> Vec<Raised> {
    let raised = LIMITS.iter().filter(|limit| over(limit, now)).filter_map(|limit| {
        let (value, old) = ((limit.of)(now), before.map(|before| (limit.was)(before)));
        let is_raised = old.is_none_or(|old| value >= old.saturating_add(limit.step));
        let was = old.map(|old| format!(", up from {old}")).unwrap_or_default();
        is_raised.then(|| Raised {
            text: format!("{} {value} (limit {}{was})", limit.name, limit.most),
            is_far_over: value > limit.most * 2,
        })
    });
    raised.collect()
}
