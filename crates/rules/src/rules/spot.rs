use std::ops::Range;

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::pattern::Pattern;

/// A line of a per-language table: what to look for in code, and what to call it.
pub(super) struct Spot {
    pub(super) languages: &'static [Language],
    pub(super) pattern: Pattern,
    pub(super) what: &'static str,
}

pub(super) const fn spot(languages: &'static [Language], pattern: &'static str, what: &'static str) -> Spot {
    Spot { languages, pattern: Pattern::new(pattern), what }
}

/// The first entry of the table that the line holds as code, with the place of its match in the line.
///
/// The first group of a pattern, if it has one, is what has to be code; else the whole match.
pub(super) fn first_spot<'t>(
    table: &'t [Spot],
    file: &FileContext<'_>,
    line: &AddedLine<'_>,
) -> Option<(&'t Spot, Range<usize>)> {
    table.iter().filter(|spot| spot.languages.contains(&file.language)).find_map(|spot| {
        let found = spot.pattern.regex().captures_iter(line.text).find_map(|groups| {
            let at = groups.get(1).or_else(|| groups.get(0))?.range();
            (file.kind(line, at.start) == Some(Kind::Code)).then_some(at)
        });
        found.map(|at| (spot, at))
    })
}

/// What stands at a match, up to its arguments: `console.debug`, `it.skip`.
pub(super) fn written(line: &AddedLine<'_>, at: &Range<usize>) -> String {
    let text = line.text.get(at.clone()).unwrap_or_default();
    let name = text.split(|byte| b"([{`\"'".contains(byte) || byte.is_ascii_whitespace()).next();
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
}

pub(super) const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript];
