//! Settings of linters, test runners and coverage, read as keys and values on both sides: lists that lost a check, limits
//! that were lowered, levels and flags that were turned down.

use std::collections::{HashMap, HashSet};

use super::beginnings::Beginnings;
use super::exempt;
use super::listing::lists_of_yaml;
use super::manifest::{Entry, Manifest};
use super::narrow::is_narrow;
use super::options;
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
    r"(?:^|\.)(?:strict\w*|disallow_\w+|check_untyped_defs|warn_(?:return_any|unreachable|unused_\w+|redundant_casts)|no_implicit_\w+|branch|xfail_strict)$",
);

/// How much has to be covered, where an option says so.
static FAIL_UNDER: Pattern = Pattern::new(r"fail[-_]under[= ](\d+(?:\.\d+)?)");

/// The files that are compared here.
static READ: Pattern = Pattern::new(
    r"^(?:pyproject\.toml|Cargo\.toml|setup\.cfg|\.?ruff\.toml|mypy\.ini|pytest\.ini|tox\.ini|\.coveragerc|\.flake8|\.golangci\.ya?ml|\.swiftlint\.yml|\.rubocop\.yml|\.eslintignore|\.eslintrc(?:\.\w+)?|eslint\.config\.\w+)$",
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
        "Cargo.toml" => by(Manifest::read, is_about_checks).or_else(|| untested(&text(base), &text(head))),
        "setup.cfg" => by(Manifest::read_sections, is_about_checks),
        "ruff.toml" | ".ruff.toml" => by(Manifest::read, |_| true),
        "mypy.ini" | "pytest.ini" | "tox.ini" | ".coveragerc" | ".flake8" => {
            by(Manifest::read_sections, |_| true)
        }
        ".golangci.yml" | ".golangci.yaml" | ".swiftlint.yml" | ".rubocop.yml" => in_lists(base, head),
        ".eslintignore" => exempt::more_lines(&text(base), &text(head)).map(Looser::Now),
        _ => exempt::more_paths(&text(base), &text(head)).map(Looser::Now),
    }
}

/// The first key of the file that asks for less. What one side says is put in order once, and each key of the other is
/// held against that: a file may be padded with as many keys and words as its author likes.
fn compared(base: &Manifest, head: &Manifest, is_check: impl Fn(&str) -> bool) -> Option<Looser> {
    let is_own = |key: &str| is_check(key) && !key.contains("overrides") && !key.contains("per-file-ignores");
    let own = |(key, _): &(&str, &Entry)| is_own(key);
    let asked = Asked::of(head.entries().filter(own));
    let left_out = LeftOut::of(base.entries().filter(own));
    let gone = base.entries().filter(own).filter_map(|(key, before)| {
        let now = head.get(key);
        let place = now.map_or(Looser::Before(before.line), |now| Looser::Now(now.line));
        asks_less(key, before, now, &asked).then_some(place)
    });
    let come = head.entries().filter(own).filter_map(|(key, now)| {
        leaves_out_more(key, base.get(key), now, &left_out).then_some(Looser::Now(now.line))
    });
    gone.chain(come).min_by_key(|one| match one {
        Looser::Now(line) => (0, *line),
        Looser::Before(line) => (1, *line),
    })
}

/// A package whose tests Cargo does not run any more.
fn untested(base: &str, head: &str) -> Option<Looser> {
    const KEYS: [&str; 2] = ["lib.test", "package.autotests"];
    let (was, is) = (Manifest::read(base), Manifest::read(head));
    let lists_tests = head.contains("[[test]]");
    let is_new = |key: &&&str| {
        let is_given = lists_tests && **key == "package.autotests";
        is.says(key, "false") && !was.says(key, "false") && !is_given
    };
    let key = KEYS.iter().find(is_new)?;
    is.get(key).map(|entry| Looser::Now(entry.line))
}

/// What settings ask for.
#[derive(Debug, Default)]
struct Asked<'m> {
    /// A family of checks is asked for by the letters that its members begin with.
    selected: Beginnings<'m>,
    has_limit: bool,
    /// One flag stands for all.
    is_strict: bool,
    lints: Lints<'m>,
}

