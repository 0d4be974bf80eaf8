//! How tests are switched off, language by language.

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Call, Node, Notion};

/// What a marker says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skip {
    Bare,
    /// With the reason beside it, or under a condition.
    Reasoned,
    /// A title without a test.
    Announced,
}

/// What of a marker is looked at. Longer ones hold a whole test, and nothing more that matters.
const LONGEST: usize = 2_000;

/// Whether a node switches a test off, with what it is called.
pub(super) fn skip(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    match file.language {
        Language::Rust => in_rust(node),
        Language::Python => in_python(node),
        Language::JavaScript | Language::TypeScript => in_script(node),
        Language::Go => in_go(node),
        Language::Java | Language::Kotlin => in_jvm(node, file),
        Language::CSharp => in_csharp(node),
        Language::Ruby => in_ruby(node),
        _ => None,
    }
}

fn by_reason(name: impl Into<String>, has_reason: bool) -> Option<(String, Skip)> {
    Some((name.into(), if has_reason { Skip::Reasoned } else { Skip::Bare }))
}

fn beginning(node: Node<'_>) -> &[u8] {
    let bytes = node.bytes();
    &bytes[..bytes.len().min(LONGEST)]
}

/// Whether a text stands in the node that says something.
fn has_text(node: Node<'_>) -> bool {
    let says = |text: &[u8]| text.iter().any(u8::is_ascii_alphanumeric);
    node.descendants().take(LONGEST).any(|inner| inner.is(Notion::String) && says(inner.bytes()))
}

/// `#[ignore]` in front of a function. `#[cfg_attr(miri, ignore)]` is a condition.
fn in_rust(node: Node<'_>) -> Option<(String, Skip)> {
    let attribute = node.child_of(&["attribute"]).filter(|_| node.kind() == "attribute_item")?;
    let path = attribute.named_children().next().filter(|path| path.bytes() == b"ignore")?;
    let item = std::iter::successors(node.next_sibling(), Node::next_sibling)
        .take(50)
        .find(|next| !next.is_kind(&["attribute_item", "line_comment", "block_comment"]));
    let owns = item.is_none_or(|item| item.kind() == "function_item");
    owns.then_some(())?;
    by_reason(format!("#[{}]", path.text()), has_text(attribute))
}

fn in_python(node: Node<'_>) -> Option<(String, Skip)> {
    const MARKS: [&str; 10] = [
        "pytest.mark.skip",
        "mark.skip",
        "pytest.mark.xfail",
        "mark.xfail",
        "unittest.skip",
        "unittest.expectedFailure",
        "skip",
        "expectedFailure",
        "pytest.skip",
        "self.skipTest",
    ];
    match node.kind() {
        "decorator" => {
            let mark = node.named_children().next()?;
            let call = mark.call();
            let name = call.map_or(mark.bytes(), |call| call.callee());
            let name = std::str::from_utf8(name).ok().filter(|name| MARKS[..8].contains(name))?;
            // The condition may stand in front of the reason.
            let condition = call.is_some_and(|call| {
                call.arguments().next().is_some_and(|first| {
                    name.ends_with("xfail") && !first.is(Notion::String) && first.kind() != "keyword_argument"
                })
            });
            by_reason(format!("@{name}"), condition || call.is_some_and(|call| has_text(call.node)))
        }
        // For the whole module.
        "assignment" if node.child("left").is_some_and(|left| left.bytes() == b"pytestmark") => {
            let mark = node.child("right")?;
            let name = mark.call().map_or(mark.bytes(), |call| call.callee());
            let name = std::str::from_utf8(name).ok().filter(|name| MARKS[..4].contains(name))?;
            by_reason(name, has_text(mark))
        }
        "call" => {
            let call = node.call()?;
            let name = std::str::from_utf8(call.callee()).ok().filter(|name| MARKS[8..].contains(name))?;
            let around = node.enclosing(Notion::Function)?;
            let is_test = around.child("name").is_some_and(|name| name.bytes().starts_with(b"test"));
            (is_test && is_unconditional(node, around)).then_some(())?;
            by_reason(name, has_text(node))
        }
        _ => None,
    }
}

/// So much may stand before what leaves a test in any case.
const MOST_BEFORE: usize = 500;

