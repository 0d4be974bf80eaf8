use std::sync::Arc;

use domain::tasks::Added;
use git::Repository;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::outward::Outward;
use crate::pretty;
use crate::requests::{Forge, HandIn, HandedIn, Ticket, Which};
use crate::reviewers::Heard;
use crate::store::StoreArgs;

/// Hand in a branch: its pull request, its ticket, and the task of its review.
///
/// The request is found or, with --create-pr, made; the ticket is linked to it, moved to "Code Review"
/// (connect.statuses.code_review) and told; the review is queued. However often it is repeated, each of them is there
/// once. A push makes it a new hand-in.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign submit --create-pr                  the current branch; PROJ-123 is taken from its name\n  \
    countersign submit --pr 456 --jira PROJ-123\n\n\
    Exit codes: 0 handed in, 2 not, or not wholly: run it again, nothing is done twice.")]
pub(crate) struct Submit {
    /// The branch that holds the work [default: the one that is checked out]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// The ticket [default: the one that the branch is called after]
    #[arg(long, value_name = "KEY")]
    jira: Option<String>,

    /// The number of the pull or merge request [default: the open one from the branch]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pr: Option<u64>,

    /// Make the request if there is none.
    #[arg(long, conflicts_with = "pr")]
    create_pr: bool,

    /// What a new request is called [default: what the ticket is called]
    #[arg(long, value_name = "TEXT", requires = "create_pr")]
    title: Option<String>,

    /// Where a new request is to be merged [default: main, else master]
    #[arg(long, value_name = "BRANCH", requires = "create_pr")]
    base: Option<String>,

    /// The project on the forge, as owner/name [default: where `origin` leads]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,

    /// Whose queue the review goes into.
    #[arg(long, value_name = "AGENT", default_value = "qa")]
    agent: String,

    #[command(flatten)]
    store: StoreArgs,

    /// How the outcome is written.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Submit {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let heard: Heard = Arc::new(|waited: &str| pretty::note(&pretty::safe(waited)));
        let forge = Forge::of(Outward::of(&self.store)?.telling(heard), Arc::default())?;
        let repository = Repository::discover(&self.store.root()).ok();
        let branch = self.branch(repository.as_ref())?;
        let ask = HandIn {
            project: forge.project(self.project.as_deref(), repository.as_ref())?,
            ticket: Ticket::of(self.jira.as_deref(), &branch)?,
            branch,
            which: match (self.pr, self.create_pr) {
                (Some(number), _) => Which::Numbered(number),
                (None, true) => Which::Created,
                (None, false) => Which::OfBranch,
            },
            title: self.title.clone(),
            target: self.base.clone(),
            agent: self.agent.clone(),
            by: self.store.actor(),
        };
        let config = self.store.operator_config()?;
        let handed = self.store.with_store(async |store| Ok(forge.hand_in(&ask, store, &config).await))??;
        self.tell(&handed)
    }

    /// A request that is named needs no branch.
    fn branch(&self, repository: Option<&Repository>) -> Result<String, Failure> {
        match (&self.branch, repository, self.pr) {
            (Some(branch), _, _) => Ok(branch.clone()),
            (None, Some(repository), Some(_)) => Ok(repository.current_branch().unwrap_or_default()),
            (None, Some(repository), None) => Ok(repository.current_branch()?),
            (None, None, Some(_)) => Ok(String::new()),
            (None, None, None) => {
                Err(Failure::new("there is no repository here", "name the branch with --branch"))
            }
        }
    }

    fn tell(&self, handed: &HandedIn) -> Result<Exit, Failure> {
        let HandedIn { request, url, head, ticket, task, notes } = handed;
        let queued = match task {
            Added::Created(_) => "its review is queued as",
            Added::AlreadyThere(_) => "its review was queued before as",
        };
        match self.format {
            Listing::Json => output::print(&output::json(&json!({
                "request": request.to_string(), "url": url, "head": head, "jira_key": ticket,
                "task": task.id(), "queued": matches!(task, Added::Created(_)), "notes": notes,
            }))?)?,
            Listing::Pretty => {
                notes.iter().for_each(|note| pretty::note(&pretty::safe(note)));
                let (url, head) = (pretty::safe(url), head.short());
                pretty::note(&format!("{url} is handed in at {head}; {queued}:"));
                output::print(&format!("{}\n", task.id()))?;
            }
        }
        Ok(Exit::Ok)
    }
}
