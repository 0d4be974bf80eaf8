use super::Assignment;
use crate::cycle::AssignmentStatus;

/// Which assignments to list. Whatever is left open matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssignmentFilter {
    pub status: Option<AssignmentStatus>,
    pub agent: Option<String>,
    /// Whom it names as its reviewer.
    pub reviewer: Option<String>,
}

/// Where the last page ended. Pages do not shift when assignments are added between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssignmentCursor(pub i64);

/// Some assignments, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentPage {
    pub assignments: Vec<Assignment>,
    /// Where the next page begins, if there is one.
    pub next: Option<AssignmentCursor>,
}
