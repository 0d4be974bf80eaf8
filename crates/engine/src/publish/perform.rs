use std::collections::HashSet;
use std::pin::pin;

use domain::forge::{CommentRef, CommitStatus, MergeRequestRef, Published, ReviewPost};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::publish::{Memory, PublishPlan, Settle, SummaryStep, ThreadStep};
use tokio::time::sleep;

use super::claim::{Claims, Hold, cannot};
use super::run::{StatusOutcome, SummaryOutcome};

/// How comments are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As one review.
    Together,
    /// The forge refused them as a whole and did not say which is to blame.
    OneByOne,
}

/// What a publisher learns while it works.
pub(super) struct Progress {
    pub(super) memory: Memory,
    /// Our claim, while it is one.
    pub(super) hold: Option<Hold>,
    /// Whether the summary may have taken its place, and nobody knows.
    pub(super) unsure_of_hold: bool,
    pub(super) way: Way,
    /// Comments that cannot be changed, whatever is tried.
    pub(super) given_up: HashSet<CommentRef>,
    pub(super) added: usize,
    pub(super) settled: usize,
    pub(super) summary: SummaryOutcome,
    pub(super) notes: Vec<String>,
    pub(super) status: StatusOutcome,
}

/// What came of performing a plan.
#[derive(Debug)]
pub(super) enum Performed {
    Done,
    /// Something was learned that makes for another plan.
    PlanAgain {
        because: String,
    },
    /// An answer was lost, or the forge wants to be left alone for a while.
    LookAgain {
        because: Box<PortError>,
    },
    Failed(Box<PortError>),
}

/// Ends a step early, with what is to be done about it.
type Step = Result<(), Performed>;

/// Where everything is done.
pub(super) struct At<'a, V> {
    pub(super) vcs: &'a V,
    pub(super) request: &'a MergeRequestRef,
    /// Nothing where claims cannot be made.
    pub(super) claims: Option<&'a Claims<'a, V>>,
}

impl<V> Clone for At<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for At<'_, V> {}

impl Progress {
    pub(super) fn new() -> Self {
        Progress {
            memory: Memory::default(),
            hold: None,
            unsure_of_hold: false,
            way: Way::Together,
            given_up: HashSet::new(),
            added: 0,
            settled: 0,
            summary: SummaryOutcome::Unchanged,
            notes: Vec::new(),
            status: StatusOutcome::Unchanged,
        }
    }

