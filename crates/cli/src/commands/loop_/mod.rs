mod ask;
mod begin;
mod named;
mod speech;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::cycle::{dry_run_fixer, dry_run_reviewer};
use engine::story::{Dossier, Ended, Halt, Story, markdown, run};
use git::Repository;
use jiff::Timestamp;

use crate::failure::Failure;
use crate::loops::{self, Bench, Finished, Journal, Lock, Place, Requests, supervised};
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::actor;

use ask::{Answer, Choice};

/// Review a branch, have what was found fixed, and review it again, until it is clean or a human has to decide.
///
/// Each round is a fresh review of the code and the story alone. What must be fixed goes to the fixer, which works in a
/// worktree of its own; its work is checked before the branch moves, and nothing is pushed. After the last round, or when
/// the loop leads nowhere, you are asked: fix by hand (a), accept (b), or one more round (c). Killed at any moment, it
/// goes on with --resume. See docs/LOOP.md.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign loop --story stories/1.2.md                       this branch, by the built-in rules, without a key\n  \
    countersign loop --story stories/1.2.md --reviewer qa --fixer engineer\n  \
    countersign loop --title \"Log in\" --branch feature/login --base main\n  \
    countersign loop --story stories/1.2.md --dry-run             says whom it would start\n  \
    countersign loop --resume                                     goes on after a crash, Ctrl-C or a fix by hand\n  \
    countersign loop --resume --yes-to b --reason \"Known, see #12\"\n\n\
    Exit codes: 0 clean or accepted, 2 usage or configuration, 4 a human has to decide, 130 stopped.")]
