//! What the ticket of a request is told.

use domain::change::Oid;
use domain::forge::{IssueKey, MergeRequestRef};
use domain::ports::{Effect, EffectStore, PortError, PortErrorKind, StoreError, TrackerPort};
use domain::publish::{TicketMark, TicketMove, handed_in, reviewed, summary_of};
use domain::review::Verdict;
use engine::once::{Once, once};
use engine::publish::Patience;
use engine::ticket::{News, Told, tell};

use super::{Forge, Outcome};
use crate::store::random;

/// Half a minute. Whoever has more time asks again: nothing is told twice.
const LOOKS: u32 = 5;

/// Who wants to know, and how often it may be the same news.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Concerned<'a> {
    pub(crate) key: &'a IssueKey,
    /// The task: its next attempt at the same commit has nothing new to tell.
    pub(crate) task: &'a str,
}

/// Why a ticket does not know.
#[derive(Debug)]
pub(super) enum Untold {
    Port(PortError),
    /// Nobody can say whether somebody else is telling it.
    Store(StoreError),
}

impl From<PortError> for Untold {
    fn from(error: PortError) -> Untold {
        Untold::Port(error)
    }
}

impl From<StoreError> for Untold {
    fn from(error: StoreError) -> Untold {
        Untold::Store(error)
    }
}

/// What is handed in, for its ticket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Submitted<'a> {
    pub(super) request: &'a MergeRequestRef,
    pub(super) url: &'a str,
    pub(super) title: &'a str,
    pub(super) head: &'a Oid,
}

impl Forge {
    /// Moves the ticket to where the verdict leads and tells it how the review went. An inconclusive one leads nowhere.
    /// What there is to say about it is answered with.
    pub(crate) async fn tell_reviewed(
        &self,
        concerned: Concerned<'_>,
        outcome: &Outcome,
        unpublished: Option<&str>,
    ) -> Result<String, PortError> {
        let Concerned { key, task } = concerned;
        let verdict = outcome.review.verdict();
        let statuses = &self.outward.config.connect.statuses;
        let status = match verdict {
            Verdict::Pass => Some(statuses.approved.as_str()),
            Verdict::Fail => Some(statuses.changes_requested.as_str()),
            Verdict::Inconclusive => None,
        };
        let parts = [task, outcome.head.as_str(), verdict.as_str()];
        let mark = TicketMark::of_parts("review", &parts, "result");
        let summary = summary_of(&outcome.review, &outcome.found.request.url);
        let text = |moved: &TicketMove| reviewed(&summary, &outcome.head, unpublished, moved);
        self.told(News { key, mark: &mark, status }, text).await
    }

    /// Links the request to its ticket, moves the ticket to where it waits for its review, and tells it so. Of several
    /// who hand in the same at the same moment, one does: a comment cannot be taken back.
    pub(super) async fn tell_handed_in<S: EffectStore>(
        &self,
        store: &S,
        key: &IssueKey,
        submitted: Submitted<'_>,
    ) -> Result<Vec<String>, Untold> {
        let Submitted { request, head, .. } = submitted;
        let parts = [self.base.host(), &request.to_string(), head.as_str()];
        let mark = TicketMark::of_parts("submit", &parts, "start");
        let (effect, holder) = (format!("{key} {}", mark.as_str()), random());
        let effect = Effect { key: &effect, holder: &holder };
        let telling = async { Ok::<_, Untold>(self.submitted(key, submitted, &mark).await?) };
        match once(store, effect, telling).await? {
            Once::Now(said) => Ok(said),
            Once::Before => Ok(vec![knows(key)]),
        }
    }

    async fn submitted(
        &self,
        key: &IssueKey,
        submitted: Submitted<'_>,
        mark: &TicketMark,
    ) -> Result<Vec<String>, PortError> {
        let Submitted { url, title, head, .. } = submitted;
        let mut said = Vec::new();
        let tracker = self.outward.tracker()?;
        match self.patiently(|| tracker.link(key, url, title)).await {
            Ok(()) => {}
            Err(error) if error.kind == PortErrorKind::MissingTool => {
                said.push(format!("{key} was not linked: {error}"));
            }
            Err(error) => return Err(error),
        }
        let status = Some(self.outward.config.connect.statuses.code_review.as_str());
        let text = |moved: &TicketMove| handed_in(url, head, moved);
        said.push(self.told(News { key, mark, status }, text).await?);
        Ok(said)
    }

    async fn told(&self, news: News<'_>, text: impl Fn(&TicketMove) -> String) -> Result<String, PortError> {
        let tracker = self.outward.tracker()?;
        let patience = Patience { looks: LOOKS, ..self.outward.patience() };
        let told = tell(&tracker, news, patience, text).await?;
        let key = news.key;
        Ok(match told {
            Told::Before => knows(key),
            Told::Now(TicketMove::Stays) => format!("{key} was told"),
            Told::Now(TicketMove::Moved { to }) => format!("{key} was told and is in {to}"),
            Told::Now(TicketMove::Impossible { to, reason }) => {
                format!("{key} was told, and could not be moved to {to}: {reason}")
            }
        })
    }
}

fn knows(key: &IssueKey) -> String {
    format!("{key} knows already")
}
