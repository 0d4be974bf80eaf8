//! Where a file asserts: in its tests, and in the functions they call.

use std::collections::{HashMap, HashSet};

use super::failure::is_typed_failure;
use super::read::Assertion;
use super::strength::Strength;
use crate::language::Language;
use crate::syntax::{self, Call, Function, Node, Notion, Test, Tree, functions};

/// A test, or a function that asserts for tests.
#[derive(Debug, Clone)]
pub(crate) struct Unit<'t> {
    /// With what stands around it, so that two of one name can be told apart.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) node: Node<'t>,
    pub(crate) is_test: bool,
    pub(crate) assertions: Vec<Assertion<'t>>,
    /// Its attributes, decorators or annotations, as text.
    pub(crate) markers: Vec<u8>,
}

/// More functions that assert are not followed.
const MOST_UNITS: usize = 20_000;

/// The tests of a file, and its other functions, which may assert for them. `helpers` are functions that are known to.
pub(crate) fn units<'t>(tree: &'t Tree, helpers: &HashSet<String>) -> Vec<Unit<'t>> {
    let language = tree.table().language();
    let functions: Vec<Function<'_>> =
        functions(tree).into_iter().filter(|function| !function.local).take(MOST_UNITS).collect();
    let mut tests: Vec<Test<'_>> = Vec::new();
    for test in syntax::tests(tree).into_iter().take(MOST_UNITS) {
        // What is inside a test belongs to it.
        if tests.last().is_none_or(|outer| !outer.node.contains(test.node)) {
            tests.push(test);
        }
    }
    let of_tests: HashSet<usize> = tests.iter().map(|test| test.node.range().start).collect();
    let mut units: Vec<Unit<'_>> = Vec::new();
    for test in tests {
        units.push(unit(test.node, test.name, true, language, helpers));
    }
    for function in functions.iter().filter(|function| !of_tests.contains(&function.node.range().start)) {
        units.push(unit(function.node, function.name.clone(), false, language, helpers));
    }
    if language == Language::Rust {
        units.extend(macros(tree).map(|(node, name)| unit(node, name, false, language, helpers)));
    }
    units
}

fn unit<'t>(
    node: Node<'t>,
    name: String,
    is_test: bool,
    language: Language,
    helpers: &HashSet<String>,
) -> Unit<'t> {
    let mut assertions = announced(node);
    assertions.extend(assertions_in(node, language, helpers));
    Unit { key: key(node, &name), markers: markers(node), name, node, is_test, assertions }
}

/// Macros that are defined in a file, or called outside functions: they may write tests.
fn macros(tree: &Tree) -> impl Iterator<Item = (Node<'_>, String)> {
    let all =
        tree.root().descendants().filter(|node| node.is_kind(&["macro_definition", "macro_invocation"]));
    all.filter_map(|node| {
        let is_item = node.ancestors().all(|around| {
            around.is_kind(&["source_file", "mod_item", "declaration_list", "expression_statement"])
        });
        let name = node.child("name").or_else(|| node.child("macro")).filter(|_| is_item)?;
        Some((node, format!("{}!", name.text())))
    })
}

/// The functions of a file that assert for tests, directly or through up to three others of the same file. What the code
/// itself asserts is not meant.
pub(crate) fn asserting(tree: &Tree, in_test: impl Fn(u32) -> bool) -> HashSet<String> {
    let language = tree.table().language();
    let functions: Vec<Function<'_>> = functions(tree)
        .into_iter()
        .filter(|function| in_test(function.name_line()))
        .take(MOST_UNITS)
        .collect();
    let none = HashSet::new();
    let mut found: HashSet<String> = HashSet::new();
    let mut calls: HashMap<&str, HashSet<String>> = HashMap::new();
    for function in functions.iter().filter(|function| !function.is_test) {
        if assertions_in(function.node, language, &none).next().is_some() {
            found.insert(function.name.clone());
        } else {
            let called = function.node.descendants().filter_map(|node| node.call()).map(|call| call.name());
            calls.entry(&function.name).or_default().extend(called);
        }
    }
    for _ in 0..3 {
        let more: Vec<String> = calls
            .iter()
            .filter(|(name, called)| !found.contains(**name) && !called.is_disjoint(&found))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    found
}

/// All assertions inside a node, in the order of the text. One inside another counts only where it is in a function of
/// its own.
pub(crate) fn assertions_in<'t>(
    node: Node<'t>,
    language: Language,
    helpers: &HashSet<String>,
) -> impl Iterator<Item = Assertion<'t>> {
    let mut last: Option<Node<'t>> = None;
    let mut own_name = node.child("name").map(|name| name.text().into_owned());
    if !node.is(Notion::Function) {
        own_name = None;
    }
    node.descendants().filter_map(move |inner| {
        let found = assertion(inner, language, helpers, own_name.as_deref())?;
        let within = last.is_some_and(|last| {
            last.contains(inner)
                && !inner
                    .ancestors()
                    .take_while(|around| *around != last)
                    .any(|around| around.is(Notion::Lambda))
        });
        if within {
            return None;
        }
        last = Some(found.node);
        Some(found)
    })
}

