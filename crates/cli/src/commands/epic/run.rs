use std::path::{Path, PathBuf};

use domain::cycle::ReviewMode;
use domain::epic::run::{Merging, StoredEpic};
use domain::epic::{MOST_PARALLEL, TicketIndex};
use domain::ports::EpicStore as _;
use engine::epic::Ground;
use git::Repository;
use jiff::Timestamp;
use serde::Serialize;

use super::answer::{Answer, told};
use super::work::{listen, work};
use crate::epics::{self, Asked, Found, Place, Purpose, StateFile};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::{StoreArgs, actor};

/// Run an epic: agents build its tickets on branches, and nothing is completed without passing the gate.
///
/// Tickets begin when what they depend on is completed. Each is built in a worktree of its own, validated, reviewed and,
/// if the review asks for it, revised. How far it is stands in epic-state.json beside the epic, and at the end a report in
/// epic-report.md. Killed at any moment, it goes on with `epic resume`. See docs/EPICS.md.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign epic run epics/login/epic.yaml --builder engineer\n  \
    countersign epic run epics/login/epic.yaml --parallel 4 --merge\n  \
    countersign epic run epics/login/epic.yaml --dry-run            says in which order whom it would start\n\n\
    Exit codes: 0 all tickets completed, 1 some failed or are blocked, 2 usage or configuration, 3 reviews prove \
    nothing, 4 a human has to do something, 130 stopped.")]
pub(crate) struct Run {
    /// The epic.
    #[arg(value_name = "EPIC.yaml")]
    epic: PathBuf,

    /// How many tickets are worked on at once [default: what the epic says, else 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PARALLEL)))]
    parallel: Option<u32>,

    /// Merge what passed into the epic branch.
    #[arg(long)]
    merge: bool,

    /// Say in which order whom would be started, and change nothing.
    #[arg(long)]
    dry_run: bool,

    /// Who builds: an agent of countersign.yaml [default: what the epic says, else loop.fixer]
    #[arg(long, value_name = "NAME")]
    builder: Option<String>,

    /// Who reviews: rules, model or an agent [default: what the epic says, else loop.reviewer]
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    /// Drop an earlier run of this epic, with its ticket branches, and begin anew at the base branch; what the epic branch
    /// held is kept under another name, and an epic-state.json that no run wrote as a backup.
    #[arg(long, conflicts_with = "dry_run")]
    restart: bool,

    /// How the summary at the end is printed, or with --dry-run the plan.
    #[arg(long, default_value = "pretty")]
    format: Listing,

    #[command(flatten)]
    store: StoreArgs,
}

impl Run {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&self.store.root())?;
        let asked = Asked {
            epic: self.epic.clone(),
            builder: self.builder.clone(),
            reviewer: self.reviewer.clone(),
            parallel: self.parallel,
            merging: if self.merge { Merging::Automatic } else { Merging::ByHand },
        };
        self.check(&repository, &asked)?;
        let ground = epics::begin(&repository, &asked)?;
        if self.dry_run {
            output::print(&match self.format {
                Listing::Json => output::json(&Planned::of(&ground))?,
                Listing::Pretty => plan(&ground),
            })?;
            return Ok(Exit::Ok);
        }
        let (key, place) =
            (epics::key_of(&repository, &ground.order.id), Place::of(&repository, &ground.order.id));
        let lock = place.lock(&ground.order.id)?;
        let kept = self.store.keep_open()?;
        let requests = listen()?;
        let old = kept.wait(kept.store.epic(&key)).map_err(epics::refused)?;
        match &old {
            Some(old) if !self.restart => return Err(unfinished(old)),
            Some(old) => {
                set_aside(&repository, old, &ground)?;
                drop_branches(&repository, old)?;
            }
            None => self.check_state_file(&ground)?,
        }
        let stored = self.begun(&repository, &ground)?;
        let hold = kept
            .wait(kept.store.begin_epic(&key, &stored, &actor(Some(&repository))))
            .map_err(epics::refused)?;
        place.clear(&repository, stored.tickets.iter().map(|ticket| &ticket.id))?;
        work(repository, kept, hold, stored, lock, requests, self.format)
    }

    /// What is wrong with the epic, its tickets or what it names is told before anything is begun.
    fn check(&self, repository: &Repository, asked: &Asked) -> Result<(), Failure> {
        let answer = Answer::about(&self.epic, Ok(repository), Purpose::Run(asked))?;
        match (answer.valid, self.format) {
            (false, Listing::Json) => {
                output::print(&answer.shown(&self.epic.display().to_string(), self.format)?)?;
            }
            (true, _) | (false, Listing::Pretty) => told(&answer.problems),
        }
        match answer.valid {
            true => Ok(()),
            false => Err(Failure::new(
                format!("{} cannot be run as it is", self.epic.display()),
                "correct what is listed above; `countersign epic validate` looks again",
            )),
        }
    }

    /// Work that the store knows nothing of is neither done again nor overwritten, unless `--restart` asks for it; then the file
    /// is kept.
    fn check_state_file(&self, ground: &Ground) -> Result<(), Failure> {
        let order = &ground.order;
        let file = StateFile::beside(Path::new(&order.file), &order.id);
        let path = file.path().display();
        let (what, hint) = match file.found() {
            Found::Nothing => return Ok(()),
            Found::Begun(tickets) => (
                format!(
                    "{path} says that epic {} was begun ({tickets}), and the store has no run of it",
                    order.id
                ),
                "name the store that has it with --store; or begin anew with --restart, which keeps the file as a backup",
            ),
            Found::Unreadable(reason) => (
                format!("cannot read {path}: {reason}"),
                "correct it or move it away; or begin anew with --restart, which keeps the file as a backup",
            ),
        };
        if !self.restart {
            return Err(Failure::new(what, hint));
        }
        let kept = file.backup()?;
        pretty::note(&pretty::safe(&format!("{path} is kept as {}", kept.display())));
        std::fs::remove_file(file.path()).map_err(|error| {
            Failure::new(format!("cannot remove {path}: {error}"), "check the permissions of its folder")
        })
    }

    /// The epic branch is made where there is none; branches of tickets must not be there yet.
    fn begun(&self, repository: &Repository, ground: &Ground) -> Result<StoredEpic, Failure> {
        let order = &ground.order;
        for ticket in &order.tickets {
            let branch = format!("ticket/{}", ticket.id);
            if repository.find_branch(&branch)?.is_some() {
                return Err(Failure::new(
                    format!("there is a branch {branch} already, and no run of epic {} made it", order.id),
                    format!("rename or remove it first: git branch -m {branch} NAME"),
                ));
            }
        }
        let tip = match repository.find_branch(&order.branch)? {
            Some(tip) => tip,
            None => {
                repository.make_branch(&order.branch, &order.base_commit)?;
                order.base_commit.clone()
            }
        };
        engine::epic::begin(ground, tip, Timestamp::now())
            .map_err(|bad| Failure::new(bad, "correct the limits of the epic or of countersign.yaml"))
    }
}

