use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::storage::to_text;
use super::{Confluence, Interface};
use crate::rest::{Ask, Fields as _, Trouble, path_of};
use crate::servers::ids::Digits;
use crate::servers::tool::{Answer, Hints, Nothing, Tool};

pub(crate) struct GetMe;
pub(crate) struct GetPage;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Me {
    id: String,
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnePage {
    page_id: Digits,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    url: String,
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl Tool for GetMe {
    const NAME: &'static str = "confluence_get_me";
    const DESCRIPTION: &'static str = "Whose token this server uses.";
    const HINTS: Hints = Hints::Reads;
    type Of = Confluence;
    type Input = Nothing;
    type Output = Me;

    async fn call(confluence: &Confluence, _: Nothing) -> Answer<Me> {
        let value = confluence.rest.json(&Ask::get(path_of!["rest", "api", "user", "current"])).await?;
        let id = ["/accountId", "/username", "/userKey"].iter().find_map(|place| value.text_if(place));
        let id = id.ok_or_else(|| Trouble::unreadable("the answer names nobody"))?;
        Ok(Me { id, name: value.text_or_empty("/displayName") })
    }
}

impl Tool for GetPage {
    const NAME: &'static str = "confluence_get_page";
    const DESCRIPTION: &'static str = "One page as text, by its id.";
    const HINTS: Hints = Hints::Reads;
    type Of = Confluence;
    type Input = OnePage;
    type Output = Page;

    async fn call(confluence: &Confluence, input: OnePage) -> Answer<Page> {
        confluence.page(input.page_id.as_str()).await
    }
}

impl Confluence {
    pub(super) async fn page(&self, id: &str) -> Answer<Page> {
        let ask = match self.interface {
            Interface::Content => {
                Ask::get(path_of!["rest", "api", "content", id]).query("expand", "body.storage,version,space")
            }
            Interface::Pages => Ask::get(path_of!["api", "v2", "pages", id]).query("body-format", "storage"),
        };
        let value = self.rest.json(&ask).await?;
        self.read(&value)
    }

    fn read(&self, value: &Value) -> Answer<Page> {
        Ok(Page {
            id: value.text("/id")?,
            title: value.text("/title")?,
            space_key: value.text_if("/space/key"),
            version: value.number_if("/version/number"),
            url: self.url(value, value)?,
            body: to_text(&value.text("/body/storage/value")?),
            updated_at: value.text_if("/version/when").or_else(|| value.text_if("/version/createdAt")),
        })
    }
}
