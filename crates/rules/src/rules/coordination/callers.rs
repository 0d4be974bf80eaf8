//! Calls that a change left as they were although what they call is no longer there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use aho_corasick::AhoCorasick;
use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::Severity;
use rayon::prelude::*;

use super::left_types::{self, Homes, is_gone_type};
use super::lost::{Line, Loss, Lost, Proof, Sort};
use super::usage::{Usage, Use, has_more_names, is_use, word_before};
use super::{mentions, words};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Sample, SampleReach, neighbours};
use crate::source::Source;
use crate::syntax::{ItemKind, functions};

/// Who calls the lost functions: in the files of the change, tests included, and in a sample of those around them.
///
/// Calls through another name, with arguments that are spread out, or in files that newly import a function of the same
/// name are not looked at; and of a name that the change defines elsewhere too, nothing is said: silence is better than
/// a guess. A file that the change leaves alone has to say by its imports or its folder which function it means.
#[derive(Debug, Default)]
pub(super) struct Callers<'f> {
    files: Vec<Usage<'f>>,
    /// Which of the files know a name: neither has every file to be asked for each name, nor the other way round.
    knowing: HashMap<String, Vec<usize>>,
    still: StillNamed,
    /// Names that lines called which the change took out.
    updated: HashSet<String>,
    /// Of the files that lost something, those that C++ takes in as it does its own.
    shared: Vec<&'f FileContext<'f>>,
    /// Those that only look like headers of C: types, and what is in them, are used by C++.
    for_cpp: Vec<&'f FileContext<'f>>,
    homes: Homes,
    /// Files that lost something and have names which do not stand in them.
    with_more_names: HashSet<RepoPath>,
}

/// A call that does not fit any more.
#[derive(Debug)]
pub(super) struct Stale {
    pub(super) path: RepoPath,
    pub(super) line: u32,
    pub(super) how: Still,
    /// Less where another type may have a method of that name.
    pub(super) severity: Severity,
    /// Low where the call runs all the same, and may do what it should.
    pub(super) confidence: Confidence,
}

/// What somebody goes on doing with what is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Still {
    Calls { arguments: u32 },
    Imports,
    Names,
}

impl<'f> Callers<'f> {
    pub(super) fn of(change: &'f ChangeContext<'f>, lost: &[Lost<'f>]) -> Self {
        let still = StillNamed::of(lost);
        let used = lost.iter().filter(|one| still.is_used_by_name(one) && one.loss != Loss::Hidden);
        let names: HashSet<&str> = used.flat_map(|one| [one.name.as_str(), one.called()]).collect();
        let listed: Vec<&str> = names.iter().copied().collect();
        let Ok(search) = AhoCorasick::new(&listed) else { return Callers::default() };
        let shared = headers_for_both(lost.iter().filter(|one| names.contains(one.name.as_str())));
        let mut languages: BTreeSet<Language> = lost.iter().map(|one| one.file.language).collect();
        let for_cpp = headers_of_cpp(lost.iter().filter(|one| is_of_type(one)), &shared);
        languages.extend(shared.iter().chain(&for_cpp).next().map(|_| Language::Cpp));
        let files = change.files.par_iter().filter(|file| file.skipped.is_none() && !names.is_empty());
        let files = files.filter(|file| languages.contains(&file.language));
        let using = files.filter(|file| file.head().is_some_and(|head| search.is_match(head.text())));
        let mut files: Vec<Usage<'f>> = using.filter_map(|file| Usage::of(file, &names, &search)).collect();
        let homes: Vec<&FileContext<'_>> = shared.iter().chain(&for_cpp).copied().collect();
        files.extend(around(change, lost, &names, &search, &homes));
        let of_types = lost.iter().filter(|one| !files.is_empty() && is_of_type(one));
        let homes = Homes::of(change, of_types);
        // Only where somebody may still name it: else the file need not be read.
        let is_named = |one: &&Lost<'f>| still.is_used_by_name(one) && one.loss == Loss::Gone;
        let gone = lost.iter().filter(|one| !files.is_empty() && is_named(one));
        let losing: HashMap<&RepoPath, &FileContext<'_>> =
            gone.map(|one| (one.file.change.path(), one.file)).collect();
        let with_more_names = losing.into_iter().filter(|(_, file)| has_more_names(file));
        let mut knowing: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, usage) in files.iter().enumerate() {
            for name in usage.names() {
                knowing.entry(name.to_owned()).or_default().push(at);
            }
        }
        Callers {
            files,
            knowing,
            still,
            updated: updated(change, lost, &listed, &search),
            shared,
            for_cpp,
            homes,
            with_more_names: with_more_names.map(|(path, _)| path.clone()).collect(),
        }
    }

