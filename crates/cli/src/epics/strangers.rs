//! Commits on the epic branch that somebody else has put there.

use std::collections::BTreeSet;

use domain::change::Oid;
use domain::epic::run::{BranchNotice, Merging, StoredEpic};
use domain::text::{brief_line, clean_line};
use engine::epic::TicketMoment;
use git::Listed;

use super::Site;
use crate::failure::Failure;

/// More are not looked at: there is enough to be told.
const MOST_LOOKED_AT: usize = 1_000;
/// More are not told of one by one where it stops.
const MOST_TOLD: usize = 5;
const LONGEST_SUBJECT: usize = 60;

impl Site {
    /// Before anything is done: whether the epic branch is where the run left it, or where people were told it is and wanted
    /// to go on from. What they answer for has to pass the commands all the same.
    pub(super) fn why_look_at_the_branch(&self) -> Result<Option<String>, Failure> {
        let (stored, branch) = (self.journal.snapshot(), &self.ground.order.branch);
        let Some(tip) = self.repository.find_branch(branch)? else {
            // Who is done with it may remove it.
            return Ok((!stored.is_complete()).then(|| self.deleted()));
        };
        let known = stored.knows_epic_commit(&tip);
        let strangers = self.strangers_since(&tip, stored.run.watch.accepted.as_ref())?;
        let is_ours = strangers.is_empty() && (known || self.holds(&tip, &stored)?);
        let told = match &stored.run.watch.notice {
            Some(BranchNotice::TheirTurn) => true,
            Some(BranchNotice::Moved { to }) => *to == tip,
            None => false,
        };
        match self.ground.order.merging {
            _ if told && !(known && is_ours) => self.accepted(&tip, &strangers),
            Merging::Automatic if !is_ours => Ok(Some(self.moved(&tip, &strangers))),
            // Where people merge they move it as they like.
            Merging::Automatic | Merging::ByHand => {
                if !known {
                    self.journal.epic_went_to(&tip)?;
                }
                Ok(None)
            }
        }
    }

    /// Nothing that was there is gone.
    fn holds(&self, tip: &Oid, stored: &StoredEpic) -> Result<bool, Failure> {
        let was = &stored.run.epic_commit;
        Ok(self.repository.has_commit(was)? && self.repository.is_ancestor(was, tip)?)
    }

    fn accepted(&self, tip: &Oid, strangers: &[Listed]) -> Result<Option<String>, Failure> {
        let branch = &self.ground.order.branch;
        let first = self.ground.order.tickets.first();
        let wrong = match first {
            Some(ticket) => self.commands_fail(&ticket.id, tip)?,
            None => None,
        };
        if let Some(wrong) = wrong {
            self.journal.notice(BranchNotice::TheirTurn);
            return Ok(Some(format!(
                "on {branch} at {}, where somebody else put it, {}; put it right there, then resume",
                tip.short(),
                brief_line(&wrong)
            )));
        }
        self.journal.accept(tip)?;
        let unreviewed = match strangers {
            [] => String::new(),
            [_, ..] => format!(", with what nobody reviewed: {}", told(strangers)),
        };
        let text = format!("{branch} was moved to {}: it goes on from there{unreviewed}", tip.short());
        (self.speech.moment)(&TicketMoment { ticket: None, text: &text });
        Ok(None)
    }

    pub(super) fn deleted(&self) -> String {
        let (branch, was) = (&self.ground.order.branch, self.journal.epic_commit());
        format!(
            "somebody deleted {branch}; make it again with `git branch {branch} {}`, then resume",
            was.short()
        )
    }

    /// What people are told, who may then go on from there.
    pub(super) fn moved(&self, tip: &Oid, strangers: &[Listed]) -> String {
        let (branch, was) = (&self.ground.order.branch, self.journal.epic_commit());
        self.journal.notice(BranchNotice::Moved { to: tip.clone() });
        let (was, now, unreviewed) = (was.short(), tip.short(), told(strangers));
        let what = match (was == now, strangers) {
            (true, _) => format!("somebody else put on {branch} what nobody reviewed: {unreviewed}; undo it"),
            (false, []) => {
                format!(
                    "somebody else moved {branch} from {was} to {now}; undo it with `git branch -f {branch} {was}`"
                )
            }
            (false, [_, ..]) => format!(
                "somebody else moved {branch} from {was} to {now}, with what nobody reviewed: {unreviewed}; undo it with \
                 `git branch -f {branch} {was}`"
            ),
        };
        format!("{what}, or look at it and resume: it then goes on from there")
    }

    /// For the report: all that came to the epic branch since the run began and passed no gate, whoever wanted it there.
    pub(crate) fn unreviewed(&self) -> Result<Vec<String>, Failure> {
        let Some(tip) = self.repository.find_branch(&self.ground.order.branch)? else {
            return Ok(Vec::new());
        };
        Ok(self.strangers_since(&tip, None)?.iter().map(shown).collect())
    }

    /// Commits that are neither approved work nor its merge, nor of the base branch. A merge that somebody made by hand is
    /// one of them if it holds more than git makes of its parents.
    pub(super) fn strangers_since(&self, tip: &Oid, accepted: Option<&Oid>) -> Result<Vec<Listed>, Failure> {
        let (stored, order) = (self.journal.snapshot(), &self.ground.order);
        let began = stored.run.watch.began_at.as_ref().unwrap_or(&order.base_commit);
        let base = match order.base_branch == order.branch {
            true => None,
            false => self.repository.find_branch(&order.base_branch)?,
        };
        let mut without = Vec::new();
        for known in [Some(began), accepted, base.as_ref()].into_iter().flatten() {
            if self.repository.has_commit(known)? {
                without.push(known.clone());
            }
        }
        let mut strangers = self.repository.commits(tip, &without, MOST_LOOKED_AT)?;
        if strangers.is_empty() {
            return Ok(strangers);
        }
        let approved = self.approved(&stored)?;
        strangers.retain(|commit| !approved.contains(commit.oid.as_str()));
        let mut left = Vec::with_capacity(strangers.len());
        for commit in strangers {
            if !self.repository.is_plain_merge(&commit)? {
                left.push(commit);
            }
        }
        Ok(left)
    }

    /// What was reviewed, and not what it began at: that may be anybody's.
    fn approved(&self, stored: &StoredEpic) -> Result<BTreeSet<String>, Failure> {
        let mut approved = BTreeSet::new();
        for ticket in stored.tickets.iter().filter(|ticket| ticket.is_done()) {
            let (Some(base), Some(work)) = (&ticket.base_commit, &ticket.final_commit) else { continue };
            if self.repository.has_commit(base)? && self.repository.has_commit(work)? {
                let listed = self.repository.commits(work, std::slice::from_ref(base), MOST_LOOKED_AT)?;
                approved.extend(listed.iter().map(|commit| commit.oid.to_string()));
            }
        }
        Ok(approved)
    }
}

fn told(strangers: &[Listed]) -> String {
    let mut told: Vec<String> = strangers.iter().take(MOST_TOLD).map(shown).collect();
    if strangers.len() > MOST_TOLD {
        told.push(format!("and {} more", strangers.len() - MOST_TOLD));
    }
    told.join(", ")
}

/// `3f2a1b0 Subject`
fn shown(commit: &Listed) -> String {
    let subject = clean_line(&rules::redact(&commit.subject));
    let subject: String = subject.chars().take(LONGEST_SUBJECT).collect();
    format!("{} {subject}", commit.oid.short())
}
