use std::ops::Range;

use ast_grep_core::replacer::Replacer as _;
use ast_grep_core::{AstGrep, Matcher as _};
use domain::review::{Finding, Place};

use super::bank::built_in;
use super::entry::{Entry, Utilities};
use super::grammar::{Grammar, Parsed, parse};
use super::matching::Found;
use super::scan::hits;
use super::subject::{Subject, Touched};
use crate::flow::{Step, walk};
use crate::language::Language;

/// A correction that leaves no more errors in the file than there were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    range: Range<usize>,
    with: String,
}

impl Patch {
    /// For people, if it fits into a line.
    pub(super) fn sentence(&self) -> Option<String> {
        const LONGEST: usize = 160;
        let fits = !self.with.contains('\n') && self.with.chars().count() <= LONGEST;
        fits.then(|| match self.with.as_str() {
            "" => "remove it".to_owned(),
            with => format!("write `{with}`"),
        })
    }

    fn apply(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.range.start)?, text.get(self.range.end..)?);
        Some([before, &self.with, after].concat())
    }

    fn keeps_lines(&self, text: &str) -> bool {
        let lines = |text: &str| text.matches('\n').count();
        text.get(self.range.clone()).is_some_and(|old| lines(old) == lines(&self.with))
    }
}

/// The correction that the document offers for what it found, applied and parsed again before it is offered.
pub(super) fn patch(
    entry: &Entry,
    utilities: &Utilities,
    found: &Found<'_>,
    subject: &Subject<'_>,
) -> Option<Patch> {
    let matched = found.pattern()?;
    let compiled = entry.compiled(subject.grammar, utilities)?;
    let template = compiled.fix.as_ref()?;
    let mut range = found.node.byte_range();
    if let Some(length) = compiled.matcher.get_match_len(matched.get_node().clone()) {
        range.end = range.start + length;
    }
    let with = String::from_utf8(template.generate_replacement(matched)).ok()?;
    let patch = Patch { range, with };
    let after = patch.apply(subject.text())?;
    let tree = parse(subject.grammar, after.as_bytes())?;
    (errors(tree.root_node()) <= errors(subject.root())).then_some(patch)
}

fn errors(root: tree_sitter::Node<'_>) -> usize {
    let mut count = 0;
    walk(root, |node| {
        if node.is_error() || node.is_missing() {
            count += 1;
        }
        if node.has_error() { Step::Into } else { Step::Over }
    });
    count
}

/// A text with those of the findings corrected for which a document of ours has a correction.
pub(crate) fn mend_by_patterns(text: &str, language: Language, findings: &[&Finding]) -> Option<String> {
    let bank = built_in();
    let rule_of = |finding: &Finding| bank.heads().iter().position(|info| info.id == finding.rule.as_str());
    let wanted: Vec<(usize, u32)> = findings
        .iter()
        .filter_map(|finding| match &finding.place {
            Place::Lines(anchor) => {
                let line = text.lines().nth(usize::try_from(anchor.start).ok()?.checked_sub(1)?)?;
                let same = line.trim_end() == anchor.text.trim_end();
                same.then_some((rule_of(finding)?, anchor.start))
            }
            Place::File { .. } | Place::Summary => None,
        })
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let endings: &[&str] = if language == Language::TypeScript { &["", "tsx"] } else { &[""] };
    let grammars = endings.iter().filter_map(|ending| Grammar::of(language, ending));
    // Which dialect a file is in shows by what can be read.
    let (grammar, tree) = grammars
        .filter_map(|grammar| Some((grammar, parse(grammar, text.as_bytes())?)))
        .min_by_key(|(_, tree)| errors(tree.root_node()))?;
    let code = AstGrep::doc(Parsed::new(grammar, text.as_bytes(), tree));
    let subject =
        Subject::new(grammar, &code, Touched::Lines(wanted.iter().map(|(_, line)| *line).collect()));
    let candidates = bank.loaded(language)?.candidates(text.as_bytes());
    let mut patches: Vec<Patch> = hits(bank, &candidates, &subject)
        .into_iter()
        .filter(|hit| wanted.contains(&(hit.rule, hit.first)))
        .filter_map(|hit| hit.patch)
        .filter(|patch| patch.keeps_lines(text))
        .collect();
    patches.sort_by_key(|patch| std::cmp::Reverse(patch.range.start));
    let mut mended = text.to_owned();
    let mut free = text.len();
    for patch in patches {
        if patch.range.end <= free {
            free = patch.range.start;
            mended = patch.apply(&mended)?;
        }
    }
    (mended != text).then_some(mended)
}
