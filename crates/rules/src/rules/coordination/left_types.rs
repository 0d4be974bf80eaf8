//! Who still names a type that is gone, makes a value of one as it was made before, or calls what belongs to one by its
//! name.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::Severity;

use super::callers::{Stale, Still, is_stale_with, runs_anyway};
use super::lost::{Loss, Lost, Sort};
use super::meant::Home;
use super::mentions;
use super::types::{Namespace, TypeUse, is_read, opened};
use super::usage::Usage;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::source::Source;
use crate::syntax::{Function, ItemKind, Node, Notion, Tree, functions};

/// What is known of the files that lost types, or something that belongs to one. Found once for each: a file may lose
/// thousands.
#[derive(Debug, Default)]
pub(super) struct Homes {
    files: HashMap<RepoPath, Facts>,
    /// Files that take in more of what is outside of them than before.
    gaining: HashSet<RepoPath>,
    /// How often somebody is still asked what they mean by a name.
    left: Cell<u32>,
}

/// A change that takes more away has written everything anew.
const MOST_ASKED: u32 = 2_000;

/// So many ways to write one name are looked at in one file.
const MOST_WAYS: usize = 20;

#[derive(Debug)]
pub(super) struct Facts {
    pub(super) namespace: Namespace,
    /// Words of the lines that open namespaces.
    pub(super) opened: HashSet<String>,
    /// Files of Go import it by this path, where a manifest says so.
    pub(super) go_path: Option<String>,
    /// Types that have something from elsewhere, or answer for what nobody wrote.
    extended: HashSet<String>,
    /// Functions outside of types.
    functions: HashSet<String>,
    /// Whether values may be made by something else than constructors: `__new__` and metaclasses of Python, `invoke` of a
    /// companion of Kotlin.
    makes_otherwise: bool,
}

impl Homes {
    pub(super) fn of<'l, 'f: 'l>(
        change: &ChangeContext<'_>,
        lost: impl Iterator<Item = &'l Lost<'f>>,
    ) -> Self {
        let mut files: HashMap<RepoPath, Facts> = HashMap::new();
        for one in lost {
            let home = one.file.change.path();
            if !files.contains_key(home) {
                files.insert(home.clone(), Facts::of(change, one.file));
            }
        }
        let gaining = change.files.iter().filter(|file| gains(file)).map(|file| file.change.path().clone());
        Homes { gaining: gaining.collect(), files, left: Cell::new(MOST_ASKED) }
    }

    pub(super) fn get(&self, file: &FileContext<'_>) -> Option<&Facts> {
        self.files.get(file.change.path())
    }

    /// Whether the name that somebody goes on writing may be that of something else now: what the home or the user takes
    /// in anew, what the language brings along, or what the home has from elsewhere.
    fn may_be_another(&self, home: &Home<'_, '_>, user: &RepoPath) -> bool {
        let file = home.lost.file;
        let is_brought = match file.language {
            Language::CSharp => {
                home.namespace().name().is_some_and(|name| name.split('.').next() == Some("System"))
            }
            Language::Kotlin | Language::Java => BROUGHT_ALONG.contains(&home.name),
            _ => false,
        };
        let stays = || {
            let head = file.head().filter(|_| matches!(file.language, Language::C | Language::Cpp));
            head.is_some_and(|head| mentions(head.code(), home.name))
        };
        is_brought || self.gaining.contains(user) || self.gaining.contains(file.change.path()) || stays()
    }

    fn may_ask(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() > 0
    }
}

/// Types of Kotlin and Java that nobody has to import, and that projects write for themselves.
const BROUGHT_ALONG: [&str; 12] = [
    "Result",
    "Pair",
    "Triple",
    "Lazy",
    "Regex",
    "Sequence",
    "Record",
    "Module",
    "Process",
    "Runtime",
    "Comparable",
    "Iterable",
];

