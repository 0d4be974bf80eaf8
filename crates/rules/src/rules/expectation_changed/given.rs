//! What the names of a test stand for, as far as its text tells.

/// What a test says before one of its assertions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'t>(&'t [u8]);

/// What stands further up is not looked at: a name is given its value shortly before it is examined.
const FARTHEST: usize = 20_000;
/// So many places that have the name are looked at.
const MOST_PLACES: usize = 30;
/// Longer values are not compared.
const LONGEST: usize = 500;
/// So many words of an expression are looked up.
const MOST_WORDS: usize = 20;

impl<'t> Before<'t> {
    /// The part of a test in front of an offset in it.
    pub(super) fn of(test: &'t [u8], end: usize) -> Self {
        let text = &test[..end.min(test.len())];
        Before(&text[text.len().saturating_sub(FARTHEST)..])
    }

    /// The value that a name was given last: `price(2)` of `got := price(2)`.
    pub(super) fn value(self, name: &[u8]) -> Option<&'t [u8]> {
        if name.is_empty() {
            return None;
        }
        let places = memchr::memmem::rfind_iter(self.0, name).take(MOST_PLACES);
        let mut values = places.filter(|at| {
            at.checked_sub(1).and_then(|before| self.0.get(before)).is_none_or(|byte| !is_part(*byte))
        });
        values.find_map(|at| assigned(&self.0[at + name.len()..]))
    }
}

/// Whether what an expression is made of was given the same on both sides, through up to three names.
pub(super) fn same_inputs(expression: &[u8], was: Before<'_>, now: Before<'_>) -> bool {
    let mut open: Vec<Vec<u8>> = vec![expression.to_vec()];
    for _ in 0..3 {
        let mut next = Vec::new();
        for word in open.iter().flat_map(|text| words(text).take(MOST_WORDS)) {
            match (was.value(word), now.value(word)) {
                (Some(one), Some(other)) if same(one, other) => next.push(other.to_vec()),
                (None, None) => {}
                _ => return false,
            }
        }
        next.truncate(MOST_WORDS);
        open = next;
    }
    true
}

pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    let letters = |text: &'_ [u8]| -> Vec<u8> {
        text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    letters(one) == letters(other)
}

/// Names that may stand for a value, with the `$` of PHP.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|byte| !is_part(*byte));
    words.filter(|word| word.first().is_some_and(|byte| !byte.is_ascii_digit()))
}

/// A name by itself, or the name that a path of names begins with.
pub(super) fn root(expression: &[u8]) -> Option<&[u8]> {
    let is_path = expression.iter().all(|byte| is_part(*byte) || b".[]?!".contains(byte));
    words(expression).next().filter(|word| is_path && expression.starts_with(word))
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// What stands behind the `=` that a name, perhaps with its type or with other names, is followed by.
fn assigned(rest: &[u8]) -> Option<&[u8]> {
    const FARTHEST_SIGN: usize = 80;
    let is_between = |byte: &u8| is_part(*byte) || b" ,:<>[]?.*&|".contains(byte);
    let sign = rest.iter().take(FARTHEST_SIGN).position(|byte| !is_between(byte))?;
    let is_name_over = !rest.first().is_some_and(|byte| is_part(*byte) || *byte == b'.');
    let before = rest[..sign].last().copied().unwrap_or(b' ');
    let after = rest.get(sign + 1).copied().unwrap_or(b'\n');
    // `==`, `=>` and `<=` give nothing.
    let gives = rest[sign] == b'=' && !b"=>~".contains(&after) && !b"<>".contains(&before);
    (gives && is_name_over).then(|| statement(&rest[sign + 1..]))
}

/// To the end of the line, or of the one in which the last bracket closes.
fn statement(text: &[u8]) -> &[u8] {
    let mut depth = 0_usize;
    let end = text.iter().take(LONGEST).position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(byte, b'\n' | b';')
    });
    text[..end.unwrap_or(text.len().min(LONGEST))].trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_what_it_was_given_last() {
        let value = |text: &'static str, name: &str| {
            let value = Before::of(text.as_bytes(), text.len()).value(name.as_bytes());
            value.map(|value| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(value("got := f(2)\nif ", "got").as_deref(), Some("f(2)"));
        assert_eq!(value("got, err := f(2)\nif err != nil {", "got").as_deref(), Some("f(2)"));
        assert_eq!(value("let x: Vec<u8> = f(\n  2,\n);\n", "x").as_deref(), Some("f(\n  2,\n)"));
        assert_eq!(value("x = 1\nx = 2\n", "x").as_deref(), Some("2"));
        assert_eq!(value("$got = f(2);\n", "$got").as_deref(), Some("f(2)"));
        for other in ["if got == 3", "got(1)", "target = 3", "a.got <= 3", "gotten = 3", "got => 3"] {
            assert_eq!(value(other, "got"), None, "{other}");
        }
    }
}
