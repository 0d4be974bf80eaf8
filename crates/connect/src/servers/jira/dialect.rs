use serde_json::Value;

use super::{Jira, adf, literal};
use crate::rest::{Ask, Fields as _, path_of};
use crate::servers::tool::Answer;

/// Which of the two Jiras it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Cloud,
    Server,
}

impl Dialect {
    pub(super) fn of_version(version: u8) -> Dialect {
        match version {
            3 => Dialect::Cloud,
            _ => Dialect::Server,
        }
    }

    pub(super) fn version(self) -> u8 {
        match self {
            Dialect::Cloud => 3,
            Dialect::Server => 2,
        }
    }

    /// A text of ours as this Jira takes it: Markdown becomes a document in the cloud; a server takes wiki markup as it is.
    pub(super) fn to_wire(self, text: &str) -> Value {
        match self {
            Dialect::Cloud => adf::from_markdown(text),
            Dialect::Server => text.into(),
        }
    }

    /// A text that has no markup; `links` are the addresses in it that may be followed.
    pub(super) fn literally(self, text: &str, links: &[String]) -> Value {
        match self {
            Dialect::Cloud => literal::document(text, links),
            Dialect::Server => literal::wiki(text, links).into(),
        }
    }

    /// A text of theirs.
    pub(super) fn to_text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Object(_) => adf::to_text(value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
        }
    }

    /// How that text is written.
    pub(super) fn format(self) -> &'static str {
        match self {
            Dialect::Cloud => "markdown",
            Dialect::Server => "wiki",
        }
    }
}

impl Jira {
    /// Asked of the service once, unless the environment said it.
    pub(super) async fn dialect(&self) -> Answer<Dialect> {
        let ask = || async {
            let info = self.rest.json(&Ask::get(path_of!["rest", "api", "2", "serverInfo"])).await?;
            Ok(match info.text_if("/deploymentType").as_deref() {
                Some("Cloud") => Dialect::Cloud,
                Some(_) | None => Dialect::Server,
            })
        };
        self.dialect.get_or_try_init(ask).await.copied()
    }
}
