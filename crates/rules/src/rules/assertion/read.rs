//! What an assertion asks for: of what, and how strictly.

use super::failure::thrown;
use super::scan::{Comparison, Link, compared, in_brackets, is_literal, links, listed, normalised};
use super::strength::{Strength, number, strength_of, tolerance};
use crate::pattern::Pattern;
use crate::syntax::Node;

#[derive(Debug, Clone)]
pub(crate) struct Assertion<'t> {
    /// All of it, with what is chained to it.
    pub(crate) node: Node<'t>,
    /// As formatters leave it.
    pub(crate) text: Vec<u8>,
    /// What is compared or examined, as formatters leave it.
    pub(crate) operands: Vec<Vec<u8>>,
    pub(crate) strength: Strength,
    /// The words that ask for something, in order.
    pub(crate) asks: Vec<String>,
}

/// Of longer assertions only the beginning is read.
const LONGEST: usize = 8 * 1024;

impl<'t> Assertion<'t> {
    pub(crate) fn read(node: Node<'t>) -> Self {
        let with_brackets = bare_call(node);
        let bytes = with_brackets.as_deref().unwrap_or_else(|| shown(node));
        let statement = node.is_kind(&["assert_statement"]);
        let (strength, operands, asks) = if statement {
            let condition = bytes.strip_prefix(b"assert").unwrap_or(bytes).trim_ascii();
            let condition = condition.strip_suffix(b";").unwrap_or(condition);
            let first = listed(condition).first().copied().unwrap_or_default();
            let (strength, operands) = of_condition(first);
            (strength, operands, vec!["assert".to_owned()])
        } else if let Some(at) = memchr::memmem::find(bytes, FLUENT) {
            // `x.Should().Be(3)`
            let (strength, operands, asks) = of_chain(&links(&bytes[at..]));
            (strength, owned(&[&bytes[..at]]).into_iter().chain(operands).collect(), asks)
        } else {
            of_chain(&links(bytes))
        };
        // `x.shouldNotBeNull()`: what is examined stands in front.
        let in_front = asks.last().is_some_and(|word| word.starts_with("should"));
        let operands = match memchr::memmem::rfind(bytes, b".should").filter(|_| in_front) {
            Some(at) => owned(&[&bytes[..at]]).into_iter().chain(operands).collect(),
            None => operands,
        };
        let strength = match tolerance(bytes) {
            Some(tolerance) if matches!(strength, Strength::Exact | Strength::Close(_)) => {
                Strength::Close(Some(tolerance))
            }
            _ => strength,
        };
        let mut text = normalised(shown(node));
        if is_awaited(node) {
            text.splice(..0, *AWAITED);
        }
        Assertion { node, text, operands, strength, asks }
    }

    /// `a shouldBe b`: what it asks for stands between what is examined and what is expected.
    pub(crate) fn read_infix(node: Node<'t>) -> Self {
        let mut parts = node.named_children();
        let (Some(left), Some(word), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
            return Assertion::unread(node, Strength::Custom);
        };
        let right = shown(right);
        let word = word.text().to_ascii_lowercase();
        // `a should not be empty` is one inside another.
        if let Some(examined) = denied(left) {
            let operands = owned(&[shown(examined)]).into_iter().chain(owned(&[right])).collect();
            return Assertion { operands, asks: vec![word], ..Assertion::unread(node, Strength::Order) };
        }
        let (strength, expected) = match word.as_str() {
            "should" | "must" | "shouldnot" | "mustnot" => {
                let (strength, operands, _) = of_chain(&links(right));
                (if word.ends_with("not") { Strength::Order } else { strength }, operands)
            }
            _ => (strength_of(&word).unwrap_or(Strength::Custom), owned(&[unwrapped(right)])),
        };
        let strength = match tolerance(right) {
            Some(tolerance) if strength == Strength::Exact => Strength::Close(Some(tolerance)),
            _ => strength,
        };
        let operands = owned(&[shown(left)]).into_iter().chain(expected).collect();
        Assertion { operands, asks: vec![word], ..Assertion::unread(node, strength) }
    }

    /// One of which nothing but its text is known.
    pub(crate) fn unread(node: Node<'t>, strength: Strength) -> Self {
        let text = normalised(shown(node));
        Assertion { node, text, operands: Vec::new(), strength, asks: Vec::new() }
    }
}

