use std::time::Duration;

use domain::text::{clean_line, short_line};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// Why a call did not do what it was asked: what is the matter and what to do next, for whoever called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) kind: Kind,
    pub(crate) what: String,
    pub(crate) next: String,
    pub(crate) status: Option<u16>,
    /// The request went out, it changes something, and no answer came.
    pub(crate) may_have_happened: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    NotConfigured,
    NotFound,
    Unauthorised,
    Forbidden,
    Conflict,
    /// What the service, or we, had to say about the request, one by one.
    Invalid {
        details: Vec<String>,
    },
    RateLimited {
        after: Duration,
    },
    Unavailable,
    Unreadable,
}

impl Trouble {
    pub(crate) fn new(kind: Kind, what: impl AsRef<str>, next: impl AsRef<str>) -> Trouble {
        let (what, next) = (clean_line(what.as_ref()), clean_line(next.as_ref()));
        Trouble { kind, what, next, status: None, may_have_happened: false }
    }

    /// An argument that we refuse ourselves.
    pub(crate) fn invalid(what: impl AsRef<str>, next: impl AsRef<str>) -> Trouble {
        Trouble::new(Kind::Invalid { details: Vec::new() }, what, next)
    }

    pub(crate) fn unreadable(what: impl AsRef<str>) -> Trouble {
        let next = "check that the address is the service's API and that no proxy answers in its place";
        Trouble::new(Kind::Unreadable, what, next)
    }

    /// What a service's refusal means.
    pub(crate) fn of_status(status: StatusCode, details: Vec<String>) -> Trouble {
        let said = said(&details);
        let (kind, what, next) = match status.as_u16() {
            401 => (
                Kind::Unauthorised,
                "the token is not accepted",
                "check the token in the environment of this server",
            ),
            403 => (
                Kind::Forbidden,
                "the token may not do this",
                "give the token the scope or role that this call needs",
            ),
            404 | 410 => (
                Kind::NotFound,
                "there is no such thing, or the token may not see it",
                "check the names and numbers, and what the token may see",
            ),
            409 | 412 => (
                Kind::Conflict,
                "it collides with how things are now",
                "look at the present state, then decide",
            ),
            400..=499 => (
                Kind::Invalid { details },
                "the service does not accept the request",
                "mend the arguments as the service says and call again; nothing was done",
            ),
            500..=599 => (Kind::Unavailable, "the service failed", "try again in a minute"),
            _ => (
                Kind::Unreadable,
                "the service gave an answer that does not belong here",
                "check that the address is the service's API",
            ),
        };
        let trouble = Trouble::new(kind, format!("{what} (HTTP {}){said}", status.as_u16()), next);
        Trouble { status: Some(status.as_u16()), ..trouble }
    }

    /// Of a change that became another each time we looked.
    pub(crate) fn moved() -> Trouble {
        Trouble::new(Kind::Conflict, "the head moved while its change was read", "call again in a moment")
    }

    pub(crate) fn hint(self, next: &str) -> Trouble {
        Trouble { next: clean_line(next), ..self }
    }

    pub(crate) fn is(&self, kind: &Kind) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(kind)
    }

    /// Whether the service said something like this.
    pub(crate) fn says(&self, words: &str) -> bool {
        let in_details = match &self.kind {
            Kind::Invalid { details } => details.iter().any(|detail| detail.contains(words)),
            _ => false,
        };
        in_details || self.what.contains(words)
    }

    pub(crate) fn text(&self) -> String {
        format!("{}. Next: {}.", self.what.trim_end_matches('.'), self.next.trim_end_matches('.'))
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({"kind": self.kind.word(), "message": self.what, "hint": self.next});
        if let Some(status) = self.status {
            error["status"] = status.into();
        }
        match &self.kind {
            Kind::Invalid { details } if !details.is_empty() => error["details"] = details.clone().into(),
            Kind::RateLimited { after } => {
                error["retry_after_seconds"] = (after.as_secs() + u64::from(after.subsec_nanos() > 0)).into();
            }
            _ => {}
        }
        error["may_have_happened"] = self.may_have_happened.into();
        json!({"error": error})
    }
}

impl Kind {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Kind::NotConfigured => "not_configured",
            Kind::NotFound => "not_found",
            Kind::Unauthorised => "unauthorised",
            Kind::Forbidden => "forbidden",
            Kind::Conflict => "conflict",
            Kind::Invalid { .. } => "invalid",
            Kind::RateLimited { .. } => "rate_limited",
            Kind::Unavailable => "unavailable",
            Kind::Unreadable => "unreadable",
        }
    }
}

fn said(details: &[String]) -> String {
    match details {
        [] => String::new(),
        details => format!(": {}", short_line(&details.join("; "))),
    }
}
