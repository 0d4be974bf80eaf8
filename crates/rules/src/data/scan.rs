use std::collections::{HashMap, HashSet};

use ast_grep_core::AstGrep;
use domain::change::Hunk;
use domain::config::RulesPolicy;
use domain::review::{Confidence, Finding};
use domain::words::Severity;

use super::asked_for::{is_asked_for, stood_before};
use super::bank::Bank;
use super::entry::Entry;
use super::exposed::exposed;
use super::fix::{Patch, keep_sound, patch};
use super::grammar::{Grammar, Parsed};
use super::matching::{Active, Found};
use super::same_fault::{Told, told_again};
use super::subject::{Subject, Touched, lines_of};
use crate::context::FileContext;
use crate::flow::{Step, follows_calls, walk};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rules::words;
use crate::syntax::{Tree, functions};

/// What a rule of a bank found in a text.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) rule: usize,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Where the statement begins that takes the value.
    statement: u32,
    pub(super) message: String,
    pub(super) severity: Option<Severity>,
    pub(super) confidence: Option<Confidence>,
    /// Whether tests are looked at as well.
    in_tests: bool,
    pub(super) patch: Option<Patch>,
}

impl Hit {
    /// Its own severity, or that of its rule.
    pub(super) fn severity_in(&self, bank: &Bank) -> Option<Severity> {
        self.severity.or_else(|| Some(bank.heads().get(self.rule)?.severity))
    }

    /// Where it is told: where its statement begins, if the diff shows that together with it. What can be corrected
    /// is told where the correction goes.
    fn told_from(&self, file: &FileContext<'_>) -> u32 {
        let is_shown = |hunk: &Hunk| hunk.new.contains(self.statement) && hunk.new.contains(self.first);
        let moves_up = self.patch.is_none() && file.change.hunks().iter().any(is_shown);
        if moves_up { self.statement } else { self.first }
    }
}

/// Runs the banks over a file of a change. What they say is about added lines, or about others that the change exposed.
pub(crate) fn check_file(file: &FileContext<'_>, banks: &[&Bank], policy: &RulesPolicy) -> Vec<Finding> {
    let Some(grammar) = Grammar::of(file.language, &file.change.path().extension()) else {
        return Vec::new();
    };
    if file.skipped.is_some() {
        return Vec::new();
    }
    let mut findings = added(file, grammar, banks, policy);
    findings.extend(exposed(file, grammar, banks, policy));
    findings
}

/// What the banks say of added lines.
fn added(file: &FileContext<'_>, grammar: Grammar, banks: &[&Bank], policy: &RulesPolicy) -> Vec<Finding> {
    if file.change.added().next().is_none() {
        return Vec::new();
    }
    let shown = shown(file);
    let chosen: Vec<(&Bank, Vec<usize>)> = banks
        .iter()
        .filter_map(|bank| {
            let wanted = wanted(bank, file, &shown, policy);
            (!wanted.is_empty()).then_some((*bank, wanted))
        })
        .collect();
    if chosen.is_empty() {
        return Vec::new();
    }
    let (Some(head), Some(tree)) = (file.head(), enough(file)) else { return Vec::new() };
    let Some(raw) = tree.raw() else { return Vec::new() };
    let code = AstGrep::doc(Parsed::new(grammar, head.text(), raw.clone()));
    let touched = Touched::Lines(file.added().map(|line| line.number).collect());
    let subject = Subject::new(grammar, &code, touched);
    let mut findings = Vec::new();
    for (bank, wanted) in chosen {
        for hit in hits(bank, &wanted, &subject) {
            let rule = bank.heads().get(hit.rule).map_or("", |head| head.id.as_ref());
            if (hit.in_tests || !head.in_test(hit.first)) && !stood_before(rule, file, hit.first) {
                findings.extend(finding(file, bank, hit, policy));
            }
        }
    }
    if subject.is_spent() {
        file.loses_track();
    }
    findings
}

pub(super) fn finding(file: &FileContext<'_>, bank: &Bank, hit: Hit, policy: &RulesPolicy) -> Vec<Finding> {
    let (Some(info), Some(head)) = (bank.heads().get(hit.rule), file.head()) else { return Vec::new() };
    let mut report = Reporter::new(info, policy.severity.get(info.id.as_ref()).copied(), Some(file.change));
    let mut draft = Draft::lines(head, hit.told_from(file), hit.last, hit.message);
    draft = hit.severity.into_iter().fold(draft, Draft::severity);
    draft = hit.confidence.into_iter().fold(draft, Draft::confidence);
    report.add(match hit.patch.and_then(|patch| patch.sentence()) {
        Some(sentence) => draft.fix(format!("{}: {sentence}", info.fix)),
        None => draft,
    });
    report.finish()
}

/// As much of a file as values are followed in. Where a function is called in its own file, what nobody touched may matter.
pub(super) fn enough<'f>(file: &'f FileContext<'_>) -> Option<&'f Tree> {
    let tree = file.touched_tree()?;
    if !follows_calls(file.language) {
        return Some(tree);
    }
    let functions = functions(tree);
    let mut names: HashMap<&[u8], bool> =
        functions.iter().map(|function| (function.name.as_bytes(), false)).collect();
    // Most words look like no name: they need not be looked up.
    let shapes: u64 = names.keys().fold(0, |shapes, name| shapes | shape(name));
    let mut stands_again = |word: &[u8]| {
        shapes & shape(word) != 0 && names.get_mut(word).is_some_and(|seen| std::mem::replace(seen, true))
    };
    if words(tree.text()).any(&mut stands_again) { file.tree() } else { Some(tree) }
}

