use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, Reach, RuleInfo, text};
use crate::source::Source;

static INFO: RuleInfo = RuleInfo {
    id: text("conflict-marker"),
    title: text("An unresolved merge conflict"),
    why: text("The file holds two versions at once and is broken for whoever reads or builds it"),
    fix: text("Resolve the conflict and remove the markers"),
    severity: Severity::Critical,
    category: Category::Correctness,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "a.py",
            concat!("<<<<", "<<< HEAD\na = 1\n====", "===\na = 2\n>>>>", ">>> topic\n"),
            &[1],
        ),
        Example::good("docs/a.rst", concat!("Heading\n====", "===\n\nText\n")),
        Example::good("a.py", concat!("HELP = \"\"\"\n<<<<", "<<< HEAD\n\"\"\"\n")),
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

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let mut fences = Fences::default();
        let conflicts = conflicts(hits);
        let kinds: HashSet<&[u8]> =
            conflicts.iter().flat_map(|found| found.markers.iter().copied()).collect();
        for Conflict { first, .. } in conflicts {
            let lone = kinds.len() == 1;
            let is_code = file.kind(&first, 0) == Some(Kind::Code);
            if lone && !is_code && file.language.has_comments() {
                continue;
            }
            let draft = Draft::line(&first, "This line belongs to a merge conflict that nobody resolved");
            let on_purpose = is_shown_on_purpose(file, &first, &mut fences);
            let advice = on_purpose || (lone && file.language == Language::Prose);
            report.add(if advice { draft.confidence(Confidence::Low) } else { draft });
        }
    }
}

/// From its first marker to its last.
struct Conflict<'a> {
    first: AddedLine<'a>,
    markers: Vec<&'static [u8]>,
}

/// A line of equals signs counts only behind another marker: it may underline a heading.
fn conflicts<'a>(hits: &[AddedLine<'a>]) -> Vec<Conflict<'a>> {
    let mut found: Vec<Conflict<'a>> = Vec::new();
    let mut open = false;
    for line in hits {
        let marker = match [OURS, BASE, THEIRS].into_iter().find(|marker| opens(line.text, marker)) {
            Some(marker) => marker,
            None if open && line.text.trim_ascii_end() == MIDDLE => MIDDLE,
            None => continue,
        };
        match found.last_mut() {
            Some(conflict) if open && marker != OURS => conflict.markers.push(marker),
            _ => found.push(Conflict { first: *line, markers: vec![marker] }),
        }
        open = marker != THEIRS;
    }
    found
}

/// Documents explain conflicts in fenced blocks, and tests of merging hold them as data: there it stays advice.
fn is_shown_on_purpose(file: &FileContext<'_>, line: &AddedLine<'_>, fences: &mut Fences) -> bool {
    match file.language {
        Language::Prose if file.is_test_file() => true,
        Language::Prose => file.head().is_some_and(|head| fences.enclose(head, line.number)),
        _ => file.is_test_file() && file.kind(line, 0) == Some(Kind::String),
    }
}

/// The fenced blocks of a document, read as far as was asked.
#[derive(Default)]
struct Fences {
    read: u32,
    open: bool,
}

impl Fences {
    /// To be asked in ascending order.
    fn enclose(&mut self, head: &Source, line: u32) -> bool {
        for above in self.read + 1..line {
            let text = head.line(above).trim_ascii_start();
            self.open ^= text.starts_with(b"```") || text.starts_with(b"~~~");
        }
        self.read = self.read.max(line.saturating_sub(1));
        self.open
    }
}

/// Git writes seven signs, a space and a name, at the start of the line.
fn opens(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|name| name.first() == Some(&b' ') && !name.trim_ascii().is_empty() || name == b"\r")
}
