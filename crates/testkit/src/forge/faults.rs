use std::sync::Mutex;
use std::time::Duration;

use super::answer::Answer;
use super::model::state::now;
use super::request::Call;

/// Something that goes wrong with requests of one kind, for a number of times.
///
/// The route is a method (or `*`) and a path in which `*` stands for one part and a closing `**` for all the rest,
/// such as `Fault::on("POST", "/repos/*/*/pulls/*/reviews")`. GitHub's `/api/v3` is not part of it: write the path
/// as `api.github.com` has it.
#[derive(Debug, Clone)]
pub struct Fault {
    method: String,
    path: String,
    times: usize,
    after: usize,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    kind: Kind,
}

/// A fault whose turn has come.
#[derive(Debug, Clone)]
pub(super) struct Struck {
    pub(super) kind: Kind,
    status: Option<u16>,
    headers: Vec<(String, String)>,
}

impl Struck {
    /// The answer as this fault wants it.
    pub(super) fn dress(&self, answer: Answer) -> Answer {
        let status = self.status.unwrap_or(answer.status);
        self.headers
            .iter()
            .fold(Answer { status, ..answer }, |answer, (name, value)| answer.with(name, value))
    }
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Answer(Answer),
    PrimaryLimit { renewed_in: u64 },
    SecondaryLimit { retry_after: u64 },
    Slow(Duration),
    Late(Duration),
    CutBefore,
    CutAfter,
    Truncated,
    Lag(u32),
}

impl Fault {
    /// A fault without a kind yet does nothing but wait a moment: call one of the methods that give it one.
    pub fn on(method: &str, path: &str) -> Fault {
        Fault {
            method: method.to_owned(),
            path: path.to_owned(),
            times: 1,
            after: 0,
            status: None,
            headers: Vec::new(),
            kind: Kind::Slow(Duration::ZERO),
        }
    }

    /// How often it happens. Once, if nothing is said.
    pub fn times(self, times: usize) -> Fault {
        Fault { times, ..self }
    }

    pub fn always(self) -> Fault {
        self.times(usize::MAX)
    }

    /// Lets so many such requests through first.
    pub fn after(self, after: usize) -> Fault {
        Fault { after, ..self }
    }

    /// Nothing happens but this status, with a body in JSON.
    pub fn status(self, status: u16) -> Fault {
        let body = serde_json::json!({ "message": format!("fault with status {status}") });
        self.kind(Kind::Answer(Answer::json(status, &body)))
    }

    /// Nothing happens but this answer.
    pub fn answer(self, status: u16, content_type: &str, body: &str) -> Fault {
        self.kind(Kind::Answer(Answer::text(status, content_type, body)))
    }

    /// A page for people where a program expects JSON.
    pub fn maintenance(self, status: u16) -> Fault {
        let page = "<!DOCTYPE html>\n<html><head><title>Down for maintenance</title></head>\
                    <body><h1>We will be back soon</h1></body></html>\n";
        self.answer(status, "text/html; charset=utf-8", page)
    }

    /// To wherever the test says, another host for instance.
    pub fn redirect(self, status: u16, location: &str) -> Fault {
        self.kind(Kind::Answer(Answer::text(status, "text/html", "").with("location", location)))
    }

    /// The quota is used up, in the words of the API that is asked.
    pub fn primary_limit(self, renewed_in: u64) -> Fault {
        self.kind(Kind::PrimaryLimit { renewed_in })
    }

    /// Too much at once, in the words of the API that is asked.
    pub fn secondary_limit(self, retry_after: u64) -> Fault {
        self.kind(Kind::SecondaryLimit { retry_after })
    }

    /// With this status instead of the usual one: GitHub's limits come as 403 and as 429.
    pub fn as_status(self, status: u16) -> Fault {
        Fault { status: Some(status), ..self }
    }

    /// With this header, in place of one of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Fault {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// It takes long until anything happens.
    pub fn slow(self, by: Duration) -> Fault {
        self.kind(Kind::Slow(by))
    }

    /// What was asked for has happened, and the answer comes long after.
    pub fn late(self, by: Duration) -> Fault {
        self.kind(Kind::Late(by))
    }

