use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use brain::act::ToolSource;
use connect::adapters::{Docs, Tracker, Vcs};
use domain::config::Config;
use domain::ports::{DocsPort, TrackerPort, VcsPort};
use domain::tools::{CallScope, ToolPolicy};
use engine::mission::{Halt, Mission, ReviewJob, Reviewed, Unreviewed, World};
use jiff::Timestamp;

use super::journal::Journal;
use super::port_tools::{OfDocs, OfForge, OfTracker, PortTools, Refusals};
use super::reviewing::Work;
use crate::failure::Failure;
use crate::reviewers::{Heard, variable};

/// What a mission needs from this machine.
pub(super) struct Desk {
    pub(super) journal: Journal,
    pub(super) config: Config,
    pub(super) policy: String,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) heard: Heard,
    pub(super) vcs: Option<Arc<Vcs>>,
    pub(super) tracker: Arc<Tracker>,
    pub(super) docs: Option<Arc<Docs>>,
}

impl Desk {
    /// What a model that explores may ask of the ports, each call of it checked.
    async fn tools(&self, job: &ReviewJob<'_>, refusals: &Refusals) -> Vec<Box<dyn ToolSource>> {
        let policy = ToolPolicy { allow: self.config.connect.allow_tools.clone() };
        let scope = scope_of(job);
        let mut sources: Vec<Box<dyn ToolSource>> = Vec::new();
        macro_rules! offer {
            ($port:expr, $wrap:ident) => {
                // A server that cannot say what it has offers nothing; the diff is there all the same.
                if let Ok(tools) = $port.get_mcp_tools().await {
                    let (policy, scope, refusals) = (policy.clone(), scope.clone(), refusals.clone());
                    sources.push(Box::new(PortTools {
                        port: $wrap(Arc::clone($port)),
                        tools,
                        policy,
                        scope,
                        refusals,
                    }));
                }
            };
        }
        if let Some(vcs) = &self.vcs {
            offer!(vcs, OfForge);
        }
        offer!(&self.tracker, OfTracker);
        if let Some(docs) = &self.docs {
            offer!(docs, OfDocs);
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

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn architecture_page(&self) -> Option<String> {
        variable("ARCHITECTURE_DOC_PAGE_ID").filter(|page| !page.trim().is_empty())
    }

    fn recovers(&self) -> bool {
        self.config.model.recovery
    }

    async fn review(&self, job: ReviewJob<'_>) -> Result<Reviewed, Unreviewed> {
        let refusals = Refusals::default();
        let tools = self.tools(&job, &refusals).await;
        let ReviewJob { issue, request, diff, context, mode, .. } = job;
        let withheld = diff.withheld.len();
        let change = diff.into_change(&request.target_branch, &request.source_branch);
        let work = Work {
            config: &self.config,
            policy: &self.policy,
            issue,
            context,
            change: &change,
            withheld,
            mode,
            tools,
            allowed: ToolPolicy { allow: self.config.connect.allow_tools.clone() },
            heard: Arc::clone(&self.heard),
        };
        let review = tokio::task::block_in_place(|| work.review())?;
        Ok(Reviewed { review, denied: refusals.take() })
    }
}
