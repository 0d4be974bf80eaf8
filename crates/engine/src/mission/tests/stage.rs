//! A ticket, a wiki and a world in memory, beside the forge that publishing is tested with.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::forge::{
    BaseUrl, DocsPage, Identity, Issue, IssueKey, Provider, ReviewSummary, TicketComment, Transition,
};
use domain::mission::MissionMode;
use domain::ports::{DocsPort, EffectStore, Happened, PortError, PortErrorKind, TrackerPort};
use domain::publish::{PublishKey, PublishPolicy};
use domain::review::Trouble as Doubt;
use domain::tools::McpTool;
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::mission::{
    Ended, Forge, Halt, Mission, MissionPorts, ReviewJob, Reviewed, Unreviewed, World, run,
};
use crate::once::tests::Memory;
use crate::publish::Patience;
use crate::publish::tests::forge::{Forge as FakeForge, review};

pub(super) const PARAMS: &str = "code_review_params:\n  gitlab_project_id: o/r\n  source_branch_name: topic\n  \
    review_request_url: https://forge.example.com/o/r/-/merge_requests/7\n  generated_at: 2026-11-15T10:00:00Z\n";

/// What goes wrong with a comment, by its number from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It is posted, and the answer never comes.
    Lost,
    Down,
    Forbidden,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wiki {
    Absent,
    Down,
    Up,
}

pub(super) struct Stage {
    pub(super) forge: FakeForge,
    pub(super) provider: Result<Provider, PortError>,
    pub(super) description: String,
    pub(super) comments: Mutex<Vec<TicketComment>>,
    pub(super) troubles: HashMap<usize, Trouble>,
    pub(super) wiki: Wiki,
    /// The page that is configured; the wiki has 4711 alone.
    pub(super) architecture: Option<String>,
    pub(super) requires_architecture: bool,
    pub(super) recovers: bool,
    pub(super) lines: Vec<u32>,
    /// Why the reviewer cannot.
    pub(super) unreviewed: Option<Unreviewed>,
    /// Somebody pushes during the first review.
    pub(super) push_once: AtomicBool,
    /// The save that the process does not survive.
    pub(super) dies_at_save: usize,
    pub(super) saved: Mutex<Option<Mission>>,
    pub(super) modes: Mutex<Vec<Option<MissionMode>>>,
    pub(super) pages: Mutex<Vec<String>>,
    /// What somebody else posts just before we do.
    pub(super) meanwhile: Mutex<Vec<TicketComment>>,
    pub(super) again: String,
    pub(super) effects: Memory,
    pub(super) posts: AtomicUsize,
    /// When each comment was posted, since the stage was made.
    pub(super) told_after: Mutex<Vec<Duration>>,
    pub(super) began: Instant,
    /// What keeps the review from being conclusive.
    pub(super) trouble: Option<&'static str>,
    pub(super) saves: AtomicUsize,
}

impl Stage {
    pub(super) fn new() -> Stage {
        Stage {
            forge: FakeForge::new(Provider::Gitlab),
            provider: Ok(Provider::Gitlab),
            description: PARAMS.to_owned(),
            comments: Mutex::new(vec![]),
            troubles: HashMap::new(),
            wiki: Wiki::Up,
            architecture: Some("4711".to_owned()),
            requires_architecture: false,
            recovers: false,
            lines: vec![2],
            unreviewed: None,
            push_once: AtomicBool::new(false),
            dies_at_save: usize::MAX,
            saved: Mutex::new(None),
            modes: Mutex::new(vec![]),
            pages: Mutex::new(vec![]),
            meanwhile: Mutex::new(vec![]),
            again: String::new(),
            effects: Memory::default(),
            posts: AtomicUsize::new(0),
            told_after: Mutex::new(vec![]),
            began: Instant::now(),
            trouble: None,
            saves: AtomicUsize::new(0),
        }
    }

    pub(super) fn key() -> IssueKey {
        IssueKey::parse("PROJ-1").unwrap()
    }

    /// Goes on from what was saved.
    pub(super) async fn run(&self) -> Result<Ended, Halt> {
        let saved = self.saved.lock().unwrap().clone();
        let unfinished = saved.clone().filter(|last| !last.is_over());
        let mut mission = unfinished.unwrap_or_else(|| Mission {
            again: self.again.clone(),
            unposted: saved.and_then(Mission::into_unposted),
            ..Mission::begin(Stage::key(), self.now())
        });
        let forge = self.provider.clone().map(|provider| Forge {
            vcs: &self.forge,
            provider,
            base: BaseUrl::parse("https://forge.example.com").unwrap(),
            policy: PublishPolicy { check_name: "countersign".into(), most_inline: 50 },
            key: None,
            patience: Patience::of_a_mission(),
        });
        let ports = MissionPorts { forge, tracker: self, docs: (self.wiki != Wiki::Absent).then_some(self) };
        run(&mut mission, &ports, self).await
    }

    pub(super) fn mission(&self) -> Mission {
        self.saved.lock().unwrap().clone().unwrap()
    }

    pub(super) fn said(&self) -> Vec<String> {
        self.comments.lock().unwrap().iter().map(|comment| comment.body.clone()).collect()
    }

    pub(super) fn reports(&self, kind: &str) -> usize {
        let ours = |body: &&String| {
            let last = body.lines().last().unwrap_or_default();
            last.starts_with("countersign:mission:") && last.ends_with(&format!(":{kind}"))
        };
        self.said().iter().filter(ours).count()
    }

    fn down() -> PortError {
        PortError::new(PortErrorKind::Unavailable(Happened::Not), "write", "as the test wants it", "wait")
    }
}

