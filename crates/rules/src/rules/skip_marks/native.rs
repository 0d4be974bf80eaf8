//! Go, C and C++.

use super::super::words::words;
use super::{Skip, Tests, by_reason, has_text, is_unconditional};
use crate::context::FileContext;
use crate::syntax::{Node, Notion};

/// In a block of its own it is skipped under some condition only.
pub(super) fn in_go(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    if node.is(Notion::Comment) {
        return by_build_tag(node, file);
    }
    let call = node.call()?;
    let callee = std::str::from_utf8(call.callee()).ok()?;
    let (receiver, method) = callee.split_once('.')?;
    let skips = ["t", "b", "tb"].contains(&receiver) && ["Skip", "Skipf", "SkipNow"].contains(&method);
    let function = node.ancestors().find(|around| {
        around.is(Notion::Lambda) || around.is_kind(&["function_declaration", "method_declaration"])
    })?;
    (skips && is_unconditional(node, function)).then_some(())?;
    by_reason(callee, call.argument_list().is_some_and(has_text))
}

/// `//go:build never` in front of a file of tests. What names a platform is a condition like any other; a tag that the file
/// did not need before keeps its tests from the usual run.
fn by_build_tag(comment: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    const NEVER: [&[u8]; 6] = [b"never", b"ignore", b"none", b"disabled", b"skip", b"false"];
    let condition = comment.bytes().strip_prefix(b"//go:build ")?.trim_ascii();
    (file.is_test_file() && comment.ancestors().count() == 1).then_some(())?;
    let name = format!("//go:build {}", String::from_utf8_lossy(condition));
    if NEVER.contains(&condition) {
        return Some((name, Skip::Bare));
    }
    let was_tagged = |line: &[u8]| line.starts_with(b"//go:build") || line.starts_with(b"// +build");
    let base = file.base()?;
    let tagged = base.text().split(|byte| *byte == b'\n').take(MOST_HEADER).any(was_tagged);
    (!tagged && asks_for_tag(condition)).then_some((name, Skip::Conditional))
}

/// Whether a condition holds only for who gives a tag that is not about where it is built.
fn asks_for_tag(condition: &[u8]) -> bool {
    let excludes = !condition.contains(&b'!') && memchr::memmem::find(condition, b"||").is_none();
    excludes && words(condition).any(|tag| !is_platform(tag))
}

/// Whether a line keeps a file from the usual build, in the old way of writing it or the new one.
pub(super) fn narrows(line: &[u8]) -> bool {
    let condition =
        [&b"//go:build "[..], b"// +build ", b"//+build "].iter().find_map(|mark| line.strip_prefix(*mark));
    condition.is_some_and(asks_for_tag)
}

/// So many lines may stand in front of what a file begins with.
const MOST_HEADER: usize = 50;

fn is_platform(tag: &[u8]) -> bool {
    const PLATFORMS: [&[u8]; 30] = [
        b"linux",
        b"windows",
        b"darwin",
        b"unix",
        b"freebsd",
        b"openbsd",
        b"netbsd",
        b"dragonfly",
        b"solaris",
        b"illumos",
        b"aix",
        b"plan9",
        b"android",
        b"ios",
        b"js",
        b"wasip1",
        b"wasm",
        b"amd64",
        b"arm64",
        b"arm",
        b"ppc64",
        b"ppc64le",
        b"mips",
        b"mips64",
        b"riscv64",
        b"loong64",
        b"s390x",
        b"cgo",
        b"race",
        b"gc",
    ];
    PLATFORMS.contains(&tag) || tag == b"386" || tag.starts_with(b"go1") || tag.iter().all(u8::is_ascii_digit)
}

/// `TEST(Cart, DISABLED_Adds)`, `GTEST_SKIP()`, `TEST_CASE("adds", "[.]")`, `TEST_IGNORE()`, `skip()`.
pub(super) fn in_c<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    const LEAVING: [&str; 6] =
        ["GTEST_SKIP", "SKIP", "TEST_IGNORE", "TEST_IGNORE_MESSAGE", "skip", "TEST_PASS"];
    if node.kind() == "function_declarator" {
        let opens = node.child("declarator").is_some_and(|name| name.bytes().starts_with(b"TEST"));
        let mut words = node.child("parameters").filter(|_| opens)?.named_children();
        let off = words.any(|word| word.bytes().starts_with(b"DISABLED_"));
        return off.then(|| ("DISABLED_".to_owned(), Skip::Bare));
    }
    let call = node.call()?;
    let name = call.name();
    if name == "TEST_CASE" || name == "SCENARIO" {
        let tags = call.arguments().nth(1)?;
        let hidden = memchr::memmem::find(tags.bytes(), b"[.").is_some();
        return hidden.then(|| (tags.text().into_owned(), Skip::Bare));
    }
    let statement = node.ancestors().find(|around| around.kind() == "expression_statement")?;
    let bare = call.callee().len() == name.len();
    (bare && LEAVING.contains(&name.as_str()) && tests.left_by(statement)).then_some(())?;
    by_reason(name, has_text(statement))
}
