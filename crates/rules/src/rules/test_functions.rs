//! Where the tests of a file begin and end, without a parse.

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
}

struct Dialect {
    /// The first group is the name of the test, if the language gives it one.
    test: Pattern,
    shape: Shape,
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
};

static PYTHON: Dialect = Dialect {
    test: Pattern::new(r"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\("),
    shape: Shape::Indented,
};

static SCRIPT: Dialect = Dialect {
    test: Pattern::new(
        r"(?m)(?:^|[^\w.$])((?:it|test|specify)(?:\.(?:only|concurrent|sequential|fails|failing))?)\s*\(",
    ),
    shape: Shape::Call,
};

static GO: Dialect = Dialect {
    test: Pattern::new(r"(?m)^func\s+(Test\w*)\s*\(\s*\w+\s+\*testing\.T\s*\)"),
    shape: Shape::Braces,
};

static JVM: Dialect = Dialect {
    test: Pattern::new(
        r"@(?:Test|ParameterizedTest|RepeatedTest)\b(?:\([^)]*\))?(?:\s|@[\w.]+(?:\([^)]*\))?)*(?:(?:public|protected|private|internal|final|static|suspend|open|override)\s+)*(?:fun\s+|[\w<>\[\], ?.]+\s)\s*(\w*)\s*\(",
    ),
    shape: Shape::Braces,
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

/// Whether tests of a language can be found without a parse.
pub(crate) fn finds_tests(language: Language) -> bool {
    dialect(language).is_some()
}

/// All tests of the source. Each part of the text is looked at a fixed number of times.
pub(crate) fn tests(source: &Source, language: Language) -> Vec<TestFunction> {
    let Some(dialect) = dialect(language) else { return Vec::new() };
    let code = source.code();
    let extents = Extents::new(source, dialect.shape);
    let mut tests: Vec<TestFunction> = Vec::new();
    for groups in dialect.test.regex().captures_iter(code) {
        let (Some(whole), Some(name)) = (groups.get(0), groups.get(1)) else { continue };
        let Some(extent) = extents.from(whole.start(), whole.end(), name.start()) else { continue };
        // What is defined inside another function is data of that test.
        let nested = tests.last().is_some_and(|outer| extent.end <= outer.extent.end);
        if nested && dialect.shape == Shape::Indented {
            continue;
        }
        tests.push(TestFunction { name: title(source, dialect.shape, name.range(), &extent), extent });
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
