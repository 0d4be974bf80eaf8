//! Work that is ready: its request, its ticket, and the task of its review.

use domain::change::Oid;
use domain::config::Config;
use domain::forge::{IssueKey, MergeRequestRef, NewMergeRequest, Project, Provider};
use domain::ports::{EffectStore, PortError, PortErrorKind, TaskStore, TrackerPort, VcsPort};
use domain::tasks::{Added, Invalid, NewTask, QueueLimit, Task, TaskId};
use domain::text::{clean_line, short_line};
use git::Repository;
use jiff::Timestamp;

use super::named::context;
use super::ticket::{Submitted, Untold};
use super::{Forge, Found};
use crate::failure::Failure;
use crate::reviewers::variable;
use crate::store::random_number;

const LONGEST_TITLE: usize = 200;
/// Where requests go if nobody says otherwise, and the first of them is there.
const USUAL_TARGETS: [&str; 2] = ["main", "master"];

/// What is handed in.
#[derive(Debug, Clone)]
pub(crate) struct HandIn {
    pub(crate) project: Project,
    pub(crate) branch: String,
    pub(crate) which: Which,
    pub(crate) ticket: Ticket,
    /// Of a request that is made.
    pub(crate) title: Option<String>,
    /// Where it is to be merged.
    pub(crate) target: Option<String>,
    /// Whose queue the review goes into.
    pub(crate) agent: String,
    pub(crate) by: String,
}

/// Which request it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Numbered(u64),
    /// The open one from the branch.
    OfBranch,
    /// The same, made if there is none.
    Created,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ticket {
    None,
    /// Somebody named it: it has to be told.
    Named(IssueKey),
    /// The branch is called after it.
    Guessed(IssueKey),
}

/// What is there now, whoever made it.
#[derive(Debug)]
pub(crate) struct HandedIn {
    pub(crate) request: MergeRequestRef,
    pub(crate) url: String,
    pub(crate) head: Oid,
    pub(crate) ticket: Option<IssueKey>,
    pub(crate) task: Added,
    /// What else there is to say.
    pub(crate) notes: Vec<String>,
}

impl Ticket {
    /// What somebody named, else what the branch is called after.
    pub(crate) fn of(named: Option<&str>, branch: &str) -> Result<Ticket, Failure> {
        match named {
            Some(key) => Ok(Ticket::Named(
                IssueKey::parse(key)
                    .map_err(|bad| Failure::new(bad, "keys are written in capital letters: PROJ-123"))?,
            )),
            None => Ok(IssueKey::find_in(branch).map_or(Ticket::None, Ticket::Guessed)),
        }
    }

    fn key(&self) -> Option<&IssueKey> {
        match self {
            Ticket::None => None,
            Ticket::Named(key) | Ticket::Guessed(key) => Some(key),
        }
    }
}

impl Forge {
    /// The project of this repository: what somebody named, what a pipeline says, or where `origin` leads.
    pub(crate) fn project(
        &self,
        named: Option<&str>,
        repository: Option<&Repository>,
    ) -> Result<Project, Failure> {
        let parse =
            |name: &str| Project::parse(name).map_err(|bad| Failure::new(bad, "name it as owner/name"));
        if let Some(name) = named {
            return parse(name);
        }
        let pipeline = match self.provider {
            Provider::Github => "GITHUB_REPOSITORY",
            Provider::Gitlab => "CI_PROJECT_PATH",
        };
        if let Some(name) = variable(pipeline).filter(|name| !name.trim().is_empty()) {
            return parse(name.trim());
        }
        let remote = repository.and_then(|repository| repository.remote_address("origin"));
        let project = remote.as_deref().and_then(|remote| self.base.project_of_remote(remote));
        project.ok_or_else(|| {
            Failure::new(
                format!("nobody says which project on {} this is: `origin` does not lead there", self.base),
                "name it with --project owner/name",
            )
        })
    }

    /// Makes sure that the request is there, that its ticket is linked, moved and told, and that its review is queued.
    /// Each step looks first: cut off anywhere and called again, it does the rest and nothing twice. A push makes it a
    /// new hand-in.
    pub(crate) async fn hand_in<S: TaskStore + EffectStore>(
        &self,
        ask: &HandIn,
        store: &S,
        config: &Config,
    ) -> Result<HandedIn, Failure> {
        let found = self.request_of(ask).await?;
        let Found { request, address } = &found;
        let head = request.head.clone().ok_or_else(|| {
            Failure::new(
                format!("the forge has not looked at {address} yet"),
                "run it again in a while: nothing is done twice",
            )
        })?;
        let mut notes = Vec::new();
        if let Some(key) = ask.ticket.key() {
            let title = short_line(&request.title);
            let submitted = Submitted { request: address, url: &request.url, title: &title, head: &head };
            match self.tell_handed_in(store, key, submitted).await {
                Ok(said) => notes.extend(said),
                Err(Untold::Port(error)) if is_only_guessed(&ask.ticket, &error) => {
                    notes.push(format!("{key} was not told: {error}"));
                }
                Err(Untold::Port(error)) => return Err(untold(key, &error)),
                Err(Untold::Store(error)) => return Err(crate::store::failure(error)),
            }
        }
        let task = self.review_task(ask, &found, &head, config)?;
        let limit = QueueLimit::AtMost(config.safeguards.max_queue_size);
        let added = store.add(std::slice::from_ref(&task), limit).await.map_err(crate::store::failure)?;
        let task = added
            .into_iter()
            .next()
            .ok_or_else(|| Failure::new("the task was not queued", "run it again: nothing is done twice"))?;
        Ok(HandedIn {
            request: address.clone(),
            url: request.url.clone(),
            head,
            ticket: ask.ticket.key().cloned(),
            task,
            notes,
        })
    }

