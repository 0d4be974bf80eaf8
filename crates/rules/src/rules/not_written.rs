//! Files that a program or another project wrote, as far as the base commit says so. What the change says of itself never counts.

use domain::change::RepoPath;

use crate::context::{ChangeContext, FileContext};
use crate::pattern::Pattern;
use crate::source::Source;

/// So much of a file is looked at for what its generator says.
const HEAD_BYTES: usize = 2 * 1024;

static MARK: Pattern = Pattern::new(
    r"(?im)@generated\b|\b(?:auto-?)?generated\b[^\n]*\bdo not (?:edit|modify)|\bdo not (?:edit|modify)\b[^\n]*\bgenerated\b",
);

/// Folders that hold what others wrote, beside those that no review looks into.
const VENDORED: [&[u8]; 6] =
    [b"_vendor", b"vendored", b"third-party", b"thirdparty", b"3rdparty", b"_vendored_packages"];

/// Whether the project does not write the file by hand: it was generated before the change, or it is new beside others that are
/// generated, or in a folder of vendored code.
pub(super) fn is_not_written(change: &ChangeContext<'_>, file: &FileContext<'_>) -> bool {
    let path = file.change.path();
    let sources = change.request.sources;
    let folder = |end: usize| RepoPath::from_bytes(path.folders().take(end).collect::<Vec<_>>().join(&b'/'));
    let beside_others = || {
        is_named_generated(path)
            && sources.list_base(&folder(usize::MAX)).is_ok_and(|held| held.iter().any(is_named_generated))
    };
    let in_vendored = || {
        let at = path.folders().position(|folder| VENDORED.contains(&folder));
        at.is_some_and(|at| sources.list_base_below(&folder(at + 1), 1).is_ok_and(|held| !held.is_empty()))
    };
    was_generated(file) || beside_others() || in_vendored()
}

/// Whether the file was generated before the change already: its head said so, or its name does.
pub(super) fn was_generated(file: &FileContext<'_>) -> bool {
    let Some(old) = file.change.old.as_ref() else { return false };
    let marked = |base: &Source| {
        let text = base.text();
        MARK.regex().is_match(&text[..text.len().min(HEAD_BYTES)])
    };
    is_named_generated(&old.path) || file.base().is_some_and(marked)
}

fn is_named_generated(path: &RepoPath) -> bool {
    memchr::memmem::find(path.file_name(), b".generated.").is_some()
}
