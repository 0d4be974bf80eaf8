use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("wrapper-bypassed"),
    title: text("A library that is used directly where the file has the project's own way to it"),
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

impl FileRule for WrapperBypassed {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"import", b"require("], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let Some(base) = file.base_tree() else { return };
        let before: HashSet<String> = imported(base).into_iter().map(|(_, name)| name).collect();
        let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
        let own: Vec<&String> = before.iter().filter(|name| is_local(name)).collect();
        let wrappers: Vec<(&Job, &String)> = JOBS
            .iter()
            .filter_map(|job| {
                let wraps = |name: &&&String| job.wrapper.regex().is_match(name.as_bytes());
                Some((job, *own.iter().filter(wraps).min()?))
            })
            .collect();
        for (node, name) in imported(tree) {
            let root = name.split(['.', '/']).next().unwrap_or_default();
            let is_new = !before.contains(&name) && file.touched_lines().is_added(node.line());
            let bypassed = wrappers.iter().find(|(job, _)| is_new && job.libraries.contains(&root));
            if let Some((_, wrapper)) = bypassed {
                let message = format!("`{name}` is used directly; this file goes by way of `{wrapper}`");
                report.add(Draft::lines(head, node.line(), node.line(), message));
            }
        }
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
