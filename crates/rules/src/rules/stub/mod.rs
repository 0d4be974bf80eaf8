use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::abstraction::{Reader, Reading};
use super::python::{self, Definition, Kind};
use super::spot::{SCRIPT, Spot, first_spot, spot, written};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::source::Source;

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
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "fn a() -> u8 {\n    todo!()\n}\n", &[2]),
        Example::good("src/a.rs", "/// Was once todo!().\nfn a() -> u8 { 1 }\n"),
        Example::bad("a.py", "def a():\n    raise NotImplementedError\n", &[2]),
        Example::good(
            "a.py",
            "class A(ABC):\n    @abstractmethod\n    def a(self):\n        raise NotImplementedError\n",
        ),
    ]),
};

static STUBS: [Spot; 10] = [
    spot(&[Language::Rust], r"(?:^|[^\w:])((?:std::|core::)?(?:todo|unimplemented)!)\s*[(\[{]", "todo!()"),
    spot(
        SCRIPT,
        r#"(?i)\bthrow\s+(?:new\s+)?\w*Error\(\s*["'`](?:method |function )?(?:not (?:yet )?implemented|unimplemented|todo\b|implement me)"#,
        "throw new Error(\"not implemented\")",
    ),
    spot(
        &[Language::Java, Language::Kotlin],
        r#"(?i)\bthrow\s+(?:new\s+)?(?:NotImplemented\w*\(|\w*(?:Exception|Error)\(\s*"(?:method )?(?:not (?:yet )?implemented|unimplemented|todo\b|implement me))"#,
        "throw \"not implemented\"",
    ),
    spot(&[Language::Kotlin], r"(?:^|[^\w.])(TODO)\(", "TODO()"),
    spot(
        &[Language::CSharp],
        r#"\bthrow\s+new\s+(?:System\.)?NotImplementedException\("#,
        "throw new NotImplementedException()",
    ),
    spot(
        &[Language::Php],
        r#"(?i)\bthrow\s+new\s+\\?\w*(?:Exception|Error)\(\s*["'](?:method )?(?:not (?:yet )?implemented|unimplemented|todo\b)"#,
        "throw \"not implemented\"",
    ),
    spot(
        &[Language::Go],
        r#"(?i)\bpanic\(\s*(?:errors\.New\(\s*|fmt\.Sprintf\(\s*)?["`](?:not (?:yet )?implemented|unimplemented|todo\b|implement me)"#,
        "panic(\"not implemented\")",
    ),
    spot(
        &[Language::Swift],
        r#"(?i)\bfatalError\(\s*"(?:not (?:yet )?implemented|unimplemented|todo\b)"#,
        "fatalError(\"not implemented\")",
    ),
    spot(
        &[Language::Ruby],
        r#"(?i)^\s*(raise)\s+(?:::)?NotImplementedError\s*(?:$|#|,\s*["'](?:not (?:yet )?implemented|todo\b))"#,
        "raise NotImplementedError",
    ),
    spot(&[Language::Python], r"^\s*(?:.*:\s*)?(raise)\s+NotImplementedError\b", "raise NotImplementedError"),
];

pub(super) static BASE_NAME: Pattern =
    Pattern::new(r"(?i)base|abstract|interface|mixin|protocol|null|noop|dummy|fake|mock");
static ABSTRACT_BASES: Pattern = Pattern::new(r"\b(?:ABC|ABCMeta|Protocol|Interface|TypedDict|NamedTuple)\b");
static RUBY_HEIR: Pattern = Pattern::new(r"class\s+[\w:]+\s*<\s*([\w:]+)");
static RUBY_CLASS: Pattern = Pattern::new(r"^\s*(?:class|module)\s+([\w:]+)");

/// In lines, docstring included. What is longer is not looked at once per line of it.
const LONGEST_STUB: u32 = 200;

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
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        match file.language {
            Language::Python => check_python(file, hits, report),
            Language::Ruby => check_ruby(file, hits, report),
            _ => {
                let found: Vec<_> = hits
                    .iter()
                    .filter_map(|line| Some((line, first_spot(&STUBS, file, line)?)))
                    .filter(|(line, _)| !file.in_test(line.number))
                    .collect();
                if found.is_empty() {
                    return;
                }
                let reader = Reader::of(file);
                for (line, (stub, at)) in found {
                    let what = match file.language {
                        Language::Rust => format!("{}()", written(line, &at)),
                        _ => stub.what.to_owned(),
                    };
                    match reader.read(line, &at) {
                        Reading::Guard => {}
                        Reading::Known => report.add(draft(line, &what).severity(Severity::Medium)),
                        Reading::Abstract => report.add(draft(line, &what).confidence(Confidence::Low)),
                        Reading::Stub => report.add(draft(line, &what)),
                    }
                }
            }
        }
    }
}

fn draft(line: &AddedLine<'_>, what: &str) -> Draft {
    Draft::line(line, format!("`{what}` stands where the implementation should be"))
}

