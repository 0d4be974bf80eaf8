use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::change::Oid;
use domain::config::Config;
use engine::story::{Checked, Fix, FixJob, Fixed, Halt, Moment, Published, Reviewed, Story, Touched, World};
use git::{GitError, Held, Repository};
use jiff::Timestamp;

use super::checks::Checks;
use super::commands::Commands;
use super::fixer::Fixing;
use super::reviewing::{self, RoundReview};
use super::{Documents, Fixer, Journal, Place};
use crate::failure::Failure;
use crate::reviewers::Heard;

/// Everything the loop needs, from real repositories, processes and files.
pub(crate) struct Bench {
    pub(crate) repository: Repository,
    pub(crate) place: Place,
    pub(crate) journal: Journal,
    pub(crate) documents: Documents,
    /// The policy at the base.
    pub(crate) config: Config,
    pub(crate) fixer: Fixer,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) speech: Speech,
}

/// How people are told.
#[derive(Clone)]
pub(crate) struct Speech {
    /// A step of the loop.
    pub(crate) moment: Arc<dyn Fn(&Moment<'_>) + Send + Sync>,
    /// What somebody is doing in it.
    pub(crate) heard: Heard,
}

impl Bench {
    /// Ready to work on a story that is stored, or is about to be.
    pub(crate) fn open(
        repository: Repository,
        story: &Story,
        stop: Arc<AtomicBool>,
        speech: Speech,
    ) -> Result<Bench, Failure> {
        let order = &story.order;
        let place = Place::of_branch(&repository, &order.branch);
        let config = reviewing::policy_of(&repository, story)?;
        let fixer = Fixer::named(&order.fixer, &config)?;
        let documents = Documents::new(&repository, &place, &order.documents, &order.story_id);
        let journal = Journal::at(&place);
        Ok(Bench { repository, place, journal, documents, config, fixer, stop, speech })
    }

    /// Whether the branch can be worked on without getting into anybody's way.
    pub(crate) fn check_the_ground(&self, branch: &str) -> Result<(), Failure> {
        match self.repository.held(branch)? {
            Held::Nowhere => Ok(()),
            Held::Elsewhere(at) => Err(GitError::BranchInUse { branch: branch.to_owned(), at }.into()),
            Held::Here(at) => {
                let mut files = self.repository.uncommitted()?;
                files.retain(|path| !self.documents.is_one(path));
                match files.is_empty() {
                    true => Ok(()),
                    false => Err(GitError::Dirty { at, files }.into()),
                }
            }
        }
    }

    fn commands(&self) -> Commands {
        let policy = &self.config.story_loop;
        Commands {
            sandbox: self.config.sandbox,
            scratch: self.place.scratch.clone(),
            environment: policy.environment.clone(),
            timeout: Duration::from_secs(policy.command_timeout.into()),
            stop: Arc::clone(&self.stop),
        }
    }
}

fn halt(failure: Failure) -> Halt {
    Halt::Failed { what: failure.what().to_owned(), hint: failure.hint().to_owned() }
}

fn git(error: GitError) -> Halt {
    halt(error.into())
}

impl World for Bench {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn wait_until(&self, moment: Timestamp) {
        while !self.is_stopped() && Timestamp::now() < moment {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn tell(&self, moment: &Moment<'_>) {
        (self.speech.moment)(moment);
    }

    fn save(&self, story: &Story) -> Result<(), Halt> {
        self.journal.save(story).map_err(halt)
    }

    fn review(&self, story: &Story) -> Result<Reviewed, Halt> {
        let (repository, place, documents) = (&self.repository, &self.place, &self.documents);
        let review = RoundReview { repository, place, documents, heard: self.speech.heard.clone() };
        review.of(story).map_err(halt)
    }

    fn touched(&self, from: &Oid, to: &Oid) -> Result<Touched, Halt> {
        let scope = self.repository.between(from, to);
        Ok(Touched::of(&self.repository.change(&scope).map_err(git)?))
    }

    fn write_document(&self, _: &Story, round: u32, text: &str) -> Result<(), Halt> {
        self.documents.write(&self.repository, round, text).map_err(halt)
    }

    fn clear_document(&self, _: &Story, round: u32) -> Result<(), Halt> {
        self.documents.clear(round).map_err(halt)
    }

    fn document_path(&self, _: &Story, round: u32) -> String {
        self.documents.shown(&self.repository, round)
    }

    fn read_document(&self, _: &Story, round: u32) -> Result<Option<String>, Halt> {
        self.documents.read(round).map_err(halt)
    }

    fn fix(&self, story: &Story, job: &FixJob<'_>) -> Result<Fixed, Halt> {
        self.check_the_ground(&story.order.branch).map_err(halt)?;
        let fixing = Fixing {
            repository: &self.repository,
            place: &self.place,
            documents: &self.documents,
            config: &self.config,
            fixer: &self.fixer,
            commands: self.commands(),
            stop: &self.stop,
            heard: self.speech.heard.clone(),
        };
        fixing.done(story, job).map_err(halt)
    }

    fn check(&self, _: &Story, fix: &Fix) -> Result<Checked, Halt> {
        let (Some(start), Some(commit)) = (&fix.start, &fix.commit) else { return Ok(Checked::Lost) };
        let checks = Checks {
            repository: &self.repository,
            place: &self.place,
            documents: &self.documents,
            policy: &self.config.story_loop,
            commands: self.commands(),
        };
        checks.of(start, commit).map_err(halt)
    }

    fn publish(&self, story: &Story, fix: &Fix) -> Result<Published, Halt> {
        let (Some(start), Some(commit)) = (&fix.start, &fix.commit) else { return Ok(Published::Moved) };
        match self.repository.advance(&story.order.branch, start, commit) {
            Ok(()) => Ok(Published::Done),
            Err(GitError::BranchMoved(_)) => Ok(Published::Moved),
            Err(error) => Err(git(error)),
        }
    }
}
