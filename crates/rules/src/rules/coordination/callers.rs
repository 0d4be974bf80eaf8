//! Calls that a change left as they were although what they call is no longer there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use aho_corasick::AhoCorasick;
use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::Severity;
use rayon::prelude::*;

use super::lost::{Line, Loss, Lost};
use super::mentions;
use super::near::{are_together, taken_in, takes_in, type_of};
use super::references::{How, Reference, references};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Neighbour, Sample, SampleReach, neighbours};
use crate::source::Source;
use crate::syntax::{Call, Node, Notion, Tree, functions};

/// Who calls the lost functions: in the files of the change, tests included, and in a sample of those around them.
///
/// Calls through another name, with arguments that are spread out, or in files that newly import a function of the same
/// name are not looked at; and of a name that the change defines elsewhere too, nothing is said: silence is better than
/// a guess. A file that the change leaves alone has to say by its imports or its folder which function it means.
#[derive(Debug, Default)]
pub(super) struct Callers<'f> {
    files: Vec<Usage<'f>>,
    /// Names that lines called which the change took out.
    updated: HashSet<String>,
}

#[derive(Debug)]
struct Usage<'f> {
    path: RepoPath,
    language: Language,
    /// Absent for a file that the change leaves alone.
    file: Option<&'f FileContext<'f>>,
    /// Names that are given to something else in it.
    bound: HashSet<String>,
    /// Names and containers.
    defined: HashSet<(String, String)>,
    calls: HashMap<String, Vec<Use>>,
    /// The text of all imports.
    imports: Vec<u8>,
    /// The text of those that the change touched.
    imported: Vec<u8>,
    /// Where a name is used without being called.
    references: Vec<Reference>,
}