/// An abstract method says so in its class: by name, or by being inherited from in the same file.
fn check_ruby(file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
    let Some(head) = file.head() else { return };
    let heirs: HashSet<Vec<u8>> =
        RUBY_HEIR.regex().captures_iter(head.code()).map(|groups| groups[1].to_vec()).collect();
    let (mut above, mut in_base) = (1, false);
    for line in hits {
        let Some((stub, _)) = first_spot(&STUBS, file, line) else { continue };
        for above in above..line.number {
            if let Some(groups) = RUBY_CLASS.regex().captures(head.code_line(above)) {
                in_base = BASE_NAME.regex().is_match(&groups[1]) || heirs.contains(&groups[1]);
            }
        }
        above = line.number;
        if !in_base {
            report.add(draft(line, stub.what).confidence(Confidence::Medium));
        }
    }
}

fn check_python(file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
    let possible = |line: &&AddedLine<'_>| {
        let statement = line.text.trim_ascii();
        memchr::memmem::find(statement, b"NotImplementedError").is_some()
            || [&b"pass"[..], b"..."]
                .iter()
                .any(|word| statement.starts_with(word) || statement.ends_with(word))
    };
    let mut lines = hits.iter().filter(possible).peekable();
    if lines.peek().is_none() || file.change.path().extension() == "pyi" {
        return;
    }
    let Some(head) = file.head() else { return };
    let definitions = python::definitions(head);
    let inherited = inherited(&definitions);
    for line in lines {
        let Some(function) = function_around(&definitions, line.number) else { continue };
        if function.end - function.line > LONGEST_STUB {
            continue;
        }
        let statements = python::body(head, function);
        let [only] = statements.as_slice() else { continue };
        if is_abstract(head, &definitions, &inherited, function) {
            continue;
        }
        let is_method = function.parent.is_some();
        if only.starts_with(b"raise NotImplementedError") {
            // A method with a docstring may be part of an interface that is implemented elsewhere.
            let unsure = is_method && is_explained(head, function);
            let confidence = if unsure { Confidence::Low } else { Confidence::High };
            report.add(draft(line, "raise NotImplementedError").confidence(confidence));
        } else if [&b"pass"[..], b"..."].contains(only) && is_forgotten(head, &definitions, function) {
            // A method that does nothing may be what a null object needs.
            let confidence = if is_method { Confidence::Low } else { Confidence::Medium };
            let message = format!("The body of `{}` is empty", function.name);
            report.add(Draft::line(line, message).confidence(confidence));
        }
    }
}

fn function_around(definitions: &[Definition], line: u32) -> Option<&Definition> {
    let mut index = definitions.partition_point(|definition| definition.line <= line).checked_sub(1)?;
    while definitions[index].end < line {
        index = definitions[index].parent?;
    }
    Some(&definitions[index]).filter(|definition| definition.kind == Kind::Function)
}

/// The names that classes of the file inherit from.
fn inherited(definitions: &[Definition]) -> HashSet<&str> {
    definitions
        .iter()
        .filter(|definition| definition.kind == Kind::Class)
        .flat_map(|class| class.signature.split(|c: char| !c.is_alphanumeric() && c != '_').skip(2))
        .collect()
}

fn is_abstract(
    head: &Source,
    definitions: &[Definition],
    inherited: &HashSet<&str>,
    function: &Definition,
) -> bool {
    let holds = |line: &[u8], word: &[u8]| memchr::memmem::find(line, word).is_some();
    let marked = function.decorated
        && (function.line.saturating_sub(6)..function.line)
            .map(|line| head.code_line(line))
            .any(|line| holds(line, b"abstract") || holds(line, b"overload"));
    let class =
        function.parent.map(|parent| &definitions[parent]).filter(|parent| parent.kind == Kind::Class);
    marked
        || class.is_some_and(|class| {
            ABSTRACT_BASES.regex().is_match(class.signature.as_bytes())
                || BASE_NAME.regex().is_match(class.name.as_bytes())
                || inherited.contains(class.name.as_str())
        })
}

/// Doing nothing can be right: in a hook that overrides another, a decorated declaration, a special method,
/// or where a comment or docstring says so. Only what is left is called forgotten.
fn is_forgotten(head: &Source, definitions: &[Definition], function: &Definition) -> bool {
    let in_plain_scope = match function.parent.map(|parent| &definitions[parent]) {
        // Indented without a parent: one of several definitions, chosen by a condition.
        None => function.indent == 0,
        Some(parent) => parent.kind == Kind::Class && !parent.signature.contains('('),
    };
    let hook = [
        "on_",
        "handle_",
        "noop",
        "_noop",
        "visit_",
        "setup",
        "teardown",
        "do_nothing",
        "before_",
        "after_",
        "pytest_",
        "setUp",
        "tearDown",
        "asyncSetUp",
        "asyncTearDown",
        "upgrade",
        "downgrade",
    ];
    in_plain_scope
        && !is_explained(head, function)
        && !function.decorated
        && !function.name.starts_with("__")
        && !hook.iter().any(|start| function.name.starts_with(start))
}

/// Whether a comment or a string stands in the function, be it only its docstring.
fn is_explained(head: &Source, function: &Definition) -> bool {
    let ink = |line: &[u8]| line.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let lines = function.line..=function.end;
    lines.into_iter().any(|line| ink(head.line(line)) != ink(head.code_line(line)))
}
