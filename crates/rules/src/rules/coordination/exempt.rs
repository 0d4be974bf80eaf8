//! Checks that settings switch off for some files only: exceptions by path, modules of which nothing is told, paths that are
//! not looked at.

use std::collections::HashSet;

use super::manifest::Manifest;
use crate::pattern::Pattern;

/// Settings with more exceptions are not read by hand either.
const MOST: usize = 400;

/// Where exceptions are usual: tests, what is generated or comes from elsewhere, and what is no part of the program.
static USUAL: Pattern = Pattern::new(
    r"(?i)(?:^|[^a-z])(?:tests?|testing|conftest|spec|specs|migrations?|alembic|docs?|examples?|scripts?|benchmarks?|generated|vendor|vendored|third_party|node_modules|dist|build|out|coverage|target|public|static|assets|storybook|fixtures?|mocks?|__mocks__|\.next|\.nuxt|\.cache|venv|\.venv)(?:[^a-z]|$)|_pb2|\.min\.|\.d\.ts|\.(?:md|json|ya?ml|lock|html|css|snap)\b|\.config\.",
);

/// `ignorePatterns: [` of the old form and `ignores: [` of the new one.
static IGNORED: Pattern = Pattern::new(r#"\b(?:ignorePatterns|ignores)["']?\s*:\s*\[([^\]]*)\]"#);

static QUOTED: Pattern = Pattern::new(r#"["'`]([^"'`\n]+)["'`]"#);

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
    let known = by_path(base);
    let everywhere: Vec<&str> = base
        .entries()
        .filter(|(key, _)| matches!(key.rsplit('.').next(), Some("ignore" | "extend-ignore")))
        .flat_map(|(_, entry)| entry.words())
        .take(MOST)
        .collect();
    let is_known = |one: &Exception| {
        everywhere.iter().any(|code| one.code.starts_with(code))
            || known.iter().any(|old| one.code.starts_with(&old.code) && covers(&old.pattern, &one.pattern))
    };
    let new = by_path(head).into_iter().filter(|one| !is_usual(one) && !is_known(one));
    new.map(|one| one.line).min()
}

/// `"src/*.py" = ["E501"]` of a table, `{"src/*.py" = ["E501"]}`, and the `src/*.py:E501` of flake8.
fn by_path(settings: &Manifest) -> Vec<Exception> {
    let mut found = Vec::new();
    for (key, entry) in settings.entries() {
        let Some((_, pattern)) = key.split_once("per-file-ignores") else { continue };
        let mut add = |pattern: &str, code: &str| {
            if found.len() < MOST && is_code(code) {
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

/// `E501`, `ALL`, `PLR`.
fn is_code(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn is_usual(one: &Exception) -> bool {
    // What a package offers, it imports without using it.
    const OFFERED: [&str; 6] = ["F401", "F403", "F405", "E402", "I001", "D104"];
    USUAL.regex().is_match(one.pattern.as_bytes())
        || one.pattern.ends_with("__init__.py") && OFFERED.contains(&one.code.as_str())
}

/// Whether the old pattern reaches what the new one does, as far as what stands before their stars tells.
fn covers(old: &str, new: &str) -> bool {
    old == new || old.split_once('*').is_some_and(|(before, _)| new.starts_with(before))
}

/// The line of the new settings where mypy is told to say nothing of a module that it looked at before.
pub(super) fn more_modules(base: &str, head: &str) -> Option<u32> {
    let known: HashSet<String> = unchecked(base).into_iter().take(MOST).map(|one| one.pattern).collect();
    let is_known =
        |one: &Exception| known.contains(&one.pattern) || known.iter().any(|old| covers(old, &one.pattern));
    let new = unchecked(head).into_iter().take(MOST);
    new.filter(|one| !USUAL.regex().is_match(one.pattern.as_bytes()) && !is_known(one))
        .map(|one| one.line)
        .min()
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
    for (first, table) in tables.into_iter().take(MOST) {
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
    for listed in IGNORED.regex().captures_iter(bytes).filter_map(|list| list.get(1)).take(MOST) {
        for path in QUOTED.regex().captures_iter(listed.as_bytes()).filter_map(|path| path.get(1)) {
            let at = listed.start() + path.start();
            let passed = memchr::memchr_iter(b'\n', &bytes[counted.0..at]).count();
            counted = (at, counted.1 + u32::try_from(passed).unwrap_or_default());
            let pattern = String::from_utf8_lossy(path.as_bytes()).into_owned();
            // With a `!` it is looked at again.
            if found.len() < MOST && !pattern.starts_with('!') {
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
