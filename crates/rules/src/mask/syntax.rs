use crate::language::Language;

/// What opens and closes comments and strings in a family of languages. Tried in the order given.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) line_comments: &'static [LineComment],
    pub(super) block_comments: &'static [BlockComment],
    pub(super) literals: &'static [Literal],
}

#[derive(Debug)]
pub(super) enum LineComment {
    Anywhere(&'static [u8]),
    /// Only at the start of a word: `$#` and `a#b` are no comments in a shell.
    AtWord(&'static [u8]),
}

#[derive(Debug)]
pub(super) enum BlockComment {
    Flat(&'static [u8], &'static [u8]),
    Nested(&'static [u8], &'static [u8]),
    /// Ruby's `=begin` and `=end`, each at the start of a line.
    Lines(&'static [u8], &'static [u8]),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Literal {
    /// Backslash escapes; ends with its line at the latest.
    Quoted(u8),
    /// Backslash escapes; may span lines.
    Spanning(u8),
    /// No escapes; may span lines. A doubled quote reads as two strings, which comes to the same.
    Raw(u8),
    /// Three quotes in a row.
    Triple(u8),
    RustRaw,
    /// A character, and not a lifetime.
    RustChar,
    Template,
    Regex,
    CppRaw,
    CsVerbatim,
    Heredoc,
    LuaLong,
}

use BlockComment::{Flat, Lines, Nested};
use LineComment::{Anywhere, AtWord};
use Literal::*;

const SLASHES: &[LineComment] = &[Anywhere(b"//")];
const HASH: &[LineComment] = &[Anywhere(b"#")];
const C_BLOCK: &[BlockComment] = &[Flat(b"/*", b"*/")];

static RUST: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: &[Nested(b"/*", b"*/")],
    literals: &[RustRaw, Spanning(b'"'), RustChar],
};
static PYTHON: Syntax = Syntax {
    line_comments: HASH,
    block_comments: &[],
    literals: &[Triple(b'"'), Triple(b'\''), Quoted(b'"'), Quoted(b'\'')],
};
static SCRIPT: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Quoted(b'"'), Quoted(b'\''), Template, Regex],
};
static GO: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Quoted(b'"'), Quoted(b'\''), Raw(b'`')],
};
static JVM: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Triple(b'"'), Quoted(b'"'), Quoted(b'\'')],
};
static C_SHARP: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[CsVerbatim, Triple(b'"'), Quoted(b'"'), Quoted(b'\'')],
};
static CPP: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[CppRaw, Quoted(b'"'), Quoted(b'\'')],
};
static SWIFT: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: &[Nested(b"/*", b"*/")],
    literals: &[Triple(b'"'), Quoted(b'"')],
};
static DART: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Triple(b'"'), Triple(b'\''), Quoted(b'"'), Quoted(b'\'')],
};
static PHP: Syntax = Syntax {
    line_comments: &[Anywhere(b"//"), AtWord(b"# "), AtWord(b"#\n")],
    block_comments: C_BLOCK,
    literals: &[Heredoc, Spanning(b'"'), Spanning(b'\'')],
};
static RUBY: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[Lines(b"=begin", b"=end")],
    literals: &[Heredoc, Spanning(b'"'), Spanning(b'\''), Quoted(b'`')],
};
static ELIXIR: Syntax = Syntax {
    line_comments: HASH,
    block_comments: &[],
    literals: &[Triple(b'"'), Triple(b'\''), Spanning(b'"'), Quoted(b'\'')],
};
static LUA: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: &[Flat(b"--[[", b"]]")],
    literals: &[LuaLong, Quoted(b'"'), Quoted(b'\'')],
};
static SHELL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[],
    literals: &[Heredoc, Spanning(b'"'), Raw(b'\'')],
};
static PERL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[],
    literals: &[Heredoc, Spanning(b'"'), Quoted(b'\'')],
};
static HASKELL: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: &[Nested(b"{-", b"-}")],
    literals: &[Quoted(b'"'), RustChar],
};
static POWER_SHELL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[Flat(b"<#", b"#>")],
    literals: &[Raw(b'"'), Raw(b'\'')],
};
static SQL: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: C_BLOCK,
    literals: &[Raw(b'\''), Quoted(b'"')],
};
static HTML: Syntax = Syntax { line_comments: &[], block_comments: &[Flat(b"<!--", b"-->")], literals: &[] };
static CSS: Syntax =
    Syntax { line_comments: &[], block_comments: C_BLOCK, literals: &[Quoted(b'"'), Quoted(b'\'')] };
static SETTINGS: Syntax =
    Syntax { line_comments: &[AtWord(b"#")], block_comments: &[], literals: &[Quoted(b'"'), Quoted(b'\'')] };
static JSON: Syntax = Syntax { line_comments: &[], block_comments: &[], literals: &[Quoted(b'"')] };
static PLAIN: Syntax = Syntax { line_comments: &[], block_comments: &[], literals: &[] };

pub(super) fn of(language: Language) -> &'static Syntax {
    match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript => &SCRIPT,
        Language::Go => &GO,
        Language::Java | Language::Kotlin | Language::Scala => &JVM,
        Language::CSharp => &C_SHARP,
        Language::C | Language::Cpp => &CPP,
        Language::Swift => &SWIFT,
        Language::Dart => &DART,
        Language::Php => &PHP,
        Language::Ruby => &RUBY,
        Language::Elixir => &ELIXIR,
        Language::Lua => &LUA,
        Language::Perl => &PERL,
        Language::Haskell => &HASKELL,
        Language::Shell => &SHELL,
        Language::PowerShell => &POWER_SHELL,
        Language::Sql => &SQL,
        Language::Html => &HTML,
        Language::Css => &CSS,
        Language::Settings => &SETTINGS,
        Language::Json => &JSON,
        Language::Prose | Language::Unknown => &PLAIN,
    }
}
