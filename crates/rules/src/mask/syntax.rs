use crate::language::Language;

/// What opens and closes comments and strings in a family of languages. Tried in the order given.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) line_comments: &'static [LineComment],
    pub(super) block_comments: &'static [BlockComment],
    pub(super) literals: &'static [Literal],
    pub(super) line_ends: LineEnds,
}

/// What ends a line comment besides a line feed and a carriage return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    Plain,
    /// U+2028 and U+2029.
    Separators,
    /// PHP's `?>`.
    ClosingTag,
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
    /// Backslash escapes; may span lines, but hardly ever does. If it seems to, it is more likely that we
    /// misread what stands before it, so only the quote itself counts.
    Loose(u8),
    /// Backslash escapes; may span lines.
    Spanning(u8),
    /// No escapes; may span lines. A doubled quote reads as two strings, which comes to the same.
    Raw(u8),
    /// Three quotes in a row.
    Triple(u8),
    /// Outside all strings, takes away the meaning of the next byte.
    Escape(u8),
    RustRaw,
    /// A character, and not a lifetime.
    RustChar,
    Template,
    Regex,
    /// Ruby's `%q(...)` and its like.
    Percent,
    /// `?"`
    CharCode,
    /// What stands outside of PHP's tags.
    PhpText,
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
    line_ends: LineEnds::Plain,
};
static PYTHON: Syntax = Syntax {
    line_comments: HASH,
    block_comments: &[],
    literals: &[Triple(b'"'), Triple(b'\''), Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static SCRIPT: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Quoted(b'"'), Quoted(b'\''), Template, Regex],
    line_ends: LineEnds::Separators,
};
static GO: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Quoted(b'"'), Quoted(b'\''), Raw(b'`')],
    line_ends: LineEnds::Plain,
};
static JVM: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Triple(b'"'), Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static C_SHARP: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[CsVerbatim, Triple(b'"'), Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Separators,
};
static CPP: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[CppRaw, Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static SWIFT: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: &[Nested(b"/*", b"*/")],
    literals: &[Triple(b'"'), Quoted(b'"')],
    line_ends: LineEnds::Plain,
};
static DART: Syntax = Syntax {
    line_comments: SLASHES,
    block_comments: C_BLOCK,
    literals: &[Triple(b'"'), Triple(b'\''), Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static PHP: Syntax = Syntax {
    line_comments: &[Anywhere(b"//"), AtWord(b"# "), AtWord(b"#\n")],
    block_comments: C_BLOCK,
    literals: &[PhpText, Heredoc, Spanning(b'"'), Spanning(b'\'')],
    line_ends: LineEnds::ClosingTag,
};
static RUBY: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[Lines(b"=begin", b"=end")],
    literals: &[Heredoc, CharCode, Percent, Regex, Loose(b'"'), Loose(b'\''), Loose(b'`')],
    line_ends: LineEnds::Plain,
};
static ELIXIR: Syntax = Syntax {
    line_comments: HASH,
    block_comments: &[],
    literals: &[CharCode, Triple(b'"'), Triple(b'\''), Loose(b'"'), Loose(b'\'')],
    line_ends: LineEnds::Plain,
};
static LUA: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: &[Flat(b"--[[", b"]]")],
    literals: &[LuaLong, Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static SHELL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[],
    literals: &[Escape(b'\\'), Heredoc, Spanning(b'"'), Raw(b'\'')],
    line_ends: LineEnds::Plain,
};
static PERL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[],
    literals: &[Heredoc, Regex, Loose(b'"'), Loose(b'\'')],
    line_ends: LineEnds::Plain,
};
static HASKELL: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: &[Nested(b"{-", b"-}")],
    literals: &[Quoted(b'"'), RustChar],
    line_ends: LineEnds::Plain,
};
static POWER_SHELL: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[Flat(b"<#", b"#>")],
    literals: &[Escape(b'`'), Raw(b'"'), Raw(b'\'')],
    line_ends: LineEnds::Plain,
};
static SQL: Syntax = Syntax {
    line_comments: &[Anywhere(b"--")],
    block_comments: C_BLOCK,
    literals: &[Raw(b'\''), Quoted(b'"')],
    line_ends: LineEnds::Plain,
};
static HTML: Syntax = Syntax {
    line_comments: &[],
    block_comments: &[Flat(b"<!--", b"-->")],
    literals: &[],
    line_ends: LineEnds::Plain,
};
static CSS: Syntax = Syntax {
    line_comments: &[],
    block_comments: C_BLOCK,
    literals: &[Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static SETTINGS: Syntax = Syntax {
    line_comments: &[AtWord(b"#")],
    block_comments: &[],
    literals: &[Quoted(b'"'), Quoted(b'\'')],
    line_ends: LineEnds::Plain,
};
static JSON: Syntax =
    Syntax { line_comments: &[], block_comments: &[], literals: &[Quoted(b'"')], line_ends: LineEnds::Plain };
static PLAIN: Syntax =
    Syntax { line_comments: &[], block_comments: &[], literals: &[], line_ends: LineEnds::Plain };

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
