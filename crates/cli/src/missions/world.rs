use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use brain::act::{Equipment, ToolSource};
use connect::adapters::{Docs, Tracker, Vcs};
use domain::config::{Config, ReviewMode};
use domain::mission::MissionMode;
use domain::ports::{DocsPort, EffectStore, TrackerPort, VcsPort};
use domain::publish::PublishKey;
use domain::review::{Review, Trouble, Verdict};
use domain::tools::{CallScope, McpTool, Permission, ToolPolicy, permission};
use engine::mission::{Halt, Mission, ReviewJob, Reviewed, Unreviewed, World};
use jiff::Timestamp;
use store::Store;

use super::journal::Journal;
use super::port_tools::{OfDocs, OfForge, OfTracker, PortTools, Refusals};
use super::reviewing::{Work, work_order};
use super::said::Said;
use crate::failure::Failure;
use crate::requests::{Fetched, Forge, Who, Wish};
use crate::reviewers::{Heard, Trust, variable};
use crate::reviewing::Answers;

/// What a mission needs from this machine.
pub(super) struct Desk {
    pub(super) journal: Journal,
    pub(super) effects: Store,
    pub(super) seal: Option<PublishKey>,
    pub(super) config: Config,
    pub(super) policy: String,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) heard: Heard,
    pub(super) vcs: Option<Arc<Vcs>>,
    pub(super) tracker: Arc<Tracker>,
    pub(super) docs: Option<Arc<Docs>>,
    /// Where commits are fetched from; nothing under `connect.mirror: false`.
    pub(super) mirror: Option<Forge>,
    pub(super) said: Arc<Said>,
}

impl Desk {
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { allow: self.config.connect.allow_tools.clone() }
    }

    /// What a model that explores may ask of the ports, each call of it checked. Whoever reads a stranger's words, and may
    /// be talked into anything by them, looks at what is under review and nowhere else, and writes nothing: its report is
    /// read by that stranger.
    async fn tools(&self, job: &ReviewJob<'_>, refusals: &Refusals) -> Vec<Box<dyn ToolSource>> {
        let policy = self.policy();
        let trust = Trust::of(job.request.origin, self.config.connect.forks);
        let may = |tool: &McpTool| match (trust, permission(&tool.name, tool.effect, &policy)) {
            (Trust::Own, _) | (Trust::Stranger, Permission::Inspect | Permission::Denied(_)) => true,
            (Trust::Stranger, Permission::Publish) => false,
        };
        let scope = scope_of(job);
        let mut sources: Vec<Box<dyn ToolSource>> = Vec::new();
        macro_rules! offer {
            ($port:expr, $wrap:ident) => {
                // A server that cannot say what it has offers nothing; the diff is there all the same.
                if let Ok(mut tools) = $port.get_mcp_tools().await {
                    tools.retain(&may);
                    let (policy, scope, refusals) = (policy.clone(), scope.clone(), refusals.clone());
                    let said = Arc::clone(&self.said);
                    sources.push(Box::new(PortTools {
                        port: $wrap(Arc::clone($port)),
                        tools,
                        policy,
                        scope,
                        trust,
                        refusals,
                        said,
                    }));
                }
            };
        }
        if let Some(vcs) = &self.vcs {
            offer!(vcs, OfForge);
        }
        if trust == Trust::Own {
            offer!(&self.tracker, OfTracker);
            if let Some(docs) = &self.docs {
                offer!(docs, OfDocs);
            }
        }
        sources
    }
}

fn scope_of(job: &ReviewJob<'_>) -> CallScope {
    let mut projects = vec![job.request.reference.project.to_string()];
    projects.extend(job.mission.params.as_ref().map(|params| params.project.to_string()));
    projects.dedup();
    CallScope { projects, number: job.request.reference.number, issues: vec![job.mission.key.to_string()] }
}

