use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::Value;

use super::cache::Cache;
use super::patience::Patience;
use super::reply::Reply;
use super::request::Ask;
use super::secret::{Secret, Secrets};
use super::send::innermost;
use super::trouble::{Kind, Trouble};
use crate::tls::{TlsError, authorities, choose_provider};
use crate::waiting::asks_to_wait;

/// A connection that rests longer is not used again: whoever is at the other end may have closed it, and a request that
/// changes something could not be repeated.
const REST: Duration = Duration::from_secs(10);

/// How to prove who we are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Auth {
    Bearer(Secret),
    Basic { user: String, password: Secret },
}

/// What it takes to reach a service.
#[derive(Debug, Clone)]
pub(crate) struct RestSetup {
    pub(crate) base: Url,
    pub(crate) auth: Auth,
    pub(crate) authorities: Vec<PathBuf>,
    pub(crate) patience: Patience,
    pub(crate) waits: Waits,
}

/// Who is told that a service is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waits {
    /// The service, for people.
    pub(crate) name: &'static str,
    pub(crate) heard: Option<fn(&str)>,
}

impl Waits {
    pub(super) fn tell(&self, wait: Duration) {
        if let Some(heard) = self.heard {
            heard(&asks_to_wait(self.name, wait));
        }
    }
}

/// A service, or the reason why it cannot be reached.
#[derive(Debug)]
pub(crate) struct Rest {
    place: Result<Place, Trouble>,
}

/// Where a service is and how it is spoken to.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) http: Client,
    pub(super) base: Url,
    pub(super) authorization: HeaderValue,
    pub(super) secrets: Secrets,
    pub(super) cache: Mutex<Cache>,
    pub(super) patience: Patience,
    pub(super) waits: Waits,
}

impl Rest {
    pub(crate) fn new(setup: RestSetup) -> Result<Rest, TlsError> {
        choose_provider();
        let mut client = Client::builder()
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(setup.patience.connect)
            .read_timeout(setup.patience.silence)
            .timeout(setup.patience.answer)
            .pool_idle_timeout(REST);
        match setup.base.scheme() {
            // No redirect leads from there to a place that would need any.
            "http" => client = client.tls_certs_only([]),
            _ => {
                for file in &setup.authorities {
                    client = client.tls_certs_merge(authorities(file)?);
                }
            }
        }
        let unusable = |error: reqwest::Error| TlsError::Unusable(innermost(error));
        let http = client.build().map_err(unusable)?;
        let unsendable = || TlsError::Unusable("the token fits in no header".to_owned());
        let authorization = header(&http, &setup).ok_or_else(unsendable)?;
        let place = Place {
            secrets: secrets(&setup.auth, &authorization),
            http,
            base: setup.base,
            authorization,
            cache: Mutex::default(),
            patience: setup.patience,
            waits: setup.waits,
        };
        Ok(Rest { place: Ok(place) })
    }

    /// Of a service that nobody told us how to reach: each call says so.
    pub(crate) fn absent(why: Trouble) -> Rest {
        Rest { place: Err(why) }
    }

    pub(super) fn place(&self) -> Result<&Place, Trouble> {
        self.place.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn base(&self) -> Result<&Url, Trouble> {
        Ok(&self.place()?.base)
    }

    /// A good answer, whatever is in it.
    pub(crate) async fn reply(&self, ask: &Ask) -> Result<Reply, Trouble> {
        let place = self.place()?;
        place.send(ask, place.url(ask)?).await
    }

    pub(crate) async fn json(&self, ask: &Ask) -> Result<Value, Trouble> {
        let reply = self.reply(ask).await?;
        // Whoever answers a change with something else may have made it.
        reply.json().map_err(|trouble| Trouble { may_have_happened: ask.changes(), ..self.masked(trouble) })
    }

    /// Waits as it waits between two attempts: for what the service has not made ready yet.
    pub(crate) async fn pause(&self, tries: u32) -> Result<(), Trouble> {
        tokio::time::sleep(self.place()?.patience.before_try(tries)).await;
        Ok(())
    }

    /// The same without our secrets: what somebody else wrote may hold them.
    pub(crate) fn masked_value(&self, value: Value) -> Value {
        match &self.place {
            Ok(place) => place.secrets.mask_value(value),
            Err(_) => value,
        }
    }

    pub(crate) fn masked(&self, trouble: Trouble) -> Trouble {
        match &self.place {
            Ok(place) => trouble.masked(&place.secrets),
            Err(_) => trouble,
        }
    }
}

impl Place {
    pub(super) fn url(&self, ask: &Ask) -> Result<Url, Trouble> {
        let refused = || {
            let what = "a name in the arguments is empty or means another place";
            Trouble::invalid(what, "call again with whole names; nothing was sent")
        };
        let base = ask.base.as_ref().unwrap_or(&self.base);
        let mut url =
            ask.path.below(base).filter(|url| url.origin() == self.base.origin()).ok_or_else(refused)?;
        if !ask.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&ask.query);
        }
        Ok(url)
    }
}

impl Trouble {
    pub(super) fn masked(self, secrets: &Secrets) -> Trouble {
        let kind = match self.kind {
            Kind::Invalid { details } => {
                Kind::Invalid { details: details.iter().map(|detail| secrets.mask(detail)).collect() }
            }
            kind => kind,
        };
        Trouble { kind, what: secrets.mask(&self.what), next: secrets.mask(&self.next), ..self }
    }
}

/// Made by the client itself, which marks it as nothing to be printed.
fn header(http: &Client, setup: &RestSetup) -> Option<HeaderValue> {
    let request = http.get(setup.base.clone());
    let request = match &setup.auth {
        Auth::Bearer(token) => request.bearer_auth(token.reveal()),
        Auth::Basic { user, password } => request.basic_auth(user, Some(password.reveal())),
    };
    request.build().ok()?.headers_mut().remove(AUTHORIZATION)
}

fn secrets(auth: &Auth, authorization: &HeaderValue) -> Secrets {
    let secret = match auth {
        Auth::Bearer(token) => token,
        Auth::Basic { password, .. } => password,
    };
    let sent = authorization.to_str().unwrap_or_default();
    let encoded = sent.split_once(' ').map_or(sent, |(_, rest)| rest);
    Secrets::new([secret.reveal().to_owned(), encoded.to_owned()])
}
