//! Files of tests that got a name by which no runner finds them.

use std::collections::HashSet;

use domain::change::{RepoPath, Side, Status};
use domain::words::Severity;

use super::super::words::words;
use super::collected::{is_found, is_put_away};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::source::Source;
use crate::syntax;

pub(super) fn check(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    let moved = |file: &&FileContext<'_>| matches!(file.change.status, Status::Renamed(_));
    let mut mentions: Option<Mentions> = None;
    for file in change.files.iter().filter(moved) {
        let (Some(old), Some(new)) = (&file.change.old, &file.change.new) else { continue };
        let Some(loss) = loss(&old.path, &new.path) else { continue };
        let count = tests_in(file, &old.path);
        if count == 0 || mentions.get_or_insert_with(|| Mentions::of(change)).name(&new.path) {
            continue;
        }
        let tests = if count == 1 { "test" } else { "tests" };
        let message = match loss {
            Loss::Name => format!("Under its new name no runner looks for the {count} {tests} in this file"),
            Loss::Folder => {
                format!("The {count} {tests} of this file were put away, where hardly anybody runs them")
            }
        };
        let draft = Draft::file(message);
        let sure = loss == Loss::Name && !is_found_otherwise(change, Language::of(&old.path), &new.path);
        report.add_in(file.change, if sure { draft } else { draft.severity(Severity::Medium) });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Name,
    Folder,
}

/// What keeps a runner from a file that it found before.
fn loss(old: &RepoPath, new: &RepoPath) -> Option<Loss> {
    let (was, now) = (Language::of(old), Language::of(new));
    if !was.is_program() || !is_found(old, was) {
        return None;
    }
    if !now.is_program() || !is_found(new, now) {
        return Some(Loss::Name);
    }
    (is_put_away(new) && !is_put_away(old)).then_some(Loss::Folder)
}

/// The tests in a file that moved, read as what it was: its new name may say nothing of the language.
fn tests_in(file: &FileContext<'_>, old: &RepoPath) -> usize {
    let language = Language::of(old);
    let (Some(head), Some(table)) = (file.head(), syntax::table(language, old)) else { return 0 };
    let source = Source::new(bytes::Bytes::copy_from_slice(head.text()), language);
    source.tree(table, || None).map(syntax::tests).unwrap_or_default().len()
}

/// Where a project says by itself which files hold tests, and in which words.
const SETTINGS: [(&[Language], &[&str], &[&str]); 5] = [
    (
        &[Language::Python],
        &["pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"],
        &["python_files", "unittest discover"],
    ),
    (
        &[Language::JavaScript, Language::TypeScript],
        &[
            "package.json",
            "jest.config.js",
            "jest.config.ts",
            "jest.config.mjs",
            "jest.config.cjs",
            "vitest.config.ts",
            "vitest.config.js",
            "vitest.config.mts",
            "vite.config.ts",
            "vite.config.js",
            ".mocharc.json",
            ".mocharc.yml",
            ".mocharc.js",
            "playwright.config.ts",
            "ava.config.js",
        ],
        &["testMatch", "testRegex", "include:", "spec", "\"files\"", "files:", "mocha ", "--test "],
    ),
    (&[Language::Ruby], &[".rspec", "Rakefile"], &["pattern", "Pattern"]),
    (&[Language::Php], &["phpunit.xml", "phpunit.xml.dist"], &["suffix="]),
    // Only Maven goes by the names of files.
    (&[Language::Java], &["build.gradle", "build.gradle.kts"], &["plugins", "apply"]),
];

/// Whether the project may find tests in another way than runners do if nobody tells them.
fn is_found_otherwise(change: &ChangeContext<'_>, language: Language, new: &RepoPath) -> bool {
    // Nobody compiles or reads what has not the language's ending.
    if !Language::of(new).is_program() {
        return false;
    }
    let mut settings = SETTINGS.iter().filter(|(languages, ..)| languages.contains(&language));
    settings.any(|(_, files, words)| {
        files.iter().any(|file| {
            let text = change.request.sources.read_path(&RepoPath::from(*file), Side::New).ok().flatten();
            text.is_some_and(|text| {
                words.iter().any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
            })
        })
    })
}

/// The words of the lines that a change adds: what brings a file in by its name says so there.
#[derive(Debug)]
pub(super) struct Mentions(HashSet<Vec<u8>>);

impl Mentions {
    pub(super) fn of(change: &ChangeContext<'_>) -> Self {
        let added = change.files.iter().filter(|file| file.skipped.is_none());
        let added = added.flat_map(|file| file.change.added());
        Mentions(added.flat_map(|(_, text)| words(text)).map(<[u8]>::to_vec).collect())
    }

    /// Whether somebody names a file by what stands before its ending.
    pub(super) fn name(&self, path: &RepoPath) -> bool {
        let name = path.file_name();
        let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
        self.0.contains(stem)
    }
}