    /// Whether the change took a call of it out, or wrote it anew: then it has been thought of.
    pub(super) fn followed(&self, lost: &Lost<'_>) -> bool {
        self.updated.contains(&lost.name)
    }

    /// The files that have anything to do with its name, or with that of its type.
    fn knowing(&self, lost: &Lost<'_>) -> Vec<&Usage<'f>> {
        let of = |name: &str| self.knowing.get(name).map(Vec::as_slice).unwrap_or_default();
        let all: BTreeSet<usize> = of(&lost.name).iter().chain(of(lost.owner())).copied().collect();
        all.into_iter().filter_map(|at| self.files.get(at)).collect()
    }

    /// The first call that fitted before the change and does not now.
    pub(super) fn stale(&self, lost: &Lost<'_>) -> Option<Stale> {
        // What may be there all the same, somebody may go on using.
        let doubted = lost.loss == Loss::Gone && lost.proof == Proof::Slight;
        if !self.still.is_used_by_name(lost) || doubted {
            return None;
        }
        let both = self.shared.iter().any(|file| std::ptr::eq(*file, lost.file));
        let speaks = |language| language == lost.file.language || (both && language == Language::Cpp);
        let near = self.knowing(lost);
        let users = || near.iter().copied().filter(|usage| speaks(usage.language));
        if is_of_type(lost) {
            let of_cpp = both || self.for_cpp.iter().any(|file| std::ptr::eq(*file, lost.file));
            let speaks =
                move |language| language == lost.file.language || (of_cpp && language == Language::Cpp);
            let users = near.iter().copied().filter(move |usage: &&Usage<'_>| speaks(usage.language));
            let found = left_types::stale(users, lost, &self.homes);
            if found.is_some() || !lost.is_function() {
                return found;
            }
        }
        let is_known = !self.with_more_names.contains(lost.file.change.path());
        let refers = || users().filter(|_| is_known).find_map(|usage| usage.refers(lost));
        if !lost.is_function() {
            return refers();
        }
        if users().any(|usage| usage.defines_another(lost)) {
            // An import says where it takes the name from, whoever else has one.
            let importing = users().filter(|usage| is_known && !usage.defines_another(lost));
            let mut stale = importing.filter_map(|usage| usage.refers(lost));
            return stale.find(|one| one.how == Still::Imports);
        }
        users()
            .find_map(|usage| {
                let found = usage.aimed_at(lost).filter(|(call, _)| is_stale(call, lost));
                let (stale, severity) =
                    found.max_by_key(|(call, severity)| (*severity, std::cmp::Reverse(call.line)))?;
                let how = Still::Calls { arguments: stale.arguments };
                let (severity, confidence) = match runs_anyway(lost, stale.arguments) {
                    true => (severity.min(Severity::Medium), Confidence::Low),
                    false => (severity, Confidence::Medium),
                };
                Some(Stale { path: usage.path.clone(), line: stale.line, how, severity, confidence })
            })
            .or_else(refers)
    }
}

/// What scripts offered besides functions and still name where it was, by file and name.
#[derive(Debug, Default)]
struct StillNamed(HashSet<(RepoPath, String)>);

impl StillNamed {
    fn of(lost: &[Lost<'_>]) -> Self {
        let mut found = HashSet::new();
        for group in lost.chunk_by(|a, b| std::ptr::eq(a.file, b.file)) {
            let asked: Vec<&Lost<'_>> = group.iter().filter(|one| is_offered_by_script(one)).collect();
            let Some(file) = asked.first().map(|one| one.file) else { continue };
            let code = file.head().map(Source::code);
            let named: HashSet<&[u8]> = code.map(|code| words(code).collect()).unwrap_or_default();
            let is_named = |name: &str| match words(name.as_bytes()).next() {
                Some(word) if word.len() == name.len() => named.contains(word),
                _ => code.is_some_and(|code| mentions(code, name)),
            };
            // Of a file that is gone as a whole, that is told.
            let still = asked.iter().filter(|one| code.is_none() || is_named(&one.name));
            found.extend(still.map(|one| (file.change.path().clone(), one.name.clone())));
        }
        StillNamed(found)
    }

    /// A function, or what a script offers besides: whoever imports it by its name fails at once if it is gone.
    fn is_used_by_name(&self, lost: &Lost<'_>) -> bool {
        let named = || self.0.contains(&(lost.file.change.path().clone(), lost.name.clone()));
        lost.is_function() || is_gone_type(lost) || (is_offered_by_script(lost) && !named())
    }
}

fn is_offered_by_script(lost: &Lost<'_>) -> bool {
    let script = matches!(lost.file.language, Language::Python | Language::JavaScript | Language::TypeScript);
    let offered = matches!(lost.sort, Sort::Item(ItemKind::Type | ItemKind::Constant));
    script && offered && lost.loss == Loss::Gone && lost.container.is_empty()
}

/// What is looked at besides the change, per language.
pub(super) const AROUND: Sample = Sample { files: 64, bytes: 1024 * 1024, reach: SampleReach::Repository };

/// Files that the change leaves alone and that name what was lost.
fn around<'f>(
    change: &ChangeContext<'_>,
    lost: &[Lost<'_>],
    names: &HashSet<&str>,
    search: &AhoCorasick,
    shared: &[&FileContext<'_>],
) -> Vec<Usage<'f>> {
    // What is not public is used in its own file, if anywhere.
    let is_near =
        |one: &Lost<'_>| one.enclosed && !matches!(one.file.language, Language::Rust | Language::Swift);
    let functions = || lost.iter().filter(|one| names.contains(one.called()) && !is_near(one));
    let mut languages: BTreeSet<Language> = functions().map(|one| one.file.language).collect();
    languages.extend(shared.first().map(|_| Language::Cpp));
    let mut found = Vec::new();
    for language in languages {
        let files = functions().map(|one| one.file);
        let mut homes: Vec<&FileContext<'_>> = files.filter(|file| file.language == language).collect();
        if language == Language::Cpp {
            homes.extend(shared);
        }
        let near = neighbours(change, &homes, language, AROUND);
        let using = near.into_iter().filter(|one| search.is_match(one.source.text()));
        found.extend(using.filter_map(|one| Usage::around(one, language, names)));
    }
    found
}

/// Headers of C that C++ can take in, which makes its files callers as well. One with classes or namespaces was meant for C++
/// alone, and is not understood well enough as C to say who calls what.
fn headers_for_both<'f, 'l>(lost: impl Iterator<Item = &'l Lost<'f>>) -> Vec<&'f FileContext<'f>>
where
    'f: 'l,
{
    const CPP: [&str; 7] = ["class", "namespace", "template", "public", "private", "virtual", "constexpr"];
    let is_c = |file: &FileContext<'_>| {
        let sources = [file.base(), file.head()].into_iter().flatten();
        !CPP.iter().any(|word| sources.clone().any(|source| mentions(source.code(), word)))
    };
    let mut seen: Vec<&'f FileContext<'f>> = Vec::new();
    for one in lost.filter(|one| one.file.language == Language::C) {
        if !seen.iter().rev().any(|file| std::ptr::eq(*file, one.file)) {
            seen.push(one.file);
        }
    }
    seen.retain(|file| is_c(file));
    seen
}

/// The other headers that are called those of C.
fn headers_of_cpp<'f, 'l>(
    lost: impl Iterator<Item = &'l Lost<'f>>,
    shared: &[&FileContext<'_>],
) -> Vec<&'f FileContext<'f>>
where
    'f: 'l,
{
    let mut seen: Vec<&'f FileContext<'f>> = Vec::new();
    for one in lost.filter(|one| one.file.language == Language::C) {
        let known = |files: &[&FileContext<'_>]| files.iter().rev().any(|file| std::ptr::eq(*file, one.file));
        if !known(shared) && !known(&seen) {
            seen.push(one.file);
        }
    }
    seen
}

/// A type, or something that belongs to one.
fn is_of_type(lost: &Lost<'_>) -> bool {
    is_gone_type(lost) || (lost.is_function() && !lost.container.is_empty())
}

/// Of a line that is no comment, does not define it, and did not go with what is lost itself.
fn updated(
    change: &ChangeContext<'_>,
    lost: &[Lost<'_>],
    names: &[&str],
    search: &AhoCorasick,
) -> HashSet<String> {
    let mut found = HashSet::new();
    if names.is_empty() {
        return found;
    }
    for file in change.files.iter().filter(|file| file.skipped.is_none()) {
        let gone = extents(file, lost);
        for (number, line) in file.change.removed() {
            let code = line.trim_ascii_start();
            let is_comment = code.starts_with(b"//") || code.starts_with(b"*") || code.starts_with(b"#");
            if is_comment || gone.iter().any(|lines| lines.contains(&number)) {
                continue;
            }
            for name in search.find_overlapping_iter(line).map(|hit| hit.pattern()) {
                let Some(name) = names.get(name.as_usize()) else { continue };
                if is_called(line, name) {
                    found.insert((*name).to_owned());
                }
            }
        }
    }
    found
}

/// The lines of the functions that a file lost: what they called says nothing of their own callers.
fn extents(file: &FileContext<'_>, lost: &[Lost<'_>]) -> Vec<RangeInclusive<u32>> {
    let gone: HashSet<u32> = lost
        .iter()
        .filter(|one| std::ptr::eq(one.file, file) && one.loss == Loss::Gone && one.is_function())
        .filter_map(|one| match one.line {
            Line::Old(line) => Some(line),
            Line::New(_) => None,
        })
        .collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let Some(base) = file.base_tree() else { return Vec::new() };
    let functions = functions(base).into_iter().filter(|function| gone.contains(&function.name_line()));
    functions.take(MOST_EXTENTS).map(|function| function.lines()).map(|(first, last)| first..=last).collect()
}

/// A file that lost more functions is another file now.
const MOST_EXTENTS: usize = 50;

fn is_called(line: &[u8], name: &str) -> bool {
    memchr::memmem::find_iter(line, name).any(|at| {
        let range = at..at + name.len();
        is_use(line, range.clone()) && word_before(line, at) != b"use"
    })
}

fn is_stale(call: &Use, lost: &Lost<'_>) -> bool {
    is_stale_with(lost, call.arguments, &call.names)
}

/// Whether a call with so many arguments, some of them by these names, fitted before and does not now.
pub(super) fn is_stale_with(lost: &Lost<'_>, arguments: u32, names: &[String]) -> bool {
    match &lost.loss {
        Loss::Unnamed { parameter } => names.contains(parameter),
        Loss::Gone => true,
        Loss::Hidden | Loss::Altered { .. } => false,
        Loss::Narrowed { was, is } => {
            was.accepts(arguments) && !is.iter().any(|arity| arity.accepts(arguments))
        }
    }
}

/// JavaScript takes any number of arguments: one too few is `undefined`, one too many is dropped. PHP drops them, too.
pub(super) fn runs_anyway(lost: &Lost<'_>, arguments: u32) -> bool {
    let Loss::Narrowed { is, .. } = &lost.loss else { return false };
    match lost.file.language {
        Language::JavaScript => true,
        Language::Php => is.iter().any(|arity| arguments > arity.least),
        _ => false,
    }
}
