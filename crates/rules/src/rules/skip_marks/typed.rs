//! Java, Kotlin, C#, Swift and Scala.

use super::{Skip, Tests, beginning, by_reason, has_text};
use crate::context::FileContext;
use crate::syntax::{Call, Node, Notion};

/// On a test, a class of tests, or anything in a file of tests. Other libraries know `@Ignore`, too.
pub(super) fn in_jvm<'t>(
    node: Node<'t>,
    file: &FileContext<'_>,
    tests: &Tests<'t>,
) -> Option<(String, Skip)> {
    if let Some(call) = node.call() {
        return by_call(&call, tests);
    }
    if !node.is_kind(&["marker_annotation", "annotation"]) {
        return None;
    }
    let text = String::from_utf8_lossy(beginning(node));
    let name = text.trim_start_matches('@').split(['(', ' ', '\n']).next().unwrap_or_default();
    let plain = name.rsplit('.').next().unwrap_or_default();
    let owner = node.ancestors().find(|around| around.is(Notion::Function) || around.is(Notion::Type));
    let is_test_code = || {
        let tests = |owner: Node<'_>| memchr::memmem::find(beginning(owner), b"Test").is_some();
        owner.is_none_or(tests) || file.is_test_file()
    };
    match plain {
        "Disabled" | "Ignore" if is_test_code() => by_reason(format!("@{plain}"), has_text(node)),
        // TestNG's way.
        "Test" if text.replace(' ', "").contains("enabled=false") => {
            by_reason("@Test(enabled = false)", false)
        }
        _ => None,
    }
}

/// `[Ignore]`, or `Skip = "why"` of the marker that makes it a test.
pub(super) fn in_csharp<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    if let Some(call) = node.call() {
        let name = String::from_utf8_lossy(call.callee()).into_owned();
        let leaves = ["Assert.Ignore", "Assert.Inconclusive", "Assert.Pass"].contains(&name.as_str());
        (leaves && tests.left_by(node)).then_some(())?;
        return by_reason(name, has_text(node));
    }
    if node.kind() != "attribute" {
        return None;
    }
    let name = node.child("name")?;
    match name.bytes() {
        b"Explicit" => by_reason("[Explicit]", has_text(node)),
        b"Ignore" | b"IgnoreAttribute" => by_reason("[Ignore]", has_text(node)),
        b"Fact" | b"Theory" => {
            let list = node.child_of(&["attribute_argument_list"])?;
            let skip = list.named_children().find(|given| given.bytes().starts_with(b"Skip"))?;
            by_reason("Skip", has_text(skip))
        }
        _ => None,
    }
}

/// `assumeTrue(false)` of JUnit; `xtest("...")`, `test("!...")` and `.config(enabled = false)` of Kotest.
fn by_call<'t>(call: &Call<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    let name = call.name();
    let first = call.arguments().next().map(|first| first.bytes());
    match name.as_str() {
        "assumeTrue" if first == Some(b"false") => tests.left_by(call.node).then_some((name, Skip::Bare)),
        "assumeFalse" if first == Some(b"true") => tests.left_by(call.node).then_some((name, Skip::Bare)),
        "xtest" | "xit" | "xshould" | "xdescribe" | "xcontext" | "xscenario" => {
            first.is_some_and(|first| first.starts_with(b"\"")).then_some((name, Skip::Bare))
        }
        "test" | "should" | "it" if first.is_some_and(|first| first.starts_with(b"\"!")) => {
            Some((format!("{name} with !"), Skip::Bare))
        }
        "config" => {
            let given = beginning(call.node);
            let squeezed: Vec<u8> =
                given.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let off = memchr::memmem::find(&squeezed, b".config(enabled=false").is_some();
            off.then(|| ("config(enabled = false)".to_owned(), Skip::Bare))
        }
        _ => None,
    }
}

/// `throw XCTSkip()`, `try XCTSkipIf(true)`, `@Test(.disabled())`.
pub(super) fn in_swift<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    if node.kind() == "attribute" {
        let off = node.child_of(&["user_type"]).is_some_and(|name| name.bytes() == b"Test")
            && memchr::memmem::find(beginning(node), b".disabled(").is_some();
        off.then_some(())?;
        let conditional = memchr::memmem::find(beginning(node), b"if:").is_some();
        return (!conditional).then_some(()).and_then(|()| by_reason(".disabled()", has_text(node)));
    }
    let call = node.call()?;
    let first = call.arguments().next().map(|first| first.bytes());
    let name = call.name();
    let leaves = match name.as_str() {
        "XCTSkip" => node.parent().is_some_and(|around| around.bytes().starts_with(b"throw")),
        "XCTSkipIf" => first == Some(b"true"),
        "XCTSkipUnless" => first == Some(b"false"),
        // Whatever fails behind it counts as expected.
        "XCTExpectFailure" => true,
        _ => false,
    };
    (leaves && tests.left_by(node)).then_some(())?;
    by_reason(name, has_text(node))
}

/// `ignore("...")`, `"...".ignore`, `cancel()` and `pending` of ScalaTest and munit.
pub(super) fn in_scala<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    if node.kind() == "identifier" && node.bytes() == b"pending" {
        let stands = node.parent().is_some_and(|around| around.is(Notion::Block));
        return (stands && tests.left_by(node)).then(|| ("pending".to_owned(), Skip::Bare));
    }
    if node.kind() == "infix_expression" {
        let off = node.child("operator").is_some_and(|word| word.bytes() == b"ignore")
            && node.child("right").is_some_and(|body| body.is(Notion::Block));
        return off.then(|| ("ignore".to_owned(), Skip::Bare));
    }
    let call = node.call()?;
    let first = call.arguments().next();
    let name = call.name();
    let bare = call.callee().len() == name.len();
    let titled = || first.is_some_and(|first| first.is(Notion::String));
    match name.as_str() {
        "ignore" if titled() && call.callee() == b"ignore" => Some((name, Skip::Bare)),
        "cancel" | "assume"
            if bare && name == "cancel" || first.is_some_and(|first| first.bytes() == b"false") =>
        {
            tests.left_by(node).then_some(())?;
            by_reason(name, has_text(node))
        }
        "test" => {
            let title = first.filter(|first| first.kind() == "field_expression")?;
            let off = title.child("field").is_some_and(|word| word.bytes() == b"ignore");
            off.then(|| (".ignore".to_owned(), Skip::Bare))
        }
        _ => None,
    }
}
