//! Whether somebody did what no ticket has to do alone.

use domain::change::{Oid, RepoPath, Side};
use domain::epic::run::{BranchNotice, TicketRun};
use domain::ports::Sources as _;
use domain::work::FunctionProfile;

use super::Site;
use crate::failure::Failure;

impl Site {
    /// The functions the epic agreed on that are defined neither in finished work nor in the epic branch, as `name/2`.
    pub(super) fn undefined_functions(&self, tickets: &[TicketRun]) -> Result<Vec<String>, Failure> {
        let agreed = &self.ground.document.coordination_requirements.function_profiles;
        let mut open: Vec<&FunctionProfile> = agreed.iter().filter(|one| !one.name.is_empty()).collect();
        for ticket in tickets {
            if let (false, Some(base), Some(work)) =
                (open.is_empty(), &ticket.base_commit, &ticket.final_commit)
            {
                let change = self.repository.change(&self.repository.between(base, work))?;
                let touched = change.files.iter().filter_map(|file| file.new.as_ref());
                self.look_in(work, touched.map(|side| side.path.clone()), &mut open)?;
            }
        }
        // What no ticket touched may have been there before, or somebody has put it there since.
        let tip = self.repository.find_branch(&self.ground.order.branch)?;
        if let (false, Some(tip)) = (open.is_empty(), tip) {
            let files = self.repository.files(&self.repository.between(&tip, &tip))?;
            self.look_in(&tip, files.into_iter(), &mut open)?;
        }
        if !open.is_empty() {
            self.journal.notice(BranchNotice::TheirTurn);
        }
        Ok(open.iter().map(|profile| format!("{}/{}", profile.name, profile.arity)).collect())
    }

    fn look_in(
        &self,
        commit: &Oid,
        paths: impl Iterator<Item = RepoPath>,
        open: &mut Vec<&FunctionProfile>,
    ) -> Result<(), Failure> {
        let scope = self.repository.between(commit, commit);
        let sources = self.repository.sources(&scope)?;
        for path in paths.filter(rules::may_define_functions) {
            if open.is_empty() {
                break;
            }
            let Some(text) = sources.read_path(&path, Side::New)? else { continue };
            open.retain(|profile| !rules::defines(profile, &path, &text));
        }
        Ok(())
    }
}
