use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::words;
use crate::context::{ChangeContext, FileContext};
use crate::language::{Language, is_test_path};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Node, Tree, functions, tests};

static INFO: RuleInfo = RuleInfo {
    id: text("subject-redefined"),
    title: text("A test that defines for itself what it used to import and test"),
    why: text("What is tested is the copy in the test, and the real thing may do anything"),
    fix: text("Import the real thing again, and make it pass"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[Language::Python, Language::JavaScript, Language::TypeScript]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct SubjectRedefined;

impl ChangeRule for SubjectRedefined {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn prepare(&self, file: &FileContext<'_>) {
        if loses_import(file) {
            file.tree();
            file.base_tree();
        }
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        for file in change.files.iter().filter(|file| loses_import(file)) {
            let (Some(base), Some(now), Some(head)) = (file.base_tree(), file.tree(), file.head()) else {
                continue;
            };
            for (name, node) in redefined(file, base, now, change) {
                let message =
                    format!("`{name}` was imported to be tested here; now the test has one of its own");
                report.add_in(file.change, Draft::lines(head, node.line(), node.line(), message));
            }
        }
    }
}

/// Whether a line that may import something is gone, and one that may define something is new.
fn loses_import(file: &FileContext<'_>) -> bool {
    const DEFINE: [&[u8]; 4] = [b"def ", b"class ", b"function ", b"const "];
    let holds = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
    INFO.languages.contains(&file.language)
        && file.is_test_file()
        && file.skipped.is_none()
        && file.change.old.is_some()
        && file.change.removed().any(|(_, text)| holds(text, b"import") || holds(text, b"require("))
        && file.change.added().any(|(_, text)| DEFINE.iter().any(|word| holds(text, word)))
}

/// More of one file are not looked at.
const MOST_NAMES: usize = 20;

fn redefined<'t>(
    file: &FileContext<'_>,
    base: &Tree,
    now: &'t Tree,
    change: &ChangeContext<'_>,
) -> Vec<(String, Node<'t>)> {
    let (was, is) = (imported(base), imported(now));
    let (had, has) = (defined(base), defined(now));
    let gone = was.into_iter().filter(|(name, _)| !is.contains_key(name) && !had.contains_key(name));
    let mut found: Vec<(String, Node<'_>)> = gone
        .filter_map(|(name, module)| Some((name, module, *has.get(name)?)))
        .take(MOST_NAMES)
        .filter(|(name, _, node)| stands_alone(name, *node) && !is_helper(name))
        .filter(|(_, module, node)| !uses_same(module, *node, &is))
        .filter(|(name, ..)| calls_in_same_test(name, base, now))
        .filter(|(name, module, _)| stays(file, name, module, change))
        .map(|(name, _, node)| (String::from_utf8_lossy(name).into_owned(), node))
        .collect();
    found.sort_by_key(|(_, node)| node.line());
    found
}

/// What a file takes from elsewhere by name, and from where.
fn imported(tree: &Tree) -> HashMap<&[u8], &[u8]> {
    let mut names = HashMap::new();
    // One that stands in a `try` imports as well.
    for node in tree.root().descendants() {
        match node.kind() {
            "import_from_statement" => {
                let Some(module) = node.child("module_name") else { continue };
                let given = node.named_children().filter(|part| part.field() == "name");
                names.extend(given.map(|part| (part.child("alias").unwrap_or(part).bytes(), module.bytes())));
            }
            // `import a.b as c` of Python.
            "aliased_import" => {
                if let (Some(module), Some(alias)) = (node.child("name"), node.child("alias")) {
                    names.entry(alias.bytes()).or_insert_with(|| module.bytes());
                }
            }
            "import_statement" => {
                let Some(module) = node.child("source") else { continue };
                let taken = node.descendants().filter(|part| part.kind() == "identifier");
                names.extend(taken.map(|part| (part.bytes(), unquoted(module))));
            }
            "lexical_declaration" | "variable_declaration" => {
                let Some(one) = node.child_of(&["variable_declarator"]) else { continue };
                let call = one.child("value").and_then(|value| value.call());
                let module = call.filter(|call| call.callee() == b"require");
                let module = module.and_then(|call| call.arguments().next());
                let (Some(module), Some(name)) = (module, one.child("name")) else { continue };
                let kinds = ["identifier", "shorthand_property_identifier_pattern"];
                let taken = name.descendants().filter(|part| part.is_kind(&kinds));
                names.extend(taken.map(|part| (part.bytes(), unquoted(module))));
                if name.kind() == "identifier" {
                    names.insert(name.bytes(), unquoted(module));
                }
            }
            _ => {}
        }
    }
    names
}

fn unquoted(module: Node<'_>) -> &[u8] {
    let text = module.bytes();
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// The functions and classes that a file defines outside of everything else.
fn defined(tree: &Tree) -> HashMap<&[u8], Node<'_>> {
    let of_functions = functions(tree).into_iter().filter(|one| !one.local && one.container.is_empty());
    let mut names: HashMap<&[u8], Node<'_>> =
        of_functions.map(|one| (one.name_node.bytes(), one.node)).collect();
    // An interface does nothing that could be tested.
    let kinds = ["class_declaration", "class_definition"];
    let types = tree.root().named_children().filter(|node| node.is_kind(&kinds));
    names.extend(types.filter_map(|node| Some((node.child("name")?.bytes(), node))));
    names
}

/// Whether it is neither made of something else, as a subclass is, nor hands on to what has the name elsewhere.
fn stands_alone(name: &[u8], node: Node<'_>) -> bool {
    let derives = node.child("superclasses").is_some() || node.child_of(&["class_heritage"]).is_some();
    let marked = node.parent().is_some_and(|around| around.kind() == "decorated_definition");
    let hands_on = [[b".", name].concat(), [b"_", name].concat()]
        .iter()
        .any(|word| memchr::memmem::find(node.bytes(), word).is_some());
    !derives && !marked && !hands_on
}

/// What a test may reach the real thing through, from outside.
const WAYS: [&[u8]; 14] = [
    b"subprocess",
    b"spawn",
    b"spawnSync",
    b"execFile",
    b"execFileSync",
    b"execSync",
    b"request",
    b"requests",
    b"client",
    b"Client",
    b"fetch",
    b"axios",
    b"page",
    b"runner",
];

/// Whether it is made with something of the same package, so that it is no copy but a way to the real thing.
fn uses_same(module: &[u8], node: Node<'_>, imported: &HashMap<&[u8], &[u8]>) -> bool {
    let first = |module: &'_ [u8]| words(module).next().map(<[u8]>::to_vec);
    let is_near = |other: &[u8]| {
        [&b"."[..], b"@/", b"~/"].iter().any(|own| other.starts_with(own)) || first(other) == first(module)
    };
    let body = node.child("body").unwrap_or(node);
    words(body.bytes()).any(|word| {
        WAYS.contains(&word)
            || imported.get(word).is_some_and(|other| is_near(other))
            || words(module).any(|part| part == word)
    })
}

/// Names of what helps a test, which may well be written where it is used.
fn is_helper(name: &[u8]) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "make", "create", "build", "mock", "fake", "stub", "setup", "helper", "assert", "expect", "render",
        "test", "given", "dummy", "sample", "wait",
    ];
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    name.len() < 3 || BEGINNINGS.iter().any(|beginning| name.trim_start_matches('_').starts_with(beginning))
}