/// Whether a file has a new line that takes in names it does not say: `#include <view.h>`, `using FluentResults;`,
/// `import org.vendor.*;`.
fn gains(file: &FileContext<'_>) -> bool {
    let takes_in = |line: &[u8]| {
        let line = line.trim_ascii();
        match file.language {
            Language::C | Language::Cpp => line.starts_with(b"#include") || line.starts_with(b"using "),
            Language::CSharp => line.starts_with(b"using ") && !line.contains(&b'='),
            Language::Java | Language::Kotlin => {
                line.starts_with(b"import ") && (line.ends_with(b".*") || line.ends_with(b".*;"))
            }
            _ => false,
        }
    };
    file.change.added().any(|(_, line)| takes_in(line))
}

impl Facts {
    fn of(change: &ChangeContext<'_>, file: &FileContext<'_>) -> Self {
        let text = file.base().or_else(|| file.head()).map(Source::text).unwrap_or_default();
        let head = file.head().map(Source::text).unwrap_or_default();
        let has = |what: &[u8]| memchr::memmem::find(head, what).is_some();
        let tree = file.sides().1;
        let outside = |one: Function<'_>| one.container.is_empty().then_some(one.name);
        let go = (file.language == Language::Go).then(|| go_path(change, file.change.path())).flatten();
        Facts {
            namespace: Namespace::of(text, file.language),
            opened: opened(text),
            go_path: go,
            extended: tree.map(extended).unwrap_or_default(),
            functions: tree.map(functions).unwrap_or_default().into_iter().filter_map(outside).collect(),
            makes_otherwise: match file.language {
                Language::Python => has(b"__new__") || has(b"metaclass"),
                Language::Kotlin => has(b"operator fun invoke"),
                _ => false,
            },
        }
    }
}

fn extended(tree: &Tree) -> HashSet<String> {
    const ABOVE: [&str; 3] = ["base_clause", "base_class_clause", "use_declaration"];
    let answers = |node: &Node<'_>| {
        node.kind() == "method_declaration"
            && node.child("name").is_some_and(|name| name.bytes() == b"__callStatic")
    };
    let telling = tree.root().descendants().filter(|node| node.is_kind(&ABOVE) || answers(node));
    let types = telling.filter_map(|node| node.enclosing(Notion::Type)?.child("name"));
    types.map(|name| name.text().into_owned()).collect()
}

fn go_path(change: &ChangeContext<'_>, home: &RepoPath) -> Option<String> {
    let (root, module) = module_above(change, home)?;
    let path = home.to_string();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let below = folder.strip_prefix(root.as_str()).unwrap_or(folder).trim_matches('/');
    Some(if below.is_empty() { module } else { format!("{module}/{below}") })
}

/// Folders above a file are not deeper than this in any project.
const DEEPEST: usize = 12;

/// The folder of the manifest above a file of Go, and the name of the module there.
fn module_above(change: &ChangeContext<'_>, home: &RepoPath) -> Option<(String, String)> {
    let path = home.to_string();
    let folders =
        std::iter::successors(path.rsplit_once('/').map(|(folder, _)| folder).or(Some("")), |folder| {
            (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above))
        });
    folders.take(DEEPEST).find_map(|folder| {
        let manifest = if folder.is_empty() { "go.mod".to_owned() } else { format!("{folder}/go.mod") };
        let text =
            change.request.sources.read_path(&RepoPath::from(manifest.as_str()), Side::Old).ok().flatten()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        Some((folder.to_owned(), module.trim().trim_matches('"').to_owned()))
    })
}

/// A type that compilers look for by its name. Of scripts the imports tell.
pub(super) fn is_gone_type(lost: &Lost<'_>) -> bool {
    let script = matches!(lost.file.language, Language::Python | Language::JavaScript | Language::TypeScript);
    let told = is_read(lost.file.language) || lost.file.language == Language::C;
    lost.sort == Sort::Item(ItemKind::Type) && lost.loss == Loss::Gone && told && !script
}

