use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::config::Price;
use domain::review::Usage;
use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use reqwest::Url;
use reqwest::redirect::Policy;

use super::provider::{Adapter, Provider};
use super::secrets::Secrets;

/// One model at one place.
#[derive(Debug)]
pub(super) struct Target {
    /// `provider:model`.
    pub(super) name: String,
    pub(super) adapter: Adapter,
    pub(super) secrets: Secrets,
    pub(super) client: Client,
    model: ModelIden,
    place: Place,
    key: AuthData,
    price: Option<Price>,
    /// Some models and many imitations refuse to be bound by a schema. It is in the prompt as well.
    refuses_schema: AtomicBool,
    /// Some imitations refuse to be asked what an answer costs while they stream it.
    refuses_usage: AtomicBool,
    /// What a provider wants to have back with its own tool calls, by their ids.
    signatures: Mutex<HashMap<String, Vec<String>>>,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the client expects this provider.
    Usual,
    At(Url),
}

/// Without user and password.
impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Usual => f.write_str("usual"),
            Place::At(url) => {
                let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default());
                write!(f, "{}://{host}:{}{}", url.scheme(), port.unwrap_or_default(), url.path())
            }
        }
    }
}

const CONNECT_LIMIT: Duration = Duration::from_secs(30);
const KEPT_SIGNATURES: usize = 10_000;

impl Target {
    pub(super) fn new(
        provider: &'static Provider,
        name: String,
        model: &str,
        place: Place,
        key: Option<String>,
        price: Option<Price>,
    ) -> Result<Target, String> {
        let kind = adapter_kind(provider, model, &place);
        let password = match &place {
            Place::At(url) => url.password().map(str::to_owned),
            Place::Usual => None,
        };
        Ok(Target {
            name,
            adapter: provider.adapter,
            secrets: Secrets::new(key.clone().into_iter().chain(password)),
            client: client(provider, &place)?,
            model: ModelIden::new(kind, model.to_owned()),
            place,
            // Servers that want no key ignore the header, which the client always sends.
            key: AuthData::from_single(key.unwrap_or_else(|| "none".to_owned())),
            price,
            refuses_schema: AtomicBool::new(false),
            refuses_usage: AtomicBool::new(false),
            signatures: Mutex::default(),
        })
    }

    pub(super) fn identity(&self) -> String {
        match &self.place {
            Place::Usual => self.name.clone(),
            Place::At(_) => format!("{}@{:?}", self.name, self.place),
        }
    }

    pub(super) fn kind(&self) -> AdapterKind {
        self.model.adapter_kind
    }

    pub(super) async fn service(&self) -> Result<ServiceTarget, genai::Error> {
        let endpoint = match &self.place {
            Place::At(url) => Endpoint::from_owned(url.to_string()),
            Place::Usual => self.usual_endpoint().await?,
        };
        Ok(ServiceTarget { endpoint, auth: self.key.clone(), model: self.model.clone() })
    }

    /// The client's own, which for Ollama is that of another interface than the one used here.
    async fn usual_endpoint(&self) -> Result<Endpoint, genai::Error> {
        let kind = match self.adapter {
            Adapter::Ollama => AdapterKind::Ollama,
            Adapter::Of(_) | Adapter::OpenAi => self.kind(),
        };
        let usual = ModelIden::new(kind, self.model.model_name.clone());
        let endpoint = self.client.resolve_service_target(usual).await?.endpoint;
        Ok(match self.adapter {
            Adapter::Ollama => Endpoint::from_owned(format!("{}v1/", endpoint.base_url())),
            Adapter::Of(_) | Adapter::OpenAi => endpoint,
        })
    }

    pub(super) fn takes_schema(&self) -> bool {
        !self.refuses_schema.load(Ordering::Relaxed)
    }

    pub(super) fn never_mind_schema(&self) {
        self.refuses_schema.store(true, Ordering::Relaxed);
    }

    pub(super) fn tells_usage(&self) -> bool {
        !self.refuses_usage.load(Ordering::Relaxed)
    }

    pub(super) fn never_mind_usage(&self) {
        self.refuses_usage.store(true, Ordering::Relaxed);
    }

    pub(super) fn keep_signatures(&self, call_id: &str, signatures: Vec<String>) {
        let Ok(mut kept) = self.signatures.lock() else { return };
        if kept.len() >= KEPT_SIGNATURES {
            kept.clear();
        }
        kept.insert(call_id.to_owned(), signatures);
    }

    pub(super) fn signatures(&self, call_id: &str) -> Option<Vec<String>> {
        self.signatures.lock().ok()?.get(call_id).cloned()
    }

    pub(super) fn usage(&self, input_tokens: u64, output_tokens: u64) -> Usage {
        let cost_micro_usd =
            self.price.map(|price| crate::budget::micro_usd(price, input_tokens, output_tokens));
        Usage { calls: 1, input_tokens, output_tokens, cost_micro_usd }
    }
}

fn adapter_kind(provider: &Provider, model: &str, place: &Place) -> AdapterKind {
    match (provider.adapter, place) {
        (Adapter::Of(kind), _) => kind,
        (Adapter::Ollama, _) | (Adapter::OpenAi, Place::At(_)) => AdapterKind::OpenAI,
        (Adapter::OpenAi, Place::Usual) => match AdapterKind::from_model(model) {
            Ok(AdapterKind::OpenAIResp) => AdapterKind::OpenAIResp,
            Ok(_) | Err(_) => AdapterKind::OpenAI,
        },
    }
}

/// No redirect is followed: the keys of most providers travel in headers that would go along to wherever it
/// leads. Nothing is unpacked: a small answer stays small. What is on this machine is not asked through a proxy.
fn client(provider: &Provider, place: &Place) -> Result<Client, String> {
    // Refused if somebody in this process has chosen already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut http = reqwest::Client::builder()
        .redirect(Policy::none())
        .no_gzip()
        .connect_timeout(CONNECT_LIMIT)
        .tcp_nodelay(true);
    if is_here(provider, place) {
        http = http.no_proxy();
    }
    let http = http.build().map_err(|error| format!("no HTTP client can be made: {error}"))?;
    Client::builder().with_reqwest(http).build().map_err(|_| "no client can be made".to_owned())
}

fn is_here(provider: &Provider, place: &Place) -> bool {
    match place {
        Place::Usual => provider.adapter == Adapter::Ollama,
        Place::At(url) => {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}
