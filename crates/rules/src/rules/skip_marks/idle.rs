//! Tests that stay where they were and are not run, or whose failure nobody sees, though nothing says `skip`.

use super::{Skip, beginning, is_old_test};
use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Node, Notion};

pub(super) fn idle(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    match file.language {
        Language::Rust => panics(node, file),
        Language::Python if node.kind() == "decorator" => by_decorator(node, file),
        Language::Python if node.kind() == "assignment" => by_assignment(node, file),
        _ => None,
    }
}

/// `#[should_panic]` in front of a test that stays as it was and asserts: what failed before passes now.
fn panics(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let attribute = node.child_of(&["attribute"]).filter(|_| node.kind() == "attribute_item")?;
    attribute.bytes().starts_with(b"should_panic").then_some(())?;
    let item = std::iter::successors(node.next_sibling(), Node::next_sibling)
        .take(50)
        .find(|next| !next.is_kind(&["attribute_item", "line_comment", "block_comment"]))?;
    let asserts = memchr::memmem::find(item.bytes(), b"assert").is_some();
    let stays = is_old_test(item, file) && !item.child("body").is_some_and(|body| file.touched(body));
    (asserts && stays).then(|| ("#[should_panic]".to_owned(), Skip::Bare))
}

/// `@pytest.fixture` on what was a test, and `@pytest.mark.parametrize("a", [])`.
fn by_decorator(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let mark = node.named_children().next()?;
    let call = mark.call();
    let name = call.map_or(mark.bytes(), |call| call.callee());
    match name {
        b"pytest.fixture" | b"fixture" => {
            let function = node.parent()?.child("definition").filter(|one| one.is(Notion::Function))?;
            let is_test = function.child("name").is_some_and(|name| name.bytes().starts_with(b"test"));
            let was_there = !file.touched_lines().is_added(function.line());
            let asserts = memchr::memmem::find(function.bytes(), b"assert").is_some();
            (is_test && was_there && asserts).then(|| ("@pytest.fixture".to_owned(), Skip::Bare))
        }
        b"pytest.mark.parametrize" | b"mark.parametrize" => {
            let cases = call?.arguments().nth(1)?;
            let none = matches!(cases.bytes(), b"[]" | b"()" | b"[ ]");
            none.then(|| ("parametrize without a case".to_owned(), Skip::Bare))
        }
        _ => None,
    }
}

/// `__test__ = False` in a class of tests, or in a whole file of them, that was there before. What is to be inherited from
/// says so, too, but is not called as tests are.
fn by_assignment(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let is_off = node.child("left")?.bytes() == b"__test__" && node.child("right")?.bytes() == b"False";
    is_off.then_some(())?;
    let around = node.ancestors().find(|around| around.is(Notion::Type) || around.is(Notion::Function));
    let of_tests = match around {
        None => file.is_test_file() && file.change.old.is_some(),
        Some(class) if class.is(Notion::Type) => {
            let name = class.child("name").map(|name| name.bytes()).unwrap_or_default();
            let named = name.starts_with(b"Test") || name.ends_with(b"Test") || name.ends_with(b"Tests");
            let lent = [&b"Base"[..], b"Mixin", b"Abstract", b"Common", b"Shared"];
            let is_lent = lent.iter().any(|word| memchr::memmem::find(name, word).is_some());
            let holds = memchr::memmem::find(beginning(class), b"def test").is_some();
            named && !is_lent && holds && !file.touched_lines().is_added(class.line())
        }
        Some(_) => false,
    };
    of_tests.then(|| ("__test__ = False".to_owned(), Skip::Bare))
}
