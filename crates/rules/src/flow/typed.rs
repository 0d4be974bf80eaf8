//! Types of parameters that leave whoever fills them no choice of text.

use super::{Flow, csharp, php};
use crate::language::Language;

/// Of values that cannot hold a text.
pub(super) const HARMLESS_TYPES: [&str; 54] = [
    "int",
    "float",
    "bool",
    "number",
    "boolean",
    "long",
    "short",
    "double",
    "byte",
    "Integer",
    "Long",
    "Double",
    "Boolean",
    "Float",
    "Short",
    "UUID",
    "uuid.UUID",
    "int64",
    "int32",
    "uint",
    "uint64",
    "uint32",
    "float64",
    "LocalDate",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Uuid",
    "Int",
    "size_t",
    "unsigned",
    "unsigned int",
    "uint32_t",
    "PositiveInt",
    "NonNegativeInt",
    "PositiveFloat",
    "UUID4",
    "Decimal",
    "decimal.Decimal",
    "date",
    "datetime",
    "datetime.date",
    "datetime.datetime",
];

/// Generic types of Python that hold one of what they are given.
const WRAPPERS: [&str; 7] = ["Annotated[", "Optional[", "list[", "List[", "set[", "Set[", "Sequence["];

/// Whether a value of this type is a number, a date or one of a fixed set.
pub(super) fn leaves_no_choice(flow: &Flow<'_>, declared: &str) -> bool {
    let declared = declared.trim();
    if HARMLESS_TYPES.contains(&declared) {
        return true;
    }
    match flow.language {
        Language::CSharp if csharp::holds_numbers(declared) => return true,
        Language::CSharp | Language::Rust | Language::Kotlin => return flow.leaves_no_choice_here(declared),
        Language::Php => return php::holds_numbers(declared),
        _ => {}
    }
    if flow.language != Language::Python {
        return false;
    }
    let declared = declared.strip_prefix("typing.").unwrap_or(declared);
    if let Some(inner) = WRAPPERS.iter().find_map(|wrapper| declared.strip_prefix(wrapper)) {
        return leaves_no_choice(flow, first_of(inner.trim_end_matches(']')));
    }
    if let Some((first, "None")) = declared.split_once('|').map(|(first, rest)| (first, rest.trim())) {
        return leaves_no_choice(flow, first);
    }
    declared.starts_with("Literal[") || declared.starts_with("conint(") || is_enumeration(flow, declared)
}

/// What stands before the first comma that is in no brackets.
fn first_of(list: &str) -> &str {
    let mut depth = 0_i32;
    let end = list.find(|c: char| {
        depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
        c == ',' && depth == 0
    });
    end.and_then(|end| list.get(..end)).unwrap_or(list)
}

/// So many statements of a file are looked at for one type.
const MOST_STATEMENTS: usize = 2_000;

/// Whether the file makes the type, and makes it an enumeration.
fn is_enumeration(flow: &Flow<'_>, name: &str) -> bool {
    let mut cursor = flow.root.walk();
    flow.root
        .named_children(&mut cursor)
        .take(MOST_STATEMENTS)
        .filter(|child| child.kind() == "class_definition")
        .any(|class| {
            let field = |field| class.child_by_field_name(field).map_or("", |node| flow.text_of(node));
            field("name") == name
                && field("superclasses")
                    .trim_matches(['(', ')'])
                    .split(',')
                    .any(|base| base.trim().ends_with("Enum"))
        })
}
