//! Which bytes of a source are code, which are strings and which are comments.
//!
//! Not a parser: a lexer per family of languages that knows just enough to tell the three apart, in one
//! pass, for any bytes whatever. What it gets wrong it gets wrong for a line or so: a string that may not
//! span lines ends with its line, and so does whatever is opened and never closed.

mod guess;
mod lexer;
mod literal;
mod syntax;
mod unclosed;

use crate::language::Language;

/// What a byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Code,
    /// With its quotes and prefix.
    String,
    /// With its delimiters.
    Comment,
}

/// The kinds of all bytes of a text.
#[derive(Debug)]
pub struct Mask {
    kinds: Vec<Kind>,
    code: Vec<u8>,
}

impl Mask {
    /// As long as `text`, always.
    pub fn of(text: &[u8], language: Language) -> Mask {
        let kinds = lexer::kinds(text, syntax::of(language));
        let blank = |(byte, kind): (&u8, &Kind)| match (kind, byte) {
            (Kind::Code, _) | (_, b'\n') => *byte,
            (Kind::String | Kind::Comment, _) => b' ',
        };
        let code = text.iter().zip(&kinds).map(blank).collect();
        Mask { kinds, code }
    }

    /// `Code` beyond the end.
    pub fn kind(&self, offset: usize) -> Kind {
        self.kinds.get(offset).copied().unwrap_or_default()
    }