/// What is examined by `a should not`, of which something else says what it should not.
fn denied(node: Node<'_>) -> Option<Node<'_>> {
    let mut parts = node.named_children().filter(|_| node.kind() == "infix_expression");
    let (examined, word, not) = (parts.next()?, parts.next()?, parts.next()?);
    (matches!(word.bytes(), b"should" | b"must") && not.bytes() == b"not").then_some(examined)
}

/// What stands in front of the text of an assertion about a promise for whose end somebody waits.
pub(super) const AWAITED: &[u8; 6] = b"await ";

/// Whether an assertion is about a promise, and somebody waits for its end: by itself it is a statement that nobody looks at.
fn is_awaited(node: Node<'_>) -> bool {
    let settles = [&b".rejects."[..], b".resolves."];
    settles.iter().any(|word| memchr::memmem::find(shown(node), word).is_some())
        && node.parent().is_some_and(|around| around.kind() != "expression_statement")
}

fn shown(node: Node<'_>) -> &[u8] {
    let bytes = node.bytes();
    &bytes[..bytes.len().min(LONGEST)]
}

/// How what is examined is followed by what is asked of it in C#.
const FLUENT: &[u8] = b".Should().";

/// `assert_equal 3, x` of Ruby as if it had its parentheses, and `eq 3` in `expect(x).to eq 3`.
fn bare_call(node: Node<'_>) -> Option<Vec<u8>> {
    if let Some((matcher, list)) = bare_matcher(node) {
        let start = node.range().start;
        let before = node.bytes().get(..list.range().start.checked_sub(start)?)?;
        return Some([&before[..before.len().min(LONGEST)], b"(", shown(list), b")"].concat())
            .filter(|_| matcher.range().end == node.range().end);
    }
    let call =
        node.call().filter(|call| node.kind() == "call" && call.name().len() == call.callee().len())?;
    let list = call.argument_list().filter(|list| !list.bytes().starts_with(b"("))?;
    Some([call.callee(), b"(", shown(list), b")"].concat())
}

/// What `to` of RSpec is given without parentheses, and what that is given without any.
fn bare_matcher(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let outer = node
        .call()
        .filter(|call| node.kind() == "call" && ["to", "not_to", "to_not"].contains(&call.name().as_str()))?;
    let matcher = outer.arguments().next()?;
    let list = matcher.call()?.argument_list()?;
    (!list.bytes().starts_with(b"(") && list.is_kind(&["argument_list"])).then_some((matcher, list))
}

/// What is asked for, of what, and the words that do it.
type Asked = (Strength, Vec<Vec<u8>>, Vec<String>);

/// `Assert.That(x, Is.EqualTo(3))` and `assertThat(x, is(3))`: what is asked for stands in the second place.
fn of_matcher(word: &str, given: &[&[u8]]) -> Option<Asked> {
    const OPENERS: [&str; 5] = ["is", "has", "does", "throws", "contains"];
    let [examined, matcher, ..] = given else { return None };
    if !["that", "assertthat"].contains(&word) || is_literal(matcher) {
        return None;
    }
    let links = links(matcher);
    let opens = links.first().is_some_and(|link| {
        let word = String::from_utf8_lossy(link.word).to_ascii_lowercase();
        link.given.is_none() && OPENERS.contains(&word.as_str())
    });
    let (strength, operands, asks) = of_chain(links.get(usize::from(opens)..)?);
    let operands = owned(&[examined]).into_iter().chain(operands).collect();
    (!asks.is_empty()).then_some((strength, operands, asks))
}

fn of_chain(links: &[Link<'_>]) -> Asked {
    let words: Vec<String> =
        links.iter().map(|link| String::from_utf8_lossy(link.word).to_ascii_lowercase()).collect();
    let negated =
        words.iter().any(|word| ["not", "tonot", "to_not", "not_to", "isnot"].contains(&word.as_str()));
    let known = words.iter().enumerate().rev().find_map(|(at, word)| Some((at, strength_of(word)?)));
    let given: Vec<&[u8]> = links
        .iter()
        .filter_map(|link| link.given)
        .flat_map(listed)
        .map(unwrapped)
        .filter(|argument| !matches!(*argument, b"t" | b"self" | b"this"))
        .collect();
    if let Some(read) = words.last().and_then(|word| of_matcher(word, &given)) {
        return read;
    }
    let typed: Vec<&[u8]> = links.iter().filter_map(|link| link.typed).collect();
    let asks: Vec<String> = words.iter().filter(|word| strength_of(word).is_some()).cloned().collect();
    if let (["expect" | "require", ..], Some(kind)) =
        (words.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), thrown(&given))
    {
        return (kind, Vec::new(), vec!["throws".to_owned()]);
    }
    // `#expect(x == 3)` of Swift; and of `assertThat(x)`, to which nothing is chained, nothing is asked.
    if let (["expect" | "assertthat"], Some(first)) =
        (words.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), given.first())
    {
        let (strength, operands) = of_condition(first);
        return (strength, operands, vec!["assert".to_owned()]);
    }
    let Some((at, strength)) = known else {
        return (Strength::Custom, owned(&given), asks);
    };
    // `.be(3)` and `.be.true` are not the same thing.
    let is_last_given =
        links.get(at).is_some_and(|link| link.given.is_some_and(|given| !given.trim_ascii().is_empty()));
    let strength = match strength {
        Strength::Exact if !is_last_given && ["be", "is"].contains(&words[at].as_str()) => Strength::Presence,
        Strength::Exact | Strength::Part if negated => Strength::Order,
        // All that is asked for is that it comes back.
        Strength::Failure | Strength::AnyFailure if negated => Strength::Presence,
        Strength::Exact if given.last().is_some_and(|last| is_open(last)) => Strength::Part,
        Strength::Exact if given.last().is_some_and(|last| is_anything(last)) => Strength::Presence,
        // What fails stands in a block of its own, which says nothing of how.
        Strength::Failure if words[at] == "raise_error" && !is_last_given => Strength::AnyFailure,
        Strength::Failure if is_any_failure(&how_it_fails(links, &words, &given), &typed) => {
            Strength::AnyFailure
        }
        // How far off it may be stands behind the two that are compared.
        Strength::Close(None) if IN_THIRD_PLACE.contains(&words[at].as_str()) => {
            Strength::Close(given.get(2).and_then(|limit| number(limit)))
        }
        // How far off it is, held against how far it may be.
        Strength::Order
            if words[at].contains("less") && given.first().is_some_and(|first| is_distance(first)) =>
        {
            Strength::Close(given.last().and_then(|limit| number(limit)))
        }
        strength => strength,
    };
    // JUnit 4 has its message in front.
    let is_said = |argument: &&&[u8]| !is_literal(argument);
    if strength == Strength::Presence
        && let Some(first) = given.iter().find(is_said).or(given.first())
    {
        let (inner, operands) = of_condition(first);
        return (inner, operands, asks);
    }
    (strength, owned(&given), asks)
}

