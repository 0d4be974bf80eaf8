use memchr::{memchr, memmem};

use super::Kind;
use super::syntax::{BlockComment, LineComment, Literal, Syntax};

/// One pass over `text`. Every search that can fail runs at most once per opening delimiter kind to the end
/// of the text, because what is not closed reaches to the end.
pub(super) fn kinds(text: &[u8], syntax: &Syntax) -> Vec<Kind> {
    let mut lexer = Lexer {
        text,
        syntax,
        at: 0,
        kinds: vec![Kind::Code; text.len()],
        templates: Vec::new(),
        last_code: None,
        failed_heredocs: 0,
    };
    let openers = openers(syntax);
    while let Some(&byte) = text.get(lexer.at) {
        if !openers[byte as usize] {
            lexer.pass(byte);
        } else if let Some((end, kind)) = lexer.opened() {
            lexer.fill(end, kind);
        } else {
            lexer.brace_or_pass(byte);
        }
    }
    lexer.kinds
}

/// A guess that fails has to stay cheap, however often it is made.
const LONGEST_REGEX: usize = 1000;
const FAILED_HEREDOCS: usize = 16;

struct Lexer<'a> {
    text: &'a [u8],
    syntax: &'a Syntax,
    at: usize,
    kinds: Vec<Kind>,
    /// For each template literal we are inside of, how many braces are open in its present `${`.
    templates: Vec<usize>,
    /// The last byte of code that is not white space: tells a division from a regular expression.
    last_code: Option<(usize, u8)>,
    failed_heredocs: usize,
}

/// The bytes at which a comment or a string may begin.
fn openers(syntax: &Syntax) -> [bool; 256] {
    let mut openers = [false; 256];
    let mut mark = |byte: u8| openers[byte as usize] = true;
    for comment in syntax.line_comments {
        let (LineComment::Anywhere(open) | LineComment::AtWord(open)) = comment;
        mark(open[0]);
    }
    for comment in syntax.block_comments {
        let (BlockComment::Flat(open, _) | BlockComment::Nested(open, _) | BlockComment::Lines(open, _)) =
            comment;
        mark(open[0]);
    }
    for literal in syntax.literals {
        match literal {
            Literal::Quoted(quote)
            | Literal::Spanning(quote)
            | Literal::Raw(quote)
            | Literal::Triple(quote) => {
                mark(*quote);
            }
            Literal::RustRaw => b"rbc".iter().for_each(|byte| mark(*byte)),
            Literal::RustChar => mark(b'\''),
            Literal::Template => b"`{}".iter().for_each(|byte| mark(*byte)),
            Literal::Regex => mark(b'/'),
            Literal::CppRaw => mark(b'R'),
            Literal::CsVerbatim => b"@$".iter().for_each(|byte| mark(*byte)),
            Literal::Heredoc => mark(b'<'),
            Literal::LuaLong => mark(b'['),
        }
    }
    openers
}

