use crate::pattern::Pattern;
use crate::rules::{Trivial, Unit};
use crate::syntax::{Node, Notion};

/// Ways in which a test runs, asserts, and proves nothing. How often each is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shams([usize; 4]);

/// What each makes of a test.
const TOLD: [&str; 4] = [
    "is left early",
    "catches what its assertions raise",
    "has code that never runs",
    "has a condition that is always met",
];

static NOTHING: Pattern =
    Pattern::new(r"^return\s*(?:None|[Tt]rue|[Ff]alse|0|Ok\(\(\)\)|null|nil|undefined|\(\))?\s*;?$");
/// What an `except` of Python has to name to take an assertion; nothing takes everything.
static TAKES_ALL: Pattern = Pattern::new(
    r"^except\s*:|^except\b[^:\n]*\b(?:AssertionError|Exception|BaseException)\b|^(?:catch|rescue|\}?\s*catch)",
);
static NEVER: Pattern =
    Pattern::new(r"^\(?\s*(?:False|false|0|None|not\s+True|!\s*true|null|undefined|nil)\s*\)?$");
static ALWAYS: Pattern = Pattern::new(r"^(?:True|true|1)$");

impl Shams {
    pub(super) fn of(test: &Unit<'_>) -> Shams {
        let mut shams = Shams::default();
        for node in test.node.descendants() {
            if let Some(sham) = sham(node, test.node) {
                shams.0[sham as usize] += 1;
            }
        }
        let met = test.assertions.iter().filter(|one| one.triviality() == Some(Trivial::Constant)).count();
        shams.0[Sham::AlwaysMet as usize] += met;
        shams
    }

    pub(super) fn add(&mut self, other: &Shams) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    /// What there is more of than before.
    pub(super) fn beyond(&self, before: &Shams) -> impl Iterator<Item = &'static str> {
        let more: Vec<bool> = self.0.iter().zip(before.0).map(|(now, was)| *now > was).collect();
        TOLD.into_iter().zip(more).filter(|(_, more)| *more).map(|(told, _)| told)
    }
}

/// In the order of [`TOLD`].
#[derive(Debug, Clone, Copy)]
enum Sham {
    LeftEarly,
    Caught,
    NeverRun,
    AlwaysMet,
}

fn sham(node: Node<'_>, test: Node<'_>) -> Option<Sham> {
    let fits = |pattern: &Pattern, node: Node<'_>| pattern.regex().is_match(short(node.bytes()));
    if node.is(Notion::Return) && fits(&NOTHING, node) && is_of(node, test) {
        return Some(Sham::LeftEarly);
    }
    if node.is(Notion::Catch) && (!node.is_kind(&["except_clause"]) || fits(&TAKES_ALL, node)) {
        return Some(Sham::Caught);
    }
    if let Some(call) = node.call() {
        let name = call.name();
        let suppresses = name == "suppress"
            && call
                .arguments()
                .any(|one| matches!(one.bytes(), b"AssertionError" | b"Exception" | b"BaseException"));
        if suppresses || matches!(name.as_str(), "catch_unwind" | "recover") {
            return Some(Sham::Caught);
        }
    }
    let condition = || node.child("condition");
    if (node.is(Notion::Branch) || node.is(Notion::Loop)) && condition().is_some_and(|one| fits(&NEVER, one))
    {
        return Some(Sham::NeverRun);
    }
    let is_or = || node.children().any(|child| matches!(child.bytes(), b"||" | b"or"));
    let is_met = node.is_logical() && is_or() && node.children().any(|side| fits(&ALWAYS, side));
    is_met.then_some(Sham::AlwaysMet)
}

/// More of a text does not make it one of those words.
fn short(text: &[u8]) -> &[u8] {
    &text[..text.len().min(200)]
}

/// Whether it leaves the test itself, and not a function that is written inside it. A test that is a call runs the
/// function that it is given.
fn is_of(node: Node<'_>, test: Node<'_>) -> bool {
    let between = node.ancestors().take_while(|around| *around != test);
    let functions = between.filter(|around| around.is(Notion::Lambda) || around.is(Notion::Function)).count();
    functions <= usize::from(test.call().is_some())
}
