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

/// The first entry of the table that the line holds as code, with the offset of its match in the line.
///
/// The first group of a pattern, if it has one, is what has to be code; else the whole match.
pub(super) fn first_spot<'t>(
    table: &'t [Spot],
    file: &FileContext<'_>,
    line: &AddedLine<'_>,
) -> Option<(&'t Spot, usize)> {
    table.iter().filter(|spot| spot.languages.contains(&file.language)).find_map(|spot| {
        let found = spot.pattern.regex().captures_iter(line.text).find_map(|groups| {
            let at = groups.get(1).or_else(|| groups.get(0))?.start();
            (file.kind(line, at) == Some(Kind::Code)).then_some(at)
        });
        found.map(|at| (spot, at))
    })
}

pub(super) const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript];
