//! What the real ones would send about something in the forge: the same objects as their APIs show, in the payload's
//! frame, with headers and signature.

mod github;
mod gitlab;
mod jira;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::answer::hex;

pub use github::PullAction;
pub use jira::TicketEvent;

/// One request to a receiver, ready to be sent. The signature is over exactly these bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Delivery {
    fn new(body: String, headers: &[(&str, &str)]) -> Delivery {
        let mut all = vec![("content-type".to_owned(), "application/json".to_owned())];
        all.extend(headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        Delivery { headers: all, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// `sha256=` and the digest, as GitHub and Jira Cloud sign.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("keys may have any length");
    mac.update(body);
    format!("sha256={}", hex(&mac.finalize().into_bytes()))
}