fn assertion<'t>(
    node: Node<'t>,
    language: Language,
    helpers: &HashSet<String>,
    own_name: Option<&str>,
) -> Option<Assertion<'t>> {
    if node.is(Notion::Assertion) {
        return Some(Assertion::read(node));
    }
    if node.is_kind(&["infix_expression"])
        && [&b" should"[..], b" must"]
            .iter()
            .any(|word| memchr::memmem::find(beginning(node.bytes()), word).is_some())
    {
        return Some(Assertion::read_infix(node));
    }
    if language == Language::Rust && node.kind() == "token_tree" {
        return macro_in_tokens(node);
    }
    if language == Language::Kotlin && is_typed_failure(node) {
        return Some(Assertion::read(node));
    }
    let call = node.call()?;
    let name = name_of(&call);
    if is_assertion(&call, &name, language) {
        let read = Assertion::read(whole(node)).announced_by_fail();
        return Some(if language == Language::Go { read.guarded() } else { read });
    }
    let plain = own_name != Some(name.as_str()) && helpers.contains(&name);
    plain.then(|| Assertion::unread(node, Strength::Helper))
}

/// Without the types that are given to it: `check` of `check::<T>`.
pub(crate) fn name_of(call: &Call<'_>) -> String {
    let callee = call.callee();
    let plain = without_types(callee);
    if plain.len() == callee.len() {
        return call.name();
    }
    let plain = String::from_utf8_lossy(plain).into_owned();
    plain.trim_end_matches(':').rsplit([':', '.']).next().unwrap_or_default().to_owned()
}

/// `check` of `check<T>`, and of `check[T]` in Scala.
fn without_types(callee: &[u8]) -> &[u8] {
    let open = match callee.last() {
        Some(b'>') => b'<',
        Some(b']') => b'[',
        _ => return callee,
    };
    callee.split(|byte| *byte == open).next().unwrap_or_default()
}

