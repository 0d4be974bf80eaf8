//! Settings of linters, test runners and coverage, read as keys and values on both sides: lists that lost a check, limits
//! that were lowered, levels and flags that were turned down.

use std::collections::HashSet;

use super::exempt;
use super::listing::lists_of_yaml;
use super::manifest::{Entry, Manifest};
use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::source::Source;

/// Where settings ask for less than before: a line of the new file, or one of the old that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looser {
    Now(u32),
    Before(u32),
}

/// Tables that are about checks, in files that are about much else besides.
static CHECKS: Pattern = Pattern::new(
    r"^(?:tool\.(?:ruff|pytest|coverage|mypy|pylint|pyright|basedpyright|bandit|flake8)\b|(?:workspace\.)?lints\.|tool:pytest|coverage:|mypy|flake8|pylint)",
);

/// A flag that makes a checker stricter.
static STRICT: Pattern = Pattern::new(
    r"(?:^|\.)(?:strict\w*|disallow_\w+|check_untyped_defs|warn_(?:return_any|unreachable|unused_\w+|redundant_casts)|no_implicit_\w+|branch)$",
);

/// How much has to be covered, where an option says so.
static FAIL_UNDER: Pattern = Pattern::new(r"fail[-_]under[= ](\d+(?:\.\d+)?)");

/// The files that are compared here.
static READ: Pattern = Pattern::new(
    r"^(?:pyproject\.toml|Cargo\.toml|setup\.cfg|\.?ruff\.toml|mypy\.ini|pytest\.ini|tox\.ini|\.coveragerc|\.flake8|\.golangci\.ya?ml|\.swiftlint\.yml|\.eslintignore|\.eslintrc(?:\.\w+)?|eslint\.config\.\w+)$",
);

/// By the name of the file.
pub(super) fn looser(file: &FileContext<'_>) -> Option<Looser> {
    let name = String::from_utf8_lossy(file.change.path().file_name());
    // Of files with other names, nothing is read.
    if !READ.regex().is_match(name.as_bytes()) {
        return None;
    }
    let (base, head) = (file.base()?, file.head()?);
    let text = |source: &Source| String::from_utf8_lossy(source.text()).into_owned();
    let by = |read: fn(&str) -> Manifest, is_check: fn(&str) -> bool| {
        let (base, head) = (read(&text(base)), read(&text(head)));
        let less = compared(&base, &head, is_check);
        less.or_else(|| exempt::more_by_path(&base, &head).map(Looser::Now))
    };
    let is_about_checks = |key: &str| CHECKS.regex().is_match(key.as_bytes());
    match name.as_ref() {
        "pyproject.toml" => by(Manifest::read, is_about_checks)
            .or_else(|| exempt::more_modules(&text(base), &text(head)).map(Looser::Now)),
        "Cargo.toml" => by(Manifest::read, is_about_checks),
        "setup.cfg" => by(Manifest::read_sections, is_about_checks),
        "ruff.toml" | ".ruff.toml" => by(Manifest::read, |_| true),
        "mypy.ini" | "pytest.ini" | "tox.ini" | ".coveragerc" | ".flake8" => {
            by(Manifest::read_sections, |_| true)
        }
        ".golangci.yml" | ".golangci.yaml" | ".swiftlint.yml" => in_lists(base, head),
        ".eslintignore" => exempt::more_lines(&text(base), &text(head)).map(Looser::Now),
        _ => exempt::more_paths(&text(base), &text(head)).map(Looser::Now),
    }
}

/// Where more is said of checks, nobody wrote it by hand.
const MOST_KEYS: usize = 500;

/// Of a list, for the same reason.
const MOST_WORDS: usize = 200;

/// The keys of a file that are about checks.
type Keys<'m> = Vec<(&'m str, &'m Entry)>;

/// The first key of the file that asks for less.
fn compared(base: &Manifest, head: &Manifest, is_check: impl Fn(&str) -> bool) -> Option<Looser> {
    let is_own = |key: &str| is_check(key) && !key.contains("overrides") && !key.contains("per-file-ignores");
    let was: Keys<'_> = base.entries().filter(|(key, _)| is_own(key)).collect();
    let is: Keys<'_> = head.entries().filter(|(key, _)| is_own(key)).collect();
    if was.len().max(is.len()) > MOST_KEYS {
        return None;
    }
    let gone = was.iter().filter_map(|(key, before)| {
        let now = head.get(key);
        let place = now.map_or(Looser::Before(before.line), |now| Looser::Now(now.line));
        asks_less(key, before, now, &is).then_some(place)
    });
    let come = is.iter().filter_map(|(key, now)| {
        leaves_out_more(key, base.get(key), now, &was).then_some(Looser::Now(now.line))
    });
    gone.chain(come).min_by_key(|one| match one {
        Looser::Now(line) => (0, *line),
        Looser::Before(line) => (1, *line),
    })
}

