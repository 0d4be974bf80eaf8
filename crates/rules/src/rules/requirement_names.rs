//! What a ticket calls by name, and whether a change knows those names.

use std::collections::HashSet;

use rayon::prelude::*;

use super::requirement_obliged::{Form, Mention, is_others};
use super::requirement_place::{Place, placed};
use super::requirement_prose::quoting;
use crate::context::{ChangeContext, FileContext};
use crate::pattern::Pattern;

/// A name in backticks, or one that needs none to be seen, with the sentence around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// As the ticket writes it.
    pub(super) name: String,
    /// What has to be found for it to be there, as [`folded`] leaves it.
    sought: Vec<u8>,
    /// A route: what is sought stands in a path, a text or a symbol, and is no word of the language.
    is_route: bool,
    /// Whether the sentence asks for something new.
    pub(super) asked_for: bool,
    /// Whether it says what a function, a flag or a route does, which only a ticket about it would.
    pub(super) described: bool,
}

static ADDS: Pattern = Pattern::new(
    r"(?i)\b(?:add|adds|create|creates|introduce|introduces|implement|implements|new|expose|exposes|provide|provides)\b",
);
static OTHERWISE: Pattern = Pattern::new(
    r"(?i)\b(?:existing|already|remove|removes|removed|delete|deletes|rename|renames|instead|replace|replaces|deprecate\w*|not|never|without|like|as|see|from|via|using|uses|use|call|calls|drop|optional\w*|maybe|could|e\.g)\b|n't|n’t",
);

/// `Expose retry_count as a property`, `from the client`: how, and not whether.
static COMPARED: Pattern = Pattern::new(r"(?i)^ (?:as an?|from|via) ");

/// What leads from what is asked for to something that is there: `Add a spinner while fetchUsers() is pending`. Behind a colon
/// or a comma that is over.
static ASIDE: Pattern = Pattern::new(
    r"(?i)\b(?:while|during|when|whenever|until|after|before|for|to|with|in|on|of|around|inside)\s([^,:;]*)$",
);
/// And yet something new.
static NEW_KIND: Pattern = Pattern::new(
    r"(?i)\b(?:a|an|new)\s+(?:\w+\s+)?(?:function|method|helper|flag|option|switch|argument|endpoint|route|class|type|struct|field|column|variable)s?\s+(?:named\s+|called\s+)?$",
);
static SUPPORT: Pattern = Pattern::new(r"(?i)\bsupport for\b");

static FUNCTION: Pattern = Pattern::new(r"^(?:[A-Za-z_]\w*(?:::|\.|#))*([A-Za-z_]\w{3,})\([^`]*\)$");
static FLAG: Pattern = Pattern::new(r"^--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[ =].*)?$");
static VARIABLE: Pattern = Pattern::new(r"^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$");
static ROUTE: Pattern =
    Pattern::new(r"^(?:(?:GET|POST|PUT|PATCH|DELETE)\s+)?(/[a-z][\w\-]*(?:/[\w\-{}:<>]+)*)/?$");
/// One word can be anything, unless the ticket says that it is a function or a type.
static WORD: Pattern = Pattern::new(r"^([A-Za-z_]\w{3,})$");
static KIND_BEFORE: Pattern = Pattern::new(
    r"(?i)\b(?:function|method|class|struct|enum|trait|interface|component)\s+(?:(?:named|called)\s+)?$",
);
static KIND_BEHIND: Pattern = Pattern::new(
    r"^\s+(?:function|method|class|struct|enum|trait|interface|component)(?:\s*$|[.,;:!?)]|\s+(?:that|which|whose|with|for|to|in|and|or|of|so|on)\b)",
);
static WORDS: Pattern =
    Pattern::new(r"^([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})$");

impl Named {
    /// Whether it can be written in no other way: a route is put together from parts, and a variable of the environment
    /// from a prefix and the name of a field.
    pub(super) fn has_one_form(&self) -> bool {
        !self.is_route && !VARIABLE.regex().is_match(self.name.as_bytes())
    }

    /// Whether a text holds it, as [`folded`] leaves it.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let in_place = |at: usize| at.checked_sub(1).is_some_and(|before| b"/\"'`:".contains(&text[before]));
        memchr::memmem::find_iter(text, &self.sought).any(|at| !self.is_route || in_place(at))
    }
}

/// More names than any ticket has.
const MOST_NAMES: usize = 60;

