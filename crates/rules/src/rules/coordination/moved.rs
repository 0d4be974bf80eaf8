//! Files that a change moved or removed, and imports that still look for them where they were.

use std::collections::HashSet;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::Severity;

use super::callers::{AROUND, Stale, Still};
use super::lost::{Line, Loss, Lost, Proof, Sort};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::neighbours;
use crate::syntax::{Node, Notion, Tree};

/// A file that is no longer where somebody looks for it.
pub(super) struct Abandoned<'f> {
    pub(super) lost: Lost<'f>,
    pub(super) stale: Stale,
}

pub(super) const SCRIPT: [&str; 8] = [".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"];

/// Only where a path says for sure which file is meant: relative imports of scripts and of Python, whole names of
/// modules and classes in Python and Java.
pub(super) fn left_behind<'f>(change: &'f ChangeContext<'f>) -> Vec<Abandoned<'f>> {
    let moved: Vec<&FileContext<'f>> = change.files.iter().filter(|file| is_moved(file)).collect();
    if moved.len() > MOST_MOVED {
        return Vec::new();
    }
    let gone: Vec<Gone<'f>> = moved.into_iter().filter_map(|file| Gone::of(change, file)).collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let languages: HashSet<Language> =
        gone.iter().flat_map(|one| importing(one.file.language)).copied().collect();
    let mut found: Vec<Abandoned<'f>> = Vec::new();
    let mut look = |path: &RepoPath, tree: &Tree, language: Language| {
        for (line, target) in targets(path, tree, language) {
            let meant = gone.iter().find(|one| {
                importing(one.file.language).contains(&language)
                    && one.module == target
                    && one.path != path.to_string()
            });
            let told = |one: &Gone<'_>| found.iter().any(|known| std::ptr::eq(known.lost.file, one.file));
            if let Some(one) = meant.filter(|one| !told(one)) {
                let how = Still::Imports;
                let (severity, confidence) = (Severity::High, Confidence::Medium);
                let stale = Stale { path: path.clone(), line, how, severity, confidence };
                found.push(Abandoned { lost: one.lost(), stale });
            }
        }
    };
    for file in
        change.files.iter().filter(|file| file.skipped.is_none() && languages.contains(&file.language))
    {
        if let Some(tree) = file.tree() {
            look(file.change.path(), tree, file.language);
        }
    }
    let homes: Vec<&FileContext<'_>> = gone.iter().map(|one| one.file).collect();
    for language in languages {
        for one in neighbours(change, &homes, language, AROUND) {
            if let Some(tree) = one.tree() {
                look(&one.path, tree, language);
            }
        }
    }
    found
}

/// Where more moved, the repository is put in another order, and whoever does that looks for what is left behind.
const MOST_MOVED: usize = 200;

/// Whether a file that others may import is no longer where it was.
fn is_moved(file: &FileContext<'_>) -> bool {
    let old = file.change.old.as_ref().map(|old| &old.path);
    let new = file.change.new.as_ref().map(|new| &new.path);
    old.is_some() && old != new && !importing(file.language).is_empty() && !file.is_test_file()
}

/// Who may import a file of that language.
fn importing(language: Language) -> &'static [Language] {
    match language {
        Language::Python => &[Language::Python],
        Language::JavaScript | Language::TypeScript => &[Language::JavaScript, Language::TypeScript],
        Language::Java => &[Language::Java],
        _ => &[],
    }
}

struct Gone<'f> {
    file: &'f FileContext<'f>,
    path: String,
    /// As imports are resolved: a path without its ending, or the whole name of a class.
    module: Target,
}

/// What an import looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// From the top of the repository.
    Path(String),
    /// A name of which only the end of the path is known: `pkg/auth` may be below `src`.
    Name(String),
}

impl<'f> Gone<'f> {
    fn of(change: &ChangeContext<'_>, file: &'f FileContext<'f>) -> Option<Self> {
        let old = &file.change.old.as_ref()?.path;
        let path = old.to_str()?.to_owned();
        let stem = stem(&path, file.language);
        let there = |path: &str| {
            change.request.sources.read_path(&RepoPath::from(path), Side::New).ok().flatten().is_some()
        };
        let stands_in = match file.language {
            Language::Python => {
                there(&format!("{stem}.py"))
                    || there(&format!("{stem}/__init__.py"))
                    || there(&format!("{stem}.pyi"))
            }
            Language::Java => {
                let name = class_of(&path);
                let arrives = |other: &FileContext<'_>| {
                    let new = other.change.new.as_ref().and_then(|new| new.path.to_str());
                    new.is_some_and(|new| class_of(new) == name)
                };
                change.files.iter().any(arrives)
            }
            _ => {
                SCRIPT.iter().any(|ending| {
                    there(&format!("{stem}{ending}")) || there(&format!("{stem}/index{ending}"))
                }) || [".vue", ".svelte", ".json", ".d.ts"]
                    .iter()
                    .any(|ending| there(&format!("{stem}{ending}")))
            }
        };
        let module = match file.language {
            Language::Java => Target::Name(class_of(&path)),
            _ => Target::Path(stem),
        };
        (!stands_in).then_some(Gone { file, path, module })
    }

    fn lost(&self) -> Lost<'f> {
        let loss = match &self.file.change.new {
            Some(new) => Loss::Altered { how: format!("moved to {}", new.path) },
            None => Loss::Gone,
        };
        Lost {
            file: self.file,
            sort: Sort::Module,
            name: self.path.clone(),
            container: String::new(),
            has_receiver: false,
            arity: None,
            deprecated: false,
            own: false,
            enclosed: false,
            loss,
            proof: Proof::Certain,
            line: Line::Old(1),
        }
    }
}

