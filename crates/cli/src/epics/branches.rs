//! Branches that a builder moved, where nothing but good manners kept it from doing so.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use domain::change::Oid;
use domain::config::Sandbox;
use git::GitError;

use super::Site;
use crate::failure::Failure;

/// More are not told of one by one.
const MOST_TOLD: usize = 5;

/// Where the run itself has put branches, in order: it works on many tickets at once.
#[derive(Debug, Default)]
pub(super) struct OwnMoves(Mutex<Vec<(String, Oid)>>);

/// How things were when a builder began.
pub(super) struct Before {
    branches: BTreeMap<String, Oid>,
    moves: usize,
}

impl OwnMoves {
    /// Nobody compares while a branch is moved.
    pub(super) fn moving(
        &self,
        branch: &str,
        to: &Oid,
        how: impl FnOnce() -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        let mut moves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        how()?;
        moves.push((branch.to_owned(), to.clone()));
        Ok(())
    }
}

impl Site {
    /// Nothing where builders cannot reach the repository anyway.
    pub(super) fn before_build(&self) -> Result<Option<Before>, Failure> {
        if self.config.sandbox != Sandbox::Off && brain::confine::support().files() {
            return Ok(None);
        }
        let moves = self.moves.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(Before { branches: self.repository.branches()?, moves: moves.len() }))
    }

    /// What was moved or deleted since, and not by the run, is put back: work may be merged into one of them. Says what
    /// it was.
    pub(super) fn strayed(&self, before: Option<Before>) -> Result<Option<String>, Failure> {
        let Some(Before { branches: mut expected, moves: from }) = before else { return Ok(None) };
        let mut moves = self.moves.0.lock().unwrap_or_else(PoisonError::into_inner);
        expected.extend(moves.iter().skip(from).cloned());
        let now = self.repository.branches()?;
        let mut told = Vec::new();
        for (name, was) in expected {
            let how = match now.get(&name) {
                Some(is) if *is == was => continue,
                Some(is) => {
                    self.repository.put_back(&name, is, &was)?;
                    format!("moved to {is}")
                }
                None => {
                    self.repository.restore_branch(&name, &was)?;
                    "deleted".to_owned()
                }
            };
            told.push(format!("branch `{name}` was {how} and is put back at {}", was.short()));
            moves.push((name, was));
        }
        let more = told.len().saturating_sub(MOST_TOLD);
        told.truncate(MOST_TOLD);
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        Ok((!told.is_empty()).then(|| {
            format!(
                "{}: this happened while the builder worked unconfined, and a builder moves no branch",
                told.join("; ")
            )
        }))
    }
}
