use std::fmt;

/// Which git this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl Version {
    /// Before this, configuration cannot be handed over in a way that holds for every key.
    pub const OLDEST: Version = Version { major: 2, minor: 31, patch: 0 };

    /// Since then `--attr-source` keeps a change's own attributes out.
    pub const READS_ATTRIBUTES_FROM_THE_BASE: Version = Version { major: 2, minor: 41, patch: 0 };

    /// From what `git version` prints: `git version 2.39.5 (Apple Git-154)`.
    pub(crate) fn parse(printed: &[u8]) -> Option<Version> {
        let text = std::str::from_utf8(printed).ok()?;
        let number = text.strip_prefix("git version ")?.split_whitespace().next()?;
        let mut parts = number.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().and_then(|p| p.parse().ok()).unwrap_or(0);
        Some(Version { major, minor, patch })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_vendors_print() {
        for (printed, version) in [
            ("git version 2.47.3\n", "2.47.3"),
            ("git version 2.39.5 (Apple Git-154)\n", "2.39.5"),
            ("git version 2.45.1.windows.1\n", "2.45.1"),
            ("git version 2.50.0-rc1\n", "2.50.0"),
        ] {
            assert_eq!(Version::parse(printed.as_bytes()).unwrap().to_string(), version);
        }
        assert_eq!(Version::parse(b"hg 6"), None);
    }
}
