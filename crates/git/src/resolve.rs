use domain::change::{Oid, Scope, Target};

use crate::commit::Commit;
use crate::error::GitError;
use crate::guess::guess;
use crate::refs::Refs;
use crate::repository::Repository;
use crate::text;

/// What is to be reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Commits,
    /// The index.
    Staged,
    /// The working tree, files not yet added included.
    Worktree,
}

/// A question as a person puts it; [`Repository::resolve`] makes it exact.
#[derive(Debug, Clone)]
pub struct Ask {
    pub what: What,
    /// Any revision. Where it is missing, commits are compared with the branch they are probably meant
    /// for, everything else with HEAD.
    pub base: Option<String>,
    /// Any revision; HEAD if missing. For commits only.
    pub head: Option<String>,
}

impl Repository {
    /// Decides what is compared with what. The base is where both sides parted, so that what happened on
    /// the base since is not taken for part of the change.
    pub fn resolve(&self, ask: &Ask) -> Result<Scope, GitError> {
        let mut scope = match ask.what {
            What::Commits => self.resolve_commits(ask)?,
            What::Staged => self.resolve_uncommitted(ask, Target::Index, "staged")?,
            What::Worktree => self.resolve_uncommitted(ask, Target::Worktree, "uncommitted")?,
        };
        scope.notes.extend(self.doubt_about_attributes().map(str::to_owned));
        Ok(scope)
    }

    fn resolve_commits(&self, ask: &Ask) -> Result<Scope, GitError> {
        let head = self.head_of(ask)?;
        let Some(base_name) = &ask.base else {
            return self.with_guessed_base(&head);
        };
        let base = self.named_commit(base_name)?;
        let shown = shown_name(base_name);
        let ancestor = self.common_ancestor((&base.oid, &shown), (&head.commit.oid, &head.name))?;
        let mut notes = head.notes.clone();
        notes.extend(self.ambiguity(base_name)?);
        if ancestor == head.commit.oid && ancestor != base.oid {
            notes.push(format!(
                "{} is older than {shown}, so nothing is new in it: are base and head swapped?",
                head.name
            ));
        }
        Ok(head.scope(Some(ancestor), shown, notes))
    }

    fn head_of(&self, ask: &Ask) -> Result<Head, GitError> {
        let refs = self.refs()?;
        let asked = ask.head.as_deref().filter(|name| !matches!(*name, "HEAD" | "@"));
        let Some(asked) = asked else {
            let commit = self.commit("HEAD")?.ok_or_else(|| no_commits(&refs))?;
            let name = refs.current().map_or(commit.oid.short(), |r| r.short()).to_owned();
            let branch = refs.current().map(|r| r.name.clone());
            return Ok(Head { commit, name, branch, kind: HeadKind::CheckedOut, refs, notes: Vec::new() });
        };
        let commit = self.named_commit(asked)?;
        let notes = self.ambiguity(asked)?.into_iter().collect();
        let branch = [asked.to_owned(), format!("refs/heads/{asked}"), format!("refs/remotes/{asked}")]
            .into_iter()
            .find(|full| refs.get(full).is_some());
        Ok(Head { commit, name: shown_name(asked), branch, kind: HeadKind::Named, refs, notes })
    }

    fn with_guessed_base(&self, head: &Head) -> Result<Scope, GitError> {
        let Some(guess) = guess(&head.refs, head.branch.as_deref()) else {
            return self.latest_commit(head, &format!("there is no branch to compare {} with", head.name));
        };
        let ancestor = self.common_ancestor((&guess.base.oid, guess.name), (&head.commit.oid, &head.name))?;
        if ancestor == head.commit.oid {
            let branch = match head.kind {
                HeadKind::CheckedOut => "this branch",
                HeadKind::Named => head.name.as_str(),
            };
            return self.latest_commit(head, &format!("nothing on {branch} is newer than {}", guess.name));
        }
        let mut notes = head.notes.clone();
        notes.push(guess.note());
        Ok(head.scope(Some(ancestor), guess.name.to_owned(), notes))
    }

