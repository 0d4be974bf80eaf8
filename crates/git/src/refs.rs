use domain::change::Oid;

use crate::error::GitError;
use crate::guess::DEFAULT_NAMES;
use crate::program::Call;
use crate::repository::Repository;

/// The branches of a repository, as far as they matter for choosing a base.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refs {
    pub(crate) all: Vec<Ref>,
}

#[derive(Debug, Clone)]
pub(crate) struct Ref {
    /// In full: `refs/remotes/origin/main`.
    pub(crate) name: String,
    pub(crate) oid: Oid,
    /// Where a symbolic ref points, in full.
    pub(crate) points_to: Option<String>,
    /// The remote a branch is set to track.
    pub(crate) remote: Option<String>,
    pub(crate) checked_out: bool,
}

impl Refs {
    pub(crate) fn get(&self, name: &str) -> Option<&Ref> {
        self.all.iter().find(|r| r.name == name)
    }

    /// The branch HEAD is on.
    pub(crate) fn current(&self) -> Option<&Ref> {
        self.all.iter().find(|r| r.checked_out)
    }

    fn parse(printed: &[u8]) -> Refs {
        let all = printed.split(|b| *b == b'\n').filter_map(Ref::parse).collect();
        Refs { all }
    }
}

impl Ref {
    fn parse(line: &[u8]) -> Option<Ref> {
        let text = String::from_utf8_lossy(line);
        let mut fields = text.split('\0').map(str::to_owned);
        let checked_out = fields.next()? == "*";
        let name = fields.next()?;
        let oid = Oid::parse(&fields.next()?)?;
        let mut filled = || fields.next().filter(|field| !field.is_empty());
        let (points_to, remote) = (filled(), filled());
        Some(Ref { name, oid, points_to, remote, checked_out })
    }

    /// `main`, `origin/main`.
    pub(crate) fn short(&self) -> &str {
        short_name(&self.name)
    }
}

pub(crate) fn short_name(full: &str) -> &str {
    ["refs/heads/", "refs/remotes/", "refs/tags/", "refs/"]
        .iter()
        .find_map(|prefix| full.strip_prefix(prefix))
        .unwrap_or(full)
}

impl Repository {
    pub(crate) fn refs(&self) -> Result<Refs, GitError> {
        let format = "--format=%(HEAD)%00%(refname)%00%(objectname)%00%(symref)%00%(upstream:remotename)";
        let remote = DEFAULT_NAMES.iter().chain(&["HEAD"]).map(|name| format!("refs/remotes/*/{name}"));
        let call = Call::new(["for-each-ref", format, "refs/heads"]).args(remote);
        Ok(Refs::parse(&self.program.output(&call)?))
    }

    /// Up to three names of branches and tags that `name` may have been meant for, nearest first.
    pub(crate) fn names_near(&self, name: &str) -> Result<Vec<String>, GitError> {
        let call =
            Call::new(["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags"]);
        let printed = self.program.output(&call)?;
        let names = String::from_utf8_lossy(&printed).into_owned();
        Ok(nearest(name, names.lines().map(short_name)))
    }
}

fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let last_part = |name: &'a str| name.rsplit('/').next().unwrap_or(name);
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| {
            let whole = strsim::jaro_winkler(wanted, name);
            (whole.max(strsim::jaro_winkler(wanted, last_part(name)) - 0.01), name)
        })
        .filter(|(score, _)| *score >= 0.82)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, name)| *name);
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["main", "feature/login", "origin/main", "gh-pages"];
        assert_eq!(nearest("mian", names.into_iter()), ["main", "origin/main"]);
        assert_eq!(nearest("logn", names.into_iter()), ["feature/login"]);
        assert!(nearest("zzz", names.into_iter()).is_empty());
    }
}
