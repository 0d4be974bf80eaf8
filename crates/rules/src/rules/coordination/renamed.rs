//! Lines that differ from what they were in nothing but the names of parameters.

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Node, Notion, Tree};

/// Whether a line of the new file, as its tree reads it, is what it was but for names of parameters that no caller knows.
pub(super) fn is_renamed(file: &FileContext<'_>, tree: &Tree, was: &[u8], number: u32, is: &[u8]) -> bool {
    let Some(start) = file.head().map(|head| head.start_of(number)) else { return false };
    let mut at = start;
    let mut others = 0;
    let mut pairs = was.chunk_by(alike).zip(is.chunk_by(alike));
    let fits = pairs.all(|(was, is)| {
        let range = at..at + is.len();
        at = range.end;
        if was == is {
            return true;
        }
        others += 1;
        let is_one = |name| is_parameter(name, file.language);
        is_name(was, tree) && tree.exactly(&range).is_some_and(is_one)
    });
    fits && others > 0 && was.chunk_by(alike).count() == is.chunk_by(alike).count()
}

fn alike(one: &u8, next: &u8) -> bool {
    is_word(*one) == is_word(*next)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether the grammar could not have taken it for anything else.
fn is_name(word: &[u8], tree: &Tree) -> bool {
    let begins = word.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    begins && std::str::from_utf8(word).is_ok_and(|word| word.is_ascii() && !tree.table().has_kind(word))
}

/// Of a function that is called by the order of what it is given.
fn is_parameter(name: Node<'_>, language: Language) -> bool {
    let Some(parameter) = name.parent() else { return false };
    let is_one = match language {
        Language::Rust => parameter.kind() == "parameter" && name.field() == "pattern",
        Language::Go => parameter.kind() == "parameter_declaration" && name.field() == "name",
        Language::Java => parameter.kind() == "formal_parameter" && name.field() == "name",
        // With a modifier it is a field as well.
        Language::TypeScript => {
            parameter.is_kind(&["required_parameter", "optional_parameter"])
                && parameter.children().next() == Some(name)
        }
        _ => false,
    };
    let function = parameter.parent().and_then(|list| list.parent());
    is_one && name.kind() == "identifier" && function.is_some_and(|around| around.is(Notion::Function))
}
