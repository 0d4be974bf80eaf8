//! Bodies of functions that a change did not touch, left out of the parse. They are most of a file, and nothing to rules
//! that judge what was touched.
//!
//! They are found by brackets or by indentation, before anything is parsed. Where those do not add up nothing is
//! folded; and where what is left does not parse without an error, the caller has the whole file parsed. So a tree with
//! folded bodies is one that the grammar agrees with, and an error in a body that nobody touched is nobody's concern.

mod braces;
mod heads;
mod indentation;

use std::ops::Range;

use crate::language::Language;
use crate::source::Source;
use crate::syntax::{Replaced, Touched};

/// What can be left out of the parse, and the function around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    /// From the first word that announces it to its end.
    function: Range<usize>,
    inside: Range<usize>,
}

/// Less is sooner parsed than left out.
const WORTH_FOLDING: usize = 40;

/// Of all bytes, one in so many has to be left out.
const LEAST_SHARE: usize = 5;

/// What of the new side of a file need not be parsed. `None` where that is hardly anything.
pub(crate) fn untouched(source: &Source, language: Language, touched: &Touched) -> Option<Vec<Body>> {
    let mut bodies = bodies(source, language)?;
    bodies.retain(|body| {
        let (first, last) = (body.function.start, body.function.end.saturating_sub(1));
        body.inside.len() >= WORTH_FOLDING && !touched.head_lines(source.line_of(first), source.line_of(last))
    });
    let left_out: usize = bodies.iter().map(|body| body.inside.len()).sum();
    (left_out > source.text().len() / LEAST_SHARE).then_some(bodies)
}

/// The same bodies on the other side of the change, by what it replaced, none of which is in them. `None` where one does
/// not stand there after all.
pub(crate) fn moved(text: &[u8], other: &[u8], there: &[Body], replaced: &[Replaced]) -> Option<Vec<Body>> {
    let moved = |body: &Body| {
        let before = replaced.partition_point(|one| one.old.end <= body.function.start);
        let (old, new) = replaced[..before].last().map_or((0, 0), |one| (one.old.end, one.new.end));
        let shifted =
            |range: &Range<usize>| Some((range.start - old).checked_add(new)?..range.end - old + new);
        let here = Body { function: shifted(&body.function)?, inside: shifted(&body.inside)? };
        let is_same = text.get(here.function.clone())? == other.get(body.function.clone())?;
        is_same.then_some(here)
    };
    there.iter().map(moved).collect()
}

/// What is left to parse.
pub(crate) fn kept(bodies: &[Body], length: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(bodies.iter().map(|body| body.inside.end));
    let ends = bodies.iter().map(|body| body.inside.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

fn bodies(source: &Source, language: Language) -> Option<Vec<Body>> {
    match language {
        Language::Python => indentation::bodies(source),
        _ => braces::bodies(source.code(), heads::of(language)?),
    }
}

#[cfg(test)]
mod tests;
