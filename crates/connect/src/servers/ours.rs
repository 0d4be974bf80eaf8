use domain::publish::is_marked;

use super::tool::Answer;
use crate::rest::{Kind, Trouble};

/// Who wrote a comment, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// The account of the token.
    Us,
    Somebody,
}

/// What is taken away is gone for good: only what Countersign posted with this token may be.
pub(super) fn only_ours(author: Author, body: &str) -> Answer<()> {
    let refuse = |what: &str| {
        let next = "only comments that Countersign posted with this token are deleted; nothing was done";
        Err(Trouble::new(Kind::Forbidden, what, next))
    };
    match (author, is_marked(body)) {
        (Author::Us, true) => Ok(()),
        (Author::Us, false) => refuse("this comment carries no marker of Countersign"),
        (Author::Somebody, _) => refuse("somebody else wrote this comment"),
    }
}
