//! Errors that nobody hears of: thrown away where they arise, or caught and dropped.

mod before;
mod catches;
mod comments;
mod go;
mod promises;
mod rust;
mod shell;

use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use self::before::{Before, Handling};
use self::comments::Comments;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Touched, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("swallowed-error"),
    title: text(
        "An error that is dropped: MAJOR where the change took its handling away, else MEDIUM or LOW",
    ),
    why: text("What fails here fails unseen, and shows up later somewhere else"),
    fix: text("Pass the error on, handle it, or say in a comment why it may be dropped"),
    severity: Severity::Medium,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
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
        Language::Php,
        Language::Ruby,
        Language::Swift,
        Language::Scala,
        Language::Cpp,
        Language::Shell,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "fn a() {\n    if let Err(_) = save() {}\n}\n", &[2]),
        Example::bad("a.py", "try:\n    f()\n    g()\nexcept Exception:\n    pass\n", &[4]),
        Example::good("a.py", "try:\n    f()\nexcept Exception:\n    pass  # the cache is optional\n"),
    ]),
};

/// A place where an error ends.
struct Swallow<'t> {
    /// What a finding shows.
    at: Node<'t>,
    /// What may fail.
    tried: Option<Node<'t>>,
    message: String,
    weight: Weight,
}

/// How sure it is that the error is missed by somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Certain,
    Likely,
    /// Worth a remark.
    Perhaps,
    /// Nothing to say, unless the change took handling away.
    Deliberate,
    /// The same, and then still only advice: a default may be what is wanted.
    Replaced,
    /// The same, where the error was passed on.
    TurnedIntoNothing,
    /// The same, of every error there is: worth a remark wherever it is new.
    TurnedByAll,
}

pub(crate) struct SwallowedError;

impl FileRule for SwallowedError {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"let _",
                b".ok()",
                b"err",
                b"Err(",
                b"os.Remove",
                b"os.Rename",
                b"os.WriteFile",
                b"os.Mkdir",
                b"os.Chmod",
                b"os.Truncate",
                b"unwrap_or",
                b"except",
                b"pass",
                b"catch",
                b"rescue",
                b"_ =",
                b"_ :=",
                b"try?",
                b"runCatching",
                b"suppress(",
                b"Ok(",
                b"recover()",
                b"Try(",
                b"|| ",
                b"||true",
                b"set +",
                b"drop(",
                b".is_ok()",
                b".is_err()",
                b"match ",
                b"finally",
                b".then(",
                b"uncaughtException",
                b"unhandledRejection",
            ],
            removed: &[
                b"log", b"raise", b"throw", b"err", b"print", b"warn", b"panic", b"return", b"?;", b"(e",
                b"report", b"handle", b"fail", b"reject", b"exit", b"set -",
            ],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        if file.language == Language::Shell {
            return shell::check(file, report);
        }
        let mut reported = Vec::new();
        if let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) {
            let mut swallows = swallows(tree, file.language);
            swallows.retain(|one| file.touched(one.at) && !file.in_test(one.at.line()));
            if !swallows.is_empty() {
                let mut before = Before::of(file);
                let comments = Comments::of(tree, head);
                for swallow in swallows {
                    let comment = comments.explaining(swallow.at);
                    let weight = judge(&swallow, &mut before, comment, file.touched_lines());
                    if let Some((severity, confidence)) = weight {
                        let (first, last) = (swallow.at.line(), swallow.at.end_line());
                        reported.push(first);
                        let draft = Draft::lines(head, first, last, swallow.message);
                        report.add(draft.severity(severity).confidence(confidence));
                    }
                }
            }
        }
        if file.language == Language::Rust {
            let seen = |line: &AddedLine<'_>| reported.contains(&line.number) || file.in_test(line.number);
            for line in rust::unhandled_lines(file, hits).filter(|line| !seen(line)) {
                let draft = Draft::line(&line, "The change drops an error that was passed on before");
                report.add(draft.severity(Severity::Major).confidence(Confidence::High));
            }
        }
    }
}

/// All of them, whether the change touched them or not.
fn swallows(tree: &Tree, language: Language) -> Vec<Swallow<'_>> {
    match language {
        Language::Rust => rust::swallows(tree),
        Language::Go => go::swallows(tree),
        _ => catches::swallows(tree),
    }
}

/// How much a finding weighs; `None` for what is no finding.
fn judge(
    swallow: &Swallow<'_>,
    before: &mut Before,
    comment: Option<u32>,
    touched: &Touched,
) -> Option<(Severity, Confidence)> {
    if before.had(swallow.at) {
        return None;
    }
    if matches!(swallow.weight, Weight::TurnedIntoNothing | Weight::TurnedByAll) {
        let passed_on = swallow.tried.is_some_and(|tried| before.passed_on(tried));
        let (taken, remark) = ((Severity::Medium, Confidence::Medium), (Severity::Low, Confidence::Low));
        let by_all = swallow.weight == Weight::TurnedByAll;
        let weight = if passed_on { Some(taken) } else { by_all.then_some(remark) };
        return weight.filter(|_| comment.is_none());
    }
    let handling = swallow.tried.map_or(Handling::Never, |tried| before.handling(tried, swallow.at));
    if handling == Handling::Narrowed {
        let is_told = swallow.weight != Weight::Deliberate && comment.is_none();
        return is_told.then_some((Severity::Medium, Confidence::Medium));
    }
    let was_handled = handling == Handling::Taken;
    // What was said while the error was still heard of gives no reason to drop it.
    let explained = comment.is_some_and(|line| !was_handled || touched.is_added(line));
    match (swallow.weight, was_handled, explained) {
        (Weight::Replaced | Weight::TurnedIntoNothing | Weight::TurnedByAll, true, false)
        | (_, true, true) => Some((Severity::Medium, Confidence::Medium)),
        (
            Weight::Replaced | Weight::TurnedIntoNothing | Weight::TurnedByAll | Weight::Deliberate,
            false,
            _,
        )
        | (_, false, true) => None,
        (_, true, false) => Some((Severity::Major, Confidence::High)),
        (Weight::Certain, false, false) => Some((Severity::Medium, Confidence::High)),
        (Weight::Likely, false, false) => Some((Severity::Medium, Confidence::Medium)),
        (Weight::Perhaps, false, false) => Some((Severity::Low, Confidence::Low)),
    }
}
