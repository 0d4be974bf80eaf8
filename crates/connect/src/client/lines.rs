use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A stream whose lines have a length that they may not exceed. Whoever reads them keeps each until it ends.
#[derive(Debug)]
pub(super) struct Lines<R> {
    stream: R,
    longest: usize,
    /// Of the line that has not ended yet.
    length: usize,
}

impl<R> Lines<R> {
    pub(super) fn new(stream: R, longest: usize) -> Lines<R> {
        Lines { stream, longest, length: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        self.length = match read.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => read.len() - end - 1,
            None => self.length + read.len(),
        };
        if self.length > self.longest {
            buffer.set_filled(before);
            return Poll::Ready(Err(io::Error::other("the server says more than a message may hold")));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn lines_may_be_many_but_not_long() {
        let many = "0123456789\n".repeat(1_000);
        let mut text = String::new();
        Lines::new(many.as_bytes(), 10).read_to_string(&mut text).await.unwrap();
        assert_eq!(text, many);
        assert!(Lines::new("01234567890".as_bytes(), 10).read_to_string(&mut text).await.is_err());
    }
}
