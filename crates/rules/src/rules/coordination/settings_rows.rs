//! Which lines of which settings ask for less.

use crate::pattern::Pattern;

/// How settings with certain names may ask for less.
pub(super) struct Row {
    pub(super) names: Option<&'static Pattern>,
    /// A line that leaves something out, or switches it off.
    pub(super) added: Option<&'static Pattern>,
    /// Of those, what nobody minds.
    pub(super) usual: Option<&'static Pattern>,
    /// Of those, what switches all checks off.
    pub(super) severe: Option<&'static Pattern>,
    /// The block that they have to stand in.
    pub(super) inside: Option<&'static Pattern>,
    /// Lines of which there must not be fewer.
    pub(super) fewer: Option<&'static Pattern>,
    /// A line without which less is asked for; the first group says what.
    pub(super) removed: Option<&'static Pattern>,
    /// Something in the new file that stands for all that could have been removed.
    pub(super) unless: Option<&'static Pattern>,
    /// A key and a number, or a level, that must not fall.
    pub(super) lowered: Option<&'static Pattern>,
    /// The same for one that must not rise.
    pub(super) raised: Option<&'static Pattern>,
}

const NOTHING: Row = Row {
    names: None,
    added: None,
    usual: None,
    severe: None,
    inside: None,
    fewer: None,
    removed: None,
    unless: None,
    lowered: None,
    raised: None,
};

macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: Pattern = Pattern::new($text);
        Some(&PATTERN)
    }};
}

