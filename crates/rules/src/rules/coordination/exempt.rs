//! Checks that settings switch off for some files only: exceptions by path, modules of which nothing is told, paths that are
//! not looked at.

use std::collections::{HashMap, HashSet};

use super::beginnings::Beginnings;
use super::manifest::Manifest;
use crate::pattern::Pattern;

/// Where exceptions are usual: tests, what is generated or comes from elsewhere, and what is no part of the program.
static USUAL: Pattern = Pattern::new(
    r"(?i)(?:^|[^a-z])(?:tests?|testing|conftest|spec|specs|migrations?|alembic|docs?|examples?|scripts?|benchmarks?|generated|vendor|vendored|third_party|node_modules|dist|build|out|coverage|target|public|static|assets|storybook|fixtures?|mocks?|__mocks__|\.next|\.nuxt|\.cache|venv|\.venv)(?:[^a-z]|$)|_pb2|\.min\.|\.d\.ts|\.(?:md|json|ya?ml|lock|html|css|snap)\b|\.config\.",
);

/// `ignorePatterns: [` of the old form and `ignores: [` of the new one.
static IGNORED: Pattern = Pattern::new(r#"\b(?:ignorePatterns|ignores)["']?\s*:\s*\[([^\]]*)\]"#);

static QUOTED: Pattern = Pattern::new(r#"["'`]([^"'`\n]+)["'`]"#);

/// Whether checks are often not run for such files.
pub(super) fn is_usual_path(pattern: &str) -> bool {
    USUAL.regex().is_match(pattern.as_bytes())
}

/// Something that is not looked for, or not looked at, in some files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exception {
    pattern: String,
    /// Empty where all checks are meant.
    code: String,
    line: u32,
}

/// The first line of the new settings of Python's linters with an exception that the old ones do not have.
pub(super) fn more_by_path(base: &Manifest, head: &Manifest) -> Option<u32> {
    let old = by_path(base);
    let mut by_code: HashMap<&str, Vec<&str>> = HashMap::new();
    for one in &old {
        by_code.entry(one.code.as_str()).or_default().push(&one.pattern);
    }
    let known: HashMap<&str, Paths<'_>> =
        by_code.into_iter().map(|(code, patterns)| (code, Paths::of(patterns.into_iter()))).collect();
    let everywhere = base
        .entries()
        .filter(|(key, _)| matches!(key.rsplit('.').next(), Some("ignore" | "extend-ignore")))
        .flat_map(|(_, entry)| entry.words());
    let everywhere = Beginnings::of(everywhere);
    let is_known = |one: &Exception| {
        // A family of checks is named by the letters that its members begin with.
        let families = (1..=one.code.len()).filter_map(|end| known.get(one.code.get(..end)?));
        everywhere.begin(&one.code) || families.into_iter().any(|paths| paths.cover(&one.pattern))
    };
    let new = by_path(head).into_iter().filter(|one| !is_usual(one) && !is_known(one));
    new.map(|one| one.line).min()
}

/// Patterns of paths that were left out before.
struct Paths<'p> {
    whole: HashSet<&'p str>,
    /// What stands before the first star of those that have one.
    before_stars: Beginnings<'p>,
}

impl<'p> Paths<'p> {
    fn of(patterns: impl Iterator<Item = &'p str> + Clone) -> Self {
        let open = patterns.clone().filter_map(|pattern| Some(pattern.split_once('*')?.0));
        Paths { before_stars: Beginnings::of(open), whole: patterns.collect() }
    }

    /// Whether they reach what a new pattern does, as far as what stands before their stars tells.
    fn cover(&self, pattern: &str) -> bool {
        self.whole.contains(pattern) || self.before_stars.begin(pattern)
    }
}

/// `"src/*.py" = ["E501"]` of a table, `{"src/*.py" = ["E501"]}`, and the `src/*.py:E501` of flake8.
fn by_path(settings: &Manifest) -> Vec<Exception> {
    let mut found = Vec::new();
    for (key, entry) in settings.entries() {
        let Some((_, pattern)) = key.split_once("per-file-ignores") else { continue };
        let mut add = |pattern: &str, code: &str| {
            if is_code(code) {
                let pattern = pattern.trim().trim_matches(['"', '\'']).to_owned();
                found.push(Exception { pattern, code: code.to_owned(), line: entry.line });
            }
        };
        let pattern = pattern.trim_start_matches('.');
        if !pattern.is_empty() {
            entry.words().into_iter().for_each(|code| add(pattern, code));
        } else if let Some(inside) = entry.value.strip_prefix('{') {
            for one in inside.split(']') {
                let Some((pattern, codes)) = one.trim_start_matches(',').split_once('=') else { continue };
                let codes = codes.trim().trim_start_matches('[').split(',');
                codes.for_each(|code| add(pattern, code.trim().trim_matches(['"', '\''])));
            }
        } else {
            let mut pattern = "";
            for word in entry.value.split(|c: char| c == ',' || c.is_whitespace()) {
                let code = match word.rsplit_once(':') {
                    Some((files, code)) => {
                        pattern = files;
                        code
                    }
                    None => word,
                };
                add(pattern, code);
            }
        }
    }
    found
}

