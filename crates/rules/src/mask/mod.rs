//! Which bytes of a source are code, which are strings and which are comments.
//!
//! Not a parser: a lexer per family of languages that knows just enough to tell the three apart, in one
//! pass, for any bytes whatever. What it gets wrong it gets wrong for a line or so: strings that may not
//! span lines end with their line.

mod lexer;
mod syntax;

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
            (Ruby, "x = <<~EOS\n  a # b\nEOS\ny", "x = ssssssssssssssssss\ny"),
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
