use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::{Client, ConnectTo, Lines};
use domain::text::short_line;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Notify;

use super::super::AgentTrouble;
use super::super::launch::OUTPUT_LIMIT;

/// No message is longer. It is held in memory, more than once.
const LONGEST: usize = 8 << 20;
/// Agents print a warning now and then where only messages belong. Somebody who does nothing else speaks something else.
const MOST_CHATTER: u32 = 1_000;

/// What became of the line to the agent, besides the messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    state: Arc<Mutex<State>>,
    undelivered: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    trouble: Option<AgentTrouble>,
    first_chatter: Option<String>,
    chatter: u32,
}

impl Line {
    /// Why no more was read, where that was our doing.
    pub(super) fn trouble(&self) -> Option<AgentTrouble> {
        self.state(|state| state.trouble.clone())
    }

    /// The first thing it wrote that is no message.
    pub(super) fn chatter(&self) -> Option<String> {
        self.state(|state| state.first_chatter.clone())
    }

    /// Ready once a request of ours could not be written: no answer will come.
    pub(super) async fn undelivered(&self) {
        self.undelivered.notified().await;
    }

    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note_chatter(&self, line: &str) -> io::Result<()> {
        let said = short_line(line);
        if said.is_empty() {
            return Ok(());
        }
        let too_much = self.state(|state| {
            state.chatter += 1;
            state.first_chatter.get_or_insert_with(|| said.clone());
            state.chatter > MOST_CHATTER
        });
        if too_much { Err(self.fail(AgentTrouble::Unreadable(said))) } else { Ok(()) }
    }

    fn fail(&self, trouble: AgentTrouble) -> io::Error {
        let error = io::Error::other(trouble.to_string());
        self.state(|state| state.trouble.get_or_insert(trouble).clone());
        error
    }
}

/// Messages to and from a program, one on each line. Reading ends when there is too much of it, and not before the
/// program has said all it has to say: one that does not read any more may have answered already.
pub(super) fn messages(
    line: &Line,
    input: ChildStdin,
    output: ChildStdout,
) -> impl ConnectTo<Client> + 'static {
    let outgoing =
        futures_util::sink::unfold((input, line.clone()), |(mut input, line), message: String| async move {
            if write(&mut input, &message).await.is_err() && is_request(&message) {
                line.undelivered.notify_one();
            }
            Ok::<_, io::Error>((input, line))
        });
    let reader = Reader { source: BufReader::new(output), read: 0, line: line.clone() };
    let incoming = futures_util::stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        match reader.next().await {
            Ok(Some(message)) => Some((Ok(message), Some(reader))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    });
    Lines::new(outgoing, Box::pin(incoming))
}

async fn write(input: &mut ChildStdin, message: &str) -> io::Result<()> {
    input.write_all(message.as_bytes()).await?;
    input.write_all(b"\n").await?;
    input.flush().await
}

/// Whether a message is to be answered. It is not if it is an answer, or tells something.
fn is_request(message: &str) -> bool {
    let has = |message: &Value, field| message.get(field).is_some();
    serde_json::from_str::<Value>(message).is_ok_and(|message| has(&message, "method") && has(&message, "id"))
}

struct Reader {
    source: BufReader<ChildStdout>,
    read: usize,
    line: Line,
}

impl Reader {
    /// The next line that may be a message.
    async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let mut bytes = Vec::new();
            let limit = LONGEST.min(OUTPUT_LIMIT - self.read);
            let read = (&mut self.source).take(limit as u64 + 1).read_until(b'\n', &mut bytes).await?;
            self.read += read.min(limit);
            if read > limit {
                let exceeded = if limit < LONGEST { OUTPUT_LIMIT } else { LONGEST };
                return Err(self.line.fail(AgentTrouble::Flooded(exceeded >> 20)));
            }
            if read == 0 {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&bytes);
            if text.trim_start().starts_with('{') {
                return Ok(Some(text.trim().to_owned()));
            }
            self.line.note_chatter(&text)?;
        }
    }
}
