//! Breaks that a change tells its users of, or that reach nobody: in the words of its commits and its changelog, by a version
//! that promises nothing, or because no release has what it changes.

use std::cell::OnceCell;

use domain::change::RepoPath;

use super::lost::{Lost, Sort};
use super::mentions;
use crate::context::{AddedLine, ChangeContext, FileContext};
use crate::pattern::Pattern;

/// The conventional marks of a break, and what people write who announce one. A break that is denied is none.
static BREAKS: Pattern = Pattern::new(
    r"(?im)^\w+(?:\([^)\n]*\))?!:|\bBREAKING[ -]CHANGES?\b|(?:^|[^\w-])breaking\b|\bsemver[- ]major\b",
);
static DENIED: Pattern =
    Pattern::new(r"(?i)\b(?:not? (?:a |any )?|without |non-?|un|avoids? |prevents? )breaking\b");

/// A line of a changelog that says that something is gone or other than before.
static TELLS: Pattern = Pattern::new(
    r"(?i)\b(?:breaking|removed?|removes|renamed?|renames|dropped|drops?|changed?|changes|replaced?|replaces|no longer|now)\b",
);

/// A changeset that raises the first number of a version.
static MAJOR: Pattern = Pattern::new(r#"^\s*['"]?[@\w/.-]+['"]?\s*:\s*['"]?major['"]?\s*$"#);

/// So many names are looked for in a release.
const MOST_NAMES: u32 = 40;

/// What the change says of breaks, read when it is first asked.
pub(super) struct Announced<'c> {
    change: &'c ChangeContext<'c>,
    by_message: OnceCell<bool>,
    left: std::cell::Cell<u32>,
}

impl<'c> Announced<'c> {
    pub(super) fn new(change: &'c ChangeContext<'c>) -> Self {
        Announced { change, by_message: OnceCell::new(), left: std::cell::Cell::new(MOST_NAMES) }
    }

    /// Whether the users of what is lost are told, or cannot have it yet.
    pub(super) fn covers(&self, lost: &Lost<'_>) -> bool {
        *self.by_message.get_or_init(|| self.says_so())
            || self.is_in_changelog(lost)
            || self.is_declared_elsewhere(lost)
            || self.is_unreleased(lost)
    }

    fn says_so(&self) -> bool {
        self.change.request.sources.messages().is_ok_and(|messages| announces(&messages))
    }

    /// A line that the change adds to its changelog announces a break, or names what is lost.
    fn is_in_changelog(&self, lost: &Lost<'_>) -> bool {
        let logs = self.change.files.iter().filter(|file| is_changelog(file.change.path()));
        let mut lines = logs.flat_map(FileContext::added);
        lines.any(|line| {
            let text = String::from_utf8_lossy(line.text);
            let names = [lost.name.as_str(), lost.owner()];
            let is_named = || names.iter().any(|name| name.len() > 2 && mentions(line.text, name));
            announces(&text)
                || MAJOR.regex().is_match(line.text)
                || TELLS.regex().is_match(line.text) && is_named()
        })
    }

    /// A module that another file of the change declares as public now.
    fn is_declared_elsewhere(&self, lost: &Lost<'_>) -> bool {
        let declared = [format!("pub mod {};", lost.name), format!("pub mod {} {{", lost.name)];
        let declares =
            |line: AddedLine<'_>| declared.iter().any(|text| line.text.trim_ascii() == text.as_bytes());
        lost.sort == Sort::Module && self.change.files.iter().flat_map(FileContext::added).any(declares)
    }

    /// Nothing of that name stands in the newest release.
    fn is_unreleased(&self, lost: &Lost<'_>) -> bool {
        if !matches!(lost.sort, Sort::Item(_) | Sort::Symbol | Sort::Module | Sort::Macro | Sort::Export) {
            return false;
        }
        let Some(left) = self.left.get().checked_sub(1) else { return false };
        self.left.set(left);
        let name = lost.name.trim_start_matches("r#");
        matches!(self.change.request.sources.is_released(name), Ok(Some(false)))
    }
}

fn announces(text: &str) -> bool {
    text.lines()
        .any(|line| BREAKS.regex().is_match(line.as_bytes()) && !DENIED.regex().is_match(line.as_bytes()))
}

/// `CHANGELOG.md`, `NEWS`, `docs/changes/1.2.rst`, `.changeset/blue-cats.md`.
fn is_changelog(path: &RepoPath) -> bool {
    const NAMES: [&str; 7] =
        ["changelog", "changes", "history", "news", "releases", "release-notes", "release_notes"];
    const FOLDERS: [&[u8]; 6] =
        [b".changeset", b"changelog.d", b"changelogs", b"newsfragments", b"changes", b".changes"];
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let is_text = matches!(path.extension().as_str(), "" | "md" | "rst" | "txt" | "adoc" | "markdown");
    let stem = name.split('.').next().unwrap_or_default();
    is_text && (NAMES.contains(&stem) || path.folders().any(|folder| FOLDERS.contains(&folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_is_announced_in_one_of_its_forms() {
        for text in ["feat(api)!: drop it", "x\n\nBREAKING CHANGE: y", "Breaking: y", "fix!: z"] {
            assert!(announces(text), "{text}");
        }
        for text in ["fix: z", "a non-breaking change", "not a breaking change", "line-breaking of texts"] {
            assert!(!announces(text), "{text}");
        }
    }

    #[test]
    fn a_changelog_is_known_by_its_name_or_folder() {
        for path in
            ["CHANGELOG.md", "docs/CHANGES.rst", "NEWS", ".changeset/a.md", "newsfragments/1.removal.rst"]
        {
            assert!(is_changelog(&path.into()), "{path}");
        }
        for path in ["src/changes.rs", "README.md", "history.py", "news/views.py"] {
            assert!(!is_changelog(&path.into()), "{path}");
        }
    }
}
