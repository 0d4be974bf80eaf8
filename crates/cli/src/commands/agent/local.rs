//! Review tasks about commits of a repository on this machine.

use std::path::{Path, PathBuf};

use domain::change::Target;
use domain::tasks::Task;
use domain::work::WorkOrder;
use engine::worker::Handled;
use git::{Ask, Repository, What};

use crate::failure::Failure;
use crate::requests::{Who, aside};
use crate::reviewers::{Heard, Trust};
use crate::reviewing::{Answers, Names, Request};

/// What a task asks to have reviewed here.
#[derive(Debug, Clone)]
pub(super) struct Local {
    repository: PathBuf,
    ask: Ask,
    names: Option<Names>,
    task: String,
    note: Option<String>,
}

impl Local {
    /// `note` ends up in the review.
    pub(super) fn of(root: &Path, task: &Task, note: Option<String>) -> Local {
        let context = |key: &str| task.context.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        Local {
            repository: context("repo_path").map_or_else(|| root.to_owned(), |path| root.join(path)),
            ask: Ask {
                what: What::Commits,
                base: context("base_commit").or_else(|| context("base_branch")),
                head: context("head_commit").or_else(|| context("branch_name")),
            },
            names: None,
            task: task.id.to_string(),
            note,
        }
    }

    /// The same at the commits where its branches are now, whatever is pushed or committed from here on.
    pub(super) async fn pinned(self) -> Result<Local, Failure> {
        aside(move || {
            let scope = Repository::discover(&self.repository)?.resolve(&self.ask)?;
            let (Some(base), Target::Commit(head)) = (&scope.base, &scope.head) else { return Ok(self) };
            let ask = Ask { what: What::Commits, base: Some(base.to_string()), head: Some(head.to_string()) };
            let names = Names { base: scope.base_name, head: scope.head_name, notes: scope.notes };
            Ok(Local { ask, names: Some(names), ..self })
        })
        .await
    }

    /// Reading a diff and matching rules takes the processor, and a brain its time; the lease is kept alive elsewhere.
    /// A worker that has to stop does not wait for that thread.
    pub(super) async fn review(self, who: Who, heard: Heard) -> Handled {
        let review = aside(move || {
            let request = Request {
                repository: &self.repository,
                ask: &self.ask,
                names: self.names.as_ref(),
                trust: Trust::Own,
                order: &WorkOrder::default(),
                fail_on: None,
                wanted: who.wanted(),
                mode: None,
                reports: &[],
                task: Some(&self.task),
                answers: Answers::Kept,
                heard,
            };
            let (mut review, _) = request.review()?;
            review.remarks.extend(self.note);
            Ok(review)
        });
        match review.await {
            Ok(review) => Handled::Reviewed { review: Box::new(review) },
            Err(failure) => failed(&failure),
        }
    }
}

pub(super) fn failed(failure: &Failure) -> Handled {
    Handled::Failed { reason: format!("{}; {}", failure.what(), failure.hint()) }
}
