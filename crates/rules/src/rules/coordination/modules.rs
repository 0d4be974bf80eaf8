//! Which file a name comes from, where imports say it by a path: in Python and in scripts.

use domain::change::RepoPath;

use super::moved::{SCRIPT, stem};
use crate::language::Language;
use crate::syntax::{Node, Notion, Tree};

/// A name that a file has from another.
#[derive(Debug)]
pub(super) struct Binding {
    /// As the file calls it; empty for all that is there.
    name: String,
    /// As the other file calls it, unless the other file itself is meant.
    what: Option<String>,
    from: Origin,
}

#[derive(Debug)]
enum Origin {
    /// The end of a path: where it begins is not said.
    Below(Vec<String>),
    /// From the top of the repository.
    Path(Vec<String>),
}

/// More imports nobody writes by hand.
const MOST: usize = 2_000;

pub(super) fn bindings(tree: &Tree, path: &RepoPath) -> Vec<Binding> {
    let folder: Vec<String> =
        path.folders().map(|folder| String::from_utf8_lossy(folder).into_owned()).collect();
    let found = tree.all(Notion::Import).flat_map(|import| of_python(import, &folder)).take(MOST);
    if tree.table().language() == Language::Python { found.collect() } else { Vec::new() }
}

fn of_python(import: Node<'_>, folder: &[String]) -> Vec<Binding> {
    let listed = import.children().filter(|child| child.field() == "name");
    let path = |one: Node<'_>| one.child("name").unwrap_or(one).text().into_owned();
    let alias = |one: Node<'_>| one.child("alias").map(|alias| alias.text().into_owned());
    let Some(module) = import.child("module_name").map(|module| module.text().into_owned()) else {
        return listed
            .map(|one| {
                let (module, alias) = (path(one), alias(one));
                Binding {
                    name: alias.unwrap_or_else(|| module.clone()),
                    what: None,
                    from: from(&module, folder),
                }
            })
            .collect();
    };
    if import.child_of(&["wildcard_import"]).is_some() {
        return vec![Binding { name: String::new(), what: None, from: from(&module, folder) }];
    }
    listed
        .map(|one| {
            let (what, alias) = (path(one), alias(one));
            let name = alias.unwrap_or_else(|| what.clone());
            Binding { name, what: Some(what), from: from(&module, folder) }
        })
        .collect()
}

fn from(module: &str, folder: &[String]) -> Origin {
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let parts = name.split('.').filter(|part| !part.is_empty()).map(|part| part.trim().to_owned());
    match dots {
        0 => Origin::Below(parts.collect()),
        _ => {
            let above = folder.len().saturating_sub(dots - 1);
            Origin::Path(folder[..above].iter().cloned().chain(parts).collect())
        }
    }
}

impl Binding {
    /// Whether the file calls by `name` what `home` calls so, or had it from a package around `home`.
    pub(super) fn brings(&self, name: &str, home: &RepoPath) -> bool {
        (self.is_everything() || self.what.as_deref() == Some(name)) && self.from.may_be(&parts_of(home))
    }

    /// Whether it is what a word alone, or in front of a dot, stands for.
    pub(super) fn is_called(&self, word: &str) -> bool {
        self.name.rsplit('.').next() == Some(word)
    }

    /// `from auth import *`
    pub(super) fn is_everything(&self) -> bool {
        self.name.is_empty()
    }

    /// Whether `word`, in front of a dot, stands for `home` or for a package around it.
    pub(super) fn stands_for(&self, word: &str, home: &RepoPath) -> bool {
        let home = parts_of(home);
        self.is_called(word)
            && match (&self.what, &self.from) {
                (None, from) => from.may_be(&home),
                (Some(what), Origin::Below(parts)) => {
                    let module: Vec<String> = parts.iter().chain([what]).cloned().collect();
                    Origin::Below(module).may_be(&home)
                }
                (Some(what), Origin::Path(parts)) => {
                    let module: Vec<String> = parts.iter().chain([what]).cloned().collect();
                    Origin::Path(module).may_be(&home)
                }
            }
    }
}

impl Origin {
    /// Whether it leads to the file, or to a package around it, which may hand on what is inside.
    fn may_be(&self, home: &[String]) -> bool {
        match self {
            Origin::Path(path) => home.starts_with(path) && home.len() - path.len() <= 1,
            Origin::Below(path) => {
                // The repository may be called like the package.
                let outside = home.len() > 1 && path.ends_with(home);
                let around = &home[..home.len().saturating_sub(1)];
                outside || (!path.is_empty() && (home.ends_with(path) || around.ends_with(path)))
            }
        }
    }
}

/// `["pkg", "auth"]` of `pkg/auth.py`.
fn parts_of(path: &RepoPath) -> Vec<String> {
    let path = path.to_string();
    stem(&path, Language::Python).split('/').map(str::to_owned).collect()
}

/// Whether the path in an import of a script, `./auth`, leads from one file to the other, or to the front of a folder
/// around that.
pub(super) fn leads_to(source: &str, from: &RepoPath, home: &RepoPath) -> bool {
    let mut parts: Vec<String> =
        from.folders().map(|folder| String::from_utf8_lossy(folder).into_owned()).collect();
    for part in source.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            name => parts.push(name.to_owned()),
        }
    }
    let written = parts.join("/");
    let written = SCRIPT.iter().find_map(|ending| written.strip_suffix(ending)).unwrap_or(&written);
    let written = written.strip_suffix("/index").unwrap_or(written);
    let home = home.to_string();
    let home = stem(&home, Language::TypeScript);
    home.strip_prefix(written).is_some_and(|rest| {
        let inside = if written.is_empty() { Some(rest) } else { rest.strip_prefix('/') };
        rest.is_empty() || inside.is_some_and(|inside| !inside.contains('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brings(module: &str, home: &str) -> bool {
        let from = from(module, &["a".to_owned(), "b".to_owned()]);
        Binding { name: "f".to_owned(), what: Some("f".to_owned()), from }.brings("f", &home.into())
    }

    #[test]
    fn a_module_is_where_its_path_leads() {
        for (module, home) in [
            ("auth", "src/auth.py"),
            ("pkg.auth", "src/pkg/auth.py"),
            ("pkg", "src/pkg/auth.py"),
            ("repo.pkg.auth", "pkg/auth.py"),
            (".auth", "a/b/auth.py"),
            ("..auth", "a/auth/__init__.py"),
            (".", "a/b/auth.py"),
        ] {
            assert!(brings(module, home), "{module} {home}");
        }
        for (module, home) in [
            ("slugify", "a/utils.py"),
            ("django.utils.text", "a/text.py"),
            ("django.utils.text", "text.py"),
            (".auth", "c/auth.py"),
            ("more_itertools", "a/utils.py"),
        ] {
            assert!(!brings(module, home), "{module} {home}");
        }
    }

    #[test]
    fn a_script_is_where_its_path_leads() {
        let leads = |source: &str, home: &str| leads_to(source, &"src/web/a.ts".into(), &home.into());
        assert!(leads("./b", "src/web/b.ts"));
        assert!(leads("../api", "src/api/index.ts"));
        assert!(leads("../api", "src/api/user.ts"), "handed on by the front of the folder");
        assert!(leads("./b.js", "src/web/b.ts"));
        assert!(!leads("./b", "src/b.ts"));
        assert!(!leads("../../../b", "b.ts"));
    }
}
