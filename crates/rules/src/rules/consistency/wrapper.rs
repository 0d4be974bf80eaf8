use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::own_wrapper;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Neighbour, Sample, SampleReach, neighbours};
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Node, Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("wrapper-bypassed"),
    title: text(
        "A library that is used directly where the file or those beside it have the project's own way to it",
    ),
    why: text("What the wrapper adds, such as time limits, retries or credentials, is missing there"),
    fix: text("Use the project's own module"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Rust,
        Language::Go,
        Language::Java,
    ]),
    examples: Cow::Borrowed(&[]),
};

/// What is wrapped, how projects call their wrapper, and the libraries behind it.
struct Job {
    wrapper: Pattern,
    libraries: &'static [&'static str],
}

static JOBS: [Job; 3] = [
    Job {
        wrapper: Pattern::new(
            r"(?i)(?:^|[./_-])(?:http|api|rest)(?:[_-]?(?:client|service|util|utils|helper|helpers|wrapper|gateway))*$",
        ),
        libraries: &[
            "axios",
            "node-fetch",
            "got",
            "superagent",
            "undici",
            "ky",
            "request",
            "requests",
            "httpx",
            "aiohttp",
            "urllib3",
            "reqwest",
            "ureq",
            "github.com/go-resty/resty",
            "okhttp3",
            "java.net.http",
            "org.apache.http",
            "org.apache.hc",
        ],
    },
    Job {
        wrapper: Pattern::new(r"(?i)(?:^|[./_-])(?:logger|logging|log)[_-]?(?:util|utils|helper)?$"),
        libraries: &[
            "winston",
            "pino",
            "bunyan",
            "log4js",
            "loguru",
            "structlog",
            "github.com/sirupsen/logrus",
            "go.uber.org/zap",
        ],
    },
    Job {
        wrapper: Pattern::new(
            r"(?i)(?:^|[./_-])(?:db|database)[_-]?(?:client|util|utils|helper|pool|connection)?$",
        ),
        libraries: &[
            "pg",
            "mysql",
            "mysql2",
            "mongodb",
            "sqlite3",
            "better-sqlite3",
            "psycopg2",
            "psycopg",
            "pymysql",
            "asyncpg",
            "rusqlite",
            "tokio_postgres",
            "database/sql",
            "java.sql",
        ],
    },
];

pub(crate) struct WrapperBypassed;

impl ChangeRule for WrapperBypassed {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let code: Vec<&FileContext<'_>> = change
            .files
            .iter()
            .filter(|file| INFO.languages.contains(&file.language))
            .filter(|file| file.skipped.is_none() && !file.is_test_file())
            .collect();
        let imports = |file: &&&FileContext<'_>| file.added().any(|line| may_import(line.text));
        for file in code.iter().filter(imports).take(MOST_FILES) {
            check_file(change, file, report);
        }
        for file in code.iter().filter(|file| own_wrapper::may_bypass(file)).take(MOST_FILES) {
            own_wrapper::check(change, file, report);
        }
    }
}

/// In more files at once it is a decision, not an oversight.
const MOST_FILES: usize = 20;

fn may_import(line: &[u8]) -> bool {
    let holds = |word: &str| memchr::memmem::find(line, word.as_bytes()).is_some();
    (holds("import") || holds("require(") || holds("use ") || holds("::") || holds("\""))
        && JOBS.iter().any(|job| job.libraries.iter().any(|name| holds(name)))
}