#[derive(Debug)]
struct Use {
    line: u32,
    arguments: u32,
    /// Of the arguments that have one.
    names: Vec<String>,
    /// What stands in front of the name.
    before: String,
    /// The type whose code calls.
    inside: String,
    /// The type of the variable in front of the name, where the function around the call says it.
    of: Option<String>,
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

/// Of more calls in one file the type of what they are called on is not looked for.
const MOST_LOOKED_UP: usize = 200;

/// A method is known by its name alone; a shorter one than this may be anybody's.
const TELLING: usize = 6;

impl<'f> Callers<'f> {
    pub(super) fn of(change: &'f ChangeContext<'f>, lost: &[Lost<'_>]) -> Self {
        let functions = lost.iter().filter(|one| one.is_function() && one.loss != Loss::Hidden);
        let names: HashSet<&str> = functions.map(|one| one.name.as_str()).collect();
        let listed: Vec<&str> = names.iter().copied().collect();
        let Ok(search) = AhoCorasick::new(&listed) else { return Callers::default() };
        let files = change.files.par_iter().filter(|file| file.skipped.is_none() && !names.is_empty());
        let files = files.filter(|file| lost.iter().any(|one| one.file.language == file.language));
        let using = files.filter(|file| file.head().is_some_and(|head| search.is_match(head.text())));
        let mut files: Vec<Usage<'f>> = using.filter_map(|file| Usage::of(file, &names, &search)).collect();
        files.extend(around(change, lost, &names, &search));
        Callers { files, updated: updated(change, lost, &listed, &search) }
    }

    /// Whether the change took a call of it out, or wrote it anew: then it has been thought of.
    pub(super) fn followed(&self, lost: &Lost<'_>) -> bool {
        self.updated.contains(&lost.name)
    }

    /// The first call that fitted before the change and does not now.
    pub(super) fn stale(&self, lost: &Lost<'_>) -> Option<Stale> {
        if !lost.is_function() {
            return None;
        }
        let users = || self.files.iter().filter(|usage| usage.language == lost.file.language);
        if users().any(|usage| usage.defines_another(lost)) {
            return None;
        }
        users()
            .find_map(|usage| {
                let calls = usage.calls.get(&lost.name)?;
                let fitting = calls.iter().filter(|call| is_stale(call, lost));
                let found = fitting.filter_map(|call| Some((call, usage.aim(call, lost)?)));
                let (stale, severity) =
                    found.max_by_key(|(call, severity)| (*severity, std::cmp::Reverse(call.line)))?;
                let how = Still::Calls { arguments: stale.arguments };
                let (severity, confidence) = match runs_anyway(lost) {
                    true => (severity.min(Severity::Medium), Confidence::Low),
                    false => (severity, Confidence::Medium),
                };
                Some(Stale { path: usage.path.clone(), line: stale.line, how, severity, confidence })
            })
            .or_else(|| users().find_map(|usage| usage.refers(lost)))
    }
}

/// What is looked at besides the change, per language.
pub(super) const AROUND: Sample = Sample { files: 64, bytes: 1024 * 1024, reach: SampleReach::Repository };

/// Files that the change leaves alone and that name what was lost.
fn around<'f>(
    change: &ChangeContext<'_>,
    lost: &[Lost<'_>],
    names: &HashSet<&str>,
    search: &AhoCorasick,
) -> Vec<Usage<'f>> {
    // What is not public is used in its own file, if anywhere.
    let is_near =
        |one: &Lost<'_>| one.enclosed && !matches!(one.file.language, Language::Rust | Language::Swift);
    let functions = || lost.iter().filter(|one| names.contains(one.name.as_str()) && !is_near(one));
    let languages: BTreeSet<Language> = functions().map(|one| one.file.language).collect();
    let mut found = Vec::new();
    for language in languages {
        let homes: Vec<&FileContext<'_>> =
            functions().map(|one| one.file).filter(|file| file.language == language).collect();
        let near = neighbours(change, &homes, language, AROUND);
        let using = near.into_iter().filter(|one| search.is_match(one.source.text()));
        found.extend(using.filter_map(|one| Usage::around(one, language, names)));
    }
    found
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

/// Whether what stands there is a whole name, and not the one that a definition gives.
fn is_use(text: &[u8], name: Range<usize>) -> bool {
    const DEFINING: [&[u8]; 5] = [b"fn", b"def", b"func", b"function", b"fun"];
    let joined = name.start.checked_sub(1).and_then(|before| text.get(before)).is_some_and(is_word);
    let goes_on = text.get(name.end).is_some_and(is_word);
    !joined && !goes_on && !DEFINING.contains(&word_before(text, name.start))
}

fn word_before(text: &[u8], at: usize) -> &[u8] {
    let before = text[..at].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |end| end + 1);
    &before[word..]
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn is_stale(call: &Use, lost: &Lost<'_>) -> bool {
    let arguments = call.arguments;
    match &lost.loss {
        Loss::Unnamed { parameter } => call.names.contains(parameter),
        Loss::Gone => true,
        Loss::Hidden | Loss::Altered { .. } => false,
        Loss::Narrowed { was, is } => {
            was.accepts(arguments) && !is.iter().any(|arity| arity.accepts(arguments))
        }
    }
}

/// JavaScript takes any number of arguments: one too few is `undefined`, one too many is dropped.
fn runs_anyway(lost: &Lost<'_>) -> bool {
    lost.file.language == Language::JavaScript && matches!(lost.loss, Loss::Narrowed { .. })
}

impl<'f> Usage<'f> {
    fn of(file: &'f FileContext<'f>, names: &HashSet<&str>, search: &AhoCorasick) -> Option<Self> {
        // Where the names stand in definitions alone, no body that nobody touched calls one.
        let text = file.head()?.text();
        let is_use = |at: Range<usize>| is_use(text, at);
        let uses = search.find_overlapping_iter(text).any(|hit| is_use(hit.range()));
        let tree = if uses { file.tree()? } else { file.touched_tree()? };
        let usage = Usage::read(tree, file.change.path(), file.language, names);
        let imports = tree.all(Notion::Import).filter(|import| file.touched(*import));
        Some(Usage { imported: joined(imports), file: Some(file), ..usage })
    }

    fn around(one: Neighbour, language: Language, names: &HashSet<&str>) -> Option<Self> {
        Some(Usage::read(one.tree()?, &one.path, language, names))
    }

