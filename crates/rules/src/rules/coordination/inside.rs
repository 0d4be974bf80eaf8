//! Changes that stay inside of functions, which is most of them: what a file offers cannot have changed, and its base
//! need not be parsed.

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::functions;

/// Whether every line that came or went belongs to the body of a function that is still there, and none of them looks
/// like a definition.
pub(super) fn stays_inside(file: &FileContext<'_>) -> bool {
    let Some(words) = defining(file.language) else { return false };
    let mut lines = file.change.removed().chain(file.change.added()).map(|(_, line)| line);
    let defines = |line: &[u8]| words.iter().any(|word| memchr::memmem::find(line, word).is_some());
    if lines.any(defines) {
        return false;
    }
    let Some(tree) = file.tree().filter(|tree| !tree.root().has_error()) else { return false };
    let bodies: Vec<(u32, u32)> = functions(tree)
        .iter()
        .filter(|function| !function.local)
        .filter_map(|function| function.body)
        .map(|body| (body.line(), body.end_line()))
        .collect();
    file.touched_lines().stay_inside(&bodies)
}

/// Words of which one stands in every definition that others may use. `None` where that cannot be said.
fn defining(language: Language) -> Option<&'static [&'static [u8]]> {
    match language {
        Language::Rust => Some(&[
            b"fn ", b"pub", b"impl", b"struct ", b"enum ", b"union ", b"trait ", b"mod ", b"macro",
            b"extern", b"#[",
        ]),
        Language::Python => Some(&[b"def ", b"class ", b"global ", b"__all__", b"import "]),
        Language::JavaScript | Language::TypeScript => {
            Some(&[b"export", b"function", b"class ", b"interface ", b"enum ", b"namespace ", b"declare "])
        }
        Language::Go => Some(&[b"func ", b"type ", b"package "]),
        Language::Java => Some(&[
            b"public",
            b"protected",
            b"private",
            b"class ",
            b"interface ",
            b"enum ",
            b"record ",
            b"@",
            b"static",
        ]),
        _ => None,
    }
}