fn check_file(change: &ChangeContext<'_>, file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let (base, Some(tree)) = file.sides() else { return };
    let Some(head) = file.head() else { return };
    let before: HashSet<String> =
        base.map(imported).unwrap_or_default().into_iter().map(|(_, name)| name).collect();
    let mut beside: Option<Vec<HashSet<String>>> = None;
    let mut told = None;
    for (node, name) in imported(tree) {
        let is_new = !before.contains(&name) && file.touched_lines().is_added(node.line());
        let Some(job) = JOBS.iter().find(|job| is_new && job.has(&name)) else { continue };
        let message = if let Some(own) = job.wrapper_in(&before, &at_home(file)) {
            format!("`{name}` is used directly; this file goes by way of `{own}`")
        } else {
            let beside = beside.get_or_insert_with(|| imports_beside(change, file));
            let Some((own, count)) = job.habit(beside, &at_home(file)) else { continue };
            // The wrapper itself has to use what it wraps.
            if job.wraps(&file.change.path().to_string()) {
                continue;
            }
            format!("`{name}` is used directly; {count} files beside this one go by way of `{own}`")
        };
        // One name may stand for itself and for its module.
        if told.replace(node.line()) != Some(node.line()) {
            report.add_in(file.change, Draft::lines(head, node.line(), node.line(), message));
        }
    }
}

/// Files of the same folder.
pub(super) const BESIDE: Sample = Sample { files: 24, bytes: 256 * 1024, reach: SampleReach::Folder };

/// So many files have to go the same way before it is a habit.
const FEWEST_FILES: usize = 3;

/// A wrapper that is among them has to use what it wraps, and says nothing of the others.
fn imports_beside(change: &ChangeContext<'_>, file: &FileContext<'_>) -> Vec<HashSet<String>> {
    let around = neighbours(change, &[file], file.language, BESIDE);
    let imports = |one: &Neighbour| -> Option<HashSet<String>> {
        Some(imported(one.tree()?).into_iter().map(|(_, name)| name).collect())
    };
    let is_wrapper = |one: &&Neighbour| JOBS.iter().any(|job| job.wraps(&one.path.to_string()));
    around.iter().filter(|one| !is_wrapper(one)).filter_map(imports).collect()
}

impl Job {
    /// Whether a module is called as a wrapper is, with or without its ending.
    fn wraps(&self, module: &str) -> bool {
        const ENDINGS: [&str; 9] = [".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".rs", ".go", ".java"];
        let stem = ENDINGS.iter().find_map(|end| module.strip_suffix(end));
        self.wrapper.regex().is_match(stem.unwrap_or(module).as_bytes())
    }

    /// Whether a module is one of the libraries, or a part of one.
    fn has(&self, module: &str) -> bool {
        let goes_on = |rest: &str| rest.is_empty() || rest.starts_with(['.', '/']);
        self.libraries.iter().any(|library| module.strip_prefix(library).is_some_and(goes_on))
    }

    fn wrapper_in<'n>(&self, imports: &'n HashSet<String>, home: &[String]) -> Option<&'n String> {
        imports.iter().filter(|name| self.is_wrapper(name, home)).min()
    }

    /// Also by the module that a name comes from: `ledger.client` of `ledger.client.get_json`.
    fn is_wrapper(&self, name: &str, home: &[String]) -> bool {
        let module = name.rsplit_once('.').map(|(module, _)| module).filter(|_| is_at_home(name, home));
        (is_local(name) || is_at_home(name, home))
            && (self.wraps(name) || module.is_some_and(|module| self.wraps(module)))
    }

    /// The wrapper that files go by, and how many do, if none of them goes past it.
    fn habit<'n>(&self, files: &'n [HashSet<String>], home: &[String]) -> Option<(&'n String, usize)> {
        let direct = |imports: &HashSet<String>| imports.iter().any(|name| self.has(name));
        let users: Vec<&String> = files.iter().filter_map(|imports| self.wrapper_in(imports, home)).collect();
        let passes = files.iter().any(|imports| direct(imports) && self.wrapper_in(imports, home).is_none());
        (users.len() >= FEWEST_FILES && !passes).then(|| Some((*users.first()?, users.len()))).flatten()
    }
}

/// Whether a module belongs to the project, as it is written.
fn is_local(name: &str) -> bool {
    const STARTS: [&str; 10] = ["./", "../", "@/", "~/", ".", "src/", "app.", "src.", "crate/", "super/"];
    STARTS.iter().any(|start| name.starts_with(start)) || is_of_module(name)
}

