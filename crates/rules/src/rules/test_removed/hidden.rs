//! Tests of JUnit that the change makes invisible to whoever runs them: a private method, or a class that nobody can make.

use std::collections::{HashMap, HashSet};

use domain::change::{RepoPath, Side};
use domain::words::Severity;

use super::super::assertion::words;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::source::Source;
use crate::syntax::{Function, Node, Notion, Tree, functions};

const LANGUAGES: [Language; 2] = [Language::Java, Language::Kotlin];

/// Among so many files of the repository those of the JVM are looked for, and in so many of those what derives from a class.
const MOST_LISTED: usize = 5_000;
const MOST_READ: usize = 300;

/// Asks a file for the trees that [`check`] will want of it.
pub(super) fn prepare(file: &FileContext<'_>) {
    if may_hide_tests(file) {
        file.tree();
        file.base_tree();
    }
}

pub(super) fn check(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    for file in change.files.iter().filter(|file| may_hide_tests(file)) {
        let (Some(base), Some(now), Some(head)) = (file.base_tree(), file.tree(), file.head()) else {
            continue;
        };
        let (was, is) = (tests(base), tests(now));
        for test in private_now(&was, &is, head) {
            let message = format!("The test `{}` is private now, and nobody runs a private one", test.name);
            report.add_in(file.change, Draft::lines(head, test.name_line(), test.name_line(), message));
        }
        let mut classes: Vec<(&str, Node<'_>)> = abstract_now(base, now, &was, &is);
        classes.sort_by_key(|(_, class)| class.line());
        for (name, class) in classes {
            check_class(change, file, (name, class), head, report);
        }
    }
}

/// The tests that became private, without those that something else in the file names: that may call them.
fn private_now<'i, 't>(
    was: &HashMap<String, Function<'_>>,
    is: &'i HashMap<String, Function<'t>>,
    head: &Source,
) -> Vec<&'i Function<'t>> {
    let mut hidden: Vec<&Function<'_>> = is
        .iter()
        .filter(|(_, test)| has_word(test.node, b"private"))
        .filter(|(path, _)| was.get(*path).is_some_and(|before| !has_word(before.node, b"private")))
        .map(|(_, test)| test)
        .collect();
    if hidden.is_empty() {
        return hidden;
    }
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for word in words(head.code()) {
        *counts.entry(word).or_default() += 1;
    }
    hidden.retain(|test| counts.get(test.name.as_bytes()).is_none_or(|count| *count == 1));
    hidden.sort_by_key(|test| test.name_line());
    hidden
}

fn may_hide_tests(file: &FileContext<'_>) -> bool {
    const WORDS: [&[u8]; 2] = [b"private", b"abstract"];
    let holds = |text: &[u8]| WORDS.iter().any(|word| memchr::memmem::find(text, word).is_some());
    LANGUAGES.contains(&file.language)
        && file.is_test_file()
        && file.skipped.is_none()
        && file.change.old.is_some()
        && file.change.added().any(|(_, text)| holds(text))
}

/// The tests of a file by their paths, without those whose marker is not known to be one of JUnit or TestNG.
fn tests(tree: &Tree) -> HashMap<String, Function<'_>> {
    const MARKERS: [&[u8]; 5] =
        [b"@Test", b"@ParameterizedTest", b"@RepeatedTest", b"@TestFactory", b"@TestTemplate"];
    let is_marked = |function: &Function<'_>| {
        let modifiers = function.node.child_of(&["modifiers"]);
        let marks = modifiers.into_iter().flat_map(|words| words.named_children());
        marks
            .map(|mark| mark.bytes().split(|byte| *byte == b'(').next().unwrap_or_default().trim_ascii())
            .any(|mark| {
                let plain = mark.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
                MARKERS.contains(&mark)
                    || MARKERS.iter().any(|marker| mark.len() > plain.len() && &marker[1..] == plain)
            })
    };
    let all = functions(tree).into_iter().filter(|one| one.is_test && is_marked(one));
    all.map(|one| (one.path(), one)).collect()
}

/// Whether a word stands in front of a definition.
fn has_word(definition: Node<'_>, word: &[u8]) -> bool {
    let modifiers = definition.child_of(&["modifiers"]);
    modifiers.is_some_and(|words| words.children().any(|one| one.bytes() == word))
}

