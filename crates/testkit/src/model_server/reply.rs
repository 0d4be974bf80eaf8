use std::time::Duration;

use serde_json::Value;

/// One answer of the scripted model, or one way to fail.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) kind: Kind,
    /// Before the first byte.
    pub(super) delay: Option<Duration>,
    /// Between the pieces of a stream.
    pub(super) pace: Option<Duration>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Says(Says),
    /// The connection is closed when half of the answer has been sent.
    BrokenOff(Says),
    /// An answer without end: this many bytes of text.
    Huge(u64),
    /// Signs of life without end, and no word.
    KeepsAlive,
    /// An error in the provider's shape.
    Error {
        status: u16,
        kind: String,
        message: String,
        retry_after: Option<String>,
    },
    /// An error after a good beginning, as an event of the stream.
    ErrorInStream {
        kind: String,
        message: String,
    },
    Raw {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Says {
    pub(super) text: String,
    pub(super) tool_calls: Vec<(String, Value)>,
    pub(super) stop: Stop,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Done,
    MaxTokens,
    Refusal,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Reply {
        let text = text.into();
        let output_tokens = text.len() as u64 / 4 + 1;
        let says = Says { text, tool_calls: Vec::new(), stop: Stop::Done, input_tokens: 100, output_tokens };
        Reply { kind: Kind::Says(says), delay: None, pace: None }
    }

    pub fn json(value: &Value) -> Reply {
        Reply::text(value.to_string())
    }

    /// With no text. [`Reply::and_call`] adds further ones, [`Reply::text`] first gives both. A string calls a tool
    /// that takes plain text, which OpenAI's Responses have.
    pub fn call(tool: &str, arguments: Value) -> Reply {
        Reply::text("").and_call(tool, arguments)
    }

    pub fn and_call(mut self, tool: &str, arguments: Value) -> Reply {
        self.says().tool_calls.push((tool.to_owned(), arguments));
        self
    }

    /// The model runs into the limit of output tokens after what it says here.
    pub fn cut_short(mut self) -> Reply {
        self.says().stop = Stop::MaxTokens;
        self
    }

    pub fn refused() -> Reply {
        let mut reply = Reply::text("");
        reply.says().stop = Stop::Refusal;
        reply
    }

    pub fn costing(mut self, input_tokens: u64, output_tokens: u64) -> Reply {
        let says = self.says();
        (says.input_tokens, says.output_tokens) = (input_tokens, output_tokens);
        self
    }

    /// Nothing is sent for this long.
    pub fn after(mut self, delay: Duration) -> Reply {
        self.delay = Some(delay);
        self
    }

    /// It drips: this long between the pieces of a stream.
    pub fn dripping(mut self, pace: Duration) -> Reply {
        self.pace = Some(pace);
        self
    }

    /// The connection is closed in the middle of this answer.
    pub fn broken_off(mut self) -> Reply {
        self.kind = Kind::BrokenOff(self.says().clone());
        self
    }

    pub fn huge(bytes: u64) -> Reply {
        Reply { kind: Kind::Huge(bytes), delay: None, pace: None }
    }

    /// The connection is kept alive for ever, and nothing is said.
    pub fn only_keeps_alive() -> Reply {
        Reply { kind: Kind::KeepsAlive, delay: None, pace: None }
    }

    /// An error in the provider's shape; `kind` is its `type` or `status`.
    pub fn status(status: u16, kind: &str, message: &str) -> Reply {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        Reply { kind: Kind::Error { status, kind, message, retry_after: None }, delay: None, pace: None }
    }

    pub fn server_error() -> Reply {
        Reply::status(500, "api_error", "Internal server error")
    }

    pub fn overloaded() -> Reply {
        Reply::status(529, "overloaded_error", "Overloaded")
    }

    /// `retry_after` is the header as it is sent: seconds or a date.
    pub fn rate_limited(retry_after: &str) -> Reply {
        let retry_after = Some(retry_after.to_owned());
        let (kind, message) = ("rate_limit_error".to_owned(), "Rate limit reached".to_owned());
        Reply { kind: Kind::Error { status: 429, kind, message, retry_after }, delay: None, pace: None }
    }

    pub fn error_in_stream(kind: &str, message: &str) -> Reply {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        Reply { kind: Kind::ErrorInStream { kind, message }, delay: None, pace: None }
    }

    /// What a misconfigured proxy says: success, and a page of HTML.
    pub fn garbage() -> Reply {
        Reply::raw(200, "text/html", "<html><body><h1>It works!</h1>\n\n{\"choices\": </body></html>\n\n")
    }

    /// Success, and nothing at all.
    pub fn empty() -> Reply {
        Reply::raw(200, "text/event-stream", "")
    }

    pub fn redirect(status: u16, to: &str) -> Reply {
        let mut reply = Reply::raw(status, "text/plain", "");
        if let Kind::Raw { headers, .. } = &mut reply.kind {
            headers.push(("location".to_owned(), to.to_owned()));
        }
        reply
    }

    pub fn raw(status: u16, content_type: &str, body: &str) -> Reply {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Reply { kind: Kind::Raw { status, headers, body: body.to_owned() }, delay: None, pace: None }
    }

    fn says(&mut self) -> &mut Says {
        match &mut self.kind {
            Kind::Says(says) | Kind::BrokenOff(says) => says,
            other => panic!("only an answer can be changed so, not {other:?}"),
        }
    }
}