/// The folders that a file of Python stands in, of which one is the package that its project is.
fn at_home(file: &FileContext<'_>) -> Vec<String> {
    let folders = file.change.path().folders().map(|folder| String::from_utf8_lossy(folder).into_owned());
    folders.filter(|_| file.language == Language::Python).collect()
}

/// Whether a module belongs to the package that the file itself is part of: `ledger.client` in `src/ledger/rates.py`.
fn is_at_home(name: &str, home: &[String]) -> bool {
    name.split_once('.').is_some_and(|(first, _)| home.iter().any(|folder| folder == first))
}

/// A package of Go below some host, or a class of Java: whose it is, their names do not tell.
fn is_of_module(name: &str) -> bool {
    let (first, rest) = name.split_once('/').unwrap_or((name, ""));
    let go = first.contains('.') && !rest.is_empty();
    let class =
        name.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_uppercase()));
    let java = class && !["java.", "javax.", "org."].iter().any(|start| name.starts_with(start));
    go || java
}

/// A path of Rust, and the module that its last name may be in.
fn with_module(path: &str) -> impl Iterator<Item = String> {
    let module = path.rsplit_once('/').map(|(module, _)| module).filter(|module| module.contains('/'));
    [Some(path), module]
        .into_iter()
        .flatten()
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Each module that is imported, as it is written.
fn imported(tree: &Tree) -> Vec<(Node<'_>, String)> {
    let unquoted = |node: Node<'_>| node.text().trim_matches(['"', '\'', '`']).to_owned();
    let mut found = Vec::new();
    for node in tree.root().descendants().filter(|node| node.is(Notion::Import) || node.is(Notion::Call)) {
        match node.kind() {
            "import_from_statement" => {
                let Some(module) = node.child("module_name") else { continue };
                let module = module.text().into_owned();
                // `from . import http_client`, `from app import http`
                let dot = if module.bytes().all(|byte| byte == b'.') { "" } else { "." };
                let names = node.children().filter(|child| child.field() == "name");
                found.extend(names.map(|name| (node, format!("{module}{dot}{}", name.text()))));
                found.push((node, module));
            }
            "use_declaration" => {
                let path = node.child("argument").map(|path| path.text().replace("::", "/"));
                let path = path.map(|path| path.split(['{', '*', ' ']).next().unwrap_or_default().to_owned());
                let path = path.unwrap_or_default();
                found.extend(with_module(path.trim_end_matches('/')).map(|path| (node, path)));
            }
            "import_declaration" if node.tree().table().language() == Language::Java => {
                let path = node.named_children().next().map(|path| path.text().into_owned());
                found.extend(path.map(|path| (node, path)));
            }
            "import_declaration" | "import_spec" => {
                let paths = node.descendants().chain([node]).filter_map(|spec| spec.child("path"));
                found.extend(paths.map(|path| (path, unquoted(path))));
            }
            "import_statement" if node.child("source").is_some() => {
                found.extend(node.child("source").map(|source| (node, unquoted(source))));
            }
            "import_statement" => {
                let names = node.named_children().map(|name| name.child("name").unwrap_or(name));
                found.extend(names.map(|name| (node, name.text().into_owned())));
            }
            // `reqwest::get(address)`, with nothing imported.
            "call_expression" if node.tree().table().language() == Language::Rust => {
                let path = node.child("function").filter(|called| called.kind() == "scoped_identifier");
                let path = path.map(|path| path.text().replace("::", "/")).unwrap_or_default();
                found.extend(with_module(&path).map(|path| (node, path)));
            }
            _ => {
                let call = node.call().filter(|call| call.callee() == b"require");
                let given =
                    call.and_then(|call| call.arguments().next()).filter(|given| given.is(Notion::String));
                found.extend(given.map(|given| (node, unquoted(given))));
            }
        }
    }
    found
}
