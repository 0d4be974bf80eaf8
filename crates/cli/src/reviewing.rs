use std::path::Path;
use std::sync::Arc;
use std::thread;

use brain::act::Equipment;
use brain::linear::Mode;
use domain::change::Change;
use domain::config::{AgentConfig, Config, ReviewMode};
use domain::formats::tool_report::ToolReport;
use domain::review::Review;
use domain::words::Severity;
use domain::work::WorkOrder;
use git::{Ask, Repository};
use jiff::Timestamp;
use rules::RuleSet;

use crate::failure::Failure;
use crate::policy::Policy;
use crate::reviewers::{Choice, Heard, Reviewing, Trust};

/// Who is to review.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// `rules`, `model` or an agent of the policy.
    Named(&'a str),
    /// An agent as this machine runs it.
    Agent(&'a AgentConfig),
    /// A program that has answered already.
    Answered { reviewer: &'a str, answer: &'a str },
}

/// What both sides of a change are called where its authors work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) base: String,
    pub(crate) head: String,
    /// What is to be known about how they were found.
    pub(crate) notes: Vec<String>,
}

/// One review, wherever it was asked for.
pub(crate) struct Request<'a> {
    pub(crate) repository: &'a Path,
    pub(crate) ask: &'a Ask,
    /// Instead of what the repository calls them.
    pub(crate) names: Option<&'a Names>,
    pub(crate) trust: Trust,
    pub(crate) order: &'a WorkOrder,
    pub(crate) fail_on: Option<Severity>,
    pub(crate) wanted: Wanted<'a>,
    /// Instead of what the policy says.
    pub(crate) mode: Option<ReviewMode>,
    /// What other programs found.
    pub(crate) reports: &'a [ToolReport],
    /// The task it is part of.
    pub(crate) task: Option<&'a str>,
    /// Of models.
    pub(crate) answers: Answers,
    /// Told what is being done.
    pub(crate) heard: Heard,
}

/// What becomes of answers that are kept from earlier reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// They are given again, if the policy wants that.
    Kept,
    /// A model is asked again.
    New,
}

impl Request<'_> {
    pub(crate) fn review(&self) -> Result<(Review, Change), Failure> {
        self.review_with(Equipment::default())
    }

    /// Where a model has more than the repository to look at.
    pub(crate) fn review_with(&self, equipment: Equipment) -> Result<(Review, Change), Failure> {
        // Where there is no thread to be had, the review makes them ready itself.
        let _ = thread::Builder::new().name("warm-up".into()).spawn(|| RuleSet::built_in().warm_up());
        let repository = Repository::discover(self.repository)?;
        let mut scope = repository.resolve(self.ask)?;
        if let Some(names) = self.names {
            scope.base_name.clone_from(&names.base);
            scope.head_name.clone_from(&names.head);
            scope.notes.extend(names.notes.iter().cloned());
        }
        let change = repository.change(&scope)?;
        let sources = repository.sources(&scope)?;
        let mut policy = Policy::at_base(&scope, &sources, self.fail_on)?;
        let mut choice = self.choice(&policy.config)?;
        if let Some(mode) = self.mode {
            choice = in_mode(choice, mode)?;
            policy.config.model.mode = mode;
            policy.name.push_str(" with --mode");
        }
        if self.answers == Answers::New {
            policy.config.model.cache = false;
        }
        (self.heard)(&crate::progress::reviewing(change.files.len()));
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
        let reviewing = Reviewing {
            repository: &repository,
            change: &change,
            order,
            task: self.task,
            reports: self.reports,
            scratch: None,
            withheld: Vec::new(),
            trust: self.trust,
            heard: Arc::clone(&self.heard),
        };
        let review = reviewing.by_with(&choice, equipment)?;
        Ok((review, change))
    }

    fn choice(&self, config: &Config) -> Result<Choice, Failure> {
        match self.wanted {
            Wanted::Named(name) => Choice::named(name, config),
            Wanted::Agent(agent) => Ok(Choice::of_agent(agent)),
            Wanted::Answered { reviewer, answer } => {
                Ok(Choice::Answered { reviewer: reviewer.to_owned(), answer: answer.to_owned() })
            }
        }
    }
}

fn in_mode(choice: Choice, mode: ReviewMode) -> Result<Choice, Failure> {
    let asked = match mode {
        ReviewMode::Linear => Some(Mode::Linear),
        ReviewMode::Agentic => Some(Mode::Agentic),
        ReviewMode::Auto => None,
    };
    match choice {
        Choice::Model { models, .. } => Ok(Choice::Model { models, mode: asked }),
        Choice::Rules | Choice::Agent(_) | Choice::Answered { .. } => Err(Failure::new(
            "--mode says how a model reviews, and the reviewer is none",
            "add --reviewer model, or leave --mode out",
        )),
    }
}
