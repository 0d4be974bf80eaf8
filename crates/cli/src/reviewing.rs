use std::path::Path;

use domain::change::Change;
use domain::review::Review;
use domain::words::Severity;
use domain::work::WorkOrder;
use git::{Ask, Repository};
use jiff::Timestamp;
use rules::RulesReviewer;

use crate::failure::Failure;
use crate::policy::Policy;

/// One review by the built-in reviewer, wherever it was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) repository: &'a Path,
    pub(crate) ask: &'a Ask,
    pub(crate) order: &'a WorkOrder,
    pub(crate) fail_on: Option<Severity>,
}

impl Request<'_> {
    /// `step` hears what is being done.
    pub(crate) fn review(&self, step: impl Fn(String)) -> Result<(Review, Change), Failure> {
        let repository = Repository::discover(self.repository)?;
        let scope = repository.resolve(self.ask)?;
        let change = repository.change(&scope)?;
        let sources = repository.sources(&scope)?;
        let policy = Policy::at_base(&scope, &sources, self.fail_on)?;
        step(format!("Reviewing {} files", change.files.len()));
        let order = engine::ReviewOrder {
            change: &change,
            sources: &sources,
            config: &policy.config,
            policy: &policy.name,
            order: self.order,
            revision_count: 0,
            now: Timestamp::now(),
            redact: rules::redact,
        };
        let review = engine::review(&order, &RulesReviewer::default())?;
        Ok((review, change))
    }
}
