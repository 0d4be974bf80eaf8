use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::words::{Words, words};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("unused-import"),
    title: text("A new import that the file does not use"),
    why: text("It suggests a dependency that is not there, and costs time to load"),
    fix: text("Remove it"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Java,
        Language::Php,
        Language::Kotlin,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "import os\nimport sys\nsys.exit()\n", &[1]),
        Example::good("a.py", "import os\nprint(os.sep)\n"),
    ]),
};

pub(crate) struct UnusedImport;

impl FileRule for UnusedImport {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"import", b"use "], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || is_passed_on(file) || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        if tree.root().has_error() {
            return;
        }
        let touched = file.touched_lines();
        let imports: Vec<Node<'_>> = tree.all(Notion::Import).collect();
        let mut used: Option<Words<'_>> = None;
        for import in imports.iter().filter(|import| touched.head(**import) && !is_kept(**import, file)) {
            for name in names(*import).into_iter().filter(|name| touched.is_added(name.line())) {
                let used = used.get_or_insert_with(|| words_without(tree.text(), &imports));
                let text = name.text();
                let last = text.rsplit(['\\', '.']).next().unwrap_or_default();
                if !last.is_empty() && !used.contains(last.as_bytes()) && last != "React" {
                    let message = format!("`{last}` is imported and never used");
                    report.add(Draft::lines(head, name.line(), name.line(), message));
                }
            }
        }
    }
}

/// Files that import for others to import from them.
fn is_passed_on(file: &FileContext<'_>) -> bool {
    let name = file.change.path().file_name();
    name == b"__init__.py"
        || name == b"conftest.py"
        || name.starts_with(b"index.")
        || memchr::memmem::find(name, b"compat").is_some()
        || [&b".pyi"[..], b".d.ts"].iter().any(|ending| name.ends_with(ending))
}

/// Every word that stands outside the imports, in code, strings and comments alike.
fn words_without<'t>(text: &'t [u8], imports: &[Node<'_>]) -> Words<'t> {
    let mut found = Words::default();
    let mut at = 0;
    for import in imports {
        found.extend(words(text.get(at..import.range().start).unwrap_or_default()));
        at = at.max(import.range().end);
    }
    found.extend(words(text.get(at..).unwrap_or_default()));
    found
}

/// Imports that are there for another reason: to be tried, for their effect, or said to be so.
fn is_kept(import: Node<'_>, file: &FileContext<'_>) -> bool {
    let tried = import
        .ancestors()
        .any(|around| around.kind().starts_with("try_") || around.is_kind(&["if_statement"]));
    let said = file.head().is_some_and(|head| {
        let line = head.line(import.end_line());
        let first = head.line(import.line());
        [&b"noqa"[..], b"eslint", b"pylint", b"@ts-", b"noinspection", b"type: ignore"].iter().any(|word| {
            memchr::memmem::find(line, word).is_some() || memchr::memmem::find(first, word).is_some()
        })
    });
    tried || said || import.kind() == "future_import_statement"
}

/// The names that an import brings into the file.
fn names(import: Node<'_>) -> Vec<Node<'_>> {
    match import.kind() {
        "import_statement" if import.tree().table().language() == Language::Python => {
            import.named_children().filter_map(python_name).collect()
        }
        "import_from_statement" => {
            import.named_children().filter(|child| child.field() == "name").filter_map(python_name).collect()
        }
        "import_statement" => script_names(import),
        "import_declaration" if !import.children().any(|child| child.kind() == "asterisk") => {
            import.child_of(&["scoped_identifier"]).and_then(|path| path.child("name")).into_iter().collect()
        }
        // An operator or a delegate is used without its name.
        "import" if !import.bytes().ends_with(b"*") => import
            .descendants()
            .filter(|part| part.kind() == "identifier")
            .last()
            .filter(|name| name.bytes().first().is_some_and(u8::is_ascii_uppercase))
            .into_iter()
            .collect(),
        "namespace_use_declaration" => import
            .named_children()
            .filter(|clause| clause.kind() == "namespace_use_clause")
            .filter_map(|clause| clause.descendants().filter(|part| part.kind() == "name").last())
            .collect(),
        _ => Vec::new(),
    }
}

fn python_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "aliased_import" => {
            let (name, alias) = (node.child("name")?, node.child("alias")?);
            // `import x as x` says that it is passed on.
            (name.bytes() != alias.bytes()).then_some(alias)
        }
        "dotted_name" => node.named_children().next(),
        _ => None,
    }
}

fn script_names(import: Node<'_>) -> Vec<Node<'_>> {
    let clause = import.child_of(&["import_clause"]);
    let parts = clause.into_iter().flat_map(|clause| clause.named_children());
    parts
        .flat_map(|part| match part.kind() {
            "identifier" => vec![part],
            "namespace_import" => part.named_children().collect(),
            "named_imports" => part
                .named_children()
                .filter_map(|one| one.child("alias").or_else(|| one.child("name")))
                .filter(|name| name.kind() == "identifier")
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}
