use std::error::Error as _;
use std::sync::PoisonError;
use std::time::Duration;

use domain::text::short_line;
use jiff::Timestamp;
use reqwest::header::{ACCEPT, AUTHORIZATION, IF_NONE_MATCH, LOCATION};
use reqwest::{Method, Request, Response, Url};

use super::client::Place;
use super::reply::Reply;
use super::request::{Ask, Effect};
use super::throttle;
use super::trouble::{Kind, Trouble};

/// Whoever sends us on more often than this sends us in circles.
const MOST_HOPS: usize = 5;
/// However short the waits are that a service asks for.
const MOST_WAITS: u32 = 10;

/// Why no answer came.
struct Failed {
    trouble: Trouble,
    sent: Sent,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    Perhaps,
}

impl Place {
    /// Sends it until there is an answer, or no sense in it. Whatever is not a good answer is a trouble.
    pub(super) async fn send(&self, ask: &Ask, url: Url) -> Result<Reply, Trouble> {
        let limit = if ask.changes() { self.patience.limit_of_changes } else { self.patience.limit };
        let limit = limit.min(self.patience.limit);
        let (mut tries, mut waits, mut left) = (0, 0, limit);
        let trouble = loop {
            tries += 1;
            let (trouble, pause) = match self.once(ask, url.clone()).await {
                Ok(reply) if reply.status.is_success() => return Ok(reply),
                Ok(reply) => match throttle::asked_to_wait(&reply, Timestamp::now()) {
                    // It was turned away at the door: repeating it does nothing twice.
                    Some(wait) => {
                        waits += 1;
                        (limited(&reply, wait), Some(wait).filter(|_| waits < MOST_WAITS))
                    }
                    None => {
                        let pause = throttle::retry_after(&reply, Timestamp::now());
                        (self.refused(ask, &reply), self.pause_after(ask, &reply, tries, pause))
                    }
                },
                Err(Failed { trouble, sent }) => {
                    let repeat = sent == Sent::Nothing || ask.effect != Effect::Adds;
                    let pause = Some(self.patience.before_try(tries));
                    let may_have_happened = sent == Sent::Perhaps && ask.changes();
                    let pause = pause
                        .filter(|_| repeat && trouble.is(&Kind::Unavailable) && tries < self.patience.tries);
                    (Trouble { may_have_happened, ..trouble }, pause)
                }
            };
            match pause.and_then(|pause| Some((pause, left.checked_sub(pause)?))) {
                Some((pause, rest)) => {
                    left = rest;
                    if matches!(trouble.kind, Kind::RateLimited { .. }) {
                        self.waits.tell(pause);
                    }
                    tokio::time::sleep(pause).await;
                }
                None => break trouble,
            }
        };
        Err(trouble.masked(&self.secrets))
    }

    fn refused(&self, ask: &Ask, reply: &Reply) -> Trouble {
        let trouble = Trouble::of_status(reply.status, reply.details());
        Trouble { may_have_happened: reply.status.is_server_error() && ask.changes(), ..trouble }
    }

    fn pause_after(&self, ask: &Ask, reply: &Reply, tries: u32, asked: Option<Duration>) -> Option<Duration> {
        let repeat =
            reply.status.is_server_error() && ask.effect != Effect::Adds && tries < self.patience.tries;
        repeat.then(|| asked.unwrap_or_default().max(self.patience.before_try(tries)))
    }

    /// One attempt, redirects within the host included.
    async fn once(&self, ask: &Ask, mut url: Url) -> Result<Reply, Failed> {
        for _ in 0..=MOST_HOPS {
            let key = format!("{} {url}", ask.accept.header());
            let request = self.request(ask, &url, &key);
            let response = self.http.execute(request).await.map_err(Failed::of)?;
            let reply = read(response, ask.accept.most()).await?;
            match reply.status.as_u16() {
                304 => return self.unchanged(&key),
                300..=399 => url = onward(ask, &url, &reply)?,
                _ => {
                    if ask.is_get() && reply.status.is_success() {
                        self.cache.lock().unwrap_or_else(PoisonError::into_inner).keep(&key, &reply);
                    }
                    return Ok(reply);
                }
            }
        }
        Err(Failed::unreadable("the service sends us in circles".to_owned()))
    }

