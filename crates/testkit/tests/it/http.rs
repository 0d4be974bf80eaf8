//! A client that sees what is really on the wire, broken answers included.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// Fails with the whole answer if the status is another.
    pub(crate) fn expect(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.header("content-length").is_none_or(|length| length == self.body.len().to_string())
    }
}

/// One request on a connection of its own; None if the server hung up without a word.
pub(crate) fn send(
    base: &str,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Option<Reply> {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut request = format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1)?.parse().unwrap();
    let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    Some(Reply { status, headers, body: answer[end + 4..].to_vec() })
}

/// Somebody who talks to one of the APIs.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) base: String,
    pub(crate) prefix: String,
    pub(crate) auth: Option<(String, String)>,
}

impl Client {
    pub(crate) fn new(base: &str, prefix: &str, auth: Option<(&str, &str)>) -> Client {
        let auth = auth.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Client { base: base.to_owned(), prefix: prefix.to_owned(), auth }
    }

    pub(crate) fn bearer(base: &str, prefix: &str, token: &str) -> Client {
        Client::new(base, prefix, Some(("authorization", &format!("Bearer {token}"))))
    }

    pub(crate) fn try_send(
        &self,
        method: &str,
        path: &str,
        extra: &[(&str, &str)],
        body: &Value,
    ) -> Option<Reply> {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(self.auth.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        headers.extend(extra);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&self.base, method, &format!("{}{path}", self.prefix), &headers, &body)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.try_send("GET", path, &[], &Value::Null).expect("an answer")
    }

    pub(crate) fn get_with(&self, path: &str, extra: &[(&str, &str)]) -> Reply {
        self.try_send("GET", path, extra, &Value::Null).expect("an answer")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.try_send("POST", path, &[], body).expect("an answer")
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Reply {
        self.try_send("PUT", path, &[], body).expect("an answer")
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Reply {
        self.try_send("PATCH", path, &[], body).expect("an answer")
    }
}
