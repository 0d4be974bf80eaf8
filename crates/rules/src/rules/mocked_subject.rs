use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::mocked_answer::{canned, replaced_modules};
use super::mocked_words;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Node, Notion, Tree, tests};

static INFO: RuleInfo = RuleInfo {
    id: text("mocked-subject"),
    title: text("A test that replaces what it is to test, or asserts what it told a replacement to answer"),
    why: text("What is tested is the replacement, and the real thing may do anything"),
    fix: text("Test the real thing, and replace only what it depends on"),
    severity: Severity::Medium,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Go,
        Language::Ruby,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/cart.test.js", "jest.mock('./cart');\n", &[1]),
        Example::good("src/cart.test.js", "jest.mock('./payment');\n"),
    ]),
};

/// Compares what is mocked with the name of the test's file.
pub(crate) struct MockedSubject;

impl FileRule for MockedSubject {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"mock",
                b"patch",
                b"autospec",
                b"return_value",
                b"thenReturn",
                b".fn(",
                b"every {",
                b".Returns",
                b".Return(",
                b"Substitute.For",
                b"A.Fake<",
                b"receive(",
                b"_double(",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || hits.is_empty() {
            return;
        }
        let name = String::from_utf8_lossy(file.change.path().file_name()).into_owned();
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        if hits.iter().any(|hit| file.in_test(hit.number)) {
            check_answers(file, tree, head, report);
        }
        let is_added = |node: &Node<'_>| hits.binary_search_by_key(&node.line(), |hit| hit.number).is_ok();
        if file.language == Language::Ruby && file.is_test_file() {
            check_parts(tree, head, is_added, report);
        }
        let Some(subject) = subject(&name, file.language) else { return };
        let mut told = 0;
        for node in tree.root().descendants().filter(is_added) {
            if node.line() != told && replaces(node, &subject, file.language) {
                told = node.line();
                let message = format!("`{subject}` is replaced here, which this file is to test");
                report.add(Draft::lines(head, told, told, message));
            }
        }
    }
}

fn check_answers(file: &FileContext<'_>, tree: &Tree, head: &Source, report: &mut Reporter<'_>) {
    let of_file = match file.language {
        // What a file says of its modules stands outside of its tests.
        Language::JavaScript | Language::TypeScript => file.tree().map(replaced_modules).unwrap_or_default(),
        _ => Vec::new(),
    };
    for test in tests(tree).into_iter().filter(|test| file.touched(test.node)) {
        for (node, name) in canned(&test, file.language, &of_file) {
            if file.touched_lines().is_added(node.line()) {
                let message =
                    format!("This asserts what the test told the replacement of `{name}` to answer");
                report.add(Draft::lines(head, node.line(), node.end_line(), message));
            }
        }
    }
}

/// Parts of the subject that a test of Ruby replaces. Now and then that is the only way to a corner of it.
fn check_parts<'t>(
    tree: &'t Tree,
    head: &Source,
    is_added: impl Fn(&Node<'t>) -> bool,
    report: &mut Reporter<'_>,
) {
    let named = tree.root().descendants().filter_map(mocked_words::subject_name);
    let names: Vec<&[u8]> = named.take(MOST_NAMES).chain([&b"subject"[..]]).collect();
    let mut told = 0;
    for node in tree.root().descendants().filter(is_added) {
        if node.line() != told && mocked_words::replaces_part(node, &names) {
            told = node.line();
            let message = "A part of the subject is replaced here, which this file is to test";
            report.add(Draft::lines(head, told, told, message).confidence(Confidence::Low));
        }
    }
}

/// More names for the subject are not looked for.
const MOST_NAMES: usize = 20;

