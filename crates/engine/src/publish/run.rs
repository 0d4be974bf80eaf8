use std::collections::HashSet;
use std::time::Duration;

use domain::change::{Oid, Target};
use domain::forge::{CommitStatus, Editing, MergeRequestRef};
use domain::ports::{PortError, VcsPort};
use domain::publish::{MarkKind, Memory, Publication, PublishKey, PublishPlan, PublishPolicy, Seal};
use domain::review::{Fingerprint, Trouble};
use tokio::time::sleep;

use super::claim::{Asked, Claims};
use super::error::PublishError;
use super::look::Seen;
use super::perform::{At, Performed, Progress, repeatable};
use super::turns::Turns;
use crate::patience::{LONGEST_LIMIT, LONGEST_WAIT, wait_after};

/// Publishes reviews on one forge.
pub struct Publisher<'a, V, T> {
    pub vcs: &'a V,
    pub turns: &'a T,
    pub policy: PublishPolicy,
    /// For forges that do not say who we are.
    pub key: Option<PublishKey>,
    pub patience: Patience,
    /// Hears what is waited for, and for how long.
    pub waits: &'a (dyn Fn(&PortError, Duration) + Send + Sync),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The first wait after a lost answer; it doubles each time.
    pub first_wait: Duration,
    /// No single wait is longer, whatever a forge asks for.
    pub longest_wait: Duration,
    /// A limit that ends later than this is not waited for: the error says when to come back.
    pub longest_limit: Duration,
    /// How often the forge is looked at before the rest is left to another run.
    pub looks: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            first_wait: Duration::from_secs(2),
            longest_wait: LONGEST_WAIT,
            longest_limit: LONGEST_LIMIT,
            looks: 10,
        }
    }
}

impl Patience {
    /// For what goes on by itself, with nobody in front of it: however long a limit is, it is waited for in pieces.
    pub fn of_a_mission() -> Patience {
        Patience { longest_limit: Duration::MAX, ..Patience::default() }
    }

    /// How long to wait before the same is tried again: what a service asks for, else `usual`. Nothing where it asks for
    /// more than is waited for.
    pub fn pause(&self, error: &PortError, usual: Duration) -> Option<Duration> {
        self.pause_after(Duration::ZERO, error, usual)
    }

    /// The same, after this much was spent on limits: short ones one after the other are a long one.
    fn pause_after(&self, spent: Duration, error: &PortError, usual: Duration) -> Option<Duration> {
        match error.retry_after() {
            Some(asked) if asked.saturating_add(spent) > self.longest_limit => None,
            _ => Some(wait_after(error, usual, self.longest_wait)),
        }
    }
}

impl<V, T> std::fmt::Debug for Publisher<'_, V, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Publisher").field("policy", &self.policy).finish_non_exhaustive()
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
    /// Findings without a comment at a line, which are in the summary instead.
    pub only_in_summary: usize,
    pub summary: SummaryOutcome,
    /// What the commit is told.
    pub verdict: CommitStatus,
    pub status: StatusOutcome,
    /// Why the request does not pass although the review does: [`domain::review::Review::doubted`].
    pub doubt: Option<Trouble>,
    /// What did not work out and matters little, for people.
    pub notes: Vec<String>,
}

