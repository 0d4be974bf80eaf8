mod alone;
mod body;
mod empty;
mod promised;
mod reading;
mod refusal;
mod shell;
mod surroundings;

use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

use reading::{Reader, Reading};

static INFO: RuleInfo = RuleInfo {
    id: text("stub"),
    title: text("Code that only says it is not written yet"),
    why: text("Whoever calls it gets a crash or nothing at all where a result was promised"),
    fix: text("Write the implementation, or take the function out until it exists"),
    severity: Severity::Major,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::High,
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
        Language::Swift,
        Language::Ruby,
        Language::Scala,
        Language::C,
        Language::Cpp,
        Language::Shell,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "fn a() -> u8 {\n    todo!()\n}\n", &[2]),
        Example::good("src/a.rs", "/// Was once todo!().\nfn a() -> u8 { 1 }\n"),
        Example::good(
            "src/a.rs",
            "#[cfg(doc)]\ndoc! {macro_rules! join {\n    () => { unimplemented!() }\n}}\n",
        ),
        Example::bad("a.py", "def a():\n    raise NotImplementedError\n", &[2]),
        Example::good(
            "a.py",
            "class A(ABC):\n    @abstractmethod\n    def a(self):\n        raise NotImplementedError\n",
        ),
    ]),
};

static BASE_NAME: Pattern =
    Pattern::new(r"(?i)base|abstract|interface|mixin|protocol|null|noop|dummy|fake|mock");

/// One of these has to stand on a line before the file is parsed, unless it is Python.
static WORTH: Pattern = Pattern::new(r"(?i)implement|todo|\?\?\?");

pub(crate) struct Stub;

impl FileRule for Stub {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"todo!",
                b"unimplemented",
                b"not implemented",
                b"not yet implemented",
                b"NotImplemented",
                b"implement me",
                b"\"todo",
                b"'todo",
                b"`todo",
                b"TODO(",
                b"pass",
                b"...",
                b"{}",
                b") {",
                b"void {",
                b"???",
                b"TODO",
                b"FIXME",
                b"placeholder",
                b"method stub",
                b"been implemented",
                b"real implementation",
                b" would ",
                b"for now",
                b"mock",
                b"dummy",
                b"fake",
                b"simulat",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        if file.language == Language::Shell {
            return shell::check(file, report);
        }
        promised::check(file, report);
        match file.language {
            Language::Python => body::check(file, hits, report),
            _ => {
                check_refusals(file, hits, report);
                alone::check(file, hits, report);
                empty::check(file, report);
            }
        }
    }
}

/// Statements that refuse to work and say that this is all there is.
fn check_refusals(file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
    let lines: Vec<u32> =
        hits.iter().filter(|hit| WORTH.regex().is_match(hit.text)).map(|hit| hit.number).collect();
    if lines.is_empty() {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let holds_hit = |first: u32, last: u32| {
        lines.get(lines.partition_point(|line| *line < first)).is_some_and(|line| *line <= last)
    };
    let mut reader: Option<Reader> = None;
    let mut told = 0;
    for node in tree.root().descendants() {
        let line = node.line();
        if line == told || !holds_hit(line, node.end_line()) || !file.touched_lines().is_added(line) {
            continue;
        }
        let Some(what) = refusal::refusal(node, file.language).filter(|_| !file.in_test(line)) else {
            continue;
        };
        told = line;
        let draft = |severity, confidence| {
            let message = format!("`{what}` stands where the implementation should be");
            Draft::lines(head, line, line, message).severity(severity).confidence(confidence)
        };
        let reader = reader.get_or_insert_with(|| Reader::of(tree));
        let ruby = file.language == Language::Ruby;
        match reader.read(node, file.language) {
            Reading::Guard => {}
            Reading::Known => report.add(draft(Severity::Medium, Confidence::High)),
            // In Ruby this is how an abstract method is written, and the only way.
            Reading::Abstract if ruby => {}
            Reading::Abstract => report.add(draft(Severity::Major, Confidence::Low)),
            Reading::Stub if refusal::is_worded(node, file.language) => {
                report.add(draft(Severity::Medium, Confidence::Medium));
            }
            Reading::Stub if ruby => report.add(draft(Severity::Major, Confidence::Medium)),
            Reading::Stub => report.add(draft(Severity::Major, Confidence::High)),
        }
    }
}
