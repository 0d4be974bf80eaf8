/// Values that must not appear in anything we say.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

/// Shorter ones would mask every other word.
const SHORTEST: usize = 6;

impl Secrets {
    pub(super) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut values: Vec<String> = values
            .into_iter()
            .flat_map(|value| [value, value.trim_start_matches("Bearer ").trim_start_matches("Basic ")])
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

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}
