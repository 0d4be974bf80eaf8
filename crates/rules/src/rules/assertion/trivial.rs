//! Assertions that hold whatever the code does.

use super::read::Assertion;
use super::scan::{Link, either, in_brackets, is_literal, links, listed};
use super::strength::Strength;
use crate::language::Language;

/// Why an assertion proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trivial {
    /// It speaks of constants only, or of something that is never otherwise.
    Constant,
    /// It compares a value with itself.
    Itself,
    /// It works out the same twice, and compares that: unless it is about giving the same answer again, it says nothing.
    Again,
    /// It is given something and asks nothing of it.
    Unasked,
}

/// What an assertion wants of the one thing that it examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    True,
    False,
    Something,
    Nothing,
}

impl Assertion<'_> {
    pub(crate) fn triviality(&self) -> Option<Trivial> {
        let wanted = self.asks.last().and_then(|word| wanted(word));
        if self.is_about_a_list() || self.is_met_anyway() && wanted != Some(Wanted::False) {
            return Some(Trivial::Constant);
        }
        if self.asks_nothing() {
            return Some(Trivial::Unasked);
        }
        if self.is_about_type_of_literal() {
            return Some(Trivial::Constant);
        }
        match (self.strength, self.operands.as_slice()) {
            (Strength::Exact | Strength::Close(_), [one, other])
                if is_sum(one) && is_literal(other) && !is_literal(one) =>
            {
                Some(Trivial::Constant)
            }
            (Strength::Exact | Strength::Close(_), [one, other, ..])
                if one == other && self.compares() && wanted != Some(Wanted::False) =>
            {
                if is_literal(one) {
                    return Some(Trivial::Constant);
                }
                if is_plain(one) {
                    return Some(Trivial::Itself);
                }
                let language = self.node.tree().table().language();
                (is_worked_out(one, language) && !self.asks_for_identity()).then_some(Trivial::Again)
            }
            (Strength::Exact | Strength::Presence, [one]) => {
                let wanted = wanted?;
                (is_literal(one) && self.is_all_that_is_given(one) && meets(one, wanted))
                    .then_some(Trivial::Constant)
            }
            (Strength::Order, [one, other, ..]) => {
                (self.asks_for_at_least() && is_count(one) && other == b"0").then_some(Trivial::Constant)
            }
            _ => None,
        }
    }

    /// Whether its operands are two sides, and not what a replacement was called with or a list holds.
    fn compares(&self) -> bool {
        const OTHERS: [&str; 4] = ["called", "contains", "snapshot", "exactly"];
        !self.asks.iter().any(|word| OTHERS.iter().any(|other| word.contains(other)))
    }

    /// `assert (x == 3, "message")` of Python is about a tuple, which is always true.
    fn is_about_a_list(&self) -> bool {
        let condition = self.node.bytes().strip_prefix(b"assert").map(<[u8]>::trim_ascii);
        self.node.is_kind(&["assert_statement"])
            && condition.and_then(in_brackets).is_some_and(|inside| listed(inside).len() > 1)
    }

    /// `expect(x);` and `expect(x).toBeDefined;` of JavaScript.
    fn asks_nothing(&self) -> bool {
        let language = self.node.tree().table().language();
        let is_script = matches!(language, Language::JavaScript | Language::TypeScript);
        let is_statement = self.node.parent().is_some_and(|around| around.kind() == "expression_statement");
        if !is_script || !is_statement || !self.node.bytes().starts_with(b"expect(") {
            return false;
        }
        let is_matcher = |word: &[u8]| {
            word.strip_prefix(b"to").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase))
        };
        match links(self.node.bytes()).as_slice() {
            [only] => only.given.is_some(),
            [_, .., last] => last.given.is_none() && is_matcher(last.word),
            [] => false,
        }
    }

    /// `assert isinstance("x", str)` of Python.
    fn is_about_type_of_literal(&self) -> bool {
        let asked =
            self.text.strip_prefix(b"assertisinstance").filter(|_| self.node.is_kind(&["assert_statement"]));
        let given = asked.and_then(in_brackets).map(listed).unwrap_or_default();
        given.first().is_some_and(|first| is_literal(first))
    }

    /// `x == 3 or True`.
    fn is_met_anyway(&self) -> bool {
        let text = self.node.bytes();
        let conditions: Vec<&[u8]> = if self.node.is_kind(&["assert_statement"]) {
            vec![text.strip_prefix(b"assert").unwrap_or(text)]
        } else {
            links(text).iter().filter_map(|link| link.given).take(1).collect()
        };
        let first = conditions.first().and_then(|condition| listed(condition).first().copied());
        first.is_some_and(|first| either(first).any(|side| matches!(side, b"true" | b"True")))
            && self.strength == Strength::Presence
    }

    /// JUnit's old assertions begin with a message: a text beside something else says nothing of it.
    fn is_all_that_is_given(&self, operand: &[u8]) -> bool {
        if !operand.starts_with(b"\"") || self.node.is_kind(&["assert_statement"]) {
            return true;
        }
        let links = links(self.node.bytes());
        // `command("list").assert()` is about what the call gave, whatever that was given.
        let asks_what_it_got = |link: &Link<'_>| {
            link.word == b"assert" && link.given.is_some_and(|given| given.trim_ascii().is_empty())
        };
        if links.iter().skip(1).any(asks_what_it_got) {
            return false;
        }
        links.iter().filter_map(|link| link.given).map(|given| listed(given).len()).sum::<usize>() == 1
    }

    /// Whether two calls are to give the very same object, as those of a cache do; or whether it holds for any input.
    fn asks_for_identity(&self) -> bool {
        const WORDS: [&str; 4] = ["same", "identical", "assertis", "prop_assert"];
        self.asks.iter().any(|word| WORDS.iter().any(|other| word.contains(other)))
            || memchr::memmem::find(self.node.bytes(), b" is ").is_some()
    }

    fn asks_for_at_least(&self) -> bool {
        const WORDS: [&str; 6] = [
            "tobegreaterthanorequal",
            "assertgreaterequal",
            "isgreaterthanorequalto",
            "greaterorequal",
            "assertgreaterthanorequal",
            "assert_ge",
        ];
        self.asks.iter().any(|word| WORDS.contains(&word.as_str()))
            || memchr::memmem::find(&self.text, b">=0").is_some()
    }
}

