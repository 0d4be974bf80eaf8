//! What work has to stand before a reviewer sees it, and a merge before the epic branch goes there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use domain::change::{Change, Oid};
use domain::cycle::Work;
use domain::epic::TicketId;
use domain::epic::run::TicketRun;
use domain::formats::contexts::TestSuiteStatus;
use engine::epic::{Placed, Validated};
use git::GitError;

use super::Site;
use crate::failure::Failure;
use crate::loops::{Commands, Ran, forbidden_suppression, last_number};

impl Site {
    pub(super) fn validated(&self, ticket: &TicketRun) -> Result<Validated, Failure> {
        let failed = |reason: String| Ok(Validated::Failed { reason });
        let (Some(base), Some(work)) = (&ticket.base_commit, &ticket.final_commit) else {
            return failed("there is no work".to_owned());
        };
        if !self.repository.is_ancestor(base, work)? {
            return failed(format!("the work does not descend from its base commit {}", base.short()));
        }
        let change = self.repository.change(&self.repository.between(base, work))?;
        if let Some(reason) = self.unfit(ticket, &change) {
            return failed(reason);
        }
        if self.was_rejected(ticket, work)? {
            return failed("nothing was changed since the review that rejected it".to_owned());
        }
        match self.commands_fail(&ticket.id, work)? {
            Some(reason) => failed(reason),
            None => Ok(Validated::Passed { tests: self.tests_passed() }),
        }
    }

    /// Of work whose commands all passed.
    fn tests_passed(&self) -> TestSuiteStatus {
        match self.commands.test {
            Some(_) => TestSuiteStatus::Passing,
            None => TestSuiteStatus::NotRun,
        }
    }

    /// Whether it is, under whatever name, what the last review rejected.
    fn was_rejected(&self, ticket: &TicketRun, work: &Oid) -> Result<bool, Failure> {
        let Some(review) = ticket.rejected() else { return Ok(false) };
        if !self.repository.has_commit(&review.commit)? {
            return Ok(false);
        }
        let change = self.repository.change(&self.repository.between(&review.commit, work))?;
        Ok(change.files.is_empty())
    }

    pub(super) fn placed(&self, ticket: &TicketRun) -> Result<Placed, Failure> {
        match &ticket.final_commit {
            Some(work) if self.repository.has_commit(work)? => {
                let moved = self.published(ticket, work)?;
                Ok(moved.map_or(Placed::AtTheWork, |what| Placed::Moved { what }))
            }
            Some(_) | None => Ok(Placed::Lost),
        }
    }

    /// Puts the ticket's branch where its work is. Says so if somebody else has moved it or is at it.
    fn published(&self, ticket: &TicketRun, work: &Oid) -> Result<Option<String>, Failure> {
        let branch = ticket.branch();
        let moved = |now: &Oid| {
            let was = ticket.branch_commit.as_ref().map_or("nowhere", |oid| oid.short());
            format!(
                "branch {branch} was at {was} and is at {} now, and not by us; put it back with: git branch -f {branch} {was}",
                now.short()
            )
        };
        let now = self.repository.find_branch(&branch)?;
        let done = match (&now, &ticket.branch_commit) {
            (Some(now), _) if now == work => Ok(()),
            (None, _) => self.repository.make_branch(&branch, work),
            (Some(now), Some(ours)) if now == ours => match self.repository.is_ancestor(now, work)? {
                true => self.repository.advance(&branch, now, work),
                false => self.repository.reset_branch(&branch, now, work),
            },
            (Some(now), _) => return Ok(Some(moved(now))),
        };
        match done {
            Ok(()) => Ok(None),
            // Nobody's checkout is changed under their hands, and others need not wait for that.
            Err(
                error @ (GitError::BranchMoved(_)
                | GitError::BranchInUse { .. }
                | GitError::CheckoutInTheWay { .. }),
            ) => Ok(Some(format!("{error}; {}", error.hint()))),
            Err(error) => Err(error.into()),
        }
    }

    fn unfit(&self, ticket: &TicketRun, change: &Change) -> Option<String> {
        if change.files.is_empty() {
            return Some("the change is empty: nothing differs from where the ticket began".to_owned());
        }
        let touched: Vec<String> = self.protected.touched(change).iter().map(ToString::to_string).collect();
        if let Some((last, others)) = touched.split_last() {
            return Some(match others {
                [] => {
                    format!("{last} belongs to the epic and is not a builder's to change; leave it as it was")
                }
                [_, ..] => format!(
                    "{} and {last} belong to the epic and are not a builder's to change; leave them as they were",
                    others.join(", ")
                ),
            });
        }
        let rebased = ticket.attempts.iter().any(|attempt| attempt.work == Work::Rebase);
        conflict_marker(change).filter(|_| rebased).or_else(|| forbidden_suppression(change))
    }

    /// Why one of the project's commands does not pass on a commit.
    pub(super) fn commands_fail(&self, ticket: &TicketId, commit: &Oid) -> Result<Option<String>, Failure> {
        let commands = &self.commands;
        if commands.test.is_none() && commands.lint.is_none() && commands.coverage.is_none() {
            return Ok(None);
        }
        let checkout = self.opened(commit, &self.place.check_tree(ticket))?;
        let failed = self.times.taken("commands", || self.commands_fail_in(ticket, checkout.folder()));
        self.closed(checkout);
        failed
    }

    fn commands_fail_in(&self, ticket: &TicketId, folder: &Path) -> Result<Option<String>, Failure> {
        let commands = &self.commands;
        let runner = Commands {
            sandbox: self.config.sandbox,
            scratch: self.place.of_ticket(ticket).join("commands"),
            environment: commands.environment.clone(),
            timeout: Duration::from_secs(commands.timeout_seconds.into()),
            stop: Arc::clone(&self.stop),
        };
        for (what, command) in [("the tests do", &commands.test), ("the linter does", &commands.lint)] {
            let Some(command) = command else { continue };
            if let Ran::Failed { reason, output } = runner.run(command, folder)? {
                return Ok(Some(format!("{what} not pass ({reason})\n{output}")));
            }
        }
        let Some(command) = &commands.coverage else { return Ok(None) };
        let minimum = f64::from(commands.coverage_minimum);
        Ok(match runner.run(command, folder)? {
            Ran::Failed { reason, output } => {
                Some(format!("coverage cannot be measured ({reason})\n{output}"))
            }
            Ran::Passed { output } => match last_number(&output) {
                None => Some("coverage cannot be measured: the command prints no number".to_owned()),
                Some(reached) if reached < minimum => {
                    Some(format!("coverage is {reached} %, and {minimum} % is the limit"))
                }
                Some(_) => None,
            },
        })
    }
}

fn conflict_marker(change: &Change) -> Option<String> {
    let is_marker = |text: &[u8]| text.starts_with(b"<<<<<<< ") || text.starts_with(b">>>>>>> ");
    change.files.iter().find_map(|file| {
        let (line, _) = file.added().find(|(_, text)| is_marker(text))?;
        Some(format!("{}:{line} is a conflict marker", file.path()))
    })
}
