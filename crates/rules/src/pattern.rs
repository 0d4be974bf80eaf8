use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// A regular expression that costs nothing until it is first needed. Bytes and ASCII only: `\w` and `\s`
/// know no Unicode, which keeps compiling cheap and hostile bytes harmless.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: &'static str,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        Pattern { source, compiled: OnceLock::new() }
    }

    pub(crate) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compile(self.source))
    }
}

#[expect(clippy::expect_used, reason = "every pattern is a constant, and the rules' tests use each of them")]
fn compile(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("a constant pattern compiles")
}
