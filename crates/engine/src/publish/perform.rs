use std::collections::HashSet;
use std::time::Duration;

use domain::forge::{CommentRef, CommitStatus, MergeRequestRef, ReviewPost};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::publish::{Memory, PublishPlan, Settle, SummaryStep, ThreadStep};

use super::run::StatusOutcome;

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
    pub(super) way: Way,
    /// Comments that cannot be changed, whatever is tried.
    pub(super) given_up: HashSet<CommentRef>,
    pub(super) added: usize,
    pub(super) settled: usize,
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
        after: Option<Duration>,
        because: Box<PortError>,
    },
    Failed(Box<PortError>),
}

/// Ends a step early, with what is to be done about it.
type Step = Result<(), Performed>;

impl Progress {
    pub(super) fn new() -> Self {
        Progress {
            memory: Memory::default(),
            way: Way::Together,
            given_up: HashSet::new(),
            added: 0,
            settled: 0,
            notes: Vec::new(),
            status: StatusOutcome::Unchanged,
        }
    }

    /// The verdict comes last: whoever waits for it finds everything else there.
    pub(super) async fn perform<V: VcsPort>(
        &mut self,
        vcs: &V,
        request: &MergeRequestRef,
        plan: &PublishPlan,
    ) -> Performed {
        match self.steps(vcs, request, plan).await {
            Ok(()) => Performed::Done,
            Err(performed) => performed,
        }
    }

    async fn steps<V: VcsPort>(&mut self, vcs: &V, request: &MergeRequestRef, plan: &PublishPlan) -> Step {
        if let Some(post) = &plan.review {
            match self.way {
                Way::Together => self.together(vcs, request, post).await?,
                Way::OneByOne => self.one_by_one(vcs, request, post).await?,
            }
        }
        for settle in &plan.settle {
            self.settle(vcs, request, settle).await?;
        }
        match &plan.summary {
            Some(SummaryStep::Add { body }) => vcs.add_comment(request, body).await.map_err(repeatable)?,
            Some(SummaryStep::Edit { comment, body }) => {
                vcs.edit_comment(request, comment, body).await.map_err(repeatable)?;
            }
            None => {}
        }
        match &plan.status {
            Some(status) => self.set_status(vcs, request, status).await,
            None => Ok(()),
        }
    }

    async fn together<V: VcsPort>(&mut self, vcs: &V, request: &MergeRequestRef, post: &ReviewPost) -> Step {
        let refused = match vcs.publish_review(request, post).await {
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

    async fn one_by_one<V: VcsPort>(
        &mut self,
        vcs: &V,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Step {
        let mut because = None;
        for comment in &post.comments {
            match vcs.add_inline_comment(request, &post.refs, comment).await {
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

fn repeatable(error: PortError) -> Performed {
    let after = match error.kind {
        PortErrorKind::RateLimited { retry_after } => retry_after,
        PortErrorKind::Conflict | PortErrorKind::Unavailable(_) | PortErrorKind::Unreadable => None,
        PortErrorKind::Unsupported
        | PortErrorKind::NotConfigured
        | PortErrorKind::MissingTool
        | PortErrorKind::Denied(_)
        | PortErrorKind::NotFound
        | PortErrorKind::Unauthorised
        | PortErrorKind::Rejected => return Performed::Failed(Box::new(error)),
    };
    Performed::LookAgain { after, because: Box::new(error) }
}
