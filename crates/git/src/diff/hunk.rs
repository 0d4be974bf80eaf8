use bytes::Bytes;
use domain::change::Hunk;

use super::parse::{Malformed, Reader};

/// One hunk. Its end is found by counting lines as its header announces them, because a line of content
/// may look like any header.
pub(super) fn hunk(reader: &mut Reader<'_>) -> Result<Hunk, Malformed> {
    let (old, new, heading) = Hunk::read_header(reader.line()?).ok_or(Malformed::HunkHeader)?;
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