/// Names that can only be code: functions, flags, variables of the environment, routes, compound words.
pub(super) fn names(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for (place, line) in placed(text) {
        found.extend(in_line(line, place));
        if found.len() >= MOST_NAMES {
            break;
        }
    }
    // What one sentence only speaks of another may order.
    found.sort_by_key(|named| !(named.asked_for || named.described));
    let mut seen = HashSet::new();
    found.retain(|named| seen.insert(named.sought.clone()));
    found
}

pub(super) fn in_line(line: &str, place: Place) -> Vec<Named> {
    // What somebody put into backticks is meant; of what only looks like a name, it has to be said.
    let written: HashSet<&str> = line.split('`').skip(1).step_by(2).collect();
    let line = quoting(line);
    let parts: Vec<&str> = line.split('`').collect();
    let quoted = parts.iter().enumerate().filter(|(index, _)| index % 2 == 1 && index + 1 < parts.len());
    quoted
        .filter_map(|(index, name)| {
            let of_kind = || sought_of_kind(name, parts[index - 1], parts[index + 1]);
            Some((index, name, sought(name).or_else(of_kind)?))
        })
        .take(MOST_NAMES)
        .map(|(index, name, sought)| {
            let (before, behind) = (before(&parts, index), behind(&parts, index));
            let is_meant = written.contains(*name) || !is_aside(&before);
            let form = form(name);
            // `--help` lists the new flag.
            let is_theirs = is_others(name, form) && !ADDS.regex().is_match(before.as_bytes());
            let asked_for = is_meant && !is_theirs && place != Place::OutOfScope && asks(&before, &behind);
            let mention = Mention {
                name,
                form,
                just_before: parts[index - 1],
                just_behind: parts[index + 1],
                before: &before,
                behind: &behind,
                place,
            };
            let described = mention.is_obliged();
            let is_route = form == Form::Route;
            Named { name: (*name).to_owned(), sought, is_route, asked_for, described }
        })
        .collect()
}

/// Whether a sentence says that something shall be added. What it is like, or taken from, may be said behind it.
fn asks(before: &str, behind: &str) -> bool {
    let is = |pattern: &Pattern, text: &str| pattern.regex().is_match(text.as_bytes());
    let sentence = [before, behind].concat();
    let plainly = is(&ADDS, &sentence) && !is(&OTHERWISE, &sentence);
    let compared = || is(&ADDS, before) && !is_aside(before) && !is(&OTHERWISE, before);
    plainly || (compared() && !is(&OTHERWISE, rest(behind)))
}

/// Without the word of [`COMPARED`].
fn rest(behind: &str) -> &str {
    let end = COMPARED.regex().find(behind.as_bytes()).map_or(0, |found| found.end());
    behind.get(end..).unwrap_or_default()
}

fn form(name: &str) -> Form {
    let is = |pattern: &Pattern| pattern.regex().is_match(name.as_bytes());
    match () {
        () if is(&ROUTE) => Form::Route,
        () if is(&FUNCTION) => Form::Call,
        () if is(&FLAG) => Form::Flag,
        () => Form::Word,
    }
}

/// Whether what stands in front of a name says that something else is asked for.
fn is_aside(before: &str) -> bool {
    let before = SUPPORT.regex().replace_all(before.as_bytes(), &b"support"[..]);
    let aside = ASIDE.regex().captures(&before).and_then(|groups| groups.get(1));
    aside.is_some_and(|rest| !NEW_KIND.regex().is_match(rest.as_bytes()))
}

/// The prose before a name, from the end of the sentence before.
fn before(parts: &[&str], index: usize) -> String {
    let ends = |text: &str| [". ", "; ", "! ", "? "].iter().filter_map(|end| text.rfind(end)).max();
    let mut before = Vec::new();
    for part in parts[..index].iter().step_by(2).rev() {
        let end = ends(part);
        before.push(end.map_or(*part, |at| &part[at + 1..]));
        if end.is_some() {
            break;
        }
    }
    before.into_iter().rev().collect()
}

/// The prose behind a name, to the end of its sentence.
fn behind(parts: &[&str], index: usize) -> String {
    let mut sentence = String::new();
    for part in parts[index + 1..].iter().step_by(2) {
        match [". ", "; ", "! "].iter().filter_map(|end| part.find(end)).min() {
            Some(at) => {
                sentence.push_str(&part[..at]);
                break;
            }
            None => sentence.push_str(part),
        }
    }
    sentence
}

