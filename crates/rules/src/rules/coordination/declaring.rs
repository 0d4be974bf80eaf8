//! Lines that may belong to what a file offers.

use super::inside::may_hide;
use crate::context::FileContext;
use crate::language::Language;

/// Whether a line that came or went could belong to what the file offers: most changes are inside of functions, and
/// those files need not be parsed.
pub(super) fn may_matter(file: &FileContext<'_>) -> bool {
    let lines = file.change.removed().chain(file.change.added());
    lines.map(|(_, line)| line).any(|line| may_declare(file.language, line) || may_hide(line))
}

fn may_declare(language: Language, line: &[u8]) -> bool {
    let code = line.trim_ascii();
    let has = |word: &str| memchr::memmem::find(code, word.as_bytes()).is_some();
    let indented = line.first().is_some_and(u8::is_ascii_whitespace);
    let listed = code.ends_with(b",") && code.iter().any(u8::is_ascii_alphanumeric);
    match language {
        Language::Rust => {
            const ANYWHERE: [&str; 8] =
                ["pub", "impl", "type ", "const ", "mod ", "trait ", "macro", "extern"];
            const INSIDE: [&str; 6] = ["fn ", "self", "->", "where", "= ", "<"];
            let said = |words: &[&str]| words.iter().any(|word| has(word));
            listed || code.starts_with(b"#[") || said(&ANYWHERE) || (indented && said(&INSIDE))
        }
        Language::Python => {
            listed
                || has("def ")
                || has("class ")
                || has("import ")
                || code.starts_with(b"@")
                || (depth(line) <= 4 && (code.contains(&b'=') || code.contains(&b':')))
        }
        Language::Go => {
            listed
                || has("func ")
                || has("type ")
                || has("const ")
                || has("var ")
                || code.first().is_some_and(u8::is_ascii_uppercase)
        }
        Language::JavaScript | Language::TypeScript => {
            listed
                || has("export")
                || has("function")
                || has("class ")
                || has("=>")
                || (code.contains(&b'=') && depth(line) <= 4)
                || (code.contains(&b'|') && code.contains(&b'"'))
                || code.contains(&b'{')
                || (code.contains(&b':') && !code.contains(&b'('))
        }
        _ => {
            listed
                || has("public")
                || has("class ")
                || has("interface ")
                || has("enum ")
                || has("fun ")
                || has("val ")
                || has("var ")
                || has("def ")
                || code.ends_with(b";")
                || has("func")
                || has("attr_")
                || has("protected")
                || has("module ")
                || has("object ")
                || has("trait ")
                || has("struct ")
                || code.starts_with(b"#define")
                || (code.starts_with(b"case ") && !code.ends_with(b":") && !has("=>"))
                || (code.contains(&b'(') && !code.starts_with(b"//"))
        }
    }
}

fn depth(line: &[u8]) -> usize {
    line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
