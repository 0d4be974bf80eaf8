//! Whether what a function works out is compared with anything: a canonical path that is only opened is no check.

use std::collections::HashSet;

use tree_sitter::Node;

use super::arguments::Invocation;
use super::{Flow, Step, walk};

/// Parts of the names of functions that tell what is allowed from what is not.
const CHECKING: [&str; 20] = [
    "startswith",
    "prefix",
    "equals",
    "contains",
    "compare",
    "relativ",
    "check",
    "valid",
    "ensure",
    "verify",
    "assert",
    "inside",
    "within",
    "under",
    "below",
    "descend",
    "child",
    "allow",
    "safe",
    "traversal",
];

/// What asks whether something is there, or how it ends, and not where it is.
const LOOKING: [&str; 14] = [
    "exists",
    "notexists",
    "isfile",
    "isdirectory",
    "isregularfile",
    "isreadable",
    "canread",
    "canwrite",
    "ishidden",
    "isempty",
    "isblank",
    "isnull",
    "nonnull",
    "endswith",
];

/// So far up a call may stand in the condition of a branch.
const DEEPEST: usize = 6;

/// So many functions that one calls are looked into.
const MOST_ASKED: usize = 16;

/// Where the words stand in a piece of code, and the variables that were given something with one of them.
struct Marks<'t, 'w> {
    words: &'w [String],
    places: Vec<usize>,
    names: HashSet<&'t str>,
}

impl Marks<'_, '_> {
    fn has_place(&self, node: Node<'_>) -> bool {
        let first = self.places.partition_point(|place| *place < node.start_byte());
        self.places.get(first).is_some_and(|place| *place < node.end_byte())
    }
}

impl<'t> Flow<'t> {
    /// Whether a function compares what a call with one of these words gave, or passes it to one that checks.
    pub(crate) fn compares(&self, function: Node<'t>, words: &[String]) -> bool {
        !words.is_empty() && (self.compares_here(function, words) || self.lets_compare(function, words))
    }

    /// Whether it calls a function of the same file that does.
    fn lets_compare(&self, function: Node<'t>, words: &[String]) -> bool {
        let mut asked = HashSet::new();
        let mut is_compared = false;
        walk(function, |node| {
            if is_compared || asked.len() >= MOST_ASKED {
                return Step::Over;
            }
            if let Some(helper) = self.called_function(node)
                && !function.byte_range().contains(&helper.start_byte())
                && asked.insert(helper.id())
            {
                is_compared = self.compares_here(helper, words);
            }
            Step::Into
        });
        is_compared
    }

    fn compares_here(&self, function: Node<'t>, words: &[String]) -> bool {
        let text = self.text_of(function);
        let mut places: Vec<usize> = words
            .iter()
            .flat_map(|word| memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()))
            .map(|at| function.start_byte() + at)
            .collect();
        if places.is_empty() {
            return false;
        }
        places.sort_unstable();
        let mut marks = Marks { words, places, names: HashSet::new() };
        walk(function, |node| {
            if !marks.has_place(node) {
                return Step::Over;
            }
            if let Some(name) = self.given_name(node) {
                marks.names.insert(name);
            }
            Step::Into
        });
        // From here on the places of these variables count as well.
        let names = std::mem::take(&mut marks.names);
        if !names.is_empty() {
            walk(function, |node| {
                if matches!(node.kind(), "identifier" | "simple_identifier")
                    && names.contains(self.text_of(node))
                {
                    marks.places.push(node.start_byte());
                }
                Step::Into
            });
            marks.places.sort_unstable();
        }
        let mut is_compared = false;
        walk(function, |node| {
            if is_compared || !marks.has_place(node) {
                return Step::Over;
            }
            is_compared = self.is_check(node, &marks);
            Step::Into
        });
        is_compared
    }

    /// The variable of `File file = new File(name).getCanonicalFile()`.
    fn given_name(&self, node: Node<'t>) -> Option<&'t str> {
        let name = match node.kind() {
            "variable_declarator" => node.child_by_field_name("name")?,
            "assignment_expression" | "assignment" => {
                node.child_by_field_name("left").or_else(|| node.named_child(0))?
            }
            "let_declaration" => node.child_by_field_name("pattern")?,
            // Of Kotlin.
            "property_declaration" => {
                let mut cursor = node.walk();
                let declared =
                    node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration")?;
                declared.named_child(0)?
            }
            _ => return None,
        };
        Some(self.text_of(name)).filter(|name| !name.is_empty())
    }

    fn is_check(&self, node: Node<'t>, marks: &Marks<'t, '_>) -> bool {
        let Some(call) = Invocation::of(node) else {
            let operator = node.child_by_field_name("operator").map_or("", |operator| self.text_of(operator));
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            let is_nothing = |one: Node<'t>| {
                matches!(self.text_of(one), "null" | "None" | "nil" | "undefined" | "\"\"" | "''")
            };
            let operands = || [left, right].into_iter().flatten();
            return matches!(operator, "==" | "!=" | "===" | "!==")
                && operands().any(|one| self.is_value_itself(one, marks))
                && !operands().any(is_nothing);
        };
        let whole = self.name_of(call.callee);
        let last = whole.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().replace('_', "");
        let is_passed = || call.values().into_iter().any(|one| marks.has_place(one));
        let is_asked = || call.receiver.is_some_and(|one| marks.has_place(one)) || is_passed();
        // A function of the project's own may be called anything.
        let decides = || !LOOKING.contains(&last.as_str()) && is_passed() && is_in_condition(node);
        CHECKING.iter().any(|word| last.contains(word)) && is_asked() || decides()
    }

    /// Whether an operand is what was worked out, and not something about it such as its length.
    fn is_value_itself(&self, operand: Node<'t>, marks: &Marks<'t, '_>) -> bool {
        const SAME: [&str; 4] = [".toString()", ".toPath()", ".getPath()", ".toFile()"];
        let text = self.text_of(operand);
        let text = SAME.iter().fold(text, |text, same| text.strip_suffix(same).unwrap_or(text));
        let is_given = text.chars().all(|c| c.is_alphanumeric() || c == '_') && marks.has_place(operand);
        let last_name = text.trim_end_matches("()").rsplit(['.', ':']).next().unwrap_or_default();
        is_given || marks.words.iter().any(|word| word.trim_end_matches("()") == last_name)
    }
}

