//! Who corrects what a round found: a coding agent, or the built-in rules with the project's own formatters.

mod offline;
mod prompt;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use brain::agents::acp::Chosen;
use domain::change::{FileChange, Oid, RepoPath};
use domain::config::{AgentConfig, Config, Sandbox};
use domain::ports::{Author as _, AuthorJob, AuthorReport};
use engine::story::{FixJob, Fixed, Story};
use git::{Checkout, GitError, Left, RefSnapshot, Repository, TheirHead};

use super::commands::Commands;
use super::{Documents, Place};
use crate::failure::Failure;
use crate::reviewers::{Choice, Heard, author_cannot_run, writer_in};

/// Longer patches are cut: they are for people, and the commit has it all.
const LONGEST_PATCH: usize = 200_000;

/// Files that no finding is about: more are not named.
const MOST_FILES: usize = 10;

/// More are not told of one by one.
const MOST_MOVES: usize = 5;

/// Somebody who fixes.
#[derive(Debug, Clone)]
pub(crate) enum Fixer {
    /// No key, no network.
    Rules,
    Agent(Box<AgentConfig>),
}

impl Fixer {
    pub(crate) fn named(name: &str, config: &Config) -> Result<Fixer, Failure> {
        Ok(match Choice::fixer(name, config)? {
            Choice::Agent(agent) => Fixer::Agent(agent),
            Choice::Rules | Choice::Model { .. } | Choice::Answered { .. } => Fixer::Rules,
        })
    }

    /// The built-in rules do the same again: asking them twice is pointless.
    pub(crate) fn retries(&self, configured: u32) -> u32 {
        match self {
            Fixer::Rules => 0,
            Fixer::Agent(_) => configured,
        }
    }
}

/// Where refs were before a fixer began that could move them.
struct RefsBefore {
    branches: BTreeMap<String, Oid>,
    others: RefSnapshot,
}

/// One correction, to be made.
pub(super) struct Fixing<'a> {
    pub(super) repository: &'a Repository,
    pub(super) place: &'a Place,
    pub(super) documents: &'a Documents,
    pub(super) config: &'a Config,
    pub(super) fixer: &'a Fixer,
    pub(super) commands: Commands,
    pub(super) stop: &'a AtomicBool,
    pub(super) heard: Heard,
}

