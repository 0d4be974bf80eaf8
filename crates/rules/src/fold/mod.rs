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
use crate::syntax::Touched;

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

/// The same functions on the other side of the change. `None` where one of them is not there as it is here. Of several
/// that are equal to the letter it may be another: who compares two sides may rely on heads, not on bodies.
pub(crate) fn alike(
    source: &Source,
    language: Language,
    other: &Source,
    wanted: &[Body],
) -> Option<Vec<Body>> {
    let mut candidates = bodies(source, language)?.into_iter();
    let is_same = |one: &Body, body: &Body| {
        source.text()[one.function.clone()] == other.text()[body.function.clone()]
            && one.inside.start - one.function.start == body.inside.start - body.function.start
    };
    wanted.iter().map(|body| candidates.find(|one| is_same(one, body))).collect()
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
