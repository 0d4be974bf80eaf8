//! Finding a path in a commit by walking its trees: exact for every path, and able to tell a path that is
//! not there from one whose content is missing from a partial clone.

use std::collections::VecDeque;

use domain::change::{Oid, RepoPath};

use crate::disk::{LARGEST, is_plain};
use crate::error::GitError;
use crate::objects::Objects;

/// The blob at `path` in `commit`; `None` if there is none, or a folder or submodule.
pub(crate) fn blob_at(objects: &Objects, commit: &Oid, path: &RepoPath) -> Result<Option<Oid>, GitError> {
    if !is_plain(path) {
        return Ok(None);
    }
    let mut name = format!("{commit}^{{tree}}");
    for folder in path.folders() {
        match entry(objects, &name, folder)? {
            Some(Entry { kind: EntryKind::Tree, oid }) => name = oid.as_str().to_owned(),
            Some(_) | None => return Ok(None),
        }
    }
    Ok(match entry(objects, &name, path.file_name())? {
        Some(Entry { kind: EntryKind::Blob, oid }) => Some(oid),
        Some(_) | None => None,
    })
}

/// The files directly inside `folder` in `commit`, in git's order; none if there is no such folder.
pub(crate) fn files_in(
    objects: &Objects,
    commit: &Oid,
    folder: &RepoPath,
) -> Result<Vec<RepoPath>, GitError> {
    if !is_plain(folder) {
        return Ok(Vec::new());
    }
    match tree_at(objects, commit, folder)? {
        Some(tree) => Ok(listed(objects, &tree, folder.as_bytes())?.files),
        None => Ok(Vec::new()),
    }
}

/// More folders below one are not looked into.
const MOST_FOLDERS: usize = 64;

/// The files inside `folder` and below it, level by level, `most` of them at most; the empty path is the root.
pub(crate) fn files_below(
    objects: &Objects,
    commit: &Oid,
    folder: &RepoPath,
    most: usize,
) -> Result<Vec<RepoPath>, GitError> {
    let root = folder.as_bytes().is_empty();
    if !root && !is_plain(folder) {
        return Ok(Vec::new());
    }
    let first = if root { Some(format!("{commit}^{{tree}}")) } else { tree_at(objects, commit, folder)? };
    let mut open: VecDeque<(String, Vec<u8>)> =
        first.into_iter().map(|tree| (tree, folder.as_bytes().to_vec())).collect();
    let mut files = Vec::new();
    for _ in 0..MOST_FOLDERS {
        let Some((tree, path)) = open.pop_front().filter(|_| files.len() < most) else { break };
        let inside = listed(objects, &tree, &path)?;
        files.extend(inside.files);
        open.extend(inside.folders);
    }
    files.truncate(most);
    Ok(files)
}

/// The name of the tree that a folder is; `None` if there is no such folder.
fn tree_at(objects: &Objects, commit: &Oid, folder: &RepoPath) -> Result<Option<String>, GitError> {
    let mut name = format!("{commit}^{{tree}}");
    for part in folder.folders().chain([folder.file_name()]) {
        match entry(objects, &name, part)? {
            Some(Entry { kind: EntryKind::Tree, oid }) => name = oid.as_str().to_owned(),
            Some(_) | None => return Ok(None),
        }
    }
    Ok(Some(name))
}

/// What stands in a tree: files, and folders by the names of their trees.
#[derive(Default)]
struct Listed {
    files: Vec<RepoPath>,
    folders: Vec<(String, Vec<u8>)>,
}

fn listed(objects: &Objects, tree: &str, path: &[u8]) -> Result<Listed, GitError> {
    let object = objects.tree(tree, LARGEST)?;
    let slash: &[u8] = if path.is_empty() { b"" } else { b"/" };
    let mut listed = Listed::default();
    let mut rest: &[u8] = &object.content;
    while let Some((name, entry, after)) = first(rest, object.oid.as_str().len() / 2) {
        let whole = [path, slash, name].concat();
        match entry.kind {
            EntryKind::Blob => listed.files.push(RepoPath::from_bytes(whole)),
            EntryKind::Tree => listed.folders.push((entry.oid.as_str().to_owned(), whole)),
            EntryKind::Submodule => {}
        }
        rest = after;
    }
    Ok(listed)
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    kind: EntryKind,
    oid: Oid,
}

#[derive(Debug, PartialEq, Eq)]
enum EntryKind {
    Blob,
    Tree,
    Submodule,
}

fn entry(objects: &Objects, tree: &str, name: &[u8]) -> Result<Option<Entry>, GitError> {
    let object = objects.tree(tree, LARGEST)?;
    Ok(find(&object.content, name, object.oid.as_str().len() / 2))
}

fn find(mut tree: &[u8], wanted: &[u8], oid_len: usize) -> Option<Entry> {
    while let Some((name, entry, rest)) = first(tree, oid_len) {
        if name == wanted {
            return Some(entry);
        }
        tree = rest;
    }
    None
}

/// A tree object is a row of `<mode> <name>\0<binary object name>`: the first with its name, and the others.
fn first(tree: &[u8], oid_len: usize) -> Option<(&[u8], Entry, &[u8])> {
    let nul = memchr::memchr(0, tree)?;
    let (head, rest) = (&tree[..nul], &tree[nul + 1..]);
    let space = memchr::memchr(b' ', head)?;
    let (mode, name) = (&head[..space], &head[space + 1..]);
    let oid = rest.get(..oid_len)?;
    let kind = match mode {
        b"40000" => EntryKind::Tree,
        b"160000" => EntryKind::Submodule,
        _ => EntryKind::Blob,
    };
    Some((name, Entry { kind, oid: Oid::parse(&hex(oid))? }, &rest[oid_len..]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).filter_map(|n| char::from_digit(u32::from(n), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_entry_is_found_by_its_whole_name() {
        let tree = [&b"100644 a\0"[..], &[1; 20], b"40000 ab\0", &[0xAB; 20]].concat();
        let found = find(&tree, b"ab", 20).unwrap();
        assert_eq!((found.kind, found.oid.as_str()), (EntryKind::Tree, "ab".repeat(20).as_str()));
        assert_eq!(find(&tree, b"b", 20), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(tree in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = find(&tree, b"a", 20);
        }
    }
}
