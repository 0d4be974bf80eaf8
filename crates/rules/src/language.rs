use std::ops::Range;

use domain::change::RepoPath;

use crate::brackets::first_before;
use crate::source::Source;

/// What a file is written in, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Go,
    Java,
    Kotlin,
    CSharp,
    C,
    Cpp,
    Swift,
    Scala,
    Dart,
    Php,
    Ruby,
    Elixir,
    Lua,
    Perl,
    Haskell,
    Shell,
    PowerShell,
    Sql,
    Html,
    Css,
    /// YAML, TOML, INI, `.env`, Dockerfile, Makefile: `#` comments and values.
    Settings,
    Json,
    /// Markdown, reStructuredText, plain text: written for people.
    Prose,
    Unknown,
}

impl Language {
    pub fn of(path: &RepoPath) -> Language {
        let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
        let by_name = match name.as_str() {
            "dockerfile" | "makefile" | "justfile" | ".gitattributes" | ".gitignore" | ".env" => {
                Some(Language::Settings)
            }
            "rakefile" | "gemfile" => Some(Language::Ruby),
            "readme" | "license" | "changelog" | "contributing" => Some(Language::Prose),
            _ if name.starts_with(".env.") => Some(Language::Settings),
            _ => None,
        };
        by_name.unwrap_or_else(|| Language::by_ending(&path.extension()))
    }

    /// By the `#!` line of a script.
    pub(crate) fn of_interpreter(line: &[u8]) -> Language {
        let line = String::from_utf8_lossy(&line[..line.len().min(200)]);
        let Some(command) = line.strip_prefix("#!") else { return Language::Unknown };
        let mut words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
        match program.unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => Language::Shell,
            "python" | "pypy" => Language::Python,
            "node" | "nodejs" | "bun" | "deno" => Language::JavaScript,
            "ts-node" | "tsx" => Language::TypeScript,
            "ruby" => Language::Ruby,
            "perl" => Language::Perl,
            "php" => Language::Php,
            "lua" => Language::Lua,
            "pwsh" => Language::PowerShell,
            _ => Language::Unknown,
        }
    }

    fn by_ending(ending: &str) -> Language {
        match ending {
            "rs" => Language::Rust,
            "py" | "pyi" | "pyw" => Language::Python,
            "js" | "jsx" | "mjs" | "cjs" | "vue" | "svelte" => Language::JavaScript,
            "ts" | "tsx" | "mts" | "cts" => Language::TypeScript,
            "go" => Language::Go,
            "java" => Language::Java,
            "kt" | "kts" => Language::Kotlin,
            "cs" => Language::CSharp,
            "c" | "h" | "m" => Language::C,
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "mm" => Language::Cpp,
            "swift" => Language::Swift,
            "scala" | "sc" | "groovy" | "gradle" => Language::Scala,
            "dart" => Language::Dart,
            "php" => Language::Php,
            "rb" | "rake" | "gemspec" => Language::Ruby,
            "ex" | "exs" => Language::Elixir,
            "lua" => Language::Lua,
            "pl" | "pm" => Language::Perl,
            "hs" | "elm" => Language::Haskell,
            "sh" | "bash" | "zsh" => Language::Shell,
            "ps1" | "psm1" => Language::PowerShell,
            "sql" => Language::Sql,
            "html" | "htm" | "xml" | "svg" | "xhtml" => Language::Html,
            "css" | "scss" | "less" => Language::Css,
            "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "env" | "properties" | "tf" => {
                Language::Settings
            }
            "json" | "json5" | "jsonc" => Language::Json,
            "md" | "markdown" | "rst" | "txt" | "adoc" | "tex" | "org" => Language::Prose,
            _ => Language::Unknown,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::JavaScript => "JavaScript",
            Language::TypeScript => "TypeScript",
            Language::Go => "Go",
            Language::Java => "Java",
            Language::Kotlin => "Kotlin",
            Language::CSharp => "C#",
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Swift => "Swift",
            Language::Scala => "Scala",
            Language::Dart => "Dart",
            Language::Php => "PHP",
            Language::Ruby => "Ruby",
            Language::Elixir => "Elixir",
            Language::Lua => "Lua",
            Language::Perl => "Perl",
            Language::Haskell => "Haskell",
            Language::Shell => "Shell",
            Language::PowerShell => "PowerShell",
            Language::Sql => "SQL",
            Language::Html => "HTML",
            Language::Css => "CSS",
            Language::Settings => "configuration",
            Language::Json => "JSON",
            Language::Prose => "prose",
            Language::Unknown => "unknown",
        }
    }

    /// Whether a project is expected to test what is written in it.
    pub fn is_program(self) -> bool {
        self <= Language::Haskell
    }

    /// Whether people write it with comments that hide nothing from a reader: code, queries, markup, settings.
    pub fn has_comments(self) -> bool {
        !matches!(self, Language::Json | Language::Prose | Language::Unknown)
    }
}

