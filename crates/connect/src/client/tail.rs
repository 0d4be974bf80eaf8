use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use super::secrets::Secrets;
use crate::waiting::{Heard, is_told_by};

const KEPT: usize = 8 * 1024;

/// The end of what a server wrote to its error stream.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    secrets: Secrets,
}

impl Tail {
    /// Reads until the stream ends, so that a server never blocks on it.
    ///
    /// `heard` is told of each wait, as our own servers put it.
    pub(super) fn of(
        mut stream: impl AsyncRead + Unpin + Send + 'static,
        secrets: Secrets,
        heard: Option<Heard>,
    ) -> Tail {
        let tail = Tail { bytes: Arc::default(), secrets };
        let kept = Arc::clone(&tail.bytes);
        let mut waits = heard.map(|heard| Waits { heard, line: Vec::new(), secrets: tail.secrets.clone() });
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                if let Some(waits) = &mut waits {
                    waits.hear(&buffer[..read]);
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..read]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        });
        tail
    }

    /// Its last words, if it had any.
    pub(super) fn last_words(&self) -> Option<String> {
        let bytes: Vec<u8> =
            self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let is_cut = bytes.len() == KEPT;
        let text = String::from_utf8_lossy(&bytes);
        // Of a line that was cut, half a secret may be left.
        let whole = if is_cut { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &*text };
        let text = self.secrets.mask(whole);
        let lines: Vec<&str> =
            text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        let last = lines.into_iter().rev().collect::<Vec<_>>().join("; ");
        (!last.is_empty()).then(|| domain::text::short_line(&last))
    }
}

/// Looks for waits in what a server says.
struct Waits {
    heard: Heard,
    line: Vec<u8>,
    secrets: Secrets,
}

impl Waits {
    fn hear(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() < KEPT {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.line);
                if is_told_by(&line) {
                    (self.heard)(&domain::text::short_line(&self.secrets.mask(&line)));
                }
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_heard_and_nothing_else_is() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&said);
        let heard: Heard = Arc::new(move |line: &str| listener.lock().unwrap().push(line.to_owned()));
        let mut waits = Waits { heard, line: Vec::new(), secrets: Secrets::default() };
        for part in ["error: x\nGitHub asks ", "to wait 0:07 (rate limit)\nGitHub asks to wait"] {
            waits.hear(part.as_bytes());
        }
        assert_eq!(*said.lock().unwrap(), ["GitHub asks to wait 0:07 (rate limit)"]);
    }
}