    fn request(&self, ask: &Ask, url: &Url, key: &str) -> Request {
        let mut request = Request::new(ask.method.clone(), url.clone());
        if let Some(body) = &ask.body {
            *request.body_mut() = Some(body.to_string().into());
        }
        let tag = match ask.is_get() {
            true => self.cache.lock().unwrap_or_else(PoisonError::into_inner).tag(key).map(str::to_owned),
            false => None,
        };
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.authorization.clone());
        headers.insert(ACCEPT, reqwest::header::HeaderValue::from_static(ask.accept.header()));
        if ask.body.is_some() {
            let json = reqwest::header::HeaderValue::from_static("application/json");
            headers.insert(reqwest::header::CONTENT_TYPE, json);
        }
        if let Some(tag) = tag.and_then(|tag| tag.parse().ok()) {
            headers.insert(IF_NONE_MATCH, tag);
        }
        request
    }

    fn unchanged(&self, key: &str) -> Result<Reply, Failed> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        // Made room for something else meanwhile: the next attempt has no tag to send.
        cache.reply(key).ok_or_else(|| Failed {
            trouble: Trouble::new(Kind::Unavailable, "the answer was lost on its way", "call again"),
            sent: Sent::Perhaps,
        })
    }
}

impl Failed {
    fn of(error: reqwest::Error) -> Failed {
        let sent = if error.is_connect() { Sent::Nothing } else { Sent::Perhaps };
        let what = match (error.is_timeout(), sent) {
            (true, _) => "the service does not answer in time".to_owned(),
            (false, Sent::Nothing) => format!("the service cannot be reached: {}", innermost(error)),
            (false, Sent::Perhaps) => format!("the connection broke: {}", innermost(error)),
        };
        let next = match sent {
            Sent::Nothing => {
                "check the address, the proxy and the certificates, then call again; nothing was sent"
            }
            Sent::Perhaps => "call again; if it changes something, look first whether it was done",
        };
        Failed { trouble: Trouble::new(Kind::Unavailable, what, next), sent }
    }

    fn unreadable(what: String) -> Failed {
        Failed { trouble: Trouble::unreadable(what), sent: Sent::Perhaps }
    }
}

/// The last cause says what happened; those before only where.
pub(super) fn innermost(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause = error.source();
    let mut text = error.to_string();
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    short_line(&text)
}

async fn read(mut response: Response, most: usize) -> Result<Reply, Failed> {
    let too_long = || Failed::unreadable(format!("the answer is longer than {} MiB", most >> 20));
    if response.content_length().is_some_and(|length| length > most as u64) {
        return Err(too_long());
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Failed::of)? {
        if body.len() + chunk.len() > most {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Reply { status, headers, body })
}

/// Where a redirect leads, if it leads nowhere else: the token is for this host only, and a change is sent on only
/// where the service says that it stays a change.
fn onward(ask: &Ask, from: &Url, reply: &Reply) -> Result<Url, Failed> {
    let refuse = |what: String| {
        let next = "put the address that the service redirects to into the environment of this server";
        let trouble = Trouble::new(Kind::Unreadable, what, next);
        Failed { trouble, sent: Sent::Nothing }
    };
    let location = reply.headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(to) = location.and_then(|location| from.join(location).ok()) else {
        return Err(refuse(format!("a redirect (HTTP {}) leads nowhere", reply.status.as_u16())));
    };
    if to.origin() != from.origin() {
        let host = to.host_str().unwrap_or("nobody");
        return Err(refuse(format!(
            "the service redirects to another host, {} at {}, and the token is not sent there",
            short_line(host),
            to.scheme()
        )));
    }
    let keeps_method = matches!(reply.status.as_u16(), 307 | 308);
    match ask.method == Method::GET || keeps_method {
        true => Ok(to),
        false => {
            Err(refuse(format!("the service answers a change with a redirect to {}", short_line(to.path()))))
        }
    }
}

fn limited(reply: &Reply, after: Duration) -> Trouble {
    let said = reply.details().first().map(|detail| format!(": {detail}")).unwrap_or_default();
    let what = format!("the service takes no more requests for now (HTTP {}){said}", reply.status.as_u16());
    let next = format!("call again in {} seconds; nothing was done", after.as_secs().max(1));
    let trouble = Trouble::new(Kind::RateLimited { after }, what, next);
    Trouble { status: Some(reply.status.as_u16()), ..trouble }
}