    async fn request_of(&self, ask: &HandIn) -> Result<Found, Failure> {
        match ask.which {
            Which::Numbered(number) => {
                self.find_open(&MergeRequestRef { project: ask.project.clone(), number }).await
            }
            Which::OfBranch => {
                let open = self.patiently(|| self.vcs.find_merge_request(&ask.project, &ask.branch)).await?;
                let open = open.ok_or_else(|| {
                    Failure::new(
                        format!("no open request is from `{}` in {}", short_line(&ask.branch), ask.project),
                        "make one with --create-pr, or name it with --pr N",
                    )
                })?;
                self.found(open)
            }
            Which::Created => self.create(ask).await,
        }
    }

    async fn create(&self, ask: &HandIn) -> Result<Found, Failure> {
        let branch = self.patiently(|| self.vcs.get_branch(&ask.project, &ask.branch)).await?;
        if branch.is_none() {
            return Err(Failure::new(
                format!("there is no branch `{}` in {}", short_line(&ask.branch), ask.project),
                format!("push it: git push --set-upstream origin {}", short_line(&ask.branch)),
            ));
        }
        let new = NewMergeRequest {
            project: ask.project.clone(),
            source_branch: ask.branch.clone(),
            target_branch: self.target(ask).await?,
            title: self.title(ask).await,
            description: ask.ticket.key().map(ToString::to_string).unwrap_or_default(),
        };
        // Asked again, it answers with the one that is there: that holds for an answer that was lost, too.
        let created = self.patiently(|| self.vcs.create_merge_request(&new)).await?;
        self.found(created.into_inner())
    }

    async fn target(&self, ask: &HandIn) -> Result<String, Failure> {
        if let Some(target) = &ask.target {
            return Ok(target.clone());
        }
        for usual in USUAL_TARGETS {
            if self.patiently(|| self.vcs.get_branch(&ask.project, usual)).await?.is_some() {
                return Ok(usual.to_owned());
            }
        }
        let usual = USUAL_TARGETS.join(" nor ");
        Err(Failure::new(
            format!("{} has neither {usual}", ask.project),
            "say with --base where the request is to be merged",
        ))
    }

    /// What somebody said, else what the ticket is called, else the branch.
    async fn title(&self, ask: &HandIn) -> String {
        let summary = match (&ask.title, ask.ticket.key(), self.outward.tracker()) {
            (Some(title), _, _) => return cut(title),
            (None, Some(key), Ok(tracker)) => {
                let issue = tracker.get_issue(key).await.ok().flatten();
                issue.map(|issue| format!("{key}: {}", issue.summary))
            }
            (None, _, _) => None,
        };
        cut(&summary.unwrap_or_else(|| ask.branch.clone()))
    }

    fn review_task(
        &self,
        ask: &HandIn,
        found: &Found,
        head: &Oid,
        config: &Config,
    ) -> Result<NewTask, Failure> {
        let Found { request, address } = found;
        let unfit = |invalid: Invalid| Failure::new(invalid, "correct it and hand in again");
        let short = match self.provider {
            Provider::Github => format!("PR #{}", address.number),
            Provider::Gitlab => format!("MR !{}", address.number),
        };
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let id = TaskId::generate("review", &ask.agent, now, random_number() as u32).map_err(unfit)?;
        let title = cut(&format!("Review {short} - {}", request.title));
        let mut task = Task::new(id, "review", &ask.agent, &title);
        task.description = format!("Ready for review at {}: {}", head.short(), clean_line(&request.url));
        task.created_by.clone_from(&ask.by);
        task.context = context(self.provider, address, ask.ticket.key()).into_iter().collect();
        task.context.insert("branch_name".to_owned(), request.source_branch.clone().into());
        task.context.insert("base_branch".to_owned(), request.target_branch.clone().into());
        let task = NewTask::new(task, config.limits_for(&ask.agent)).map_err(unfit)?;
        Ok(task.once(format!("review-of:{}/{address}@{head}", self.base)))
    }
}

/// A branch may be called like a ticket of somebody else's tracker.
fn is_only_guessed(ticket: &Ticket, error: &PortError) -> bool {
    let cannot_be = matches!(
        error.kind,
        PortErrorKind::NotConfigured | PortErrorKind::NotFound | PortErrorKind::MissingTool
    );
    matches!(ticket, Ticket::Guessed(_)) && cannot_be
}

fn untold(key: &IssueKey, error: &PortError) -> Failure {
    let hint = match (error.hint.as_str(), error.is_transient()) {
        ("", _) | (_, true) => "run it again: nothing is done twice".to_owned(),
        (hint, false) => hint.to_owned(),
    };
    Failure::new(format!("{key} was not told, and the review is not queued: {error}"), hint)
}

fn cut(title: &str) -> String {
    clean_line(title).chars().take(LONGEST_TITLE).collect()
}
