use std::collections::HashSet;
use std::time::Duration;

use domain::change::Oid;
use domain::forge::MergeRequestRef;
use domain::ports::{PortError, VcsPort};
use domain::publish::{MarkKind, Publication, PublishKey, PublishPlan, PublishPolicy, Seal};
use domain::review::Fingerprint;
use tokio::time::sleep;

use super::error::PublishError;
use super::look::Seen;
use super::perform::{Performed, Progress};
use super::turns::Turns;
use crate::patience::wait_after;

/// Publishes reviews on one forge.
#[derive(Debug)]
pub struct Publisher<'a, V, T> {
    pub vcs: &'a V,
    pub turns: &'a T,
    pub policy: PublishPolicy,
    /// For forges that do not say who we are.
    pub key: Option<PublishKey>,
    pub patience: Patience,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The first wait after a lost answer; it doubles each time.
    pub first_wait: Duration,
    /// No single wait is longer, whatever a forge asks for.
    pub longest_wait: Duration,
    /// How often the forge is looked at before the rest is left to another run.
    pub looks: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { first_wait: Duration::from_secs(2), longest_wait: Duration::from_secs(120), looks: 10 }
    }
}

/// What is where authors read it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishOutcome {
    pub url: String,
    pub head: Oid,
    /// New comments at lines.
    pub added: usize,
    /// Comments that were done with.
    pub settled: usize,
    /// Findings that the forge would not take at their lines and that are in the summary instead.
    pub moved_to_summary: usize,
    pub status: StatusOutcome,
    /// What did not work out and matters little, for people.
    pub notes: Vec<String>,
}

/// Whether the verdict is where branch protection looks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusOutcome {
    Unchanged,
    Set,
    Failed(PortError),
}

impl<V: VcsPort, T: Turns> Publisher<'_, V, T> {
    /// Posts what is missing of this review. Whoever calls it again, after a crash or at the same time, adds nothing.
    /// Stops without another word if the newest commit is not the one that was reviewed.
    pub async fn publish(
        &self,
        request: &MergeRequestRef,
        publication: Publication<'_>,
    ) -> Result<PublishOutcome, PublishError> {
        let _turn = self.turns.take(&request.to_string()).await;
        let seal = Seal::new(self.identity().await?, self.key.clone())?;
        let mut progress = Progress::new();
        let mut wait = self.patience.first_wait;
        let mut last = String::new();
        for _ in 0..self.patience.looks {
            let seen = self.patiently(|| Seen::of(self.vcs, request)).await?;
            let plan = seen.plan(self.vcs, publication, &seal, &self.policy, &progress.memory)?;
            match progress.perform(self.vcs, request, &plan).await {
                Performed::Done => {
                    let url = seen.url().to_owned();
                    if plan.review.is_some() || plan.summary.is_some() {
                        self.agree(request, publication, &seal, seen, &mut progress).await;
                    }
                    return Ok(outcome(&url, plan.head, progress));
                }
                Performed::PlanAgain { because } => last = because,
                Performed::LookAgain { after, because } => {
                    sleep(after.unwrap_or(wait).min(self.patience.longest_wait)).await;
                    wait = (wait * 2).min(self.patience.longest_wait);
                    if because.may_have_happened() {
                        self.wait_for(request, &seal, &plan, &progress).await;
                    }
                    last = because.to_string();
                }
                Performed::Failed(error) => return Err((*error).into()),
            }
        }
        Err(PublishError::GaveUp { looks: self.patience.looks, last })
    }

    async fn identity(&self) -> Result<Option<domain::forge::Identity>, PublishError> {
        self.patiently(|| async { self.vcs.get_identity().await.map_err(PublishError::from) }).await
    }

    /// Repeats what only reads.
    async fn patiently<A, F: Future<Output = Result<A, PublishError>>>(
        &self,
        ask: impl Fn() -> F,
    ) -> Result<A, PublishError> {
        let mut wait = self.patience.first_wait;
        for _ in 1..self.patience.looks {
            match ask().await {
                Err(PublishError::Port(error)) if error.is_transient() => {
                    sleep(wait_after(&error, wait, self.patience.longest_wait)).await;
                    wait = (wait * 2).min(self.patience.longest_wait);
                }
                answer => return answer,
            }
        }
        ask().await
    }

    /// After a lost answer: forges may list late what they took, so what was lost is given some time to appear before
    /// it is posted again.
    async fn wait_for(
        &self,
        request: &MergeRequestRef,
        seal: &Seal,
        plan: &PublishPlan,
        progress: &Progress,
    ) {
        const LOOKS: u32 = 3;
        let mut wait = self.patience.first_wait;
        for _ in 0..LOOKS {
            if let Ok(comments) = self.vcs.get_comments(request).await {
                let marks: Vec<_> = comments
                    .iter()
                    .filter_map(|comment| seal.read(request, comment))
                    .map(|(mark, _)| mark)
                    .collect();
                let prints: HashSet<&Fingerprint> = marks
                    .iter()
                    .filter_map(|mark| match &mark.kind {
                        MarkKind::Finding { fingerprint, .. } => Some(fingerprint),
                        MarkKind::Summary { .. } | MarkKind::Batch => None,
                    })
                    .collect();
                let lost =
                    plan.review.iter().flat_map(|post| &post.comments).map(|comment| &comment.fingerprint);
                let mut lost = lost.filter(|print| !progress.memory.placed.contains(*print)).peekable();
                let is_summary = |mark: &domain::publish::Mark| matches!(mark.kind, MarkKind::Summary { .. });
                let arrived = match lost.peek() {
                    Some(_) => lost.any(|print| prints.contains(print)),
                    None => marks.iter().any(|mark| is_summary(mark) && mark.head == plan.head),
                };
                if arrived {
                    return;
                }
            }
            sleep(wait).await;
            wait = (wait * 2).min(self.patience.longest_wait);
        }
    }

    /// Looks once more for comments that another publisher posted at the same time, and takes back the later ones.
    /// Twice, because forges may list late. Nothing is added here: what we just posted need not be listed yet.
    async fn agree(
        &self,
        request: &MergeRequestRef,
        publication: Publication<'_>,
        seal: &Seal,
        mut seen: Seen,
        progress: &mut Progress,
    ) {
        for wait in [Duration::ZERO, self.patience.first_wait] {
            sleep(wait).await;
            let Ok(comments) = self.vcs.get_comments(request).await else { return };
            seen.comments = comments;
            let plan = seen.plan(self.vcs, publication, seal, &self.policy, &progress.memory);
            for settle in plan.iter().flat_map(|plan| &plan.settle) {
                if progress.settle(self.vcs, request, settle).await.is_err() {
                    progress.notes.push("a comment that is there twice could not be taken back yet".into());
                    return;
                }
            }
        }
    }
}

fn outcome(url: &str, head: Oid, progress: Progress) -> PublishOutcome {
    PublishOutcome {
        url: url.to_owned(),
        head,
        added: progress.added,
        settled: progress.settled,
        moved_to_summary: progress.memory.refused.len(),
        status: progress.status,
        notes: progress.notes,
    }
}
