//! Who can see what a file offers.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use domain::change::{RepoPath, Side};

use super::lost::{Lost, Sort};
use super::manifest::{Manifest, is_incompatible, promises_nothing};
use super::rust::is_inner;
use super::{mentions, words};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::source::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Whoever uses the package.
    Library,
    /// As above, but the same change says that it does not fit its users any more.
    Declared,
    /// A library that is never published: no other repository gets it.
    Unpublished,
    /// Nobody outside the package: whatever used it is in the same repository and was compiled or tested with it.
    Internal,
    Unknown,
}

/// What was read already; `None` for what is not there.
type Texts = HashMap<(String, Side), Option<Rc<str>>>;

/// Answers by the manifest nearest to a file and, for Rust, by the modules above it, all at the base.
pub(super) struct Reaches<'c> {
    change: &'c ChangeContext<'c>,
    texts: RefCell<Texts>,
    /// By the path of a file: it may lose thousands of names, and is looked at once.
    seats: RefCell<HashMap<String, Rc<Seat>>>,
}

/// Who sees a file, and what of it.
struct Seat {
    reach: Reach,
    let_out: LetOut,
}

/// What the modules above a file show of it.
enum LetOut {
    Everything,
    /// The words of the `pub use` that speak of its module.
    Named(HashSet<Vec<u8>>),
}

impl Seat {
    fn whole(reach: Reach) -> Self {
        Seat { reach, let_out: LetOut::Everything }
    }

    fn reach_of(&self, name: &str) -> Reach {
        match &self.let_out {
            LetOut::Named(words) if !words.contains(name.trim_start_matches("r#").as_bytes()) => {
                Reach::Internal
            }
            LetOut::Everything | LetOut::Named(_) => self.reach,
        }
    }
}

/// Folders above a file are not deeper than this in any project.
const DEEPEST: usize = 12;

impl<'c> Reaches<'c> {
    pub(super) fn new(change: &'c ChangeContext<'c>) -> Self {
        Reaches { change, texts: RefCell::default(), seats: RefCell::default() }
    }

