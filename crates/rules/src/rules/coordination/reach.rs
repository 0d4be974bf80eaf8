//! Who can see what a file offers.

use domain::change::{RepoPath, Side};

use super::mentions;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::source::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Whoever uses the package.
    Library,
    /// Nobody outside the package: whatever used it is in the same repository and was compiled or tested with it.
    Internal,
    Unknown,
}

/// By the manifest nearest to the file and, for Rust, by the modules above it, all at the base.
pub(super) fn reach(change: &ChangeContext<'_>, file: &FileContext<'_>, name: &str) -> Reach {
    let Some(old) = &file.change.old else { return Reach::Unknown };
    let path = String::from_utf8_lossy(old.path.as_bytes()).into_owned();
    let read = |path: &str| {
        let text = change.request.sources.read_path(&RepoPath::from(path), Side::Old).ok().flatten();
        text.map(|text| String::from_utf8_lossy(&text).into_owned())
    };
    match file.language {
        Language::Rust => of_rust(&path, name, &read),
        Language::Go => {
            let hidden = old.path.folders().any(|folder| [&b"internal"[..], b"cmd"].contains(&folder));
            let program = || {
                let text = file.base().map(Source::text).unwrap_or_default();
                text.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == b"package main")
            };
            if hidden || program() { Reach::Internal } else { Reach::Library }
        }
        Language::Python => {
            let private = path.split('/').any(|part| part.starts_with('_') && !part.starts_with("__"));
            let manifest = || nearest(&path, &["pyproject.toml", "setup.py", "setup.cfg"], &read);
            match () {
                () if private => Reach::Internal,
                () if manifest().is_some_and(|text| text.contains("name")) => Reach::Library,
                () => Reach::Unknown,
            }
        }
        Language::JavaScript | Language::TypeScript => {
            let manifest = nearest(&path, &["package.json"], &read);
            let entry = path.rsplit('/').next().is_some_and(|name| name.starts_with("index."));
            let public = manifest.is_some_and(|text| !text.replace(' ', "").contains("\"private\":true"));
            if entry && public { Reach::Library } else { Reach::Unknown }
        }
        _ => Reach::Unknown,
    }
}

/// Folders above a file are not deeper than this in any project.
const DEEPEST: usize = 12;

fn nearest(path: &str, names: &[&str], read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let folders = std::iter::successors(path.rsplit_once('/').map(|(folder, _)| folder), |folder| {
        folder.rsplit_once('/').map(|(above, _)| above)
    });
    let root = std::iter::once("");
    folders.take(DEEPEST).chain(root).find_map(|folder| {
        let joined =
            |name: &&str| if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
        names.iter().find_map(|name| read(&joined(name)))
    })
}

fn of_rust(path: &str, name: &str, read: &impl Fn(&str) -> Option<String>) -> Reach {
    let inside = path.strip_prefix("src/").map(|rest| ("", rest));
    let Some((root, rest)) = inside.or_else(|| path.split_once("/src/")) else { return Reach::Unknown };
    let at = |file: &str| if root.is_empty() { file.to_owned() } else { format!("{root}/{file}") };
    let Some(manifest) = read(&at("Cargo.toml")) else { return Reach::Unknown };
    let Some(mut above) = read(&at("src/lib.rs")) else { return Reach::Internal };
    let mut folder = String::from("src");
    let modules = rest.trim_end_matches(".rs").split('/').filter(|part| !["mod", "lib"].contains(part));
    for module in modules.take(DEEPEST) {
        if !declares_public(&above, module) {
            if !exports(&above, module, name) {
                return Reach::Internal;
            }
            break;
        }
        folder = format!("{folder}/{module}");
        let Some(text) =
            read(&at(&format!("{folder}.rs"))).or_else(|| read(&at(&format!("{folder}/mod.rs"))))
        else {
            break;
        };
        above = text;
    }
    if manifest.replace(' ', "").contains("publish=false") { Reach::Unknown } else { Reach::Library }
}

fn declares_public(text: &str, module: &str) -> bool {
    let declares = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub mod ");
        rest.is_some_and(|rest| rest.trim_start().trim_end_matches(['{', ';', ' ', '\r']) == module)
    };
    text.lines().any(declares)
}

/// Whether one of its `pub use` brings out the name, or all there is, of the module.
fn exports(text: &str, module: &str, name: &str) -> bool {
    let statements = text.split(';').filter_map(|statement| {
        statement.find("pub use ").or_else(|| statement.find("pub use\n")).map(|at| &statement[at..])
    });
    statements
        .filter(|statement| mentions(statement.as_bytes(), module))
        .any(|statement| statement.contains('*') || mentions(statement.as_bytes(), name))
}