/// Whether a statement runs whenever the function does. A way out before it is a condition, too.
fn is_unconditional(node: Node<'_>, function: Node<'_>) -> bool {
    const PLAIN: [&str; 5] =
        ["expression_statement", "block", "statement_list", "statement_block", "statements"];
    let start = node.range().start;
    let before = function.descendants().take_while(|inner| inner.range().start < start);
    let before: Vec<Node<'_>> = before.take(MOST_BEFORE).collect();
    before.len() < MOST_BEFORE
        && !before.iter().any(|inner| inner.is(Notion::Return))
        && node.ancestors().take_while(|around| *around != function).all(|around| around.is_kind(&PLAIN))
}

fn in_script(node: Node<'_>) -> Option<(String, Skip)> {
    const TESTS: [&str; 6] = ["it", "test", "describe", "context", "suite", "specify"];
    const CROSSED: [&str; 5] = ["xit", "xdescribe", "xtest", "xcontext", "xspecify"];
    let call = node.call().filter(|call| call.node.kind() == "call_expression")?;
    let callee = call.callee();
    let callee = String::from_utf8_lossy(&callee[..callee.len().min(LONGEST)]);
    let chain = callee.split(['(', '`', '<']).next().unwrap_or_default();
    let mut words = chain.split('.').map(str::trim);
    let first = words.next().unwrap_or_default();
    let title = call.arguments().next().is_some_and(|given| given.is(Notion::String));
    let tagged = node.named_children().any(|child| child.kind() == "template_string");
    if CROSSED.contains(&first) {
        return (title || tagged || call.arguments().count() > 1).then_some((first.to_owned(), Skip::Bare));
    }
    if !TESTS.contains(&first) {
        return None;
    }
    let Some(off) = words.find(|word| ["skip", "todo", "fixme"].contains(word)) else {
        return has_skip_option(&call).then(|| (format!("{first} with skip"), Skip::Bare));
    };
    let name = format!("{first}.{off}");
    if off == "todo" {
        return Some((name, Skip::Announced));
    }
    // Playwright's `test.skip(condition, "why")`: what is skipped has no title here.
    let given = call.arguments().count();
    let conditional =
        !title && given > 1 && call.arguments().nth(1).is_some_and(|why| why.is(Notion::String));
    by_reason(name, conditional)
}

/// `test("title", { skip: true }, () => {})`.
fn has_skip_option(call: &Call<'_>) -> bool {
    let options =
        call.arguments().filter(|given| given.kind() == "object").flat_map(|given| given.named_children());
    options.filter(|pair| pair.kind() == "pair").any(|pair| {
        pair.child("key").is_some_and(|key| key.bytes() == b"skip")
            && pair.child("value").is_some_and(|value| value.bytes() == b"true")
    })
}

/// In a block of its own it is skipped under some condition only.
fn in_go(node: Node<'_>) -> Option<(String, Skip)> {
    let call = node.call()?;
    let callee = std::str::from_utf8(call.callee()).ok()?;
    let (receiver, method) = callee.split_once('.')?;
    let skips = ["t", "b", "tb"].contains(&receiver) && ["Skip", "Skipf", "SkipNow"].contains(&method);
    let function = node.ancestors().find(|around| {
        around.is(Notion::Lambda) || around.is_kind(&["function_declaration", "method_declaration"])
    })?;
    (skips && is_unconditional(node, function)).then(|| (callee.to_owned(), Skip::Bare))
}

/// On a test, a class of tests, or anything in a file of tests. Other libraries know `@Ignore`, too.
fn in_jvm(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
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
fn in_csharp(node: Node<'_>) -> Option<(String, Skip)> {
    if node.kind() != "attribute" {
        return None;
    }
    let name = node.child("name")?;
    match name.bytes() {
        b"Ignore" | b"IgnoreAttribute" => by_reason("[Ignore]", has_text(node)),
        b"Fact" | b"Theory" => {
            let list = node.child_of(&["attribute_argument_list"])?;
            let skip = list.named_children().find(|given| given.bytes().starts_with(b"Skip"))?;
            by_reason("Skip", has_text(skip))
        }
        _ => None,
    }
}

fn in_ruby(node: Node<'_>) -> Option<(String, Skip)> {
    const CROSSED: [&str; 5] = ["xit", "xdescribe", "xcontext", "xspecify", "xexample"];
    let call = node.call()?;
    let name = call.name();
    (CROSSED.contains(&name.as_str()) && call.callee().len() == name.len()).then_some((name, Skip::Bare))
}
