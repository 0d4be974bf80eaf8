//! How tests of Kotlin, C#, Go and Ruby replace things, each by the words of its libraries.

use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Node, Notion};

/// So much of a statement is read.
const LONGEST: usize = 400;

fn beginning(node: Node<'_>) -> &[u8] {
    let bytes = node.bytes();
    &bytes[..bytes.len().min(LONGEST)]
}

/// `every { cart.total() } returns 3`
static MOCKK: Pattern = Pattern::new(r"^(?:coE|e)very\s*\{\s*([\w.]+)\.(\w+)\([^{}]*\)\s*\}\s*returns\b");
/// `whenever(cart.total()).thenReturn(3)`
static MOCKITO: Pattern = Pattern::new(
    r"^(?:whenever|`when`|(?:Mockito\.)?`when`)\(\s*([\w.]+)\.(\w+)\([^{}]*\)\s*\)\.thenReturn\(",
);
/// `mock.Setup(c => c.Total()).Returns(3)`
static MOQ: Pattern =
    Pattern::new(r"^(\w+)\.Setup\(\s*\w+\s*=>\s*\w+\.(\w+)\([^{}]*\)\s*\)\s*\.Returns(?:Async)?\(");
/// `cart.Total().Returns(3)`
static SUBSTITUTE: Pattern = Pattern::new(r"^(\w+)\.(\w+)\([^{}=]*\)\s*\.Returns(?:ForAnyArgs)?\(");
/// `cart.EXPECT().Total().Return(3)`
static GOMOCK: Pattern = Pattern::new(r"^(\w+)\.EXPECT\(\)\.(\w+)\([^{}]*\)\.(?:\w+\([^{}]*\)\.)?Return\(");
/// `cart.On("Total").Return(3)`
static TESTIFY: Pattern = Pattern::new(r#"^(\w+)\.On\("(\w+)"[^{}]*\)\.Return\("#);
/// `allow(cart).to receive(:total).and_return(3)`
static RSPEC: Pattern =
    Pattern::new(r"^allow\((\w+)\)\.to\s*\(?\s*receive\(:(\w+)\)(?:\.with\([^{}]*\))?\.and_return\b");

/// What a statement tells what to answer: what it is called on, and its name.
pub(super) fn told(node: Node<'_>, language: Language) -> Option<(String, String)> {
    let patterns: &[&Pattern] = match language {
        Language::Kotlin if node.kind() == "infix_expression" => &[&MOCKK],
        Language::Kotlin if node.is(Notion::Call) => &[&MOCKITO],
        Language::CSharp if node.is(Notion::Call) => &[&MOQ, &SUBSTITUTE],
        Language::Go if node.is(Notion::Call) => &[&GOMOCK, &TESTIFY],
        Language::Ruby if node.is(Notion::Call) => &[&RSPEC],
        _ => return None,
    };
    let text = beginning(node);
    let (pattern, found) =
        patterns.iter().find_map(|pattern| Some((*pattern, pattern.regex().captures(text)?)))?;
    let part = |at: usize| String::from_utf8_lossy(&found[at]).into_owned();
    // The library has an object that makes the replacement, and the replacement.
    let object = if std::ptr::eq(pattern, &MOQ) { format!("{}.Object", part(1)) } else { part(1) };
    Some((object, part(2)))
}

/// `var cart = mock.Object`: another name for the replacement.
static OBJECT: Pattern = Pattern::new(r"^(\w+)\s*=\s*(\w+\.Object)$");

pub(super) fn renamed(node: Node<'_>) -> Option<(String, String)> {
    let found = OBJECT.regex().captures(beginning(node)).filter(|_| node.kind() == "variable_declarator")?;
    let part = |at: usize| String::from_utf8_lossy(&found[at]).into_owned();
    Some((part(2), part(1)))
}

/// Whether a node makes a replacement of the type.
pub(super) fn replaces(node: Node<'_>, subject: &str, language: Language) -> bool {
    let text = String::from_utf8_lossy(beginning(node));
    let begins = |ways: &[String]| ways.iter().any(|way| text.starts_with(way.as_str()));
    match language {
        Language::Kotlin if node.kind() == "property_declaration" => {
            let marked = ["@MockK", "@RelaxedMockK", "@Mock"].iter().any(|mark| {
                text.strip_prefix(mark).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace()))
            });
            marked && text.trim_end().ends_with(&format!(": {subject}"))
        }
        Language::Kotlin if node.is(Notion::Call) => begins(&[
            format!("mockk<{subject}>("),
            format!("mock<{subject}>("),
            format!("mock({subject}::class"),
        ]),
        // One that calls the real thing where it was told nothing else replaces only parts of it.
        Language::CSharp if text.contains("CallBase") => false,
        Language::CSharp if node.is(Notion::Call) => begins(&[
            format!("new Mock<{subject}>("),
            format!("Mock.Of<{subject}>("),
            format!("Substitute.For<{subject}>("),
            format!("A.Fake<{subject}>("),
        ]),
        Language::Ruby if node.is(Notion::Call) => {
            let ways = ["instance_double", "class_double"];
            let quoted = ["(", "(\"", "('"];
            ways.iter().flat_map(|way| quoted.map(|open| format!("{way}{open}{subject}"))).any(|way| {
                let rest = text.strip_prefix(way.as_str());
                rest.is_some_and(|rest| rest.starts_with([')', ',', '"', '\'']))
            })
        }
        _ => false,
    }
}

/// `allow(subject).to receive(:total)`, by that name or the one it was given: some of the subject is replaced.
static SUBJECT_STUB: Pattern = Pattern::new(r"^allow\((\w+)\)\.to\s*\(?\s*receive");
static CALLS_REAL: Pattern = Pattern::new(r"\band_(?:call|wrap)_original\b");
static SUBJECT_NAME: Pattern = Pattern::new(r"^subject!?\(:(\w+)\)");

/// The name of what a test of Ruby is about, if the node gives it one.
pub(super) fn subject_name(node: Node<'_>) -> Option<&[u8]> {
    let found = SUBJECT_NAME.regex().captures(beginning(node)).filter(|_| node.is(Notion::Call))?;
    Some(found.get(1)?.as_bytes())
}

/// Whether a statement of Ruby replaces a part of something that has one of these names.
pub(super) fn replaces_part(node: Node<'_>, names: &[&[u8]]) -> bool {
    let text = beginning(node);
    let found = SUBJECT_STUB.regex().captures(text).filter(|_| node.is(Notion::Call));
    let of_subject =
        found.and_then(|found| found.get(1)).is_some_and(|name| names.contains(&name.as_bytes()));
    of_subject && !CALLS_REAL.regex().is_match(text)
}
