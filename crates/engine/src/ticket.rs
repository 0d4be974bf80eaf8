//! Tells tickets what became of their work, once, however often it takes.

use domain::forge::{IssueKey, TicketComment, Transition};
use domain::mission::MissionIdentity;
use domain::ports::{PortError, TrackerPort};
use domain::publish::{TicketMark, TicketMove};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::patience::may_be_said_again;
use crate::publish::Patience;

const TOLD_TWICE: &str = "Told twice at the same moment: see above.";

/// What a ticket is to learn, and where it is to go.
#[derive(Debug, Clone, Copy)]
pub struct News<'a> {
    pub key: &'a IssueKey,
    /// The comment has it, and with the comment everything is done: whoever finds it does nothing.
    pub mark: &'a TicketMark,
    /// The name of a status, if the ticket is to be moved.
    pub status: Option<&'a str>,
}

/// What became of the news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The ticket knew.
    Before,
    Now(TicketMove),
}

/// Moves the ticket and says so in a comment. The comment is last: killed before it, the next run moves to where the
/// ticket is already, and comments.
///
/// A status that cannot be reached is part of what is told. Errors are for what keeps the ticket from being told at all.
pub async fn tell<T: TrackerPort>(
    tracker: &T,
    news: News<'_>,
    patience: Patience,
    text: impl Fn(&TicketMove) -> String,
) -> Result<Told, PortError> {
    let mut wait = patience.first_wait;
    for _ in 1..patience.looks {
        match try_to_tell(tracker, news, &text).await {
            Err(error) if may_be_said_again(&error) => {
                let Some(pause) = patience.pause(&error, wait) else { return Err(error) };
                sleep(pause).await;
                wait = (wait * 2).min(patience.longest_wait);
            }
            answer => return answer,
        }
    }
    try_to_tell(tracker, news, &text).await
}

async fn try_to_tell<T: TrackerPort>(
    tracker: &T,
    news: News<'_>,
    text: impl Fn(&TicketMove) -> String,
) -> Result<Told, PortError> {
    if is_told(tracker, news.key, news.mark).await? {
        return Ok(Told::Before);
    }
    let moved = match news.status {
        Some(status) => moved(tracker, news.key, status).await?,
        None => TicketMove::Stays,
    };
    tracker.add_comment(news.key, &news.mark.under(&text(&moved))).await?;
    settled(tracker, news.key, news.mark).await;
    Ok(Told::Now(moved))
}

async fn moved<T: TrackerPort>(tracker: &T, key: &IssueKey, status: &str) -> Result<TicketMove, PortError> {
    match tracker.transition_issue(key, status).await {
        Ok(Transition::Moved { to, .. } | Transition::AlreadyThere { status: to }) => {
            Ok(TicketMove::Moved { to })
        }
        Err(error) if may_be_said_again(&error) => Err(error),
        Err(error) => Ok(TicketMove::Impossible { to: status.to_owned(), reason: explained(&error) }),
    }
}

fn explained(error: &PortError) -> String {
    match error.hint.is_empty() {
        true => error.reason.clone(),
        false => format!("{}; {}", error.reason, error.hint),
    }
}

/// Whether a ticket had to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Telling {
    Now,
    /// It knew.
    Before,
}

/// Posts a comment unless it is there. Nothing is repeated here: an answer that was lost is the caller's to ask again.
pub(crate) async fn tell_once<T: TrackerPort>(
    tracker: &T,
    key: &IssueKey,
    mark: &TicketMark,
    text: &str,
) -> Result<Telling, PortError> {
    if is_told(tracker, key, mark).await? {
        return Ok(Telling::Before);
    }
    tracker.add_comment(key, text).await?;
    settled(tracker, key, mark).await;
    Ok(Telling::Now)
}

/// Whether a comment of ours has the mark. Others may have copied it.
async fn is_told<T: TrackerPort>(tracker: &T, key: &IssueKey, mark: &TicketMark) -> Result<bool, PortError> {
    Ok(!ours(tracker, key, mark).await?.is_empty())
}

/// The newest comment of ours that has one of the marks.
pub(crate) async fn newest<T: TrackerPort>(
    tracker: &T,
    key: &IssueKey,
    marks: &[TicketMark],
) -> Result<Option<TicketComment>, PortError> {
    let has_one = |comment: &TicketComment| marks.iter().any(|mark| mark.is_in(&comment.body));
    Ok(of_ours(tracker, key, has_one).await?.pop())
}

/// What the ticket was told by us about the ends of missions, the oldest first.
pub(crate) async fn results<T: TrackerPort>(
    tracker: &T,
    key: &IssueKey,
) -> Result<Vec<TicketComment>, PortError> {
    of_ours(tracker, key, |comment| MissionIdentity::is_result(&comment.body)).await
}

/// The oldest first.
async fn ours<T: TrackerPort>(
    tracker: &T,
    key: &IssueKey,
    mark: &TicketMark,
) -> Result<Vec<TicketComment>, PortError> {
    of_ours(tracker, key, |comment| mark.is_in(&comment.body)).await
}

async fn of_ours<T: TrackerPort>(
    tracker: &T,
    key: &IssueKey,
    wanted: impl Fn(&TicketComment) -> bool,
) -> Result<Vec<TicketComment>, PortError> {
    let us = tracker.get_identity().await?;
    let mut comments = tracker.get_comments(key).await?;
    let is_ours = |author: &str| us.as_ref().is_none_or(|us| us.login.eq_ignore_ascii_case(author));
    comments.retain(|comment| is_ours(&comment.author) && wanted(comment));
    Ok(comments)
}

/// Somebody who shares no store with us may have told the same at the same moment: all but the first are emptied, by
/// whoever of the two looks last. Where a tracker does not say whose a comment is, or does not let us, both stay.
async fn settled<T: TrackerPort>(tracker: &T, key: &IssueKey, mark: &TicketMark) {
    if !matches!(tracker.get_identity().await, Ok(Some(_))) {
        return;
    }
    for twice in ours(tracker, key, mark).await.unwrap_or_default().iter().skip(1) {
        let _ = tracker.edit_comment(key, &twice.id, TOLD_TWICE).await;
    }
}
