use tokio::io::{AsyncRead, AsyncReadExt};

use super::Stream;

/// A line longer than this is kept but announced to nobody.
const LONGEST_LINE: usize = 1 << 20;

/// Whether a stream was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captured {
    Whole,
    Overflowed,
}

/// What is done with the bytes beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// Reading stops.
    Stop,
    /// They are read and forgotten, so that the writer is not held up.
    Discard,
}

/// Reads a stream into `kept`, never holding more than `limit` bytes, and announces its lines on the way.
///
/// It can be abandoned at any moment: what was read so far is in `kept`.
pub(crate) async fn capture(
    stream: Stream,
    mut source: impl AsyncRead + Unpin,
    kept: &mut Vec<u8>,
    limit: usize,
    beyond: Beyond,
    on_line: &(dyn Fn(Stream, &[u8]) + Sync),
) -> Captured {
    let mut chunk = vec![0; 64 * 1024];
    let mut line_start = 0;
    let mut overflowed = false;
    loop {
        let read = match source.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        let room = (limit - kept.len()).min(read);
        let scanned = kept.len();
        kept.extend_from_slice(&chunk[..room]);
        line_start = announce(stream, kept, line_start, scanned, on_line);
        if room < read {
            overflowed = true;
            if beyond == Beyond::Stop {
                return Captured::Overflowed;
            }
        }
    }
    if line_start < kept.len() && !overflowed {
        on_line(stream, &kept[line_start..]);
    }
    if overflowed { Captured::Overflowed } else { Captured::Whole }
}

/// Announces every line that ends at or after `scanned`; says where the unfinished one begins.
fn announce(
    stream: Stream,
    kept: &[u8],
    mut line_start: usize,
    scanned: usize,
    on_line: &(dyn Fn(Stream, &[u8]) + Sync),
) -> usize {
    for (offset, byte) in kept[scanned..].iter().enumerate() {
        if *byte == b'\n' {
            let line = &kept[line_start..scanned + offset];
            if line.len() <= LONGEST_LINE {
                on_line(stream, line);
            }
            line_start = scanned + offset + 1;
        }
    }
    line_start
}
