use domain::change::{FileSide, Mode, Oid, RepoPath};

use crate::error::GitError;
use crate::program::{Call, Ran};
use crate::repository::Repository;

/// What the diff against the working tree does not tell about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Neither in the index nor ignored.
    pub(crate) untracked: Vec<RepoPath>,
    /// In the index with a mark that keeps git from looking at the working tree.
    pub(crate) flagged: Vec<Flagged>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flagged {
    pub(crate) indexed: FileSide,
    pub(crate) flag: Flag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    AssumeUnchanged,
    /// Also what a sparse checkout leaves out.
    SkipWorktree,
}

impl Repository {
    pub(crate) fn listing(&self) -> Result<Listing, GitError> {
        let call = Call::new(["ls-files", "-z", "-v", "--stage", "--cached", "--others"])
            .args(["--exclude-standard", "--full-name"]);
        let ran = self.program.run(&call)?;
        match (ran.code, unreadable_folder(&ran)) {
            (Some(0), None) => {}
            (Some(0), Some(unreadable)) => return Err(unreadable),
            _ => return Err(ran.into_error(&self.program.dir)),
        }
        let mut listing = Listing::default();
        for record in ran.stdout.split(|b| *b == 0).filter(|record| !record.is_empty()) {
            listing.take(record).ok_or_else(|| GitError::Unexpected {
                command: "ls-files".into(),
                detail: crate::text::shortened(&String::from_utf8_lossy(record), 100),
            })?;
        }
        Ok(listing)
    }
}

impl Listing {
    /// `? <path>` or `<tag> <mode> <oid> <stage>\t<path>`, where a lower-case tag means that the file is
    /// assumed to be unchanged.
    fn take(&mut self, record: &[u8]) -> Option<()> {
        let flag = match record {
            // Git ends the name of a repository inside this one with a slash: not ours to review.
            [b'?', b' ', .., b'/'] => return Some(()),
            [b'?', b' ', path @ ..] => {
                self.untracked.push(RepoPath::from_bytes(path));
                return Some(());
            }
            [b'S' | b's', ..] => Flag::SkipWorktree,
            [b'a'..=b'z', ..] => Flag::AssumeUnchanged,
            _ => return Some(()),
        };
        let tab = memchr::memchr(b'\t', record)?;
        let mut words = std::str::from_utf8(&record[..tab]).ok()?.split(' ').skip(1);
        let (mode, oid, stage) = (words.next()?, words.next()?, words.next()?);
        let mode = match mode {
            "100755" => Mode::Executable,
            "120000" => Mode::Symlink,
            "160000" => Mode::Submodule,
            _ => Mode::File,
        };
        let path = RepoPath::from_bytes(&record[tab + 1..]);
        let indexed = FileSide { path, mode, oid: Some(Oid::parse(oid)?) };
        // A path in conflict is told by the diff.
        self.flagged.extend((stage == "0").then_some(Flagged { indexed, flag }));
        Some(())
    }
}

/// Git only warns about a folder it may not open, and leaves out what is in it.
fn unreadable_folder(ran: &Ran) -> Option<GitError> {
    let said = String::from_utf8_lossy(&ran.stderr);
    let (_, rest) = said.split_once("could not open directory '")?;
    let (path, reason) = rest.split_once("': ")?;
    let reason = crate::text::shortened(reason.lines().next().unwrap_or_default(), 100);
    Some(GitError::Unreadable { path: RepoPath::from(path), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_diff_does_not_tell_is_kept() {
        let oid = "a1".repeat(20);
        let mut listing = Listing::default();
        for record in
            ["? new", "? inner/", &format!("H 100644 {oid} 0\tplain"), &format!("m 100644 {oid} 2\tx")]
        {
            listing.take(record.as_bytes()).unwrap();
        }
        assert_eq!(listing, Listing { untracked: vec!["new".into()], flagged: vec![] });
        for (tag, flag) in
            [("h", Flag::AssumeUnchanged), ("S", Flag::SkipWorktree), ("s", Flag::SkipWorktree)]
        {
            listing.take(format!("{tag} 100644 {oid} 0\ta\tb").as_bytes()).unwrap();
            let taken = listing.flagged.pop().unwrap();
            assert_eq!((taken.flag, taken.indexed.path), (flag, RepoPath::from("a\tb")));
        }
        assert!(listing.take(b"h 100644 zz 0\ta").is_none());
    }
}
