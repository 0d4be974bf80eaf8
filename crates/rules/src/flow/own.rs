//! Types and functions that a program writes down for itself: a value of an enumeration is one of a few, whoever chose it.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::arguments::Invocation;
use super::typed::HARMLESS_TYPES;
use super::walk::{Step, walk};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// What a file says about its own names.
#[derive(Debug, Default)]
pub(super) struct Own<'t> {
    enumerations: HashSet<&'t str>,
    /// Functions, and whether all of that name give a text that is written in the program.
    fixed: HashMap<&'t str, bool>,
}

/// Ends of the names of types that hold what a query is sorted by or read from: nobody takes free text for one.
const CHOICES: [&str; 8] =
    ["Column", "SortBy", "SortField", "SortKey", "SortOrder", "SortDirection", "Direction", "TableName"];

/// Types of Rust and Kotlin that hold others, and say nothing by themselves.
const HOLDING: [&str; 13] = [
    "Option",
    "Vec",
    "HashSet",
    "BTreeSet",
    "Arc",
    "Box",
    "Cow",
    "List",
    "Set",
    "Collection",
    "Iterable",
    "Array",
    "Sequence",
];

/// Types with numbers and dates in them that only these languages have.
const HARMLESS: [&str; 20] = [
    "NaiveDate",
    "NaiveDateTime",
    "DateTime",
    "OffsetDateTime",
    "SystemTime",
    "Duration",
    "Ulid",
    "IpAddr",
    "Ipv4Addr",
    "NonZeroU32",
    "NonZeroU64",
    "LongArray",
    "IntArray",
    "Instant",
    "LocalDateTime",
    "ZonedDateTime",
    "LocalTime",
    "BigDecimal",
    "BigInteger",
    "ULong",
];

impl<'t> Flow<'t> {
    fn own_types(&self) -> &Own<'t> {
        self.own.get_or_init(|| {
            let mut own = Own::default();
            if !matches!(self.language, Language::Rust | Language::Kotlin | Language::CSharp) {
                return own;
            }
            walk(self.root, |node| {
                let name = || node.child_by_field_name("name").map(|name| self.text_of(name));
                match node.kind() {
                    "enum_item" if is_plain(node) => own.enumerations.extend(name()),
                    "enum_declaration" => own.enumerations.extend(name()),
                    "class_declaration" if self.is_enum_class(node) => own.enumerations.extend(name()),
                    "function_item" => {
                        let given = node.child_by_field_name("return_type");
                        let is_fixed = given.is_some_and(|given| self.text_of(given).contains("'static str"));
                        if let Some(name) = name() {
                            *own.fixed.entry(name).or_insert(true) &= is_fixed;
                        }
                    }
                    _ => {}
                }
                Step::Into
            });
            own
        })
    }

    fn is_enum_class(&self, class: Node<'t>) -> bool {
        let mut cursor = class.walk();
        let has_body = class.named_children(&mut cursor).any(|child| child.kind() == "enum_class_body");
        has_body && self.language == Language::Kotlin
    }

    /// Whether a value of a type of this name is one of a few that the program writes down.
    pub(super) fn is_choice(&self, declared: &str) -> bool {
        let declared = declared.trim().trim_start_matches('&').trim_end_matches('?');
        let last = declared.rsplit(['.', ':']).next().unwrap_or(declared);
        self.own_types().enumerations.contains(last) || CHOICES.iter().any(|end| last.ends_with(end))
    }

    /// Whether this is, or comes out of, a value of an enumeration: `sort` after `sort: Sort`, `Sort.NAME`.
    pub(super) fn is_enumerated(&self, node: Node<'t>) -> bool {
        if !matches!(self.language, Language::Rust | Language::Kotlin | Language::CSharp) {
            return false;
        }
        let first = |whole: &str| whole.split(['.', '(', '<']).next().unwrap_or_default().to_owned();
        let known = |name: &str| self.own_types().enumerations.contains(name);
        let declared = self.type_of(node);
        self.is_choice(&declared) || known(&first(&declared)) || known(&first(&self.name_of(node)))
    }

    /// What a method gives that says how the program calls one of its own: `sort.column()`.
    pub(super) fn named_by_program(&self, node: Node<'t>, whole: &str) -> Option<Value> {
        if !matches!(self.language, Language::Rust | Language::Kotlin) {
            return None;
        }
        let last = whole.rsplit('.').next().unwrap_or(whole);
        let is_fixed = || self.own_types().fixed.get(last).copied().unwrap_or_default();
        let receiver = Invocation::of(node)?.receiver;
        let is_own = is_fixed() || receiver.is_some_and(|receiver| self.is_enumerated(receiver));
        is_own.then(|| Value::of(Origin::Clean))
    }

    /// Whether all functions of this name in the file give a text that is written in it.
    pub(super) fn gives_fixed(&self, name: &str) -> bool {
        self.own_types().fixed.get(name).copied().unwrap_or_default()
    }

    /// Whether a type of Rust or Kotlin leaves no choice of text.
    pub(super) fn leaves_no_choice_here(&self, declared: &str) -> bool {
        if !matches!(self.language, Language::Rust | Language::Kotlin) {
            return self.language == Language::CSharp && self.is_choice(declared);
        }
        if declared.contains("'static str") {
            return true;
        }
        let mut inner = declared.trim();
        for _ in 0..6 {
            inner = inner.trim_start_matches(['&', '[', ' ']).trim_start_matches("mut ");
            inner = inner.trim_end_matches(['?', ']', ' ']);
            if let Some(rest) = inner.strip_prefix('\'') {
                inner = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                continue;
            }
            // `[i64; 4]`
            inner = inner.split(';').next().unwrap_or(inner).trim();
            let held = inner.strip_suffix('>').and_then(|inner| inner.split_once('<'));
            match held {
                Some((holder, held)) if HOLDING.contains(&bare(holder)) => inner = held.trim(),
                Some((holder, _)) => {
                    inner = holder;
                    break;
                }
                None => break,
            }
        }
        let last = bare(inner);
        HARMLESS_TYPES.contains(&last) || HARMLESS.contains(&last) || self.is_choice(last)
    }
}

