//! Linters whose settings a change takes away altogether, so that they ask for nothing but what they would ask of anybody.

use std::cell::Cell;
use std::collections::HashSet;

use domain::change::RepoPath;

use crate::context::{ChangeContext, FileContext};
use crate::source::Source;

/// What a linter looks at. One linter may take the place of another that looks at the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Python,
    PythonTypes,
    Script,
    Styles,
    Go,
    Rust,
    Ruby,
    Php,
    Swift,
    Kotlin,
}

impl Kind {
    /// How the names of the files end that it looks at.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Kind::Python | Kind::PythonTypes => &["py", "pyi"],
            Kind::Script => &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
            Kind::Styles => &["css", "scss", "less", "sass"],
            Kind::Go => &["go"],
            Kind::Rust => &["rs"],
            Kind::Ruby => &["rb"],
            Kind::Php => &["php"],
            Kind::Swift => &["swift"],
            Kind::Kotlin => &["kt", "kts"],
        }
    }

    /// By the name of a file that has nothing else in it.
    fn of_name(name: &str) -> Option<Kind> {
        let begins =
            |word: &str| name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        Some(match name {
            "ruff.toml" | ".ruff.toml" | ".flake8" | ".pylintrc" | "pylintrc" => Kind::Python,
            "mypy.ini" | ".mypy.ini" | "pyrightconfig.json" => Kind::PythonTypes,
            "biome.json" | "biome.jsonc" | ".oxlintrc.json" | "tslint.json" => Kind::Script,
            "clippy.toml" | ".clippy.toml" => Kind::Rust,
            ".rubocop.yml" => Kind::Ruby,
            "psalm.xml" | "phpcs.xml" | "phpcs.xml.dist" => Kind::Php,
            ".swiftlint.yml" => Kind::Swift,
            "detekt.yml" => Kind::Kotlin,
            _ if is_copy(name) => return None,
            _ if begins(".eslintrc") || begins("eslint.config") => Kind::Script,
            _ if begins(".stylelintrc") || begins("stylelint.config") => Kind::Styles,
            _ if begins(".golangci") => Kind::Go,
            _ if begins("phpstan.neon") => Kind::Php,
            _ => return None,
        })
    }

    /// By what a file says that is about much else besides.
    fn of_section(name: &str, text: &[u8]) -> Vec<Kind> {
        let signs: &[(&str, Kind)] = match name {
            "pyproject.toml" => &[
                ("[tool.ruff", Kind::Python),
                ("[tool.flake8", Kind::Python),
                ("[tool.pylint", Kind::Python),
                ("[tool.mypy", Kind::PythonTypes),
                ("[tool.pyright", Kind::PythonTypes),
                ("[tool.basedpyright", Kind::PythonTypes),
            ],
            "setup.cfg" | "tox.ini" => {
                &[("[flake8", Kind::Python), ("[pylint", Kind::Python), ("[mypy", Kind::PythonTypes)]
            }
            "package.json" => &[("\"eslintConfig\"", Kind::Script), ("\"stylelint\"", Kind::Styles)],
            "Cargo.toml" => &[("lints.clippy]", Kind::Rust)],
            _ => &[],
        };
        let says = |sign: &str| match sign.starts_with('[') {
            true => text.split(|byte| *byte == b'\n').any(|line| line.starts_with(sign.as_bytes())),
            false => memchr::memmem::find(text, sign.as_bytes()).is_some(),
        };
        signs.iter().filter(|(sign, _)| says(sign)).map(|(_, kind)| *kind).collect()
    }
}

/// `.eslintrc.json.bak` is read by nobody.
pub(super) fn is_copy(name: &str) -> bool {
    [".bak", ".old", ".orig", ".disabled", ".off", ".example", ".sample"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Files that may have sections about linters.
const SECTIONED: [&str; 5] = ["pyproject.toml", "setup.cfg", "tox.ini", "package.json", "Cargo.toml"];

/// Nothing is read of files that have other names.
fn kinds<'s>(path: &RepoPath, source: impl FnOnce() -> Option<&'s Source>) -> Vec<Kind> {
    let name = String::from_utf8_lossy(path.file_name());
    match Kind::of_name(&name) {
        Some(kind) => vec![kind],
        None if SECTIONED.contains(&name.as_ref()) => {
            source().map(|source| Kind::of_section(&name, source.text())).unwrap_or_default()
        }
        None => Vec::new(),
    }
}

fn before(file: &FileContext<'_>) -> Vec<Kind> {
    let path = file.change.old.as_ref().map(|side| &side.path);
    path.map(|path| kinds(path, || file.base())).unwrap_or_default()
}

fn after(file: &FileContext<'_>) -> Vec<Kind> {
    let path = file.change.new.as_ref().map(|side| &side.path);
    path.map(|path| kinds(path, || file.head())).unwrap_or_default()
}

/// Files that are looked at to know whether something is left that a linter could look at.
const MOST_FILES: usize = 400;

/// A path with more folders is not walked to its beginning.
const MOST_FOLDERS: usize = 12;

/// More files with settings than this are not asked after.
const MOST_ASKED: u32 = 50;

/// The files of a change that have, or had, the settings of linters.
pub(super) struct Linters<'c> {
    change: &'c ChangeContext<'c>,
    setting: Vec<&'c FileContext<'c>>,
    /// All that the change touched, by the name it had.
    touched: HashSet<&'c RepoPath>,
    left: Cell<u32>,
}

