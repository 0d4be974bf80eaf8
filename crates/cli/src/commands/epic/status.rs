use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use domain::cycle::TicketStatus;
use domain::epic::Stop;
use domain::epic::report::{AttentionKind, EpicReport, Tests, attention};
use domain::epic::run::{StoredEpic, state_of};
use domain::ports::{EpicStore as _, StoreError};
use engine::epic::{Ground, is_at_rest, report_of};
use git::Repository;

use super::named::found;
use super::summary::{retry, tickets, why_it_stands_still};
use crate::epics::{self, Place, StateFile};
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
                let condition = Condition::of(one, &ground, repository);
                Ok((self.one(one, &policy, &ground, condition)?, condition != Condition::AtWork))
            }
            None if all.is_empty() => {
                pretty::note("No epic was run here.");
                Ok((if self.format == Listing::Json { "[]\n".to_owned() } else { String::new() }, true))
            }
            None => {
                let mut listed = Vec::new();
                for stored in all {
                    // One that cannot be read does not hide the others.
                    let ground = ground_of(repository, stored);
                    let condition = ground.map_or(Condition::Unreadable, |(_, ground)| {
                        Condition::of(stored, &ground, repository)
                    });
                    listed.push((stored, condition));
                }
                let over = listed.iter().all(|(_, condition)| *condition != Condition::AtWork);
                Ok((self.list(&listed)?, over))
            }
        }
    }

    fn one(
        &self,
        stored: &StoredEpic,
        policy: &Policy,
        ground: &Ground,
        condition: Condition,
    ) -> Result<String, Failure> {
        match self.format {
            Listing::Json => {
                let order = &stored.run.order;
                let file = StateFile::beside(Path::new(&order.file), &order.id);
                output::json(&file.with_others(state_of(stored, &ground.document)))
            }
            Listing::Pretty => {
                let overall = policy.config.gate.overall;
                let report = report_of(stored, ground, Tests::NotConfigured, overall);
                let (id, table) = (&stored.run.order.id, tickets(&report));
                let (corrected, next) = (corrected(&report), how_to_go_on(stored, &report, condition));
                Ok(format!("Epic {id}: {}\n\n{table}{corrected}{next}", standing(stored)))
            }
        }
    }

    fn list(&self, all: &[(&StoredEpic, Condition)]) -> Result<String, Failure> {
        match self.format {
            Listing::Json => {
                let entry = |(stored, condition): &(&StoredEpic, Condition)| {
                    serde_json::json!({
                        "epic_id": stored.run.order.id,
                        "epic_branch": stored.run.order.branch,
                        "started_at": stored.run.started_at.to_string(),
                        "condition": condition,
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
                let row = |(stored, condition): &(&StoredEpic, Condition)| {
                    vec![
                        Cell::text(stored.run.order.id.as_str()),
                        Cell::text(&stored.run.order.branch),
                        Cell::text(&format!("{}{}", standing(stored), in_short(stored, *condition))),
                    ]
                };
                let rows: Vec<_> = all.iter().map(row).collect();
                Ok(table(&["EPIC", "BRANCH", "TICKETS"], &rows, Look::width_of_lists()))
            }
        }
    }
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Condition {
    AtWork,
    /// As a whole, for a reason that was written down.
    Stopped,
    /// Each ticket that could go on is held by something of its own, and is let go when somebody resumes.
    Held,
    /// There is something to do and nobody does it: whoever did was killed.
    Interrupted,
    /// Nothing can be done about any of its tickets, or nothing is left to do.
    AtRest,
    /// What was stored is no epic to this version.
    Unreadable,
}

impl Condition {
    fn of(stored: &StoredEpic, ground: &Ground, repository: &Repository) -> Condition {
        let at_work = || Place::of(repository, &stored.run.order.id).is_at_work();
        match (&stored.run.stopped, is_at_rest(stored, ground)) {
            (Some(_), _) => Condition::Stopped,
            (None, true) if held(stored).next().is_some() => Condition::Held,
            (None, true) => Condition::AtRest,
            (None, false) if at_work() => Condition::AtWork,
            (None, false) => Condition::Interrupted,
        }
    }
}

/// What the gate corrected in reports of reviewers, a line each.
fn corrected(report: &EpicReport) -> String {
    let corrected = attention(report).into_iter().filter(|one| one.kind == AttentionKind::CorrectedReport);
    let lines: String = corrected
        .map(|one| pretty::safe(&format!("{}: {}", one.ticket.unwrap_or_default(), one.message)) + "\n")
        .collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Tickets that stand still for a reason of their own.
fn held(stored: &StoredEpic) -> impl Iterator<Item = &Stop> {
    stored.tickets.iter().filter_map(|ticket| ticket.stopped.as_ref())
}

/// Nothing while somebody is at work, or where nothing is left to do.
fn how_to_go_on(stored: &StoredEpic, report: &EpicReport, condition: Condition) -> String {
    let id = &stored.run.order.id;
    let said = match (condition, &stored.run.stopped) {
        (Condition::Stopped, Some(stop)) => {
            format!("Stopped ({}): {}", stop.reason.as_str(), pretty::safe(&stop.detail))
        }
        (Condition::Held, _) => format!("Stands still: {}", pretty::safe(&why_it_stands_still(report))),
        (Condition::Interrupted, _) => "Interrupted: nobody is at work on it".to_owned(),
        (Condition::AtRest, _) => {
            return retry(report, id).map(|retry| format!("\n{retry}\n")).unwrap_or_default();
        }
        (Condition::Stopped | Condition::AtWork | Condition::Unreadable, _) => return String::new(),
    };
    format!("\n{}. Go on with: countersign epic resume {id}\n", said.trim_end_matches('.'))
}

fn in_short(stored: &StoredEpic, condition: Condition) -> String {
    match (condition, &stored.run.stopped) {
        (Condition::Stopped, Some(stop)) => format!("; stopped ({})", stop.reason.as_str()),
        (Condition::Held, _) => {
            let reasons: BTreeSet<&str> = held(stored).map(|stop| stop.reason.as_str()).collect();
            format!("; stands still ({})", reasons.into_iter().collect::<Vec<_>>().join(", "))
        }
        (Condition::Interrupted, _) => "; interrupted".to_owned(),
        (Condition::Unreadable, _) => {
            format!("; cannot be read: countersign epic status {}", stored.run.order.id)
        }
        (Condition::Stopped | Condition::AtWork | Condition::AtRest, _) => String::new(),
    }
}

fn ground_of(repository: &Repository, stored: &StoredEpic) -> Result<(Policy, Ground), Failure> {
    let policy = epics::policy(repository, &stored.run.order.base_commit)?;
    let ground = epics::ground(stored.run.order.clone(), &policy)?;
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