/// A path as imports write it: without its ending, and without the name that stands for the whole folder.
pub(super) fn stem(path: &str, language: Language) -> String {
    if language == Language::Python {
        let path = path.strip_suffix(".py").unwrap_or(path);
        return path.strip_suffix("/__init__").unwrap_or(path).to_owned();
    }
    let path = SCRIPT.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path).to_owned()
}

/// `com.acme.Auth` of `src/main/java/com/acme/Auth.java`.
fn class_of(path: &str) -> String {
    let path = path.strip_suffix(".java").unwrap_or(path);
    let roots = ["src/main/java/", "src/test/java/", "src/"];
    let inside = roots.into_iter().find_map(|root| path.rfind(root).map(|at| &path[at + root.len()..]));
    inside.unwrap_or(path).replace('/', ".")
}

/// What a file imports, with the line.
fn targets(path: &RepoPath, tree: &Tree, language: Language) -> Vec<(u32, Target)> {
    let Some(path) = path.to_str() else { return Vec::new() };
    let folder: Vec<&str> =
        path.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
    match language {
        Language::Python => tree
            .all(Notion::Import)
            .flat_map(|import| of_python(&folder, import))
            .take(MOST_IMPORTS)
            .collect(),
        Language::Java => tree.all(Notion::Import).filter_map(of_java).collect(),
        _ => {
            let sources =
                tree.root().descendants().filter(|node| node.kind() == "string" && is_source(*node));
            sources.filter_map(|source| of_script(&folder, source)).collect()
        }
    }
}

/// Behind `from`, or in `require(..)`.
fn is_source(string: Node<'_>) -> bool {
    let statement =
        string.parent().is_some_and(|around| around.is_kind(&["import_statement", "export_statement"]));
    let required = || {
        let call =
            string.parent().and_then(|list| list.parent()).filter(|call| call.kind() == "call_expression");
        call.and_then(|call| call.child("function")).is_some_and(|name| name.bytes() == b"require")
    };
    (statement && string.field() == "source") || required()
}

fn of_script(folder: &[&str], source: Node<'_>) -> Option<(u32, Target)> {
    let text = source.text();
    let path = text.trim_matches(['"', '\'', '`']);
    if !path.starts_with("./") && !path.starts_with("../") {
        return None;
    }
    let mut parts = folder.to_vec();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some((source.line(), Target::Path(stem(&parts.join("/"), Language::TypeScript))))
}

fn of_java(import: Node<'_>) -> Option<(u32, Target)> {
    let text = import.text();
    let name = text.trim_start_matches("import").trim_end_matches(';').trim();
    let is_static = name.starts_with("static ");
    let name = name.trim_start_matches("static ").trim();
    let name = if is_static { name.rsplit_once('.')?.0 } else { name };
    (!name.ends_with('*')).then(|| (import.line(), Target::Name(name.to_owned())))
}

/// Not where the import may fail. Of whole names those that begin in the folder of the file, in one above it, or in
/// the sources of the repository: all of them are looked for.
fn of_python(folder: &[&str], import: Node<'_>) -> Vec<(u32, Target)> {
    let tried = import.ancestors().any(|around| around.is_kind(&["try_statement", "if_statement"]));
    if tried {
        return Vec::new();
    }
    let line = import.line();
    let names = || import.children().filter(|child| child.field() == "name");
    let name_of = |one: Node<'_>| one.child("name").unwrap_or(one).text().into_owned();
    let mut modules: Vec<String> = Vec::new();
    match import.child("module_name") {
        Some(module) => {
            let text = module.text().into_owned();
            if text.trim_start_matches('.').is_empty() {
                // What stands in a package may be one of its modules, or a name that its front gives.
                return Vec::new();
            }
            modules.push(text);
        }
        None => modules.extend(names().map(name_of)),
    }
    modules
        .iter()
        .flat_map(|module| resolved(folder, module))
        .map(|path| (line, Target::Path(path)))
        .take(MOST_IMPORTS)
        .collect()
}

/// A file that looks for more is not written by hand.
const MOST_IMPORTS: usize = 5_000;

fn resolved(folder: &[&str], module: &str) -> Vec<String> {
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let inside = name.replace('.', "/");
    let below = |parts: &[&str]| {
        if parts.is_empty() { inside.clone() } else { format!("{}/{inside}", parts.join("/")) }
    };
    match dots {
        // The first word has to be a package of its own: a single one may be anybody's.
        0 if !name.contains('.') => vec![below(folder)],
        0 => {
            (0..=folder.len()).map(|depth| below(&folder[..depth])).chain([format!("src/{inside}")]).collect()
        }
        _ => folder.len().checked_sub(dots - 1).map(|depth| below(&folder[..depth])).into_iter().collect(),
    }
}
