//! How a run begins: every name made definite before anything happens.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use domain::change::Oid;
use domain::config::Config;
use domain::cycle::ReviewMode;
use domain::epic::run::{EpicKey, EpicOrder, Merging, StoredEpic, TicketOrder};
use domain::epic::{EpicDocument, EpicFile, TicketEntry, TicketId};
use domain::ports::EpicHold;
use engine::epic::{BadGround, Ground};
use git::Repository;

use super::place::real;
use super::protected::Protected;
use super::surroundings::base;
use super::times::Times;
use super::{Journal, Place, Site, Speech};
use crate::documents::read_text;
use crate::failure::Failure;
use crate::policy::Policy;
use crate::reviewers::{Choice, installed, is_there, launch, under_review};
use crate::store::KeptOpen;

/// What somebody wants to have run, as they said it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) epic: PathBuf,
    pub(crate) builder: Option<String>,
    pub(crate) reviewer: Option<String>,
    pub(crate) parallel: Option<u32>,
    pub(crate) merging: Merging,
}

pub(crate) fn key_of(repository: &Repository, id: &TicketId) -> EpicKey {
    EpicKey { repository: repository_key(repository), id: id.clone() }
}

/// By which the store tells repositories apart.
pub(crate) fn repository_key(repository: &Repository) -> String {
    real(repository.common_dir()).to_string_lossy().into_owned()
}

/// What is to be run. Nothing is changed.
pub(crate) fn begin(repository: &Repository, asked: &Asked) -> Result<Ground, Failure> {
    let text = read_text(&asked.epic)?;
    let path = shown(repository, &asked.epic);
    let file = EpicFile::parse(&path, &text).map_err(|_| {
        Failure::new(
            format!("{path} cannot be run as it is"),
            "`countersign epic validate` says what is wrong with it",
        )
    })?;
    let (base_branch, base_commit) = base(repository, &file)??;
    let document = file.document;
    let policy = policy(repository, &base_commit)?;
    let looped = &policy.config.story_loop;
    let said = |asked: &Option<String>, own: &Option<String>, usual: &str| {
        asked.clone().or_else(|| own.clone()).unwrap_or_else(|| usual.to_owned())
    };
    let tickets = document.tickets.iter().map(|entry| ticket(repository, &asked.epic, entry));
    let order = EpicOrder {
        id: document.id.clone(),
        file: real(&asked.epic).to_string_lossy().into_owned(),
        path,
        tickets: tickets.collect::<Result<_, _>>()?,
        text,
        base_branch,
        base_commit,
        branch: document.branch.as_str().to_owned(),
        builder: said(&asked.builder, &document.builder, &looped.fixer),
        reviewer: said(&asked.reviewer, &document.reviewer, &looped.reviewer),
        parallel: asked.parallel.unwrap_or(document.parallel),
        merging: asked.merging,
    };
    ready(repository, &order, &document, &policy.config)?;
    ground(order, &policy)
}

/// Whoever cannot be started is told of before anybody else is paid.
fn ready(
    repository: &Repository,
    order: &EpicOrder,
    document: &EpicDocument,
    config: &Config,
) -> Result<(), Failure> {
    installed(&Choice::builder(&order.builder, config)?, config.sandbox)?;
    let reviewer = Choice::named(&order.reviewer, config)?;
    match (document.review, reviewer) {
        (ReviewMode::On, Choice::Agent(agent)) => {
            let budget = config.model.budget.cents_per_review;
            launch(&agent, config.sandbox, budget, &under_review(repository)).map(drop)
        }
        (ReviewMode::On, Choice::Model { models, .. }) => is_there(&config.model, models.as_deref()),
        (ReviewMode::On, Choice::Rules | Choice::Answered { .. }) | (ReviewMode::Off, _) => Ok(()),
    }
}

pub(crate) fn ground(order: EpicOrder, policy: &Policy) -> Result<Ground, Failure> {
    Ground::of(order, &policy.config.limits).map_err(|bad| {
        let hint = match &bad {
            BadGround::Epic(_) => "correct the epic, and run it with --restart",
            BadGround::Limits { .. } => {
                "lower the limits of the ticket, or raise limits.hard_cap in countersign.yaml"
            }
            BadGround::NoText(_) => "it was changed by hand; begin anew with --restart",
        };
        Failure::new(bad, hint)
    })
}

/// The policy in force at the commit an epic begins at.
pub(crate) fn policy(repository: &Repository, base: &Oid) -> Result<Policy, Failure> {
    let scope = repository.between(base, base);
    let sources = repository.sources(&scope)?;
    Policy::at_base(&scope, &sources, None)
}

fn ticket(repository: &Repository, epic: &Path, entry: &TicketEntry) -> Result<TicketOrder, Failure> {
    let file = epic.parent().unwrap_or(Path::new("")).join(&entry.path);
    Ok(TicketOrder { id: entry.id.clone(), path: shown(repository, &file), text: read_text(&file)? })
}

/// From the root of the repository where it lies there, else its name alone: where things are on this machine is nobody's
/// business.
fn shown(repository: &Repository, file: &Path) -> String {
    match repository.path_inside(file) {
        Some(path) => path.to_string(),
        None => file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    }
}

impl Site {
    /// Ready to work on a run that is stored, and held by `hold`.
    pub(crate) fn open(
        repository: Repository,
        kept: KeptOpen,
        hold: EpicHold,
        stored: &StoredEpic,
        stop: Arc<AtomicBool>,
        speech: Speech,
    ) -> Result<Site, Failure> {
        let order = stored.run.order.clone();
        let policy = policy(&repository, &order.base_commit)?;
        let ground = ground(order, &policy)?;
        let order = &ground.order;
        let builder = Choice::builder(&order.builder, &policy.config)?;
        let reviewer = Choice::named(&order.reviewer, &policy.config)?;
        let place = Place::of(&repository, &order.id);
        let commands = ground.document.commands.over(&policy.config.story_loop);
        let protected = Protected::of(&repository, order);
        let journal = Journal::open(kept, hold, ground.document.clone(), stored.clone())?;
        Ok(Site {
            repository: Arc::new(repository),
            place,
            journal,
            ground,
            config: policy.config,
            policy: policy.name,
            commands,
            builder,
            reviewer,
            protected,
            trees: Mutex::new(()),
            stop,
            speech,
            times: Times::wanted(),
        })
    }
}
