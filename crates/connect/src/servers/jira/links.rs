use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Jira;
use crate::rest::{Ask, Fields as _, Trouble};
use crate::servers::ids::IssueKey;
use crate::servers::tool::{Answer, Hints, Tool, cut, put};

/// Jira takes no more.
const LONGEST: usize = 255;

pub(crate) struct AddRemoteLink;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLink {
    issue_key: IssueKey,
    url: String,
    title: String,
    #[serde(default)]
    summary: Option<String>,
    /// What tells it from other links: the same again changes the link instead of adding one. The url if left out.
    #[serde(default)]
    global_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Linked {
    id: String,
    created: bool,
}

impl Tool for AddRemoteLink {
    const NAME: &'static str = "jira_add_remote_link";
    const DESCRIPTION: &'static str = "Link an issue to a page elsewhere, such as a pull request.";
    const HINTS: Hints = Hints::Settles;
    type Of = Jira;
    type Input = NewLink;
    type Output = Linked;

    async fn call(jira: &Jira, input: NewLink) -> Answer<Linked> {
        let is_web = Url::parse(&input.url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_web {
            return Err(Trouble::invalid(
                "url: is no web address",
                "call again with a whole one; nothing was sent",
            ));
        }
        let mut object = json!({"url": input.url, "title": cut(&input.title, LONGEST)});
        put(&mut object, "summary", input.summary.map(|summary| cut(&summary, LONGEST)));
        let id = cut(input.global_id.as_deref().unwrap_or(&input.url), LONGEST);
        let path = jira.of_issue(&input.issue_key).await?.join(&"remotelink");
        let ask = Ask::post(path, json!({"globalId": id, "object": object})).setting();
        let reply = jira.rest.reply(&ask).await?;
        Ok(Linked { created: reply.status() == 201, id: reply.json()?.text("/id")? })
    }
}
