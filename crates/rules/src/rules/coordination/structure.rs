use std::borrow::Cow;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::Epic;

use super::listed;
use super::places::Places;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("directory-structure"),
    title: text("A new file outside every place that the epic lists"),
    why: text(
        "The tickets of the epic agreed on where things are; what lies elsewhere is not found, or is built twice",
    ),
    fix: text("Move the file to one of the listed places or update epic coordination requirements"),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Looks at files that the change adds or moves.
///
/// A test file is fine outside the places if it mirrors what is inside: if one of its folders is called like a listed
/// place, or if a file of the change that is where it belongs has the same name without the marks of a test. Other
/// test files outside are a remark, not more, since epics rarely list where tests go. Lock files, generated and
/// vendored ones, the epic and its tickets may be anywhere, and so may what has its place by convention: what is no code at
/// the top of the repository, and files that make a listed folder a module. What the epic does not speak of is not
/// forbidden: documents and settings in folders of their own are a remark.
pub(crate) struct DirectoryStructure;

impl ChangeRule for DirectoryStructure {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(epic) = &change.request.order.epic else { return };
        let listed_paths = &epic.coordination.directory_structure;
        if listed_paths.is_empty() {
            return;
        }
        let places = Places::of(listed_paths.iter().map(|place| place.path.as_str()));
        let names: Vec<String> = listed_paths.iter().map(|place| format!("`{}`", place.path)).collect();
        for file in change.files.iter().filter(|file| file.skipped.is_none()) {
            let Some(path) =
                file.new_path().filter(|path| !places.hold(path) && !is_order(change, epic, path))
            else {
                continue;
            };
            if file.is_test_file() && mirrors(change, &places, path) {
                continue;
            }
            let severity = match () {
                () if is_at_home(path, &places) => continue,
                () if file.is_test_file() => Severity::Medium,
                () if is_free(path, &places) => Severity::Low,
                () => Severity::High,
            };
            let message =
                format!("{path} is outside the directory structure of the epic: {}", listed(&names));
            report.add_in(file.change, Draft::file(message).severity(severity));
        }
    }
}

/// Files by which a folder above a listed place lets others in.
const FRONTS: [&str; 8] = [
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "index.ts",
    "index.js",
    "package-info.java",
    "module-info.java",
    "doc.go",
];

/// Whether everybody expects the file there, whatever else is where.
fn is_at_home(path: &RepoPath, places: &Places) -> bool {
    let name = String::from_utf8_lossy(path.file_name());
    let at_top = path.folders().next().is_none();
    let leads_on = || {
        let stem = name.strip_suffix(".rs").map(|stem| path_beside(path, stem));
        places.are_below(&folder_of(path)) && FRONTS.contains(&name.as_ref())
            || stem.is_some_and(|module| places.hold(&RepoPath::from(module.as_str())))
    };
    (at_top && (!is_program(path) || NAMED_FOR_TOOLS.regex().is_match(path.file_name()))) || leads_on()
}

/// What tools look for by its name at the top of a repository, though it is code.
static NAMED_FOR_TOOLS: Pattern = Pattern::new(
    r"^(?:setup|conftest|noxfile|tasks|manage|fabfile|build|wsgi|asgi)\.(?:py|rs|sh)$|\.config\.\w+$|^(?:gulpfile|Gruntfile|karma\.conf)\.\w+$|^(?:build|settings)\.gradle(?:\.kts)?$|^build\.sbt$|^(?:Package\.swift|Rakefile|Gemfile)$|^\.",
);

/// Whether the epic leaves it to the ticket where such a file goes: it is no code, and no listed place is near.
fn is_free(path: &RepoPath, places: &Places) -> bool {
    let first = path.folders().next().map(|folder| String::from_utf8_lossy(folder).into_owned());
    let hidden = path.folders().chain([path.file_name()]).any(|part| part.starts_with(b"."));
    let near = || first.is_some_and(|first| places.are_below(&first));
    hidden || is_manifest(path) || (!is_program(path) && !near())
}

/// By which tools know what a folder is: it goes where its code goes.
fn is_manifest(path: &RepoPath) -> bool {
    const NAMES: [&[u8]; 10] = [
        b"package.json",
        b"Cargo.toml",
        b"pyproject.toml",
        b"go.mod",
        b"pom.xml",
        b"build.gradle",
        b"build.gradle.kts",
        b"Makefile",
        b"Dockerfile",
        b"README.md",
    ];
    NAMES.contains(&path.file_name())
}

fn is_program(path: &RepoPath) -> bool {
    const OTHER: [Language; 7] = [
        Language::Settings,
        Language::Json,
        Language::Prose,
        Language::Unknown,
        Language::Sql,
        Language::Html,
        Language::Css,
    ];
    !OTHER.contains(&Language::of(path))
}

fn folder_of(path: &RepoPath) -> String {
    let folders: Vec<_> = path.folders().map(String::from_utf8_lossy).collect();
    folders.join("/")
}

fn path_beside(path: &RepoPath, name: &str) -> String {
    let folder = folder_of(path);
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The documents the work is ordered with.
fn is_order(change: &ChangeContext<'_>, epic: &Epic, path: &RepoPath) -> bool {
    let order = change.request.order;
    let items = [&order.ticket, &order.story].into_iter().flatten().map(|item| item.path.as_str());
    let shown = path.to_string();
    items.chain([epic.path.as_str()]).any(|known| known == shown || known.ends_with(&format!("/{shown}")))
}

fn mirrors(change: &ChangeContext<'_>, places: &Places, test: &RepoPath) -> bool {
    let folders: Vec<&[u8]> = test.folders().collect();
    let stem = tested_stem(test);
    let belongs = |file: &FileContext<'_>| {
        file.change.new.as_ref().is_some_and(|side| {
            !file.is_test_file() && places.hold(&side.path) && plain_stem(&side.path) == stem
        })
    };
    places.names().any(|name| folders.contains(&name.as_bytes())) || change.files.iter().any(belongs)
}

fn plain_stem(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
    name.split('.').next().unwrap_or_default().replace(['_', '-'], "")
}

/// `login` of `test_login.py`, `LoginTest.java`, `login.spec.ts`.
fn tested_stem(path: &RepoPath) -> String {
    let stem = plain_stem(path);
    let stem = stem.strip_prefix("test").unwrap_or(&stem);
    let ends = ["tests", "testcase", "test", "spec", "it"];
    ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem).to_owned()
}