impl<'m> Asked<'m> {
    fn of(keys: impl Iterator<Item = (&'m str, &'m Entry)>) -> Self {
        let mut asked = Asked::default();
        let mut chosen: Vec<&str> = Vec::new();
        for (key, entry) in keys {
            let last = last_of(key);
            if SELECTING.contains(&last) {
                chosen.extend(entry.words().into_iter().map(selected));
            }
            asked.has_limit |= limit(last, entry).is_some();
            asked.is_strict |= last == "strict" && is_true(entry);
            asked.lints.learn(key, entry);
        }
        asked.selected = Beginnings::of(chosen);
        asked
    }
}

/// All checks are those that begin with anything.
fn selected(word: &str) -> &str {
    if word == "ALL" { "" } else { word }
}

const SELECTING: [&str; 4] = ["select", "extend-select", "enable", "testpaths"];

/// The words of all lists that leave something out, by the last word of their key.
#[derive(Debug, Default)]
struct LeftOut<'m> {
    words: HashMap<&'m str, HashSet<&'m str>>,
}

const LEAVING_OUT: [&str; 7] =
    ["ignore", "extend-ignore", "disable", "omit", "skips", "extend-exclude", "exclude"];

impl<'m> LeftOut<'m> {
    fn of(keys: impl Iterator<Item = (&'m str, &'m Entry)>) -> Self {
        let mut left_out = LeftOut::default();
        for (key, entry) in keys.filter(|(key, _)| LEAVING_OUT.contains(&last_of(key))) {
            left_out.words.entry(last_of(key)).or_default().extend(entry.words());
        }
        left_out
    }
}

fn asks_less(key: &str, was: &Entry, now: Option<&Entry>, asked: &Asked<'_>) -> bool {
    let last = last_of(key);
    if SELECTING.contains(&last) {
        return was.words().into_iter().map(selected).any(|word| !asked.selected.begin(word));
    }
    if is_lint(key) {
        return asked.lints.lowers(key, was);
    }
    if STRICT.regex().is_match(key.as_bytes()) && is_true(was) {
        return !now.map_or(asked.is_strict, is_true);
    }
    if last == "filterwarnings" {
        let is_error = |entry: &Entry| entry.words().contains(&"error");
        return is_error(was) && !now.is_some_and(is_error);
    }
    if let (true, Some(now)) = (last == "addopts", now)
        && is_weaker(was, now)
    {
        return true;
    }
    match (limit(last, was), now) {
        (Some(was), Some(now)) => limit(last, now).is_none_or(|now| now < was),
        (Some(_), None) => !asked.has_limit,
        (None, _) => false,
    }
}

/// By the options of a test runner.
fn is_weaker(was: &Entry, now: &Entry) -> bool {
    let (was, is) = (was.value.as_bytes(), now.value.as_bytes());
    options::compared(was, is, was, is).is_some()
}

