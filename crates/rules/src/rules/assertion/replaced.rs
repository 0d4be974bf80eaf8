//! Assertions whose subject is gone with reason: a step of the test that the framework takes now.

use super::find::Unit;
use super::read::Assertion;
use crate::syntax::{Node, Notion};

/// What sets a test up and clears up behind it.
const STEPS: [&[u8]; 16] = [
    b"RemoveAll(",
    b"os.Remove(",
    b"MkdirTemp(",
    b"TempDir(",
    b"TempFile(",
    b"CreateTemp(",
    b"os.Setenv(",
    b"os.Unsetenv(",
    b"os.Chdir(",
    b"os.Getwd(",
    b"rmtree(",
    b"mkdtemp(",
    b"createTempDirectory(",
    b"deleteRecursively(",
    b"rmSync(",
    b"unlinkSync(",
];

/// What takes such a step in a test by itself.
const FIXTURES: [&[u8]; 9] = [
    b".TempDir()",
    b".Setenv(",
    b".Chdir(",
    b".Cleanup(",
    b"tmp_path",
    b"monkeypatch",
    b"@TempDir",
    b"TemporaryDirectory",
    b"onTestFinished",
];

/// How many assertions of the same words asked that a step of setting up or clearing up succeeds, where a fixture that the test
/// uses now does that.
pub(super) fn left_to_fixture(was: &Assertion<'_>, before: &Unit<'_>, after: &Unit<'_>) -> usize {
    let has =
        |text: &[u8], words: &[&[u8]]| words.iter().any(|word| memchr::memmem::find(text, word).is_some());
    let uses = |unit: &Unit<'_>| {
        let text = unit.node.bytes();
        FIXTURES.iter().filter(|word| memchr::memmem::find(text, word).is_some()).count()
    };
    if uses(after) <= uses(before) {
        return 0;
    }
    let same = before.assertions.iter().filter(|one| one.text == was.text);
    same.filter(|one| steps_before(one).iter().any(|step| has(step.bytes(), &STEPS))).count()
}

/// The assertion, the condition that it stands in, and the statement in front if that gives the error that it is about.
fn steps_before<'t>(was: &Assertion<'t>) -> Vec<Node<'t>> {
    let inside = |node: &Node<'_>| !node.is(Notion::Function) && !node.is(Notion::Lambda);
    let mut around = was.node.ancestors().take(5).take_while(inside);
    let statement = around.find(|node| node.is_kind(&["if_statement", "expression_statement"]));
    let guard = around.find(|node| node.kind() == "if_statement");
    let statement = guard.or(statement);
    let given = statement.and_then(|statement| statement.child("initializer"));
    let before = || {
        let names_error = |node: &Node<'_>| memchr::memmem::find(node.bytes(), b"err").is_some();
        let statement = statement.filter(|_| memchr::memmem::find(&was.text, b"err").is_some())?;
        statement.previous_sibling().filter(names_error)
    };
    [Some(was.node), given.or_else(before)].into_iter().flatten().collect()
}
