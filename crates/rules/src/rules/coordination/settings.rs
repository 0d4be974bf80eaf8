//! Settings of test runners, linters and coverage: what they no longer ask for passes every check.

use std::collections::HashMap;

use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;

static NAMES: Pattern = Pattern::new(
    r"(?i)^(?:pytest\.ini|tox\.ini|\.coveragerc|(?:jest|vitest|karma|eslint|playwright)\.conf(?:ig)?\.\w+|\.mocharc(?:\.\w+)?|\.nycrc(?:\.\w+)?|\.eslintrc(?:\.\w+)?|\.flake8|\.?ruff\.toml|mypy\.ini|\.?pylintrc|\.golangci\.ya?ml|clippy\.toml|\.rubocop\.yml|phpstan\.neon(?:\.dist)?|phpunit\.xml(?:\.dist)?|psalm\.xml|detekt\.yml|\.swiftlint\.yml|\.?codecov\.ya?ml|sonar-project\.properties|biome\.jsonc?|tsconfig\.json|nextest\.toml)$",
);

/// A line that leaves something out, or switches it off.
static LESS: Pattern = Pattern::new(
    r#"(?i)--(?:ignore|deselect)\b|\bcollect_ignore|testPathIgnorePatterns|passWithNoTests\W+true|:\s*\[?\s*["']?off["']?|["'][\w/@-]+["']\s*:\s*0\s*,?\s*$|"(?:strict\w*|noImplicit\w+)"\s*:\s*false|\benabled\s*[:=]\s*false|^\s*(?:extend-)?(?:ignore|exclude|disable)\s*[:=]|\bignore_errors\s*=\s*true|<exclude\b|default-filter\s*="#,
);

/// How much has to be covered.
static THRESHOLD: Pattern = Pattern::new(
    r"(?i)\b(fail[-_]under|lines|branches|functions|statements|minimum\w*|threshold|target|coverage)\W{1,5}(\d+(?:\.\d+)?)",
);

pub(super) fn is_settings(name: &[u8]) -> bool {
    NAMES.regex().is_match(name)
}

/// The first line by which the settings ask for less than before.
pub(super) fn less<'a>(file: &FileContext<'a>) -> Option<AddedLine<'a>> {
    // A new file has no standard to fall below.
    file.change.old.as_ref()?;
    let mut before: HashMap<Vec<u8>, f64> = HashMap::new();
    for (_, line) in file.change.removed() {
        before.extend(thresholds(line));
    }
    let was: Vec<&[u8]> = file.change.removed().map(|(_, line)| line).filter(|line| is_less(line)).collect();
    let mut excused = was.len();
    file.added().find(|line| {
        if thresholds(line.text).any(|(key, now)| before.get(&key).is_some_and(|before| now < *before)) {
            return true;
        }
        let leaves_out = is_less(line.text);
        // One that was there already is only written otherwise.
        let is_new = leaves_out && excused == 0;
        excused = excused.saturating_sub(usize::from(leaves_out));
        is_new
    })
}

fn is_less(line: &[u8]) -> bool {
    let code = line.trim_ascii();
    let is_comment = [&b"#"[..], b"//", b";"].iter().any(|mark| code.starts_with(mark));
    !is_comment && LESS.regex().is_match(code)
}

fn thresholds(line: &[u8]) -> impl Iterator<Item = (Vec<u8>, f64)> {
    THRESHOLD.regex().captures_iter(line).filter_map(|groups| {
        let number = std::str::from_utf8(&groups[2]).ok()?.parse().ok()?;
        Some((groups[1].to_ascii_lowercase(), number))
    })
}
