//! Where the tests of a file begin and end, and what in it counts as an assertion.

use std::collections::HashSet;
use std::ops::Range;

use super::python;
use crate::brackets::first_before;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::source::Source;

/// A test of the file, as offsets into it: from what marks it as a test to the end of its body.
#[derive(Debug)]
pub(crate) struct TestFunction {
    pub(crate) name: String,
    pub(crate) extent: Range<usize>,
    /// Where it asserts, as far as [`MOST_ASSERTIONS`].
    pub(crate) assertions: Vec<usize>,
}

/// More do not change what is said of a test, and a hostile file shall not make the list grow.
const MOST_ASSERTIONS: usize = 20;

struct Dialect {
    /// The first group is the name of the test, if the language gives it one.
    test: Pattern,
    shape: Shape,
    assertion: Pattern,
    /// The first group is the name of a function that a test may call.
    helper: Pattern,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The body is the next pair of braces.
    Braces,
    /// The body is whatever the call's parentheses hold.
    Call,
    Indented,
}

static RUST: Dialect = Dialect {
    test: Pattern::new(
        r"#\[(?:[\w:]*::)?(?:test|rstest|test_case|quickcheck)\b[^\]]*\](?:\s|#\[[^\]]*\])*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)",
    ),
    shape: Shape::Braces,
    assertion: Pattern::new(
        r"(?i)\w*(?:assert|check|verify|verif|expect|ensure|snapshot|should|panic|must|unwrap|compile_fail|unreachable)\w*!?\s*(?:::<[^>\n]{0,80}>\s*)?[({\[]|[\w)\]}]\?|->\s*(?:\w+::)*\w*Result\b|->\s*impl\b|->\s*(?:\w+::)*ExitCode|should_panic|\.(?:pass|run)\(|\bErr\(",
    ),
    helper: Pattern::new(r"\b(?:fn\s+|macro_rules!\s*)(\w+)"),
};

static PYTHON: Dialect = Dialect {
    test: Pattern::new(r"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\("),
    shape: Shape::Indented,
    assertion: Pattern::new(
        r"(?i)\bassert\b|\w*(?:assert|check|verify|expect|raises|warns|ensure|should|validate|must|fail|compare|snapshot|approve|benchmark)\w*\s*\(|\braise\b|\bskip\w*\s*\(",
    ),
    helper: Pattern::new(r"\bdef\s+(\w+)"),
};

static SCRIPT: Dialect = Dialect {
    test: Pattern::new(
        r"(?m)(?:^|[^\w.$])((?:it|test|specify)(?:\.(?:only|concurrent|sequential|fails|failing))?)\s*\(",
    ),
    shape: Shape::Call,
    assertion: Pattern::new(
        r"(?i)[\w$]*(?:assert|expect|verify|check|should|snapshot|ensure|must|fail|throw|reject|invariant|validate)[\w$]*|\bcy\b|\bt\.\w+|\b(?:get|find)(?:All)?By\w*|\bwaitFor\w*|\btape\b|\bcompare\w*|\bdone\(\s*[\w(]|\bI\.(?:see|dontSee)|\bbench\w*",
    ),
    helper: Pattern::new(r"\b(?:function\s*\*?\s*|const\s+|let\s+|var\s+)([\w$]+)"),
};

static GO: Dialect = Dialect {
    test: Pattern::new(r"(?m)^func\s+(Test\w*)\s*\(\s*\w+\s+\*testing\.T\s*\)"),
    shape: Shape::Braces,
    assertion: Pattern::new(
        r"(?i)\b[a-z]+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|Skip|Skipf|SkipNow)\b|\b(?:require|assert|is|qt|expect|must|check|gomega|convey|so|testify|approvals|snaps|suite|goleak|testscript|analysistest)\.\w+|\w*(?:assert|check|verify|expect|must|require|should|ensure|compare)\w*\s*\(|\b\w+\(t\b|\w\(t,|,\s*t\)|\bpanic\(|\bRunSpecs\(",
    ),
    helper: Pattern::new(r"\bfunc\s+(?:\([^)]*\)\s*)?(\w+)|\b(\w+)\s*:=\s*func\b"),
};

static JVM: Dialect = Dialect {
    test: Pattern::new(
        r"@(?:Test|ParameterizedTest|RepeatedTest)\b(?:\([^)]*\))?(?:\s|@[\w.]+(?:\([^)]*\))?)*(?:(?:public|protected|private|internal|final|static|suspend|open|override)\s+)*(?:fun\s+|[\w<>\[\], ?.]+\s)\s*(\w*)\s*\(",
    ),
    shape: Shape::Braces,
    assertion: Pattern::new(
        r"(?i)\w*(?:assert|verify|expect|should|fail|check|require|validate|ensure|must|match|approve|snapshot|await|verif|statusCode|hasSize)\w*|\bthrow\b|\bStepVerifier\b|\bis(?:Equal|True|False|Null|Not)\w*\(",
    ),
    helper: Pattern::new(r"\bfun\s+(\w+)|\b(?:void|\w+)\s+(\w+)\s*\([^)]*\)\s*(?:throws\s[\w., ]+)?\{"),
};

fn dialect(language: Language) -> Option<&'static Dialect> {
    match language {
        Language::Rust => Some(&RUST),
        Language::Python => Some(&PYTHON),
        Language::JavaScript | Language::TypeScript => Some(&SCRIPT),
        Language::Go => Some(&GO),
        Language::Java | Language::Kotlin => Some(&JVM),
        _ => None,
    }
}

