//! Files of the base commit near those of a change, which the change leaves alone: a sample of how the repository does
//! things. Whatever cannot be read is left out; it is evidence, not what is judged.

use std::collections::{BTreeSet, HashSet};

use domain::change::{RepoPath, Side};
use domain::review::SkipReason;
use rayon::prelude::*;

use crate::context::{ChangeContext, FileContext};
use crate::language::{Language, is_test_path};
use crate::source::Source;
use crate::syntax::{self, Tree};

/// How much is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) files: usize,
    /// Of all files together.
    pub(crate) bytes: usize,
    pub(crate) reach: SampleReach,
}

/// How far from a file others are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleReach {
    /// In its own folder.
    Folder,
    /// Below its folder, then below the ones above.
    Repository,
}

#[derive(Debug)]
pub(crate) struct Neighbour {
    pub(crate) path: RepoPath,
    pub(crate) source: Source,
}

impl Neighbour {
    pub(crate) fn tree(&self) -> Option<&Tree> {
        let table = syntax::table(Language::of(&self.path), &self.path)?;
        self.source.tree(table, || None)
    }
}

/// A larger file is hardly written by hand.
const LARGEST_FILE: usize = 256 * 1024;

/// From more folders nothing new is learnt.
const MOST_FOLDERS: usize = 8;

/// So many files of one folder and those below are considered.
const MOST_LISTED: usize = 400;

/// Files of `language` near the given ones, nearest first, in an order that does not depend on anything but the change.
pub(crate) fn neighbours(
    change: &ChangeContext<'_>,
    of: &[&FileContext<'_>],
    language: Language,
    sample: Sample,
) -> Vec<Neighbour> {
    let paths = paths(change, of, language, sample);
    let read: Vec<Option<Neighbour>> = paths
        .into_par_iter()
        .map(|path| {
            let text = change.request.sources.read_path(&path, Side::Old).ok()??;
            let fits = text.len() <= LARGEST_FILE && memchr::memchr(0, &text).is_none();
            fits.then(|| Neighbour { source: Source::new(text, language), path })
        })
        .collect();
    let mut bytes = 0;
    let within = |neighbour: &Neighbour| {
        bytes += neighbour.source.text().len();
        bytes <= sample.bytes
    };
    read.into_iter().flatten().take_while(within).collect()
}

fn paths(
    change: &ChangeContext<'_>,
    of: &[&FileContext<'_>],
    language: Language,
    sample: Sample,
) -> Vec<RepoPath> {
    let touched: HashSet<&RepoPath> =
        change.files.iter().filter_map(|file| Some(&file.change.old.as_ref()?.path)).collect();
    let mut found: Vec<RepoPath> = Vec::new();
    let mut seen: HashSet<RepoPath> = HashSet::new();
    let mut folders: BTreeSet<Vec<u8>> =
        of.iter().map(|file| parent(file.change.path().as_bytes()).to_vec()).take(MOST_FOLDERS).collect();
    while !folders.is_empty() && found.len() < sample.files {
        for folder in &folders {
            let folder = RepoPath::from_bytes(folder.clone());
            let sources = change.request.sources;
            let listed = match sample.reach {
                SampleReach::Folder => sources.list_base(&folder),
                SampleReach::Repository => sources.list_base_below(&folder, MOST_LISTED),
            };
            let fits = |path: &RepoPath| {
                Language::of(path) == language
                    && !touched.contains(path)
                    && !is_test_path(path)
                    && SkipReason::of_path(path).is_none()
            };
            let mut new = listed.unwrap_or_default();
            new.retain(|path| fits(path) && seen.insert(path.clone()));
            found.extend(new);
        }
        folders = match sample.reach {
            SampleReach::Folder => BTreeSet::new(),
            SampleReach::Repository => folders
                .iter()
                .filter(|folder| !folder.is_empty())
                .map(|folder| parent(folder).to_vec())
                .collect(),
        };
    }
    found.truncate(sample.files);
    found
}

/// The folder that holds a path; empty for what is at the root.
fn parent(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(&[][..], |end| &path[..end])
}
