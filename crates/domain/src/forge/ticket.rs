use super::IssueKey;
use crate::review::Verdict;
use crate::words::Severity;

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub key: IssueKey,
    pub url: String,
    pub summary: String,
    /// As text: wiki markup or Markdown, whichever the tracker keeps.
    pub description: String,
    pub status: String,
    pub labels: Vec<String>,
    pub components: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketComment {
    pub id: String,
    /// The name or number that [`Identity`](super::Identity) of the tracker's token would have.
    pub author: String,
    pub body: String,
}

/// What came of asking for another status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    Moved { from: String, to: String },
    AlreadyThere { status: String },
}

/// What a ticket is told about a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewSummary {
    /// Where the review can be read.
    pub url: String,
    pub verdict: Verdict,
    pub score: u8,
    /// How many findings of each severity, the worst first; none that are zero.
    pub counts: Vec<(Severity, usize)>,
    /// One line each.
    pub notes: Vec<String>,
}

/// A page of documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsPage {
    pub id: String,
    pub title: String,
    pub url: String,
    /// As text.
    pub body: String,
}
