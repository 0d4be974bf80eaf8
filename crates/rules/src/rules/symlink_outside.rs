use std::borrow::Cow;

use domain::change::{Mode, RepoPath};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("symlink-outside"),
    title: text("A symbolic link that leaves the repository"),
    why: text("Whoever reads or writes through it reaches files of the machine it is checked out on"),
    fix: text("Link to a file of the repository by a relative path, or copy the file"),
    severity: Severity::Major,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct SymlinkOutside;

impl FileRule for SymlinkOutside {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Every
    }

    fn reach(&self) -> Reach {
        Reach::Everything
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let is_link = file.change.new.as_ref().is_some_and(|side| side.mode == Mode::Symlink);
        let Some(target) = file.added().next().filter(|_| is_link) else { return };
        if leaves(file.change.path(), target.text) {
            let target: String = String::from_utf8_lossy(target.text).chars().take(200).collect();
            report.add(Draft::file(format!("This link points to `{target}`, outside the repository")));
        }
    }
}

/// Whether the target is absolute, or climbs higher than the link's own folder lies deep.
fn leaves(link: &RepoPath, target: &[u8]) -> bool {
    let drive = target.first().is_some_and(u8::is_ascii_alphabetic) && target.get(1) == Some(&b':');
    if drive || target.starts_with(b"/") || target.starts_with(b"\\") {
        return true;
    }
    let mut depth = link.folders().count();
    for step in target.split(|byte| *byte == b'/' || *byte == b'\\') {
        match step {
            b"" | b"." => {}
            b".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return true,
            },
            _ => depth += 1,
        }
    }
    false
}