/// All tests of the source. Each part of the text is looked at a fixed number of times.
pub(crate) fn tests(source: &Source, language: Language) -> Vec<TestFunction> {
    let Some(dialect) = dialect(language) else { return Vec::new() };
    let code = source.code();
    let extents = Extents::new(source, dialect.shape);
    let helpers = helpers(code, dialect, &extents);
    let assertions = reached(
        code,
        &helpers,
        dialect.assertion.regex().find_iter(code).map(|found| found.start()).collect(),
    );
    let mut tests: Vec<TestFunction> = Vec::new();
    for groups in dialect.test.regex().captures_iter(code) {
        let (Some(whole), Some(name)) = (groups.get(0), groups.get(1)) else { continue };
        let Some(extent) = extents.from(whole.start(), whole.end(), name.start()) else { continue };
        // What is defined inside another function is data of that test.
        let nested = tests.last().is_some_and(|outer| extent.end <= outer.extent.end);
        if nested && dialect.shape == Shape::Indented {
            continue;
        }
        tests.push(TestFunction {
            name: title(source, dialect.shape, name.range(), &extent),
            assertions: within(&assertions, &(name.end()..extent.end))
                .iter()
                .take(MOST_ASSERTIONS)
                .copied()
                .collect(),
            extent,
        });
    }
    tests
}

/// What people call the test: its function's name, or the string it was given.
fn title(source: &Source, shape: Shape, name: Range<usize>, extent: &Range<usize>) -> String {
    let text = source.text();
    if shape != Shape::Call {
        return String::from_utf8_lossy(&text[name]).into_owned();
    }
    let arguments = &text[name.end..extent.end.min(name.end + 400)];
    let quoted = arguments.iter().take(4).position(|byte| b"\"'`".contains(byte));
    let title = quoted.and_then(|at| arguments[at + 1..].split(|byte| *byte == arguments[at]).next());
    String::from_utf8_lossy(title.unwrap_or(b"it")).chars().take(80).collect()
}

fn within<'o>(sorted: &'o [usize], range: &Range<usize>) -> &'o [usize] {
    let start = sorted.partition_point(|at| *at < range.start);
    let end = sorted.partition_point(|at| *at < range.end);
    sorted.get(start..end).unwrap_or_default()
}

fn any_in(sorted: &[usize], range: &Range<usize>) -> bool {
    !within(sorted, range).is_empty()
}

/// The functions of the file that a test may call, with their extents.
fn helpers<'c>(code: &'c [u8], dialect: &Dialect, extents: &Extents<'_>) -> Vec<(&'c [u8], Range<usize>)> {
    let mut helpers = Vec::new();
    for groups in dialect.helper.regex().captures_iter(code) {
        let name = groups.get(1).or_else(|| groups.get(2));
        let extent = name.and_then(|name| extents.helper(name.start(), name.end()));
        helpers.extend(name.zip(extent).map(|(name, extent)| (&code[name.range()], extent)));
    }
    helpers
}

/// The given offsets, and the calls of functions of this file that contain one, through up to three calls.
/// Sorted.
fn reached(code: &[u8], helpers: &[(&[u8], Range<usize>)], mut offsets: Vec<usize>) -> Vec<usize> {
    let mut helpers: Vec<&(&[u8], Range<usize>)> = helpers.iter().collect();
    for _ in 0..3 {
        let reaching: HashSet<&[u8]> =
            helpers.iter().filter(|(_, extent)| any_in(&offsets, extent)).map(|(name, _)| *name).collect();
        let before = offsets.len();
        helpers.retain(|(name, _)| !reaching.contains(name));
        offsets.extend(calls(code, &reaching));
        offsets.sort_unstable();
        if offsets.len() == before {
            break;
        }
    }
    offsets
}

/// Where one of the names is called or handed on.
fn calls(code: &[u8], names: &HashSet<&[u8]>) -> Vec<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$';
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let word = code[at..].iter().take_while(|byte| is_word(byte)).count();
        if word > 0 && names.contains(&code[at..at + word]) {
            found.push(at);
        }
        at += word.max(1);
    }
    found
}

/// Finds the end of a function by the habits of its language.
struct Extents<'s> {
    source: &'s Source,
    shape: Shape,
    /// Only for indented languages: first and last line of each function, by the line of its `def`.
    indented: Vec<(u32, u32)>,
}

impl<'s> Extents<'s> {
    fn new(source: &'s Source, shape: Shape) -> Self {
        let indented = match shape {
            Shape::Indented => python::definitions(source),
            Shape::Braces | Shape::Call => Vec::new(),
        };
        Extents { source, shape, indented }
    }

    /// `start..end` is what matched as the opening of a test.
    fn from(&self, start: usize, end: usize, name: usize) -> Option<Range<usize>> {
        match self.shape {
            Shape::Braces => self.braces(end).map(|block| start..block.end),
            Shape::Call => self.source.brackets().from(end - 1).map(|call| start..call.end),
            Shape::Indented => self.lines(name),
        }
    }

    fn helper(&self, name: usize, name_end: usize) -> Option<Range<usize>> {
        match self.shape {
            Shape::Braces | Shape::Call => self.braces(name_end).map(|block| name_end..block.end),
            Shape::Indented => self.lines(name),
        }
    }

    fn braces(&self, from: usize) -> Option<Range<usize>> {
        first_before(self.source.code(), from, b'{', b";").and_then(|open| self.source.brackets().from(open))
    }

    fn lines(&self, at: usize) -> Option<Range<usize>> {
        let line = self.source.line_of(at);
        let index = self.indented.binary_search_by_key(&line, |lines| lines.0).ok()?;
        let (first, last) = self.indented[index];
        Some(self.source.start_of(first)..self.source.start_of(last + 1))
    }
}
