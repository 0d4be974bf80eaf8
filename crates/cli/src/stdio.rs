//! Standard input and output for our MCP servers. A line that is no message would be passed over in silence, and whoever sent
//! it would wait for ever: it is answered here, as the protocol wants it.

use std::time::Duration;

use connect::servers::{LONGEST_LINE, stdio_pipes};
use domain::text::short_line;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// No message is longer, in bytes: servers hang up on longer ones.
const LONGEST: usize = LONGEST_LINE;
const BUFFER: usize = 64 << 10;
/// How long what was still to be said may take when the server is done.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a server reads from and writes to.
pub(crate) type Transport = (DuplexStream, DuplexStream);

/// Carries lines between the server and its client.
#[derive(Debug)]
pub(crate) struct Carrier {
    heard: JoinHandle<()>,
    said: JoinHandle<()>,
}

/// On the runtime of whoever serves.
pub(crate) fn carry() -> (Transport, Carrier) {
    let (input, output) = stdio_pipes();
    let (server_reads, to_server) = duplex(BUFFER);
    let (from_server, server_writes) = duplex(BUFFER);
    let (answers, to_say) = unbounded_channel();
    let heard = tokio::spawn(hear(BufReader::new(input), to_server, answers));
    let said = tokio::spawn(say(BufReader::new(from_server), to_say, output));
    ((server_reads, server_writes), Carrier { heard, said })
}

impl Carrier {
    /// Waits until everything is said that the server, which has gone by now, had to say.
    pub(crate) async fn finish(self) {
        self.heard.abort();
        let _ = tokio::time::timeout(PATIENCE, self.said).await;
    }
}

async fn hear(
    mut input: impl AsyncBufRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    answers: UnboundedSender<String>,
) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LONGEST as u64 + 1;
        match (&mut input).take(most).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let refused = if line.len() > LONGEST && line.last() != Some(&b'\n') {
            skip_line(&mut input).await;
            Some(error(-32700, "the message is too long", Value::Null))
        } else {
            refusal(&line)
        };
        let passed = match refused {
            Some(answer) => answers.send(answer).is_ok(),
            None => server.write_all(&line).await.is_ok(),
        };
        if !passed {
            return;
        }
    }
}

async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) {
    loop {
        let (used, found) = match input.fill_buf().await {
            Ok([]) | Err(_) => return,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(used);
        if found {
            return;
        }
    }
}

/// Lines of the server and answers of ours, none within another.
async fn say(
    mut server: impl AsyncBufRead + Unpin,
    mut answers: UnboundedReceiver<String>,
    mut output: impl AsyncWrite + Unpin,
) {
    let mut line = Vec::new();
    loop {
        let written = tokio::select! {
            // What it has read so far of a line stays in `line`, whoever is faster.
            read = server.read_until(b'\n', &mut line) => match read {
                Ok(0) | Err(_) => break,
                Ok(_) => output.write_all(&std::mem::take(&mut line)).await,
            },
            Some(answer) = answers.recv() => output.write_all(answer.as_bytes()).await,
        };
        if written.is_err() || output.flush().await.is_err() {
            return;
        }
    }
    while let Ok(answer) = answers.try_recv() {
        if output.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
    let _ = output.flush().await;
}

/// What the sender of a line is told that is no message. Nothing for a message, and for a line with nothing in it.
fn refusal(line: &[u8]) -> Option<String> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(wrong) => {
            let what = format!("this is no JSON: {}", short_line(&wrong.to_string()));
            return Some(error(-32700, &what, Value::Null));
        }
    };
    let is_answer = message.get("result").is_some() || message.get("error").is_some();
    let id = message.get("id");
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    let what = match message["jsonrpc"] == "2.0" && (message["method"].is_string() || is_answer) {
        true if is_answer || id.is_none_or(is_id) => return None,
        true => "an id is a string or a whole number",
        false => "this is no message of JSON-RPC 2.0",
    };
    Some(error(-32600, what, id.filter(|id| is_id(id)).cloned().unwrap_or(Value::Null)))
}

fn error(code: i32, what: &str, id: Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": what}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_passes_and_everything_else_is_answered() {
        let code = |line: &str| {
            let answer: Value = serde_json::from_str(&refusal(line.as_bytes())?).unwrap();
            answer["error"]["code"].as_i64()
        };
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
        assert_eq!(code("\n"), None);
        assert_eq!(code("{"), Some(-32700));
        assert_eq!(code(&"[".repeat(100_000)), Some(-32700));
        assert_eq!(code("[]"), Some(-32600));
        assert_eq!(code(r#"{"id":7,"method":"ping"}"#), Some(-32600));
        assert_eq!(code(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#), None);
        for id in ["{}", "[1]", "null", "1.5", "true"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(code(&line), Some(-32600), "{line}");
            assert!(refusal(line.as_bytes()).unwrap().contains(r#""id":null"#), "{line}");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let mut input: &[u8] = b"xxxx\nnext\n";
        skip_line(&mut input).await;
        assert_eq!(input, b"next\n");
    }
}