/// What a macro is given is not read by the grammar: `assert!` inside it is a word, a mark and a group.
fn macro_in_tokens(group: Node<'_>) -> Option<Assertion<'_>> {
    let before = group.previous_sibling()?;
    // A function that says by its name that it asserts: `check.assert_render(...)`.
    if before.kind() == "identifier" && before.bytes().starts_with(b"assert_") {
        return Some(Assertion::unread(group, Strength::Custom));
    }
    let mark = Some(before).filter(|mark| mark.kind() == "!")?;
    let word = mark.previous_sibling().filter(|word| word.kind() == "identifier")?;
    let asserts = memchr::memmem::find(word.bytes(), b"assert").is_some();
    asserts.then(|| Assertion::unread(group, Strength::Custom))
}

/// The call with everything that is chained to it.
fn whole(call: Node<'_>) -> Node<'_> {
    const PARTS: [&str; 9] = [
        "member_expression",
        "field_expression",
        "attribute",
        "selector_expression",
        "navigation_expression",
        "member_access_expression",
        "scoped_identifier",
        "call_suffix",
        "navigation_suffix",
    ];
    let begins = call.range().start;
    let mut top = call;
    for around in call.ancestors().take(40) {
        let chained = around.range().start == begins && (around.is(Notion::Call) || around.is_kind(&PARTS));
        if !chained {
            break;
        }
        top = around;
    }
    top
}

fn is_assertion(call: &Call<'_>, name: &str, language: Language) -> bool {
    let callee = call.callee();
    let word = name.trim_end_matches('!').to_ascii_lowercase();
    let receiver = receiver(callee, name);
    let bare = receiver.is_empty();
    let own = bare || [&b"self"[..], b"this", b"$this", b"Assert", b"assert", b"cls"].contains(&receiver);
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| word.starts_with(beginning));
    match language {
        Language::Rust if call.node.kind() == "macro_invocation" => {
            word.contains("assert") || ["expect", "check", "verify"].contains(&word.as_str())
        }
        // `AssertUnwindSafe` is a type.
        Language::Rust if name.starts_with(char::is_uppercase) => false,
        Language::Rust => {
            begins(&["assert"]) || (bare && begins(&["check_", "verify_", "expect_", "ensure_", "should_"]))
        }
        Language::Python => {
            begins(&["assert", "raises", "warns", "expect"]) && (own || !begins(&["expect"]))
                || (own && begins(&["check_", "verify_", "ensure_", "fail"]))
                || (receiver == b"pytest" && word == "fail")
        }
        Language::JavaScript | Language::TypeScript => is_script_assertion(call, &word, receiver, own),
        Language::Go => is_go_assertion(call, name, receiver),
        Language::Ruby => begins(&["assert", "refute", "must_", "wont_"]) || (bare && word == "expect"),
        Language::C | Language::Cpp => {
            bare && begins(&[
                "assert",
                "expect_",
                "check",
                "require",
                "test_assert",
                "ck_assert",
                "cr_assert",
                "cr_expect",
                "boost_check",
                "boost_require",
                "boost_test",
            ])
        }
        Language::Php => begins(&["assert", "expectexception"]) || (bare && word == "expect"),
        Language::Java | Language::Kotlin | Language::CSharp | Language::Swift | Language::Scala => {
            let statically = [&b"Assert"[..], b"CollectionAssert", b"StringAssert"].contains(&receiver);
            begins(&["assert", "andexpect", "xctassert", "xctfail", "should"])
                || statically
                || (own && begins(&["verify", "expect", "fail", "check", "intercept"]))
                || (call.node.kind() == "macro_invocation" && ["expect", "require"].contains(&word.as_str()))
                || (word == "verify" && [&b"Mockito"[..], b"mock"].contains(&receiver))
                || (receiver == b"Assertions" && word == "fail")
                || (receiver == b"Issue" && word == "record" && language == Language::Swift)
                || (language == Language::CSharp && word.starts_with("verify"))
        }
        _ => false,
    }
}

fn is_script_assertion(call: &Call<'_>, word: &str, receiver: &[u8], own: bool) -> bool {
    let root =
        receiver.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next().unwrap_or_default();
    match root {
        b"expect" => {
            receiver == b"expect.soft" || (receiver == b"expect" && ["soft", "poll"].contains(&word))
        }
        b"assert" | b"should" => true,
        b"t" => receiver == b"t" && super::SCRIPT_CHECKS.contains(&word),
        _ => {
            let chained = receiver.ends_with(b")") && ["expect", "should"].contains(&word);
            let spelled = memchr::memmem::find(ending(call.callee()), b".should.").is_some();
            let named = ["assert", "expect", "verify"].iter().any(|beginning| word.starts_with(beginning));
            chained
                || spelled
                || (named && (own || receiver == b"sinon.assert"))
                || (own && word.starts_with("check"))
        }
    }
}

fn is_go_assertion(call: &Call<'_>, name: &str, receiver: &[u8]) -> bool {
    const PACKAGES: [&[u8]; 9] =
        [b"assert", b"require", b"is", b"qt", b"must", b"check", b"gomega", b"snaps", b"approvals"];
    let given = call.arguments().count();
    match name {
        "Fail" | "FailNow" => !receiver.is_empty() && given == 0,
        "Error" | "Errorf" | "Fatal" | "Fatalf" => {
            given > 0 && receiver.len() <= 3 && ![&b"log"[..], b"fmt"].contains(&receiver)
        }
        "Expect" | "Eventually" | "Consistently" | "Ω" | "So" => {
            receiver.is_empty() || receiver == b"gomega"
        }
        _ if PACKAGES.contains(&receiver) => true,
        _ => {
            let word = name.to_ascii_lowercase();
            let begins = ["assert", "check", "verify", "expect", "require", "must"]
                .iter()
                .any(|beginning| word.starts_with(beginning));
            let first = call.arguments().next();
            begins && first.is_some_and(|first| [&b"t"[..], b"tb", b"b"].contains(&first.bytes()))
        }
    }
}

/// As much of a text as is looked through for a word: trees may be deep, and each level holds all that is below.
const MOST_SEARCHED: usize = 400;

fn beginning(text: &[u8]) -> &[u8] {
    &text[..text.len().min(MOST_SEARCHED)]
}

fn ending(text: &[u8]) -> &[u8] {
    &text[text.len().saturating_sub(MOST_SEARCHED)..]
}

/// What stands in front of the name, without the dot.
pub(crate) fn receiver<'c>(callee: &'c [u8], name: &str) -> &'c [u8] {
    let callee = without_types(callee);
    let callee = callee.strip_suffix(b"::").unwrap_or(callee);
    let end = callee.len().saturating_sub(name.len());
    let before = &callee[..end];
    let joints = before.iter().rev().take_while(|byte| b".:->?!&".contains(byte)).count();
    before[..before.len() - joints].trim_ascii()
}