/// Whether a call is part of what a branch asks.
fn is_in_condition(call: Node<'_>) -> bool {
    let mut node = call;
    for _ in 0..DEEPEST {
        let Some(parent) = node.parent() else { return false };
        if parent.child_by_field_name("condition") == Some(node) {
            return true;
        }
        if parent.kind().ends_with("_statement") || parent.kind() == "block" {
            return false;
        }
        node = parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn compares(language: Language, text: &str) -> bool {
        let grammar = crate::data::Grammar::of(language, "").unwrap();
        let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
        let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
        let words =
            ["getCanonicalPath", "getCanonicalFile", "normalize()", "canonicalFile"].map(str::to_owned);
        let mut function = None;
        walk(tree.root_node(), |node| {
            if matches!(node.kind(), "method_declaration" | "function_declaration") {
                function.get_or_insert(node);
            }
            Step::Into
        });
        flow.compares(function.unwrap(), &words)
    }

    #[test]
    fn a_canonical_path_is_a_check_once_it_is_compared() {
        for (body, compared) in [
            ("if (!file.getCanonicalPath().startsWith(ROOT)) throw new E();", true),
            ("File f = new File(a, b).getCanonicalFile(); if (!f.toPath().startsWith(ROOT)) return;", true),
            ("Path p = root.resolve(a).normalize(); if (!p.startsWith(root)) return;", true),
            ("String c = file.getCanonicalPath(); if (!c.equals(ROOT + a)) return;", true),
            ("ensureInside(root, file.getCanonicalFile());", true),
            ("String c = file.getCanonicalPath(); log.info(c);", false),
            ("return new FileInputStream(file.getCanonicalFile());", false),
            ("String c = file.getCanonicalPath(); if (c == null) return; read(c);", false),
            ("String c = file.getCanonicalPath(); if (!a.startsWith(b)) return; read(c);", false),
            ("if (!a.startsWith(b)) return;", false),
            ("Path p = root.resolve(a).normalize(); if (!isInFolder(root, p)) throw new E();", true),
            (
                "Path p = root.resolve(a).normalize(); if (!NAME.matcher(p.toString()).matches()) return;",
                true,
            ),
            ("Path p = root.resolve(a).normalize(); if (!Files.exists(p)) return; read(p);", false),
            ("File f = new File(a).getCanonicalFile(); if (f.length() == 0) return; read(f);", false),
            ("File f = new File(a).getCanonicalFile(); if (null == f) return; read(f);", false),
            ("File f = new File(a).getCanonicalFile(); if (f.getPath() != b) return; read(f);", true),
            (
                "inspect(a); } void inspect(File a) { if (!a.getCanonicalPath().startsWith(ROOT)) throw new E();",
                true,
            ),
            ("inspect(a); } void inspect(File a) { log.info(a.getCanonicalPath());", false),
        ] {
            let text = format!("class A {{ void f(String a, String b) {{ {body} }} }}");
            assert_eq!(compares(Language::Java, &text), compared, "{body}");
        }
        for (body, compared) in [
            ("val f = File(root, a).canonicalFile\n    require(f.startsWith(root))", true),
            ("val f = File(root, a).canonicalFile\n    f.readText()", false),
        ] {
            let text = format!("fun f(a: String) {{\n    {body}\n}}\n");
            assert_eq!(compares(Language::Kotlin, &text), compared, "{body}");
        }
    }
}