impl TrackerPort for Stage {
    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        Ok(Some(Identity { login: "bot".into() }))
    }

    async fn get_issue(&self, key: &IssueKey) -> Result<Option<Issue>, PortError> {
        Ok((*key == Stage::key()).then(|| Issue {
            key: key.clone(),
            url: "https://jira.example.com/browse/PROJ-1".into(),
            summary: "Log in".into(),
            description: self.description.clone(),
            status: "Code Review".into(),
            labels: vec![],
            components: vec!["auth-service".into()],
        }))
    }

    async fn get_comments(&self, _: &IssueKey) -> Result<Vec<TicketComment>, PortError> {
        Ok(self.comments.lock().unwrap().clone())
    }

    async fn add_comment(&self, _: &IssueKey, body: &str) -> Result<(), PortError> {
        let number = self.posts.fetch_add(1, Ordering::SeqCst) + 1;
        let trouble = self.troubles.get(&number).copied();
        let post = || {
            let mut comments = self.comments.lock().unwrap();
            comments.append(&mut self.meanwhile.lock().unwrap());
            let id = comments.len().to_string();
            comments.push(TicketComment { id, author: "bot".into(), body: body.to_owned() });
            self.told_after.lock().unwrap().push(self.began.elapsed());
        };
        match trouble {
            None => {
                post();
                Ok(())
            }
            Some(Trouble::Lost) => {
                post();
                let kind = PortErrorKind::Unavailable(Happened::Maybe);
                Err(PortError::new(kind, "comment", "the answer was lost", ""))
            }
            Some(Trouble::Down) => Err(Stage::down()),
            Some(Trouble::Forbidden) => {
                Err(PortError::new(PortErrorKind::Unauthorised, "comment", "not allowed", "check the token"))
            }
        }
    }

    async fn edit_comment(&self, _: &IssueKey, id: &str, body: &str) -> Result<(), PortError> {
        let mut comments = self.comments.lock().unwrap();
        comments.iter_mut().filter(|comment| comment.id == id).for_each(|one| body.clone_into(&mut one.body));
        Ok(())
    }

    async fn post_review_summary(&self, _: &IssueKey, _: &ReviewSummary) -> Result<(), PortError> {
        Err(Stage::down())
    }

    async fn transition_issue(&self, _: &IssueKey, _: &str) -> Result<Transition, PortError> {
        Err(Stage::down())
    }

    async fn link(&self, _: &IssueKey, _: &str, _: &str) -> Result<(), PortError> {
        Ok(())
    }

    async fn search_issues(&self, _: &str, _: u32) -> Result<Vec<Issue>, PortError> {
        Ok(vec![])
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        Ok(vec![])
    }

    async fn execute_tool(&self, _: &str, _: &Value) -> Result<String, PortError> {
        Err(Stage::down())
    }
}

impl DocsPort for Stage {
    async fn get_project_context(&self, service_name: &str) -> Result<Option<DocsPage>, PortError> {
        if self.wiki == Wiki::Down {
            return Err(Stage::down());
        }
        self.pages.lock().unwrap().push(service_name.to_owned());
        Ok(None)
    }

    async fn get_architecture_context(&self, page_id: &str) -> Result<Option<DocsPage>, PortError> {
        self.pages.lock().unwrap().push(page_id.to_owned());
        let (id, title) = (page_id.to_owned(), "Architecture".to_owned());
        let page = DocsPage { id, title, url: String::new(), body: "Layers".to_owned() };
        Ok((page_id == "4711").then_some(page))
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        Ok(vec![])
    }

    async fn execute_tool(&self, _: &str, _: &Value) -> Result<String, PortError> {
        Err(Stage::down())
    }
}

impl World for Stage {
    fn now(&self) -> Timestamp {
        "2026-11-15T10:00:00Z".parse().unwrap()
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn tell(&self, _: &str) {}

    fn save(&self, mission: &Mission) -> Result<(), Halt> {
        let number = self.saves.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.dies_at_save {
            return Err(Halt::Failed { what: "killed".into(), hint: String::new() });
        }
        *self.saved.lock().unwrap() = Some(mission.clone());
        Ok(())
    }

    fn effects(&self) -> &impl EffectStore {
        &self.effects
    }

    fn holder(&self) -> &str {
        "test"
    }

    fn seal(&self) -> Option<&PublishKey> {
        None
    }

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn architecture_page(&self) -> Option<String> {
        self.architecture.clone()
    }

    fn requires_architecture(&self) -> bool {
        self.requires_architecture
    }

    fn recovers(&self) -> bool {
        self.recovers
    }

    async fn review(&self, job: ReviewJob<'_>) -> Result<Reviewed, Unreviewed> {
        self.modes.lock().unwrap().push(job.mode);
        let there = self.wiki == Wiki::Up && self.architecture.as_deref() == Some("4711");
        assert_eq!(job.context.len(), usize::from(there), "every reviewer gets the architecture page");
        let head = self.forge.state().head;
        if self.push_once.swap(false, Ordering::SeqCst) {
            self.forge.push('5');
        }
        match &self.unreviewed {
            Some(unreviewed) => Err(unreviewed.clone()),
            None => {
                let review = review(head, &self.lines);
                let trouble = |message: &str| Doubt { kind: "cut_off".into(), message: message.into() };
                let review = match self.trouble {
                    Some(message) => review.doubted(trouble(message)),
                    None => review,
                };
                Ok(Reviewed { review, denied: vec![], limits: vec![] })
            }
        }
    }
}