    fn text(&self, path: &str, side: Side) -> Option<Rc<str>> {
        let key = (path.to_owned(), side);
        if let Some(known) = self.texts.borrow().get(&key) {
            return known.clone();
        }
        let bytes = self.change.request.sources.read_path(&RepoPath::from(path), side).ok().flatten();
        let text: Option<Rc<str>> = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into());
        self.texts.borrow_mut().insert(key, text.clone());
        text
    }

    fn old(&self, path: &str) -> Option<Rc<str>> {
        self.text(path, Side::Old)
    }

    pub(super) fn of(&self, lost: &Lost<'_>) -> Reach {
        if lost.enclosed {
            return Reach::Internal;
        }
        let Some(old) = &lost.file.change.old else { return Reach::Unknown };
        let path = String::from_utf8_lossy(old.path.as_bytes()).into_owned();
        if matches!(lost.sort, Sort::Feature | Sort::Package) {
            return self.of_manifest(&path);
        }
        if let (Sort::Symbol, Some(package)) = (lost.sort, self.package_of(&path)) {
            return self.of_manifest(&joined(&package.root, "Cargo.toml"));
        }
        self.seat(lost.file, &old.path, path).reach_of(lost.outermost())
    }

    fn seat(&self, file: &FileContext<'_>, old: &RepoPath, path: String) -> Rc<Seat> {
        if let Some(known) = self.seats.borrow().get(&path) {
            return known.clone();
        }
        let seat = Rc::new(match file.language {
            Language::Rust => self.of_rust(&path),
            Language::Go => Seat::whole(of_go(file, old)),
            Language::Python => Seat::whole(self.of_python(&path)),
            Language::JavaScript | Language::TypeScript => Seat::whole(self.of_script(&path)),
            Language::Java | Language::Kotlin => Seat::whole(self.of_java(&path)),
            _ => Seat::whole(Reach::Unknown),
        });
        self.seats.borrow_mut().insert(path, seat.clone());
        seat
    }

    fn of_manifest(&self, path: &str) -> Reach {
        let root = path.strip_suffix("Cargo.toml").unwrap_or_default().trim_end_matches('/');
        let Some(text) = self.old(path) else { return Reach::Unknown };
        let manifest = Manifest::read(&text);
        match self.old(&joined(root, &library_in(&manifest))) {
            None => Reach::Unknown,
            Some(_) if self.is_unpublished(root, &manifest) => Reach::Unpublished,
            Some(_) if self.is_declared(root, &manifest) => Reach::Declared,
            Some(_) => Reach::Library,
        }
    }

    fn of_python(&self, path: &str) -> Reach {
        let private = path.split('/').any(|part| part.starts_with('_') && !part.starts_with("__"));
        let manifest = || self.nearest(path, &["pyproject.toml", "setup.py", "setup.cfg"]);
        match () {
            () if private => Reach::Internal,
            () if manifest().is_some_and(|text| text.contains("name")) => Reach::Library,
            () => Reach::Unknown,
        }
    }

    /// What is built for others says so; what is built to run, too.
    fn of_java(&self, path: &str) -> Reach {
        const PROGRAM: [&str; 6] =
            ["spring-boot", "springframework.boot", "<packaging>war", "mainClass", "'application'", "shadow"];
        let hidden = path.split('/').any(|part| ["internal", "impl"].contains(&part));
        let manifest = self.nearest(path, &["pom.xml", "build.gradle", "build.gradle.kts"]);
        match manifest {
            _ if hidden => Reach::Internal,
            Some(text) if PROGRAM.iter().any(|word| text.contains(word)) => Reach::Unknown,
            Some(text)
                if ["<artifactId>", "java-library", "publishing"].iter().any(|word| text.contains(word)) =>
            {
                Reach::Library
            }
            _ => Reach::Unknown,
        }
    }

    fn of_script(&self, path: &str) -> Reach {
        let manifest = self.nearest(path, &["package.json"]);
        let entry = path.rsplit('/').next().is_some_and(|name| name.starts_with("index."));
        let public = manifest.is_some_and(|text| !text.replace(' ', "").contains("\"private\":true"));
        if entry && public { Reach::Library } else { Reach::Unknown }
    }

    fn nearest(&self, path: &str, names: &[&str]) -> Option<Rc<str>> {
        above(path).find_map(|folder| names.iter().find_map(|name| self.old(&joined(folder, name))))
    }

    fn of_rust(&self, path: &str) -> Seat {
        let Some(Package { root, manifest }) = self.package_of(path) else {
            return Seat::whole(Reach::Unknown);
        };
        let library = joined(&root, &library_in(&manifest));
        let Some(lib) = self.old(&library) else {
            let elsewhere = manifest.get("lib.path").is_some();
            return Seat::whole(if elsewhere { Reach::Unknown } else { Reach::Internal });
        };
        let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
        let below = if folder.is_empty() { Some(path) } else { path.strip_prefix(folder) };
        let Some(rest) = below.map(|rest| rest.trim_start_matches('/')) else {
            return Seat::whole(Reach::Unknown);
        };
        let reach = match () {
            () if self.is_unpublished(&root, &manifest) => Reach::Unpublished,
            () if self.is_declared(&root, &manifest) => Reach::Declared,
            () => Reach::Library,
        };
        match path == library {
            true => Seat::whole(reach),
            false => Seat { reach, let_out: self.let_out(folder, rest, &lib) },
        }
    }

    /// By `src`, or by the nearest manifest that says that its library is elsewhere.
    fn package_of(&self, path: &str) -> Option<Package> {
        let read = |root: &str| {
            let manifest = Manifest::read(&self.old(&joined(root, "Cargo.toml"))?);
            Some(Package { root: root.to_owned(), manifest })
        };
        match root_of(path) {
            Some(root) => read(root),
            None => above(path).find_map(read).filter(|package| package.manifest.get("lib.path").is_some()),
        }
    }

    /// Down the modules from the root of the crate.
    fn let_out(&self, folder: &str, rest: &str, lib: &Rc<str>) -> LetOut {
        let mut texts = vec![without_inner(lib)];
        let mut folder = folder.to_owned();
        let modules = rest.trim_end_matches(".rs").split('/').filter(|part| !["mod", "lib"].contains(part));
        let mut modules = modules.take(DEEPEST).peekable();
        while let Some(module) = modules.next() {
            if !texts.last().is_some_and(|above| declares_public(above, module)) {
                let exported = exported(&texts, module);
                // All that a module offers is let out; what is below it has to be public in there.
                if modules.peek().is_none() || matches!(exported, LetOut::Named(_)) {
                    return exported;
                }
            }
            folder = joined(&folder, module);
            let Some(text) =
                self.old(&format!("{folder}.rs")).or_else(|| self.old(&format!("{folder}/mod.rs")))
            else {
                break;
            };
            texts.push(without_inner(&text));
        }
        LetOut::Everything
    }

    fn is_unpublished(&self, root: &str, manifest: &Manifest) -> bool {
        let refused =
            |manifest: &Manifest, key: &str| manifest.says(key, "false") || manifest.says(key, "[]");
        let inherits = manifest.says("package.publish.workspace", "true");
        refused(manifest, "package.publish")
            || (inherits
                && self.workspaces(root, Side::Old).any(|above| refused(&above, "workspace.package.publish")))
    }

    fn workspaces(&self, root: &str, side: Side) -> impl Iterator<Item = Manifest> {
        let inside = joined(root, "Cargo.toml");
        let folders: Vec<String> = above(&inside).map(str::to_owned).collect();
        folders.into_iter().filter_map(move |folder| {
            let text = self.text(&joined(&folder, "Cargo.toml"), side)?;
            Some(Manifest::read(&text)).filter(|manifest| manifest.has_table("workspace.package"))
        })
    }

    /// Whether the version is raised so far that nobody gets the change by accident, or promises nothing.
    fn is_declared(&self, root: &str, old: &Manifest) -> bool {
        let Some(new) = self.text(&joined(root, "Cargo.toml"), Side::New) else { return false };
        let version = |manifest: &Manifest, side: Side| match manifest.text("package.version") {
            Some(version) => Some(version.to_owned()),
            None => self
                .workspaces(root, side)
                .find_map(|above| above.text("workspace.package.version").map(str::to_owned)),
        };
        match (version(old, Side::Old), version(&Manifest::read(&new), Side::New)) {
            (Some(old), Some(new)) => is_incompatible(&old, &new) || promises_nothing(&new),
            _ => false,
        }
    }
}