    fn read(tree: &Tree, path: &RepoPath, language: Language, names: &HashSet<&str>) -> Self {
        let defined = functions(tree).into_iter().filter(|function| names.contains(function.name.as_str()));
        let defined = defined.map(|function| (function.name, function.container.to_owned())).collect();
        let mut calls: HashMap<String, Vec<Use>> = HashMap::new();
        let mut looked_up = 0;
        for call in tree.all(Notion::Call).filter_map(|node| node.call()) {
            let name = call.name();
            if let Some(arguments) = counted(&call).filter(|_| names.contains(name.as_str())) {
                let callee = String::from_utf8_lossy(call.callee());
                let before = callee.strip_suffix(name.as_str()).unwrap_or_default().to_owned();
                let inside = owner_around(call.node);
                looked_up += usize::from(before.ends_with('.'));
                let variable = before.strip_suffix('.').filter(|_| looked_up < MOST_LOOKED_UP);
                let of = variable.and_then(|variable| type_of(variable, call.node));
                calls.entry(name).or_default().push(Use {
                    line: call.node.line(),
                    arguments,
                    names: names_of_arguments(&call),
                    before,
                    inside,
                    of,
                });
            }
        }
        let binds = |name: &&&str| {
            let has = |text: String| memchr::memmem::find(tree.text(), text.as_bytes()).is_some();
            let typed = matches!(language, Language::Kotlin | Language::Swift | Language::Scala);
            ["let ", "let mut ", "|", "const ", "var ", "val ", "(*"]
                .into_iter()
                .any(|word| has(format!("{word}{name}")))
                || (typed && has(format!("{name}:")))
        };
        let bound = calls.keys().map(String::as_str).filter(|name| binds(&name)).map(str::to_owned).collect();
        let mut imports = joined(tree.all(Notion::Import));
        imports.extend(taken_in(tree, language));
        Usage {
            path: path.clone(),
            language,
            file: None,
            bound,
            defined,
            calls,
            imports,
            imported: Vec::new(),
            references: references(tree, language, names),
        }
    }

    /// Where it names what is gone, or imports it from where it was.
    fn refers(&self, lost: &Lost<'_>) -> Option<Stale> {
        if lost.loss != Loss::Gone || !lost.container.is_empty() || has_more_names(lost) {
            return None;
        }
        let mut here = self.references.iter().filter(|one| one.name == lost.name);
        let found = here.find(|one| match &one.how {
            How::Named => self.is_home_of(lost) && self.means(lost),
            How::Imported { from } => {
                !self.is_home_of(lost) && is_home(lost, from) && !mentions(&self.imported, &lost.name)
            }
            How::Member { of } => is_home(lost, of) && mentions(&self.imports, of),
        })?;
        let how = match found.how {
            How::Imported { .. } => Still::Imports,
            How::Named | How::Member { .. } => Still::Names,
        };
        let (severity, confidence) = (Severity::High, Confidence::Medium);
        Some(Stale { path: self.path.clone(), line: found.line, how, severity, confidence })
    }

    fn is_home_of(&self, lost: &Lost<'_>) -> bool {
        self.file.is_some_and(|file| std::ptr::eq(file.change, lost.file.change))
    }

    /// Whether a file that the change leaves alone can mean it: it imports from there, or stands in the same folder where
    /// that is enough.
    fn knows_home(&self, lost: &Lost<'_>) -> bool {
        let imports = || home_words(lost).iter().any(|home| mentions(&self.imports, home));
        self.file.is_some() || self.is_beside(lost) || imports()
    }

    fn is_beside(&self, lost: &Lost<'_>) -> bool {
        are_together(self.language, &self.path, lost.file.change.path())
    }

    /// Whether it takes in the file that has or had it, as a whole.
    fn takes_in(&self, lost: &Lost<'_>) -> bool {
        matches!(self.language, Language::C | Language::Cpp | Language::Php | Language::Ruby)
            && takes_in(&self.imports, &self.path, lost.file.change.path())
    }

    /// A function of that name that is not the one that was lost.
    fn defines_another(&self, lost: &Lost<'_>) -> bool {
        // What a header declares, a file that takes it in defines.
        let of_c = matches!(self.language, Language::C | Language::Cpp);
        let is_home = self.is_home_of(lost) || (of_c && self.takes_in(lost));
        let itself = is_home && lost.loss != Loss::Gone;
        self.defined
            .iter()
            .any(|(name, container)| *name == lost.name && !(itself && *container == lost.container))
    }

    /// How bad it is, if it calls the lost function rather than one that happens to have its name.
    fn aim(&self, call: &Use, lost: &Lost<'_>) -> Option<Severity> {
        let path = call.before.trim_end_matches([':', '.', '?', '!']);
        let word = path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        if mentions(&self.imported, &lost.name) || !self.knows_home(lost) {
            return None;
        }
        if lost.container.is_empty() {
            let known = if call.before.is_empty() { self.means(lost) } else { is_home(lost, word) };
            return known.then_some(Severity::High);
        }
        let own = ["self", "Self", "this", "$this"].contains(&path) && call.inside == lost.owner();
        match call.before.as_str() {
            "" => None,
            // With its type in front, a method takes its receiver as an argument.
            before if before.ends_with("::") && lost.has_receiver => None,
            _ if word == lost.owner() || own || call.of.as_deref() == Some(lost.owner()) => {
                Some(Severity::High)
            }
            before if before.ends_with("::") => None,
            _ => (self.file.is_some() && lost.name.len() >= TELLING && !is_common(&lost.name))
                .then_some(Severity::Medium),
        }
    }

