//! Whether a program that may not move refs has moved some: here, or in a remote that can be asked without a network.

use std::collections::{BTreeMap, BTreeSet};

use domain::change::Oid;

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;
use crate::text;

/// Where all refs but the local branches were, here and in remotes on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefSnapshot {
    /// By what is to be said of them: `remote-tracking branch `origin/main``.
    refs: BTreeMap<String, Oid>,
    /// Remotes that could be asked.
    asked: BTreeSet<String>,
}

impl Repository {
    /// Remotes that only a network leads to are left out.
    pub fn ref_snapshot(&self) -> Result<RefSnapshot, GitError> {
        let call = Call::new(["for-each-ref", "--format=%(objectname) %(refname)"]);
        let here = self.program.output(&call)?;
        let mut snapshot = RefSnapshot::default();
        let others = listed(&here).filter(|(name, _)| !name.starts_with("refs/heads/"));
        snapshot.refs.extend(others.map(|(name, oid)| (said_of(&name), oid)));
        for url in self.push_addresses()? {
            let call = Call::new(["ls-remote", "--quiet", "--refs", "--end-of-options", url.as_str()])
                .var("GIT_ALLOW_PROTOCOL", "file");
            let ran = self.program.run(&call)?;
            if ran.code != Some(0) {
                continue;
            }
            let shown = text::shortened(&url, 100);
            snapshot.refs.extend(
                listed(&ran.stdout).map(|(name, oid)| (format!("{} of {shown}", said_of(&name)), oid)),
            );
            snapshot.asked.insert(shown);
        }
        Ok(snapshot)
    }

    /// Where the remotes of this repository are pushed to.
    fn push_addresses(&self) -> Result<BTreeSet<String>, GitError> {
        let names = self.program.output(&Call::new(["remote"]))?;
        let mut addresses = BTreeSet::new();
        for name in String::from_utf8_lossy(&names).lines() {
            let call = Call::new(["remote", "get-url", "--push", "--all", "--", name]);
            let ran = self.program.run(&call)?;
            let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
            addresses.extend(printed.lines().filter(|_| ran.code == Some(0)).map(str::to_owned));
        }
        Ok(addresses)
    }
}

impl RefSnapshot {
    /// What was moved, made or deleted since, a clause each.
    pub fn moves_until(&self, now: &RefSnapshot) -> Vec<String> {
        let mut told = Vec::new();
        for (name, was) in &self.refs {
            match now.refs.get(name) {
                Some(is) if is == was => {}
                Some(is) => told.push(format!("{name} was moved from {} to {}", was.short(), is.short())),
                None => told.push(format!("{name} was deleted, it was at {}", was.short())),
            }
        }
        let new = now.refs.iter().filter(|(name, _)| !self.refs.contains_key(*name));
        told.extend(new.map(|(name, is)| format!("{name} is new, at {}", is.short())));
        told.extend(self.asked.difference(&now.asked).map(|url| format!("remote {url} is gone")));
        told
    }
}

/// `OID<space or tab>NAME`, a line each.
fn listed(printed: &[u8]) -> impl Iterator<Item = (String, Oid)> {
    printed.split(|byte| *byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|byte| b" \t".contains(byte))?;
        let oid = Oid::parse(std::str::from_utf8(&line[..at]).ok()?)?;
        Some((String::from_utf8_lossy(&line[at + 1..]).into_owned(), oid))
    })
}

fn said_of(name: &str) -> String {
    let kinds =
        [("refs/heads/", "branch"), ("refs/remotes/", "remote-tracking branch"), ("refs/tags/", "tag")];
    let known = kinds.iter().find_map(|(prefix, kind)| Some((name.strip_prefix(prefix)?, *kind)));
    let (short, kind) = known.unwrap_or((name, "ref"));
    format!("{kind} `{}`", text::shortened(short, 100))
}