impl Fixing<'_> {
    pub(super) fn done(&self, story: &Story, job: &FixJob<'_>) -> Result<Fixed, Failure> {
        let branch = &story.order.branch;
        let start = self.repository.branch_tip(branch)?;
        let before = self.refs_now()?;
        let checkout = self.repository.checkout(&start, &self.place.tree())?;
        let started = Instant::now();
        let worked = match self.fixer {
            Fixer::Rules => self.offline(story, job, &checkout),
            Fixer::Agent(agent) => self.by_agent(agent, story, job, &checkout),
        }?;
        let took = started.elapsed();
        let mut report = match worked {
            Ok(report) => report,
            Err(reason) => {
                let reason = self.strayed(branch, before.as_ref())?.unwrap_or(reason);
                self.branch_is_untouched(branch, &start)?;
                return Ok(Fixed::Failed { reason, took });
            }
        };
        let strayed = self.strayed(branch, before.as_ref())?;
        self.branch_is_untouched(branch, &start)?;
        if let Some(reason) = strayed {
            return Ok(Fixed::Refused { reason, report, took });
        }
        match checkout.their_head() {
            Ok(TheirHead::Untouched) => {}
            Ok(TheirHead::Ahead) => report.remarks.push("its own commits were made into one".to_owned()),
            Ok(TheirHead::Rewritten) => report.remarks.push(
                "it rewrote the history in its worktree; only its files were taken, on top of the branch as it was"
                    .to_owned(),
            ),
            Err(error) => {
                let reason = format!("it left its worktree unusable: {error}");
                return Ok(Fixed::Refused { reason, report, took });
            }
        }
        self.taken(&checkout, story, job, report, took)
    }

    fn taken(
        &self,
        checkout: &Checkout<'_>,
        story: &Story,
        job: &FixJob<'_>,
        mut report: AuthorReport,
        took: Duration,
    ) -> Result<Fixed, Failure> {
        let document = self.documents.shown(self.repository, job.round);
        let message = prompt::commit_message(&story.order, job, &document, &report.summary);
        let commit = match checkout.take(&message) {
            Ok(Left::Commit(commit)) => commit,
            Ok(Left::Nothing) => return Ok(Fixed::Unchanged { report, took }),
            Err(error @ GitError::NestedRepository(_)) => {
                return Ok(Fixed::Refused { reason: error.to_string(), report, took });
            }
            Err(error) => return Err(error.into()),
        };
        let start = checkout.start().clone();
        report.remarks.extend(self.beside_the_findings(job, &start, &commit)?);
        let patch = rules::redact(&self.repository.patch(&start, &commit)?).into_owned();
        let patch = match patch.char_indices().nth(LONGEST_PATCH) {
            Some((end, _)) => format!("{}\n[cut]\n", &patch[..end]),
            None => patch,
        };
        Ok(Fixed::Changed { start, commit, patch, report, took })
    }

    /// What was changed in files that no finding is about: worth a look.
    fn beside_the_findings(
        &self,
        job: &FixJob<'_>,
        start: &Oid,
        commit: &Oid,
    ) -> Result<Option<String>, Failure> {
        let change = self.repository.change(&self.repository.between(start, commit))?;
        let about: BTreeSet<&RepoPath> =
            job.document.findings().filter_map(|finding| finding.file.as_ref()).collect();
        let mut beside: Vec<String> = change
            .files
            .iter()
            .map(FileChange::path)
            .filter(|path| !about.contains(path))
            .map(ToString::to_string)
            .collect();
        let more = beside.len().saturating_sub(MOST_FILES);
        beside.truncate(MOST_FILES);
        if more > 0 {
            beside.push(format!("{more} more"));
        }
        Ok((!beside.is_empty())
            .then(|| format!("it also changed {}, which no finding is about", beside.join(", "))))
    }

    /// A branch that is gone is put back. One that was moved may hold somebody's work, so nobody touches it.
    fn branch_is_untouched(&self, branch: &str, start: &Oid) -> Result<(), Failure> {
        let now = match self.repository.branch_tip(branch) {
            Ok(now) => now,
            Err(GitError::NoBranch { .. }) => {
                self.repository.restore_branch(branch, start)?;
                return Err(Failure::new(
                    format!(
                        "branch `{branch}` was deleted while the fixer worked; it was put back at {start}"
                    ),
                    "find out who did it, confine the fixer with `sandbox: required`, and go on with `countersign loop --resume`",
                ));
            }
            Err(error) => return Err(error.into()),
        };
        if now == *start {
            return Ok(());
        }
        let how = match self.repository.is_ancestor(start, &now)? {
            true => "moved",
            false => "rewritten",
        };
        Err(Failure::new(
            format!(
                "branch `{branch}` was {how} while the fixer worked, from {} to {}, and not by the loop",
                start.short(),
                now.short()
            ),
            format!(
                "go on from there with `countersign loop --resume`; or put it back first: git branch -f {branch} {start}"
            ),
        ))
    }

    /// Nothing where the kernel keeps the fixer from moving any.
    fn refs_now(&self) -> Result<Option<RefsBefore>, Failure> {
        let confined = self.config.sandbox != Sandbox::Off && brain::confine::support().files();
        if confined || matches!(self.fixer, Fixer::Rules) {
            return Ok(None);
        }
        Ok(Some(RefsBefore {
            branches: self.repository.branches()?,
            others: self.repository.ref_snapshot()?,
        }))
    }

    /// Refs that changed meanwhile, where nothing but good manners kept the fixer from doing it. One that was moved may
    /// hold somebody's work and stays: reviews compare with where the base was. A branch that is gone is made again.
    fn strayed(&self, branch: &str, before: Option<&RefsBefore>) -> Result<Option<String>, Failure> {
        let Some(before) = before else { return Ok(None) };
        let now = self.repository.branches()?;
        let mut told = before.others.moves_until(&self.repository.ref_snapshot()?);
        for (name, was) in before.branches.iter().filter(|(name, _)| *name != branch) {
            match now.get(name) {
                Some(is) if is == was => continue,
                Some(is) => {
                    told.push(format!("branch `{name}` was moved from {} to {}", was.short(), is.short()));
                }
                None => {
                    self.repository.restore_branch(name, was)?;
                    told.push(format!("branch `{name}` was deleted and is put back at {}", was.short()));
                }
            }
        }
        let new = now.iter().filter(|(name, _)| *name != branch && !before.branches.contains_key(*name));
        told.extend(new.map(|(name, is)| format!("branch `{name}` is new, at {}", is.short())));
        let more = told.len().saturating_sub(MOST_MOVES);
        told.truncate(MOST_MOVES);
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        Ok((!told.is_empty()).then(|| {
            format!(
                "{}: this happened while the fixer worked unconfined, and a fixer commits to no other branch and pushes \
                 nothing",
                told.join("; ")
            )
        }))
    }

    /// Outside: that it cannot be run at all. Inside: that it did not finish.
    fn by_agent(
        &self,
        agent: &AgentConfig,
        story: &Story,
        job: &FixJob<'_>,
        checkout: &Checkout<'_>,
    ) -> Result<Result<AuthorReport, String>, Failure> {
        let (sandbox, cents) = (self.config.sandbox, self.config.model.budget.cents_per_task);
        let scratch = self.place.scratch.join("scratch");
        let Chosen { writer, remark } = writer_in(agent, sandbox, cents, scratch)?;
        let document = self.documents.shown(self.repository, job.round);
        let heard = self.heard.clone();
        let worked = writer.work(&AuthorJob {
            prompt: &prompt::prompt(agent, &story.order, job, &document, &self.config.story_loop),
            worktree: checkout.folder(),
            timeout: agent.timeout,
            progress: &|line: &str| heard(&format!("{}: {line}", agent.id)),
            given_up: &|| self.stop.load(Ordering::SeqCst),
        });
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
}
