//! Which branch a change is meant for, when nobody says.

use crate::refs::{Ref, Refs, short_name};

/// What default branches are called, most usual first.
pub(crate) const DEFAULT_NAMES: [&str; 4] = ["main", "master", "trunk", "develop"];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess<'a> {
    pub(crate) base: &'a Ref,
    /// `main`, `origin/main`.
    pub(crate) name: &'a str,
    pub(crate) reason: Reason<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason<'a> {
    DefaultBranchOf(&'a str),
    ItsName,
}

impl Guess<'_> {
    pub(crate) fn note(&self) -> String {
        match self.reason {
            Reason::DefaultBranchOf(remote) => {
                format!("base guessed: {}, the default branch of {remote}", self.name)
            }
            Reason::ItsName => format!("base guessed: {}, by its name", self.name),
        }
    }
}

/// The base for `under_review`, a branch in full, if it is one.
///
/// What a remote calls its default branch comes before names that are merely usual, and remote branches
/// before local ones, which may be old. A branch is never its own base, and once the branch under review
/// turns up in the list itself, nothing that is less of a default than it is taken.
pub(crate) fn guess<'a>(refs: &'a Refs, under_review: Option<&'a str>) -> Option<Guess<'a>> {
    let branch = under_review.and_then(|name| refs.get(name));
    let tracked = branch.and_then(|r| r.remote.as_deref()).filter(|remote| *remote != ".");
    let mut remotes: Vec<&str> = tracked.into_iter().chain(["origin", "upstream"]).collect();
    let others = refs.all.iter().filter_map(|r| r.name.strip_prefix("refs/remotes/")?.split('/').next());
    for remote in others {
        if !remotes.contains(&remote) {
            remotes.push(remote);
        }
    }
    let declared = remotes.iter().find_map(|remote| default_branch(refs, remote));
    declared
        .or_else(|| remotes.iter().find_map(|remote| usual(refs, &format!("refs/remotes/{remote}/"), None)))
        .or_else(|| usual(refs, "refs/heads/", under_review))
}

fn default_branch<'a>(refs: &'a Refs, remote: &'a str) -> Option<Guess<'a>> {
    let base = refs.get(&format!("refs/remotes/{remote}/HEAD"))?;
    let name = short_name(base.points_to.as_deref()?);
    Some(Guess { base, name, reason: Reason::DefaultBranchOf(remote) })
}

fn usual<'a>(refs: &'a Refs, folder: &str, under_review: Option<&str>) -> Option<Guess<'a>> {
    let first = DEFAULT_NAMES.iter().find_map(|name| refs.get(&format!("{folder}{name}")))?;
    let itself = under_review == Some(first.name.as_str());
    (!itself).then_some(Guess { base: first, name: first.short(), reason: Reason::ItsName })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::change::Oid;

    fn refs(names: &[&str]) -> Refs {
        let oid = Oid::parse(&"1".repeat(40)).unwrap();
        let one = |name: &&str| {
            let (name, points_to) = match name.split_once(" -> ") {
                Some((name, target)) => (name, Some(target.to_owned())),
                None => (*name, None),
            };
            let (name, remote) = match name.split_once(" of ") {
                Some((name, remote)) => (name, Some(remote.to_owned())),
                None => (name, None),
            };
            Ref { name: name.into(), oid: oid.clone(), points_to, remote, checked_out: false }
        };
        Refs { all: names.iter().map(one).collect() }
    }

    fn guessed(names: &[&str], under_review: &str) -> Option<String> {
        guess(&refs(names), Some(under_review)).map(|g| g.name.to_owned())
    }

    #[test]
    fn the_remote_knows_its_default_branch_best() {
        let names =
            ["refs/heads/x", "refs/heads/main", "refs/remotes/origin/HEAD -> refs/remotes/origin/dev"];
        assert_eq!(guessed(&names, "refs/heads/x").as_deref(), Some("origin/dev"));
    }

    #[test]
    fn the_tracked_remote_comes_before_origin() {
        let names = [
            "refs/heads/x of fork",
            "refs/remotes/fork/HEAD -> refs/remotes/fork/main",
            "refs/remotes/origin/HEAD -> refs/remotes/origin/main",
        ];
        assert_eq!(guessed(&names, "refs/heads/x").as_deref(), Some("fork/main"));
    }

    #[test]
    fn any_remote_is_better_than_none() {
        let names =
            ["refs/heads/x", "refs/remotes/fork/HEAD -> refs/remotes/fork/main", "refs/remotes/fork/main"];
        assert_eq!(guessed(&names, "refs/heads/x").as_deref(), Some("fork/main"));
        assert_eq!(
            guessed(&["refs/heads/x", "refs/remotes/fork/main"], "refs/heads/x").as_deref(),
            Some("fork/main")
        );
    }

    #[test]
    fn usual_names_serve_where_no_remote_tells() {
        assert_eq!(
            guessed(&["refs/heads/x", "refs/heads/master"], "refs/heads/x").as_deref(),
            Some("master")
        );
        let remote = ["refs/heads/main", "refs/remotes/origin/master"];
        assert_eq!(guessed(&remote, "refs/heads/main").as_deref(), Some("origin/master"));
    }

    #[test]
    fn the_default_branch_is_not_compared_with_itself_or_a_lesser_one() {
        assert_eq!(guessed(&["refs/heads/main"], "refs/heads/main"), None);
        assert_eq!(guessed(&["refs/heads/main", "refs/heads/develop"], "refs/heads/main"), None);
        assert_eq!(
            guessed(&["refs/heads/main", "refs/heads/develop"], "refs/heads/develop").as_deref(),
            Some("main")
        );
    }
}
