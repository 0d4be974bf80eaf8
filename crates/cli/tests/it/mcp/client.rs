//! A client written by hand, so that what is tested does not test itself. On stdio it speaks the revision with a
//! handshake, over HTTP the stateless one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

pub(crate) const OLD: &str = "2025-06-18";
pub(crate) const NEW: &str = "2026-07-28";

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Done(Value),
    /// A result that says it is an error, as the model reads it.
    Refused(String),
    /// The protocol's own error.
    Broken(Value),
}

impl Answer {
    pub(crate) fn done(self) -> Value {
        match self {
            Answer::Done(value) => value,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn refused(self) -> String {
        match self {
            Answer::Refused(text) => text,
            other => panic!("{other:?}"),
        }
    }

    fn of(response: &Value) -> Answer {
        let result = &response["result"];
        if result.is_null() {
            return Answer::Broken(response["error"].clone());
        }
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if result["isError"] == true {
            assert!(result.get("structuredContent").is_none(), "{result}");
            return Answer::Refused(text);
        }
        let value = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "the text says the same");
        Answer::Done(value)
    }
}

pub(crate) trait Client: Send {
    fn request(&mut self, method: &str, params: Value) -> Value;

    fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        Answer::of(&self.request("tools/call", json!({ "name": tool, "arguments": arguments })))
    }
}

/// A server of its own, on pipes.
pub(crate) struct Stdio {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: i64,
    /// Everything that was no answer.
    pub(crate) notifications: Vec<Value>,
}

impl Stdio {
    pub(crate) fn start(mut command: std::process::Command) -> Stdio {
        use std::process::Stdio as Pipe;
        let mut child =
            command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::null()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Stdio { child, input, output, next: 0, notifications: vec![] };
        let hello = json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let welcome = client.request("initialize", hello);
        assert_eq!(welcome["result"]["protocolVersion"], OLD, "{welcome}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has gone");
        serde_json::from_str(&line).unwrap()
    }

    /// Everything the server still wrote before it ended, after its input has ended.
    pub(crate) fn finish(&mut self) -> std::process::ExitStatus {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        self.child.wait().unwrap()
    }
}

impl Client for Stdio {
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Somebody with a token.
#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) address: String,
    pub(crate) token: Option<String>,
    /// Beside those that belong to the protocol.
    pub(crate) headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// Every message in it, whether it came as one or as a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if !self.head.to_lowercase().contains("text/event-stream") {
            return vec![serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }
}

impl Http {
    pub(crate) fn with(&self, name: &str, value: &str) -> Http {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    /// The stateless revision: every request says everything.
    pub(crate) fn post(&self, method: &str, mut params: Value) -> Response {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = NEW.into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let mut more = vec![
            ("MCP-Protocol-Version".to_owned(), NEW.to_owned()),
            ("Mcp-Method".to_owned(), method.to_owned()),
        ];
        let name = params["name"].as_str().or(params["uri"].as_str());
        more.extend(name.map(|name| ("Mcp-Name".to_owned(), name.to_owned())));
        self.send(
            &more,
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string().as_bytes(),
        )
    }

    pub(crate) fn send(&self, more: &[(String, String)], body: &[u8]) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        let named = |name: &str| self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !named("host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        if let Some(token) = &self.token {
            request += &format!("Authorization: Bearer {token}\r\n");
        }
        for (name, value) in more.iter().chain(&self.headers) {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
        // A server that has read enough may close before all of it was sent.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        parsed(&bytes)
    }
}

fn parsed(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Response { status, head: head.to_owned(), body }
}

fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        body.push_str(&rest[..size]);
        chunks = rest[size..].trim_start_matches("\r\n");
    }
    body
}

impl Client for Http {
    fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.post(method, params);
        let messages = response.messages();
        messages.into_iter().find(|message| message["id"] == 1).unwrap_or_else(|| panic!("{response:?}"))
    }
}
