use bytes::Bytes;

/// Lines `start .. start + len`, one-based; `len` 0 is a position between lines, as in a diff header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: u32,
    pub len: u32,
}

impl Span {
    pub fn contains(self, line: u32) -> bool {
        line >= self.start && line - self.start < self.len
    }

    fn read(text: &str) -> Option<Span> {
        let number =
            |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?;
        let (start, len) = match text.split_once(',') {
            Some((start, len)) => (number(start)?, number(len)?),
            None => (number(text)?, 1),
        };
        start.checked_add(len)?;
        Some(Span { start, len })
    }
}

/// One `@@` section of a diff. Its lines stay in the buffer git wrote them to and are read on demand.
#[derive(Debug, Clone)]
pub struct Hunk {
    pub old: Span,
    pub new: Span,
    /// What git put behind the second `@@`: the enclosing function, if it knows one.
    pub heading: String,
    body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

/// A line of a hunk. `old` and `new` are its one-based numbers on the sides it exists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub kind: LineKind,
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// Without the line feed; a carriage return before it is kept.
    pub text: &'a [u8],
    /// False for the last line of a file that does not end in a line feed.
    pub newline: bool,
}

impl Hunk {
    /// `body` is everything between this header and the next, each line with its ` `, `+`, `-` or `\` in front.
    pub fn new(old: Span, new: Span, heading: String, body: Bytes) -> Self {
        Hunk { old, new, heading, body }
    }

    /// What `@@ -1,2 +3,4 @@ heading` says, in which a count of one is left out.
    pub fn read_header(line: &[u8]) -> Option<(Span, Span, String)> {
        let rest = line.strip_prefix(b"@@ -")?;
        let end = memchr::memmem::find(rest, b" @@")?;
        let (old, new) = std::str::from_utf8(&rest[..end]).ok()?.split_once(" +")?;
        let heading = rest[end + 3..].strip_prefix(b" ").unwrap_or_default();
        let heading = String::from_utf8_lossy(heading).trim_end().to_owned();
        Some((Span::read(old)?, Span::read(new)?, heading))
    }

    /// A hunk that adds a whole file: what a new file looks like in a diff.
    pub fn whole_file(content: &[u8]) -> Option<Hunk> {
        if content.is_empty() {
            return None;
        }
        let mut body = Vec::with_capacity(content.len() + content.len() / 16);
        let mut lines = 0;
        for line in content.split_inclusive(|b| *b == b'\n') {
            body.push(b'+');
            body.extend_from_slice(line);
            lines += 1;
        }
        if !content.ends_with(b"\n") {
            body.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
        let (old, new) = (Span { start: 0, len: 0 }, Span { start: 1, len: lines });
        Some(Hunk::new(old, new, String::new(), body.into()))
    }

    /// Which lines stand where others stood, without those that stayed. A span without lines begins at the line behind it.
    pub fn replaced(&self) -> Vec<(Span, Span)> {
        let first = |span: Span| Span { start: span.start.saturating_add(u32::from(span.len == 0)), len: 0 };
        let (mut old, mut new) = (first(self.old), first(self.new));
        let mut all = Vec::new();
        for kind in self.lines().map(|line| line.kind).chain([LineKind::Context]) {
            match kind {
                LineKind::Removed => old.len += 1,
                LineKind::Added => new.len += 1,
                LineKind::Context => {
                    if old.len + new.len > 0 {
                        all.push((old, new));
                    }
                    let behind = |span: Span| Span {
                        start: span.start.saturating_add(span.len).saturating_add(1),
                        len: 0,
                    };
                    (old, new) = (behind(old), behind(new));
                }
            }
        }
        all
    }

    /// The hunk of the change that would undo this one.
    pub fn reversed(&self) -> Hunk {
        let (mut body, mut put) = (Vec::with_capacity(self.body.len()), Vec::new());
        let write = |to: &mut Vec<u8>, marker: u8, line: &Line<'_>| {
            to.push(marker);
            to.extend_from_slice(line.text);
            to.extend_from_slice(if line.newline { b"\n" } else { b"\n\\ No newline at end of file\n" });
        };
        for line in self.lines() {
            match line.kind {
                LineKind::Removed => write(&mut put, b'+', &line),
                LineKind::Added => write(&mut body, b'-', &line),
                LineKind::Context => {
                    body.append(&mut put);
                    write(&mut body, b' ', &line);
                }
            }
        }
        body.append(&mut put);
        Hunk::new(self.new, self.old, self.heading.clone(), body.into())
    }

