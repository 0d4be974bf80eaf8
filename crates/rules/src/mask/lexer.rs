use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::Kind;
use super::syntax::{BlockComment, LineComment, LineEnds, Literal, Syntax};
use super::unclosed::{Guesses, Unclosed};

/// One pass over `text`. What does not close costs the line it was opened on, and every search that failed
/// is remembered, so that the time taken stays in proportion to the length of the text.
pub(super) fn kinds(text: &[u8], syntax: &Syntax) -> Vec<Kind> {
    let mut lexer = Lexer {
        text,
        syntax,
        at: 0,
        kinds: vec![Kind::Code; text.len()],
        templates: Vec::new(),
        last_code: None,
        heredoc: None,
        unclosed: Unclosed::default(),
        guesses: Guesses::default(),
    };
    lexer.skip_leading_text();
    let openers = openers(syntax);
    while let Some(&byte) = text.get(lexer.at) {
        if lexer.heredoc.as_ref().is_some_and(|body| body.start <= lexer.at) {
            lexer.enter_heredoc();
        } else if !openers[byte as usize] {
            lexer.pass(byte);
        } else if let Some((end, kind)) = lexer.opened() {
            lexer.fill(end, kind);
        } else {
            lexer.brace_or_pass(byte);
        }
    }
    lexer.kinds
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a [u8],
    syntax: &'a Syntax,
    pub(super) at: usize,
    kinds: Vec<Kind>,
    /// For each template literal we are inside of, how many braces are open in its present `${`.
    pub(super) templates: Vec<usize>,
    /// The last byte of code that is not white space: tells a division from a regular expression.
    pub(super) last_code: Option<(usize, u8)>,
    /// The text below a line that announced it.
    pub(super) heredoc: Option<Range<usize>>,
    pub(super) unclosed: Unclosed,
    pub(super) guesses: Guesses,
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
            Literal::Quoted(byte)
            | Literal::Loose(byte)
            | Literal::Spanning(byte)
            | Literal::Raw(byte)
            | Literal::Triple(byte)
            | Literal::Escape(byte) => mark(*byte),
            Literal::RustRaw => b"rbc".iter().for_each(|byte| mark(*byte)),
            Literal::RustChar => mark(b'\''),
            Literal::Template => b"`{}".iter().for_each(|byte| mark(*byte)),
            Literal::Regex => mark(b'/'),
            Literal::Percent => mark(b'%'),
            Literal::CharCode | Literal::PhpText => mark(b'?'),
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
        if kind != Kind::Comment {
            self.last_code = Some((end - 1, self.text[end - 1]));
        }
    }

    /// A PHP file is text up to its first tag.
    fn skip_leading_text(&mut self) {
        if self.syntax.literals.iter().any(|literal| matches!(literal, Literal::PhpText))
            && let Some(tag @ 1..) = memmem::find(self.text, b"<?")
        {
            self.fill(tag, Kind::String);
        }
    }

    fn enter_heredoc(&mut self) {
        if let Some(body) = self.heredoc.take().filter(|body| body.end > self.at) {
            self.fill(body.end, Kind::String);
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
        literals.iter().find_map(|literal| {
            let kind = if matches!(literal, Literal::Escape(_)) { Kind::Code } else { Kind::String };
            self.literal(*literal).map(|end| (end, kind))
        })
    }

    pub(super) fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    pub(super) fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|at| self.text[at])
    }

    /// Where the line ends: at its line feed, or at a carriage return, which most languages take for one.
    pub(super) fn line_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        memchr2(b'\n', b'\r', rest).map_or(self.text.len(), |at| from + at)
    }

    fn line_comment_end(&self) -> usize {
        let end = self.line_end(self.at);
        let line = &self.text[self.at..end];
        let earlier = match self.syntax.line_ends {
            LineEnds::Plain => None,
            LineEnds::Separators => memchr::memchr_iter(0xE2, line).find(|at| {
                let rest = &line[*at..];
                rest.starts_with("\u{2028}".as_bytes()) || rest.starts_with("\u{2029}".as_bytes())
            }),
            LineEnds::ClosingTag => memmem::find(line, b"?>"),
        };
        earlier.map_or(end, |at| self.at + at)
    }

    /// Behind the next `close`; if there is none, the end of the line.
    pub(super) fn after(&mut self, from: usize, close: &[u8]) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let found = self.unclosed.unless_known(close, || memmem::find(rest, close));
        found.map_or_else(|| self.line_end(from), |at| from + at + close.len())
    }

    fn comment(&mut self) -> Option<usize> {
        let syntax = self.syntax;
        let block = syntax.block_comments.iter().find_map(|comment| match comment {
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
                    let end = self.after(self.at, &closing);
                    self.line_end(end)
                })
            }
        });
        block.or_else(|| {
            let opens = syntax.line_comments.iter().any(|comment| match comment {
                LineComment::Anywhere(open) => self.rest().starts_with(open),
                LineComment::AtWord(open) => {
                    let at_word = self.before().is_none_or(|byte| b" \t\n\r;({".contains(&byte));
                    at_word && self.rest().starts_with(open)
                }
            });
            opens.then(|| self.line_comment_end())
        })
    }

    fn nested_end(&mut self, open: &[u8], close: &[u8]) -> usize {
        let (text, from) = (self.text, self.at);
        let found = self.unclosed.unless_known(close, || nested(&text[from..], open, close));
        found.map_or_else(|| self.line_end(from), |length| from + length)
    }

    /// `<<EOS`, `<<-EOS`, `<<~"EOS"`, `<<<EOS`: the text from the next line to the line that holds the word
    /// alone. What follows on the same line is code, and may announce more of them.
    pub(super) fn announce_heredoc(&mut self) {
        let (text, at) = (self.text, self.at);
        let Some(rest) = text[at..].strip_prefix(b"<<") else { return };
        let line = &rest[..rest.len().min(80)];
        let signs = line.iter().take_while(|byte| b"<-~'\"".contains(byte)).count();
        let word = line[signs..].split(|byte| !is_word(*byte)).next().unwrap_or_default();
        if !word.first().is_some_and(u8::is_ascii_uppercase) {
            return;
        }
        let pending = self.heredoc.take();
        let key = [b"<<", word].concat();
        let found = self.unclosed.unless_known(&key, || match &pending {
            Some(body) => line_with(text, body.end + 1, &key[2..]).map(|end| body.start..end),
            None => {
                let start = feed(text, at) + 1;
                line_with(text, start, &key[2..]).map(|end| start..end)
            }
        });
        self.heredoc = found.or(pending);
    }
}

/// The end of the next line that holds only the word.
fn line_with(text: &[u8], from: usize, word: &[u8]) -> Option<usize> {
    let mut start = from;
    while start < text.len() {
        let end = feed(text, start);
        let content = text[start..end].trim_ascii();
        if content == word || content.strip_suffix(b";") == Some(word) {
            return Some(end);
        }
        start = end + 1;
    }
    None
}

fn feed(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    memchr(b'\n', rest).map_or(text.len(), |at| from + at)
}

/// The length of the comment that `text` begins with.
fn nested(text: &[u8], open: &[u8], close: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        at += memchr2(open[0], close[0], text.get(at..)?)?;
        if text[at..].starts_with(open) {
            depth += 1;
            at += open.len();
        } else if text[at..].starts_with(close) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
