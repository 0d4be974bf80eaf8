use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use brain::act::Equipment;
use domain::change::{Change, Oid};
use domain::config::{AgentConfig, ReviewMode};
use domain::forge::MergeRequestRef;
use domain::formats::tool_report::ToolReport;
use domain::ports::Effect;
use domain::publish::{CannotPublish, Publication};
use domain::review::{Fingerprint, Patch, Review};
use domain::words::Severity;
use domain::work::WorkOrder;
use engine::once::{alone, patient};
use engine::publish::{PublishError, PublishOutcome, Publisher};
use git::{Ask, InUse, What};

use super::fetch::{Fetched, aside};
use super::posted::posting;
use super::{Forge, Found};
use crate::failure::Failure;
use crate::patches::patches;
use crate::reviewers::{Heard, Trust};
use crate::reviewing::{Answers, Names, Request, Wanted};
use crate::store::random;

/// Somebody who pushes faster than we review gets the last word after this many reviews.
const MOST_REVIEWS: u32 = 3;

/// How a request is to be reviewed.
pub(crate) struct Wish {
    pub(crate) order: WorkOrder,
    pub(crate) fail_on: Option<Severity>,
    pub(crate) who: Who,
    pub(crate) mode: Option<ReviewMode>,
    pub(crate) reports: Vec<ToolReport>,
    /// The task it is part of.
    pub(crate) task: Option<String>,
    /// A commit that has to be part of it.
    pub(crate) expected: Option<Oid>,
    pub(crate) answers: Answers,
    pub(crate) heard: Heard,
}

/// Who is to review.
#[derive(Debug, Clone)]
pub(crate) enum Who {
    Named(String),
    Agent(Box<AgentConfig>),
    /// A program of this machine that has answered already.
    Answered {
        reviewer: String,
        answer: String,
    },
}

impl Who {
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        match self {
            Who::Named(name) => Wanted::Named(name),
            Who::Agent(agent) => Wanted::Agent(agent),
            Who::Answered { reviewer, answer } => Wanted::Answered { reviewer, answer },
        }
    }
}

/// A request that was reviewed.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) review: Review,
    pub(crate) change: Change,
    pub(crate) head: Oid,
    pub(crate) found: Found,
    patches: HashMap<Fingerprint, Patch>,
}

impl Forge {
    /// Fetches the request and has it reviewed. Nothing is written anywhere but into our mirror.
    pub(crate) async fn review(
        &self,
        wanted: &MergeRequestRef,
        wish: &Arc<Wish>,
    ) -> Result<Outcome, Failure> {
        let fetched = self.fetch(wanted, wish.expected.as_ref(), &wish.heard).await?;
        self.review_fetched(fetched, wish, Equipment::default()).await
    }

    /// Reviews commits that are here. A model may have more than them to look at.
    pub(crate) async fn review_fetched(
        &self,
        fetched: Fetched,
        wish: &Arc<Wish>,
        equipment: Equipment,
    ) -> Result<Outcome, Failure> {
        let Fetched { found, folder, base, head, in_use, notes } = fetched;
        let trust = Trust::of(found.request.origin, self.outward.config.connect.forks);
        let names = Names {
            base: found.request.target_branch.clone(),
            head: found.request.source_branch.clone(),
            notes,
        };
        let job = Job { folder, base, head: head.clone(), names, trust, wish: Arc::clone(wish), in_use };
        let (review, change, patches) = aside(move || job.run(equipment)).await?;
        Ok(Outcome { review, change, head, found, patches })
    }

    /// Posts what is missing of it. Those who share the store do it one after the other.
    pub(crate) async fn publish(&self, outcome: &Outcome) -> Result<PublishOutcome, PublishError> {
        let publisher = Publisher {
            vcs: self.vcs.as_ref(),
            turns: self.turns.as_ref(),
            policy: self.outward.config.connect.publishing(),
            key: self.outward.publish_key(),
            patience: self.outward.patience(),
            waits: &|error, pause| self.outward.waits(error, pause),
        };
        let publication = Publication { review: &outcome.review, patches: &outcome.patches };
        let request = &outcome.found.request.reference;
        let publishing = publisher.publish(request, publication);
        match &self.store {
            Some(store) => {
                let (key, holder) = (format!("publish {} {request}", self.base), random());
                let turn = Effect { key: &key, holder: &holder };
                let ControlFlow::Continue(published) = alone(store, turn, patient, publishing).await?;
                published
            }
            None => publishing.await,
        }
    }

    /// Reviews and posts. Where somebody pushed in between, what they pushed is reviewed instead. Stopped while it posts,
    /// there is still the review.
    pub(crate) async fn review_and_publish(
        &self,
        wanted: &MergeRequestRef,
        wish: &Arc<Wish>,
        stop: impl Future<Output = ()>,
    ) -> Result<(Outcome, Result<PublishOutcome, PublishError>), Failure> {
        let mut stop = std::pin::pin!(stop);
        let mut reviews = 0;
        loop {
            let outcome = self.review(wanted, wish).await?;
            reviews += 1;
            (wish.heard)(&format!("Posting the review to {}", outcome.found.request.url));
            let published = tokio::select! {
                published = self.publish(&outcome) => published,
                () = &mut stop => Err(PublishError::Stopped),
            };
            match published {
                Err(PublishError::Cannot(CannotPublish::Moved { .. })) if reviews < MOST_REVIEWS => {
                    (wish.heard)("Somebody pushed meanwhile: reviewing the newest commit");
                }
                Ok(published) => {
                    let mut review = match published.doubt.clone() {
                        Some(doubt) => outcome.review.doubted(doubt),
                        None => outcome.review,
                    };
                    review.posting = Some(posting(&published));
                    return Ok((Outcome { review, ..outcome }, Ok(published)));
                }
                unpublished => return Ok((outcome, unpublished)),
            }
        }
    }
}

/// One review of commits that are here.
struct Job {
    folder: PathBuf,
    base: Oid,
    head: Oid,
    names: Names,
    trust: Trust,
    wish: Arc<Wish>,
    /// Until the review is made.
    in_use: InUse,
}

impl Job {
    fn run(self, equipment: Equipment) -> Result<(Review, Change, HashMap<Fingerprint, Patch>), Failure> {
        let wish = &self.wish;
        let request = Request {
            repository: &self.folder,
            ask: &Ask {
                what: What::Commits,
                base: Some(self.base.to_string()),
                head: Some(self.head.to_string()),
            },
            names: Some(&self.names),
            trust: self.trust,
            order: &wish.order,
            fail_on: wish.fail_on,
            wanted: wish.who.wanted(),
            mode: wish.mode,
            reports: &wish.reports,
            task: wish.task.as_deref(),
            answers: wish.answers,
            heard: Arc::clone(&wish.heard),
        };
        let (mut review, change) = request.review_with(equipment)?;
        review.patches = patches(&self.folder, &review)?;
        let patches = review.patches.clone().into_iter().collect();
        drop(self.in_use);
        Ok((review, change, patches))
    }
}
