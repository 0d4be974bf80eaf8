use std::collections::HashSet;

use domain::change::Status;

use crate::context::FileContext;
use crate::pattern::Pattern;

/// Files that are about running tests and little else.
static OWN: Pattern = Pattern::new(
    r"^(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|noxfile\.py|\.coveragerc|jest\.config\..*|vitest\.(?:config|workspace)\..*|playwright\.config\..*|cypress\.config\..*|karma\.conf\..*|\.mocharc.*|\.nycrc.*|nextest\.toml)$",
);
/// Files that are about much else besides.
static SHARED: Pattern = Pattern::new(r"^(?:pyproject\.toml|package\.json|Cargo\.toml|vite\.config\..*)$");

static LEAVES_OUT: Pattern = Pattern::new(
    r"(?i)ignore|skip|exclude|deselect|omit|collect_only|collectonly|collection_modifyitems|runtest|makereport|default-filter|test\s*=\s*false",
);
static NARROWS: Pattern = Pattern::new(
    r"(?i)--ignore|--deselect|--collect-only|norecursedirs|testpaths|python_(?:files|functions|classes)|collect_ignore|addopts|testPathIgnore|modulePathIgnore|testMatch|testRegex|testNamePattern|passWithNoTests|allowOnly|testDir\b|testIgnore|specPattern|autotests|^\s*(?:test|harness)\s*=\s*false",
);

/// Lines that a change adds to the settings of a test runner and that can leave tests out; or settings that are gone.
pub(super) fn changed(file: &FileContext<'_>) -> Vec<String> {
    let name = |path: &domain::change::RepoPath| -> Vec<u8> {
        path.to_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default().as_bytes().to_vec()
    };
    let old = file.change.old.as_ref().map(|side| &side.path);
    if let Some(old) = old.filter(|old| OWN.regex().is_match(&name(old)))
        && (file.change.status == Status::Deleted || old != file.change.path())
    {
        return vec![format!("{old}, which says how tests are run, is gone")];
    }
    let name = name(file.change.path());
    let is_own = OWN.regex().is_match(&name);
    if !is_own && !SHARED.regex().is_match(&name) {
        return Vec::new();
    }
    let before: HashSet<&[u8]> = file.change.removed().map(|(_, text)| text.trim_ascii()).collect();
    let leaves_out =
        |text: &[u8]| NARROWS.regex().is_match(text) || is_own && LEAVES_OUT.regex().is_match(text);
    let is_comment = |text: &[u8]| [&b"#"[..], b"//", b";"].iter().any(|mark| text.starts_with(mark));
    file.change
        .added()
        .map(|(number, text)| (number, text.trim_ascii()))
        .filter(|(_, text)| !before.contains(text) && !is_comment(text) && leaves_out(text))
        .map(|(number, _)| format!("{}:{number} can keep tests from being run", file.change.path()))
        .collect()
}