/// One bit for the length of a word and what it begins with.
fn shape(word: &[u8]) -> u64 {
    let first = word.first().map_or(0, |first| usize::from(first & 3));
    1 << (word.len().min(15) * 4 + first)
}

/// What the diff shows of the new side: the added lines, and those around them that a match may reach into. Whole
/// files are only read for what is found in here.
fn shown(file: &FileContext<'_>) -> Vec<u8> {
    let lines = || file.change.hunks().iter().flat_map(Hunk::lines).filter(|line| line.new.is_some());
    let mut shown = Vec::with_capacity(lines().map(|line| line.text.len() + 1).sum());
    for line in lines() {
        shown.extend_from_slice(line.text);
        shown.push(b'\n');
    }
    shown
}

/// The entries worth a parse: enabled, about such a path, and with their words in what is shown.
pub(super) fn wanted(bank: &Bank, file: &FileContext<'_>, text: &[u8], policy: &RulesPolicy) -> Vec<usize> {
    let Some(loaded) = bank.loaded(file.language) else { return Vec::new() };
    let mut chosen = loaded.candidates(text);
    chosen.retain(|index| {
        let entry = &loaded.entries[*index];
        let enabled =
            bank.heads().get(entry.rule).is_some_and(|info| !policy.disable.iter().any(|id| *id == info.id));
        enabled && (entry.in_tests || !file.is_test_file()) && entry.looks_at(file.change.path())
    });
    chosen
}

/// Longer lines come out of a bundler, and nobody would correct them there.
const LONGEST_LINE: usize = 1_000;

fn is_written_by_hand(text: &str, at: usize) -> bool {
    let (before, after) = text.as_bytes().split_at(at.min(text.len()));
    let begun = memchr::memrchr(b'\n', before).map_or(before.len(), |feed| before.len() - feed - 1);
    let rest = memchr::memchr(b'\n', after).unwrap_or(after.len());
    begun + rest <= LONGEST_LINE
}

/// Everything the entries find, one per rule and line.
pub(super) fn hits(bank: &Bank, wanted: &[usize], subject: &Subject<'_>) -> Vec<Hit> {
    let Some(loaded) = bank.loaded(subject.grammar.language) else { return Vec::new() };
    // In Java a class can be named with its package, without an import.
    let is_named =
        |module: &str| subject.grammar.language == Language::Java && subject.text().contains(module);
    let imported =
        |modules: &[String]| modules.iter().any(|module| subject.flow().imports(module) || is_named(module));
    let wanted: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|index| {
            let entry = &loaded.entries[*index];
            (entry.imports.is_empty() || imported(&entry.imports))
                && !imported(&entry.unless_imports)
                && !entry.unless_text.iter().any(|word| subject.text().contains(word.as_str()))
        })
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let active = Active::new(&loaded.entries, bank.utilities(), &wanted, subject);
    let mut found: Vec<Found<'_>> = Vec::new();
    walk(subject.root(), |node| {
        let (first, last) = lines_of(node);
        if !subject.touched.meets(first, last) {
            return Step::Over;
        }
        if node.is_named() && !node.is_error() {
            active.at(node, subject, &mut found);
        }
        Step::Into
    });
    let mut seen = HashSet::new();
    let id = |rule: usize| bank.heads().get(rule).map_or("", |head| head.id.as_ref());
    found.retain(|one| !is_asked_for(id(loaded.entries[one.entry].rule), one.node, subject));
    found.retain(|one| {
        let rule = loaded.entries[one.entry].rule;
        seen.insert((rule, lines_of(one.node).0)) && is_written_by_hand(subject.text(), one.node.start_byte())
    });
    let told: Vec<Told<'_>> =
        found.iter().map(|one| told(bank, &loaded.entries[one.entry], one, subject)).collect();
    let again = told_again(&told, || subject.flow());
    let mut hits: Vec<Hit> = Vec::new();
    for ((one, told), again) in found.iter().zip(&told).zip(again) {
        let entry = &loaded.entries[one.entry];
        let (first, last) = lines_of(one.node);
        let statement = lines_of(subject.flow().statement_of(one.node)).0;
        let title = || bank.heads().get(entry.rule).map(|info| info.title.to_string()).unwrap_or_default();
        let mut message =
            entry.message.as_deref().map_or_else(title, |message| one.message(message, subject.text()));
        if let Some(line) = again {
            message = format!("{message}; see line {line}");
        }
        let patch = patch(entry, bank.utilities(), one, subject);
        let severity = entry.severity;
        let is_advice = again.is_some() || told.confidence == Confidence::Low;
        let confidence = if is_advice { Some(Confidence::Low) } else { entry.confidence };
        let in_tests = entry.in_tests;
        hits.push(Hit {
            rule: entry.rule,
            first,
            last,
            statement,
            message,
            severity,
            confidence,
            in_tests,
            patch,
        });
    }
    keep_sound(hits.iter_mut().map(|hit| &mut hit.patch).collect(), subject);
    hits
}

fn told<'f>(bank: &Bank, entry: &Entry, found: &Found<'f>, subject: &Subject<'f>) -> Told<'f> {
    let head = bank.heads().get(entry.rule);
    let doubted = found.is_doubtful(&entry.tests, subject).then_some(Confidence::Low);
    let known = doubted.or(entry.confidence).or(head.map(|head| head.confidence));
    Told {
        rule: entry.rule,
        node: found.node,
        severity: entry.severity.or(head.map(|head| head.severity)).unwrap_or(Severity::Medium),
        confidence: known.unwrap_or(Confidence::Medium),
    }
}
