use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use super::secrets::Secrets;

const KEPT: usize = 8 * 1024;

/// The end of what a server wrote to its error stream.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    secrets: Secrets,
}

impl Tail {
    /// Reads until the stream ends, so that a server never blocks on it.
    pub(super) fn of(mut stream: impl AsyncRead + Unpin + Send + 'static, secrets: Secrets) -> Tail {
        let tail = Tail { bytes: Arc::default(), secrets };
        let kept = Arc::clone(&tail.bytes);
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut buffer).await {
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
