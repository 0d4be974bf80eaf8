//! What the tickets of an epic agreed on, that one of them names and no code defines.

use std::collections::BTreeSet;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::work::WorkItem;

use super::callers::AROUND;
use super::mentions;
use super::profile::{is_code, may_define_functions};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::neighbours;
use crate::pattern::Pattern;
use crate::rules::requirement_place::{Place, placed};
use crate::source::Source;
use crate::syntax::Tree;

/// How a ticket speaks of something that its epic agreed on; the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Naming {
    /// As something that others have.
    Used,
    Named,
    Ordered,
}

static ORDERS: Pattern = Pattern::new(
    r"(?i)\b(?:implement|add|create|define|write|provide|introduce|expose|export|build)(?:s|ed|ing)?\b",
);
/// In front of a name: it is there to be used.
static USES: Pattern = Pattern::new(
    r"(?i)\b(?:see|like|as|from|via|using|uses?|used|calls?|called by|existing|already|without|not|never|after|before|when|once)\b[^.;:]*$",
);

/// `None` if it does not name it.
pub(super) fn naming(ticket: &WorkItem, name: &str) -> Option<Naming> {
    let lines = placed(&ticket.text).filter(|(_, line)| mentions(line.as_bytes(), name));
    lines
        .map(|(place, line)| {
            let before = line.find(name).and_then(|at| line.get(..at)).unwrap_or_default();
            let is = |pattern: &Pattern, text: &str| pattern.regex().is_match(text.as_bytes());
            match place {
                Place::Story | Place::OutOfScope => Naming::Used,
                Place::Criteria | Place::Elsewhere if is(&USES, before) => Naming::Used,
                Place::Criteria | Place::Elsewhere if is(&ORDERS, line) => Naming::Ordered,
                Place::Criteria | Place::Elsewhere => Naming::Named,
            }
        })
        .max()
}

/// How sure it is that no code defines what a ticket names; `None` if some code does, or may. `has` says whether a tree
/// defines it.
pub(super) fn undefined(
    change: &ChangeContext<'_>,
    ticket: &WorkItem,
    name: &str,
    has: &dyn Fn(&Tree) -> bool,
) -> Option<Confidence> {
    let naming = naming(ticket, name)?;
    if change.files.iter().any(|file| may_define(file, name, has)) || names_in_files(change, ticket, name) {
        return None;
    }
    let is_named = change.files.iter().any(|file| {
        file.added().any(|line| mentions(line.text, name))
            || (is_code(file) && file.head().is_some_and(|head| mentions(head.text(), name)))
    });
    let around = around(change, name, has);
    match (naming, is_named, around) {
        (_, _, Around::Defined) | (Naming::Used, true, _) => None,
        // What was not looked at may define what the change uses.
        (Naming::Named, true, Around::More) => Some(Confidence::Low),
        (Naming::Used, false, _) => Some(Confidence::Low),
        (Naming::Named | Naming::Ordered, ..) => Some(Confidence::Medium),
    }
}

/// What is not understood is believed.
fn may_define(file: &FileContext<'_>, name: &str, has: &dyn Fn(&Tree) -> bool) -> bool {
    if file.skipped.is_some() || file.is_test_file() || !may_define_functions(file.change.path()) {
        return false;
    }
    if !is_code(file) {
        return file.added().any(|line| mentions(line.text, name));
    }
    let Some(head) = file.head().filter(|head| mentions(head.text(), name)) else { return false };
    match file.touched_tree() {
        Some(tree) => has(tree) || binds(head.code(), name),
        None => mentions(head.code(), name),
    }
}

/// A binding that is no definition: `login = wrapped(check)`, `login: check`, `check as login`, `alias_method :login`.
fn binds(code: &[u8], name: &str) -> bool {
    memchr::memmem::find_iter(code, name).any(|at| {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if IMPORT.regex().is_match(line) {
            return false;
        }
        let behind = behind.trim_ascii_start();
        let is_whole = !before.last().is_some_and(super::is_word);
        let is_set = behind.starts_with(b":")
            || (behind.starts_with(b"=") && !behind.starts_with(b"==") && !behind.starts_with(b"=>"));
        is_whole && (is_set || before.ends_with(b":") || RENAMED.regex().is_match(line))
    })
}

static IMPORT: Pattern = Pattern::new(r"^\s*(?:import|from|use|using|require|#\s*include)\b");
static RENAMED: Pattern = Pattern::new(r"\b(?:as|define|alias)\s+$");

/// Files that the ticket names and the change need not touch.
fn names_in_files(change: &ChangeContext<'_>, ticket: &WorkItem, name: &str) -> bool {
    ticket.files.iter().any(|path| {
        let path = RepoPath::from(path.trim_start_matches("./"));
        let is_of_change = change.files.iter().any(|file| file.change.path() == &path);
        let read = || change.request.sources.read_path(&path, Side::New).ok().flatten();
        let names = |text| mentions(Source::new(text, Language::of(&path)).code(), name);
        !is_of_change && read().is_some_and(names)
    })
}

enum Around {
    Defined,
    /// There is more than was looked at.
    More,
    All,
}

fn around(change: &ChangeContext<'_>, name: &str, has: &dyn Fn(&Tree) -> bool) -> Around {
    let code: Vec<&FileContext<'_>> = change.files.iter().filter(|file| is_code(file)).collect();
    let languages: BTreeSet<Language> = code.iter().map(|file| file.language).collect();
    let mut around = Around::All;
    for language in languages {
        let of: Vec<&FileContext<'_>> =
            code.iter().copied().filter(|file| file.language == language).collect();
        let near = neighbours(change, &of, language, AROUND);
        let mut naming = near.iter().filter(|one| mentions(one.source.text(), name));
        if naming.any(|one| one.tree().is_none_or(has)) {
            return Around::Defined;
        }
        if near.len() >= AROUND.files {
            around = Around::More;
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_orders_names_or_uses() {
        let said = |text: &str| naming(&WorkItem::parse("t.md", text), "login");
        assert_eq!(said("Implement `login`.\n"), Some(Naming::Ordered));
        assert_eq!(said("- [ ] `login` checks the password\n"), Some(Naming::Named));
        assert_eq!(said("See `login`.\n"), Some(Naming::Used));
        assert_eq!(said("Add a page that calls `login`.\n"), Some(Naming::Used));
        assert_eq!(said("## Out of scope\nAdd `login`.\n"), Some(Naming::Used));
        assert_eq!(said("Implement logins.\n"), None);
    }

    #[test]
    fn calls_and_imports_bind_nothing() {
        for code in
            ["login = wrap(check)\n", "login: check,\n", "check as login;\n", "alias_method :login, :check\n"]
        {
            assert!(binds(code.as_bytes(), "login"), "{code}");
        }
        for code in
            ["login(1, 2)\n", "import login = x\n", "if login == 1:\n", "run(login)\n", "my_login = 1\n"]
        {
            assert!(!binds(code.as_bytes(), "login"), "{code}");
        }
    }
}