    /// The text with every byte of strings and comments replaced by a space; line feeds stay.
    pub fn code(&self) -> &[u8] {
        &self.code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `s` for string bytes, `c` for comment bytes, code as it is.
    fn shown(language: Language, text: &str) -> String {
        let mask = Mask::of(text.as_bytes(), language);
        let show = |(at, byte): (usize, u8)| match mask.kind(at) {
            Kind::Code => byte as char,
            Kind::String => 's',
            Kind::Comment => 'c',
        };
        text.bytes().enumerate().map(show).collect()
    }

    #[test]
    fn every_language_family_is_told_apart() {
        use Language::*;
        let cases = [
            (Rust, r##"a("x\"y", 'c', '\'', &'a b) // z"##, "a(ssssss, sss, ssss, &'a b) cccc"),
            (Rust, r###"r#"a"b"# b"x" r"\" br##"y"# "## 1"###, "ssssssss ssss ssss ssssssssssss 1"),
            (Rust, "/* a /* b */ c */ d r#fn", "ccccccccccccccccc d r#fn"),
            (Python, "x = '''a\n'b''' # c", "x = ssssssssss ccc"),
            (Python, "f('it\\'s') + \"#\"", "f(sssssss) + sss"),
            (JavaScript, "a = `x${b + `y`}z` / 2", "a = ssssb + ssssss / 2"),
            (JavaScript, "s.match(/[/\"]/g) // x", "s.match(ssssssg) cccc"),
            (TypeScript, "x = a / b / c; <b>it</b>", "x = a / b / c; <b>it</b>"),
            (Go, "a := `x\\` + \"y\" // z", "a := ssss + sss cccc"),
            (Java, "\"\"\"\na\" \"\"\" + 'c' /* x */", "ssssssssss + sss ccccccc"),
            (CSharp, "@\"a\\\" + \"b\\\"\"", "sssss + sssss"),
            (Cpp, "R\"x(a)\" )x\" + 'c'", "sssssssssss + sss"),
            (Ruby, "a # b\n=begin\nx\n=end\n'c'", "a ccc\nccccccccccccc\nsss"),
            (Ruby, "x = <<~EOS\n  a # b\nEOS\ny", "x = <<~EOS\nsssssssssss\ny"),
            (Ruby, "f(<<A, <<B) # c\n'\nA\n\"\nB\ny", "f(<<A, <<B) ccc\nsssssss\ny"),
            (
                Ruby,
                "a =~ /\"/; b.gsub /'/, ?\"; %q(\") + %w[' a] # z",
                "a =~ sss; b.gsub sss, ss; sssss + sssssss ccc",
            ),
            (Ruby, "x = a / b / c; y ? \"a\" : \"b\"; 10 %w", "x = a / b / c; y ? sss : sss; 10 %w"),
            (
                JavaScript,
                "if (x) /`/.test(x); f(a => /'/.test(a))",
                "if (x) sss.test(x); f(a => sss.test(a))",
            ),
            (JavaScript, "x = (a)/b + \"/\" + `${/`/.test(c)}`", "x = (a)/b + sss + ssssss.test(c)ss"),
            (Shell, "echo \\\" it\\'s # b", "echo \\\" it\\'s ccc"),
            (Elixir, "x = ?\" # b", "x = ss ccc"),
            (Perl, "$x =~ /\"/ # b", "$x =~ sss ccc"),
            (Php, "it's <?php a('x') // b ?> it's <?= b", "sssss<?php a(sss) cccccssssssss<?= b"),
            (Shell, "echo $# 'a' # b", "echo $# sss ccc"),
            (Sql, "SELECT 'it''s' -- x", "SELECT sssssss cccc"),
            (Html, "<a> <!-- b\n --> c", "<a> ccccccccccc c"),
            (Php, "a('x') # b", "a(sss) ccc"),
            (Lua, "a = [[x]] -- y\n--[[ z\n]] b", "a = sssss cccc\nccccccccc b"),
            (Settings, "a: \"x\" # y", "a: sss ccc"),
            (Prose, "it's # fine", "it's # fine"),
        ];
        for (language, text, expected) in cases {
            assert_eq!(shown(language, text), expected, "{language:?}: {text}");
        }
    }

    #[test]
    fn an_unclosed_string_costs_one_line_only() {
        assert_eq!(shown(Language::JavaScript, "it's\nb"), "itss\nb");
        assert_eq!(shown(Language::Go, "\"x\nb"), "ss\nb");
    }

    #[test]
    fn what_never_closes_costs_one_line_only() {
        let cases = [
            (Language::JavaScript, "x`a\nb", "xss\nb"),
            (Language::JavaScript, "x/*a\nb", "xccc\nb"),
            (Language::JavaScript, "a`${b}c\nd", "asssbss\nd"),
            (Language::Rust, "a \"b\nc", "a ss\nc"),
            (Language::Rust, "r#\"b\nc/*d\ne", "ssss\ncccc\ne"),
            (Language::Python, "'''a\nb", "ssss\nb"),
            (Language::Go, "`a\nb", "ss\nb"),
            (Language::Php, "$a = \"b\nc", "$a = ss\nc"),
            (Language::Cpp, "R\"x(a\nb", "sssss\nb"),
        ];
        for (language, text, expected) in cases {
            assert_eq!(shown(language, text), expected, "{language:?}: {text}");
        }
    }

    #[test]
    fn where_strings_hardly_ever_span_lines_an_open_one_hides_nothing() {
        assert_eq!(shown(Language::Ruby, "a \"\n\"; binding.pry"), "a s\ns; binding.pry");
        assert_eq!(shown(Language::Ruby, "f <<~A; b\nA"), "f <<~A; b\ns");
    }

    #[test]
    fn carriage_returns_and_separators_end_lines() {
        let ends = |language, text: &str| shown(language, text).ends_with("x()");
        for language in [Language::Python, Language::Ruby, Language::Shell] {
            assert!(ends(language, "# a\rx()"), "{language:?}");
        }
        for line_end in ["\r", "\u{2028}", "\u{2029}"] {
            assert!(ends(Language::TypeScript, &format!("// \u{201C}a{line_end}x()")), "{line_end:?}");
        }
        assert!(ends(Language::JavaScript, "'a\rx()") && !ends(Language::Rust, "// a\u{2028}x()"));
        assert_eq!(shown(Language::JavaScript, "'a\\\r\nb' c"), "sssssss c");
    }

    /// Whatever is opened over and over, and never or only late closed: ends, and does so soon.
    #[test]
    fn hostile_repetition_is_read_in_one_pass() {
        let pieces = [
            "/*", "`", "`${", "(/[", ")/\"", "\"\\", "\\\"", "%q(", "<<A", "r#\"", "R\"x(", "'''", "{-",
            "?\"", "?>", "@\"", "b'",
        ];
        for piece in pieces {
            for between in ["", "\n"] {
                let text = format!("{piece}{between}").repeat(5_000);
                for language in ALL {
                    assert_eq!(Mask::of(text.as_bytes(), language).code().len(), text.len());
                }
            }
        }
        let different: String = (0..20_000).map(|n| format!("R\"{n}( <<A{n} r#\"\n")).collect();
        for language in [Language::Cpp, Language::Ruby, Language::Rust] {
            assert_eq!(Mask::of(different.as_bytes(), language).code().len(), different.len());
        }
    }

    proptest! {
        #[test]
        fn keeps_the_length_and_the_lines(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for language in ALL {
                let mask = Mask::of(&bytes, language);
                prop_assert_eq!(mask.code().len(), bytes.len());
                let feeds = |text: &[u8]| memchr::memchr_iter(b'\n', text).collect::<Vec<_>>();
                prop_assert_eq!(feeds(mask.code()), feeds(&bytes));
            }
        }

        #[test]
        fn any_mix_of_delimiters_is_survived(text in "(['\"`/*#$(){}<>=\\\\nrRb@x\n-]|<<~A\n|=begin|\\[\\[){0,60}") {
            for language in ALL {
                prop_assert_eq!(Mask::of(text.as_bytes(), language).code().len(), text.len());
            }
        }
    }

    const ALL: [Language; 28] = [
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Cpp,
        Language::Swift,
        Language::Scala,
        Language::Dart,
        Language::Php,
        Language::Ruby,
        Language::Elixir,
        Language::Lua,
        Language::Perl,
        Language::Haskell,
        Language::Shell,
        Language::PowerShell,
        Language::Sql,
        Language::Html,
        Language::Css,
        Language::Settings,
        Language::Json,
        Language::Prose,
        Language::Unknown,
    ];
}