pub(super) static ROWS: [Row; 32] = [
    Row {
        added: pattern!(
            r#"(?i)--(?:ignore|deselect)\b|\bcollect_ignore|testPathIgnorePatterns|passWithNoTests\W+true|:\s*\[?\s*["']?off["']?|["'][\w/@-]+["']\s*:\s*0\s*,?\s*$|"(?:strict\w*|noImplicit\w+)"\s*:\s*false|\benabled\s*[:=]\s*false|^\s*(?:extend-)?(?:ignore|exclude|disable)\s*[:=]|\bignore_(?:errors|outcome)\s*=\s*true|<exclude\b|default-filter\s*=|\binformational\s*:\s*true|\bignoreErrors\s*:"#
        ),
        lowered: pattern!(
            r"(?i)\b(fail[-_]under|lines|branches|functions|statements|minimum\w*|threshold|target|coverage)\W{1,5}(\d+(?:\.\d+)?)"
        ),
        names: pattern!(
            r"(?i)^(?:pytest\.ini|tox\.ini|\.coveragerc|(?:jest|vitest|karma|eslint|playwright)\.conf(?:ig)?\.\w+|\.mocharc(?:\.\w+)?|\.nycrc(?:\.\w+)?|\.eslintrc(?:\.\w+)?|\.flake8|\.?ruff\.toml|mypy\.ini|\.?pylintrc|\.golangci\.ya?ml|\.rubocop\.yml|phpstan\.neon(?:\.dist)?|phpunit\.xml(?:\.dist)?|psalm\.xml|detekt\.yml|\.swiftlint\.yml|\.?codecov\.ya?ml|sonar-project\.properties|biome\.jsonc?|tsconfig\.json|nextest\.toml)$"
        ),
        ..NOTHING
    },
    Row {
        // The limit itself, not where it is put.
        removed: pattern!(r"(?i)\b(lines|branches|functions|statements|fail_under)\W{1,5}\d+"),
        names: pattern!(r"(?i)^(?:\.coveragerc|(?:jest|vitest|karma)\.conf(?:ig)?\.\w+|\.nycrc(?:\.\w+)?)$"),
        ..NOTHING
    },
    Row {
        lowered: pattern!(r#""(lines|branches|functions|statements)"\s*:\s*(\d+(?:\.\d+)?)"#),
        removed: pattern!(r#""(lines|branches|functions|statements)"\s*:\s*\d+"#),
        names: pattern!(r"^package\.json$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(
            r#""(noUnchecked\w+|noFallthrough\w+|noUnused\w+|noPropertyAccess\w+|exactOptionalPropertyTypes|allowUnreachableCode)"\s*:\s*true"#
        ),
        names: pattern!(r"^tsconfig(?:\.\w+)*\.json$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(r#""(strict\w*|noImplicit\w+|alwaysStrict)"\s*:\s*true"#),
        unless: pattern!(r#""strict"\s*:\s*true|"extends"\s*:"#),
        names: pattern!(r"^tsconfig(?:\.\w+)*\.json$"),
        ..NOTHING
    },
    Row {
        lowered: pattern!(r#"["']?([@\w/-]+)["']?\s*:\s*\[?\s*["']?(error|warn|off|[012])\b"#),
        removed: pattern!(r#"["'](plugin:[@\w/-]+|eslint:\w+)["']"#),
        names: pattern!(r"^(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|biome\.jsonc?|\.oxlintrc\.json)$"),
        ..NOTHING
    },
    Row {
        lowered: pattern!(r#"^\s*([\w-]+)\s*=\s*"(deny|warn|allow)""#),
        added: pattern!(r#"RUSTSEC-\d+-\d+|"(?:A?GPL|SSPL|BUSL)[\w.+-]*""#),
        usual: pattern!(r"^\s*deny\s*="),
        names: pattern!(r"^\.?deny\.toml$"),
        ..NOTHING
    },
    Row {
        raised: pattern!(r"^\s*([\w-]*(?:threshold|max-|-size|-limit)[\w-]*)\s*=\s*(\d+)"),
        removed: pattern!(r#"["'](\w+(?:::\w+)+)["']"#),
        names: pattern!(r"^\.?clippy\.toml$"),
        ..NOTHING
    },
    Row {
        lowered: pattern!(r"^\s*(level)\s*:\s*(\d+)"),
        names: pattern!(r"^phpstan\.neon(?:\.dist)?$"),
        ..NOTHING
    },
    Row {
        lowered: pattern!(r"(dotnet_\w+(?:\.\w+)*\.severity)\s*=\s*(\w+)"),
        names: pattern!(r"^\.(?:editorconfig|globalconfig)$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(r"(?i)<(TreatWarningsAsErrors|EnforceCodeStyleInBuild)>\s*true"),
        names: pattern!(r"^(?:Directory\.Build\.(?:props|targets)|\S+\.csproj)$"),
        ..NOTHING
    },
    Row {
        added: pattern!(
            r"<(?:skipTests|skipITs|maven\.test\.skip|testFailureIgnore)>\s*true|<failOn\w+>\s*false"
        ),
        severe: pattern!(r"<(?:skipTests|maven\.test\.skip|testFailureIgnore)>\s*true"),
        lowered: pattern!(r"<(minimum)>\s*(\d+(?:\.\d+)?)"),
        names: pattern!(r"^pom\.xml$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r"\b(?:isIgnoreFailures|ignoreFailures)\s*=?\s*\(?\s*true"),
        names: pattern!(r"^(?:build\.gradle(?:\.kts)?|\S+\.gradle(?:\.kts)?)$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(r"[\s(](-Werror|/WX)\b"),
        names: pattern!(r"^(?:CMakeLists\.txt|meson\.build|configure\.ac|(?:GNU)?[Mm]akefile)$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r"^sonar\.(?:\w+\.)*exclusions\s*="),
        usual: pattern!(
            r"(?i)=\s*(?:\*\*/)?\S*(?:test|spec|generated|vendor|node_modules|dist|migrations)\S*\s*$"
        ),
        names: pattern!(r"^sonar-project\.properties$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r"\S"),
        names: pattern!(r"^\.(?:gitleaksignore|trivyignore|semgrepignore)$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(r"^\s*#!\[(?:deny|forbid)\(\s*([\w:]+)"),
        unless: pattern!(r"#!\[(?:deny|forbid)\((?:warnings|clippy::all)"),
        names: pattern!(r"^(?:lib|main)\.rs$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r#"<excludedGroups>\s*\w|<exclude>\s*(?:\*\*/)?(?:\w+/)*(?:[A-Z]\w*|\w*Test\w*)\*?"#),
        usual: pattern!(r"(?i)IT\b|Integration|Abstract|generated|\.class|\$|META-INF|logback|properties"),
        names: pattern!(r"^pom\.xml$"),
        ..NOTHING
    },
    Row {
        added: pattern!(
            r#"\benabled\s*=\s*false|\bexclude\b\s*\(?\s*["']|\bonlyIf\s*\{\s*false|\bexcludeTags\b"#
        ),
        usual: pattern!(r"(?i)integration|generated"),
        inside: pattern!(
            r#"^\s*(?:tasks\.)?(?:test\b|named(?:<Test>)?\(["']test["']|withType[<(]Test[>)])|useJUnitPlatform"#
        ),
        names: pattern!(r"^\S+\.gradle(?:\.kts)?$"),
        ..NOTHING
    },
    Row {
        fewer: pattern!(r"\buse(?:JUnitPlatform|JUnit|TestNG)\b"),
        unless: pattern!(r"\buse(?:JUnitPlatform|JUnit|TestNG)\b|\btesting\s*\{"),
        names: pattern!(r"^\S+\.gradle(?:\.kts)?$"),
        ..NOTHING
    },
    Row {
        fewer: pattern!(r"^\s*add_test\s*\("),
        unless: pattern!(r"(?:gtest|catch|doctest)_discover_tests|\bforeach\s*\("),
        added: pattern!(r"\b(?:WILL_FAIL|DISABLED)\s+(?:TRUE|ON|1|YES)\b"),
        names: pattern!(r"^CMakeLists\.txt$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r"^disable-all\s*:\s*true|^issues-exit-code\s*:\s*0\b|^default\s*:\s*none\b"),
        names: pattern!(r"^\.golangci\.ya?ml$"),
        ..NOTHING
    },
    Row { raised: pattern!(r"^\s*(Max)\s*:\s*(\d+)"), names: pattern!(r"^\.rubocop\.yml$"), ..NOTHING },
    Row {
        added: pattern!(r"(?i)<NoWarn>[^<]*(?:CS|CA|IDE|SA|S)\d+|<TreatWarningsAsErrors>\s*false"),
        usual: pattern!(
            r"(?i)<NoWarn>(?:\$\(NoWarn\);?|[\s;,]|(?:CS)?1591|(?:CS)?1701|(?:CS)?1702|(?:CS)?1573)*</NoWarn>"
        ),
        names: pattern!(r"^(?:Directory\.Build\.(?:props|targets)|\S+\.csproj)$"),
        ..NOTHING
    },
    Row {
        removed: pattern!(r#"\b((?:failOn|beStrict)\w+)="true""#),
        names: pattern!(r"^phpunit\.xml(?:\.dist)?$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r#"testPathIgnorePatterns"?\s*:\s*\[?|"passWithNoTests"\s*:\s*true"#),
        usual: pattern!(r"(?i)node_modules|dist|build|e2e|cypress|playwright"),
        names: pattern!(r"^package\.json$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r#"\btestMatch\b["']?\s*:"#),
        usual: pattern!(r"\*\*/(?:\*\.|\?\(\*\.\)|__tests__|\*\.\+?\()"),
        removed: pattern!(r#"["']([^"'\s]*\*[^"'\s]*(?:test|spec)[^"'\s]*)["']"#),
        unless: pattern!(r#"\*\*/(?:\*\.(?:test|spec)|\?\(\*\.\)|\*\.\{?\(?(?:test|spec))|["']!"#),
        names: pattern!(r"^(?:package\.json|jest\.config\.\w+)$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r#""exclude"\s*:\s*\[[^\]]*"(?:\./)?(?:src|lib|app)\b"#),
        usual: pattern!(r"(?i)test|spec|stories|mock|fixture|generated|\.d\.ts"),
        names: pattern!(r"^tsconfig\.json$"),
        ..NOTHING
    },
    Row { added: pattern!(r"^\.IGNORE\s*:"), names: pattern!(r"^(?:GNU)?[Mm]akefile$"), ..NOTHING },
    Row {
        added: pattern!(r"^-?\s*ignore_error\s*:\s*true"),
        names: pattern!(r"^Taskfile\.ya?ml$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r"\bsuccess_codes\s*=\s*[\[({][^\])}]*[1-9]"),
        names: pattern!(r"^noxfile\.py$"),
        ..NOTHING
    },
    Row {
        added: pattern!(r#"^(?:paths|regexes|stopwords|commits)\s*=\s*\[\s*['"]"#),
        usual: pattern!(r"(?i)test|fixture|mock|spec|\.lock|node_modules|vendor|docs?/|example|gitleaks"),
        names: pattern!(r"^\.?gitleaks\.toml$"),
        ..NOTHING
    },
];
