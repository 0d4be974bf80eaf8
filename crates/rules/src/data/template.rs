//! Texts with `$NAME` in them: messages, corrections and patterns.

/// A piece of such a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    Variable {
        name: &'t str,
        /// Whether it stands for all of a list: `$$$NAME`.
        many: bool,
    },
}

/// The pieces of a text. `\$` is a sign like any other, and so is one before what cannot be the name of a variable: `$_GET`,
/// `${name}`, `$5`.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(next) = text[at..].find('$') {
        let sign = at + next;
        if text[..sign].ends_with('\\') {
            pieces.push(Piece::Text(&text[start..sign - 1]));
            (start, at) = (sign, sign + 1);
            continue;
        }
        let tail = text[sign..].trim_start_matches('$');
        let begin = text.len() - tail.len();
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let end = begin + tail.find(|c| !is_part(c)).unwrap_or(tail.len());
        if tail.starts_with(|c: char| c.is_ascii_uppercase()) {
            pieces.push(Piece::Text(&text[start..sign]));
            pieces.push(Piece::Variable { name: &text[begin..end], many: begin - sign > 2 });
            start = end;
        }
        at = end;
    }
    pieces.push(Piece::Text(&text[start..]));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

/// The variables of a text, and whether each stands for a list.
pub(super) fn variables(text: &str) -> impl Iterator<Item = (&str, bool)> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Variable { name, many } => Some((name, many)),
        Piece::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_told_from_other_signs() {
        let of = |text| variables(text).collect::<Vec<_>>();
        assert_eq!(of("`$A` and $$$ARGS, $B2."), [("A", false), ("ARGS", true), ("B2", false)]);
        assert_eq!(of("$_GET, ${name}, $5, \\$HOME, $"), []);
        assert_eq!(
            pieces("\\$HOME is $A"),
            [Piece::Text("$HOME is "), Piece::Variable { name: "A", many: false }]
        );
        assert_eq!(pieces("$a$A"), [Piece::Text("$a"), Piece::Variable { name: "A", many: false }]);
    }
}
