//! Keeps pull requests true to their branches. A push may come by HTTP or straight to the folder, so this looks
//! at the repositories instead of waiting to be told.

use super::anchor::{Anchor, Side};
use super::pull::{Pull, PullState, Version};
use super::state::State;
use crate::forge::bare::Bare;

impl State {
    /// Brings every open pull request of the repository up to date with its branch.
    pub(in crate::forge) fn sync(&mut self, path: &str) {
        let Some(repository) = self.repository(path) else { return };
        let bare = repository.bare.clone();
        let open: Vec<(u64, String, String, String, String)> = repository
            .pulls
            .iter()
            .filter(|pull| pull.is_open())
            .map(|pull| {
                let (from, branch) = (pull.head_repository.clone(), pull.head_branch.clone());
                (pull.number, from, branch, pull.head_sha.clone(), pull.base_branch.clone())
            })
            .collect();
        for (number, from, branch, known, base) in open {
            let Some(source) = self.repository(&from).map(|source| source.bare.clone()) else { continue };
            let Some(head) = source.branch(&branch) else { continue };
            if head != known {
                self.advance(path, number, &bare, &source, &head, &base);
            }
        }
    }

    fn advance(&mut self, path: &str, number: u64, bare: &Bare, source: &Bare, head: &str, base: &str) {
        bare.take(source, head, &pull_refs(number));
        let version = self.version(bare, head, base);
        let at = version.created_at;
        let Some(pull) = self.repository_mut(path).and_then(|repository| repository.pull_mut(number)) else {
            return;
        };
        head.clone_into(&mut pull.head_sha);
        pull.base_sha.clone_from(&version.start);
        pull.versions.push(version);
        pull.updated_at = at;
        move_anchors(pull, bare, head);
    }

    /// Points an open pull request at another branch, which makes another diff of it.
    pub(in crate::forge) fn retarget(&mut self, path: &str, number: u64, base: &str) {
        let Some(repository) = self.repository(path) else { return };
        let bare = repository.bare.clone();
        let Some(head) = repository.pull(number).map(|pull| pull.head_sha.clone()) else { return };
        let version = self.version(&bare, &head, base);
        let Some(pull) = self.repository_mut(path).and_then(|repository| repository.pull_mut(number)) else {
            return;
        };
        base.clone_into(&mut pull.base_branch);
        pull.base_sha.clone_from(&version.start);
        pull.versions.push(version);
    }

    pub(in crate::forge) fn version(&mut self, bare: &Bare, head: &str, base: &str) -> Version {
        let start = bare.branch(base).unwrap_or_default();
        let base = bare.merge_base(&start, head).unwrap_or_else(|| start.clone());
        Version { id: self.id(), head: head.to_owned(), base, start, created_at: self.tick() }
    }

    /// Opens a pull request whose rules the caller has already checked.
    pub(in crate::forge) fn open_pull(&mut self, path: &str, opening: Opening) -> Option<u64> {
        let (into, from) =
            (self.repository(path)?.bare.clone(), self.repository(&opening.head_repository)?.bare.clone());
        let head = from.branch(&opening.head_branch)?;
        into.branch(&opening.base_branch)?;
        let number = self.repository(path)?.pulls.iter().map(|pull| pull.number).max().unwrap_or(0) + 1;
        into.take(&from, &head, &pull_refs(number));
        let version = self.version(&into, &head, &opening.base_branch);
        let (id, author, lag) = (self.id(), self.user(&opening.author), self.lag);
        let pull = Pull {
            id,
            number,
            author,
            title: opening.title,
            body: opening.body,
            state: PullState::Open,
            draft: opening.draft,
            head_repository: opening.head_repository,
            head_branch: opening.head_branch,
            head_sha: head,
            base_branch: opening.base_branch,
            base_sha: version.start.clone(),
            created_at: version.created_at,
            updated_at: version.created_at,
            versions: vec![version],
            comments: Vec::new(),
            threads: Vec::new(),
            reviews: Vec::new(),
            labels: Vec::new(),
            closed_at: None,
            merge_commit: None,
            hidden_for: lag,
        };
        self.repository_mut(path)?.pulls.push(pull);
        Some(number)
    }
}

/// What somebody wants to open.
#[derive(Debug, Clone)]
pub(in crate::forge) struct Opening {
    pub(in crate::forge) author: String,
    pub(in crate::forge) title: String,
    pub(in crate::forge) body: Option<String>,
    pub(in crate::forge) draft: bool,
    pub(in crate::forge) head_repository: String,
    pub(in crate::forge) head_branch: String,
    pub(in crate::forge) base_branch: String,
}

/// Where the head can be fetched from without knowing the fork: GitHub's name and GitLab's.
fn pull_refs(number: u64) -> [String; 2] {
    [format!("refs/pull/{number}/head"), format!("refs/merge-requests/{number}/head")]
}

fn move_anchors(pull: &mut Pull, bare: &Bare, head: &str) {
    for anchor in pull.threads.iter_mut().filter_map(|thread| thread.anchor.as_mut()) {
        move_anchor(anchor, bare, head);
    }
}

/// A comment follows its line as long as nobody touches it, and is outdated for good afterwards.
fn move_anchor(anchor: &mut Anchor, bare: &Bare, head: &str) {
    let Some(line) = anchor.line else { return };
    if anchor.side == Side::Left {
        head.clone_into(&mut anchor.commit);
        return;
    }
    let moved = bare.follow(&anchor.commit, head, &anchor.path, line);
    let start = anchor.start.map(|(side, at)| (side, bare.follow(&anchor.commit, head, &anchor.path, at)));
    anchor.line = moved;
    anchor.start = start.and_then(|(side, at)| at.map(|at| (side, at)));
    if moved.is_some() {
        head.clone_into(&mut anchor.commit);
    }
}
