use std::time::Duration;

use domain::tasks::AuditKind;
use serde_json::{Map, Value, json};

use super::crew::PROCESSES;
use super::journal::Journal;
use super::judge::{Offence, Record};
use super::plan::Plan;
use super::weather::Damage;

/// Where `scripts/crash` collects the cards of both stores.
const FOLDER: &str = "COUNTERSIGN_CRASH_SCORECARDS";

/// What was done, and what came of it.
pub(crate) struct Scorecard<'a> {
    pub(crate) store: &'static str,
    pub(crate) plan: Plan,
    pub(crate) freezes: u32,
    pub(crate) turned_away: u32,
    pub(crate) damage: Damage,
    pub(crate) records: &'a [Record],
    pub(crate) journal: &'a Journal,
    pub(crate) offences: &'a [(Offence, String)],
    pub(crate) duration: Duration,
}

impl Scorecard<'_> {
    pub(crate) fn publish(&self) {
        let lines = self.lines();
        lines.iter().for_each(|(name, value)| println!("{name:38} {value}"));
        if let Some(folder) = std::env::var_os(FOLDER) {
            let fields: Map<String, Value> =
                lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let file = std::path::Path::new(&folder).join(format!("{}.json", self.store));
            std::fs::write(file, serde_json::to_vec(&fields).unwrap()).unwrap();
        }
    }

    fn lines(&self) -> Vec<(&'static str, Value)> {
        let of_kind = |kind: &str| self.records.iter().filter(|r| r.stored.task.kind == kind).count();
        let events = |kind| self.records.iter().map(|record| record.count(kind)).sum::<usize>();
        let offences = |wanted: &[Offence]| self.offences.iter().filter(|(o, _)| wanted.contains(o)).count();
        let Damage { restarts, backends, exhaustions, write_locks } = self.damage;
        vec![
            ("store", json!(self.store)),
            ("seed", json!(self.plan.seed)),
            ("processes", json!(PROCESSES)),
            ("kills (SIGKILL)", json!(self.plan.kills)),
            ("frozen past their lease (SIGSTOP)", json!(self.freezes)),
            ("server restarts", json!(restarts)),
            ("backends terminated", json!(backends)),
            ("connections exhausted", json!(exhaustions)),
            ("write lock held by others", json!(write_locks)),
            ("starts turned away by the store", json!(self.turned_away)),
            ("tasks", json!(self.records.len())),
            ("reviews", json!(of_kind("review"))),
            ("fixes", json!(of_kind("fix"))),
            ("escalated", json!(events(AuditKind::Escalated))),
            ("claims", json!(events(AuditKind::Claimed))),
            ("leases lost and freed", json!(events(AuditKind::LeaseExpired))),
            ("commands begun", json!(self.journal.begun())),
            ("commands run to the end", json!(self.journal.ended())),
            ("lost", json!(offences(&[Offence::Lost, Offence::MissingFollowUp]))),
            ("finished twice", json!(offences(&[Offence::FinishedTwice, Offence::HeldTwice]))),
            ("stale writes accepted", json!(offences(&[Offence::StaleAccepted]))),
            ("duplicate fix or review tasks", json!(offences(&[Offence::DuplicateFollowUp]))),
            ("wrong endings", json!(offences(&[Offence::WrongEnding, Offence::NotDone]))),
            ("files left or in disagreement", json!(offences(&[Offence::Disorder]))),
            ("processes that gave up", json!(offences(&[Offence::ProcessEnded]))),
            ("seconds", json!(self.duration.as_secs())),
        ]
    }
}