/// Whether a test that was there before asserts something of it on both sides.
fn calls_in_same_test(name: &[u8], base: &Tree, now: &Tree) -> bool {
    let asking = |tree: &Tree| -> HashSet<String> {
        let of_it = tests(tree).into_iter().filter(|test| asserts_of(test.node, name));
        of_it.map(|test| test.name).collect()
    };
    let before = asking(base);
    !before.is_empty() && !before.is_disjoint(&asking(now))
}

/// Whether a line of a test asserts what a call of it gives, at once or by a name that it is given to.
fn asserts_of(test: Node<'_>, name: &[u8]) -> bool {
    let holds = |line: &[u8], word: &[u8]| words(line).any(|one| one == word);
    let lines = || test.bytes().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let asserts =
        |line: &[u8]| [&b"assert"[..], b"expect", b"self.assert"].iter().any(|word| line.starts_with(word));
    let given = lines().filter(|line| holds(line, name)).filter_map(|line| {
        let left = line.split(|byte| *byte == b'=').next().filter(|left| left.len() < line.len())?;
        words(left).last()
    });
    let given: HashSet<&[u8]> = given.chain([name]).collect();
    let mut asked = lines().filter(|line| asserts(line));
    asked.any(|line| words(line).any(|word| given.contains(word)))
}

