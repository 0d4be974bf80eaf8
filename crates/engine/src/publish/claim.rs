//! Posting in turn among publishers that share nothing but the forge.
//!
//! Whoever is about to add something posts a comment that says so, and looks again. Forges number comments, so of several
//! claims the oldest wins, to everybody who sees them; the others take theirs back and wait. The holder changes its claim
//! while it is at work, so that one who died is told from one who is slow. The claim becomes the summary where there is
//! none yet, and goes otherwise.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use domain::change::Oid;
use domain::forge::{CommentRef, MergeRequestRef, PostedComment};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::publish::{Claim, Mark, MarkKind, Seal, claims};
use tokio::time::{Instant, sleep};

use super::run::Patience;

/// A claim that counts.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    comment: CommentRef,
    beat: u64,
    beaten_at: Instant,
}

/// What came of asking for one.
pub(super) enum Asked {
    Ours(Hold),
    /// Somebody else was first, or ours is not listed.
    NotOurs,
}

/// One publisher's part in it.
pub(super) struct Claims<'a, V> {
    vcs: &'a V,
    request: &'a MergeRequestRef,
    seal: &'a Seal,
    patience: Patience,
    /// Ours alone.
    holder: String,
    /// Of others: at which beat they were, and since when.
    others: HashMap<String, (u64, Instant)>,
    /// Whether a claim of ours may be there that nobody holds.
    astray: bool,
}

/// How often a claim is looked for before it counts as lost.
const LOOKS: u32 = 5;

impl<'a, V: VcsPort> Claims<'a, V> {
    pub(super) fn new(vcs: &'a V, request: &'a MergeRequestRef, seal: &'a Seal, patience: Patience) -> Self {
        let holder = format!("{:016x}{:016x}", random(), random());
        Claims { vcs, request, seal, patience, holder, others: HashMap::new(), astray: false }
    }

    /// A claim that has not moved for so long is a dead publisher's.
    fn lease(&self) -> Duration {
        self.patience.first_wait * 10
    }

    /// Whether somebody else is posting. A claim that is dead by what we have seen of it is cleared away.
    pub(super) async fn is_busy(&mut self, comments: &[PostedComment], head: &Oid) -> bool {
        let there: Vec<Claim> = claims(self.seal, self.request, comments)
            .into_iter()
            .filter(|claim| claim.holder != self.holder)
            .collect();
        self.others.retain(|holder, _| there.iter().any(|claim| claim.holder == *holder));
        let mut busy = false;
        for claim in there {
            let known = self.others.entry(claim.holder.clone()).or_insert((claim.beat, Instant::now()));
            if known.0 != claim.beat {
                *known = (claim.beat, Instant::now());
            }
            match self.is_dead(&claim) {
                // If it cannot be cleared away, it is passed over.
                true => _ = self.clear(&claim.comment, head).await,
                false => busy = true,
            }
        }
        busy
    }

    /// Waits for others that were there when we looked, no longer than it takes to see that they are dead: what they left
    /// would stay there for good.
    pub(super) async fn clear_dead(&mut self, comments: &[PostedComment], head: &Oid) {
        let mut busy = self.is_busy(comments, head).await;
        let began = Instant::now();
        while busy && began.elapsed() <= self.lease() + self.patience.first_wait {
            sleep(self.patience.first_wait).await;
            let Ok(comments) = self.vcs.get_comments(self.request).await else { return };
            busy = self.is_busy(&comments, head).await;
        }
    }

    fn is_dead(&self, claim: &Claim) -> bool {
        let known = self.others.get(&claim.holder);
        known.is_some_and(|(beat, since)| *beat == claim.beat && since.elapsed() >= self.lease())
    }

    /// Posts a claim, and says whether it is the oldest once everybody had time to see it.
    pub(super) async fn ask(&mut self, head: &Oid) -> Result<Asked, PortError> {
        let body = Claim::body(self.seal, self.request, head, &self.holder, 0);
        let beaten_at = Instant::now();
        match self.vcs.add_comment(self.request, &body).await {
            Err(error) if !error.may_have_happened() => return Err(error),
            Ok(()) | Err(_) => self.astray = true,
        }
        let mut confirmed = false;
        for _ in 0..LOOKS {
            let listed = self.list().await.unwrap_or_default();
            let Some(ours) = listed.iter().find(|claim| claim.holder == self.holder) else {
                sleep(self.patience.first_wait).await;
                continue;
            };
            let first = listed.iter().find(|claim| !self.is_dead(claim));
            let is_first = first.is_some_and(|first| first.holder == self.holder);
            match (is_first, confirmed) {
                (true, true) => {
                    self.astray = false;
                    return Ok(Asked::Ours(Hold { comment: ours.comment.clone(), beat: 0, beaten_at }));
                }
                (true, false) => {
                    // A forge may list an older one later than ours.
                    confirmed = true;
                    sleep(self.patience.first_wait).await;
                }
                (false, _) => break,
            }
        }
        self.tidy(head).await;
        Ok(Asked::NotOurs)
    }

    /// Shows that we are at it, if it is time to. An error says that the claim is not ours any more, or that nobody knows.
    pub(super) async fn beat(&self, hold: &mut Hold, head: &Oid) -> Result<(), PortError> {
        if hold.beaten_at.elapsed() < self.lease() / 4 {
            return Ok(());
        }
        let body = Claim::body(self.seal, self.request, head, &self.holder, hold.beat + 1);
        let now = Instant::now();
        self.vcs.edit_comment(self.request, &hold.comment, &body).await?;
        (hold.beat, hold.beaten_at) = (hold.beat + 1, now);
        Ok(())
    }

    /// How long a holder may be at something else before it has to show itself.
    pub(super) fn between_beats(&self) -> Duration {
        self.lease() / 4
    }

    /// Gives the turn back. What fails here is found dead by the next one.
    pub(super) async fn release(&mut self, hold: Hold, head: &Oid) {
        if self.clear(&hold.comment, head).await.is_err() {
            self.astray = true;
        }
    }

    /// Takes back whatever claim of ours is still listed.
    pub(super) async fn tidy(&mut self, head: &Oid) {
        if !self.astray {
            return;
        }
        let Ok(listed) = self.list().await else { return };
        let mut left = false;
        for claim in listed.iter().filter(|claim| claim.holder == self.holder) {
            left |= self.clear(&claim.comment, head).await.is_err();
        }
        self.astray = left || listed.iter().all(|claim| claim.holder != self.holder);
    }

    async fn list(&self) -> Result<Vec<Claim>, PortError> {
        let comments = self.vcs.get_comments(self.request).await?;
        Ok(claims(self.seal, self.request, &comments))
    }

    /// Where comments cannot be deleted, it says from now on that it is over.
    async fn clear(&self, claim: &CommentRef, head: &Oid) -> Result<(), PortError> {
        match self.vcs.delete_comment(self.request, claim).await {
            Err(error) if cannot(&error) => {
                let text = format!("Countersign has posted its review of `{}`.\n", head.short());
                let mark = Mark { kind: MarkKind::Batch, head: head.clone() };
                let body = self.seal.write(self.request, &mark, &text);
                self.vcs.edit_comment(self.request, claim, &body).await
            }
            answer => answer,
        }
    }
}

impl Hold {
    /// What becomes the summary where there is none.
    pub(super) fn comment(&self) -> &CommentRef {
        &self.comment
    }
}

/// Not by this server, or not with this token.
pub(super) fn cannot(error: &PortError) -> bool {
    matches!(error.kind, PortErrorKind::MissingTool | PortErrorKind::Unauthorised | PortErrorKind::Rejected)
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