fn halt(failure: Failure) -> Halt {
    Halt::Failed { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

impl World for Desk {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn tell(&self, what: &str) {
        (self.heard)(what);
    }

    fn save(&self, mission: &Mission) -> Result<(), Halt> {
        self.journal.save(mission).map_err(halt)
    }

    fn effects(&self) -> &impl EffectStore {
        &self.effects
    }

    fn holder(&self) -> &str {
        self.journal.holder()
    }

    fn seal(&self) -> Option<&PublishKey> {
        self.seal.as_ref()
    }

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn architecture_page(&self) -> Option<String> {
        variable("ARCHITECTURE_DOC_PAGE_ID").filter(|page| !page.trim().is_empty())
    }

    fn requires_architecture(&self) -> bool {
        self.config.connect.require_architecture
    }

    fn recovers(&self) -> bool {
        self.config.model.recovery
    }

    async fn review(&self, job: ReviewJob<'_>) -> Result<Reviewed, Unreviewed> {
        let refusals = Refusals::default();
        let sources = self.tools(&job, &refusals).await;
        let equipment = Equipment { sources, policy: self.policy(), ..Equipment::default() };
        let (review, limit) = match &self.mirror {
            None => (self.of_the_diff(job, equipment)?, Some(DIFF_ALONE.to_owned())),
            Some(forge) => match forge.fetch(&job.request.reference, None, &self.heard).await {
                Ok(fetched) => (self.of_commits(forge, fetched, job, equipment).await?, None),
                Err(failure) => {
                    let (review, limit) = without_commits(self.of_the_diff(job, equipment)?, &failure);
                    (review, Some(limit))
                }
            },
        };
        Ok(Reviewed { review, denied: refusals.take(), limits: limit.into_iter().collect() })
    }
}

impl Desk {
    /// What the port gave, and nothing else.
    fn of_the_diff(&self, job: ReviewJob<'_>, equipment: Equipment) -> Result<Review, Unreviewed> {
        let ReviewJob { mission, issue, request, diff, context, mode } = job;
        let config = asked_anew(mission, &self.config);
        let withheld = diff.withheld.len();
        let change = diff.into_change(&request.target_branch, &request.source_branch);
        let work = Work {
            config: &config,
            policy: &self.policy,
            issue,
            context,
            change: &change,
            withheld,
            mode,
            equipment,
            heard: Arc::clone(&self.heard),
        };
        tokio::task::block_in_place(|| work.review()).map_err(unreviewed)
    }

    /// Both sides, whole, in a mirror that git brings up to date: as `review --pr` does it, under the policy of the base.
    async fn of_commits(
        &self,
        forge: &Forge,
        fetched: Fetched,
        job: ReviewJob<'_>,
        equipment: Equipment,
    ) -> Result<Review, Unreviewed> {
        let wish = Wish {
            order: work_order(job.issue, job.context),
            fail_on: None,
            who: Who::Named("model".to_owned()),
            mode: job.mode.map(|mode| match mode {
                MissionMode::LinearDeterministic => ReviewMode::Linear,
                MissionMode::AgenticActLoop => ReviewMode::Agentic,
            }),
            reports: Vec::new(),
            task: None,
            expected: None,
            answers: match job.mission.again.is_empty() {
                true => Answers::Kept,
                false => Answers::New,
            },
            heard: Arc::clone(&self.heard),
        };
        let reviewed = forge.review_fetched(fetched, &Arc::new(wish), equipment).await;
        reviewed.map(|outcome| outcome.review).map_err(unreviewed)
    }
}

const DIFF_ALONE: &str = "reviewed from the diff alone, without the rest of the files: connect.mirror is off";

/// A review of the diff where the commits were to be reviewed. It sees less than the policy of the target branch asks for, so
/// it passes nothing.
fn without_commits(review: Review, failure: &Failure) -> (Review, String) {
    let why = failure.what().trim_end_matches('.');
    let limit = format!("reviewed from the diff alone, the commits could not be fetched: {why}");
    let review = match review.verdict() {
        Verdict::Pass => review.doubted(Trouble {
            kind: "unfetched".to_owned(),
            message: format!("the commits could not be fetched: {why}; {}", failure.hint()),
        }),
        Verdict::Fail | Verdict::Inconclusive => review,
    };
    (review, limit)
}

/// Whoever wants the same review once more wants no answers that are kept from the last one.
fn asked_anew<'a>(mission: &Mission, config: &'a Config) -> Cow<'a, Config> {
    if mission.again.is_empty() {
        return Cow::Borrowed(config);
    }
    let mut config = config.clone();
    config.model.cache = false;
    Cow::Owned(config)
}

fn unreviewed(failure: Failure) -> Unreviewed {
    Unreviewed { reason: failure.what().to_owned(), hint: failure.hint().to_owned() }
}
