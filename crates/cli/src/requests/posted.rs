//! What came of posting a review, in words and for programs.

use domain::forge::StatusState;
use domain::review::{CheckOutcome, CheckPosted, Posting, SummaryPosted};
use engine::publish::{PublishOutcome, StatusOutcome, SummaryOutcome};

pub(super) fn posting(posted: &PublishOutcome) -> Posting {
    let (outcome, error) = match &posted.status {
        StatusOutcome::Unchanged => (CheckOutcome::Unchanged, None),
        StatusOutcome::Set => (CheckOutcome::Set, None),
        StatusOutcome::Failed(error) => (CheckOutcome::Failed, Some(error.to_string())),
    };
    Posting {
        url: posted.url.clone(),
        commit: posted.head.to_string(),
        comments_added: posted.added,
        comments_settled: posted.settled,
        only_in_summary: posted.only_in_summary,
        summary: match posted.summary {
            SummaryOutcome::Unchanged => SummaryPosted::Unchanged,
            SummaryOutcome::Added => SummaryPosted::Added,
            SummaryOutcome::Edited => SummaryPosted::Edited,
        },
        check: CheckPosted {
            name: posted.verdict.name.clone(),
            success: posted.verdict.state == StatusState::Success,
            title: posted.verdict.title.clone(),
            outcome,
            error,
        },
        notes: posted.notes.clone(),
    }
}

/// In one line. The address is not cleaned.
pub(crate) fn told(posted: &PublishOutcome) -> String {
    let PublishOutcome { url, head, added, settled, only_in_summary, verdict, .. } = posted;
    let comments = crate::pretty::count(*added, "new comment");
    let summary = match only_in_summary {
        0 => String::new(),
        count => format!(", {count} only in the summary"),
    };
    let check = match &posted.status {
        StatusOutcome::Unchanged | StatusOutcome::Set => format!("{}: {}", verdict.name, verdict.title),
        StatusOutcome::Failed(error) => format!("the check could not be set: {error}"),
    };
    format!("Published at {url} for {}: {comments}, {settled} settled{summary}; {check}", head.short())
}
