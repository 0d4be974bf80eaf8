//! Where each kind of literal ends.

use memchr::{memchr2, memchr3};

use super::lexer::{Lexer, is_word};
use super::syntax::Literal;

impl Lexer<'_> {
    /// The end of the literal that opens here, if one does.
    pub(super) fn literal(&mut self, literal: Literal) -> Option<usize> {
        let first = *self.rest().first()?;
        let inside = self.at + 1;
        match literal {
            Literal::Quoted(quote) => {
                (first == quote).then(|| self.one_line(inside, quote).unwrap_or_else(|line_end| line_end))
            }
            Literal::Loose(quote) => (first == quote).then(|| self.loose_end(quote)),
            Literal::Spanning(quote) => (first == quote).then(|| self.escaped_end(inside, &[quote])),
            Literal::Raw(quote) => (first == quote).then(|| self.after(inside, &[quote])),
            Literal::Triple(quote) => {
                let fence = [quote; 3];
                self.rest().starts_with(&fence).then(|| self.escaped_end(self.at + 3, &fence))
            }
            Literal::Escape(sign) => (first == sign).then_some(self.at + 2),
            Literal::RustRaw => self.rust_raw_end(),
            Literal::RustChar => self.rust_char_end(),
            Literal::Template => (first == b'`').then(|| self.template_end(inside)),
            Literal::Regex => self.regex_end(),
            Literal::Percent => self.percent_end(),
            Literal::CharCode => self.char_code_end(),
            Literal::PhpText => self.rest().starts_with(b"?>").then(|| self.php_text_end()),
            Literal::CppRaw => self.cpp_raw_end(),
            Literal::CsVerbatim => self.verbatim_end(),
            Literal::Heredoc => {
                self.announce_heredoc();
                None
            }
            Literal::LuaLong => self.rest().starts_with(b"[[").then(|| self.after(self.at + 2, b"]]")),
        }
    }

    /// Behind the closing quote, or else as an error where the line ends.
    fn one_line(&self, from: usize, quote: u8) -> Result<usize, usize> {
        let mut at = from;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' if self.text[at..].starts_with(b"\\\r\n") => at += 2,
                b'\\' => at += 1,
                b'\n' | b'\r' => return Err(at),
                _ if byte == quote => return Ok(at + 1),
                _ => {}
            }
            at += 1;
        }
        Err(self.text.len())
    }

    /// Only the quote itself, if nothing closes it on its line.
    fn loose_end(&mut self, quote: u8) -> usize {
        if !self.guesses.may_try(self.at) {
            return self.at + 1;
        }
        self.one_line(self.at + 1, quote).unwrap_or_else(|line_end| {
            self.guesses.failed(line_end);
            self.at + 1
        })
    }

    /// Behind the next `fence` that no backslash precedes; if there is none, the end of the line.
    fn escaped_end(&mut self, from: usize, fence: &[u8]) -> usize {
        let text = self.text;
        let found = self.unclosed.unless_known(fence, || escaped(text, from, fence));
        found.unwrap_or_else(|| match fence {
            [quote] => self.one_line(from, *quote).unwrap_or_else(|line_end| line_end),
            _ => self.line_end(from),
        })
    }

    /// `r"..."`, `r#"..."#` and the same behind `b` or `c`; also the plain `b"..."` and `b'x'`.
    fn rust_raw_end(&mut self) -> Option<usize> {
        if self.before().is_some_and(is_word) {
            return None;
        }
        let rest = self.rest();
        let prefix = usize::from(matches!(rest[0], b'b' | b'c'));
        match rest.get(prefix)? {
            b'"' if prefix == 1 => Some(self.escaped_end(self.at + 2, b"\"")),
            b'\'' if rest[0] == b'b' => {
                Some(self.one_line(self.at + 2, b'\'').unwrap_or_else(|line_end| line_end))
            }
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
            return Some(self.one_line(self.at + 1, b'\'').unwrap_or_else(|line_end| line_end));
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
    pub(super) fn template_end(&mut self, from: usize) -> usize {
        let text = self.text;
        let Some(end) = self.unclosed.unless_known(b"`", || template_part(text, from)) else {
            return self.line_end(from);
        };
        if text[end - 1] == b'{' {
            self.templates.push(0);
        }
        end
    }

    /// `?"` is a character in Ruby and Elixir, not the beginning of a string.
    fn char_code_end(&self) -> Option<usize> {
        let rest = self.rest();
        let length = if rest.get(1) == Some(&b'\\') { 3 } else { 2 };
        let fits = rest[0] == b'?'
            && rest.get(1).is_some_and(|byte| b"\"'`#/%\\".contains(byte))
            && !self.before().is_some_and(is_word)
            && !rest.get(length).is_some_and(|byte| is_word(*byte));
        fits.then_some(self.at + length)
    }

    fn php_text_end(&self) -> usize {
        memchr::memmem::find(self.rest(), b"<?").map_or(self.text.len(), |at| self.at + at)
    }

    fn cpp_raw_end(&mut self) -> Option<usize> {
        let rest = self.rest();
        if !rest.starts_with(b"R\"") {
            return None;
        }
        let delimiter = rest[2..].iter().take(17).position(|byte| *byte == b'(')?;
        let close = [b")", &rest[2..2 + delimiter], b"\""].concat();
        Some(self.after(self.at + 3 + delimiter, &close))
    }

    /// `@"..."`, `$@"..."`: backslashes mean nothing.
    fn verbatim_end(&mut self) -> Option<usize> {
        let rest = self.rest();
        let open = [&b"@\""[..], b"$@\"", b"@$\""].into_iter().find(|open| rest.starts_with(open))?;
        Some(self.after(self.at + open.len(), b"\""))
    }
}

fn escaped(text: &[u8], from: usize, fence: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr2(b'\\', fence[0], text.get(at..)?)?;
        if text[at] == b'\\' {
            at += 2;
        } else if text[at..].starts_with(fence) {
            return Some(at + fence.len());
        } else {
            at += 1;
        }
    }
}

fn template_part(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr3(b'\\', b'`', b'$', text.get(at..)?)?;
        match text[at] {
            b'\\' => at += 2,
            b'`' => return Some(at + 1),
            _ if text.get(at + 1) == Some(&b'{') => return Some(at + 2),
            _ => at += 1,
        }
    }
}