    /// The connection ends and nothing has happened.
    pub fn cut_before(self) -> Fault {
        self.kind(Kind::CutBefore)
    }

    /// What was asked for has happened, but the connection ends before a word of the answer.
    pub fn cut_after(self) -> Fault {
        self.kind(Kind::CutAfter)
    }

    /// What was asked for has happened; half of the answer arrives.
    pub fn truncated(self) -> Fault {
        self.kind(Kind::Truncated)
    }

    /// What the request creates is missing from the next so many listings.
    pub fn lag(self, listings: u32) -> Fault {
        self.kind(Kind::Lag(listings))
    }

    fn kind(self, kind: Kind) -> Fault {
        Fault { kind, ..self }
    }

    fn matches(&self, call: &Call) -> bool {
        (self.method == "*" || self.method == call.method.as_str()) && route_matches(&self.path, &call.path)
    }
}

fn route_matches(route: &str, path: &str) -> bool {
    let path = path.strip_prefix("/api/v3").unwrap_or(path);
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    for wanted in route.split('/').filter(|part| !part.is_empty()) {
        if wanted == "**" {
            return true;
        }
        match parts.next() {
            Some(part) if wanted == "*" || wanted == part => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

/// The faults still to come, the first that fits being used.
#[derive(Debug, Default)]
pub(super) struct Faults {
    waiting: Mutex<Vec<Fault>>,
}

impl Faults {
    pub(super) fn add(&self, fault: Fault) {
        self.waiting.lock().expect("no test panics here").push(fault);
    }

    pub(super) fn clear(&self) {
        self.waiting.lock().expect("no test panics here").clear();
    }

    /// How many times faults may still happen.
    pub(super) fn left(&self) -> usize {
        self.waiting
            .lock()
            .expect("no test panics here")
            .iter()
            .fold(0, |sum, fault| sum.saturating_add(fault.times))
    }

    pub(super) fn take(&self, call: &Call) -> Option<Struck> {
        let mut waiting = self.waiting.lock().expect("no test panics here");
        for at in 0..waiting.len() {
            if !waiting[at].matches(call) {
                continue;
            }
            if waiting[at].after > 0 {
                waiting[at].after -= 1;
                continue;
            }
            if waiting[at].times != usize::MAX {
                waiting[at].times -= 1;
            }
            let Fault { kind, status, headers, .. } = waiting[at].clone();
            if waiting[at].times == 0 {
                waiting.remove(at);
            }
            return Some(Struck { kind, status, headers });
        }
        None
    }
}

/// A used-up quota as the asked API puts it.
pub(super) fn primary(call: &Call, renewed_in: u64) -> Answer {
    let reset = now() + renewed_in;
    if is_atlassian(call) {
        return Answer::json(
            429,
            &serde_json::json!({ "errorMessages": ["Rate limit exceeded."], "errors": {} }),
        )
        .with("retry-after", renewed_in)
        .with("x-ratelimit-remaining", 0);
    }
    if call.path.starts_with("/api/v4") {
        return Answer::text(429, "text/plain", "Retry later\n")
            .with("retry-after", renewed_in)
            .with("ratelimit-limit", 600)
            .with("ratelimit-remaining", 0)
            .with("ratelimit-reset", reset);
    }
    let body = serde_json::json!({
        "message": "API rate limit exceeded for user ID 1. If you reach out to GitHub Support for help, please include \
                    the request ID.",
        "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api",
        "status": "403",
    });
    Answer::json(403, &body)
        .with("x-ratelimit-limit", 5000)
        .with("x-ratelimit-remaining", 0)
        .with("x-ratelimit-used", 5000)
        .with("x-ratelimit-reset", reset)
        .with("x-ratelimit-resource", "core")
}

/// Too much at once as the asked API puts it.
pub(super) fn secondary(call: &Call, retry_after: u64) -> Answer {
    if is_atlassian(call) || call.path.starts_with("/api/v4") {
        return primary(call, retry_after);
    }
    let body = serde_json::json!({
        "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        "documentation_url": "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
        "status": "403",
    });
    Answer::json(403, &body).with("retry-after", retry_after)
}

fn is_atlassian(call: &Call) -> bool {
    call.segments.iter().any(|part| part == "rest" || part == "wiki")
}
