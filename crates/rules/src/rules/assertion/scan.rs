//! Expressions as text: split where nothing is open. Good for every language, and for what grammars leave unread, as
//! the arguments of Rust macros.

/// Where a text can be split: the offsets at which no bracket and no string is open.
struct Outside<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

impl<'t> Outside<'t> {
    fn of(text: &'t [u8]) -> Self {
        Outside { text, at: 0, depth: 0 }
    }

    /// Behind a string or character that begins here; where it began if none does.
    fn behind_string(&self) -> usize {
        let quote = self.text[self.at];
        let rest = &self.text[self.at + 1..];
        let end = rest.iter().enumerate().position(|(at, byte)| {
            *byte == quote && rest[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
        });
        match end {
            // A lifetime is no character.
            Some(end)
                if quote == b'\'' && end > 1 && self.at > 0 && b"<&".contains(&self.text[self.at - 1]) =>
            {
                self.at
            }
            Some(end) => self.at + end + 2,
            None => self.at,
        }
    }
}

impl Iterator for Outside<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.at < self.text.len() {
            let at = self.at;
            match self.text[at] {
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b'"' | b'\'' | b'`' => {
                    let behind = self.behind_string();
                    if behind > at {
                        self.at = behind;
                        continue;
                    }
                }
                _ if self.depth == 0 => {
                    self.at += 1;
                    return Some(at);
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

/// More arguments than anybody compares.
const MOST_PARTS: usize = 12;

/// The parts between commas, trimmed, without empty ones.
pub(crate) fn listed(text: &[u8]) -> Vec<&[u8]> {
    listed_up_to(text, MOST_PARTS)
}

/// No more than so many of them; what is left is one more.
pub(crate) fn listed_up_to(text: &[u8], most: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in Outside::of(text).filter(|at| text[*at] == b',') {
        parts.push(&text[start..at]);
        start = at + 1;
        if parts.len() == most {
            break;
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.into_iter().map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()).collect()
}

/// How two things are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Ordered,
    Within,
}

/// The operands of the only comparison of an expression; `None` where conditions are joined.
pub(super) fn compared(text: &[u8]) -> Option<(&[u8], Comparison, &[u8])> {
    if is_joined(text) {
        return None;
    }
    let mut found = None;
    let mut behind = 0;
    for at in Outside::of(text) {
        if at < behind {
            continue;
        }
        let Some((length, comparison)) = operator(text, at) else { continue };
        if found.is_some() {
            return None;
        }
        behind = at + length;
        found = Some((at, behind, comparison));
    }
    let (start, end, comparison) = found?;
    let (left, right) = (text[..start].trim_ascii(), text[end..].trim_ascii());
    (!left.is_empty() && !right.is_empty()).then_some((left, comparison, right))
}

fn operator(text: &[u8], at: usize) -> Option<(usize, Comparison)> {
    const SIGNS: [(&[u8], Comparison); 8] = [
        (b"===", Comparison::Equal),
        (b"!==", Comparison::Unequal),
        (b"==", Comparison::Equal),
        (b"!=", Comparison::Unequal),
        (b">=", Comparison::Ordered),
        (b"<=", Comparison::Ordered),
        (b" > ", Comparison::Ordered),
        (b" < ", Comparison::Ordered),
    ];
    const WORDS: [(&[u8], Comparison); 4] = [
        (b" is not ", Comparison::Unequal),
        (b" is ", Comparison::Equal),
        (b" not in ", Comparison::Within),
        (b" in ", Comparison::Within),
    ];
    let rest = &text[at..];
    SIGNS.iter().chain(&WORDS).find(|(sign, _)| rest.starts_with(sign)).map(|(sign, how)| (sign.len(), *how))
}

/// Whether several conditions are joined.
fn is_joined(text: &[u8]) -> bool {
    const JOINS: [&[u8]; 4] = [b"&&", b"||", b" and ", b" or "];
    Outside::of(text).any(|at| JOINS.iter().any(|join| text[at..].starts_with(join)))
}

/// The conditions of which one has to hold; only one where none are joined.
pub(super) fn either(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    const ORS: [&[u8]; 2] = [b"||", b" or "];
    let mut splits: Vec<(usize, usize)> = Vec::new();
    for at in Outside::of(text) {
        if let Some(or) = ORS.iter().find(|or| text[at..].starts_with(or)) {
            splits.push((at, at + or.len()));
        }
    }
    let count = splits.len();
    let starts = std::iter::once(0).chain(splits.clone().into_iter().map(|(_, end)| end));
    let ends = splits.into_iter().map(|(start, _)| start).chain([text.len()]);
    starts
        .zip(ends)
        .filter(move |_| count > 0)
        .map(|(start, end)| text.get(start..end).unwrap_or_default().trim_ascii())
}

/// A word of a chain of calls, with what is given to it in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link<'t> {
    pub(super) word: &'t [u8],
    pub(super) given: Option<&'t [u8]>,
    /// What stands between the word and its parentheses: `<E>`, or `[E]` in Scala.
    pub(super) typed: Option<&'t [u8]>,
}

/// More links than anybody chains.
const MOST_LINKS: usize = 24;

/// `expect(x).not.toBe(1)` as `expect (x)`, `not`, `toBe (1)`.
pub(super) fn links(text: &[u8]) -> Vec<Link<'_>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$' || *byte >= 0x80;
    let mut links: Vec<Link<'_>> = Vec::new();
    let mut at = 0;
    while at < text.len() && links.len() < MOST_LINKS {
        let rest = &text[at..];
        let word = rest.iter().take_while(|byte| is_word(byte)).count();
        if word > 0 {
            let typed = typed(&rest[word..]);
            links.push(Link { word: &rest[..word], given: None, typed });
            at += word + typed.map_or(0, |typed| typed.len() + 2);
        } else if matches!(rest[0], b'(' | b'[' | b'{') {
            let length = group(rest);
            let inner = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
            if let Some(last) = links.last_mut().filter(|last| last.given.is_none() && rest[0] != b'[') {
                last.given = Some(inner);
            }
            at += length;
        } else if matches!(rest[0], b'"' | b'\'' | b'`') {
            let outside = Outside { text, at, depth: 0 };
            at = outside.behind_string().max(at + 1);
        } else {
            at += 1;
        }
    }
    links
}

/// The types that a word is given: what stands in `<E>(`, `[E] {` and their like, where it begins the text.
fn typed(text: &[u8]) -> Option<&[u8]> {
    let close = match text.first()? {
        b'<' => b'>',
        b'[' => b']',
        _ => return None,
    };
    let end = text.iter().position(|byte| *byte == close)?;
    let inside = &text[1..end];
    let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:?, \\".contains(byte);
    let called = matches!(text[end + 1..].trim_ascii_start().first(), Some(b'(' | b'{'));
    let named = inside.first().is_some_and(u8::is_ascii_alphabetic);
    (called && named && inside.iter().all(is_type)).then_some(inside)
}

/// The length of a bracketed group, brackets included; of all there is if it is never closed.
fn group(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'"' | b'\'' | b'`' => {
                let behind = Outside { text, at, depth }.behind_string();
                if behind > at {
                    at = behind;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// What is inside, where one pair of brackets holds the whole text.
pub(crate) fn in_brackets(text: &[u8]) -> Option<&[u8]> {
    let whole = text.starts_with(b"(") && group(text) == text.len();
    text.get(1..text.len().saturating_sub(1)).filter(|_| whole)
}

/// Without what formatters change: white space, and a comma in front of a closing bracket.
pub(crate) fn normalised(text: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        if matches!(byte, b')' | b']' | b'}') && kept.last() == Some(&b',') {
            kept.pop();
        }
        kept.push(*byte);
    }
    while matches!(kept.last(), Some(b';' | b',')) {
        kept.pop();
    }
    kept
}

/// A number, a string, or one of the few values that every language has a word for.
pub(crate) fn is_literal(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 14] = [
        b"true",
        b"false",
        b"True",
        b"False",
        b"None",
        b"null",
        b"nil",
        b"undefined",
        b"NULL",
        b"()",
        b"[]",
        b"{}",
        b"vec![]",
        b"nullptr",
    ];
    let text = text.trim_ascii();
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let number = unsigned.first().is_some_and(u8::is_ascii_digit)
        && unsigned.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    number || WORDS.contains(&text) || is_string(text)
}

/// A literal, or something made of nothing else: `Decimal("3.20")`, `new Price(3, "EUR")`, `Ok(10)`.
pub(crate) fn is_fixed(text: &[u8]) -> bool {
    let made = text.strip_prefix(b"new").unwrap_or(text).trim_ascii();
    let open = made.iter().position(|byte| *byte == b'(');
    let given = open.and_then(|open| Some((&made[..open], in_brackets(&made[open..])?)));
    is_literal(text)
        || given.is_some_and(|(name, given)| {
            let is_path = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte));
            let parts = listed(given);
            name.first().is_some_and(u8::is_ascii_uppercase)
                && is_path
                && !parts.is_empty()
                && parts.iter().all(|part| is_literal(part))
        })
}

fn is_string(text: &[u8]) -> bool {
    let prefix = text.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'#').count();
    let Some(quote) = text.get(prefix).filter(|quote| b"\"'`".contains(quote) && prefix <= 2) else {
        return false;
    };
    let inner = text.get(prefix + 1..text.len().saturating_sub(1)).unwrap_or_default();
    text.len() > prefix + 1
        && text.ends_with(&[*quote])
        && !inner.contains(quote)
        && !is_filled_in(&text[..prefix], inner)
}

