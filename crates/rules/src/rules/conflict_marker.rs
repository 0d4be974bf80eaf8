use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, Reach, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("conflict-marker"),
    title: text("An unresolved merge conflict"),
    why: text("The file holds two versions at once and is broken for whoever reads or builds it"),
    fix: text("Resolve the conflict and remove the markers"),
    severity: Severity::Critical,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "a.py",
            concat!("<<<<", "<<< HEAD\na = 1\n====", "===\na = 2\n>>>>", ">>> topic\n"),
            &[1, 3, 5],
        ),
        Example::good("docs/a.rst", concat!("Heading\n====", "===\n\nText\n")),
        Example::good("a.md", concat!("Use `<<<<", "<<< HEAD` to find them.\n")),
    ]),
};

const OURS: &[u8] = b"<<<<<<<";
const BASE: &[u8] = b"|||||||";
const MIDDLE: &[u8] = b"=======";
const THEIRS: &[u8] = b">>>>>>>";

pub(crate) struct ConflictMarker;

impl FileRule for ConflictMarker {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[OURS, BASE, MIDDLE, THEIRS], removed: &[] }
    }

    fn reach(&self) -> Reach {
        Reach::Everything
    }

    fn check(&self, _: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let mut in_conflict = false;
        for line in hits {
            let is_middle = line.text.trim_ascii_end() == MIDDLE;
            if [OURS, BASE, THEIRS].iter().any(|marker| opens(line.text, marker)) {
                in_conflict = !opens(line.text, THEIRS);
            } else if !(is_middle && in_conflict) {
                continue;
            }
            report.add(Draft::line(line, "This line is a leftover of a merge conflict"));
        }
    }
}

/// Git writes seven signs, a space and a name, at the start of the line.
fn opens(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|name| name.first() == Some(&b' ') && !name.trim_ascii().is_empty() || name == b"\r")
}
