//! What a file does with the names of functions that a change took away.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use aho_corasick::AhoCorasick;
use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::Severity;

use super::arguments::{counted, in_macros, names_of_arguments};
use super::callers::{Stale, Still};
use super::lost::{Loss, Lost};
use super::mentions;
use super::modules::{Binding, bindings, leads_to};
use super::near::{are_together, taken_in, takes_in, type_of};
use super::references::{How, Reference, references};
use super::types::Types;
use crate::context::FileContext;
use crate::language::Language;
use crate::neighbours::Neighbour;
use crate::source::Source;
use crate::syntax::{Node, Notion, Tree, functions};

#[derive(Debug)]
pub(super) struct Usage<'f> {
    pub(super) path: RepoPath,
    pub(super) language: Language,
    /// Absent for a file that the change leaves alone.
    file: Option<&'f FileContext<'f>>,
    /// Names that are given to something else in it.
    bound: HashSet<String>,
    /// The containers that define a name.
    pub(super) defined: HashMap<String, Vec<String>>,
    calls: HashMap<String, Vec<Use>>,
    /// The text of all imports.
    pub(super) imports: Vec<u8>,
    /// The text of those that the change touched.
    imported: Vec<u8>,
    /// Where a name is used without being called.
    pub(super) references: HashMap<String, Vec<Reference>>,
    /// Where its names come from, in Python.
    pub(super) bindings: Vec<Binding>,
    pub(super) types: Types,
}

#[derive(Debug)]
pub(super) struct Use {
    pub(super) line: u32,
    pub(super) arguments: u32,
    /// Of the arguments that have one.
    pub(super) names: Vec<String>,
    /// What stands in front of the name.
    pub(super) before: String,
    /// The type whose code calls.
    inside: String,
    /// The type of the variable in front of the name, where the function around the call says it.
    of: Option<String>,
}

/// Of more calls in one file the type of what they are called on is not looked for.
const MOST_LOOKED_UP: usize = 200;

/// Of more calls of one name in one file, those behind them go on as they do: thousands of types may lose a method of that
/// name.
const MOST_CALLS: usize = 500;

/// A method is known by its name alone; a shorter one than this may be anybody's.
const TELLING: usize = 6;

impl<'f> Usage<'f> {
    pub(super) fn of(file: &'f FileContext<'f>, names: &HashSet<&str>, search: &AhoCorasick) -> Option<Self> {
        // Where the names stand in definitions alone, no body that nobody touched calls one.
        let text = file.head()?.text();
        let is_use = |at: Range<usize>| is_use(text, at);
        let uses = search.find_overlapping_iter(text).any(|hit| is_use(hit.range()));
        let tree = if uses { file.tree()? } else { file.touched_tree()? };
        let usage = Usage::read(tree, file.change.path(), file.language, names);
        let imports = tree.all(Notion::Import).filter(|import| file.touched(*import));
        Some(Usage { imported: joined(imports), file: Some(file), ..usage })
    }

    pub(super) fn around(one: Neighbour, language: Language, names: &HashSet<&str>) -> Option<Self> {
        Some(Usage::read(one.tree()?, &one.path, language, names))
    }