fn sought(name: &str) -> Option<Vec<u8>> {
    let of = |pattern: &Pattern| {
        let groups = pattern.regex().captures(name.as_bytes())?;
        groups.get(1).map(|group| group.as_bytes().to_vec())
    };
    let route = || {
        let path = of(&ROUTE)?;
        let fixed = |segment: &&[u8]| {
            segment.len() > 2
                && segment.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        };
        path.split(|byte| *byte == b'/').rfind(fixed).map(<[u8]>::to_vec)
    };
    let word = of(&FUNCTION)
        .or_else(|| of(&FLAG))
        .or_else(|| of(&VARIABLE))
        .or_else(|| of(&WORDS))
        .or_else(route)?;
    let word = folded(&word);
    (word.len() > 3).then_some(word)
}

/// A plain word beside what it is: `the `Parser` class`.
fn sought_of_kind(name: &str, before: &str, behind: &str) -> Option<Vec<u8>> {
    let is_said =
        KIND_BEFORE.regex().is_match(before.as_bytes()) || KIND_BEHIND.regex().is_match(behind.as_bytes());
    (WORD.regex().is_match(name.as_bytes()) && is_said)
        .then(|| folded(name.as_bytes()))
        .filter(|word| word.len() > 3)
}

/// Without what the same name is written with in one language and not in another.
pub(super) fn folded(text: &[u8]) -> Vec<u8> {
    text.iter().filter(|byte| !b"_-".contains(byte)).map(u8::to_ascii_lowercase).collect()
}

/// Which of the names the change does not know: neither a path, nor an added or removed line, nor a file it touches
/// holds them. `None` if some file cannot be read.
pub(super) fn unknown<'n>(change: &ChangeContext<'_>, names: &'n [Named]) -> Option<Vec<&'n Named>> {
    let known: Vec<HashSet<usize>> =
        change.files.par_iter().map(|file| known_in(file, names)).collect::<Option<_>>()?;
    let known: HashSet<usize> = known.into_iter().flatten().collect();
    Some(
        names
            .iter()
            .enumerate()
            .filter(|(index, _)| !known.contains(index))
            .map(|(_, named)| named)
            .collect(),
    )
}

fn known_in(file: &FileContext<'_>, names: &[Named]) -> Option<HashSet<usize>> {
    let mut text = folded(file.change.path().as_bytes());
    for (_, line) in file.change.removed().chain(file.change.added()) {
        text.push(b'\n');
        text.extend(folded(line));
    }
    if file.change.new.is_some() && file.skipped.is_none() && !file.change.hunks().is_empty() {
        text.push(b'\n');
        text.extend(folded(file.head()?.text()));
    }
    Some(names.iter().enumerate().filter(|(_, named)| named.is_in(&text)).map(|(index, _)| index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_code_is_a_name() {
        let seen: Vec<String> = names(
            "Add `load_user()` and `--dry-run`, `APP_TOKEN`, `POST /api/users/{id}`, `maxRetries`.\n\
             Also `user`, `cargo test`, `x`, `true`, `src/a.rs`, `JSON`.\n```\n`in_code`\n```\n",
        )
        .into_iter()
        .map(|named| named.name)
        .collect();
        assert_eq!(seen, ["load_user()", "--dry-run", "APP_TOKEN", "POST /api/users/{id}", "maxRetries"]);
    }

    #[test]
    fn a_line_of_nothing_but_names_ends() {
        let line = format!("Add {}", "`load_user()` and `x` or ".repeat(4_000));
        let found = in_line(&line, Place::Elsewhere);
        assert_eq!(found.len(), MOST_NAMES);
        assert!(found.iter().all(|named| named.asked_for));
    }

    #[test]
    fn only_what_shall_be_added_is_asked_for() {
        let asked = |text: &str| names(text).iter().any(|named| named.asked_for);
        assert!(asked("Add a function `load_user` for it."));
        assert!(asked("Implement `load_user()`"));
        for text in [
            "Add it like `load_user` does.",
            "Remove `load_user`.",
            "The new code calls `load_user`.",
            "`load_user` is slow.",
            "Do not add `load_user`.",
            "Add a spinner while fetchUsers() is pending.",
            "Add a spinner for requests to GET /api/users.",
            "Add a spinner with setTimeout(fn, 300).",
            "Add tests for the function load_user().",
            "Add a property to `retry_count` as a hint.",
            "Expose it as `retry_count`, not as before.",
        ] {
            assert!(!asked(text), "{text}");
        }
        for text in [
            "Add load_user() for it.",
            "Add a command with a flag --dry-run.",
            "Add support for the option --dry-run",
            "Add a helper for the command: load_user()",
            "Add a page for users, the endpoint POST /api/users",
            "Add a spinner for `fetchUsers()`",
            "Expose `retry_count` as a property.",
            "Expose `retry_count` from the client.",
        ] {
            assert!(asked(text), "{text}");
        }
    }
}
