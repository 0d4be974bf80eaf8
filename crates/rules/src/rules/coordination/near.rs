//! What a file takes in from others besides its imports, and what it says of the types of its variables.

use domain::change::RepoPath;

use crate::language::Language;
use crate::syntax::{Node, Notion, Tree};

/// So much of a statement tells what it takes in.
const LONGEST: usize = 300;

/// Statements that take in another file by its path, where they are no imports of the language.
pub(super) fn taken_in(tree: &Tree, language: Language) -> Vec<u8> {
    const PHP: [&str; 4] =
        ["require_expression", "require_once_expression", "include_expression", "include_once_expression"];
    const RUBY: [&[u8]; 3] = [b"require", b"require_relative", b"load"];
    let found: Vec<Node<'_>> = match language {
        Language::JavaScript | Language::TypeScript => {
            calls_of(tree, &[b"require"]).filter_map(around_require).collect()
        }
        Language::Ruby => calls_of(tree, &RUBY).collect(),
        Language::Php => tree.root().descendants().filter(|node| node.is_kind(&PHP)).collect(),
        _ => Vec::new(),
    };
    found
        .into_iter()
        .flat_map(|node| [&node.bytes()[..node.bytes().len().min(LONGEST)], b"\n"])
        .flatten()
        .copied()
        .collect()
}

fn calls_of<'t>(tree: &'t Tree, names: &[&[u8]]) -> impl Iterator<Item = Node<'t>> {
    tree.all(Notion::Call).filter(move |node| node.call().is_some_and(|call| names.contains(&call.callee())))
}