    fn read(tree: &Tree, path: &RepoPath, language: Language, names: &HashSet<&str>) -> Self {
        let mut defined: HashMap<String, Vec<String>> = HashMap::new();
        for function in functions(tree).into_iter().filter(|one| names.contains(one.name.as_str())) {
            defined.entry(function.name).or_default().push(function.container.to_owned());
        }
        let mut named: HashMap<String, Vec<Reference>> = HashMap::new();
        for one in references(tree, language, names) {
            named.entry(one.name.clone()).or_default().push(one);
        }
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
        if language == Language::Rust {
            for call in in_macros(tree, |name| names.contains(name)) {
                let (line, arguments, before) = (call.line, call.arguments, call.before);
                let (names, inside, of) = (Vec::new(), String::new(), None);
                let one = Use { line, arguments, names, before, inside, of };
                calls.entry(call.name).or_default().push(one);
            }
        }
        let bound = bound(tree.text(), language, calls.keys().map(String::as_str).collect());
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
            references: named,
            bindings: bindings(tree, path),
            types: Types::read(tree, language, names),
        }
    }

    /// The lost names that it has anything to do with.
    pub(super) fn names(&self) -> HashSet<&str> {
        let used = self.calls.keys().chain(self.defined.keys()).chain(self.references.keys());
        used.chain(self.types.uses.keys()).chain(&self.types.defined).map(String::as_str).collect()
    }

    /// Where it names what is gone, or imports it from where it was.
    pub(super) fn refers(&self, lost: &Lost<'_>) -> Option<Stale> {
        if lost.loss != Loss::Gone || !lost.container.is_empty() {
            return None;
        }
        let mut here = self.references.get(&lost.name)?.iter();
        let home = lost.file.change.path();
        let only_imports = !lost.is_function();
        let found = here.find(|one| match &one.how {
            How::Named => !only_imports && self.is_home_of(lost) && self.means(lost),
            How::Imported { from } => {
                let leads = match self.language {
                    Language::Python => self.bindings.iter().any(|one| one.brings(&lost.name, home)),
                    _ => leads_to(from, &self.path, home),
                };
                !self.is_home_of(lost) && leads && !mentions(&self.imported, &lost.name)
            }
            How::Member { of } => !only_imports && self.bindings.iter().any(|one| one.stands_for(of, home)),
        })?;
        let how = match found.how {
            How::Imported { .. } => Still::Imports,
            How::Named | How::Member { .. } => Still::Names,
        };
        let (severity, confidence) = (Severity::High, Confidence::Medium);
        Some(Stale { path: self.path.clone(), line: found.line, how, severity, confidence })
    }

    pub(super) fn is_home_of(&self, lost: &Lost<'_>) -> bool {
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
    pub(super) fn takes_in(&self, lost: &Lost<'_>) -> bool {
        matches!(self.language, Language::C | Language::Cpp | Language::Php | Language::Ruby)
            && takes_in(&self.imports, &self.path, lost.file.change.path())
    }

    /// A function of that name that is not the one that was lost.
    pub(super) fn defines_another(&self, lost: &Lost<'_>) -> bool {
        let Some(containers) = self.defined.get(&lost.name) else { return false };
        // What a header declares, a file that takes it in defines.
        let of_c = matches!(self.language, Language::C | Language::Cpp);
        let is_home = self.is_home_of(lost) || (of_c && self.takes_in(lost));
        let itself = is_home && lost.loss != Loss::Gone;
        containers.iter().any(|container| !(itself && *container == lost.container))
    }

    /// The calls of the lost function, rather than of one that happens to have its name, each with how bad it is.
    pub(super) fn aimed_at(&self, lost: &Lost<'_>) -> impl Iterator<Item = (&Use, Severity)> {
        let calls = self.calls.get(&lost.name).map(Vec::as_slice).unwrap_or_default();
        let is_meant = !calls.is_empty() && !mentions(&self.imported, &lost.name);
        let is_known = is_meant && self.knows_home(lost);
        let by_name = is_known && self.means(lost);
        let calls = calls
            .iter()
            .take(MOST_CALLS)
            .filter(move |call| is_known || is_meant && is_whole_path(&call.before));
        calls.filter_map(move |call| Some((call, self.aim(call, lost, by_name)?)))
    }

    /// The calls of a function by the name of a type: `Auth::login(a)` of C++ and PHP.
    pub(super) fn calls_of_type(&self, lost: &Lost<'_>) -> impl Iterator<Item = &Use> {
        let calls = self.calls.get(&lost.name).map(Vec::as_slice).unwrap_or_default();
        calls.iter().filter(|call| call.before.ends_with("::"))
    }

    /// Another function of that name in a type of that name.
    pub(super) fn has_another_in_type(&self, lost: &Lost<'_>) -> bool {
        let containers = self.defined.get(&lost.name).map(Vec::as_slice).unwrap_or_default();
        let same = |container: &String| container.rsplit('.').next() == Some(lost.owner());
        let of_c = self.language == Language::Cpp && self.takes_in(lost);
        !self.is_home_of(lost) && !of_c && containers.iter().any(same)
    }

    /// How bad it is. `by_name` says whether the bare name stands for what is lost.
    fn aim(&self, call: &Use, lost: &Lost<'_>, by_name: bool) -> Option<Severity> {
        let path = call.before.trim_end_matches([':', '.', '?', '!']);
        let word = path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        if lost.container.is_empty() {
            let home = lost.file.change.path();
            let known = match self.language {
                _ if call.before.is_empty() => by_name,
                Language::Rust if is_of_std(&call.before) => false,
                Language::Python if self.bindings.iter().any(|one| one.is_called(word)) => {
                    self.bindings.iter().any(|one| one.stands_for(word, home))
                }
                Language::Python if self.file.is_none() => false,
                _ => is_home(lost, word),
            };
            return known.then_some(Severity::High);
        }
        let own = ["self", "Self", "this", "$this", "static"].contains(&path) && call.inside == lost.owner();
        match call.before.as_str() {
            "" => None,
            // Told by way of the type, unless it is its own.
            before if before.ends_with("::") && matches!(self.language, Language::Cpp | Language::Php) => {
                own.then_some(Severity::High)
            }
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

    /// Whether a file of Python has the name from where it was lost. In a file that the change touches it may be about
    /// to have it.
    fn is_brought(&self, lost: &Lost<'_>) -> bool {
        let home = lost.file.change.path();
        let is_bound = self.bindings.iter().any(|one| one.is_called(&lost.name));
        let brings = |one: &Binding| {
            one.brings(&lost.name, home) && (one.is_called(&lost.name) || one.is_everything())
        };
        self.bindings.iter().any(brings) || (self.file.is_some() && !is_bound)
    }

    /// Whether the bare name stands for it in this file.
    fn means(&self, lost: &Lost<'_>) -> bool {
        let imported = mentions(&self.imports, &lost.name);
        let known = match (self.is_home_of(lost), self.language) {
            (true, Language::Python) => !imported && !mentions_all(&self.imported),
            (true, _) => !imported,
            (false, Language::Rust) => {
                imported
                    && !is_taken_from_std(&self.imports, &lost.name)
                    && home_words(lost).iter().any(|home| mentions(&self.imports, home))
            }
            (false, Language::Python) => self.is_brought(lost),
            (false, Language::Go) => true,
            (false, Language::Kotlin | Language::Swift | Language::Scala) if self.is_beside(lost) => true,
            (false, _) => self.file.is_some() || imported || self.takes_in(lost),
        };
        known && !self.bound.contains(&lost.name)
    }
}

/// Whether the library of the language is where all imports of a name lead to.
fn is_taken_from_std(imports: &[u8], name: &str) -> bool {
    let statements = imports.split(|byte| *byte == b';').filter(|statement| mentions(statement, name));
    let paths = statements.filter_map(|statement| {
        let at = memchr::memmem::find(statement, b"use ")?;
        std::str::from_utf8(&statement[at + "use ".len()..]).ok()
    });
    let mut paths = paths.map(|path| is_of_std(path.trim_start().trim_start_matches("::"))).peekable();
    paths.peek().is_some() && paths.all(|of_std| of_std)
}

fn is_of_std(before: &str) -> bool {
    ["std::", "core::", "alloc::"].iter().any(|root| before.starts_with(root))
}

/// `crate::auth::login()` needs no import.
fn is_whole_path(before: &str) -> bool {
    before.starts_with("crate::") || before.starts_with("super::")
}

/// `from a import *` may bring any name.
fn mentions_all(imports: &[u8]) -> bool {
    memchr::memmem::find(imports, b"import *").is_some()
}

/// Those of the names that are given to something else in a file: `let name`, `|name|`, `(*name`.
fn bound(text: &[u8], language: Language, names: Vec<&str>) -> HashSet<String> {
    const BINDING: [&[u8]; 7] = [b"let ", b"let mut ", b"|", b"const ", b"var ", b"val ", b"(*"];
    let typed = matches!(language, Language::Kotlin | Language::Swift | Language::Scala);
    let Ok(search) = AhoCorasick::new(&names) else { return HashSet::new() };
    let hits = search.find_overlapping_iter(text).filter(|_| !names.is_empty());
    let binding = hits.filter(|hit| {
        let before = &text[..hit.start()];
        BINDING.iter().any(|word| before.ends_with(word)) || (typed && text.get(hit.end()) == Some(&b':'))
    });
    binding.filter_map(|hit| names.get(hit.pattern().as_usize())).map(|name| (*name).to_owned()).collect()
}

/// Whether a file may make up names when it is asked for them, or newly takes all there are elsewhere.
pub(super) fn has_more_names(file: &FileContext<'_>) -> bool {
    let text = file.head().map(Source::text).unwrap_or_default();
    let has = |what: &[u8]| memchr::memmem::find(text, what).is_some();
    file.added().any(|line| mentions_all(line.text))
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

/// Whether what stands there is a whole name, and not the one that a definition gives.
pub(super) fn is_use(text: &[u8], name: Range<usize>) -> bool {
    const DEFINING: [&[u8]; 5] = [b"fn", b"def", b"func", b"function", b"fun"];
    let joined = name.start.checked_sub(1).and_then(|before| text.get(before)).is_some_and(is_word);
    let goes_on = text.get(name.end).is_some_and(is_word);
    !joined && !goes_on && !DEFINING.contains(&word_before(text, name.start))
}

pub(super) fn word_before(text: &[u8], at: usize) -> &[u8] {
    let before = text[..at].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |end| end + 1);
    &before[word..]
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}