fn leaves_out_more(key: &str, was: Option<&Entry>, now: &Entry, before: &LeftOut<'_>) -> bool {
    const OPTIONS: [&str; 2] = ["--ignore", "--deselect"];
    match last_of(key) {
        last if LEAVING_OUT.contains(&last) => {
            let known = before.words.get(last);
            now.words().into_iter().any(|word| !known.is_some_and(|known| known.contains(word)))
        }
        "ignore_errors" => is_true(now) && !was.is_some_and(is_true),
        last @ ("python_files" | "python_functions" | "python_classes" | "norecursedirs") => {
            is_narrow(last, now) && !was.is_some_and(|was| is_narrow(last, was))
        }
        last @ "testpaths" => was.is_none() && is_narrow(last, now),
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

fn is_lint(key: &str) -> bool {
    key.starts_with("lints.") || key.starts_with("workspace.lints.")
}

/// Cargo's table of lints.
#[derive(Debug, Default)]
struct Lints<'m> {
    levels: HashMap<&'m str, u8>,
    /// The highest level of a whole group, by its tool.
    groups: HashMap<&'m str, u8>,
    /// The level of the group that nobody has without asking for it.
    by_choice: u8,
    /// The package takes those of its workspace.
    inherits: bool,
}

const WORKSPACE: &str = "workspace.";

impl<'m> Lints<'m> {
    fn learn(&mut self, key: &'m str, entry: &Entry) {
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
        let key = key.trim_end_matches(".level");
        let Some(lint) = key.trim_start_matches(WORKSPACE).strip_prefix("lints.") else { return };
        let Some(level) = level(entry) else {
            self.inherits |= lint == "workspace";
            return;
        };
        self.levels.insert(key, level);
        if GROUPS.contains(&last_of(lint)) {
            let known = self.groups.entry(tool_of(lint)).or_default();
            *known = level.max(*known);
        }
        if last_of(lint) == "restriction" {
            self.by_choice = level;
        }
    }

    /// Whether a lint is allowed now, only warned of, or not named any more although nothing stands in for it.
    fn lowers(&self, key: &str, was: &Entry) -> bool {
        let Some(was) = level(was) else { return false };
        let key = key.trim_end_matches(".level");
        let lint = key.trim_start_matches(WORKSPACE);
        // It may have moved between the package and its workspace.
        let moved = if lint == key { format!("{WORKSPACE}{key}") } else { lint.to_owned() };
        if let Some(now) = self.levels.get(key).or_else(|| self.levels.get(moved.as_str())) {
            return *now < was;
        }
        let tool = tool_of(lint.trim_start_matches("lints."));
        let has_group = || self.groups.get(tool).is_some_and(|group| *group >= was);
        let is_covered = if is_by_choice(last_of(lint)) { self.by_choice >= was } else { has_group() };
        let stands_in = self.inherits || is_covered;
        !stands_in && was > 0
    }
}

/// Lints that no other group holds, so that none stands in for them.
fn is_by_choice(lint: &str) -> bool {
    const LINTS: [&str; 12] = [
        "unwrap_used",
        "expect_used",
        "panic",
        "todo",
        "unimplemented",
        "dbg_macro",
        "indexing_slicing",
        "print_stdout",
        "print_stderr",
        "arithmetic_side_effects",
        "undocumented_unsafe_blocks",
        "exit",
    ];
    LINTS.contains(&lint)
}

/// `clippy` of `clippy.unwrap_used`.
fn tool_of(lint: &str) -> &str {
    lint.split('.').next().unwrap_or_default()
}

fn level(entry: &Entry) -> Option<u8> {
    let levels = [("forbid", 2), ("deny", 2), ("warn", 1), ("allow", 0)];
    levels.into_iter().find_map(|(word, level)| entry.value.contains(&format!("\"{word}\"")).then_some(level))
}

/// Names of checks in the lists of a file.
fn in_lists(base: &Source, head: &Source) -> Option<Looser> {
    const ASKED: [&str; 4] = ["enable", "opt_in_rules", "only_rules", "analyzer_rules"];
    const LEFT_OUT: [&str; 9] = [
        "disable",
        "disabled_rules",
        "excluded",
        "Exclude",
        "exclude-rules",
        "exclude-dirs",
        "exclude-files",
        "skip-dirs",
        "skip-files",
    ];
    let known = |all: &[(&'static str, String, u32)]| -> HashSet<(&'static str, String)> {
        all.iter().map(|(key, word, _)| (*key, word.clone())).collect()
    };
    let keys: Vec<&'static str> = ASKED.into_iter().chain(LEFT_OUT).collect();
    let (was, is) = (lists_of_yaml(base.text(), &keys), lists_of_yaml(head.text(), &keys));
    let (before, now) = (known(&was), known(&is));
    let everything = [&b"enable-all: true"[..], b"default: all"];
    let asks_all = everything.iter().any(|all| memchr::memmem::find(head.text(), all).is_some());
    let come = is.iter().find(|(key, word, _)| {
        let is_usual = !key.starts_with("disable") && exempt::is_usual_path(word);
        LEFT_OUT.contains(key) && !is_usual && !before.contains(&(key, word.clone()))
    });
    let gone = was.iter().find(|(key, word, _)| {
        ASKED.contains(key) && !asks_all && !ASKED.iter().any(|key| now.contains(&(key, word.clone())))
    });
    come.map(|(_, _, line)| Looser::Now(*line)).or_else(|| gone.map(|(_, _, line)| Looser::Before(*line)))
}