/// Whether a file holds tests, or what tests read, by its name or a folder above it.
pub(crate) fn is_test_path(path: &RepoPath) -> bool {
    const FOLDERS: [&str; 26] = [
        "testutil",
        "testutils",
        "test_util",
        "test_utils",
        "test-util",
        "test-utils",
        "testsupport",
        "test_support",
        "test-support",
        "testhelpers",
        "test_helpers",
        "test-helpers",
        "test",
        "tests",
        "__tests__",
        "__mocks__",
        "spec",
        "specs",
        "testing",
        "testdata",
        "test_data",
        "fixtures",
        "__fixtures__",
        "e2e",
        "cypress",
        "testkit",
    ];
    let in_folder = path.folders().any(|folder| {
        let folder = String::from_utf8_lossy(folder).to_ascii_lowercase();
        FOLDERS.contains(&folder.as_str()) || folder.ends_with("tests") || folder.ends_with("-test")
    });
    in_folder || is_test_name(&String::from_utf8_lossy(path.file_name()))
}

fn is_test_name(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let lower = name.to_ascii_lowercase();
    let lower_stem = stem.to_ascii_lowercase();
    lower.contains(".test.")
        || lower.contains(".spec.")
        || lower.contains(".cy.")
        || lower_stem.starts_with("test_")
        || lower_stem.ends_with("_test")
        || lower_stem.ends_with("_tests")
        || lower_stem.ends_with("_spec")
        || ["test", "tests", "conftest"].contains(&lower_stem.as_str())
        || ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|ending| stem.ends_with(ending))
}

/// The blocks behind `#[cfg(test)]`, and functions marked as tests.
pub(crate) fn rust_test_regions(source: &Source) -> Vec<Range<usize>> {
    let code = source.code();
    let mut regions: Vec<Range<usize>> = Vec::new();
    for marker in [&b"cfg(test)"[..], b"#[test]", b"::test]", b"#[bench]"] {
        for at in memchr::memmem::find_iter(code, marker) {
            let block = first_before(code, at, b'{', b";").and_then(|open| source.brackets().from(open));
            // All of the attribute's line belongs to it, so that a line can be asked for by its start.
            let line = source.start_of(source.line_of(at));
            let start = if code[line..at].trim_ascii() == b"#[" { line } else { at };
            regions.extend(block.map(|block| start..block.end));
        }
    }
    merged(regions)
}

/// Sorted and without overlaps, so that they can be searched.
fn merged(mut regions: Vec<Range<usize>>) -> Vec<Range<usize>> {
    regions.sort_unstable_by_key(|region| region.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for region in regions {
        match merged.last_mut() {
            Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
            _ => merged.push(region),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_language() {
        let cases = [
            ("src/a.rs", Language::Rust),
            ("a/B.TSX", Language::TypeScript),
            ("Dockerfile", Language::Settings),
            (".env.production", Language::Settings),
            ("README", Language::Prose),
            ("LICENSE.md", Language::Prose),
            ("a", Language::Unknown),
        ];
        for (path, language) in cases {
            assert_eq!(Language::of(&path.into()), language, "{path}");
        }
        assert!(Language::Haskell.is_program() && !Language::Shell.is_program());
    }

    #[test]
    fn the_first_line_tells_the_language_of_a_script() {
        let cases = [
            ("#!/bin/sh", Language::Shell),
            ("#!/usr/bin/env -S python3.12 -u", Language::Python),
            ("#! /usr/bin/env A=1 node", Language::JavaScript),
            ("#!", Language::Unknown),
            ("python", Language::Unknown),
        ];
        for (line, language) in cases {
            assert_eq!(Language::of_interpreter(line.as_bytes()), language, "{line}");
        }
    }

    #[test]
    fn the_path_tells_tests_from_the_rest() {
        for test in [
            "tests/a.rs",
            "src/tests.rs",
            "pkg/a_test.go",
            "web/a.spec.ts",
            "src/__tests__/a.js",
            "test_a.py",
            "conftest.py",
            "src/AppTest.java",
            "Api.Tests/Login.cs",
            "spec/a_spec.rb",
        ] {
            assert!(is_test_path(&test.into()), "{test}");
        }
        for other in
            ["src/latest.rs", "src/contest.py", "attestation/a.go", "src/testimony.ts", "Manifest.kt"]
        {
            assert!(!is_test_path(&other.into()), "{other}");
        }
    }
}
