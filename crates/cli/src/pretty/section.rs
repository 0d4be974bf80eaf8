use serde_json::Value;

use super::safe;

/// A heading and what stands below it; nothing at all where there is nothing to stand there.
pub(crate) fn section<'a>(heading: &str, lines: impl Iterator<Item = &'a str>, page: &mut String) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        page.push_str(&format!("\n{heading}\n"));
        lines.for_each(|line| *page += &format!("{}\n", format!("  {}", safe(line)).trim_end()));
    }
}

/// Short enough for a line; `--format json` has all of it.
pub(crate) fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    domain::text::short_line(&text)
}