/// What `--dry-run --format json` prints.
#[derive(Serialize)]
struct Planned<'a> {
    epic: &'a str,
    epic_branch: &'a str,
    base_commit: String,
    builder: &'a str,
    /// None if nobody reviews.
    reviewer: Option<&'a str>,
    parallel: u32,
    merge: bool,
    /// The ids of the tickets.
    waves: Vec<Vec<&'a str>>,
}

impl<'a> Planned<'a> {
    fn of(ground: &'a Ground) -> Planned<'a> {
        let order = &ground.order;
        let id =
            |TicketIndex(index): &TicketIndex| ground.document.tickets.get(*index).map(|one| one.id.as_str());
        Planned {
            epic: order.id.as_str(),
            epic_branch: &order.branch,
            base_commit: order.base_commit.to_string(),
            builder: &order.builder,
            reviewer: (ground.document.review == ReviewMode::On).then_some(order.reviewer.as_str()),
            parallel: order.parallel,
            merge: order.merging == Merging::Automatic,
            waves: ground.plan.waves.iter().map(|wave| wave.iter().filter_map(id).collect()).collect(),
        }
    }
}

/// Whom would be started, wave by wave.
fn plan(ground: &Ground) -> String {
    let order = &ground.order;
    let mut text = String::new();
    for (number, wave) in (1..).zip(&ground.plan.waves) {
        text.push_str(&format!("Wave {number}\n"));
        for TicketIndex(index) in wave {
            let Some(item) = ground.items.get(*index) else { continue };
            text.push_str(&format!(
                "[DRY-RUN] Would spawn builder {} for ticket {}\n",
                order.builder, item.id
            ));
            if ground.document.review == ReviewMode::On {
                text.push_str(&format!(
                    "[DRY-RUN] Would spawn reviewer {} for ticket {}\n",
                    order.reviewer, item.id
                ));
            }
        }
    }
    text
}

fn unfinished(old: &StoredEpic) -> Failure {
    let id = &old.run.order.id;
    match old.is_complete() {
        true => Failure::new(
            format!("epic {id} was run already, and all of its tickets are completed"),
            "--restart drops that run and its ticket branches, and begins anew",
        ),
        false => Failure::new(
            format!("a run of epic {id} is not over"),
            format!("go on with `countersign epic resume {id}`, or drop it and its branches with --restart"),
        ),
    }
}

/// A run that begins anew does so at the base branch as it is now. What the epic branch holds besides is kept, under
/// another name.
fn set_aside(repository: &Repository, old: &StoredEpic, ground: &Ground) -> Result<(), Failure> {
    let order = &ground.order;
    let (branch, base) = (&order.branch, &order.base_commit);
    let is_another = *branch != old.run.order.branch || *branch == order.base_branch;
    let Some(tip) = repository.find_branch(branch)?.filter(|tip| !is_another && tip != base) else {
        return Ok(());
    };
    if !repository.is_ancestor(&tip, base)? {
        let kept = format!("{branch}-before-{}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"));
        repository.make_branch(&kept, &tip)?;
        pretty::note(&format!("What {branch} held is kept as {kept}, at {}", tip.short()));
    }
    Ok(repository.reset_branch(branch, &tip, base)?)
}

/// Only branches that are where the run left them: what somebody put there since is theirs.
fn drop_branches(repository: &Repository, old: &StoredEpic) -> Result<(), Failure> {
    for ticket in &old.tickets {
        let branch = ticket.branch();
        let now = repository.find_branch(&branch)?;
        match (now, &ticket.branch_commit, &ticket.final_commit) {
            (None, _, _) => {}
            (Some(now), ours, work) if Some(&now) == ours.as_ref() || Some(&now) == work.as_ref() => {
                repository.remove_branch(&branch, &now)?;
            }
            (Some(_), _, _) => {
                return Err(Failure::new(
                    format!("branch {branch} holds something that the earlier run did not put there"),
                    format!("rename or remove it first: git branch -m {branch} NAME"),
                ));
            }
        }
    }
    Ok(())
}