/// What became of the one comment that says how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryOutcome {
    Unchanged,
    Added,
    Edited,
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
        let mut claims = Claims::new(self.vcs, request, &seal, self.patience);
        let mut progress = Progress::new();
        let published = self.attempts(request, publication, &seal, &mut claims, &mut progress).await;
        if let Target::Commit(head) = &publication.review.subject.scope.head {
            if let Some(hold) = progress.hold.take().filter(|_| !progress.unsure_of_hold) {
                claims.release(hold, head).await;
            }
            claims.tidy(head).await;
        }
        let (url, plan) = published?;
        Ok(outcome(&url, plan, progress))
    }

    async fn attempts(
        &self,
        request: &MergeRequestRef,
        publication: Publication<'_>,
        seal: &Seal,
        claims: &mut Claims<'_, V>,
        progress: &mut Progress,
    ) -> Result<(String, PublishPlan), PublishError> {
        let mut wait = self.patience.first_wait;
        let mut last = String::new();
        let mut turns_missed = 0;
        let mut looks = 0;
        let mut limited = Duration::ZERO;
        while looks < self.patience.looks {
            let mut seen = self.patiently(|| Seen::of(self.vcs, request)).await?;
            let plan = seen.plan(self.vcs, publication, seal, &self.policy, &progress.memory)?;
            let performed = match self.turn(claims, progress, &plan, &seen).await {
                Ok(Turn::Ours) => {
                    let claims = (self.vcs.editing() == Editing::Possible).then_some(&*claims);
                    progress.perform(At { vcs: self.vcs, request, claims }, &plan).await
                }
                // Waiting for somebody is no failure, and what they post may be all there is to post.
                Ok(Turn::New) => continue,
                Ok(Turn::NotYet) if turns_missed < MOST_TURNS_MISSED => {
                    turns_missed += 1;
                    last = "somebody else is posting there all the time".to_owned();
                    sleep(self.patience.first_wait).await;
                    continue;
                }
                Ok(Turn::NotYet) => break,
                Err(error) => repeatable(error),
            };
            looks += 1;
            match performed {
                Performed::Done => {
                    let url = seen.url().to_owned();
                    if self.vcs.editing() == Editing::Possible {
                        claims.clear_dead(&seen.comments, &plan.head).await;
                    }
                    if plan.review.is_some() || plan.summary.is_some() {
                        self.agree(request, publication, seal, &mut seen, progress).await;
                    }
                    if plan.status.is_some()
                        && self.is_outdated(request, publication, seal, &mut seen, &plan).await
                    {
                        last = "others post there all the time".to_owned();
                        continue;
                    }
                    return Ok((url, plan));
                }
                Performed::PlanAgain { because } => last = because,
                Performed::LookAgain { because } => {
                    let Some(pause) = self.patience.pause_after(limited, &because, wait) else {
                        return Err((*because).into());
                    };
                    limited += because.retry_after().map_or(Duration::ZERO, |_| pause);
                    (self.waits)(&because, pause);
                    sleep(pause).await;
                    wait = (wait * 2).min(self.patience.longest_wait);
                    if because.may_have_happened() {
                        self.wait_for(request, seal, &plan, progress).await;
                    }
                    last = because.to_string();
                }
                Performed::Failed(error) => return Err((*error).into()),
            }
        }
        Err(PublishError::GaveUp { looks: self.patience.looks, last })
    }

    /// Whether it is our turn to do this. What only edits may be done by several at once.
    async fn turn(
        &self,
        claims: &mut Claims<'_, V>,
        progress: &mut Progress,
        plan: &PublishPlan,
        seen: &Seen,
    ) -> Result<Turn, PortError> {
        if !plan.adds() || progress.hold.is_some() || self.vcs.editing() == Editing::Impossible {
            return Ok(Turn::Ours);
        }
        if claims.is_busy(&seen.comments, &plan.head).await {
            return Ok(Turn::NotYet);
        }
        match claims.ask(&plan.head).await? {
            Asked::Ours(hold) => {
                progress.hold = Some(hold);
                // Whoever was before us may have posted since we looked.
                Ok(Turn::New)
            }
            Asked::NotOurs => Ok(Turn::NotYet),
        }
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
                    let Some(pause) = self.patience.pause(&error, wait) else { return Err(error.into()) };
                    (self.waits)(&error, pause);
                    sleep(pause).await;
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
                        MarkKind::Summary { .. } | MarkKind::Batch | MarkKind::Claim { .. } => None,
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

    /// Whether somebody posted something, between our look and our word on the commit, by which that word is wrong:
    /// whoever has the last word has to have seen everything.
    async fn is_outdated(
        &self,
        request: &MergeRequestRef,
        publication: Publication<'_>,
        seal: &Seal,
        seen: &mut Seen,
        said: &PublishPlan,
    ) -> bool {
        let Ok(comments) = self.vcs.get_comments(request).await else { return false };
        seen.comments = comments;
        let plan = seen.plan(self.vcs, publication, seal, &self.policy, &Memory::default());
        plan.is_ok_and(|now| now.verdict != said.verdict)
    }

    /// Looks once more, until what we posted is listed, so that whoever comes next sees it, and takes back what is there
    /// twice all the same. Nothing is added here: what we just posted need not be listed yet.
    async fn agree(
        &self,
        request: &MergeRequestRef,
        publication: Publication<'_>,
        seal: &Seal,
        seen: &mut Seen,
        progress: &mut Progress,
    ) {
        for wait in [Duration::ZERO, self.patience.first_wait, self.patience.first_wait * 2] {
            sleep(wait).await;
            let Ok(comments) = self.vcs.get_comments(request).await else { return };
            seen.comments = comments;
            let memory = Memory { refused: progress.memory.refused.clone(), ..Memory::default() };
            let plan = seen.plan(self.vcs, publication, seal, &self.policy, &memory);
            for twice in plan.iter().flat_map(|plan| &plan.take_back) {
                if progress.take_back(self.vcs, request, twice).await.is_err() {
                    progress.notes.push("a comment that is there twice could not be taken back yet".into());
                    return;
                }
            }
            let is_listed = plan.is_ok_and(|plan| !plan.adds());
            if is_listed && self.vcs.editing() == Editing::Possible {
                return;
            }
        }
    }
}

/// Whose turn it is to add something.
enum Turn {
    Ours,
    /// Ours from now on: what is there has to be looked at again.
    New,
    NotYet,
}

/// Looks at somebody else's claim before we give up: as long as the longest review takes to post.
const MOST_TURNS_MISSED: u32 = 300;

fn outcome(url: &str, plan: PublishPlan, progress: Progress) -> PublishOutcome {
    PublishOutcome {
        url: url.to_owned(),
        head: plan.head,
        added: progress.added,
        settled: progress.settled,
        only_in_summary: plan.only_in_summary,
        summary: progress.summary,
        verdict: plan.verdict,
        status: progress.status,
        doubt: plan.doubt,
        notes: progress.notes,
    }
}