impl Lexer<'_> {
    fn pass(&mut self, byte: u8) {
        if !byte.is_ascii_whitespace() {
            self.last_code = Some((self.at, byte));
        }
        self.at += 1;
    }

    fn fill(&mut self, end: usize, kind: Kind) {
        let end = end.clamp(self.at + 1, self.text.len());
        self.kinds[self.at..end].fill(kind);
        self.at = end;
        if kind == Kind::String {
            self.last_code = Some((end - 1, b'"'));
        }
    }

    /// Inside `${...}` braces are counted, and the last one leads back into the template.
    fn brace_or_pass(&mut self, byte: u8) {
        match (byte, self.templates.last_mut()) {
            (b'{', Some(depth)) => *depth += 1,
            (b'}', Some(0)) => {
                self.templates.pop();
                let end = self.template_end(self.at + 1);
                return self.fill(end, Kind::String);
            }
            (b'}', Some(depth)) => *depth -= 1,
            _ => {}
        }
        self.pass(byte);
    }

    fn opened(&mut self) -> Option<(usize, Kind)> {
        if let Some(end) = self.comment() {
            return Some((end, Kind::Comment));
        }
        let literals = self.syntax.literals;
        literals.iter().find_map(|literal| self.literal(*literal)).map(|end| (end, Kind::String))
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|at| self.text[at])
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.text.len(), |at| from + at)
    }

    fn after(&self, from: usize, close: &[u8]) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        memmem::find(rest, close).map_or(self.text.len(), |at| from + at + close.len())
    }

    fn comment(&self) -> Option<usize> {
        let block = self.syntax.block_comments.iter().find_map(|comment| match comment {
            BlockComment::Flat(open, close) => {
                self.rest().starts_with(open).then(|| self.after(self.at + open.len(), close))
            }
            BlockComment::Nested(open, close) => {
                self.rest().starts_with(open).then(|| self.nested_end(open, close))
            }
            BlockComment::Lines(open, close) => {
                let at_line = self.before().is_none_or(|byte| byte == b'\n');
                (at_line && self.rest().starts_with(open)).then(|| {
                    let closing = [b"\n", *close].concat();
                    self.line_end(self.after(self.at, &closing))
                })
            }
        });
        block.or_else(|| {
            let opens = self.syntax.line_comments.iter().any(|comment| match comment {
                LineComment::Anywhere(open) => self.rest().starts_with(open),
                LineComment::AtWord(open) => {
                    let at_word = self.before().is_none_or(|byte| b" \t\n\r;({".contains(&byte));
                    at_word && self.rest().starts_with(open)
                }
            });
            opens.then(|| self.line_end(self.at))
        })
    }

    fn nested_end(&self, open: &[u8], close: &[u8]) -> usize {
        let mut depth = 0usize;
        let mut at = self.at;
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with(open) {
                depth += 1;
                at += open.len();
            } else if rest.starts_with(close) {
                depth -= 1;
                at += close.len();
                if depth == 0 {
                    return at;
                }
            } else {
                at += 1;
            }
        }
        self.text.len()
    }

    fn literal(&mut self, literal: Literal) -> Option<usize> {
        let first = *self.rest().first()?;
        match literal {
            Literal::Quoted(quote) => (first == quote).then(|| self.quoted_end(quote, Span::OneLine)),
            Literal::Spanning(quote) => (first == quote).then(|| self.quoted_end(quote, Span::Lines)),
            Literal::Raw(quote) => (first == quote).then(|| self.after(self.at + 1, &[quote])),
            Literal::Triple(quote) => self.triple_end(quote),
            Literal::RustRaw => self.rust_raw_end(),
            Literal::RustChar => self.rust_char_end(),
            Literal::Template => (first == b'`').then(|| self.template_end(self.at + 1)),
            Literal::Regex => self.regex_end(),
            Literal::CppRaw => self.cpp_raw_end(),
            Literal::CsVerbatim => self.verbatim_end(),
            Literal::Heredoc => self.heredoc_end(),
            Literal::LuaLong => self.rest().starts_with(b"[[").then(|| self.after(self.at + 2, b"]]")),
        }
    }

    fn quoted_end(&self, quote: u8, span: Span) -> usize {
        let mut at = self.at + 1;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' if span == Span::OneLine => return at,
                _ if byte == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    fn triple_end(&self, quote: u8) -> Option<usize> {
        let fence = [quote; 3];
        self.rest().starts_with(&fence).then(|| {
            let mut at = self.at + 3;
            while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
                match rest[0] {
                    b'\\' => at += 2,
                    _ if rest.starts_with(&fence) => return at + 3,
                    _ => at += 1,
                }
            }
            self.text.len()
        })
    }

    /// `r"..."`, `r#"..."#` and the same behind `b` or `c`; also the plain `b"..."` and `b'x'`.
    fn rust_raw_end(&self) -> Option<usize> {
        if self.before().is_some_and(is_word) {
            return None;
        }
        let rest = self.rest();
        let prefix = usize::from(matches!(rest[0], b'b' | b'c'));
        match rest.get(prefix)? {
            b'"' if prefix == 1 => Some(quoted_from(self.text, self.at + 2, b'"')),
            b'\'' if rest[0] == b'b' => Some(quoted_from(self.text, self.at + 2, b'\'')),
            b'r' => {
                let hashes = rest[prefix + 1..].iter().take(255).take_while(|byte| **byte == b'#').count();
                let open = prefix + 1 + hashes;
                (rest.get(open) == Some(&b'"')).then(|| {
                    let mut close = vec![b'#'; hashes + 1];
                    close[0] = b'"';
                    self.after(self.at + open + 1, &close)
                })
            }
            _ => None,
        }
    }

    fn rust_char_end(&self) -> Option<usize> {
        let rest = self.rest();
        if rest[0] != b'\'' {
            return None;
        }
        if rest.get(1) == Some(&b'\\') {
            return Some(self.quoted_end(b'\'', Span::OneLine));
        }
        // A character is one to four bytes long; what is longer is a lifetime.
        let width = rest.get(1).map(|byte| match byte {
            0xF0.. => 4,
            0xE0.. => 3,
            0xC0.. => 2,
            _ => 1,
        })?;
        (rest.get(1 + width) == Some(&b'\'')).then_some(self.at + width + 2)
    }

    /// The end of the string part that begins at `from`: behind the closing backtick, or behind a `${`.
    fn template_end(&mut self, from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => return at + 1,
                b'$' if self.text.get(at + 1) == Some(&b'{') => {
                    self.templates.push(0);
                    return at + 2;
                }
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    /// A slash opens a regular expression where a value is expected, and only if it closes on its line.
    fn regex_end(&self) -> Option<usize> {
        if self.rest()[0] != b'/' || !self.value_expected() {
            return None;
        }
        let mut in_class = false;
        let mut at = self.at + 1;
        while let Some(&byte) = self.text.get(at).filter(|_| at - self.at < LONGEST_REGEX) {
            match byte {
                b'\n' => return None,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn value_expected(&self) -> bool {
        match self.last_code {
            None => true,
            Some((at, byte)) if is_word(byte) => {
                let word: Vec<u8> =
                    self.text[..=at].iter().rev().take(10).copied().take_while(|b| is_word(*b)).collect();
                const BEFORE_VALUES: [&[u8]; 4] = [b"nruter", b"foepyt", b"esac", b"tiawa"];
                BEFORE_VALUES.contains(&word.as_slice())
            }
            Some((_, byte)) => b"(,=:[!&|?{;+-*%~^".contains(&byte),
        }
    }

    fn cpp_raw_end(&self) -> Option<usize> {
        let rest = self.rest();
        if !rest.starts_with(b"R\"") {
            return None;
        }
        let delimiter = rest[2..].iter().take(17).position(|byte| *byte == b'(')?;
        let close = [b")", &rest[2..2 + delimiter], b"\""].concat();
        Some(self.after(self.at + 3 + delimiter, &close))
    }

    /// `@"..."`, `$@"..."`: backslashes mean nothing.
    fn verbatim_end(&self) -> Option<usize> {
        let rest = self.rest();
        let open = [&b"@\""[..], b"$@\"", b"@$\""].into_iter().find(|open| rest.starts_with(open))?;
        Some(self.after(self.at + open.len(), b"\""))
    }

    /// `<<EOS`, `<<-EOS`, `<<~"EOS"`, `<<<EOS`: up to the line that holds the word alone.
    fn heredoc_end(&mut self) -> Option<usize> {
        let rest = self.rest().strip_prefix(b"<<")?;
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len()).min(80)];
        let signs = line.iter().take_while(|byte| b"<-~'\"".contains(byte)).count();
        let word = line[signs..].split(|byte| !is_word(*byte)).next().unwrap_or_default();
        if word.is_empty() || !word[0].is_ascii_uppercase() || self.failed_heredocs > FAILED_HEREDOCS {
            return None;
        }
        let mut start = self.line_end(self.at) + 1;
        while start < self.text.len() {
            let end = self.line_end(start);
            let content = self.text[start..end].trim_ascii();
            if content == word || content.strip_suffix(b";") == Some(word) {
                return Some(end);
            }
            start = end + 1;
        }
        self.failed_heredocs += 1;
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Span {
    OneLine,
    Lines,
}

fn quoted_from(text: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
