use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Confluence;
use super::cql::Cql;
use super::pages::Page;
use super::search::Hit;
use crate::rest::Trouble;
use crate::servers::tool::{Answer, Hints, Tool};

/// Enough to choose from.
const LOOKED_AT: usize = 20;

pub(crate) struct GetPageByService;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfService {
    service_name: String,
    /// The key of the only space to look in.
    #[serde(default)]
    space: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Page>,
    /// label, title or title_contains
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<&'static str>,
    /// Others that fit as well.
    others: Vec<Hit>,
}

impl Tool for GetPageByService {
    const NAME: &'static str = "confluence_get_page_by_service";
    const DESCRIPTION: &'static str = "The page that describes a service: labelled service-NAME or NAME, else with NAME as its title, else in it.";
    const HINTS: Hints = Hints::Reads;
    type Of = Confluence;
    type Input = OfService;
    type Output = Found;

    async fn call(confluence: &Confluence, input: OfService) -> Answer<Found> {
        let name = input.service_name.trim();
        if name.is_empty() || name.chars().count() > 200 {
            let what = "service_name: is a name of 1 to 200 characters";
            return Err(Trouble::invalid(what, "call again with one; nothing was sent"));
        }
        for (found_by, query) in queries(name, input.space.as_deref()) {
            let (mut hits, _) = confluence.search(&query, LOOKED_AT).await?;
            // The oldest page of a name is the one that others refer to.
            hits.sort_by_key(|hit| (hit.id.len(), hit.id.clone()));
            if !hits.is_empty() {
                let others = hits.split_off(1);
                let page = confluence.page(&hits[0].id).await?;
                return Ok(Found { page: Some(page), found_by: Some(found_by), others });
            }
        }
        Ok(Found { page: None, found_by: None, others: Vec::new() })
    }
}

/// From the surest sign to the weakest.
fn queries(name: &str, space: Option<&str>) -> Vec<(&'static str, Cql)> {
    let in_space = |query: Cql| query.equals("space", space);
    let label = name.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    vec![
        ("label", in_space(Cql::pages().equals("label", Some(&format!("service-{label}"))))),
        ("label", in_space(Cql::pages().equals("label", Some(&label)))),
        ("title", in_space(Cql::pages().equals("title", Some(name)))),
        ("title_contains", in_space(Cql::pages().contains("title", Some(name)))),
    ]
}