fn bare(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name).trim()
}

/// An enumeration of Rust none of whose variants holds anything.
fn is_plain(item: Node<'_>) -> bool {
    let Some(body) = item.child_by_field_name("body") else { return false };
    let mut cursor = body.walk();
    body.named_children(&mut cursor)
        .filter(|child| child.kind() == "enum_variant")
        .all(|variant| variant.child_by_field_name("body").is_none())
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn is_harmless(language: Language, text: &str) -> bool {
        sunk(language, text).origin <= Origin::Clean
    }

    #[test]
    fn rust_s_own_names_are_no_text_of_others() {
        let head = "enum Sort { Name, Date }\nenum Filter { Name(String) }\nimpl Sort { fn column(self) -> &'static str { \"a\" } }\nimpl Filter { fn text(&self) -> &str { \"\" } }\nconst COLUMNS: &[&str] = &[\"a\"];\n";
        for (body, harmless) in [
            ("sink(format!(\"by {}\", sort.column()))", true),
            ("let c = sort.column(); sink(format!(\"by {c}\"))", true),
            ("sink(format!(\"by {}\", col.as_str()))", true),
            ("sink(format!(\"{table}\"))", true),
            ("sink(format!(\"{id}\"))", true),
            ("sink(format!(\"{ids:?}\"))", true),
            (
                "let c = COLUMNS.iter().find(|c| **c == name).copied().unwrap_or(\"a\"); sink(format!(\"{c}\"))",
                true,
            ),
            (
                "let c = COLUMNS.iter().find(|c| **c == name).copied().unwrap_or(name); sink(format!(\"{c}\"))",
                false,
            ),
            ("let c = filter.text(); sink(format!(\"by {c}\"))", false),
            ("sink(format!(\"{name}\"))", false),
            ("sink(format!(\"{names:?}\"))", false),
        ] {
            let text = format!(
                "{head}fn f(sort: Sort, filter: &Filter, col: Column, table: &'static str, id: &uuid::Uuid, ids: &[Option<i64>], name: &str, names: &[String]) {{ {body} }}"
            );
            assert_eq!(is_harmless(Language::Rust, &text), harmless, "{body}");
        }
    }

    #[test]
    fn kotlin_s_own_names_are_no_text_of_others() {
        let head = "enum class Sort(val column: String) { NAME(\"name\"), DATE(\"created_at\") }\nval sorts = mapOf(\"a\" to \"b\")\n";
        for (body, harmless) in [
            ("sink(\"by ${sort.column}\")", true),
            ("sink(\"by ${Sort.NAME.column}\")", true),
            ("val s = Sort.valueOf(name)\n sink(\"by ${s.column}\")", true),
            ("val c = sorts[name] ?: \"x\"\n sink(\"by $c\")", true),
            ("sink(\"in (${ids.joinToString(\",\")})\")", true),
            ("listOf(\"a\", \"b\").forEach { sink(\"from $it\") }", true),
            ("for (t in arrayOf(\"a\", \"b\")) { sink(\"from $t\") }", true),
            ("require(name.matches(Regex(\"[a-z]+\"))) { \"bad\" }\n sink(\"a $name\")", true),
            ("if (name !in setOf(\"a\", \"b\")) return\n sink(\"a $name\")", true),
            ("val c = sorts[name] ?: name\n sink(\"by $c\")", false),
            ("sink(\"by ${filter.column}\")", false),
            ("names.forEach { sink(\"from $it\") }", false),
            ("for (t in names) { sink(\"from $t\") }", false),
            ("sink(\"in (${names.joinToString(\",\")})\")", false),
            ("require(name.isNotEmpty())\n sink(\"a $name\")", false),
        ] {
            let text = format!(
                "{head}fun f(sort: Sort, filter: Filter, name: String, ids: List<Long>, names: List<String>) {{ {body} }}"
            );
            assert_eq!(is_harmless(Language::Kotlin, &text), harmless, "{body}");
        }
    }
}
