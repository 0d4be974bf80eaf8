//! What forges, trackers and wikis talk about, in words that are nobody's in particular.
//!
//! Everything that arrives in these types was written by others and is as hostile as the change itself. Nothing is
//! cleaned on the way in; whoever shows it cleans it.

mod comment;
mod diff;
mod merge_request;
mod post;
mod project;
mod provider;
mod ticket;
mod url;

pub use comment::{CommentKind, CommentRef, Editing, Identity, PostedComment, ThreadState};
pub use diff::{BadDiff, MergeRequestDiff, parse_diff};
pub use merge_request::{
    Branch, CreatedMergeRequest, DiffRefs, MergeRequest, MergeRequestState, NewMergeRequest, Origin,
};
pub use post::{
    CommitStatus, InlineComment, InlinePlace, LineSpot, Published, RefusedComment, ReviewPost, StatusState,
};
pub use project::{BadReference, IssueKey, MergeRequestRef, Project};
pub use provider::{Provider, UnsupportedProvider};
pub use ticket::{DocsPage, Issue, ReviewSummary, TicketComment, Transition};
pub use url::{BadAddress, BaseUrl};
