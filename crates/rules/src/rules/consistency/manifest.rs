use domain::change::RepoPath;

use super::groups::Index;
use crate::pattern::Pattern;

/// A dependency that a manifest names, and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) line: u32,
}

/// The package index that a manifest draws from, by its file name.
pub(super) fn index_of(path: &RepoPath) -> Option<Index> {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    match name.as_str() {
        "cargo.toml" => Some(Index::Cargo),
        "package.json" => Some(Index::Npm),
        "pyproject.toml" | "pipfile" => Some(Index::Python),
        "go.mod" => Some(Index::Go),
        "pom.xml" | "build.gradle" | "build.gradle.kts" => Some(Index::Maven),
        name if name.starts_with("requirements") && (name.ends_with(".txt") || name.ends_with(".in")) => {
            Some(Index::Python)
        }
        _ => None,
    }
}

static TABLE: Pattern = Pattern::new(r"^\s*\[+([^\]]+)\]");
static KEY: Pattern = Pattern::new(r#"^\s*"?([A-Za-z0-9_.@/-]+?)"?(?:\.workspace)?\s*="#);
static JSON_KEY: Pattern = Pattern::new(r#"^\s*"([^"]+)"\s*:\s*(\{)?"#);
static REQUIREMENT: Pattern =
    Pattern::new(r#"^\s*["']?([A-Za-z0-9][A-Za-z0-9_.-]*)\s*(?:\[[^\]]*\])?\s*(?:[=<>~!;@,"']|$)"#);
static MODULE: Pattern = Pattern::new(r"^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/\S+|[a-z]+\.[a-z]+/\S+)\s+v");
static ARTIFACT: Pattern =
    Pattern::new(r#"<artifactId>\s*([^<\s]+)\s*</artifactId>|["'][\w.-]+:([\w.-]+)(?::[^"']*)?["']"#);

/// All dependencies of a manifest. Read line by line: what is half written shall be read as far as it goes.
pub(super) fn dependencies(path: &RepoPath, index: Index, text: &[u8]) -> Vec<Named> {
    let is_requirements = path.extension() != "toml" && index == Index::Python;
    let mut section = String::new();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = &line[..line.len().min(LONGEST_LINE)];
        let name = match index {
            Index::Cargo => in_cargo(line, &mut section),
            Index::Npm => in_package_json(line, &mut section),
            Index::Python if is_requirements => captured(&REQUIREMENT, line),
            Index::Python => in_pyproject(line, &mut section),
            Index::Go => captured(&MODULE, line).map(|name| without_version(&name)),
            Index::Maven => captured(&ARTIFACT, line),
        };
        found.extend(name.map(|name| Named { name: name.to_ascii_lowercase(), line: number }));
    }
    found
}

const LONGEST_LINE: usize = 2_000;

fn captured(pattern: &Pattern, line: &[u8]) -> Option<String> {
    let groups = pattern.regex().captures(line)?;
    let name = groups.iter().skip(1).flatten().next()?;
    Some(String::from_utf8_lossy(name.as_bytes()).into_owned())
}

fn in_cargo(line: &[u8], section: &mut String) -> Option<String> {
    if let Some(table) = captured(&TABLE, line) {
        let own = table.rsplit_once("dependencies.").map(|(_, name)| name.to_owned());
        *section = table;
        return own;
    }
    section.ends_with("dependencies").then(|| captured(&KEY, line)).flatten()
}

fn in_package_json(line: &[u8], section: &mut String) -> Option<String> {
    if line.trim_ascii().starts_with(b"}") {
        section.clear();
    }
    let groups = JSON_KEY.regex().captures(line)?;
    let name = String::from_utf8_lossy(groups.get(1)?.as_bytes()).into_owned();
    if groups.get(2).is_some() {
        *section = name;
        return None;
    }
    section.to_ascii_lowercase().ends_with("dependencies").then_some(name)
}

fn in_pyproject(line: &[u8], section: &mut String) -> Option<String> {
    if let Some(table) = captured(&TABLE, line).filter(|_| line.starts_with(b"[")) {
        *section = table;
        return None;
    }
    let trimmed = line.trim_ascii();
    let opens = ["dependencies", "dev", "test", "tests"];
    let key = captured(&KEY, line);
    if key.as_deref().is_some_and(|key| opens.contains(&key)) && trimmed.ends_with(b"[") {
        *section = "list".to_owned();
        return None;
    }
    if section == "list" {
        if trimmed.starts_with(b"]") {
            section.clear();
            return None;
        }
        return captured(&REQUIREMENT, line);
    }
    section.ends_with("dependencies").then_some(key).flatten().filter(|name| name != "python")
}

/// `github.com/labstack/echo` of `github.com/labstack/echo/v4`.
fn without_version(module: &str) -> String {
    match module.rsplit_once("/v") {
        Some((name, version)) if version.chars().all(|c| c.is_ascii_digit()) => name.to_owned(),
        _ => module.to_owned(),
    }
}