/// The test's name behind the names and titles of what stands around it.
pub(crate) fn key(node: Node<'_>, name: &str) -> String {
    let mut around: Vec<String> = Vec::new();
    for outer in node.ancestors() {
        if outer.is(Notion::Type) || outer.is(Notion::Module) {
            around.extend(outer.child("name").map(|name| name.text().into_owned()));
        } else if let Some(title) = outer.call().and_then(|call| call.arguments().next()) {
            let quoted =
                title.is(Notion::String).then(|| title.text().trim_matches(['"', '\'', '`']).to_owned());
            around.extend(quoted);
        }
        if around.len() == MOST_AROUND {
            break;
        }
    }
    around.reverse();
    around.push(name.to_owned());
    around.iter().map(|part| part.chars().take(200).collect::<String>()).collect::<Vec<_>>().join(" > ")
}

const MOST_AROUND: usize = 12;

/// Attributes stand before an item in Rust, around it in Python, and in it elsewhere.
pub(crate) fn marker_nodes(node: Node<'_>) -> Vec<Node<'_>> {
    const INSIDE: [&str; 5] = ["modifiers", "attribute_list", "annotation", "decorator", "attribute"];
    let before = std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take(50)
        .take_while(|before| before.is_kind(&["attribute_item", "line_comment", "block_comment"]))
        .filter(|before| before.kind() == "attribute_item");
    let around = node.parent().filter(|parent| parent.kind() == "decorated_definition");
    let decorators =
        around.into_iter().flat_map(|around| around.children()).filter(|child| child.kind() == "decorator");
    let inside = node.children().filter(|child| child.is_kind(&INSIDE));
    before.chain(decorators).chain(inside).collect()
}

fn markers(node: Node<'_>) -> Vec<u8> {
    marker_nodes(node).into_iter().flat_map(|marker| marker.bytes().to_vec()).collect()
}

/// The failure that a marker says the test has to end in.
fn announced(node: Node<'_>) -> Vec<Assertion<'_>> {
    let holds = |text: &[u8], what: &[u8]| memchr::memmem::find(text, what).is_some();
    let mut found = Vec::new();
    for marker in marker_nodes(node) {
        let text = marker.bytes();
        if holds(text, b"should_panic") {
            let named = holds(text, b"expected");
            found.push(Assertion::unread(
                marker,
                if named { Strength::Failure } else { Strength::AnyFailure },
            ));
        } else if marker.kind() == "modifiers" && holds(text, b"expected") && holds(text, b".class") {
            let any = holds(text, b"=Exception.class")
                || holds(text, b"= Exception.class")
                || holds(text, b"Throwable.class");
            found.push(Assertion::unread(marker, if any { Strength::AnyFailure } else { Strength::Failure }));
        }
    }
    found
}
