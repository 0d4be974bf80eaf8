use std::io::IsTerminal;
use std::time::Duration;

use domain::cycle::TicketStatus;
use domain::epic::report::Tests;
use domain::epic::run::{StoredEpic, state_of};
use domain::ports::{EpicStore as _, StoreError};
use engine::epic::{Ground, is_at_rest, report_of};
use git::Repository;
use jiff::Timestamp;

use super::named::found;
use super::summary::tickets;
use crate::epics::{self, Place};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::policy::Policy;
use crate::pretty::{self, Cell, Look, table};
use crate::store::StoreArgs;

/// Show how far an epic is, or which epics there are.
#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    /// The epic's id or file; without one, all of this repository.
    #[arg(value_name = "EPIC")]
    epic: Option<String>,

    /// Show it again whenever something changes, until the run is over, well or not.
    #[arg(long)]
    watch: bool,

    /// With json, what epic-state.json says.
    #[arg(long, default_value = "pretty")]
    format: Listing,

    #[command(flatten)]
    store: StoreArgs,
}

const GLANCE: Duration = Duration::from_millis(500);

impl Status {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&self.store.root())?;
        let key = epics::repository_key(&repository);
        let mut shown = String::new();
        loop {
            let all = self.store.with_store_to_read(async |store| match store.epics(&key).await {
                Ok(all) => Ok(Ok(all)),
                Err(domain::ports::EpicError::Store(error)) => Err::<_, StoreError>(error),
                Err(other) => Ok(Err(other)),
            })?;
            let all = all.map_err(epics::refused)?;
            let (text, over) = self.view(&repository, &all)?;
            if text != shown {
                let clear = if self.watch && std::io::stdout().is_terminal() { "\x1b[2J\x1b[H" } else { "" };
                output::print(&format!("{clear}{text}"))?;
                shown = text;
            }
            if !self.watch || over {
                return Ok(Exit::Ok);
            }
            std::thread::sleep(GLANCE);
        }
    }

    fn view(&self, repository: &Repository, all: &[StoredEpic]) -> Result<(String, bool), Failure> {
        match &self.epic {
            Some(name) => {
                let id = found(all, name)?;
                let one = all.iter().find(|stored| stored.run.order.id == id);
                let Some(one) = one else { return Ok((String::new(), true)) };
                let (policy, ground) = ground_of(repository, one)?;
                let at_rest = is_at_rest(one, &ground);
                let left = !at_rest && !Place::of(repository, &id).is_at_work();
                let mut text = self.one(one, &policy, &ground)?;
                if left && self.format == Listing::Pretty {
                    text.push_str(&format!(
                        "\nNobody is at work on it. Go on with: countersign epic resume {id}\n"
                    ));
                }
                Ok((text, at_rest || left))
            }
            None if all.is_empty() => {
                pretty::note("No epic was run here.");
                Ok((if self.format == Listing::Json { "[]\n".to_owned() } else { String::new() }, true))
            }
            None => {
                let mut over = true;
                for stored in all.iter().filter(|_| self.watch) {
                    over &= is_at_rest(stored, &ground_of(repository, stored)?.1)
                        || !Place::of(repository, &stored.run.order.id).is_at_work();
                }
                Ok((self.list(all)?, over))
            }
        }
    }

    fn one(&self, stored: &StoredEpic, policy: &Policy, ground: &Ground) -> Result<String, Failure> {
        match self.format {
            Listing::Json => output::json(&state_of(stored, &ground.document)),
            Listing::Pretty => {
                let overall = policy.config.gate.overall;
                let report = report_of(stored, ground, Tests::NotConfigured, overall, Timestamp::now());
                Ok(format!("Epic {}: {}\n\n{}", stored.run.order.id, standing(stored), tickets(&report)))
            }
        }
    }

    fn list(&self, all: &[StoredEpic]) -> Result<String, Failure> {
        match self.format {
            Listing::Json => {
                let entry = |stored: &StoredEpic| {
                    serde_json::json!({
                        "epic_id": stored.run.order.id,
                        "epic_branch": stored.run.order.branch,
                        "started_at": stored.run.started_at.to_string(),
                        "stopped": stored.run.stopped,
                        "tickets": stored.tickets.len(),
                        "completed": count(stored, TicketStatus::Completed),
                        "failed": count(stored, TicketStatus::Failed),
                        "blocked": count(stored, TicketStatus::Blocked),
                        "is_complete": stored.is_complete(),
                    })
                };
                output::json(&all.iter().map(entry).collect::<Vec<_>>())
            }
            Listing::Pretty => {
                let row = |stored: &StoredEpic| {
                    vec![
                        Cell::text(stored.run.order.id.as_str()),
                        Cell::text(&stored.run.order.branch),
                        Cell::text(&standing(stored)),
                    ]
                };
                let rows: Vec<_> = all.iter().map(row).collect();
                Ok(table(&["EPIC", "BRANCH", "TICKETS"], &rows, Look::width_of_lists()))
            }
        }
    }
}

fn ground_of(repository: &Repository, stored: &StoredEpic) -> Result<(Policy, Ground), Failure> {
    let policy = epics::policy(repository, &stored.run.order.base_commit)?;
    let ground = Ground::of(stored.run.order.clone(), &policy.config.limits).map_err(|bad| {
        Failure::new(bad, "its stored state was changed by hand; begin anew with --restart")
    })?;
    Ok((policy, ground))
}

fn count(stored: &StoredEpic, status: TicketStatus) -> usize {
    stored.tickets.iter().filter(|ticket| ticket.status() == status).count()
}

/// `3 of 5 completed, 1 failed`
fn standing(stored: &StoredEpic) -> String {
    let mut text =
        format!("{} of {} completed", count(stored, TicketStatus::Completed), stored.tickets.len());
    for status in TicketStatus::ALL {
        let number = count(stored, status);
        if number > 0 && status != TicketStatus::Completed {
            text.push_str(&format!(", {number} {}", status.as_str().replace('_', " ")));
        }
    }
    text
}
