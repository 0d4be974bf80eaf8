//! Who is posting, told where everybody who posts can see it.

use super::marker::{Mark, MarkKind, Seal};
use crate::change::Oid;
use crate::forge::{CommentKind, CommentRef, MergeRequestRef, PostedComment};

/// A comment by which somebody says that they are about to post. Forges number comments upwards, so of several claims the
/// oldest is the same to everybody who sees them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub comment: CommentRef,
    pub holder: String,
    pub beat: u64,
}

impl Claim {
    /// The comment, which is read by people for as long as it stands.
    pub fn body(seal: &Seal, request: &MergeRequestRef, head: &Oid, holder: &str, beat: u64) -> String {
        let kind = MarkKind::Claim { holder: holder.to_owned(), beat };
        let text = format!("Countersign is posting its review of `{}`.\n", head.short());
        seal.write(request, &Mark { kind, head: head.clone() }, &text)
    }
}

/// Claims of ours, the oldest first.
pub fn claims(seal: &Seal, request: &MergeRequestRef, comments: &[PostedComment]) -> Vec<Claim> {
    let in_conversation = comments.iter().filter(|one| one.reference.kind == CommentKind::Conversation);
    let mut claims: Vec<Claim> = in_conversation
        .filter_map(|comment| match seal.read(request, comment)?.0.kind {
            MarkKind::Claim { holder, beat } => {
                Some(Claim { comment: comment.reference.clone(), holder, beat })
            }
            MarkKind::Finding { .. } | MarkKind::Summary { .. } | MarkKind::Batch => None,
        })
        .collect();
    claims.sort_by(|a, b| a.comment.age().cmp(&b.comment.age()));
    claims
}