/// What the file is to test, by its name.
fn subject(name: &str, language: Language) -> Option<String> {
    let stem = name.split('.').next()?;
    let subject = match language {
        Language::Python => {
            let plain = stem.strip_prefix("test_").or_else(|| stem.strip_suffix("_test"))?;
            plain.split('_').map(capitalised).collect()
        }
        Language::JavaScript | Language::TypeScript => {
            (name.contains(".test.") || name.contains(".spec.")).then(|| stem.to_owned())?
        }
        // What is mocked in Go is an interface, whatever the file is called.
        Language::Go => return None,
        Language::Ruby => stem.strip_suffix("_spec")?.split('_').map(capitalised).collect(),
        _ => stem.strip_suffix("Tests").or_else(|| stem.strip_suffix("Test"))?.to_owned(),
    };
    (subject.len() > 2 && subject != "index").then_some(subject)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The name of a module of the project: `cart` of `../src/cart.js`.
fn stem_of(module: &str) -> Option<&str> {
    let path = module.strip_prefix("./").or_else(|| module.strip_prefix("../"))?;
    path.rsplit('/').next()?.split('.').next()
}

/// Whether a module is what the file is to test: it stands beside the file or above it, or nothing that the file takes from
/// the project is left as it is.
fn is_subject(node: Node<'_>, module: &str) -> bool {
    let is_near =
        ["./", "../"].iter().any(|up| module.strip_prefix(up).is_some_and(|rest| !rest.contains('/')));
    is_near || leaves_nothing(node.tree().root(), module)
}

/// Whether a file takes something from this module, and nothing from others of the project that it does not replace.
fn leaves_nothing(root: Node<'_>, module: &str) -> bool {
    let (mut taken, mut replaced) = (Vec::new(), Vec::new());
    for one in root.descendants().filter(|inner| inner.is(Notion::String)).take(MOST_STRINGS) {
        let Some(around) = one.parent() else { continue };
        let name = one.text().trim_matches(['"', '\'', '`']).to_owned();
        let call = around.parent().and_then(|call| call.call());
        let callee = call.map(|call| call.callee()).unwrap_or_default();
        match callee {
            b"jest.mock" | b"vi.mock" => replaced.push(name),
            b"require" => taken.push(name),
            _ if around.kind() == "import_statement" => taken.push(name),
            _ => {}
        }
    }
    let is_own = |name: &&String| ["./", "../", "@/", "~/"].iter().any(|start| name.starts_with(start));
    taken.iter().any(|name| name == module) && taken.iter().filter(is_own).all(|name| replaced.contains(name))
}

/// More of a file are not looked at.
const MOST_STRINGS: usize = 500;

fn replaces(node: Node<'_>, subject: &str, language: Language) -> bool {
    if matches!(language, Language::Kotlin | Language::CSharp | Language::Ruby) {
        return mocked_words::replaces(node, subject, language);
    }
    if language == Language::Java && node.kind() == "field_declaration" {
        let of_type = node.child("type").is_some_and(|kind| kind.bytes() == subject.as_bytes());
        let mocked = node.child_of(&["modifiers"]).is_some_and(|words| {
            words.named_children().filter_map(|word| word.child("name")).any(|name| name.bytes() == b"Mock")
        });
        return of_type && mocked;
    }
    let Some(call) = node.is(Notion::Call).then(|| node.call()).flatten() else { return false };
    let first = call.arguments().next().map(|argument| argument.text().into_owned()).unwrap_or_default();
    let quoted = first.trim_matches(['"', '\'', '`']);
    match language {
        Language::JavaScript | Language::TypeScript => {
            let mocks = [&b"jest.mock"[..], b"vi.mock"].contains(&call.callee());
            let partly = ["Actual", "original"].iter().any(|word| node.text().contains(word));
            mocks && stem_of(quoted) == Some(subject) && !partly && is_subject(node, quoted)
        }
        Language::Java => call.name() == "mock" && first == format!("{subject}.class"),
        _ => {
            let patched =
                call.name() == "patch" && quoted.rsplit_once('.').is_some_and(|(_, last)| last == subject);
            let spec = format!("spec={subject}");
            let specified = ["Mock", "MagicMock", "AsyncMock"].contains(&call.name().as_str())
                && call.arguments().any(|argument| argument.text().replace(' ', "") == spec);
            patched || specified || (call.name() == "create_autospec" && first == subject)
        }
    }
}
