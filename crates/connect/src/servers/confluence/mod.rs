//! Confluence, in the cloud and on servers of one's own.

mod cql;
mod pages;
mod scan;
mod search;
mod service;
mod storage;

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use super::tool::{Answer, Entry, Speaks};
use crate::rest::{Fields as _, Rest};

pub(crate) struct Confluence {
    rest: Rest,
    interface: Interface,
}

/// How pages are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interface {
    /// Server and Data Center.
    Content,
    /// Atlassian's cloud.
    Pages,
}

impl Speaks for Confluence {
    fn rest(&self) -> &Rest {
        &self.rest
    }
}

impl Confluence {
    /// Where people look at something, by what its answer says.
    fn url(&self, value: &Value, answer: &Value) -> Answer<String> {
        let shown = value.text_if("/_links/webui").or_else(|| value.text_if("/url"));
        let Some(shown) = shown else { return Ok(String::new()) };
        let ours = self.rest.base()?.as_str().trim_end_matches('/').to_owned();
        // What an answer says about addresses counts only for the host that was asked.
        let theirs = value.text_if("/_links/base").or_else(|| answer.text_if("/_links/base"));
        let same_host = |base: &String| {
            let host = |text: &str| Url::parse(text).ok().map(|url| url.origin());
            host(base).is_some() && host(base) == host(&ours)
        };
        let base = theirs.filter(same_host).unwrap_or(ours);
        Ok(format!("{}/{}", base.trim_end_matches('/'), shown.trim_start_matches('/')))
    }
}

/// In the order in which clients show them.
pub(super) fn entries(rest: Rest, version: Option<u8>) -> Vec<Entry> {
    let in_cloud = || rest.base().is_ok_and(|base| base.path().trim_end_matches('/').ends_with("/wiki"));
    let interface = match version {
        Some(2) => Interface::Pages,
        Some(_) => Interface::Content,
        None if in_cloud() => Interface::Pages,
        None => Interface::Content,
    };
    let confluence = Arc::new(Confluence { rest, interface });
    vec![
        Entry::of::<pages::GetMe>(&confluence),
        Entry::of::<pages::GetPage>(&confluence),
        Entry::of::<search::Search>(&confluence),
        Entry::of::<service::GetPageByService>(&confluence),
    ]
}
