//! Tests that a file beside has as well, to the letter.

use std::collections::HashSet;

use domain::change::{RepoPath, Side};

use super::find::Unit;
use super::units::words;
use crate::context::{ChangeContext, FileContext};
use crate::language::{Language, is_test_path};

/// More files of one folder are not read.
const MOST_FILES: usize = 40;

/// A larger file is hardly written by hand.
const LARGEST_FILE: usize = 256 * 1024;

/// So many lines say of a test which one it is, without its name.
const ENOUGH_LINES: usize = 3;

/// Whether a file of tests in the same folder, which the change leaves as it is, has a test with all lines of this one.
pub(crate) fn has_twin(change: &ChangeContext<'_>, file: &FileContext<'_>, unit: &Unit<'_>) -> bool {
    let Some(old) = file.change.old.as_ref().filter(|_| unit.is_test) else { return false };
    let lines: HashSet<&[u8]> = telling_lines(unit.node.bytes()).collect();
    if lines.is_empty() {
        return false;
    }
    let path = old.path.as_bytes();
    let folder = memchr::memrchr(b'/', path).map_or(&[][..], |end| &path[..end]);
    let listed = change.request.sources.list_base(&RepoPath::from_bytes(folder.to_vec())).unwrap_or_default();
    let is_touched = |path: &RepoPath| {
        let sides = change.files.iter().flat_map(|file| [&file.change.old, &file.change.new]);
        sides.flatten().any(|side| side.path == *path)
    };
    let beside = listed
        .iter()
        .filter(|path| Language::of(path) == file.language && is_test_path(path) && !is_touched(path));
    beside.take(MOST_FILES).any(|path| {
        let text = change.request.sources.read_path(path, Side::Old).ok().flatten();
        text.filter(|text| text.len() <= LARGEST_FILE).is_some_and(|text| {
            let there: HashSet<&[u8]> = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
            lines.iter().all(|line| there.contains(line))
                && (lines.len() >= ENOUGH_LINES || words(&text).any(|word| word == unit.name.as_bytes()))
        })
    })
}

/// Without the head of the test and what is only brackets.
fn telling_lines(test: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = test.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::trim_ascii);
    lines.filter(|line| line.len() > 3)
}