/// A crate, at the base.
struct Package {
    root: String,
    manifest: Manifest,
}

/// Where its library begins.
fn library_in(manifest: &Manifest) -> String {
    manifest.text("lib.path").unwrap_or("src/lib.rs").trim_start_matches("./").to_owned()
}

/// The folder of the package that a source file belongs to, where it lies below `src`.
fn root_of(path: &str) -> Option<&str> {
    if path.starts_with("src/") { Some("") } else { path.split_once("/src/").map(|(root, _)| root) }
}

/// The folders around a file, from the nearest to the root.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let first = path.rsplit_once('/').map(|(folder, _)| folder);
    let folders = std::iter::successors(first, |folder| folder.rsplit_once('/').map(|(above, _)| above));
    folders.take(DEEPEST).chain(std::iter::once(""))
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn of_go(file: &FileContext<'_>, path: &RepoPath) -> Reach {
    let hidden = path.folders().any(|folder| [&b"internal"[..], b"cmd"].contains(&folder));
    let program = || {
        let text = file.base().map(Source::text).unwrap_or_default();
        text.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == b"package main")
    };
    if hidden || program() { Reach::Internal } else { Reach::Library }
}

/// As a line of its own, not hidden from the documentation by the lines above, and not only for those who ask for
/// what is unstable.
fn declares_public(text: &str, module: &str) -> bool {
    let private = format!("mod {module};");
    if text.lines().any(|line| line.trim() == private) {
        return false;
    }
    let mut hidden = false;
    for line in text.lines().map(str::trim) {
        let declared = line
            .strip_prefix("pub mod ")
            .and_then(|rest| rest.trim_start().split(['{', ';', ' ', '/']).next());
        if declared == Some(module) {
            return !hidden && !is_inner(module);
        }
        let above = line.starts_with("#[") || line.starts_with("//");
        hidden = above && (hidden || line.replace(' ', "").starts_with("#[doc(hidden"));
    }
    false
}

/// Without the modules in it that are public for the crate itself: what they bring out, nobody else was promised.
fn without_inner(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let (mut depth, mut hidden) = (0, false);
    for line in text.lines() {
        let code = line.trim();
        let name = code.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix('{')).map(str::trim);
        if depth > 0 || name.is_some_and(|name| hidden || is_inner(name)) {
            depth += code.matches('{').count();
            depth = depth.saturating_sub(code.matches('}').count());
            continue;
        }
        let above = code.starts_with("#[") || code.starts_with("//");
        hidden = above && (hidden || code.replace(' ', "").starts_with("#[doc(hidden"));
        left.push_str(line);
        left.push('\n');
    }
    left
}

/// What the `pub use` of these texts bring out of the module: some names, or all there is.
fn exported(texts: &[String], module: &str) -> LetOut {
    let statements = texts.iter().flat_map(|text| text.split(';')).filter_map(|statement| {
        statement.find("pub use ").or_else(|| statement.find("pub use\n")).map(|at| &statement[at..])
    });
    let mut named = HashSet::new();
    for statement in statements.filter(|statement| mentions(statement.as_bytes(), module)) {
        if statement.contains('*') {
            return LetOut::Everything;
        }
        named.extend(words(statement.as_bytes()).map(<[u8]>::to_vec));
    }
    LetOut::Named(named)
}
