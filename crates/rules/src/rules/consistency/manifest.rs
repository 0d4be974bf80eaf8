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
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name.as_str() {
        "cargo.toml" => Some(Index::Cargo),
        "package.json" => Some(Index::Npm),
        "pyproject.toml" | "pipfile" => Some(Index::Python),
        "go.mod" => Some(Index::Go),
        "pom.xml" | "build.gradle" | "build.gradle.kts" => Some(Index::Maven),
        "gemfile" | "gems.rb" => Some(Index::Ruby),
        "composer.json" => Some(Index::Php),
        "directory.packages.props" | "directory.build.props" | "packages.config" => Some(Index::NuGet),
        "package.swift" | "podfile" => Some(Index::Swift),
        _ if name.starts_with("requirements") && ends(&[".txt", ".in"]) => Some(Index::Python),
        _ if ends(&[".versions.toml", ".sbt"]) || name == "dependencies.scala" => Some(Index::Maven),
        _ if ends(&[".gemspec"]) => Some(Index::Ruby),
        _ if ends(&[".csproj", ".fsproj", ".vbproj"]) => Some(Index::NuGet),
        _ => None,
    }
}

static TABLE: Pattern = Pattern::new(r"^\s*\[+([^\]]+)\]");
static KEY: Pattern = Pattern::new(r#"^\s*"?([A-Za-z0-9_.@/-]+?)"?(?:\.workspace)?\s*="#);
static JSON_KEY: Pattern = Pattern::new(r#"^\s*"([^"]+)"\s*:\s*(\{)?"#);
static JSON_PAIR: Pattern = Pattern::new(r#""([^"]+)"\s*:\s*""#);
static REQUIREMENT: Pattern =
    Pattern::new(r#"^\s*["']?([A-Za-z0-9][A-Za-z0-9_.-]*)\s*(?:\[[^\]]*\])?\s*(?:[=<>~!;@,"']|$)"#);
static MODULE: Pattern = Pattern::new(r"^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/\S+|[a-z]+\.[a-z]+/\S+)\s+v");
static ARTIFACT: Pattern = Pattern::new(
    r#"<artifactId>\s*([^<\s]+)\s*</artifactId>|["'][\w.-]+:([\w.-]+)(?::[^"']*)?["']|\bgroup\s*[:=]\s*["'][^"']+["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["']"#,
);
/// `"org.typelevel" %% "cats-core" % "2.10.0"`
static SBT: Pattern = Pattern::new(r#"["'][\w.-]+["']\s*%{1,3}\s*["']([\w.-]+)["']\s*%"#);
static GEM: Pattern =
    Pattern::new(r#"^\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[\s(]+["']([\w.-]+)["']"#);
static PACKAGE: Pattern = Pattern::new(
    r#"<(?:PackageReference|PackageVersion|GlobalPackageReference)\s[^>]*\bInclude\s*=\s*"([\w.-]+)"|<package\s[^>]*\bid\s*=\s*"([\w.-]+)""#,
);
static SWIFT: Pattern =
    Pattern::new(r#"\burl:\s*"[^"\s]*/([\w.-]+?)(?:\.git)?/?"|^\s*pod\s+["']([\w./+-]+)["']"#);
static QUOTED: Pattern = Pattern::new(r#"["']([^"']*)["']"#);

/// All dependencies of a manifest. Read line by line: what is half written shall be read as far as it goes.
pub(super) fn dependencies(path: &RepoPath, index: Index, text: &[u8]) -> Vec<Named> {
    let is_toml = path.extension() == "toml";
    let mut place = Section::default();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = &line[..line.len().min(LONGEST_LINE)];
        if is_commented_out(line, index) {
            continue;
        }
        let names = match index {
            Index::Python if is_toml => in_pyproject(line, &mut place),
            Index::Npm => in_json(line, &mut place.name, |section| section.ends_with("dependencies")),
            Index::Php => {
                in_json(line, &mut place.name, |section| ["require", "require-dev"].contains(&section))
            }
            _ => Vec::from_iter(in_line(line, index, is_toml, &mut place)),
        };
        found.extend(names.into_iter().map(|name| Named { name: name.to_ascii_lowercase(), line: number }));
    }
    found
}

const LONGEST_LINE: usize = 2_000;

/// Where in a manifest a line stands.
#[derive(Default)]
struct Section {
    name: String,
    /// In a list that goes over several lines.
    in_list: bool,
}

fn in_line(line: &[u8], index: Index, is_toml: bool, place: &mut Section) -> Option<String> {
    match index {
        Index::Cargo => in_cargo(line, &mut place.name),
        // Read as lists are, which may stand on one line.
        Index::Npm | Index::Php => None,
        Index::Python => captured(&REQUIREMENT, line),
        Index::Go => captured(&MODULE, line).map(|name| without_version(&name)),
        Index::Maven if is_toml => in_catalogue(line, &mut place.name),
        Index::Maven => in_build(line, &mut place.name),
        Index::Ruby => captured(&GEM, line),
        Index::NuGet => captured(&PACKAGE, line),
        Index::Swift => captured(&SWIFT, line),
    }
}

/// What nobody asked for: a comment, and what Go lists because others need it.
fn is_commented_out(line: &[u8], index: Index) -> bool {
    let begun = line.trim_ascii_start();
    match index {
        Index::Cargo | Index::Python | Index::Ruby => begun.starts_with(b"#"),
        Index::Maven | Index::Swift => begun.starts_with(b"//") || begun.starts_with(b"#"),
        Index::Go => memchr::memmem::find(line, b"// indirect").is_some(),
        Index::NuGet => begun.starts_with(b"<!--"),
        Index::Npm | Index::Php => false,
    }
}

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

/// The keys of an object that lists dependencies, as package.json and composer.json have them.
fn in_json(line: &[u8], section: &mut String, lists: impl Fn(&str) -> bool) -> Vec<String> {
    if line.trim_ascii().starts_with(b"}") {
        section.clear();
    }
    let Some(groups) = JSON_KEY.regex().captures(line) else { return Vec::new() };
    let name = |found: &[u8]| String::from_utf8_lossy(found).into_owned();
    let Some(open) = groups.get(2) else {
        return if lists(section) { vec![name(&groups[1])] } else { Vec::new() };
    };
    *section = name(&groups[1]).to_ascii_lowercase();
    // All of it may stand on one line.
    let rest = &line[open.end()..];
    let Some(end) = memchr::memchr(b'}', rest) else { return Vec::new() };
    let is_listed = lists(section);
    section.clear();
    let inside = JSON_PAIR.regex().captures_iter(&rest[..end]).map(|groups| name(&groups[1]));
    inside.filter(|_| is_listed).collect()
}

/// The libraries of a version catalogue. What a library is called there is its author's choice.
fn in_catalogue(line: &[u8], section: &mut String) -> Option<String> {
    if let Some(table) = captured(&TABLE, line).filter(|_| line.starts_with(b"[")) {
        *section = table;
        return None;
    }
    (section == "libraries").then(|| captured(&ARTIFACT, line)).flatten()
}

/// A build of Maven, Gradle or sbt. What is excluded is not used.
fn in_build(line: &[u8], section: &mut String) -> Option<String> {
    let has = |sign: &[u8]| memchr::memmem::find(line, sign).is_some();
    if has(b"</exclusions>") {
        section.clear();
        return None;
    }
    if has(b"<exclusions>") {
        *section = "exclusions".to_owned();
    }
    let used = section != "exclusions" && !has(b"exclude");
    used.then(|| captured(&SBT, line).or_else(|| captured(&ARTIFACT, line))).flatten()
}

fn in_pyproject(line: &[u8], place: &mut Section) -> Vec<String> {
    if let Some(table) = captured(&TABLE, line).filter(|_| line.starts_with(b"[")) {
        *place = Section { name: table, in_list: false };
        return Vec::new();
    }
    let trimmed = line.trim_ascii();
    if place.in_list {
        place.in_list = !trimmed.starts_with(b"]");
        return if place.in_list { Vec::from_iter(captured(&REQUIREMENT, line)) } else { Vec::new() };
    }
    let Some(key) = captured(&KEY, line) else { return Vec::new() };
    let lists = place.name == "dependency-groups" || place.name.ends_with("optional-dependencies");
    let value = memchr::memchr(b'=', line).map(|at| line[at + 1..].trim_ascii()).unwrap_or_default();
    if (lists || key == "dependencies" || key == "dev-dependencies") && value.starts_with(b"[") {
        place.in_list = !value.contains(&b']');
        let requirements = QUOTED.regex().captures_iter(value);
        return requirements.filter_map(|groups| captured(&REQUIREMENT, groups.get(1)?.as_bytes())).collect();
    }
    let is_one = place.name.ends_with("dependencies") && !lists && key != "python";
    Vec::from_iter(is_one.then_some(key))
}

/// `github.com/labstack/echo` of `github.com/labstack/echo/v4`.
fn without_version(module: &str) -> String {
    match module.rsplit_once("/v") {
        Some((name, version)) if version.chars().all(|c| c.is_ascii_digit()) => name.to_owned(),
        _ => module.to_owned(),
    }
}
