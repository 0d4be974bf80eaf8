//! A ticket is built: a coding agent in a worktree of its own, and what it left there as a commit.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use brain::agents::acp::Chosen;
use domain::change::{Oid, RepoPath};
use domain::cycle::Work;
use domain::ports::{Author as _, AuthorJob, AuthorReport};
use engine::epic::{BuildJob, Built};
use git::{Checkout, GitError, Left, TheirHead};

use super::Site;
use super::prompt::{commit_message, prompt};
use crate::failure::Failure;
use crate::reviewers::{author_cannot_run, writer_in};

/// Where a builder begins.
struct Start {
    /// What its work is compared with.
    base: Oid,
    commit: Oid,
    /// Files that both sides changed, with conflict markers where that is possible.
    conflicts: Vec<RepoPath>,
}

impl Site {
    pub(super) fn built(&self, job: &BuildJob<'_>) -> Result<Built, Failure> {
        let start = self.start_of(job)?;
        let folder = self.place.tree(&job.ticket.id);
        let checkout = self.opened(&start.commit, &folder)?;
        let before = self.before_build()?;
        let began = Instant::now();
        let worked = self.worked(job, &checkout)?;
        let took = began.elapsed();
        let strayed = self.strayed(&before)?;
        let built = match worked {
            Ok(mut report) => {
                report.remarks.extend(strayed);
                self.taken(job, &start, &checkout, report, took)
            }
            Err(reason) => {
                let all: Vec<String> = [reason].into_iter().chain(strayed).collect();
                Ok(Built::Failed { reason: all.join("; "), took })
            }
        };
        self.closed(checkout);
        built
    }

    /// Work that does not fit is put on top of what it has to fit to.
    fn start_of(&self, job: &BuildJob<'_>) -> Result<Start, Failure> {
        match job.work {
            Work::Build | Work::Revise | Work::Repair => {
                Ok(Start { base: job.base.clone(), commit: job.start.clone(), conflicts: Vec::new() })
            }
            Work::Rebase => {
                let base = self.journal.epic_commit();
                let message = commit_message(&self.ground, job);
                let (commit, files) = self.repository.put_on_top(&base, job.start, &message)?;
                Ok(Start { base, commit, conflicts: files })
            }
        }
    }

    /// Outside: that it cannot be run at all. Inside: that it did not finish.
    fn worked(
        &self,
        job: &BuildJob<'_>,
        checkout: &Checkout<'_>,
    ) -> Result<Result<AuthorReport, String>, Failure> {
        let agent = &self.builder;
        let (sandbox, cents) = (self.config.sandbox, self.config.model.budget.cents_per_task);
        let scratch = self.place.of_ticket(&job.ticket.id).join("scratch");
        let Chosen { writer, remark } = writer_in(agent, sandbox, cents, scratch)?;
        let (heard, id) = (self.speech.heard.clone(), job.ticket.id.clone());
        let prompt = prompt(agent, &self.ground, job, &self.commands);
        let job = AuthorJob {
            prompt: &prompt,
            worktree: checkout.folder(),
            timeout: agent.timeout.min(Duration::from_secs(job.bounds.builder_seconds.into())),
            progress: &|line: &str| heard(&format!("{id}: {}: {line}", agent.id)),
            given_up: &|| self.stop.load(Ordering::SeqCst),
        };
        let worked = self.times.taken("builder", || writer.work(&job));
        let masked = |text: String| rules::redact(&text).into_owned();
        Ok(match worked {
            Ok(report) => Ok(AuthorReport {
                summary: masked(report.summary),
                remarks: remark.into_iter().chain(report.remarks).map(masked).collect(),
                ..report
            }),
            Err(error) if error.is_lasting() => return Err(author_cannot_run(&error)),
            Err(error) => Err(masked(error.to_string())),
        })
    }

    fn taken(
        &self,
        job: &BuildJob<'_>,
        start: &Start,
        checkout: &Checkout<'_>,
        mut report: AuthorReport,
        took: Duration,
    ) -> Result<Built, Failure> {
        match checkout.their_head() {
            Ok(TheirHead::Untouched) => {}
            Ok(TheirHead::Ahead) => report.remarks.push("its own commits were made into one".to_owned()),
            Ok(TheirHead::Rewritten) => report.remarks.push(
                "it rewrote the history in its worktree; only its files were taken, on top of the branch as it was"
                    .to_owned(),
            ),
            Err(error) => {
                let reason = format!("it left its worktree unusable: {error}");
                return Ok(Built::Refused { reason, report, took });
            }
        }
        let message = commit_message(&self.ground, job);
        let (base, on_new_base) = (start.base.clone(), job.work == Work::Rebase);
        match checkout.take(&message) {
            Ok(Left::Commit(commit)) if on_new_base => {
                let commit = self.repository.squashed(&commit, &base, &message)?;
                Ok(Built::Changed { base, commit, report, took })
            }
            Ok(Left::Commit(commit)) => Ok(Built::Changed { base, commit, report, took }),
            // It fitted by itself, once it was put on top.
            Ok(Left::Nothing) if on_new_base && start.conflicts.is_empty() => {
                Ok(Built::Changed { base, commit: start.commit.clone(), report, took })
            }
            Ok(Left::Nothing) if on_new_base => {
                let files: Vec<String> = start.conflicts.iter().map(ToString::to_string).collect();
                let reason = format!(
                    "nothing was changed: what others brought in is here, and its conflicts with this work are left in {}",
                    files.join(", ")
                );
                Ok(Built::Unfitted { base, commit: start.commit.clone(), reason, report, took })
            }
            Ok(Left::Nothing) => Ok(Built::Unchanged { report, took }),
            Err(error @ GitError::NestedRepository(_)) => {
                Ok(Built::Refused { reason: error.to_string(), report, took })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Worktrees are made and removed one at a time: git's own list of them is shared.
    pub(super) fn opened(&self, commit: &Oid, folder: &std::path::Path) -> Result<Checkout<'_>, Failure> {
        let _turn = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.repository.checkout(commit, folder)?)
    }

    pub(super) fn closed(&self, checkout: Checkout<'_>) {
        let _turn = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        drop(checkout);
    }
}
