use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use sha2::{Digest, Sha256};

/// Everything below a folder: names, types, modes, times of modification and content. Two that are equal
/// prove that nothing in between wrote there; a file that was made and removed again shows in the time
/// of its folder.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, Entry>);

#[derive(Clone, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    mode: u32,
    modified: Duration,
    len: u64,
}

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Folder,
    File(String),
    Link(PathBuf),
    Other,
}

impl Snapshot {
    pub fn of(root: &Path) -> Snapshot {
        let mut entries = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            record(&mut entries, root, &folder);
            for child in fs::read_dir(&folder).unwrap() {
                let child = child.unwrap().path();
                match child.symlink_metadata().unwrap().is_dir() {
                    true => folders.push(child),
                    false => record(&mut entries, root, &child),
                }
            }
        }
        Snapshot(entries)
    }

    /// One line for each path that is not the same in both.
    pub fn differences(&self, later: &Snapshot) -> Vec<String> {
        let mut lines = Vec::new();
        for (path, before) in &self.0 {
            match later.0.get(path) {
                None => lines.push(format!("gone: {}", path.display())),
                Some(after) if after != before => {
                    lines.push(format!("changed: {} from {before:?} to {after:?}", path.display()));
                }
                Some(_) => {}
            }
        }
        let new = later.0.keys().filter(|path| !self.0.contains_key(*path));
        lines.extend(new.map(|path| format!("new: {}", path.display())));
        lines
    }

    /// Fails with the differences if there are any.
    #[track_caller]
    pub fn assert_same(&self, later: &Snapshot) {
        let differences = self.differences(later);
        assert!(differences.is_empty(), "the folder was touched:\n{}", differences.join("\n"));
    }
}

fn record(entries: &mut BTreeMap<PathBuf, Entry>, root: &Path, path: &Path) {
    let meta = path.symlink_metadata().unwrap();
    let kind = if meta.is_dir() {
        Kind::Folder
    } else if meta.is_symlink() {
        Kind::Link(path.read_link().unwrap())
    } else if meta.is_file() {
        Kind::File(digest(path))
    } else {
        Kind::Other
    };
    let modified = meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap_or_default();
    let entry = Entry { kind, mode: mode(&meta), modified, len: meta.len() };
    entries.insert(path.strip_prefix(root).unwrap().to_owned(), entry);
}

/// An unreadable file still has its other properties to be compared by.
fn digest(path: &Path) -> String {
    match fs::read(path) {
        Ok(content) => Sha256::digest(content).iter().take(8).map(|b| format!("{b:02x}")).collect(),
        Err(error) => error.kind().to_string(),
    }
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode()
}

#[cfg(not(unix))]
fn mode(meta: &Metadata) -> u32 {
    u32::from(meta.permissions().readonly())
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Folder => write!(f, "folder")?,
            Kind::File(digest) => write!(f, "file {digest} {} bytes", self.len)?,
            Kind::Link(target) => write!(f, "link to {}", target.display())?,
            Kind::Other => write!(f, "other")?,
        }
        write!(f, " mode {:o} at {}.{:09}", self.mode, self.modified.as_secs(), self.modified.subsec_nanos())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(path, entry)| (path.display().to_string(), entry))).finish()
    }
}