/// No linter has a check with a longer code.
const LONGEST_CODE: usize = 16;

/// `E501`, `ALL`, `PLR`.
fn is_code(word: &str) -> bool {
    (1..=LONGEST_CODE).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn is_usual(one: &Exception) -> bool {
    // What a package offers, it imports without using it.
    const OFFERED: [&str; 6] = ["F401", "F403", "F405", "E402", "I001", "D104"];
    USUAL.regex().is_match(one.pattern.as_bytes())
        || one.pattern.ends_with("__init__.py") && OFFERED.contains(&one.code.as_str())
}

/// The line of the new settings where mypy is told to say nothing of a module that it looked at before.
pub(super) fn more_modules(base: &str, head: &str) -> Option<u32> {
    let old = unchecked(base);
    let known = Paths::of(old.iter().map(|one| one.pattern.as_str()));
    let is_new =
        |one: &Exception| !USUAL.regex().is_match(one.pattern.as_bytes()) && !known.cover(&one.pattern);
    unchecked(head).into_iter().filter(is_new).map(|one| one.line).min()
}

/// The modules of each `[[tool.mypy.overrides]]` that says `ignore_errors = true`.
fn unchecked(text: &str) -> Vec<Exception> {
    let mut found = Vec::new();
    let mut tables: Vec<(u32, String)> = Vec::new();
    let mut is_inside = false;
    for (line, number) in text.lines().zip(1_u32..) {
        if line.starts_with('[') {
            is_inside = line.trim_end().starts_with("[[tool.mypy.overrides]]");
            if is_inside {
                tables.push((number, String::new()));
            }
        } else if let Some((_, table)) = tables.last_mut().filter(|_| is_inside) {
            table.push_str(line);
            table.push('\n');
        }
    }
    for (first, table) in tables {
        let table = Manifest::read(&table);
        if table.says("ignore_errors", "true") {
            let line = first + table.get("ignore_errors").map_or(0, |entry| entry.line);
            let modules = table.words("module").into_iter();
            found.extend(modules.map(|module| Exception {
                pattern: module.to_owned(),
                code: String::new(),
                line,
            }));
        }
    }
    found
}

/// The line of the new settings of ESLint with a path that it looked at before.
pub(super) fn more_paths(base: &str, head: &str) -> Option<u32> {
    let known: HashSet<String> = ignored(base).into_iter().map(|one| one.pattern).collect();
    let new = ignored(head).into_iter().filter(|one| !known.contains(&one.pattern));
    new.filter(|one| !USUAL.regex().is_match(one.pattern.as_bytes())).map(|one| one.line).min()
}

fn ignored(text: &str) -> Vec<Exception> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut counted = (0, 1_u32);
    for listed in IGNORED.regex().captures_iter(bytes).filter_map(|list| list.get(1)) {
        for path in QUOTED.regex().captures_iter(listed.as_bytes()).filter_map(|path| path.get(1)) {
            let at = listed.start() + path.start();
            let passed = memchr::memchr_iter(b'\n', &bytes[counted.0..at]).count();
            counted = (at, counted.1 + u32::try_from(passed).unwrap_or_default());
            let pattern = String::from_utf8_lossy(path.as_bytes()).into_owned();
            // With a `!` it is looked at again.
            if !pattern.starts_with('!') {
                found.push(Exception { pattern, code: String::new(), line: counted.1 });
            }
        }
    }
    found
}

/// The same for `.eslintignore`, a path in each line.
pub(super) fn more_lines(base: &str, head: &str) -> Option<u32> {
    let known: HashSet<&str> = base.lines().map(str::trim).collect();
    let mut new = head.lines().map(str::trim).zip(1_u32..).filter(|(line, _)| {
        let is_path = !line.is_empty() && !line.starts_with(['#', '!']);
        is_path && !known.contains(line) && !USUAL.regex().is_match(line.as_bytes())
    });
    new.next().map(|(_, line)| line)
}