pub(crate) struct Loop {
    /// The story the branch implements (markdown).
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["title", "resume", "show", "list"])]
    story: Option<PathBuf>,

    /// What the branch is for, where there is no story.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["resume", "show", "list"])]
    title: Option<String>,

    /// The repository, or any folder in it.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,

    /// The local branch to work on [default: the one that is checked out]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// What the branch is compared with; of `main`, `origin/main` if there is one [default: the default branch]
    #[arg(long, value_name = "BRANCH", conflicts_with_all = ["resume", "show", "list"])]
    base: Option<String>,

    /// Who reviews: rules, model or an agent [default: loop.reviewer]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "show", "list"])]
    reviewer: Option<String>,

    /// Who fixes: rules or an agent [default: loop.fixer]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "show", "list"])]
    fixer: Option<String>,

    /// Review rounds before a human is asked [default: limits.max_rounds]
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "show", "list"])]
    max_rounds: Option<u32>,

    /// Where findings documents are written [default: loop.documents]
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["resume", "show", "list"])]
    documents: Option<String>,

    /// Say whom would be started, and change nothing.
    #[arg(long, conflicts_with_all = ["resume", "show", "list"])]
    dry_run: bool,

    /// The answer to the first question that a human would be asked, where it is offered; c is one more round.
    #[arg(long, value_name = "CHOICE")]
    yes_to: Option<Choice>,

    /// Why findings are accepted, for choice b.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Go on with the loop of this branch, or with the one named.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,

    /// Drop an unfinished loop of this branch and begin anew.
    #[arg(long, conflicts_with_all = ["resume", "show", "list", "dry_run"])]
    restart: bool,

    /// Print the dossier of the loop of this branch, or of the one named: rounds, findings, fixes, time and cost.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["resume", "list"])]
    show: Option<String>,

    /// List the loops that are not over.
    #[arg(long, conflicts_with = "resume")]
    list: bool,

    /// How --show, --list and the summary at the end are printed.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Loop {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&self.repo)?;
        if self.list {
            output::print(&summary::list(&loops::unfinished(&repository)?, self.format)?)?;
            return Ok(Exit::Ok);
        }
        if let Some(id) = &self.show {
            return self.show_story(&self.existing(&repository, id)?);
        }
        if self.yes_to == Some(Choice::B) && self.reason.as_deref().is_none_or(|text| text.trim().is_empty())
        {
            return Err(Failure::new(
                "--yes-to b accepts findings, which needs a reason",
                "say why with --reason; it is kept with the findings and your name",
            ));
        }
        match &self.resume {
            Some(id) => {
                let story = self.existing(&repository, id)?;
                self.go_on(repository, &story)
            }
            None => self.begin(repository),
        }
    }

    fn begin(self, repository: Repository) -> Result<Exit, Failure> {
        let branch = self.branch_name(&repository)?;
        let fresh = begin::story(&self, &repository, &branch)?;
        let (stop, speech) = (Arc::new(AtomicBool::new(false)), speech::speech());
        let bench = Bench::open(repository, &fresh, Arc::clone(&stop), speech)?;
        bench.check_the_ground(&branch)?;
        if self.dry_run {
            let id = &fresh.order.story_id;
            output::print(&format!("{}\n{}\n", dry_run_reviewer(id, 1), dry_run_fixer(id, 1)))?;
            return Ok(Exit::Ok);
        }
        let lock = Lock::take(&bench.place, &branch)?;
        match bench.journal.load()? {
            Some(old) if !old.is_over() && !self.restart => return Err(unfinished(&old)),
            Some(old) => bench.journal.archive(&old)?,
            None => {}
        }
        bench.place.clear(&bench.repository)?;
        bench.journal.save(&fresh)?;
        self.work(bench, fresh, lock, &stop)
    }

    fn go_on(self, repository: Repository, stored: &Story) -> Result<Exit, Failure> {
        let branch = stored.order.branch.clone();
        let place = Place::of_branch(&repository, &branch);
        let lock = Lock::take(&place, &branch)?;
        let journal = Journal::at(&place);
        let Some(mut story) = journal.load()? else { return Err(nothing_to_resume(&branch)) };
        if story.is_over() {
            return Err(nothing_to_resume(&branch));
        }
        place.clear(&repository)?;
        begin::refresh(&mut story);
        let (stop, speech) = (Arc::new(AtomicBool::new(false)), speech::speech());
        let bench = Bench::open(repository, &story, Arc::clone(&stop), speech)?;
        if story.step == engine::story::Step::Blocked {
            bench.check_the_ground(&branch)?;
            story.fixed_by_hand(&actor(Some(&bench.repository)), Timestamp::now()).map_err(loops::refusal)?;
        }
        bench.journal.save(&story)?;
        self.work(bench, story, lock, &stop)
    }

    fn work(self, bench: Bench, story: Story, lock: Lock, stop: &Arc<AtomicBool>) -> Result<Exit, Failure> {
        let (repo, branch) = (self.repo.clone(), story.order.branch.clone());
        let place = bench.place.clone();
        let work = move || {
            let result = self.until_it_rests(&bench, story);
            bench.place.clear(&bench.repository).and(result)
        };
        let worked = Requests::listen().and_then(|requests| supervised(requests, stop, work));
        let finished = worked.map_err(|error| {
            Failure::new(format!("the loop broke off: {error}"), "go on with `countersign loop --resume`")
        })?;
        let exit = match finished {
            Finished::Done(result) => result,
            Finished::Abandoned => {
                Repository::discover(&repo).map_err(Failure::from).and_then(|opened| place.clear(&opened))?;
                Ok(Exit::Interrupted)
            }
        };
        drop(lock);
        if let Ok(Exit::Interrupted) = exit {
            pretty::note(&format!("Stopped. Go on with: countersign loop --resume --branch {branch}"));
        }
        exit
    }

    /// Until it is over, or nobody is there to answer.
    fn until_it_rests(&self, bench: &Bench, mut story: Story) -> Result<Exit, Failure> {
        let mut answered = Answered::No;
        loop {
            let ended = match run(&mut story, bench) {
                Ok(ended) => ended,
                Err(Halt::Stopped) => return Ok(Exit::Interrupted),
                Err(Halt::Failed { .. }) if is_stopped_with(&bench.stop) => return Ok(Exit::Interrupted),
                Err(Halt::Failed { what, hint }) => return Err(Failure::new(what, hint)),
            };
            let answer = match ended {
                Ended::Clean | Ended::Accepted | Ended::Blocked => None,
                Ended::Escalated => {
                    (bench.speech.heard)("");
                    self.answer(&story, &mut answered, &bench.stop)
                }
            };
            let Some(Answer { resolution, reason }) = answer else {
                output::print(&summary::summary(&story, ended, self.format)?)?;
                return Ok(match ended {
                    Ended::Clean | Ended::Accepted => Exit::Ok,
                    Ended::Blocked | Ended::Escalated => Exit::Escalated,
                });
            };
            story
                .resolve(resolution, &actor(Some(&bench.repository)), &reason, Timestamp::now())
                .map_err(loops::refusal)?;
            bench.journal.save(&story)?;
        }
    }

    /// From the command line, else from a terminal, else nobody's.
    ///
    /// What was given beforehand answers one question: one more round is one round.
    fn answer(&self, story: &Story, answered: &mut Answered, stop: &AtomicBool) -> Option<Answer> {
        let offered = story.cycle.options();
        let is_new = *answered == Answered::No;
        if let Some(choice) = self.yes_to.filter(|choice| is_new && offered.contains(&choice.resolution())) {
            *answered = Answered::Beforehand;
            let reason = self.reason.clone().unwrap_or_default();
            return Some(Answer { resolution: choice.resolution(), reason });
        }
        pretty::note_lines(&summary::question(story));
        if let Some(choice) = self.yes_to {
            pretty::note(&match offered.contains(&choice.resolution()) {
                true => format!("--yes-to {} has been used: it answers one question", choice.letter()),
                false => format!(
                    "--yes-to {} is no longer available: {} rounds are the end of it",
                    choice.letter(),
                    story.cycle.max_reviews()
                ),
            });
        }
        ask::on_terminal(&offered, self.reason.as_deref(), stop)
    }

    fn branch_name(&self, repository: &Repository) -> Result<String, Failure> {
        match &self.branch {
            Some(branch) => Ok(branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned()),
            None => Ok(repository.current_branch()?),
        }
    }

    /// The loop somebody means: the one named, else that of the branch, else the only one there is.
    fn existing(&self, repository: &Repository, id: &str) -> Result<Story, Failure> {
        if !id.is_empty() {
            let story = loops::find(repository, id)?;
            return story.ok_or_else(|| {
                Failure::new(
                    format!("there is no loop `{id}` here"),
                    "`countersign loop --list` shows those that are not over",
                )
            });
        }
        let named = self.branch.is_some();
        let branch = self.branch_name(repository);
        if let Ok(branch) = &branch
            && let Some(story) = Journal::at(&Place::of_branch(repository, branch)).load()?
            && (named || self.show.is_some() || !story.is_over())
        {
            return Ok(story);
        }
        let mut others = loops::unfinished(repository)?;
        match (others.pop(), others.is_empty(), named) {
            (Some(only), true, false) => Ok(only),
            (_, _, _) => Err(nothing_to_resume(&branch?)),
        }
    }

    fn show_story(&self, story: &Story) -> Result<Exit, Failure> {
        let dossier = Dossier::of(story, Timestamp::now());
        output::print(&match self.format {
            Listing::Json => output::json(&dossier)?,
            Listing::Pretty => markdown(&dossier),
        })?;
        Ok(Exit::Ok)
    }
}

/// Whether the answer from the command line is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    No,
    Beforehand,
}

/// A terminal's Ctrl-C ends git as well, which may fail us before we hear of it ourselves.
fn is_stopped_with(stop: &AtomicBool) -> bool {
    std::thread::sleep(std::time::Duration::from_millis(200));
    stop.load(Ordering::SeqCst)
}

fn unfinished(story: &Story) -> Failure {
    Failure::new(
        format!(
            "a loop of branch `{}` is not over: story {}, round {}, {}",
            story.order.branch,
            story.order.story_id,
            story.cycle.round(),
            story.cycle.status()
        ),
        "go on with `countersign loop --resume`, or drop it with --restart",
    )
}

fn nothing_to_resume(branch: &str) -> Failure {
    Failure::new(
        format!("there is no unfinished loop of branch `{branch}`"),
        "`countersign loop --list` shows those there are; begin one with --story or --title",
    )
}
