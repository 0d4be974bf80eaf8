use crate::change::{LineKind, Side};
use crate::forge::{InlinePlace, Provider};
use crate::review::Patch;

use super::place::{Places, side_of};

/// Longer ones are not read in a comment.
const LONGEST: usize = 8_000;

/// A block that the forge lets people apply, if the patch covers exactly the lines of the place, those lines are what
/// the patch says they are, and nothing in it would be hidden from whoever applies it.
pub(super) fn suggestion(
    provider: Provider,
    patch: &Patch,
    place: &InlinePlace,
    places: &Places<'_>,
) -> Option<String> {
    let spans_place = patch.path == place.path
        && patch.start == place.start.new
        && usize::try_from(place.end.new - place.start.new).ok()? + 1 == patch.old.len()
        && [place.start, place.end].into_iter().all(|spot| side_of(spot) == Side::New);
    let adds = [place.start, place.end].iter().any(|spot| spot.kind == LineKind::Added);
    if !spans_place || !adds {
        return None;
    }
    let there = places.text(place)?;
    let same = there.iter().zip(&patch.old).all(|(there, old)| *there == old.as_bytes());
    let length: usize = patch.new.iter().map(String::len).sum();
    let commands = patch.new.iter().chain(&patch.old).any(|line| is_command(line));
    if !same || length > LONGEST || commands || !patch.is_plain() {
        return None;
    }
    let fence = "`".repeat(patch.longest_run().max(2) + 1);
    let above = patch.old.len() - 1;
    let opening = match provider {
        Provider::Github => "suggestion".to_owned(),
        Provider::Gitlab => format!("suggestion:-{above}+0"),
    };
    let lines: String = patch.new.iter().map(|line| format!("{line}\n")).collect();
    Some(format!("{fence}{opening}\n{lines}{fence}"))
}

/// What a forge could take for a command to itself.
fn is_command(line: &str) -> bool {
    line.trim_start().strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}
