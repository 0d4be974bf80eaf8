//! The programs by which a project looks for its own mistakes, as pipelines, hooks and scripts name them.

use crate::pattern::Pattern;

/// What is looked for. One program may take the place of another that looks for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Aim {
    Tests,
    Lints,
    Format,
    Types,
    Weaknesses,
    /// Whatever the project put together under a name of its own.
    All,
}

/// A program that a line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Check<'l> {
    pub(super) word: &'l [u8],
    pub(super) aim: Aim,
    /// The language it is for; empty for all of them.
    of: &'static str,
}

impl Check<'_> {
    /// Of the same aim for the same language.
    pub(super) fn is_like(&self, other: &Check<'_>) -> bool {
        self.aim == other.aim && self.of == other.of
    }

    /// Whether the other looks for the same, in the same language or in whatever there is.
    pub(super) fn is_replaced_by(&self, other: &Check<'_>) -> bool {
        let fits = self.of == other.of || self.of.is_empty() || other.of.is_empty();
        fits && (self.aim == other.aim || other.aim == Aim::All)
    }
}

struct Tools {
    aim: Aim,
    of: &'static str,
    pattern: Pattern,
}

const fn tools(aim: Aim, of: &'static str, pattern: &'static str) -> Tools {
    Tools { aim, of, pattern: Pattern::new(pattern) }
}

static TOOLS: [Tools; 27] = [
    tools(
        Aim::Tests,
        "rust",
        r"(?i)\b(?:cargo|cross) (?:\+\S+ )?(?:(?:hack|careful|miri) )?(?:test|nextest|llvm-cov|tarpaulin)\b",
    ),
    tools(Aim::Lints, "rust", r"(?i)\bcargo (?:\+\S+ )?(?:hack )?clippy\b"),
    tools(Aim::Format, "rust", r"(?i)\bcargo (?:\+\S+ )?fmt\b|\brustfmt\b"),
    tools(
        Aim::Weaknesses,
        "rust",
        r"(?i)\bcargo (?:\+\S+ )?(?:audit|deny|vet|semver-checks)\b|cargo-deny-action",
    ),
    tools(
        Aim::Tests,
        "script",
        r"(?i)\b(?:npm|pnpm|yarn|bun) (?:run )?test\b|\bnpm t\b|\b(?:jest|vitest|mocha|cypress run|playwright test|deno test)\b",
    ),
    tools(
        Aim::Lints,
        "script",
        r"(?i)\b(?:npm|pnpm|yarn|bun) (?:run )?lint\b|\b(?:eslint|stylelint|tslint|oxlint|biome (?:check|ci|lint)|deno lint)\b",
    ),
    tools(Aim::Format, "script", r"(?i)\bprettier\b.*(?:--check|-c\b|--list-different)"),
    tools(
        Aim::Types,
        "script",
        r"(?i)\b(?:npm|pnpm|yarn|bun) (?:run )?(?:typecheck|type-check)\b|\btsc\b.*--noEmit|\bdeno check\b",
    ),
    tools(Aim::Weaknesses, "script", r"(?i)\b(?:npm|pnpm|yarn|bun) (?:run )?audit\b"),
    tools(Aim::All, "script", r"(?i)\b(?:npm|pnpm|yarn|bun) (?:run )?check\b"),
    tools(Aim::Tests, "python", r"(?i)\bpytest\b|\bpython3? -m unittest\b|\bmanage\.py test\b"),
    tools(Aim::All, "python", r"(?i)\btox\b|\bnox\b"),
    tools(Aim::Format, "python", r"(?i)\bruff format\b|\b(?:black|isort|yapf)\b.*(?:--check|--diff|-c\b)"),
    tools(Aim::Lints, "python", r"(?i)\b(?:ruff|flake8|pylint)\b"),
    tools(Aim::Types, "python", r"(?i)\b(?:mypy|pyright|basedpyright)\b"),
    tools(Aim::Weaknesses, "python", r"(?i)\b(?:bandit|pip-audit|safety check)\b"),
    tools(Aim::Tests, "go", r"(?i)\bgo test\b|\bgotestsum\b|\bginkgo\b"),
    tools(Aim::Lints, "go", r"(?i)\bgo vet\b|\bgolangci-lint\b|\bstaticcheck\b"),
    tools(Aim::Weaknesses, "go", r"(?i)\b(?:gosec|govulncheck)\b"),
    tools(
        Aim::Tests,
        "java",
        r"(?i)\bmvnw?\b.*\b(?:test|verify)\b|\bgradlew?\b.*\b(?:\w*test|check)\b|\bsbt\b.*\btest\b",
    ),
    tools(Aim::Lints, "java", r"(?i)\b(?:detekt|ktlint|checkstyle|spotbugs)\b"),
    tools(
        Aim::Tests,
        "other",
        r"(?i)\b(?:dotnet test|phpunit|rspec|rails test|rake (?:test|spec)|bundle exec|swift test|ctest|bazel test|meson test|mix test|flutter test|bats)\b|\bxcodebuild\b.*\btest\b",
    ),
    tools(
        Aim::Lints,
        "other",
        r"(?i)\b(?:rubocop|phpstan|psalm|phpcs|swiftlint|shellcheck|hadolint|actionlint|clang-tidy|cppcheck)\b",
    ),
    tools(
        Aim::Weaknesses,
        "",
        r"(?i)\b(?:semgrep|codeql|gitleaks|trufflehog|detect-secrets|trivy|grype|snyk|osv-scanner|brakeman|bundler-audit)\b|dependency-review-action",
    ),
    tools(Aim::Tests, "", r"(?i)\b(?:make|just|task) tests?\b"),
    tools(Aim::Lints, "", r"(?i)\b(?:make|just|task) lint\b"),
    tools(Aim::All, "", r"(?i)\b(?:make|just|task) (?:check|ci|verify)\b|\bcountersign\b|\bpre-commit\b"),
];

