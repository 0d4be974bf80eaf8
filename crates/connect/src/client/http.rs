use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

/// Redirects are not followed: they would take the token along.
pub(super) fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
    timeout: Duration,
    largest: usize,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(timeout)
        .build()
        .map_err(|error| error.without_url().to_string())?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let unfit = |_| format!("the header {} cannot be sent", domain::text::short_line(name));
        let mut value = HeaderValue::from_str(value).map_err(|_| unfit(()))?;
        value.set_sensitive(true);
        custom.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit(()))?, value);
    }
    let config =
        StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom).max_sse_event_size(largest);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