/// Whether values are put into a text: `$x`, `#{x}` of Ruby, `\(x)` of Swift, `{x}` in an f-string of Python.
fn is_filled_in(prefix: &[u8], inner: &[u8]) -> bool {
    let holds = |what: &[u8]| memchr::memmem::find(inner, what).is_some();
    let takes_values = prefix.iter().any(|letter| b"fFtT".contains(letter));
    (takes_values && inner.contains(&b'{')) || inner.contains(&b'$') || holds(b"#{") || holds(b"\\(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_brackets_and_strings_do_not_split() {
        assert_eq!(listed(b"f(a, b), \"x, y\", [1, 2],\n"), [&b"f(a, b)"[..], b"\"x, y\"", b"[1, 2]"]);
        assert_eq!(listed(b"a::<'b, 'c>(d), e").len(), 3);
        assert_eq!(listed(b"'(', b"), [&b"'('"[..], b"b"]);
    }

    #[test]
    fn one_comparison_is_read_and_two_are_not() {
        assert_eq!(compared(b"f(a == b) == 3"), Some((&b"f(a == b)"[..], Comparison::Equal, &b"3"[..])));
        assert_eq!(compared(b"x is not None"), Some((&b"x"[..], Comparison::Unequal, &b"None"[..])));
        assert_eq!(compared(b"a < b < c"), None);
        assert_eq!(compared(b"items"), None);
    }

    #[test]
    fn a_chain_is_read_link_by_link() {
        let shown: Vec<_> = links(b"expect(f(x)).not.toBe(\"a)\")")
            .iter()
            .map(|link| String::from_utf8_lossy(link.word).into_owned())
            .collect();
        assert_eq!(shown, ["expect", "not", "toBe"]);
        assert_eq!(links(b"assert_eq!(a, b)")[0].given, Some(&b"a, b"[..]));
    }

    #[test]
    fn what_is_made_of_literals_is_fixed() {
        for fixed in ["3", "Decimal(\"3.20\")", "newBigDecimal(\"6.00\")", "Ok(10)", "Money.of(3,\"EUR\")"] {
            assert!(is_fixed(fixed.as_bytes()), "{fixed}");
        }
        for other in ["f(1)", "Decimal(x)", "Cart()", "a.Cart(1)", "Cart(1).total()", "Cart(1)+Cart(2)"] {
            assert!(!is_fixed(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn literals_are_known() {
        for literal in ["1", "-2.5", "0x1F", "'a'", "\"b c\"", "None", "1_000u64", "b\"x\""] {
            assert!(is_literal(literal.as_bytes()), "{literal}");
        }
        for other in ["x", "f(1)", "a.b", "\"a\" + \"b\"", "1 + x", "`a${b}`", "-x"] {
            assert!(!is_literal(other.as_bytes()), "{other}");
        }
    }
}