    /// Whether the bare name stands for it in this file.
    fn means(&self, lost: &Lost<'_>) -> bool {
        let imported = mentions(&self.imports, &lost.name);
        let known = match (self.is_home_of(lost), self.language) {
            (true, Language::Python) => !imported && !mentions_all(&self.imported),
            (true, _) => !imported,
            (false, Language::Rust) => {
                imported && home_words(lost).iter().any(|home| mentions(&self.imports, home))
            }
            (false, Language::Go) => true,
            (false, Language::Kotlin | Language::Swift | Language::Scala) if self.is_beside(lost) => true,
            (false, _) => self.file.is_some() || imported || self.takes_in(lost),
        };
        known && !self.bound.contains(&lost.name)
    }
}

/// `from a import *` may bring any name.
fn mentions_all(imports: &[u8]) -> bool {
    memchr::memmem::find(imports, b"import *").is_some()
}

/// Whether the file that lost it may make up names when it is asked for them, or newly takes all there are elsewhere.
fn has_more_names(lost: &Lost<'_>) -> bool {
    let text = lost.file.head().map(Source::text).unwrap_or_default();
    let has = |what: &[u8]| memchr::memmem::find(text, what).is_some();
    lost.file.added().any(|line| mentions_all(line.text))
        || has(b"def __getattr__")
        || has(b"globals()")
        || has(b"export *")
}

fn joined<'t>(imports: impl Iterator<Item = Node<'t>>) -> Vec<u8> {
    imports.flat_map(|import| [import.bytes(), b"\n"]).flatten().copied().collect()
}

/// The type around a call, as its definition or implementation names it.
fn owner_around(node: Node<'_>) -> String {
    let around = node.ancestors().find(|around| around.kind() == "impl_item" || around.is(Notion::Type));
    let name = around.and_then(|around| match around.kind() {
        "impl_item" => around.child("type"),
        _ => around.child("name"),
    });
    name.map(|name| name.text().split(['<', ' ']).next().unwrap_or_default().to_owned()).unwrap_or_default()
}

/// Methods that the types of every language's library have as well.
fn is_common(name: &str) -> bool {
    const COMMON: [&str; 24] = [
        "insert",
        "remove",
        "contains",
        "contains_key",
        "is_empty",
        "iter_mut",
        "into_iter",
        "to_string",
        "toString",
        "as_bytes",
        "as_str",
        "extend",
        "append",
        "unwrap",
        "expect",
        "default",
        "collect",
        "filter",
        "forEach",
        "replace",
        "starts_with",
        "ends_with",
        "to_owned",
        "as_slice",
    ];
    COMMON.contains(&name)
}

/// Whether a word names the module that the function was in: its file or its folder.
fn is_home(lost: &Lost<'_>, word: &str) -> bool {
    home_words(lost).iter().any(|home| home == word)
}

fn home_words(lost: &Lost<'_>) -> Vec<String> {
    let path = lost.file.change.path();
    let file = String::from_utf8_lossy(path.file_name()).into_owned();
    let folder = path.folders().last().map(|folder| String::from_utf8_lossy(folder).into_owned());
    file.split('.').next().map(str::to_owned).into_iter().chain(folder).collect()
}

fn names_of_arguments(call: &Call<'_>) -> Vec<String> {
    let named = call.arguments().filter(|argument| argument.kind() == "keyword_argument");
    named.filter_map(|argument| Some(argument.child("name")?.text().into_owned())).collect()
}

/// Absent where the call does not show how many arguments it gives.
fn counted(call: &Call<'_>) -> Option<u32> {
    const SPREAD: [&str; 6] = [
        "spread_element",
        "list_splat",
        "dictionary_splat",
        "splat_argument",
        "variadic_argument",
        "spread_expression",
    ];
    let trailing = call.node.child_of(&["annotated_lambda", "lambda_literal"]).is_some();
    let is_macro = call.node.kind() == "macro_invocation";
    let open = trailing || is_macro || call.argument_list().is_none();
    let starred = |text: &[u8]| text.starts_with(b"*") || text.ends_with(b"...");
    let spread = call.arguments().any(|argument| argument.is_kind(&SPREAD) || starred(argument.bytes()));
    (!open && !spread).then(|| u32::try_from(call.arguments().count()).unwrap_or(u32::MAX))
}