/// Words that are given how far off a value may be behind the two that they compare. Others are given digits there.
const IN_THIRD_PLACE: [&str; 8] = [
    "indelta",
    "inepsilon",
    "assert_in_delta",
    "expect_near",
    "assert_near",
    "assertequalswithdelta",
    "closeto",
    "approximately",
];

/// What is said of the failure: of `expect(f).toThrow(E)` only what stands behind what fails.
fn how_it_fails<'t>(links: &[Link<'t>], words: &[String], given: &[&'t [u8]]) -> Vec<&'t [u8]> {
    let expects = words.first().is_some_and(|word| word == "expect");
    match expects && links.first().is_some_and(|link| link.given.is_some()) {
        true => links.iter().skip(1).filter_map(|link| link.given).flat_map(listed).collect(),
        false => given.to_vec(),
    }
}

/// What equals everything, or everything of its type.
fn is_anything(argument: &[u8]) -> bool {
    const ANYTHING: [&[u8]; 6] =
        [b"expect.anything(", b"expect.any(", b"mock.ANY", b"ANY", b"Mockito.any(", b"any("];
    ANYTHING
        .iter()
        .any(|word| argument.starts_with(word) && (word.ends_with(b"(") || argument.len() == word.len()))
}

/// What a value only has to hold some of.
fn is_open(argument: &[u8]) -> bool {
    const OPEN: [&[u8]; 6] = [
        b"expect.arrayContaining(",
        b"expect.objectContaining(",
        b"expect.stringContaining(",
        b"expect.stringMatching(",
        b"sinon.match",
        b"jasmine.objectContaining(",
    ];
    OPEN.iter().any(|word| argument.starts_with(word))
}

/// Hamcrest and its like wrap the expected value: `equalTo(3)`, `is(3)`; others name it: `expected: 3`.
fn unwrapped(argument: &[u8]) -> &[u8] {
    const WRAPPERS: [&[u8]; 5] = [b"equalTo(", b"is(", b"eq(", b"Equal(", b"BeEquivalentTo("];
    let inner = WRAPPERS.iter().find_map(|wrapper| argument.strip_prefix(*wrapper)?.strip_suffix(b")"));
    inner.unwrap_or(argument)
}

fn owned(given: &[&[u8]]) -> Vec<Vec<u8>> {
    given.iter().map(|argument| normalised(at_last(argument))).collect()
}

/// What is examined in the end, without how somebody gets at it: `x` of `await x` and of `() => x`, which is asked again and again.
fn at_last(argument: &[u8]) -> &[u8] {
    const WAYS: [&[u8]; 6] = [b"async ", b"() =>", b"()=>", b"try! ", b"try ", b"await "];
    WAYS.iter().fold(argument, |rest, way| match rest.strip_prefix(*way).map(<[u8]>::trim_ascii_start) {
        Some(inner) if !inner.starts_with(b"{") => inner,
        _ => rest,
    })
}

static SHAPE: Pattern = Pattern::new(
    r"(?s)^(.*)\.(?:contains|starts_with|ends_with|startsWith|endsWith|includes|matches|include\?|startswith|endswith|Contains|has|contains_key|any|all|some|every)\(.*\)$",
);
static FOUND: Pattern = Pattern::new(
    r"(?s)^(.*)\.(?:is_some|is_ok|is_err|is_empty|isPresent|isEmpty|is_some_and|is_ok_and|any\?|empty\?|present\?)\(?.*\)?$",
);
static NEAR: Pattern = Pattern::new(r"(?i)\babs\b");
static OF_TYPE: Pattern = Pattern::new(r"(?s)^(?:isinstance|len|bool|callable)\((.*)\)$");
/// A pattern that says no more than that it is there: `Ok(_)`, `None`.
static OPEN: Pattern = Pattern::new(r"^(?:[\w:]*\s*(?:\(\s*(?:_|\.\.)\s*\)|\{\s*\.\.\s*\})|None)$");
static FITS: Pattern = Pattern::new(r"(?s)^(?:std::)?matches!\s*\((.*)\)$");

/// What a condition that has to be true asks for.
fn of_condition(condition: &[u8]) -> (Strength, Vec<Vec<u8>>) {
    let condition = condition.trim_ascii();
    let condition = in_brackets(condition).unwrap_or(condition).trim_ascii();
    if let Some((left, how, right)) = compared(condition) {
        let strength = match how {
            Comparison::Equal => Strength::Exact,
            Comparison::Ordered if NEAR.regex().is_match(left) => Strength::Close(number(right)),
            Comparison::Unequal | Comparison::Ordered => Strength::Order,
            Comparison::Within => Strength::Part,
        };
        let strength =
            if how == Comparison::Unequal && is_nothing(right) { Strength::Presence } else { strength };
        return (strength, owned(&[left, right]));
    }
    let plain = condition.strip_prefix(b"!").unwrap_or(condition);
    let of = |pattern: &Pattern| pattern.regex().captures(plain).map(|groups| groups[1].to_vec());
    if let Some(inner) = of(&FITS) {
        let parts = listed(&inner);
        let wanted =
            parts.get(1..).unwrap_or_default().iter().filter(|pattern| !OPEN.regex().is_match(pattern));
        let operands = parts.first().into_iter().chain(wanted).map(|part| normalised(part));
        return (Strength::Part, operands.collect());
    }
    if let Some(receiver) = of(&FOUND) {
        return (Strength::Presence, vec![normalised(&receiver), normalised(plain)]);
    }
    if let Some(receiver) = of(&SHAPE) {
        return (Strength::Part, vec![normalised(&receiver), normalised(plain)]);
    }
    let examined = of(&OF_TYPE).and_then(|inner| listed(&inner).first().map(|first| normalised(first)));
    let operands = examined.into_iter().chain([normalised(plain)]).collect();
    (Strength::Presence, operands)
}

/// Whether the whole of it is a distance: `Math.abs(a - b)`.
fn is_distance(text: &[u8]) -> bool {
    let plain = text.strip_prefix(b"Math.").or_else(|| text.strip_prefix(b"math.")).unwrap_or(text);
    (plain.starts_with(b"abs(") || plain.starts_with(b"Abs(")) && plain.ends_with(b")")
}

impl<'t> Assertion<'t> {
    /// Go fails a test by hand where a distance is too large: `if math.Abs(a-b) > 0.1 { t.Fatal() }`.
    pub(crate) fn guarded(self) -> Self {
        let block = self.node.ancestors().take(3).find(|around| around.field() == "consequence");
        let guard = block.and_then(|block| block.parent()).filter(|guard| guard.kind() == "if_statement");
        let Some(condition) = guard.and_then(|guard| guard.child("condition")) else { return self };
        let text = condition.bytes();
        let read = compared(&text[..text.len().min(LONGEST)]);
        if let Some((name, strength)) = asked_failure(condition, read) {
            let operands = owned(&[computed(condition.parent(), name)]);
            return Assertion { text: normalised(text), operands, strength, ..self };
        }
        // Anything but none is asked for often; none itself is mostly no error, or an empty list.
        let is_asked = |left: &[u8], how: Comparison, right: &[u8]| match how {
            Comparison::Equal => is_value(right) || right == b"0",
            Comparison::Unequal => is_value(right) || is_named_value(right) || is_wanted(right),
            Comparison::Ordered => is_value(right) && !is_distance(left.trim_ascii()),
            Comparison::Within => false,
        };
        if let Some((left, how, right)) = read
            && is_asked(left, how, right)
        {
            let guard = condition.parent();
            let strength = if how == Comparison::Unequal { Strength::Exact } else { Strength::Order };
            let operands = owned(&[computed(guard, left), right]);
            return Assertion { text: normalised(text), operands, strength, ..self };
        }
        match read {
            Some((left, Comparison::Ordered, right)) if is_distance(left.trim_ascii()) => Assertion {
                node: condition,
                text: normalised(text),
                operands: owned(&[left]),
                strength: Strength::Close(number(right.trim_ascii())),
                ..self
            },
            Some(_) | None => self,
        }
    }
}

/// What a condition of Go fails a test for, if that is an error: one that is not the one that is asked for, or none at all.
fn asked_failure<'t>(
    condition: Node<'t>,
    read: Option<(&'t [u8], Comparison, &'t [u8])>,
) -> Option<(&'t [u8], Strength)> {
    let is_error = |name: &[u8]| name.to_ascii_lowercase().starts_with(b"err");
    if let Some((name, Comparison::Equal, b"nil")) = read {
        return is_error(name).then_some((name, Strength::AnyFailure));
    }
    let asked = [&b"!errors.Is("[..], b"!errors.As("]
        .iter()
        .find_map(|call| condition.bytes().strip_prefix(*call))?;
    let name = asked.split(|byte| *byte == b',').next().map(<[u8]>::trim_ascii)?;
    is_error(name).then_some((name, Strength::Failure))
}

