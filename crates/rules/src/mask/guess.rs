//! Literals that only their surroundings tell from operators: regular expressions and `%q(...)`.

use super::lexer::{Lexer, is_word};

/// A guess that fails has to stay cheap, however often it is made.
const LONGEST: usize = 1000;

impl Lexer<'_> {
    /// A slash opens a regular expression where a value is expected, and only if it closes on its line.
    /// Behind a bracket or a word it may be a division as well: then what it encloses has to decide.
    pub(super) fn regex_end(&mut self) -> Option<usize> {
        if self.rest()[0] != b'/' {
            return None;
        }
        let expected = self.value_expected();
        if !(expected || self.value_possible()) || !self.guesses.may_try(self.at) {
            return None;
        }
        match self.closing_slash() {
            Ok(end) if expected || self.reads_as_regex(end) => Some(end),
            Ok(looked) | Err(looked) => {
                self.guesses.failed(looked);
                None
            }
        }
    }

    /// Behind the slash, or else how far was looked.
    fn closing_slash(&self) -> Result<usize, usize> {
        let mut in_class = false;
        let mut at = self.at + 1;
        while let Some(&byte) = self.text.get(at).filter(|_| at - self.at < LONGEST) {
            match byte {
                b'\n' | b'\r' => return Err(at),
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return Ok(at + 1),
                _ => {}
            }
            at += 1;
        }
        Err(at)
    }

    fn value_expected(&self) -> bool {
        const WORDS: [&[u8]; 22] = [
            b"return",
            b"typeof",
            b"case",
            b"await",
            b"else",
            b"do",
            b"in",
            b"of",
            b"void",
            b"throw",
            b"yield",
            b"delete",
            b"instanceof",
            b"if",
            b"unless",
            b"when",
            b"while",
            b"until",
            b"and",
            b"or",
            b"not",
            b"split",
        ];
        match self.last_code {
            None => true,
            Some((at, byte)) if is_word(byte) => {
                let length = self.text[..=at].iter().rev().take(12).take_while(|b| is_word(**b)).count();
                WORDS.contains(&&self.text[at + 1 - length..=at])
            }
            Some((at, b'>')) => at.checked_sub(1).is_some_and(|before| self.text[before] == b'='),
            Some((_, byte)) => b"(,=:[!&|?{;+-*%~^".contains(&byte),
        }
    }

    /// Behind `if (x)`, a block, or a word that may be a method called without parentheses.
    fn value_possible(&self) -> bool {
        let apart = self.before().is_some_and(|byte| byte.is_ascii_whitespace());
        let glued = self.rest().get(1).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'=');
        glued && self.last_code.is_some_and(|(_, byte)| b")]}".contains(&byte) || (apart && is_word(byte)))
    }

    /// The two readings differ only if a quote is left over inside, and then nobody means a division.
    fn reads_as_regex(&self, end: usize) -> bool {
        let content = &self.text[self.at + 1..end - 1];
        let odd = |quote: u8| content.iter().filter(|byte| **byte == quote).count() % 2 == 1;
        let behind = &self.text[end..];
        let flags = behind.iter().take(8).take_while(|byte| b"dgimsuvyxon".contains(byte)).count();
        let glued = behind.get(flags).is_some_and(|byte| is_word(*byte) || b"\"'`".contains(byte));
        b"\"'`".iter().any(|quote| odd(*quote)) && !content.contains(&b';') && !glued
    }

    /// Ruby's `%q(...)`, `%w[...]`, `%r{...}` and `%(...)`.
    pub(super) fn percent_end(&mut self) -> Option<usize> {
        let rest = self.rest().strip_prefix(b"%")?;
        let letter = usize::from(rest.first().is_some_and(|byte| b"qQwWiIrxs".contains(byte)));
        let open = *rest.get(letter)?;
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            b'|' | b'!' | b'/' if letter == 1 => open,
            _ => return None,
        };
        let apart = self.before().is_none_or(|byte| byte.is_ascii_whitespace());
        let value = self.value_expected() || (letter == 1 && apart);
        if !value || !self.guesses.may_try(self.at) {
            return None;
        }
        let from = self.at + 2 + letter;
        match closing_bracket(self.text, from, open, close) {
            Ok(end) => Some(end),
            Err(looked) => {
                self.guesses.failed(looked);
                None
            }
        }
    }
}

fn closing_bracket(text: &[u8], from: usize, open: u8, close: u8) -> Result<usize, usize> {
    let (mut depth, mut at) = (0usize, from);
    while let Some(&byte) = text.get(at).filter(|_| at - from < LONGEST) {
        match byte {
            b'\\' => at += 1,
            _ if byte == close && depth == 0 => return Ok(at + 1),
            _ if byte == close => depth -= 1,
            _ if byte == open => depth += 1,
            _ => {}
        }
        at += 1;
    }
    Err(at)
}
