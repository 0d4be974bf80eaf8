//! What both ways to serve the tools have in common.

use std::path::PathBuf;
use std::sync::Arc;

use domain::config::Config;
use domain::review::Review;
use domain::work::WorkOrder;
use git::{Ask, What};
use server::{Desk, Heard, ReviewAsk, ReviewTrouble, Reviews, UnknownCaller};
use store::Store;

use crate::failure::Failure;
use crate::pretty;
use crate::reviewing::{Request, Wanted};
use crate::store::StoreArgs;

/// Everything of a [`Desk`] but its store.
pub(crate) struct Parts {
    root: PathBuf,
    config: Config,
}

impl Parts {
    pub(crate) fn of(store: &StoreArgs, config: Config) -> Parts {
        Parts { root: store.root(), config }
    }

    pub(crate) fn at(self, store: &Store) -> Arc<Desk<Store>> {
        let reviews = Arc::new(OfRepository { root: self.root });
        Desk::new(store.clone(), self.config, reviews, Arc::new(|line: &str| pretty::note(line)))
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
            order: &WorkOrder::default(),
            fail_on: None,
            wanted: Wanted::Named(ask.reviewer.as_deref().unwrap_or("rules")),
            mode: None,
            task: Some(&ask.task),
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