    fn latest_commit(&self, head: &Head, why: &str) -> Result<Scope, GitError> {
        let mut notes = head.notes.clone();
        notes.push(format!("{why}: reviewing the latest commit, {}", head.commit.described()));
        if head.kind == HeadKind::CheckedOut && !self.is_bare() && self.has_uncommitted_changes()? {
            notes.push("uncommitted changes are not part of this review: use --worktree or --staged".into());
        }
        let Some(parent) = &head.commit.first_parent else {
            return Ok(head.scope(None, "the empty tree".into(), notes));
        };
        if self.commit(parent.as_str())?.is_none() {
            let missing = format!("the parent of {}", head.commit.oid.short());
            return Err(if self.is_shallow() {
                GitError::Shallow { missing }
            } else {
                GitError::MissingObjects { detail: missing }
            });
        }
        let base_name = match head.kind {
            HeadKind::CheckedOut => "HEAD~1".to_owned(),
            HeadKind::Named => format!("{}~1", head.name),
        };
        Ok(head.scope(Some(parent.clone()), base_name, notes))
    }

    fn resolve_uncommitted(
        &self,
        ask: &Ask,
        target: Target,
        wanted: &'static str,
    ) -> Result<Scope, GitError> {
        if let Some(head) = &ask.head {
            return Err(GitError::HeadNotApplicable(head.clone()));
        }
        self.require_work_tree(wanted)?;
        let refs = self.refs()?;
        let head = self.commit("HEAD")?;
        let current = refs.current().map(|r| r.short().to_owned());
        let head_name = current.unwrap_or_else(|| match &head {
            Some(commit) => commit.oid.short().to_owned(),
            None => "the first commit".to_owned(),
        });
        let mut notes = Vec::new();
        let (base, base_name) = match (&ask.base, head) {
            (None, Some(head)) => (Some(head.oid), "HEAD".to_owned()),
            (None, None) => (None, "the empty tree".to_owned()),
            (Some(_), None) => return Err(no_commits(&refs)),
            (Some(name), Some(head)) => {
                let base = self.named_commit(name)?;
                notes.extend(self.ambiguity(name)?);
                let shown = shown_name(name);
                (Some(self.common_ancestor((&base.oid, &shown), (&head.oid, "HEAD"))?), shown)
            }
        };
        Ok(Scope { base, base_name, head: target, head_name, notes })
    }

    /// Git takes the tag when a branch has the same name; whoever meant the branch should know.
    fn ambiguity(&self, name: &str) -> Result<Option<String>, GitError> {
        if name.contains(['^', '~', ':', '@', ' ']) {
            return Ok(None);
        }
        let tag = self.commit(&format!("refs/tags/{name}"))?;
        let branch = self.commit(&format!("refs/heads/{name}"))?;
        Ok(match (tag, branch) {
            (Some(tag), Some(branch)) if tag.oid != branch.oid => {
                let name = shown_name(name);
                Some(format!("{name} is both a tag and a branch: the tag is meant, as git has it"))
            }
            _ => None,
        })
    }
}

#[derive(Debug)]
struct Head {
    commit: Commit,
    name: String,
    /// In full, if the head is a branch.
    branch: Option<String>,
    kind: HeadKind,
    refs: Refs,
    notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadKind {
    CheckedOut,
    Named,
}

impl Head {
    fn scope(&self, base: Option<Oid>, base_name: String, notes: Vec<String>) -> Scope {
        let head = Target::Commit(self.commit.oid.clone());
        Scope { base, base_name, head, head_name: self.name.clone(), notes }
    }
}

/// Why HEAD stands for nothing: in a new repository, or on a new branch beside others.
fn no_commits(refs: &Refs) -> GitError {
    if refs.all.is_empty() { GitError::NoCommits } else { GitError::UnbornBranch }
}

/// A revision as given, a whole object name shortened.
fn shown_name(name: &str) -> String {
    match Oid::parse(name) {
        Some(oid) => oid.short().to_owned(),
        None => text::clean_line(name),
    }
}