/// `1+1`: numbers and what reckons with them.
fn is_sum(operand: &[u8]) -> bool {
    operand.first().is_some_and(u8::is_ascii_digit)
        && operand.iter().all(|byte| byte.is_ascii_digit() || b"+-*/%.()_".contains(byte))
}

/// What the last word of an assertion with one operand wants of it.
fn wanted(word: &str) -> Option<Wanted> {
    Some(match word {
        "assert" | "asserttrue" | "tobetruthy" | "ok" | "true" | "istrue" | "assert_true" | "expect_true"
        | "betrue" | "be_truthy" | "truthy" | "check" | "require" | "xctassert" | "xctasserttrue"
        | "prop_assert" | "debug_assert" | "shouldbetrue" | "tobetrue" | "test_assert_true"
        | "test_assert" | "ck_assert" | "cr_assert" => Wanted::True,
        "assertfalse" | "tobefalsy" | "false" | "isfalse" | "assert_false" | "expect_false" | "refute"
        | "tobefalse" | "test_assert_false" | "befalse" | "be_falsey" | "falsy" | "xctassertfalse" => {
            Wanted::False
        }
        "assertnotnull" | "isnotnull" | "tobedefined" | "notnil" | "notnull" | "assertisnotnone"
        | "xctassertnotnil" | "assert_not_nil" | "refute_nil" | "isnotnil" | "exist" => Wanted::Something,
        "assertnull" | "isnull" | "tobenull" | "assertisnone" | "nil" | "benull" | "be_nil"
        | "assert_nil" | "xctassertnil" => Wanted::Nothing,
        _ => return None,
    })
}

/// Whether a literal is what is wanted of it. One that is not makes the test fail, and is meant to.
fn meets(literal: &[u8], wanted: Wanted) -> bool {
    const NOTHING: [&[u8]; 6] = [b"None", b"null", b"nil", b"undefined", b"nullptr", b"NULL"];
    const FALSE: [&[u8]; 7] = [b"false", b"False", b"0", b"\"\"", b"''", b"[]", b"{}"];
    let (is_nothing, is_false) = (NOTHING.contains(&literal), FALSE.contains(&literal));
    match wanted {
        Wanted::True => !is_nothing && !is_false,
        Wanted::False => matches!(literal, b"false" | b"False"),
        Wanted::Something => !is_nothing,
        Wanted::Nothing => is_nothing,
    }
}

/// How many there are, which is never less than none.
fn is_count(operand: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 5] = [b".len()", b".length", b".size()", b".count()", b".length()"];
    ENDINGS.iter().any(|ending| operand.ends_with(ending))
        || operand.strip_prefix(b"len(").is_some_and(|rest| rest.ends_with(b")"))
}

/// What is reckoned from names, or a call that is given something and gives an answer. Two things that are made alike may be
/// compared for the sake of comparing, and what changes with every call or is kept may give two answers.
fn is_worked_out(operand: &[u8], language: Language) -> bool {
    #[rustfmt::skip]
    const OTHERS: [&str; 48] = [
        "new", "make", "create", "build", "of", "from", "with", "value", "get", "find", "lookup", "instance",
        "intern", "load", "open", "register", "next", "pop", "shift", "poll", "recv", "read", "rand", "gen",
        "uuid", "now", "time", "push", "insert", "incr", "remove", "delete", "acquire", "id", "hash", "key",
        "digest", "seed", "cache", "memo", "parse", "default", "clone", "copy", "fetch", "take", "some", "ok",
    ];
    let is_reckoned = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.[]+-*/%".contains(byte);
    let begins = operand.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    if !begins || operand.iter().any(|byte| b"{}|<>=".contains(byte)) {
        return false;
    }
    if operand.iter().all(is_reckoned) {
        return operand.iter().any(|byte| b"+-*/%[".contains(byte));
    }
    let links = links(operand);
    let called: Vec<&Link<'_>> = links.iter().filter(|link| link.given.is_some()).collect();
    let is_other = |link: &&Link<'_>| {
        let word = String::from_utf8_lossy(link.word).to_ascii_lowercase();
        OTHERS.iter().any(|other| word.starts_with(other) || word.ends_with(&format!("_{other}")))
    };
    // Elsewhere a call with a capital makes something.
    let capital = matches!(language, Language::CSharp | Language::Go);
    let makes =
        called.last().is_some_and(|last| !capital && last.word.first().is_some_and(u8::is_ascii_uppercase));
    operand.ends_with(b")")
        && called.iter().any(|link| link.given.is_some_and(|given| !given.is_empty()))
        && !makes
        && !called.iter().any(is_other)
}

/// A name or a path of names: calling a function twice may well give two answers.
fn is_plain(operand: &[u8]) -> bool {
    let operand = operand.strip_prefix(b"$").unwrap_or(operand);
    operand.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && operand.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte))
}
