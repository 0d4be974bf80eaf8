use std::future::Future;
use std::time::Duration;

use domain::forge::{BaseUrl, Issue, MergeRequest, MergeRequestDiff, Provider};
use domain::mission::MissionMode;
use domain::ports::{EffectStore, PortError};
use domain::publish::{PublishKey, PublishPolicy};
use domain::review::Review;
use domain::work::ContextDocument;
use jiff::Timestamp;

use super::Mission;
use crate::publish::Patience;

/// The three ways out of a mission. There is no other.
#[derive(Debug)]
pub struct MissionPorts<'a, V, T, D> {
    /// Or why there is none: a provider that nobody supports is reported to the ticket, as anything else is.
    pub forge: Result<Forge<'a, V>, PortError>,
    pub tracker: &'a T,
    /// Nothing where no wiki is configured.
    pub docs: Option<&'a D>,
}

#[derive(Debug)]
pub struct Forge<'a, V> {
    pub vcs: &'a V,
    pub provider: Provider,
    /// Where the addresses of tickets have to lead.
    pub base: BaseUrl,
    pub policy: PublishPolicy,
    pub key: Option<PublishKey>,
    pub patience: Patience,
}

/// What a mission needs besides its ports.
pub trait World: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Whether somebody wants it to stop. What was being done then is done again by the next run.
    fn is_stopped(&self) -> bool;

    fn tell(&self, what: &str);

    /// Stores the mission so that it survives whatever happens next.
    fn save(&self, mission: &Mission) -> Result<(), Halt>;

    /// Where it is remembered what was told, by all who share it.
    fn effects(&self) -> &impl EffectStore;

    /// What we are called there: another name than that of anybody who may be at work now.
    fn holder(&self) -> &str;

    /// By which our reports are told where the tracker does not say who wrote them.
    fn seal(&self) -> Option<&PublishKey>;

    fn wait(&self, time: Duration) -> impl Future<Output = ()> + Send;

    /// `ARCHITECTURE_DOC_PAGE_ID`.
    fn architecture_page(&self) -> Option<String>;

    /// Whether a review without the architecture page is inconclusive.
    fn requires_architecture(&self) -> bool;

    /// Whether a review whose publication failed may be tried again by other means.
    fn recovers(&self) -> bool;

    /// Has the diff reviewed, by somebody fresh.
    fn review(&self, job: ReviewJob<'_>) -> impl Future<Output = Result<Reviewed, Unreviewed>> + Send;
}

/// Everything a reviewer of a mission is given.
#[derive(Debug)]
pub struct ReviewJob<'a> {
    pub mission: &'a Mission,
    pub issue: &'a Issue,
    pub request: &'a MergeRequest,
    pub diff: MergeRequestDiff,
    /// From the wiki.
    pub context: Vec<ContextDocument>,
    /// If one is demanded.
    pub mode: Option<MissionMode>,
}

/// A review, and what its reviewer wanted to do and was not allowed to.
#[derive(Debug, Clone)]
pub struct Reviewed {
    pub review: Review,
    /// For the audit.
    pub denied: Vec<String>,
    /// What the reviewer was not given, one clause each.
    pub limits: Vec<String>,
}

/// Why there is no review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreviewed {
    pub reason: String,
    pub hint: String,
}

/// Why a mission cannot go on now. Nothing is lost: it may be gone on with from the same step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    Stopped,
    Failed { what: String, hint: String },
}
