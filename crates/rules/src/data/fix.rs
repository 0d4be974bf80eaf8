use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use ast_grep_core::replacer::Replacer as _;
use ast_grep_core::{AstGrep, Matcher as _};
use domain::review::{Finding, Place};

use super::bank::Bank;
use super::entry::{Entry, Form, Utilities};
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

    fn keeps_lines(&self, text: &str) -> bool {
        let lines = |text: &str| text.matches('\n').count();
        text.get(self.range.clone()).is_some_and(|old| lines(old) == lines(&self.with))
    }
}

/// The text with all of them applied, which stand in order and apart.
fn applied(text: &str, patches: &[&Patch]) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    for patch in patches {
        written.push_str(text.get(at..patch.range.start)?);
        written.push_str(&patch.with);
        at = patch.range.end;
    }
    written.push_str(text.get(at..)?);
    Some(written)
}

/// Of more corrections that have to be tried one by one, the rest is not offered: each costs a look at the whole file.
const MOST_TRIED: usize = 20;

/// Leaves of the corrections those after which the file has no more errors than before. Mostly all of them are right, and
/// tried at once.
pub(super) fn keep_sound(patches: Vec<&mut Option<Patch>>, subject: &Subject<'_>) {
    let mut offered: Vec<&mut Option<Patch>> = patches.into_iter().filter(|one| one.is_some()).collect();
    offered.sort_by_key(|one| one.as_ref().map(|patch| patch.range.start));
    let before = LazyCell::new(|| errors(subject.root()));
    let is_sound = |patches: &[&Patch]| {
        let after = applied(subject.text(), patches);
        let tree = after.and_then(|after| parse(subject.grammar, after.as_bytes()));
        tree.is_some_and(|tree| errors(tree.root_node()) <= *before)
    };
    let mut free = 0;
    let (apart, mut doubtful): (Vec<_>, Vec<_>) = offered.into_iter().partition(|one| {
        let is_apart = one.as_ref().is_some_and(|patch| patch.range.start >= free);
        free = one.as_ref().filter(|_| is_apart).map_or(free, |patch| patch.range.end);
        is_apart
    });
    if !apart.is_empty() && !is_sound(&apart.iter().filter_map(|one| one.as_ref()).collect::<Vec<_>>()) {
        doubtful.extend(apart);
    }
    for (tried, one) in doubtful.into_iter().enumerate() {
        let is_kept = tried < MOST_TRIED && one.as_ref().is_some_and(|patch| is_sound(&[patch]));
        *one = one.take().filter(|_| is_kept);
    }
}

/// The correction that the document offers for what it found. Nobody knows yet whether the file can be read after it: see
/// [`keep_sound`].
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
    // The statement that a pattern without its end matches has one, which stays.
    let ends = subject.text().get(range.clone()).is_some_and(|old| old.ends_with(';'));
    if ends && !with.trim_end().is_empty() && !with.trim_end().ends_with([';', '}']) {
        range.end -= 1;
    }
    Some(Patch { range, with })
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

/// Whether a document about the language has a correction for what the rule finds.
pub(crate) fn has_fix(rule: &str, language: Language, banks: &[&Bank]) -> bool {
    banks.iter().any(|bank| fixable(bank, rule, language).is_some())
}

fn fixable(bank: &Bank, rule: &str, language: Language) -> Option<usize> {
    let index = bank.heads().iter().position(|info| info.id == rule)?;
    let has_fix = |entry: &Entry| matches!(&entry.form, Form::Pattern { fix, .. } if fix.is_some());
    bank.loaded(language)?.of_rule(index).any(has_fix).then_some(index)
}

/// Whether a text has no more errors than another had. Of a language without a grammar nobody can tell.
pub(crate) fn reads_no_worse(before: &str, after: &str, language: Language) -> bool {
    let Some((grammar, tree)) = read(before, language) else { return true };
    parse(grammar, after.as_bytes())
        .is_some_and(|mended| errors(mended.root_node()) <= errors(tree.root_node()))
}

/// Which dialect a file is in shows by what can be read.
fn read(text: &str, language: Language) -> Option<(Grammar, tree_sitter::Tree)> {
    let endings: &[&str] = if language == Language::TypeScript { &["", "tsx"] } else { &[""] };
    let grammars = endings.iter().filter_map(|ending| Grammar::of(language, ending));
    grammars
        .filter_map(|grammar| Some((grammar, parse(grammar, text.as_bytes())?)))
        .min_by_key(|(_, tree)| errors(tree.root_node()))
}

/// A text with corrections, and of which rules and lines they are.
pub(crate) struct MendedSpots {
    pub(crate) text: String,
    pub(crate) spots: HashSet<(String, u32)>,
}

/// A text with those of the findings corrected for which a document of ours or of the project has a correction.
pub(crate) fn mend_by_patterns(
    text: &str,
    language: Language,
    findings: &[&Finding],
    banks: &[&Bank],
) -> Option<MendedSpots> {
    let lines: Vec<&str> = text.lines().collect();
    let unchanged = |finding: &Finding| match &finding.place {
        Place::Lines(anchor) => {
            let line = lines.get(usize::try_from(anchor.start).ok()?.checked_sub(1)?)?;
            (line.trim_end() == anchor.text.trim_end()).then_some(anchor.start)
        }
        Place::File { .. } | Place::Summary => None,
    };
    let wanted_of = |bank: &Bank| -> HashSet<(usize, u32)> {
        let wanted =
            |finding: &&Finding| Some((fixable(bank, &finding.rule, language)?, unchanged(finding)?));
        findings.iter().filter_map(wanted).collect()
    };
    let wanted: Vec<(&Bank, HashSet<(usize, u32)>)> =
        banks.iter().map(|bank| (*bank, wanted_of(bank))).filter(|(_, wanted)| !wanted.is_empty()).collect();
    if wanted.is_empty() {
        return None;
    }
    let (grammar, tree) = read(text, language)?;
    let code = AstGrep::doc(Parsed::new(grammar, text.as_bytes(), tree));
    let mut touched: Vec<u32> =
        wanted.iter().flat_map(|(_, wanted)| wanted.iter().map(|(_, line)| *line)).collect();
    touched.sort_unstable();
    let subject = Subject::new(grammar, &code, Touched::Lines(touched));
    let mut patches: Vec<(Patch, String, u32)> = Vec::new();
    for (bank, wanted) in wanted {
        let candidates = bank.loaded(language)?.candidates(text.as_bytes());
        let hits = hits(bank, &candidates, &subject).into_iter();
        let wanted = hits.filter(|hit| wanted.contains(&(hit.rule, hit.first)));
        patches.extend(wanted.filter_map(|hit| {
            let patch = hit.patch.filter(|patch| patch.keeps_lines(text))?;
            Some((patch, bank.heads().get(hit.rule)?.id.to_string(), hit.first))
        }));
    }
    patches.sort_by_key(|(patch, ..)| std::cmp::Reverse(patch.range.start));
    let mut free = text.len();
    // Of two that are about the same, the later one.
    patches.retain(|(patch, ..)| {
        let is_apart = patch.range.end <= free;
        free = if is_apart { patch.range.start } else { free };
        is_apart
    });
    let apart: Vec<&Patch> = patches.iter().rev().map(|(patch, ..)| patch).collect();
    let mended = applied(text, &apart).filter(|mended| mended != text)?;
    let spots = patches.into_iter().map(|(_, rule, line)| (rule, line)).collect();
    Some(MendedSpots { text: mended, spots })
}
