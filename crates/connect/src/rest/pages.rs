use reqwest::Url;
use reqwest::header::LINK;
use serde_json::Value;

use super::client::Rest;
use super::fields::Fields as _;
use super::reply::Reply;
use super::request::Ask;
use super::trouble::Trouble;

/// No list is longer.
pub(crate) const MOST_ENTRIES: usize = 5_000;
const MOST_PAGES: usize = 100;
/// Of all pages together, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// Entries of a list, page after page.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) items: Vec<Value>,
    /// Whether that is all of them.
    pub(crate) complete: bool,
}

impl Rest {
    /// All entries of a list whose pages are chained by headers. `place` is where in each answer they stand.
    pub(crate) async fn list(&self, ask: &Ask, place: &str) -> Result<Listed, Trouble> {
        let service = self.place()?;
        let mut url = service.url(ask)?;
        let mut listed = Listed::default();
        let mut bytes = 0;
        for _ in 0..MOST_PAGES {
            let reply = service.send(ask, url.clone()).await?;
            bytes += reply.body.len();
            let page = reply.json().map_err(|trouble| self.masked(trouble))?;
            if page.pointer(place).is_none_or(|found| !found.is_array()) {
                return Err(Trouble::unreadable("the answer is no list"));
            }
            listed.items.extend_from_slice(page.list(place));
            match next(&reply, &url) {
                None => {
                    listed.complete = listed.items.len() <= MOST_ENTRIES;
                    break;
                }
                Some(next) if next.origin() == url.origin() => url = next,
                Some(_) => return Err(Trouble::unreadable("the next page is said to be on another host")),
            }
            if listed.items.len() >= MOST_ENTRIES || bytes > MOST_BYTES {
                break;
            }
        }
        listed.items.truncate(MOST_ENTRIES);
        Ok(listed)
    }
}

fn next(reply: &Reply, at: &Url) -> Option<Url> {
    let linked = reply.headers.get_all(LINK).iter().filter_map(|value| next_link(value.to_str().ok()?));
    if let Some(link) = linked.into_iter().next() {
        return at.join(link).ok();
    }
    let number = reply.header("x-next-page").filter(|number| !number.is_empty())?;
    let mut url = at.clone();
    let kept: Vec<(String, String)> = at
        .query_pairs()
        .filter(|(name, _)| name != "page")
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    url.query_pairs_mut().clear().extend_pairs(kept).append_pair("page", number);
    Some(url)
}

/// `<https://…>; rel="next"` among others.
fn next_link(mut header: &str) -> Option<&str> {
    while let Some((_, rest)) = header.split_once('<') {
        let (link, after) = rest.split_once('>')?;
        let parameters = after.split_once('<').map_or(after, |(parameters, _)| parameters);
        let is_next = parameters.split(';').any(|parameter| {
            let parameter = parameter.trim().trim_end_matches(',').trim_end();
            matches!(parameter, r#"rel="next""# | "rel=next")
        });
        if is_next {
            return Some(link);
        }
        header = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;
    use reqwest::header::{HeaderMap, HeaderName};

    fn after(name: &'static str, value: &str) -> Option<String> {
        let headers = HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())]);
        let reply = Reply { status: StatusCode::OK, headers, body: Vec::new() };
        next(&reply, &Url::parse("https://host/list?page=1&per_page=2").unwrap()).map(String::from)
    }

    #[test]
    fn the_next_page_is_found_among_the_links() {
        let links = r#"<https://host/list?page=1,1>; rel="prev", <https://host/list?page=3>; rel="next""#;
        assert_eq!(after("link", links).unwrap(), "https://host/list?page=3");
        assert_eq!(after("link", r#"<https://host/list?page=9>; rel="last""#), None);
        assert_eq!(after("link", "<<<>;rel=next"), Some("https://host/%3C%3C".to_owned()));
        assert_eq!(after("link", "<unclosed"), None);
    }

    #[test]
    fn the_next_page_may_be_a_number() {
        assert_eq!(after("x-next-page", "2").unwrap(), "https://host/list?per_page=2&page=2");
        assert_eq!(after("x-next-page", ""), None);
    }
}
