use super::entry::ServerEntry;

/// Values that must not appear in anything we say.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

/// Shorter ones would mask every other word.
const SHORTEST: usize = 6;

impl Secrets {
    /// What is in an entry's environment, its headers, and its address besides host and path.
    pub(super) fn of(entry: &ServerEntry) -> Secrets {
        match entry {
            ServerEntry::Stdio { env, .. } => {
                let is_address = |value: &&str| value.starts_with("http://") || value.starts_with("https://");
                let addresses = env.values().map(String::as_str).filter(is_address).flat_map(in_address);
                let others = env.values().map(String::as_str).filter(|value| !is_address(value));
                Secrets::new(others.chain(addresses))
            }
            ServerEntry::Http { url, headers, .. } => {
                Secrets::new(headers.values().map(String::as_str).chain(in_address(url)))
            }
        }
    }

    fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Secrets {
        // `Bearer TOKEN`: the token is one by itself.
        let mut values: Vec<String> = values
            .into_iter()
            .flat_map(|value| [value, value.rsplit(' ').next().unwrap_or(value)])
            .filter(|value| value.len() >= SHORTEST)
            .map(str::to_owned)
            .collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Secrets(values)
    }

    pub(super) fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[masked]"))
    }
}

/// The password and the values of the query.
fn in_address(address: &str) -> impl Iterator<Item = &str> {
    let (before, query) = address.split_once('?').unwrap_or((address, ""));
    let authority = before.split_once("://").map_or(before, |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let password = user.split_once(':').map_or(user, |(_, password)| password);
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
    std::iter::once(password).chain(values)
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn whatever_proves_who_we_are_is_masked_and_nothing_else() {
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer abc-token-1".to_owned())]);
        let url = "https://me:hunter22@mcp.example/path?key=query-secret&x=1".to_owned();
        let secrets = Secrets::of(&ServerEntry::Http { url, headers, trusted: None });
        let said = "abc-token-1 Bearer abc-token-1 hunter22 query-secret mcp.example/path";
        assert_eq!(secrets.mask(said), "[masked] [masked] [masked] [masked] mcp.example/path");
        let env = BTreeMap::from([
            ("TOKEN".to_owned(), "abc-token-1".to_owned()),
            ("URL".to_owned(), "https://git.example/api".to_owned()),
        ]);
        let secrets = Secrets::of(&ServerEntry::Stdio { command: "x".to_owned(), args: vec![], env });
        assert_eq!(
            secrets.mask("abc-token-1 at https://git.example/api"),
            "[masked] at https://git.example/api"
        );
    }
}
