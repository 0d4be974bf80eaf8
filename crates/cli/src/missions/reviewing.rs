//! The review of a mission: of the diff that the forge gave, by a model, with what the rules can prove of it.

use brain::act::Equipment;
use brain::linear::Mode;
use domain::change::Change;
use domain::config::Config;
use domain::forge::Issue;
use domain::mission::MissionMode;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Evidence, Review, Trouble};
use domain::work::{ContextDocument, WorkItem, WorkOrder};
use jiff::Timestamp;
use rules::RulesReviewer;

use super::diff_sources::{DiffSources, is_whole};
use crate::failure::Failure;
use crate::reviewers::{self, Heard};

/// Everything that is known about the change when it is reviewed.
pub(super) struct Work<'a> {
    pub(super) config: &'a Config,
    pub(super) policy: &'a str,
    pub(super) issue: &'a Issue,
    pub(super) context: Vec<ContextDocument>,
    pub(super) change: &'a Change,
    /// Files that the forge did not show.
    pub(super) withheld: usize,
    pub(super) mode: Option<MissionMode>,
    pub(super) equipment: Equipment,
    pub(super) heard: Heard,
}

impl Work<'_> {
    pub(super) fn review(self) -> Result<Review, Failure> {
        let mode = self.mode.map(|mode| match mode {
            MissionMode::LinearDeterministic => Mode::Linear,
            MissionMode::AgenticActLoop => Mode::Agentic,
        });
        (self.heard)(&crate::progress::reviewing(self.change.files.len()));
        let judge = reviewers::model(&self.config.model, mode, self.equipment)?;
        let order = work_order(self.issue, self.context);
        let sources = DiffSources { files: &self.change.files };
        let review = engine::ReviewOrder {
            change: self.change,
            sources: &sources,
            config: self.config,
            policy: self.policy,
            order: &order,
            revision_count: 0,
            now: Timestamp::now(),
            redact: rules::redact,
        };
        let proof = OfWholeFiles(RulesReviewer::default());
        let judge = Honest { judge: judge.as_ref(), withheld: self.withheld };
        let informed = engine::Informed { proof: &proof, judge: &judge };
        Ok(engine::review(&review, &informed)?)
    }
}

/// The ticket and what the wiki says, for whoever reviews.
pub(super) fn work_order(issue: &Issue, context: Vec<ContextDocument>) -> WorkOrder {
    let mut item = WorkItem::parse(&format!("{}.md", issue.key), &issue.description);
    item.id = issue.key.to_string();
    item.title.clone_from(&issue.summary);
    WorkOrder { ticket: Some(item), context, ..WorkOrder::default() }
}

/// The rules, on those files that the diff shows whole: of the others they would have to guess.
struct OfWholeFiles(RulesReviewer<'static>);

impl Reviewer for OfWholeFiles {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let files = request.change.files.iter().filter(|file| is_whole(file)).cloned().collect();
        let change = Change { scope: request.change.scope.clone(), files };
        let sources = DiffSources { files: &change.files };
        self.0.review(&ReviewRequest { change: &change, sources: &sources, ..*request })
    }
}

/// What the forge withheld was not reviewed, whatever the judge says.
struct Honest<'a> {
    judge: &'a dyn Reviewer,
    withheld: usize,
}

impl Reviewer for Honest<'_> {
    fn name(&self) -> &str {
        self.judge.name()
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let mut evidence = self.judge.review(request)?;
        if self.withheld > 0 {
            let count = self.withheld;
            evidence.troubles.push(Trouble {
                kind: "unseen".to_owned(),
                message: format!("the forge did not show the content of {count} files; git can fetch them with connect.mirror: true"),
            });
        }
        Ok(evidence)
    }
}
