use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::is_invisible;

/// A path inside the repository: any bytes git allows, slash-separated, relative to the root.
///
/// As text it looks like git prints it: unchanged where that is harmless, C-quoted (`"a\tb"`) where it
/// holds control characters, quotes, backslashes or bytes that are not UTF-8. The quoted form reads back,
/// so nothing is lost, and a file name can never smuggle a terminal escape into a report.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Box<[u8]>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path git would print")]
pub struct BadPath(String);

impl RepoPath {
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        RepoPath(bytes.into().into_boxed_slice())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn to_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|b| *b == b'/').next().unwrap_or(&self.0)
    }

    /// What follows the last dot of the file name, lower-cased; empty for `Makefile` and `.gitignore`.
    pub fn extension(&self) -> String {
        let name = self.file_name();
        match name.iter().rposition(|b| *b == b'.') {
            Some(dot) if dot > 0 => String::from_utf8_lossy(&name[dot + 1..]).to_ascii_lowercase(),
            _ => String::new(),
        }
    }

    /// The folders above the file, outermost first.
    pub fn folders(&self) -> impl Iterator<Item = &[u8]> {
        let parents = match self.0.iter().rposition(|b| *b == b'/') {
            Some(end) => &self.0[..end],
            None => &[][..],
        };
        parents.split(|b| *b == b'/').filter(|part| !part.is_empty())
    }

    /// As a relative URI reference: every byte outside the unreserved set is percent-encoded.
    pub fn to_uri(&self) -> String {
        let mut uri = String::with_capacity(self.0.len());
        for &byte in &self.0 {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                uri.push(byte as char);
            } else {
                uri.push_str(&format!("%{byte:02X}"));
            }
        }
        uri
    }

    fn needs_quotes(text: &str) -> bool {
        text.chars().any(|c| c.is_control() || c == '"' || c == '\\' || is_invisible(c))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_str() {
            Some(text) if !RepoPath::needs_quotes(text) => f.pad(text),
            _ => f.pad(&quote(&self.0)),
        }
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({self})")
    }
}

fn quote(bytes: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => quoted.push_str("\\\""),
            b'\\' => quoted.push_str("\\\\"),
            b'\n' => quoted.push_str("\\n"),
            b'\t' => quoted.push_str("\\t"),
            b'\r' => quoted.push_str("\\r"),
            0x20..=0x7e => quoted.push(byte as char),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

fn unquote(quoted: &str) -> Option<Vec<u8>> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            escaped @ (b'"' | b'\\') => escaped,
            high @ b'0'..=b'3' => {
                let digit = |b: u8| (b'0'..=b'7').contains(&b).then(|| b - b'0');
                (high - b'0') * 64 + digit(rest.next()?)? * 8 + digit(rest.next()?)?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

impl TryFrom<String> for RepoPath {
    type Error = BadPath;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if !text.starts_with('"') {
            return Ok(RepoPath::from_bytes(text));
        }
        unquote(&text).map(RepoPath::from_bytes).ok_or(BadPath(text))
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        RepoPath::from_bytes(text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

impl JsonSchema for RepoPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RepoPath".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn looks_like_git_prints_it() {
        let cases: [(&[u8], &str); 5] = [
            (b"src/main.rs", "src/main.rs"),
            ("caf\u{e9}/a b.txt".as_bytes(), "caf\u{e9}/a b.txt"),
            (b"caf\xe9.txt", r#""caf\351.txt""#),
            (b"a\x1b[31m.txt", r#""a\033[31m.txt""#),
            (b"say \"hi\"\n", r#""say \"hi\"\n""#),
        ];
        for (bytes, shown) in cases {
            assert_eq!(RepoPath::from_bytes(bytes).to_string(), shown);
        }
    }

    #[test]
    fn knows_its_parts() {
        let path = RepoPath::from("src/api/Auth.TS");
        assert_eq!((path.file_name(), path.extension().as_str()), (&b"Auth.TS"[..], "ts"));
        assert_eq!(path.folders().collect::<Vec<_>>(), [b"src", b"api"]);
        assert_eq!(RepoPath::from(".gitignore").extension(), "");
    }

    #[test]
    fn encodes_for_uris() {
        assert_eq!(RepoPath::from_bytes(&b"a b/\xe9#?.rs"[..]).to_uri(), "a%20b/%E9%23%3F.rs");
    }

    proptest! {
        #[test]
        fn text_form_reads_back(bytes in proptest::collection::vec(1u8.., 1..40)) {
            let path = RepoPath::from_bytes(bytes);
            prop_assert_eq!(RepoPath::try_from(path.to_string()), Ok(path));
        }

        #[test]
        fn reading_never_panics(text in ".*") {
            let _ = RepoPath::try_from(text);
        }
    }
}