fn asks_less(key: &str, was: &Entry, now: Option<&Entry>, head: &Keys<'_>) -> bool {
    let last = last_of(key);
    if matches!(last, "select" | "extend-select" | "enable") {
        let asked =
            head.iter().filter(|(key, _)| matches!(last_of(key), "select" | "extend-select" | "enable"));
        let asked: Vec<&str> = asked.flat_map(|(_, entry)| entry.words()).collect();
        // A family of checks is asked for by the letters that its members begin with.
        let covered = |word: &str| asked.iter().any(|now| *now == "ALL" || word.starts_with(now));
        return asked.len() <= MOST_WORDS
            && was.words().into_iter().take(MOST_WORDS).any(|word| !covered(word));
    }
    if key.starts_with("lints.") || key.starts_with("workspace.lints.") {
        return is_lowered(key, was, head);
    }
    if STRICT.regex().is_match(key.as_bytes()) && is_true(was) {
        return !now.map_or_else(|| is_strict(head), is_true);
    }
    match (limit(last, was), now) {
        (Some(was), Some(now)) => limit(last, now).is_none_or(|now| now < was),
        (Some(_), None) => !head.iter().any(|(key, entry)| limit(last_of(key), entry).is_some()),
        (None, _) => false,
    }
}

fn leaves_out_more(key: &str, was: Option<&Entry>, now: &Entry, base: &Keys<'_>) -> bool {
    const LISTS: [&str; 7] =
        ["ignore", "extend-ignore", "disable", "omit", "skips", "extend-exclude", "exclude"];
    const OPTIONS: [&str; 2] = ["--ignore", "--deselect"];
    match last_of(key) {
        last if LISTS.contains(&last) => {
            let same = base.iter().filter(|(key, _)| last_of(key) == last);
            let known: HashSet<&str> = same.flat_map(|(_, entry)| entry.words()).collect();
            now.words().into_iter().any(|word| !known.contains(word))
        }
        "ignore_errors" => is_true(now) && !was.is_some_and(is_true),
        "addopts" => OPTIONS
            .iter()
            .any(|option| now.value.contains(option) && !was.is_some_and(|was| was.value.contains(option))),
        _ => false,
    }
}

fn last_of(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn is_true(entry: &Entry) -> bool {
    entry.value.eq_ignore_ascii_case("true") || entry.value == "1" || entry.value.eq_ignore_ascii_case("yes")
}

/// Whether one flag stands for all.
fn is_strict(head: &Keys<'_>) -> bool {
    head.iter().any(|(key, entry)| last_of(key) == "strict" && is_true(entry))
}

fn limit(last: &str, entry: &Entry) -> Option<f64> {
    match last {
        "fail_under" | "fail-under" => entry.value.trim_matches(['"', '\'']).parse().ok(),
        "addopts" => {
            let found = FAIL_UNDER.regex().captures(entry.value.as_bytes())?;
            std::str::from_utf8(&found[1]).ok()?.parse().ok()
        }
        _ => None,
    }
}

/// A lint of Cargo's table that is allowed now, only warned of, or not named any more although nothing stands in for it.
fn is_lowered(key: &str, was: &Entry, head: &Keys<'_>) -> bool {
    let lint = key.trim_start_matches("workspace.").trim_start_matches("lints.").trim_end_matches(".level");
    let Some(was) = level(was) else { return false };
    let tool = lint.split('.').next().unwrap_or_default();
    let mut stands_in = false;
    for (key, entry) in head {
        let other = key.trim_start_matches("workspace.");
        let Some(other) = other.strip_prefix("lints.") else { continue };
        let Some(now) = level(entry) else {
            stands_in |= other == "workspace";
            continue;
        };
        let other = other.trim_end_matches(".level");
        if other == lint {
            return now < was;
        }
        const GROUPS: [&str; 9] = [
            "all",
            "pedantic",
            "nursery",
            "correctness",
            "restriction",
            "style",
            "suspicious",
            "warnings",
            "unused",
        ];
        stands_in |= other.starts_with(tool) && GROUPS.contains(&last_of(other)) && now >= was;
    }
    !stands_in && was > 0
}

fn level(entry: &Entry) -> Option<u8> {
    let levels = [("forbid", 2), ("deny", 2), ("warn", 1), ("allow", 0)];
    levels.into_iter().find_map(|(word, level)| entry.value.contains(&format!("\"{word}\"")).then_some(level))
}

/// Names of checks in the lists of a file.
fn in_lists(base: &Source, head: &Source) -> Option<Looser> {
    const ASKED: [&str; 4] = ["enable", "opt_in_rules", "only_rules", "analyzer_rules"];
    const LEFT_OUT: [&str; 3] = ["disable", "disabled_rules", "excluded"];
    let known = |all: &[(&'static str, String, u32)]| -> HashSet<(&'static str, String)> {
        all.iter().map(|(key, word, _)| (*key, word.clone())).collect()
    };
    let keys: Vec<&'static str> = ASKED.into_iter().chain(LEFT_OUT).collect();
    let (was, is) = (lists_of_yaml(base.text(), &keys), lists_of_yaml(head.text(), &keys));
    let (before, now) = (known(&was), known(&is));
    let everything = [&b"enable-all: true"[..], b"default: all"];
    let asks_all = everything.iter().any(|all| memchr::memmem::find(head.text(), all).is_some());
    let come =
        is.iter().find(|(key, word, _)| LEFT_OUT.contains(key) && !before.contains(&(key, word.clone())));
    let gone = was.iter().find(|(key, word, _)| {
        ASKED.contains(key) && !asks_all && !ASKED.iter().any(|key| now.contains(&(key, word.clone())))
    });
    come.map(|(_, _, line)| Looser::Now(*line)).or_else(|| gone.map(|(_, _, line)| Looser::Before(*line)))
}