impl<'c> Linters<'c> {
    pub(super) fn of(change: &'c ChangeContext<'c>) -> Self {
        let setting: Vec<_> = change.files.iter().filter(|file| may_set(file)).collect();
        let olds = change.files.iter().filter_map(|file| Some(&file.change.old.as_ref()?.path));
        let touched = if setting.is_empty() { HashSet::new() } else { olds.collect() };
        Linters { change, setting, touched, left: Cell::new(MOST_ASKED) }
    }

    /// Whether a file had the settings of a linter, and no file has them now that counts there.
    pub(super) fn is_unset(&self, file: &FileContext<'_>) -> bool {
        let had = before(file);
        let Some(left) = self.left.get().checked_sub(1).filter(|_| !had.is_empty()) else { return false };
        self.left.set(left);
        let has = after(file);
        had.into_iter().any(|kind| {
            !has.contains(&kind)
                && !self.is_set_elsewhere(file, |other| other == kind)
                && !self.is_set_above(file, kind)
                && self.has_more_to_look_at(file, kind)
        })
    }

    /// Whether another file of the change has the settings now that this one had.
    pub(super) fn takes_over(&self, file: &FileContext<'_>) -> bool {
        let had = before(file);
        !had.is_empty() && self.is_set_elsewhere(file, |kind| had.contains(&kind))
    }

    /// Whether a manifest of Rust asks for lints since the change.
    pub(super) fn denies_in_manifest(&self) -> bool {
        const SIGNS: [&[u8]; 3] = [b"lints", b"\"deny\"", b"\"forbid\""];
        let manifests = self.setting.iter().filter(|file| file.change.path().file_name() == b"Cargo.toml");
        let has = |line: &[u8]| SIGNS.iter().any(|sign| memchr::memmem::find(line, sign).is_some());
        manifests.flat_map(|file| file.added()).any(|line| has(line.text))
    }

    fn is_set_elsewhere(&self, file: &FileContext<'_>, is_wanted: impl Fn(Kind) -> bool) -> bool {
        self.setting.iter().filter(|other| !std::ptr::eq(other.change, file.change)).any(|other| {
            let had = before(other);
            after(other).into_iter().any(|kind| is_wanted(kind) && !had.contains(&kind))
        })
    }

    /// Whether settings in the same folder or one above it count instead, which the change leaves alone.
    fn is_set_above(&self, file: &FileContext<'_>, kind: Kind) -> bool {
        let mut above = Some(folder(file.change.path()));
        for _ in 0..MOST_FOLDERS {
            let Some(here) = above else { return false };
            let listed = self.beside(here);
            let mut others = listed.iter().filter(|path| !self.touched.contains(path));
            if others.any(|path| Kind::of_name(&String::from_utf8_lossy(path.file_name())) == Some(kind)) {
                return true;
            }
            above = (!here.is_empty()).then(|| parent(here));
        }
        false
    }

    /// The files of a folder at the base.
    fn beside(&self, folder: &[u8]) -> Vec<RepoPath> {
        let sources = self.change.request.sources;
        let path = RepoPath::from_bytes(folder.to_vec());
        if !folder.is_empty() {
            return sources.list_base(&path).unwrap_or_default();
        }
        // Of the root only all that is below it can be had, with what is at the top in front.
        let mut listed = sources.list_base_below(&path, MOST_FILES).unwrap_or_default();
        listed.retain(|path| !path.as_bytes().contains(&b'/'));
        listed
    }

    /// Whether anything that the linter looked at is still there: settings go with what they are for.
    fn has_more_to_look_at(&self, file: &FileContext<'_>, kind: Kind) -> bool {
        let here = folder(file.change.path());
        let fits = |path: &RepoPath| kind.extensions().contains(&path.extension().as_str());
        let is_below = |path: &RepoPath| {
            let rest = path.as_bytes().strip_prefix(here);
            rest.is_some_and(|rest| here.is_empty() || rest.starts_with(b"/"))
        };
        let mut at_head = self.change.files.iter().filter_map(|file| Some(&file.change.new.as_ref()?.path));
        let sources = self.change.request.sources;
        let at_base = || sources.list_base_below(&RepoPath::from_bytes(here.to_vec()), MOST_FILES);
        at_head.any(|path| is_below(path) && fits(path))
            || at_base().unwrap_or_default().iter().any(|path| fits(path) && !self.touched.contains(path))
    }
}

/// By the name it has or had.
fn may_set(file: &FileContext<'_>) -> bool {
    [&file.change.old, &file.change.new].into_iter().flatten().any(|side| {
        let name = String::from_utf8_lossy(side.path.file_name());
        SECTIONED.contains(&name.as_ref()) || Kind::of_name(&name).is_some()
    })
}

fn folder(path: &RepoPath) -> &[u8] {
    parent(path.as_bytes())
}

/// The folder around; empty for what is at the root.
fn parent(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(&[][..], |end| &path[..end])
}
