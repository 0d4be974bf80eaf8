//! What both ways to serve the tools have in common.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use domain::assignments::{BaseChoice, BranchName, BranchTrouble, Examined};
use domain::change::Oid;
use domain::config::Config;
use domain::ports::Branches;
use domain::review::Review;
use domain::work::WorkOrder;
use git::{Ask, Repository, What};
use server::{Heard, Mirror, ReviewAsk, ReviewTrouble, Reviews, Surroundings, UnknownCaller, Workbench};
use store::Store;

use crate::commands::ActivityLogs;
use crate::epics::repository_key;
use crate::failure::Failure;
use crate::loops::StoriesAt;
use crate::missions::MissionsAt;
use crate::output::Listing;
use crate::pretty;
use crate::requests::HandInsAt;
use crate::reviewers::Trust;
use crate::reviewing::{Answers, Request, Wanted};
use crate::store::{StoreArgs, update_mailbox};

/// Everything of a [`Workbench`] but its store.
pub(crate) struct Parts {
    config: Config,
    root: PathBuf,
    mailbox: PathBuf,
    log: ActivityLogs,
}

impl Parts {
    pub(crate) fn of(store: &StoreArgs, config: Config) -> Result<Parts, Failure> {
        let root = store.root();
        let log = logs(&root)?;
        Ok(Parts { config, mailbox: store.mailbox(), root, log })
    }

    pub(crate) fn at(self, store: &Store) -> Arc<Workbench<Store>> {
        let Parts { config, root, mailbox, log } = self;
        let mirror = MirrorAt { mailbox: mailbox.clone(), store: store.clone() };
        let hand_ins = HandInsAt { root: root.clone(), config: config.clone(), store: store.clone() };
        let repository = Repository::discover(&root).ok().map(|repository| repository_key(&repository));
        let around = Surroundings {
            reviews: Arc::new(OfRepository { root: root.clone() }),
            branches: Arc::new(BranchesAt { root: root.clone() }),
            stories: Arc::new(StoriesAt { root }),
            missions: Arc::new(MissionsAt { mailbox }),
            hand_ins: Arc::new(hand_ins),
            mirror: Arc::new(mirror),
            log: Arc::new(log),
            tell: Arc::new(|line: &str| pretty::note(line)),
            repository,
        };
        Workbench::new(store.clone(), config, around)
    }
}

struct MirrorAt {
    mailbox: PathBuf,
    store: Store,
}

impl Mirror for MirrorAt {
    fn update(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(update_mailbox(&self.mailbox, &self.store))
    }
}

fn logs(root: &Path) -> Result<ActivityLogs, Failure> {
    let folder = root.join("logs");
    ActivityLogs::in_folder(folder.clone(), Listing::Pretty).map_err(|error| {
        Failure::new(format!("cannot write to {}: {error}", folder.display()), "check its permissions")
    })
}

/// Branches as they are when somebody asks: a server lives longer than what it saw of a repository.
struct BranchesAt {
    root: PathBuf,
}

impl BranchesAt {
    fn repository(&self) -> Result<Repository, BranchTrouble> {
        Repository::discover(&self.root).map_err(|error| BranchTrouble::Unreadable(error.to_string()))
    }
}

impl Branches for BranchesAt {
    fn examine(&self, branch: &BranchName, base: &BaseChoice) -> Result<Examined, BranchTrouble> {
        self.repository()?.examine(branch, base)
    }

    fn tip(&self, branch: &BranchName) -> Result<Option<Oid>, BranchTrouble> {
        self.repository()?.tip(branch)
    }
}

pub(crate) fn unknown(unknown: &UnknownCaller) -> Failure {
    Failure::new(unknown, &unknown.hint)
}

/// The reviewer of `countersign review`, for the repository we stand in.
struct OfRepository {
    root: PathBuf,
}

impl Reviews for OfRepository {
    fn review(&self, ask: &ReviewAsk, heard: Heard) -> Result<Review, ReviewTrouble> {
        let request = Request {
            repository: &self.root,
            ask: &Ask { what: What::Commits, base: ask.base.clone(), head: ask.head.clone() },
            names: None,
            trust: Trust::Own,
            order: &WorkOrder::default(),
            fail_on: None,
            wanted: Wanted::Named(ask.reviewer.as_deref().unwrap_or("rules")),
            mode: None,
            reports: &[],
            task: Some(&ask.task),
            answers: Answers::Kept,
            heard,
        };
        match request.review() {
            Ok((review, _)) => Ok(review),
            Err(failure) => Err(self.for_caller(&failure)),
        }
    }
}

impl OfRepository {
    /// Where the repository is on this machine is none of the caller's business.
    fn for_caller(&self, failure: &Failure) -> ReviewTrouble {
        let root = self.root.to_string_lossy();
        let without = |text: &str| match root.len() > 1 {
            true => text.replace(root.as_ref(), "the repository"),
            false => text.to_owned(),
        };
        ReviewTrouble { what: without(failure.what()), next: without(failure.hint()) }
    }
}