/// What only says how a step is called.
static LABEL: Pattern = Pattern::new(r"(?i)^\s*-?\s*(?:name|key|description|label|displayName)\s*:");

/// A command that only gets a program.
static GETS: Pattern = Pattern::new(
    r"(?i)\b(?:pip3?|pipx|uv|poetry|conda|npm|pnpm|yarn|bun|gem|apt|apt-get|brew|go|cargo|rustup|composer|dotnet tool|choco) (?:pip )?(?:-\S+ )*(?:install|add|get|i|component add|global add|require)\b",
);

/// A command that only says something.
static SAYS: Pattern = Pattern::new(r#"(?i)^(?:[^#]*[\s"'@:(])?(?:echo|printf|Write-Host)\s"#);

/// The check that a line runs, if it runs one.
pub(super) fn check_in(line: &[u8]) -> Option<Check<'_>> {
    if LABEL.regex().is_match(line) {
        return None;
    }
    commands(line).find_map(|command| {
        let found = TOOLS.iter().find_map(|tools| {
            let found = tools.pattern.regex().find(command)?;
            Some((found.start(), Check { word: found.as_bytes(), aim: tools.aim, of: tools.of }))
        });
        let (start, check) = found?;
        let is_run = !GETS.regex().is_match(command) && !SAYS.regex().is_match(&command[..start]);
        is_run.then_some(check)
    })
}

/// The commands of a line, one behind the other.
fn commands(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr3_iter(b'&', b'|', b';', text)
            .find(|at| text[*at] == b';' || text.get(at + 1) == text.get(*at));
        rest = end.map(|end| text[end..].trim_ascii_start()).map(|behind| {
            let marks = behind.iter().take_while(|byte| b"&|;".contains(byte)).count();
            &behind[marks..]
        });
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Whether a line does no more than name things: a label, words for whoever reads the log, or what is to be had.
pub(super) fn only_names(line: &[u8]) -> bool {
    let mut said = commands(line).filter(|command| !command.trim_ascii().is_empty());
    LABEL.regex().is_match(line)
        || said.all(|command| SAYS.regex().is_match(command) || GETS.regex().is_match(command))
}

pub(super) fn runs_checks(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| check_in(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_how_it_is_run() {
        for (line, aim) in [
            ("- run: cargo +nightly hack test --lib", Aim::Tests),
            ("npx tsc --noEmit", Aim::Types),
            ("- run: npm t", Aim::Tests),
            ("  - black --check .", Aim::Format),
            ("uses: actions/dependency-review-action@v4", Aim::Weaknesses),
            ("run: ./gradlew assemble test", Aim::Tests),
            ("just ci", Aim::All),
            ("pip install tox && tox", Aim::All),
            ("- run: echo testing; pytest", Aim::Tests),
        ] {
            assert_eq!(check_in(line.as_bytes()).map(|check| check.aim), Some(aim), "{line}");
        }
        for line in [
            "- name: Run pytest",
            "pip install pytest mypy",
            "npx tsc",
            "cargo install cargo-nextest",
            "black .",
            "- run: echo \"pytest\"",
            "\t@echo cargo test",
        ] {
            assert_eq!(check_in(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_check_is_replaced_by_one_that_looks_for_the_same() {
        let replaced = |old: &str, new: &str| {
            let (Some(old), Some(new)) = (check_in(old.as_bytes()), check_in(new.as_bytes())) else {
                panic!("{old}, {new}")
            };
            old.is_replaced_by(&new)
        };
        assert!(replaced("flake8", "ruff check"));
        assert!(replaced("cargo test", "cargo hack test"));
        assert!(replaced("npm test", "just ci"));
        assert!(!replaced("cargo test", "cargo clippy"));
        assert!(!replaced("pytest", "go test ./..."));
    }
}