/// Whether the module still has it, and is no place for what helps tests.
fn stays(file: &FileContext<'_>, name: &[u8], module: &[u8], change: &ChangeContext<'_>) -> bool {
    let module = String::from_utf8_lossy(module);
    let paths = match file.language {
        Language::Python => python_paths(file.change.path(), &module),
        _ => script_paths(file.change.path(), &module),
    };
    let read = |path: &String| {
        let path = RepoPath::from(path.as_str());
        let found = change.request.sources.read_path(&path, Side::New).ok().flatten()?;
        (!is_test_path(&path) && !is_for_tests(&path)).then_some(found)
    };
    paths.iter().find_map(read).is_some_and(|text| defines(&text, name))
}

fn is_for_tests(path: &RepoPath) -> bool {
    const WORDS: [&str; 8] = ["test", "helper", "fixture", "mock", "factor", "stub", "fake", "support"];
    let path = path.to_string().to_ascii_lowercase();
    WORDS.iter().any(|word| path.contains(word))
}

fn defines(text: &[u8], name: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [b"def ", b"class ", b"function ", b"const "];
    let is_over =
        |rest: &[u8]| !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    WORDS.iter().any(|word| {
        let whole = [*word, name].concat();
        memchr::memmem::find_iter(text, &whole).any(|at| is_over(&text[at + whole.len()..]))
    })
}

/// Where a module of Python may be: from the root, from `src`, or from a folder around the test.
fn python_paths(test: &RepoPath, module: &str) -> Vec<String> {
    let dots = module.chars().take_while(|c| *c == '.').count();
    let path = module.trim_start_matches('.').replace('.', "/");
    let folders: Vec<String> =
        test.folders().map(|folder| String::from_utf8_lossy(folder).into_owned()).collect();
    let above = |levels: usize| folders[..folders.len().saturating_sub(levels)].join("/");
    let roots = match dots {
        0 => vec![String::new(), "src".to_owned(), above(0), above(1), format!("{}/src", above(1))],
        _ => vec![above(dots - 1)],
    };
    let files =
        roots.iter().flat_map(|root| [format!("{root}/{path}.py"), format!("{root}/{path}/__init__.py")]);
    files.map(|file| file.trim_start_matches('/').to_owned()).collect()
}

fn script_paths(test: &RepoPath, module: &str) -> Vec<String> {
    const ENDINGS: [&str; 8] = ["", ".ts", ".js", ".tsx", ".jsx", ".mjs", "/index.ts", "/index.js"];
    if !module.starts_with("./") && !module.starts_with("../") {
        return Vec::new();
    }
    let mut parts: Vec<String> =
        test.folders().map(|folder| String::from_utf8_lossy(folder).into_owned()).collect();
    for part in module.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part.to_owned()),
        }
    }
    let path = parts.join("/");
    // What is written in TypeScript may be asked for as what it becomes.
    let plain = path.strip_suffix(".js").map(|stem| format!("{stem}.ts"));
    ENDINGS.iter().map(|ending| format!("{path}{ending}")).chain(plain).collect()
}