/// The first place that goes on as before.
pub(super) fn stale<'u, 'f: 'u>(
    users: impl Iterator<Item = &'u Usage<'f>> + Clone,
    lost: &Lost<'_>,
    homes: &Homes,
) -> Option<Stale> {
    let facts = homes.get(lost.file)?;
    let home = Home::of(lost, facts)?;
    let by_type = is_by_type(lost) && !(lost.loss == Loss::Gone && facts.extended.contains(lost.owner()));
    let makes_otherwise = facts.makes_otherwise || facts.functions.contains(home.name);
    let is_asked = match () {
        () if lost.constructs() => !makes_otherwise,
        () if is_gone_type(lost) => true,
        () => by_type && !users.clone().any(|usage| usage.has_another_in_type(lost)),
    };
    if !is_asked || users.clone().any(|usage| usage.has_another(&home)) {
        return None;
    }
    users.clone().find_map(|usage| {
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut means = |one: &'u TypeUse| match known.get(one.before.as_str()).copied() {
            Some(means) => means,
            None if known.len() >= MOST_WAYS || !homes.may_ask() => false,
            None => *known.entry(&one.before).or_insert(usage.means_type(one, &home)),
        };
        let mut uses = usage.types.uses.get(home.name).into_iter().flatten();
        if lost.constructs() {
            let all = uses.filter_map(|one| Some((one, one.made.as_ref()?)));
            let mut fitting = all.filter(|(_, made)| is_stale_with(lost, made.arguments, &made.names));
            let (one, made) = fitting.find(|&(one, _)| means(one))?;
            return Some(left(usage, one.line, lost, made.arguments));
        }
        if is_gone_type(lost) {
            let one = uses.find(|&one| means(one)).filter(|_| !is_still_declared(lost))?;
            let (severity, confidence) = match homes.may_be_another(&home, &usage.path) {
                true => (Severity::Medium, Confidence::Low),
                false => (Severity::High, Confidence::Medium),
            };
            return Some(Stale {
                path: usage.path.clone(),
                line: one.line,
                how: Still::Names,
                severity,
                confidence,
            });
        }
        let calls = usage.calls_of_type(lost).filter(|call| is_stale_with(lost, call.arguments, &call.names));
        let mut ways: HashMap<&str, bool> = HashMap::new();
        let call = calls.into_iter().find(|call| match ways.get(call.before.as_str()).copied() {
            Some(means) => means,
            None if ways.len() >= MOST_WAYS || !homes.may_ask() => false,
            None => *ways.entry(&call.before).or_insert(usage.means_owner(call, &home)),
        })?;
        Some(left(usage, call.line, lost, call.arguments))
    })
}

/// Whether a header of C++ goes on saying that there is such a type: then only what is in it is hidden.
fn is_still_declared(lost: &Lost<'_>) -> bool {
    let Some(head) = lost.file.head().filter(|_| matches!(lost.file.language, Language::C | Language::Cpp))
    else {
        return false;
    };
    let declares =
        |word: &str| memchr::memmem::find(head.code(), format!("{word} {};", lost.name).as_bytes()).is_some();
    ["class", "struct", "union"].into_iter().any(declares)
}

fn left(usage: &Usage<'_>, line: u32, lost: &Lost<'_>, arguments: u32) -> Stale {
    let (severity, confidence) = match runs_anyway(lost, arguments) {
        true => (Severity::Medium, Confidence::Low),
        false => (Severity::High, Confidence::Medium),
    };
    Stale { path: usage.path.clone(), line, how: Still::Calls { arguments }, severity, confidence }
}

/// Languages that call what belongs to a type by its name and two colons.
fn is_by_type(lost: &Lost<'_>) -> bool {
    let language = matches!(lost.file.language, Language::C | Language::Cpp | Language::Php);
    language && lost.is_function() && !lost.container.is_empty()
}