    pub fn lines(&self) -> Lines<'_> {
        Lines { rest: &self.body, old: self.old.start, new: self.new.start }
    }
}

/// See [`Hunk::lines`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    rest: &'a [u8],
    old: u32,
    new: u32,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let (&marker, rest) = self.rest.split_first()?;
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let text = &rest[..end];
            self.rest = rest.get(end + 1..).unwrap_or_default();
            let kind = match marker {
                b'+' => LineKind::Added,
                b'-' => LineKind::Removed,
                b' ' => LineKind::Context,
                _ => continue,
            };
            let old = (kind != LineKind::Added).then_some(self.old);
            let new = (kind != LineKind::Removed).then_some(self.new);
            self.old += u32::from(old.is_some());
            self.new += u32::from(new.is_some());
            return Some(Line { kind, old, new, text, newline: !self.rest.starts_with(b"\\") });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(body: &'static str) -> Hunk {
        Hunk::new(
            Span { start: 3, len: 2 },
            Span { start: 3, len: 2 },
            String::new(),
            Bytes::from_static(body.as_bytes()),
        )
    }

    #[test]
    fn headers_read_as_git_writes_them() {
        let (old, new, heading) = Hunk::read_header(b"@@ -1 +0,0 @@ fn a() { @@ }\r").unwrap();
        assert_eq!((old, new), (Span { start: 1, len: 1 }, Span { start: 0, len: 0 }));
        assert_eq!(heading, "fn a() { @@ }");
        for bad in ["@@ -1 1 @@", "@@ -+1 +1 @@", "@@ -1,4294967295 +1 @@", "@@@ -1 -1 +1 @@@"] {
            assert!(Hunk::read_header(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn numbers_both_sides() {
        let hunk = hunk(" same\n-old\r\n+new\n\\ No newline at end of file\n");
        let lines: Vec<_> = hunk.lines().map(|l| (l.kind, l.old, l.new, l.text, l.newline)).collect();
        assert_eq!(
            lines,
            [
                (LineKind::Context, Some(3), Some(3), &b"same"[..], true),
                (LineKind::Removed, Some(4), None, b"old\r", true),
                (LineKind::Added, None, Some(4), b"new", false),
            ]
        );
    }

    #[test]
    fn what_stayed_is_not_replaced() {
        let at = |start, len| Span { start, len };
        let runs = hunk("-a\n+b\n same\n+c\n+d\n same\n same\n-e\n\\ No newline at end of file\n").replaced();
        assert_eq!(runs, [(at(3, 1), at(3, 1)), (at(5, 0), at(5, 2)), (at(7, 1), at(9, 0))]);
        let added = Hunk::whole_file(b"one\ntwo").unwrap().replaced();
        assert_eq!(added, [(at(1, 0), at(1, 2))]);
    }

    #[test]
    fn a_reversed_hunk_puts_back_what_was_taken() {
        let hunk = hunk(" same\n-old\n+new\n+more\n\\ No newline at end of file\n");
        let shown = |hunk: &Hunk| -> Vec<(LineKind, Vec<u8>, bool)> {
            hunk.lines().map(|line| (line.kind, line.text.to_vec(), line.newline)).collect()
        };
        let back = hunk.reversed();
        assert_eq!(
            shown(&back),
            [
                (LineKind::Context, b"same".to_vec(), true),
                (LineKind::Removed, b"new".to_vec(), true),
                (LineKind::Removed, b"more".to_vec(), false),
                (LineKind::Added, b"old".to_vec(), true),
            ]
        );
        assert_eq!(shown(&back.reversed()), shown(&hunk));
    }

    #[test]
    fn a_new_file_is_one_hunk_of_additions() {
        let hunk = Hunk::whole_file(b"one\ntwo").unwrap();
        let lines: Vec<_> = hunk.lines().map(|l| (l.new, l.text, l.newline)).collect();
        assert_eq!(lines, [(Some(1), &b"one"[..], true), (Some(2), b"two", false)]);
        assert!(Hunk::whole_file(b"").is_none());
    }
}
