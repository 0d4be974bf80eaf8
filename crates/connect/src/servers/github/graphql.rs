use std::time::Duration;

use domain::text::short_line;
use reqwest::Url;
use serde_json::{Value, json};

use super::Github;
use crate::rest::{Ask, Fields as _, Kind, Trouble, path_of};
use crate::servers::tool::Answer;

impl Github {
    /// What the REST interface has no word for. Everything sent this way may be sent twice. Values are variables, never
    /// part of the query.
    pub(super) async fn graphql(&self, query: &str, variables: Value) -> Answer<Value> {
        let (base, name) = place(self.rest.base()?);
        let ask = Ask::post(path_of![name], json!({"query": query, "variables": variables})).at(base);
        let ask = if query.starts_with("mutation") { ask.setting() } else { ask.asking() };
        let answer = self.rest.json(&ask).await?;
        match answer.list("/errors") {
            [] => Ok(answer),
            errors => Err(refusal(errors)),
        }
    }
}

/// Beside `/api/v3` on a server of one's own, below the address everywhere else.
fn place(base: &Url) -> (Url, &'static str) {
    let mut base = base.clone();
    let path = base.path().trim_end_matches('/').to_owned();
    if let Some(above) = path.strip_suffix("/v3") {
        base.set_path(above);
    }
    (base, "graphql")
}

fn refusal(errors: &[Value]) -> Trouble {
    let messages = errors.iter().filter_map(|error| error.text_if("/message"));
    let details: Vec<String> = messages.take(20).map(|message| short_line(&message)).collect();
    let what = format!("GitHub does not accept the request: {}", details.join("; "));
    let kind = errors.iter().find_map(|error| error.text_if("/type")).unwrap_or_default();
    match kind.as_str() {
        "NOT_FOUND" => {
            Trouble::new(Kind::NotFound, what, "check the names and numbers, and what the token may see")
        }
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => {
            Trouble::new(Kind::Forbidden, what, "give the token the scope that this call needs")
        }
        "RATE_LIMITED" => {
            let kind = Kind::RateLimited { after: Duration::from_secs(60) };
            Trouble::new(kind, what, "call again in a minute; nothing was done")
        }
        _ => Trouble::new(Kind::Invalid { details }, what, "mend the arguments and call again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_interface_is_where_the_installation_has_it() {
        let at = |base: &str| place(&Url::parse(base).unwrap()).0.to_string();
        assert_eq!(at("https://api.github.com"), "https://api.github.com/");
        assert_eq!(at("https://ghe.example.com/api/v3"), "https://ghe.example.com/api");
        assert_eq!(at("http://127.0.0.1:9/github"), "http://127.0.0.1:9/github");
    }
}
