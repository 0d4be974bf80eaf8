//! Branches that changed while a builder worked whom nothing but good manners kept from doing it.

use std::collections::BTreeMap;

use domain::change::Oid;
use domain::config::Sandbox;

use super::Site;
use crate::failure::Failure;

/// More are not told of one by one.
const MOST_TOLD: usize = 5;

impl Site {
    /// Nothing where builders cannot reach the repository anyway.
    pub(super) fn before_build(&self) -> Result<BTreeMap<String, Oid>, Failure> {
        if self.config.sandbox != Sandbox::Off && brain::confine::support().files() {
            return Ok(BTreeMap::new());
        }
        let own = |name: &str| name == self.ground.order.branch || name.starts_with("ticket/");
        // The run looks after its own whenever it uses them.
        Ok(self.repository.branches()?.into_iter().filter(|(name, _)| !own(name)).collect())
    }

    /// What people have to know of them. A branch that was moved may hold somebody's work, so nobody touches it; one that
    /// is gone is made again.
    pub(super) fn strayed(&self, before: &BTreeMap<String, Oid>) -> Result<Vec<String>, Failure> {
        if before.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.repository.branches()?;
        let mut told = Vec::new();
        for (name, was) in before {
            match now.get(name) {
                Some(is) if is == was => {}
                Some(_) => told.push(format!(
                    "branch {name} was moved while a builder worked unconfined: if it was none of you, git reflog {name} says where it was"
                )),
                None => {
                    self.repository.restore_branch(name, was)?;
                    told.push(format!(
                        "branch {name} was deleted while a builder worked unconfined, and is there again"
                    ));
                }
            }
        }
        let more = told.len().saturating_sub(MOST_TOLD);
        told.truncate(MOST_TOLD);
        if more > 0 {
            told.push(format!(
                "{more} more branches were moved or deleted while a builder worked unconfined"
            ));
        }
        Ok(told)
    }
}
