use std::path::PathBuf;
use std::sync::Arc;

use domain::config::Config;
use git::Repository;
use server::{HandInAsk, HandIns, HandedIn, ReviewTrouble, WhichRequest};
use store::Store;

use super::{Forge, HandIn, Ticket, Which};
use crate::failure::Failure;
use crate::outward::Outward;

/// Who reviews what is handed in over MCP.
const REVIEWER: &str = "qa";

/// `countersign submit`, for those who call a tool.
pub(crate) struct HandInsAt {
    pub(crate) root: PathBuf,
    pub(crate) config: Config,
    pub(crate) store: Store,
}

impl HandIns for HandInsAt {
    fn hand_in(&self, ask: &HandInAsk) -> Result<HandedIn, ReviewTrouble> {
        self.handed_in(ask).map_err(|failure| ReviewTrouble {
            what: failure.what().to_owned(),
            next: failure.hint().to_owned(),
        })
    }
}

impl HandInsAt {
    fn handed_in(&self, ask: &HandInAsk) -> Result<HandedIn, Failure> {
        let forge = Forge::of(Outward::at(&self.root, self.config.clone())?, Arc::default())?;
        let repository = Repository::discover(&self.root).ok();
        let hand_in = HandIn {
            project: forge.project(None, repository.as_ref())?,
            branch: ask.branch.clone(),
            which: match ask.which {
                WhichRequest::Numbered(number) => Which::Numbered(number),
                WhichRequest::OfBranch => Which::OfBranch,
                WhichRequest::Created => Which::Created,
            },
            ticket: Ticket::of(ask.jira_key.as_deref(), &ask.branch)?,
            title: None,
            target: None,
            agent: REVIEWER.to_owned(),
            by: ask.by.clone(),
        };
        // On the runtime of the server, whose store it is, from a thread that may wait.
        let handle = tokio::runtime::Handle::try_current()
            .map_err(|error| Failure::new(format!("cannot start: {error}"), "please report this as a bug"))?;
        let handed = handle.block_on(forge.hand_in(&hand_in, &self.store, &self.config))?;
        Ok(HandedIn { url: handed.url, task: handed.task.id().to_string(), notes: handed.notes })
    }
}
