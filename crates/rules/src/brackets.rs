use std::ops::Range;

/// Every pair of brackets in a masked text, found in one pass, so that a rule can ask for the extent of a
/// block as often as it likes.
#[derive(Debug, Default)]
pub(crate) struct Brackets {
    /// Opening and closing offset, sorted by the opening one. Brackets without a partner are left out.
    pairs: Vec<(usize, usize)>,
}

impl Brackets {
    pub(crate) fn of(code: &[u8]) -> Self {
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut pairs = Vec::new();
        for (at, &byte) in code.iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open.push((byte, at)),
                b')' | b']' | b'}' => {
                    let partner = match byte {
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    if open.last().is_some_and(|(opening, _)| *opening == partner) {
                        pairs.extend(open.pop().map(|(_, start)| (start, at)));
                    } else if byte == b'}' {
                        // Braces are the stronger sign: a stray parenthesis inside does not cost the block.
                        while open.last().is_some_and(|(opening, _)| *opening != b'{') {
                            open.pop();
                        }
                        pairs.extend(open.pop().map(|(_, start)| (start, at)));
                    }
                }
                _ => {}
            }
        }
        pairs.sort_unstable();
        Brackets { pairs }
    }

    /// What the bracket at `open` encloses, with both brackets.
    pub(crate) fn from(&self, open: usize) -> Option<Range<usize>> {
        let index = self.pairs.binary_search_by_key(&open, |pair| pair.0).ok()?;
        self.pairs.get(index).map(|(start, end)| *start..end + 1)
    }
}

/// How far a block may begin behind what announces it.
const FARTHEST: usize = 4096;

/// The first of `wanted` in `code[from..]`, unless one of `stop` comes before it.
pub(crate) fn first_before(code: &[u8], from: usize, wanted: u8, stop: &[u8]) -> Option<usize> {
    let rest = code.get(from..)?;
    let rest = &rest[..rest.len().min(FARTHEST)];
    let at = memchr::memchr(wanted, rest)?;
    (!rest[..at].iter().any(|byte| stop.contains(byte))).then_some(from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_survive_a_stray_bracket() {
        let code = b"f(a { b( } c)";
        let brackets = Brackets::of(code);
        assert_eq!(brackets.from(4), Some(4..10));
        assert_eq!(brackets.from(1), Some(1..13));
        assert_eq!(brackets.from(7), None);
    }

    #[test]
    fn a_search_stops_where_it_is_told_to() {
        assert_eq!(first_before(b"fn a() { x }", 0, b'{', b";"), Some(7));
        assert_eq!(first_before(b"fn a(); fn b() {", 0, b'{', b";"), None);
    }
}