/// A value that has a name of its own, as the codes of `net/http` have.
fn is_named_value(text: &[u8]) -> bool {
    let last = text.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    text.contains(&b'.')
        && last.first().is_some_and(u8::is_ascii_uppercase)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte))
}

/// What a test calls the value that it asks for: `want`, `tt.expected`.
fn is_wanted(text: &[u8]) -> bool {
    let last = text.rsplit(|byte| *byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    [&b"want"[..], b"expect"].iter().any(|word| last.starts_with(word))
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte))
}

/// A number or a text, which is worth comparing with.
fn is_value(text: &[u8]) -> bool {
    is_literal(text)
        && text.first().is_some_and(|byte| byte.is_ascii_digit() || b"\"`-".contains(byte))
        && text != b"0"
}

/// What a name stands for that the statement itself gives it: `f()` in `if got := f(); got != 3`.
fn computed<'t>(guard: Option<Node<'t>>, name: &'t [u8]) -> &'t [u8] {
    let given = guard.and_then(|guard| guard.child("initializer"));
    let sides = given.and_then(|given| Some((given.child("left")?, given.child("right")?)));
    match sides {
        Some((left, right)) if left.bytes() == name => right.bytes(),
        _ => name,
    }
}

fn is_nothing(text: &[u8]) -> bool {
    [&b"None"[..], b"null", b"nil", b"undefined", b"nullptr", b"NULL"].contains(&text)
}

fn is_any_failure(given: &[&[u8]], typed: &[&[u8]]) -> bool {
    const ANY: [&[u8]; 13] = [
        b"Exception::class",
        b"\\Exception::class",
        b"Throwable::class",
        b"\\Throwable::class",
        b"Exception",
        b"BaseException",
        b"Error",
        b"Throwable",
        b"RuntimeException",
        b"Exception.class",
        b"Throwable.class",
        b"RuntimeException.class",
        b"StandardError",
    ];
    let is_code =
        |argument: &&&[u8]| !argument.contains(&b'{') && memchr::memmem::find(argument, b"=>").is_none();
    let named: Vec<_> = given.iter().filter(is_code).collect();
    let has_message = given.iter().any(|argument| argument.starts_with(b"match") || is_literal(argument));
    let has_type = typed.iter().any(|name| !ANY.contains(name));
    !has_message && !has_type && (named.is_empty() || named.iter().any(|argument| ANY.contains(argument)))
}
