use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Confluence;
use super::cql::Cql;
use crate::rest::{Ask, Fields as _, Trouble, path_of};
use crate::servers::tool::{Answer, Hints, Tool};

pub(crate) struct Search;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Words on the page.
    #[serde(default)]
    text: Option<String>,
    /// Words in its title.
    #[serde(default)]
    title: Option<String>,
    /// The key of a space.
    #[serde(default)]
    space: Option<String>,
    #[serde(default)]
    label: Option<String>,
    /// 1 to 50; 20 if left out.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    pages: Vec<Hit>,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hit {
    pub(super) id: String,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_key: Option<String>,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl Tool for Search {
    const NAME: &'static str = "confluence_search";
    const DESCRIPTION: &'static str = "Pages by words, title, label and space; all that are given must fit.";
    const HINTS: Hints = Hints::Reads;
    type Of = Confluence;
    type Input = Wanted;
    type Output = Hits;

    async fn call(confluence: &Confluence, input: Wanted) -> Answer<Hits> {
        let limit = input.limit.unwrap_or(20);
        if !(1..=50).contains(&limit) {
            return Err(Trouble::invalid("limit: is a number from 1 to 50", "call again with one of those"));
        }
        if input.text.is_none() && input.title.is_none() && input.label.is_none() {
            let what = "nothing to look for: text, title or label is needed";
            return Err(Trouble::invalid(what, "call again with one of them; nothing was sent"));
        }
        let query = Cql::pages()
            .contains("text", input.text.as_deref())
            .contains("title", input.title.as_deref())
            .equals("label", input.label.as_deref())
            .equals("space", input.space.as_deref());
        let (pages, complete) = confluence.search(&query, limit).await?;
        Ok(Hits { pages, complete })
    }
}

impl Confluence {
    /// The first that fit, and whether that is all of them.
    pub(super) async fn search(&self, query: &Cql, limit: usize) -> Answer<(Vec<Hit>, bool)> {
        let ask =
            Ask::get(path_of!["rest", "api", "search"]).query("cql", query.text()).query("limit", limit);
        let answer = self.rest.json(&ask).await?;
        let results = answer.list("/results");
        let hits = results.iter().map(|result| self.hit(result, &answer)).collect::<Answer<Vec<Hit>>>()?;
        let more = answer.text_if("/_links/next").is_some();
        Ok((hits, !more))
    }

    fn hit(&self, result: &Value, answer: &Value) -> Answer<Hit> {
        let content = result.get("content").filter(|content| content.is_object()).unwrap_or(result);
        Ok(Hit {
            id: content.text("/id")?,
            title: content.text("/title").or_else(|_| result.text("/title"))?,
            space_key: content.text_if("/space/key").or_else(|| space(result)),
            url: self.url(content, answer)?,
            excerpt: result
                .text_if("/excerpt")
                .map(|text| text.replace("@@@hl@@@", "").replace("@@@endhl@@@", "")),
            updated_at: result.text_if("/lastModified"),
        })
    }
}

/// `/spaces/KEY` or `/display/KEY`, where a hit says no more of its space.
fn space(result: &Value) -> Option<String> {
    let shown = result.text_if("/resultGlobalContainer/displayUrl")?;
    shown.rsplit('/').next().filter(|key| !key.is_empty()).map(str::to_owned)
}
