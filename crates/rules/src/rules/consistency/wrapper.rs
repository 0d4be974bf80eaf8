use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

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
    languages: Cow::Borrowed(&[Language::Python, Language::JavaScript, Language::TypeScript]),
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
            r"(?i)(?:^|[./_-])(?:http|api|rest)[_-]?(?:client|service|util|utils|helper|helpers|wrapper)?$",
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
        ],
    },
    Job {
        wrapper: Pattern::new(r"(?i)(?:^|[./_-])(?:logger|logging|log)[_-]?(?:util|utils|helper)?$"),
        libraries: &["winston", "pino", "bunyan", "log4js", "loguru", "structlog"],
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
        ],
    },
];

pub(crate) struct WrapperBypassed;

impl ChangeRule for WrapperBypassed {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let bypassing = change.files.iter().filter(|file| {
            INFO.languages.contains(&file.language)
                && file.skipped.is_none()
                && !file.is_test_file()
                && file.added().any(|line| may_import(line.text))
        });
        for file in bypassing.take(MOST_FILES) {
            check_file(change, file, report);
        }
    }
}

/// In more files at once it is a decision, not an oversight.
const MOST_FILES: usize = 20;

fn may_import(line: &[u8]) -> bool {
    let holds = |word: &str| memchr::memmem::find(line, word.as_bytes()).is_some();
    (holds("import") || holds("require("))
        && JOBS.iter().any(|job| job.libraries.iter().any(|name| holds(name)))
}

fn check_file(change: &ChangeContext<'_>, file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let before: HashSet<String> =
        file.base_tree().map(imported).unwrap_or_default().into_iter().map(|(_, name)| name).collect();
    let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
    let mut beside: Option<Vec<HashSet<String>>> = None;
    for (node, name) in imported(tree) {
        let root = name.split(['.', '/']).next().unwrap_or_default();
        let is_new = !before.contains(&name) && file.touched_lines().is_added(node.line());
        let Some(job) = JOBS.iter().find(|job| is_new && job.libraries.contains(&root)) else { continue };
        let message = if let Some(own) = job.wrapper_in(&before) {
            format!("`{name}` is used directly; this file goes by way of `{own}`")
        } else {
            let beside = beside.get_or_insert_with(|| imports_beside(change, file));
            let Some((own, count)) = job.habit(beside) else { continue };
            // The wrapper itself has to use what it wraps.
            if job.wraps(&file.change.path().to_string()) {
                continue;
            }
            format!("`{name}` is used directly; {count} files beside this one go by way of `{own}`")
        };
        report.add_in(file.change, Draft::lines(head, node.line(), node.line(), message));
    }
}

/// Files of the same folder.
const BESIDE: Sample = Sample { files: 24, bytes: 256 * 1024, reach: SampleReach::Folder };

/// So many files have to go the same way before it is a habit.
const FEWEST_FILES: usize = 3;

fn imports_beside(change: &ChangeContext<'_>, file: &FileContext<'_>) -> Vec<HashSet<String>> {
    let around = neighbours(change, &[file], file.language, BESIDE);
    let imports = |one: &Neighbour| -> Option<HashSet<String>> {
        Some(imported(one.tree()?).into_iter().map(|(_, name)| name).collect())
    };
    around.iter().filter_map(imports).collect()
}

impl Job {
    /// Whether a module is called as a wrapper is, with or without its ending.
    fn wraps(&self, module: &str) -> bool {
        let stem =
            [".py", ".js", ".ts", ".tsx", ".jsx", ".mjs"].iter().find_map(|end| module.strip_suffix(end));
        self.wrapper.regex().is_match(stem.unwrap_or(module).as_bytes())
    }

    fn wrapper_in<'n>(&self, imports: &'n HashSet<String>) -> Option<&'n String> {
        imports.iter().filter(|name| is_local(name) && self.wraps(name)).min()
    }

    /// The wrapper that files go by, and how many do, if none of them goes past it.
    fn habit<'n>(&self, files: &'n [HashSet<String>]) -> Option<(&'n String, usize)> {
        let direct = |imports: &HashSet<String>| {
            imports
                .iter()
                .any(|name| self.libraries.contains(&name.split(['.', '/']).next().unwrap_or_default()))
        };
        let users: Vec<&String> = files.iter().filter_map(|imports| self.wrapper_in(imports)).collect();
        let passes = files.iter().any(|imports| direct(imports) && self.wrapper_in(imports).is_none());
        (users.len() >= FEWEST_FILES && !passes).then(|| Some((*users.first()?, users.len()))).flatten()
    }
}

/// Whether a module belongs to the project, as it is written.
fn is_local(name: &str) -> bool {
    ["./", "../", "@/", "~/", ".", "src/", "app.", "src."].iter().any(|start| name.starts_with(start))
}

/// Each module that is imported, as it is written.
fn imported(tree: &Tree) -> Vec<(Node<'_>, String)> {
    let unquoted = |node: Node<'_>| node.text().trim_matches(['"', '\'', '`']).to_owned();
    let mut found = Vec::new();
    for node in tree.root().descendants().filter(|node| node.is(Notion::Import) || node.is(Notion::Call)) {
        match node.kind() {
            "import_from_statement" => {
                found.extend(node.child("module_name").map(|module| (node, module.text().into_owned())));
            }
            "import_statement" if node.child("source").is_some() => {
                found.extend(node.child("source").map(|source| (node, unquoted(source))));
            }
            "import_statement" => {
                let names = node.named_children().map(|name| name.child("name").unwrap_or(name));
                found.extend(names.map(|name| (node, name.text().into_owned())));
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
