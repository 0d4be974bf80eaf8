//! Whether a file means by the name of a type the one that was lost.

use super::left_types::Facts;
use super::lost::{Lost, Sort};
use super::mentions;
use super::modules::{Binding, leads_to};
use super::near::{are_together, takes_in};
use super::references::How;
use super::types::{Namespace, TypeUse};
use super::usage::{Usage, Use};
use crate::language::Language;
use crate::syntax::ItemKind;

/// A type of which something was lost: itself, or what belongs to it.
#[derive(Debug)]
pub(super) struct Home<'l, 'f> {
    pub(super) lost: &'l Lost<'f>,
    pub(super) name: &'l str,
    facts: &'l Facts,
}

impl<'l, 'f> Home<'l, 'f> {
    /// Nothing of types inside of others.
    pub(super) fn of(lost: &'l Lost<'f>, facts: &'l Facts) -> Option<Self> {
        let (name, outer) = whose(lost);
        let is_top = outer.is_empty()
            || match lost.file.language {
                Language::CSharp => facts.namespace.name() == Some(outer),
                Language::Cpp | Language::C => {
                    outer.split(['.', ':']).all(|part| part.is_empty() || facts.opened.contains(part))
                }
                _ => false,
            };
        is_top.then_some(Home { lost, name, facts })
    }

    pub(super) fn namespace(&self) -> &Namespace {
        &self.facts.namespace
    }

    /// The innermost namespace of C++ around it.
    fn scope(&self) -> &str {
        let (_, outer) = whose(self.lost);
        outer.rsplit(['.', ':']).next().unwrap_or_default()
    }
}

/// The type that is meant, itself lost or with something lost in it, and what stands around that.
fn whose<'l>(lost: &'l Lost<'_>) -> (&'l str, &'l str) {
    match lost.sort {
        Sort::Item(ItemKind::Type) => (&lost.name, &lost.container),
        _ => (lost.owner(), lost.container.rsplit_once('.').map_or("", |(outer, _)| outer)),
    }
}

/// Longer lists of imports nobody writes by hand.
const LONGEST_IMPORTS: usize = 64 * 1024;

