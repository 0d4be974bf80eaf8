use bytes::Bytes;
use domain::change::{Hunk, Span};

use super::parse::{Malformed, Reader};

/// One hunk. Its end is found by counting lines as its header announces them, because a line of content
/// may look like any header.
pub(super) fn hunk(reader: &mut Reader<'_>) -> Result<Hunk, Malformed> {
    let (old, new, heading) = header(reader.line()?).ok_or(Malformed::HunkHeader)?;
    let start = reader.position();
    let (mut old_left, mut new_left) = (old.len, new.len);
    while old_left > 0 || new_left > 0 {
        let take = |left: &mut u32| left.checked_sub(1).map(|n| *left = n).ok_or(Malformed::HunkBody);
        match reader.line()?.first() {
            Some(b' ') => {
                take(&mut old_left)?;
                take(&mut new_left)?;
            }
            Some(b'-') => take(&mut old_left)?,
            Some(b'+') => take(&mut new_left)?,
            Some(b'\\') => {}
            _ => return Err(Malformed::HunkBody),
        }
    }
    if reader.rest().starts_with(b"\\") {
        reader.line()?;
    }
    let body: Bytes = reader.slice_from(start);
    Ok(Hunk::new(old, new, heading, body))
}

/// `@@ -1,2 +3,4 @@ heading`; a count of one is left out.
fn header(line: &[u8]) -> Option<(Span, Span, String)> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = memchr::memmem::find(rest, b" @@")?;
    let ranges = std::str::from_utf8(&rest[..end]).ok()?;
    let (old, new) = ranges.split_once(" +")?;
    let heading = rest[end + 3..].strip_prefix(b" ").unwrap_or_default();
    Some((span(old)?, span(new)?, String::from_utf8_lossy(heading).trim_end().to_owned()))
}

fn span(text: &str) -> Option<Span> {
    let number =
        |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?;
    let (start, len) = match text.split_once(',') {
        Some((start, len)) => (number(start)?, number(len)?),
        None => (number(text)?, 1),
    };
    start.checked_add(len)?;
    Some(Span { start, len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_as_git_writes_them() {
        let (old, new, heading) = header(b"@@ -1 +0,0 @@ fn a() { @@ }\r").unwrap();
        assert_eq!((old, new), (Span { start: 1, len: 1 }, Span { start: 0, len: 0 }));
        assert_eq!(heading, "fn a() { @@ }");
        for bad in ["@@ -1 1 @@", "@@ -+1 +1 @@", "@@ -1,4294967295 +1 @@", "@@@ -1 -1 +1 @@@"] {
            assert!(header(bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