    /// The verdict comes last: whoever waits for it finds everything else there.
    pub(super) async fn perform<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan) -> Performed {
        match self.steps(at, plan).await {
            Ok(()) => Performed::Done,
            Err(performed) => performed,
        }
    }

    async fn steps<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan) -> Step {
        let At { vcs, request, .. } = at;
        if let Some(post) = &plan.review {
            match self.way {
                Way::Together => self.together(at, plan, post).await?,
                Way::OneByOne => self.one_by_one(at, plan, post).await?,
            }
        }
        for settle in &plan.settle {
            self.settle(vcs, request, settle).await?;
        }
        for twice in &plan.take_back {
            self.take_back(vcs, request, twice).await?;
        }
        match &plan.summary {
            Some(SummaryStep::Add { body }) => {
                self.add_summary(at, plan, body).await?;
                self.summary = SummaryOutcome::Added;
            }
            Some(SummaryStep::Edit { comment, body }) => {
                vcs.edit_comment(request, comment, body).await.map_err(repeatable)?;
                if self.summary == SummaryOutcome::Unchanged {
                    self.summary = SummaryOutcome::Edited;
                }
            }
            None => {}
        }
        match &plan.status {
            Some(status) => self.set_status(vcs, request, status).await,
            None => Ok(()),
        }
    }

    /// In the place of our claim, where we have one.
    async fn add_summary<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan, body: &str) -> Step {
        self.beat(at, plan).await?;
        let Some(hold) = &self.hold else {
            return at.vcs.add_comment(at.request, body).await.map_err(repeatable);
        };
        match at.vcs.edit_comment(at.request, hold.comment(), body).await {
            Ok(()) => self.hold = None,
            Err(error) if error.kind == PortErrorKind::NotFound => return Err(self.lost()),
            Err(error) => {
                self.unsure_of_hold |= error.may_have_happened();
                return Err(repeatable(error));
            }
        }
        Ok(())
    }

    /// Shows others that we are still at it, and notices if they have given us up.
    async fn beat<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan) -> Step {
        let (Some(claims), Some(hold)) = (at.claims, &mut self.hold) else { return Ok(()) };
        match claims.beat(hold, &plan.head).await {
            Ok(()) => Ok(()),
            Err(error) if error.kind == PortErrorKind::NotFound => Err(self.lost()),
            Err(error) => Err(repeatable(error)),
        }
    }

    fn lost(&mut self) -> Performed {
        self.hold = None;
        Performed::PlanAgain { because: "somebody else took this for abandoned".to_owned() }
    }

    /// Posting many comments may take longer than others wait for a sign of life.
    async fn post<V: VcsPort>(
        &mut self,
        at: At<'_, V>,
        plan: &PublishPlan,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        let mut posting = pin!(at.vcs.publish_review(at.request, post));
        let Some(claims) = at.claims else { return posting.await };
        loop {
            tokio::select! {
                answer = &mut posting => return answer,
                () = sleep(claims.between_beats()) => {
                    if let Some(hold) = &mut self.hold {
                        // If we are given up on, what is half posted is no better half done.
                        let _ = claims.beat(hold, &plan.head).await;
                    }
                }
            }
        }
    }

    async fn together<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan, post: &ReviewPost) -> Step {
        self.beat(at, plan).await?;
        let refused = match self.post(at, plan, post).await {
            Ok(published) => published.refused,
            Err(error) if is_about_the_review(&error) => {
                self.way = Way::OneByOne;
                return Err(Performed::PlanAgain { because: error.to_string() });
            }
            Err(error) => return Err(repeatable(error)),
        };
        let because = refused.first().map(|refused| refused.reason.clone());
        let bad: HashSet<_> = refused.into_iter().map(|refused| refused.fingerprint).collect();
        let placed =
            post.comments.iter().map(|comment| &comment.fingerprint).filter(|print| !bad.contains(*print));
        self.memory.placed.extend(placed.cloned());
        self.added += post.comments.len() - bad.len();
        self.memory.refused.extend(bad);
        because.map_or(Ok(()), |because| Err(Performed::PlanAgain { because }))
    }

    async fn one_by_one<V: VcsPort>(&mut self, at: At<'_, V>, plan: &PublishPlan, post: &ReviewPost) -> Step {
        let mut because = None;
        for comment in &post.comments {
            self.beat(at, plan).await?;
            match at.vcs.add_inline_comment(at.request, &post.refs, comment).await {
                Ok(()) => {
                    self.added += 1;
                    self.memory.placed.insert(comment.fingerprint.clone());
                }
                Err(error) if is_about_the_review(&error) => {
                    self.memory.refused.insert(comment.fingerprint.clone());
                    because = Some(error.to_string());
                }
                Err(error) => return Err(repeatable(error)),
            }
        }
        because.map_or(Ok(()), |because| Err(Performed::PlanAgain { because }))
    }

    /// What cannot be settled stays as it is: that keeps nobody from reading the rest.
    pub(super) async fn settle<V: VcsPort>(
        &mut self,
        vcs: &V,
        request: &MergeRequestRef,
        settle: &Settle,
    ) -> Step {
        if self.given_up.contains(&settle.comment) {
            return Ok(());
        }
        let mut answer = match &settle.body {
            Some(body) => vcs.edit_comment(request, &settle.comment, body).await,
            None => Ok(()),
        };
        if answer.is_ok() && settle.thread == ThreadStep::Resolve {
            answer = vcs.resolve_thread(request, &settle.comment).await;
        }
        match answer {
            Ok(()) => self.settled += 1,
            Err(error) if error.is_transient() => return Err(repeatable(error)),
            Err(error) => {
                self.given_up.insert(settle.comment.clone());
                self.notes.push(error.to_string());
            }
        }
        Ok(())
    }

    /// What is there twice goes. Where it cannot go, it says that it is a duplicate.
    pub(super) async fn take_back<V: VcsPort>(
        &mut self,
        vcs: &V,
        request: &MergeRequestRef,
        twice: &Settle,
    ) -> Step {
        if self.given_up.contains(&twice.comment) {
            return Ok(());
        }
        match vcs.delete_comment(request, &twice.comment).await {
            Err(error) if cannot(&error) => {
                let settled = self.settled;
                let step = self.settle(vcs, request, twice).await;
                self.settled = settled;
                step
            }
            answer => answer.map_err(repeatable),
        }
    }

    async fn set_status<V: VcsPort>(
        &mut self,
        vcs: &V,
        request: &MergeRequestRef,
        status: &CommitStatus,
    ) -> Step {
        match vcs.set_status(&request.project, status).await {
            Ok(()) => self.status = StatusOutcome::Set,
            Err(error) if error.is_transient() => return Err(repeatable(error)),
            Err(error) => self.status = StatusOutcome::Failed(error),
        }
        Ok(())
    }
}

/// Refused for what it says or where, not for who says it or when.
fn is_about_the_review(error: &PortError) -> bool {
    matches!(error.kind, PortErrorKind::Rejected | PortErrorKind::MissingTool)
}

pub(super) fn repeatable(error: PortError) -> Performed {
    let because = Box::new(error);
    match because.kind {
        PortErrorKind::RateLimited { .. }
        | PortErrorKind::Conflict
        | PortErrorKind::Unavailable(_)
        | PortErrorKind::Unreadable => Performed::LookAgain { because },
        PortErrorKind::Unsupported
        | PortErrorKind::NotConfigured
        | PortErrorKind::MissingTool
        | PortErrorKind::Denied(_)
        | PortErrorKind::NotFound
        | PortErrorKind::Unauthorised
        | PortErrorKind::Rejected => Performed::Failed(because),
    }
}