impl Usage<'_> {
    /// Whether the file defines a type of that name which may be meant instead, or which stands in for the lost one.
    pub(super) fn has_another(&self, home: &Home<'_, '_>) -> bool {
        let defines = self.types.defined.contains(home.name);
        let is_factory = self.defined.get(home.name).is_some_and(|containers| {
            containers.iter().any(String::is_empty) && self.language == Language::Kotlin
        });
        let shared = match self.language {
            Language::Java | Language::Kotlin => self.types.namespace == *home.namespace(),
            Language::Go => are_together(self.language, &self.path, home.lost.file.change.path()),
            Language::Python | Language::TypeScript | Language::JavaScript => false,
            _ => true,
        };
        (defines && shared && !self.is_home_of(home.lost)) || is_factory
    }

    /// Whether the name, where it stands in this file, is that of the lost type.
    pub(super) fn means_type(&self, one: &TypeUse, home: &Home<'_, '_>) -> bool {
        let lost = home.lost;
        let is_home = self.is_home_of(lost);
        if (!is_home && self.types.defined.contains(home.name)) || self.imports.len() > LONGEST_IMPORTS {
            return false;
        }
        let bare = one.before.is_empty();
        match self.language {
            Language::Java | Language::Kotlin => bare && (is_home || self.imports_class(home)),
            Language::CSharp => bare && (is_home || self.uses_namespace(home)),
            Language::Cpp => self.is_in_scope(one, home) && (is_home || self.takes_in(lost)),
            Language::Php => self.names_in_php(one, home) || (is_home && bare),
            Language::Go => self.names_in_go(one, home),
            Language::Python if bare && is_home => !mentions(&self.imports, home.name),
            Language::Python => self.names_in_python(one, home),
            Language::TypeScript | Language::JavaScript => bare && (is_home || self.imports_script(home)),
            _ => false,
        }
    }

    /// The same for the type in front of a call: `shop::Cart::open`.
    pub(super) fn means_owner(&self, call: &Use, home: &Home<'_, '_>) -> bool {
        let before = call.before.strip_suffix("::").and_then(|path| path.strip_suffix(home.name));
        let one = |before: &str| TypeUse { line: call.line, before: before.to_owned(), made: None };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        before.is_some_and(|before| !before.ends_with(is_word) && self.means_type(&one(before), home))
    }

    fn lines_of_imports(&self) -> impl Iterator<Item = &str> {
        let lines = self.imports.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| std::str::from_utf8(line).ok())
            .map(|line| line.trim().trim_end_matches(';').trim())
    }

    /// By its whole name, by all of its package, or as a neighbour in it.
    fn imports_class(&self, home: &Home<'_, '_>) -> bool {
        let Some(package) = home.namespace().name() else { return false };
        let whole =
            if package.is_empty() { home.name.to_owned() } else { format!("{package}.{}", home.name) };
        let imported: Vec<&str> =
            self.lines_of_imports().filter_map(|line| line.strip_prefix("import ")).map(str::trim).collect();
        let ending = format!(".{}", home.name);
        let renamed = format!(" as {}", home.name);
        if imported.iter().any(|one| (one.ends_with(&ending) && *one != whole) || one.ends_with(&renamed)) {
            return false;
        }
        let by_name = imported.contains(&whole.as_str());
        let everything = !package.is_empty() && imported.contains(&format!("{package}.*").as_str());
        let beside = self.types.namespace.name() == Some(package)
            && (!package.is_empty() || are_together(self.language, &self.path, home.lost.file.change.path()));
        by_name || everything || beside
    }

    fn uses_namespace(&self, home: &Home<'_, '_>) -> bool {
        let (Some(of), Some(own)) = (home.namespace().name(), self.types.namespace.name()) else {
            return false;
        };
        let given = |line: &str| line.contains('=') && mentions(line.as_bytes(), home.name);
        if self.lines_of_imports().any(given) {
            return false;
        }
        let beside = || are_together(self.language, &self.path, home.lost.file.change.path());
        match of {
            "" => beside(),
            _ => {
                let inside = own == of || own.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
                inside
                    || self
                        .lines_of_imports()
                        .any(|line| line.strip_prefix("using ").map(str::trim) == Some(of))
            }
        }
    }

    fn is_in_scope(&self, one: &TypeUse, home: &Home<'_, '_>) -> bool {
        let scope = home.scope();
        let before = one.before.trim_end_matches(':').rsplit(':').next().unwrap_or_default();
        match (scope, before) {
            ("", "") => true,
            (scope, "") => self.types.opened.contains(scope),
            (scope, before) => scope == before,
        }
    }

    /// `use App\Auth;`, a file of the same namespace, one that requires the file, or the whole name.
    fn names_in_php(&self, one: &TypeUse, home: &Home<'_, '_>) -> bool {
        let Some(of) = home.namespace().name() else { return false };
        let whole = if of.is_empty() { home.name.to_owned() } else { format!("{of}\\{}", home.name) };
        if let Some(rest) = one.before.strip_prefix('\\') {
            return format!("{rest}{}", home.name) == whole;
        }
        let used: Vec<&str> = self
            .lines_of_imports()
            .filter_map(|line| line.strip_prefix("use "))
            .map(|line| line.trim().trim_start_matches('\\'))
            .collect();
        let ending = format!("\\{}", home.name);
        let renamed = format!(" as {}", home.name);
        let is_other = |line: &&str| {
            (line.ends_with(&ending) && **line != whole)
                || line.ends_with(&renamed)
                || line.contains([',', '{'])
        };
        if !one.before.is_empty() || used.iter().any(is_other) {
            return false;
        }
        let own = self.types.namespace.name();
        used.contains(&whole.as_str())
            || (own == Some(of)
                && (!of.is_empty() || takes_in(&self.imports, &self.path, home.lost.file.change.path())))
    }

    /// In its package by its name, elsewhere behind the name of that.
    fn names_in_go(&self, one: &TypeUse, home: &Home<'_, '_>) -> bool {
        let lost = home.lost;
        let Some(package) = home.namespace().name() else { return false };
        let same_folder = are_together(self.language, &self.path, lost.file.change.path());
        let beside = same_folder && self.types.namespace == *home.namespace();
        let imports = || self.lines_of_imports().filter_map(import_of_go);
        match one.before.strip_suffix('.') {
            None => beside && one.before.is_empty() && !imports().any(|(alias, _)| alias == Some(".")),
            Some(before) => imports().any(|(alias, path)| {
                let leads = match &home.facts.go_path {
                    Some(known) => path == known,
                    None => {
                        let folder = lost.file.change.path().to_string();
                        let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
                        !folder.is_empty() && path.ends_with(&format!("/{folder}"))
                    }
                };
                leads && alias.unwrap_or(package) == before
            }),
        }
    }

    fn names_in_python(&self, one: &TypeUse, home: &Home<'_, '_>) -> bool {
        let path = home.lost.file.change.path();
        match one.before.strip_suffix('.') {
            Some(before) => self.bindings.iter().any(|known| known.stands_for(before, path)),
            None => {
                let brings = |known: &Binding| known.brings(home.name, path) && known.is_called(home.name);
                one.before.is_empty() && self.bindings.iter().any(brings)
            }
        }
    }

    fn imports_script(&self, home: &Home<'_, '_>) -> bool {
        let path = home.lost.file.change.path();
        let leads = |from: &str| leads_to(from, &self.path, path);
        let mut named = self.references.get(home.name).into_iter().flatten();
        let by_name = named.any(|one| matches!(&one.how, How::Imported { from } if leads(from)));
        let whole = |line: &str| {
            let (what, from) = line.strip_prefix("import ")?.split_once(" from ")?;
            (what.trim() == home.name).then(|| leads(from.trim().trim_matches(['"', '\''])))
        };
        by_name || self.lines_of_imports().any(|line| whole(line) == Some(true))
    }
}

/// `a "example.com/m/auth"`: the other name, and the path.
fn import_of_go(line: &str) -> Option<(Option<&str>, &str)> {
    let line = line.trim_start_matches("import").trim();
    let (alias, path) = line.split_once(['"', '`'])?;
    let path = path.split(['"', '`']).next()?;
    Some((Some(alias.trim()).filter(|alias| !alias.is_empty()), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_go_have_a_path_and_perhaps_another_name() {
        assert_eq!(import_of_go("\"m/auth\""), Some((None, "m/auth")));
        assert_eq!(import_of_go("a \"m/auth\""), Some((Some("a"), "m/auth")));
        assert_eq!(import_of_go(". \"m/auth\""), Some((Some("."), "m/auth")));
        assert_eq!(import_of_go("x"), None);
    }
}
