//! Types of parameters that leave whoever fills them no choice of text.

use super::java::leaves_no_choice_in_java;
use super::models::has_strict_pattern;
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
    if flow.language == Language::Java {
        return leaves_no_choice_in_java(flow, declared);
    }
    if flow.language == Language::Go {
        return flow.is_number_of_go(declared);
    }
    if flow.language != Language::Python {
        return false;
    }
    // `typing.Literal[…]`, and `t.Literal[…]` after `import typing as t`.
    let of_module = declared.split_once('.').filter(|(_, rest)| is_generic(rest));
    let declared = of_module.map_or(declared, |(_, rest)| rest);
    if let Some(inner) = WRAPPERS.iter().find_map(|wrapper| declared.strip_prefix(wrapper)) {
        return leaves_no_choice(flow, first_of(inner.trim_end_matches(']')));
    }
    if let Some((first, "None")) = declared.split_once('|').map(|(first, rest)| (first, rest.trim())) {
        return leaves_no_choice(flow, first);
    }
    declared.starts_with("Literal[")
        || declared.starts_with("conint(")
        || has_strict_pattern(declared)
        || flow.is_enumeration(declared)
}

fn is_generic(declared: &str) -> bool {
    declared.starts_with("Literal[") || WRAPPERS.iter().any(|wrapper| declared.starts_with(wrapper))
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
