//! Where tickets begin, and how they come together again.

use domain::change::Oid;
use domain::epic::run::{BranchNotice, Merging, TicketRun};
use domain::text::clean_line;
use engine::epic::{Based, MergeMade, MergePublished};
use git::{GitError, Merged};

use super::Site;
use crate::failure::Failure;

/// Where the epic branch is.
enum EpicTip {
    At(Oid),
    /// Somebody else put it there, so that what it holds passed no gate, or took it away.
    Moved {
        what: String,
    },
}

impl Site {
    /// Where people merge, they move the epic branch as they like. Where we do, nobody else does.
    fn epic_tip(&self) -> Result<EpicTip, Failure> {
        let order = &self.ground.order;
        let what = match self.repository.find_branch(&order.branch)? {
            Some(tip) if order.merging == Merging::ByHand || self.journal.knows(&tip) => {
                return Ok(EpicTip::At(tip));
            }
            Some(tip) => {
                let strangers = self.strangers_since(&tip, self.journal.watch().accepted.as_ref())?;
                self.moved(&tip, &strangers)
            }
            None => self.deleted(),
        };
        Ok(EpicTip::Moved { what })
    }

    /// The epic branch as it is. Where tickets are merged by hand it does not hold what this one depends on, which is
    /// then merged into its base: by commit, and only what was approved.
    pub(super) fn based(&self, ticket: &TicketRun, dependencies: &[Oid]) -> Result<Based, Failure> {
        let mut base = match self.epic_tip()? {
            EpicTip::At(tip) => tip,
            EpicTip::Moved { what } => return Ok(Based::Conflict { what }),
        };
        for work in dependencies {
            // What was built on all of it already needs no merge.
            if self.repository.is_ancestor(&base, work)? {
                base = work.clone();
                continue;
            }
            let message = format!("Bring together what ticket {} depends on\n", ticket.id);
            match self.repository.merge(&base, work, &message)? {
                Merged::Commit(commit) => base = commit,
                Merged::AlreadyIn => {}
                Merged::Conflict(conflict) => {
                    let files: Vec<String> = conflict.files.iter().map(ToString::to_string).collect();
                    let what = format!(
                        "what it depends on does not fit together, in {}; merge those tickets into {} by hand, \
                         then resume",
                        files.join(", "),
                        self.ground.order.branch
                    );
                    self.journal.notice(BranchNotice::TheirTurn);
                    return Ok(Based::Conflict { what });
                }
            }
        }
        Ok(Based::At(base))
    }

    pub(super) fn merge_made(&self, ticket: &TicketRun, work: &Oid) -> Result<MergeMade, Failure> {
        let order = &self.ground.order;
        let tip = match self.epic_tip()? {
            EpicTip::At(tip) => tip,
            EpicTip::Moved { what } => return Ok(MergeMade::Moved { what }),
        };
        let title = self.ground.index(ticket).and_then(|index| self.ground.item(index));
        let title = title.map(|item| clean_line(&item.title)).unwrap_or_default();
        let message = format!(
            "Merge {} into {}\n\n{}\n\nTicket: {}\nEpic: {}\n",
            ticket.branch(),
            order.branch,
            rules::redact(&title),
            ticket.id,
            order.id
        );
        let commit = match self.repository.merge(&tip, work, &message)? {
            Merged::Commit(commit) => commit,
            Merged::AlreadyIn => return Ok(MergeMade::AlreadyIn { tip }),
            Merged::Conflict(conflict) => {
                let files = conflict.files.iter().map(ToString::to_string).collect();
                return Ok(MergeMade::Conflict { files });
            }
        };
        Ok(match self.commands_fail(&ticket.id, &commit)? {
            Some(reason) => MergeMade::Refused { reason: format!("merged with the others, {reason}") },
            None => MergeMade::Made { from: tip, commit },
        })
    }

    pub(super) fn merge_published(&self, from: &Oid, to: &Oid) -> Result<MergePublished, Failure> {
        let branch = &self.ground.order.branch;
        match self.repository.advance(branch, from, to) {
            Ok(()) => {
                self.journal.epic_went_to(to)?;
                Ok(MergePublished::Done)
            }
            Err(GitError::BranchMoved(_) | GitError::NoBranch { .. }) => Ok(MergePublished::Moved),
            Err(error @ (GitError::BranchInUse { .. } | GitError::CheckoutInTheWay { .. })) => {
                let what = format!("{error}; {}", error.hint());
                Ok(MergePublished::InTheWay { what })
            }
            Err(error) => Err(error.into()),
        }
    }
}