/// The classes that could be made before and cannot be now, with tests that they had before.
fn abstract_now<'t>(
    base: &Tree,
    now: &'t Tree,
    was: &HashMap<String, Function<'_>>,
    is: &HashMap<String, Function<'_>>,
) -> Vec<(&'t str, Node<'t>)> {
    let could_be_made: HashSet<&[u8]> = classes(base)
        .filter(|class| !has_word(*class, b"abstract"))
        .filter_map(|class| Some(class.child("name")?.bytes()))
        .collect();
    let holds_tests = |class: Node<'_>| {
        let mut inside = is.iter().filter(|(_, test)| class.contains(test.node));
        inside.any(|(path, _)| was.contains_key(path))
    };
    classes(now)
        .filter(|class| has_word(*class, b"abstract"))
        .filter_map(|class| Some((class.child("name")?.bytes(), class)))
        .filter(|(name, _)| could_be_made.contains(name))
        .take(MOST_CLASSES)
        .filter(|(_, class)| holds_tests(*class))
        .filter_map(|(name, class)| Some((std::str::from_utf8(name).ok()?, class)))
        .collect()
}

/// More of one file are not looked at.
const MOST_CLASSES: usize = 20;

fn classes(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    tree.all(Notion::Type).filter(|node| node.kind() == "class_declaration")
}

/// Tests of a class that is derived from are run by what derives. Where not all files were seen, that may be one of them.
fn check_class(
    change: &ChangeContext<'_>,
    file: &FileContext<'_>,
    (name, class): (&str, Node<'_>),
    head: &Source,
    report: &mut Reporter<'_>,
) {
    if change.files.iter().filter_map(FileContext::head).any(|source| derives(source, name)) {
        return;
    }
    let Some(seen) = look(change, file, name) else { return };
    let message =
        format!("`{name}` is abstract now, nothing here derives from it, and its tests are not run");
    let line = class.child("name").unwrap_or(class).line();
    let draft = Draft::lines(head, line, line, message);
    report.add_in(
        file.change,
        match seen {
            Seen::All => draft,
            Seen::Some => draft.severity(Severity::Medium),
        },
    );
}

/// How much of the repository was looked at.
enum Seen {
    All,
    Some,
}

/// Looks for what derives from a class in the files that the change leaves alone, nearest first; `None` where there is any.
fn look(change: &ChangeContext<'_>, file: &FileContext<'_>, name: &str) -> Option<Seen> {
    let sources = change.request.sources;
    let Ok(listed) = sources.list_base_below(&RepoPath::from(""), MOST_LISTED) else {
        return Some(Seen::Some);
    };
    let complete = listed.len() < MOST_LISTED;
    let own = file.change.path().as_bytes();
    let touched: HashSet<&RepoPath> = change.files.iter().map(|file| file.change.path()).collect();
    let mut near: Vec<RepoPath> = listed
        .into_iter()
        .filter(|path| {
            let of_jvm = LANGUAGES.contains(&Language::of(path)) || path.extension() == "groovy";
            of_jvm && !touched.contains(path)
        })
        .collect();
    near.sort_by_key(|path| {
        let shared = path.as_bytes().iter().zip(own).take_while(|(one, other)| one == other).count();
        std::cmp::Reverse(shared)
    });
    let complete = complete && near.len() <= MOST_READ;
    for path in near.iter().take(MOST_READ) {
        let text = sources.read_path(path, Side::Old).ok().flatten().unwrap_or_default();
        let is_named = memchr::memmem::find(&text, name.as_bytes()).is_some();
        if is_named && derives(&Source::new(text, Language::of(path)), name) {
            return None;
        }
    }
    Some(if complete { Seen::All } else { Seen::Some })
}

/// Whether a class stands behind `extends` in Java or behind a colon in Kotlin, perhaps with something in between.
fn derives(source: &Source, name: &str) -> bool {
    let code = source.code();
    memchr::memmem::find_iter(code, name.as_bytes()).any(|at| {
        let before = code[..at].trim_ascii_end();
        let next = code.get(at + name.len());
        let is_over = !next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |feed| &before[feed..]);
        let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
        let in_heading = has(b"extends") || (line.contains(&b':') && (has(b"class ") || has(b"object ")));
        is_over
            && (in_heading
                || before.ends_with(b"extends")
                || before.ends_with(b":")
                || before.ends_with(b"."))
    })
}