/// `{ a, b } = require('./c')`, if the path leads to a file of the repository.
fn around_require(call: Node<'_>) -> Option<Node<'_>> {
    let path = call.call()?.arguments().next()?;
    let own = path.text().trim_matches(['"', '\'', '`']).starts_with('.');
    own.then(|| call.parent().filter(|around| around.kind() == "variable_declarator").unwrap_or(call))
}

/// Whether a file takes in another by its path: `#include "shop/cart.h"`, `require_relative "cart"`. A name without folders
/// means the one beside it, or one in a folder that compilers are told of.
pub(super) fn takes_in(imports: &[u8], file: &RepoPath, other: &RepoPath) -> bool {
    const TOLD: [&[u8]; 3] = [b"include", b"inc", b"includes"];
    let name = other.file_name();
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or(name);
    let beside = || {
        file.folders().eq(other.folders())
            || other.folders().last().is_some_and(|folder| TOLD.contains(&folder))
    };
    let mut written = imports.split(|byte| b"\"'<>\n".contains(byte)).map(|path| {
        let inside = path.iter().position(|byte| !b"./".contains(byte)).unwrap_or(path.len());
        &path[inside..]
    });
    written.any(|path| {
        let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let same = !last.is_empty() && (last == name || last == stem);
        let whole = &path[..path.len() - last.len()];
        let below = other.as_bytes().strip_suffix(name).and_then(|folders| folders.strip_suffix(whole));
        match whole.is_empty() {
            true => same && beside(),
            false => same && below.is_some_and(|above| above.is_empty() || above.ends_with(b"/")),
        }
    })
}

/// Files of one folder that see each other without saying so.
pub(super) fn are_together(language: Language, one: &RepoPath, other: &RepoPath) -> bool {
    let shared = matches!(
        language,
        Language::Go
            | Language::Java
            | Language::Kotlin
            | Language::CSharp
            | Language::Scala
            | Language::Swift
    );
    shared && one.folders().eq(other.folders())
}

/// In longer functions nobody looks for the type of a variable.
const LONGEST_FUNCTION: usize = 20_000;

/// The type that a variable has everywhere in the function around a node, if all that is said of it there agrees.
pub(super) fn type_of(variable: &str, used: Node<'_>) -> Option<String> {
    let plain = !variable.is_empty() && variable.bytes().all(|byte| is_word(&byte));
    let function = used.ancestors().find(|around| around.is(Notion::Function)).filter(|_| plain)?;
    let text = function.bytes();
    let language = used.tree().table().language();
    if text.len() > LONGEST_FUNCTION || is_keyword(variable.as_bytes()) {
        return None;
    }
    let mut known: Option<&[u8]> = None;
    for at in memchr::memmem::find_iter(text, variable) {
        let (before, behind) = (&text[..at], &text[at + variable.len()..]);
        if before.last().is_some_and(|byte| is_word(byte) || *byte == b'.')
            || behind.first().is_some_and(is_word)
        {
            continue;
        }
        match said(before.trim_ascii_end(), behind.trim_ascii_start(), language) {
            Said::Nothing => {}
            Said::Type(name) if known.is_none_or(|known| known == name) => known = Some(name),
            Said::Type(_) | Said::Anything => return None,
        }
    }
    known.map(|name| String::from_utf8_lossy(name).into_owned())
}

/// What one place says of the type of a variable.
enum Said<'t> {
    Nothing,
    Type(&'t [u8]),
    /// It is given something of which the type is not to be seen.
    Anything,
}

fn said<'t>(before: &'t [u8], behind: &'t [u8], language: Language) -> Said<'t> {
    let last = last_word(before);
    if matches!(last, b"for" | b"as" | b"in") {
        return Said::Anything;
    }
    let typed_in_front = matches!(language, Language::Java | Language::CSharp)
        && last.first().is_some_and(u8::is_ascii_uppercase)
        && before.ends_with(last);
    let given = behind.strip_prefix(b":=").or_else(|| {
        behind.strip_prefix(b"=").filter(|value| !value.starts_with(b"=") && !value.starts_with(b">"))
    });
    match (language, given) {
        _ if typed_in_front => Said::Type(last),
        (_, Some(value)) => made(value.trim_ascii_start(), language).map_or(Said::Anything, Said::Type),
        (Language::Python | Language::TypeScript | Language::Kotlin, None) => {
            let name = behind.strip_prefix(b":").map(|rest| first_word(rest.trim_ascii_start()));
            name.filter(|name| is_type(name)).map_or(Said::Nothing, Said::Type)
        }
        (Language::Go, None) => {
            let name = first_word(behind.strip_prefix(b"*").unwrap_or(behind));
            let declares = matches!(before.last(), Some(b'(' | b',')) || last == b"var";
            if declares && is_type(name) { Said::Type(name) } else { Said::Nothing }
        }
        _ => Said::Nothing,
    }
}

/// The type that an expression makes a value of: `Cart()`, `new Cart()`, `&Cart{}`.
fn made(value: &[u8], language: Language) -> Option<&[u8]> {
    let (value, open) = match language {
        Language::Python | Language::Kotlin => (value, b'('),
        Language::Go => (value.strip_prefix(b"&").unwrap_or(value), b'{'),
        _ => (value.strip_prefix(b"new ")?, b'('),
    };
    let name = first_word(value);
    (is_type(name) && value.get(name.len()) == Some(&open)).then_some(name)
}

fn is_type(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_uppercase)
}

fn is_keyword(word: &[u8]) -> bool {
    [&b"self"[..], b"this", b"super", b"cls", b"base"].contains(&word)
}

fn first_word(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|byte| !is_word(byte)).unwrap_or(text.len())]
}

fn last_word(text: &[u8]) -> &[u8] {
    &text[text.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1)..]
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_in_by_its_path() {
        let taken = |imports: &str, file: &str, other: &str| {
            takes_in(imports.as_bytes(), &file.into(), &other.into())
        };
        assert!(taken("#include \"cart.h\"\n", "src/a.c", "src/cart.h"));
        assert!(taken("#include \"cart.h\"\n", "src/a.c", "include/cart.h"));
        assert!(taken("#include <shop/cart.h>\n", "src/a.c", "include/shop/cart.h"));
        assert!(taken("require_relative \"../shop/cart\"\n", "lib/web/a.rb", "lib/shop/cart.rb"));
        assert!(taken("require __DIR__ . '/cart.php'\n", "a.php", "cart.php"));
        assert!(!taken("#include \"cart.h\"\n", "src/a.c", "lib/cart.h"), "another of that name");
        assert!(!taken("#include \"shop/cart.h\"\n", "src/a.c", "src/bishop/cart.h"));
        assert!(!taken("#include \"cart.h\"\n", "src/a.c", "src/car.h"));
        assert!(!taken("", "src/a.c", "src/cart.h"));
    }
}
