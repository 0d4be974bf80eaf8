//! Text of several lines inside a list item: nothing in it may look like a part of the document.

/// Escapes each line but the first, which stands behind a label. [`unescape`] undoes it.
pub(super) fn escape(line: &str) -> String {
    match special(line, 0) {
        Some(at) => format!("{}\\{}", &line[..at], &line[at..]),
        None => line.to_owned(),
    }
}

pub(super) fn unescape(line: &str) -> String {
    match special(line, 1) {
        Some(at) if line[at..].starts_with('\\') => format!("{}{}", &line[..at], &line[at + 1..]),
        Some(_) | None => line.to_owned(),
    }
}

/// Where a line needs a backslash so that it is plain text: before its first mark, or before the point
/// behind a number. Backslashes that already stand there count as part of the mark; `least` of them must.
fn special(line: &str, least: usize) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let digits = line[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let at = start + digits;
    let mark = line[at..].trim_start_matches('\\');
    let backslashes = line.len() - at - mark.len();
    let is_mark = match mark.chars().next() {
        Some(c) if digits > 0 => matches!(c, '.' | ')'),
        Some(c) => "#-*+>~=<".contains(c) || mark.starts_with("```") || backslashes > 0,
        None => backslashes > 0 && digits == 0,
    };
    (is_mark && backslashes >= least).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn structure_is_defused_and_plain_text_is_left_alone() {
        let cases = [
            ("# heading", "\\# heading"),
            ("  - **Fix:** x", "  \\- **Fix:** x"),
            ("12. item", "12\\. item"),
            ("12 items", "12 items"),
            ("```", "\\```"),
            ("`code` is plain", "`code` is plain"),
            ("plain", "plain"),
            ("\\plain", "\\\\plain"),
        ];
        for (line, escaped) in cases {
            assert_eq!(escape(line), escaped);
        }
    }

    proptest! {
        #[test]
        fn escaping_can_be_undone(line in "[ \\\\#*1.)a~`-]{0,8}|.{0,10}") {
            prop_assert_eq!(unescape(&escape(&line)), line);
        }
    }
}
