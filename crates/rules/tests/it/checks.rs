//! Pipelines, hooks and owners.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "checks-changed";

fn severity(path: &str, old: &str, new: &str) -> Option<Severity> {
    let findings = Scenario::changing(path, old, new).findings(RULE);
    assert!(findings.len() < 2, "{path}");
    findings.first().map(|finding| finding.severity)
}

const CI: &str = ".github/workflows/ci.yml";

#[test]
fn a_check_that_asks_for_less_is_high() {
    for (path, old, new) in [
        (CI, "steps:\n  - run: cargo test\n  - run: cargo build\n", "steps:\n  - run: cargo build\n"),
        (CI, "  - run: cargo test\n", "  - run: cargo test || true\n"),
        (CI, "  - run: x\n", "  - run: x\n    continue-on-error: true\n"),
        (".gitlab-ci.yml", "test:\n  script: pytest\n", "test:\n  script: pytest\n  allow_failure: true\n"),
        ("Jenkinsfile", "sh 'make test'\n", "sh 'make'\n"),
        (".husky/pre-commit", "npm test\n", "echo done\n"),
        (".pre-commit-config.yaml", "- id: ruff\n- id: x\n", "- id: x\n"),
        ("CODEOWNERS", "/src/auth @security\n* @all\n", "* @all\n"),
    ] {
        assert_eq!(severity(path, old, new), Some(Severity::High), "{path}: {new}");
    }
    let removed = Scenario::default().and_removing(CI, "on: push\n").findings(RULE);
    assert_eq!(removed[0].severity, Severity::High);
}

#[test]
fn another_edit_is_a_remark() {
    for (path, old, new) in [
        (CI, "  - uses: actions/checkout@v3\n", "  - uses: actions/checkout@v4\n"),
        (CI, "  - run: cargo test\n", "  - run: cargo test --workspace\n"),
        ("CODEOWNERS", "/src @a\n", "/src @a @b\n"),
    ] {
        assert_eq!(severity(path, old, new), Some(Severity::Low), "{path}: {new}");
    }
}

#[test]
fn more_checks_and_other_files_are_fine() {
    assert_eq!(severity(CI, "  - run: cargo test\n", "  - run: cargo test\n  - run: cargo fmt\n"), None);
    assert_eq!(severity("docs/ci.yml", "  - run: cargo test\n", "\n"), None);
    assert_eq!(severity("src/CODEOWNERS.rs", "a\n", "b\n"), None);
    assert_eq!(Scenario::adding(CI, "on: push\njobs:\n  - run: cargo test\n").lines(RULE), NOTHING);
}

#[test]
fn settings_that_ask_for_less_are_advice() {
    for (path, old, new) in [
        ("pytest.ini", "[pytest]\naddopts = -ra\n", "[pytest]\naddopts = -ra --ignore=tests/slow\n"),
        (".eslintrc.json", "  \"no-unused-vars\": \"error\"\n", "  \"no-unused-vars\": \"off\"\n"),
        ("web/jest.config.js", "lines: 90, branches: 80\n", "lines: 90, branches: 10\n"),
        (".coveragerc", "fail_under = 90\n", "fail_under = 50\n"),
        ("tsconfig.json", "\"strict\": true\n", "\"strict\": false\n"),
        ("ruff.toml", "line-length = 100\n", "line-length = 100\nignore = [\"E501\"]\n"),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nselect = [\"E\", \"S\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\"]\n",
        ),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nselect = [\n  \"E\",\n  \"S\",\n]\n",
            "[tool.ruff.lint]\nselect = [\n  \"E\",\n]\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"-ra --cov-fail-under=90\"\n",
            "[tool.pytest.ini_options]\naddopts = \"-ra --cov-fail-under=10\"\n",
        ),
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 90\n",
            "[tool.coverage.report]\nfail_under = 9\n",
        ),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\npretty = true\n"),
        ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = False\n"),
        (
            ".golangci.yml",
            "linters:\n  enable:\n    - vet\n    - gosec\n",
            "linters:\n  enable:\n    - vet\n",
        ),
        (
            ".golangci.yml",
            "linters:\n  enable: [vet]\n",
            "linters:\n  enable: [vet]\n  disable:\n    - gosec\n",
        ),
        (
            "Cargo.toml",
            "[lints.clippy]\nunwrap_used = \"deny\"\n",
            "[lints.clippy]\nunwrap_used = \"allow\"\n",
        ),
        (
            "Cargo.toml",
            "[workspace.lints.rust]\nunsafe_code = { level = \"forbid\", priority = 1 }\n",
            "[workspace.lints.rust]\n",
        ),
    ] {
        assert_eq!(severity(path, old, new), Some(Severity::Medium), "{path}: {new}");
    }
}

/// Nothing is hidden by what stands around it, however much that is.
#[test]
fn settings_that_are_padded_are_compared_all_the_same() {
    let keys: String = (0..2_000).map(|at| format!("key{at} = {at}\n")).collect();
    let words: String = (0..3_000).map(|at| format!("\"E{at}\", ")).collect();
    let same = "\"E1\", ".repeat(20_000);
    let paths: String = (0..2_000).map(|at| format!("\"src/a{at}.py\" = [\"E501\"]\n")).collect();
    let lints: String = (0..2_000).map(|at| format!("lint{at} = \"deny\"\n")).collect();
    for (path, old, new) in [
        (
            "ruff.toml",
            "[lint]\nselect = [\"E\", \"S\"]\n".to_owned(),
            format!("{keys}[lint]\nselect = [\"E\"]\n"),
        ),
        ("ruff.toml", "select = [\"E\", \"S\"]\n".to_owned(), format!("select = [{words}\"E\"]\n")),
        (
            "ruff.toml",
            format!("ignore = [{words}]\n"),
            format!("ignore = [{same}\n\"E2\",\n{same}\n\"S105\"]\n"),
        ),
        ("ruff.toml", "ignore = []\n".to_owned(), "other = [\"[\"]\nignore = [\"S105\"]\n".to_owned()),
        ("ruff.toml", "ignore = [\"a]\"]\n".to_owned(), "ignore = [\"a]\",\n  \"S105\"]\n".to_owned()),
        (
            "ruff.toml",
            format!("[per-file-ignores]\n{paths}"),
            format!("[per-file-ignores]\n{paths}\"src/b.py\" = [\"S105\"]\n"),
        ),
        (
            "Cargo.toml",
            format!("[lints.clippy]\n{lints}last = \"deny\"\n"),
            format!("[lints.clippy]\n{lints}"),
        ),
        (
            ".golangci.yml",
            "linters:\n  enable: [vet]\n".to_owned(),
            "linters:\n  enable: [vet]\n  disable: [\n    gosec,\n  ]\n".to_owned(),
        ),
    ] {
        assert_eq!(
            severity(path, &old, &new),
            Some(Severity::Medium),
            "{path}: {}",
            &new[..new.len().min(200)]
        );
    }
    for (path, old, new) in [
        ("ruff.toml", "select = [\"E\"]\n".to_owned(), format!("{keys}select = [\"E\"]\n")),
        ("ruff.toml", format!("select = [{words}]\n"), "select = [\"E\"]\n".to_owned()),
        ("ruff.toml", format!("ignore = [{words}]\n"), format!("ignore = [{same}]\n")),
        (
            "ruff.toml",
            format!("[per-file-ignores]\n\"src/a*\" = [\"E\"]\n{paths}"),
            format!("[per-file-ignores]\n{paths}\"src/ab.py\" = [\"E501\"]\n"),
        ),
        (
            "Cargo.toml",
            format!("[lints.clippy]\n{lints}"),
            "[lints.clippy]\nall = \"deny\"\n[lints.rust]\nunused = \"warn\"\n".to_owned(),
        ),
    ] {
        assert_eq!(severity(path, &old, &new), None, "{path}: {}", &new[..new.len().min(200)]);
    }
}

#[test]
fn exceptions_for_some_files_are_advice() {
    for (path, old, new) in [
        (
            "pyproject.toml",
            "[tool.ruff.lint.per-file-ignores]\n\"tests/*\" = [\"S101\"]\n",
            "[tool.ruff.lint.per-file-ignores]\n\"tests/*\" = [\"S101\"]\n\"src/pay.py\" = [\"S608\"]\n",
        ),
        (
            "ruff.toml",
            "[lint]\nper-file-ignores = { \"src/a.py\" = [\"E501\"] }\n",
            "[lint]\nper-file-ignores = { \"src/a.py\" = [\"E501\", \"S608\"] }\n",
        ),
        (
            ".flake8",
            "[flake8]\nper-file-ignores =\n    tests/*:S101\n",
            "[flake8]\nper-file-ignores =\n    tests/*:S101\n    src/pay.py:S608,E501\n",
        ),
        ("setup.cfg", "[flake8]\nignore =\n    E203\n", "[flake8]\nignore =\n    E203\n    S608\n"),
        (
            "pyproject.toml",
            "[tool.mypy]\nstrict = true\n",
            "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\nmodule = [\n  \"shop.pay.*\",\n]\nignore_errors = true\n",
        ),
        (
            "setup.cfg",
            "[mypy]\nstrict = True\n",
            "[mypy]\nstrict = True\n[mypy-shop.pay.*]\nignore_errors = True\n",
        ),
        (
            ".eslintrc.json",
            "{\n  \"ignorePatterns\": [\"dist/\"]\n}\n",
            "{\n  \"ignorePatterns\": [\"dist/\", \"src/pay/**\"]\n}\n",
        ),
        (
            "eslint.config.mjs",
            "export default [\n  { ignores: ['dist/'] },\n];\n",
            "export default [\n  { ignores: [\n    'dist/',\n    'src/pay/**',\n  ] },\n];\n",
        ),
        (
            ".eslintrc.json",
            "{\n  \"rules\": {}\n}\n",
            "{\n  \"rules\": {},\n  \"overrides\": [{\n    \"files\": [\"src/pay/**\"],\n    \"rules\": { \"no-eval\": \"off\" }\n  }]\n}\n",
        ),
        (".eslintignore", "dist\n", "dist\nsrc/pay\n"),
    ] {
        assert_eq!(severity(path, old, new), Some(Severity::Medium), "{path}: {new}");
    }
}

#[test]
fn usual_exceptions_are_fine() {
    for (path, old, new) in [
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nselect = [\"E\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\"]\n[tool.ruff.lint.per-file-ignores]\n\"tests/**\" = [\"S101\"]\n\"shop/__init__.py\" = [\"F401\"]\n",
        ),
        (
            "ruff.toml",
            "[lint]\nignore = [\"E501\"]\n",
            "[lint]\nper-file-ignores = { \"src/a.py\" = [\"E501\"] }\n",
        ),
        (
            "ruff.toml",
            "[lint.per-file-ignores]\n\"src/*\" = [\"E\"]\n",
            "[lint.per-file-ignores]\n\"src/a.py\" = [\"E501\"]\n",
        ),
        (
            ".flake8",
            "[flake8]\nmax-line-length = 100\n",
            "[flake8]\nmax-line-length = 100\nper-file-ignores =\n    tests/*:S101\n",
        ),
        (
            "pyproject.toml",
            "[tool.mypy]\nstrict = true\n",
            "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\nmodule = \"boto3.*\"\nignore_missing_imports = true\n[[tool.mypy.overrides]]\nmodule = \"tests.*\"\nignore_errors = true\n",
        ),
        (
            "pyproject.toml",
            "[[tool.mypy.overrides]]\nmodule = [\"shop.*\"]\nignore_errors = true\n",
            "[[tool.mypy.overrides]]\nmodule = [\"shop.pay\"]\nignore_errors = true\n",
        ),
        (
            "eslint.config.js",
            "export default [{ ignores: ['dist/', 'src/pay/**'] }];\n",
            "export default [{ ignores: ['dist/', 'coverage/', '!src/pay/**'] }];\n",
        ),
        (".eslintignore", "dist\nsrc/pay\n", "dist\nbuild\n# src\n"),
    ] {
        assert_eq!(severity(path, old, new), None, "{path}: {new}");
    }
}

#[test]
fn settings_of_a_linter_that_go_are_told_of_unless_others_take_their_place() {
    let told = |scenario: Scenario| {
        let findings = scenario.findings(RULE);
        findings.iter().map(|finding| finding.severity).collect::<Vec<_>>()
    };
    let gone = |path: &str| {
        let text = "select = [\"E\"]\n";
        let code = [
            ("a.py", ""),
            ("a.ts", ""),
            ("a.go", ""),
            ("a.rs", ""),
            ("a.rb", ""),
            ("a.php", ""),
            ("a.swift", ""),
            ("a.kt", ""),
            ("a.css", ""),
        ];
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        code.into_iter().fold(Scenario::default().and_removing(path, text), |scenario, (name, text)| {
            scenario.and_keeping(&format!("{folder}src/{name}"), text)
        })
    };
    for path in [
        ".eslintrc.json",
        "eslint.config.js",
        "ruff.toml",
        ".flake8",
        "mypy.ini",
        ".golangci.yml",
        "clippy.toml",
        ".rubocop.yml",
        "web/.eslintrc",
    ] {
        assert_eq!(told(gone(path)), [Severity::Medium], "{path}");
    }
    for (path, other) in [
        (".eslintrc.json", "eslint.config.js"),
        (".eslintrc.json", "biome.json"),
        (".flake8", "ruff.toml"),
        (".golangci.yml", ".golangci.toml"),
    ] {
        assert_eq!(told(gone(path).and_adding(other, "a = 1\n")), [], "{other} takes the place of {path}");
    }
    let moved = gone("ruff.toml").and_changing(
        "pyproject.toml",
        "[project]\n",
        "[project]\n[tool.ruff]\nselect = [\"E\"]\n",
    );
    assert_eq!(told(moved), []);
    assert_eq!(told(gone("web/.eslintrc").and_keeping(".eslintrc.json", "{}\n")), [], "there is one above");
    assert_eq!(told(gone("ruff.toml").and_adding("mypy.ini", "[mypy]\n")), [Severity::Medium]);
    let alone = Scenario::default().and_removing(".rubocop.yml", "a: 1\n").and_removing("a.rb", "a\n");
    assert_eq!(told(alone.and_keeping("a.py", "")), [], "it goes with what it was for");
    let section = |new: &str| Scenario::changing("setup.cfg", "[flake8]\nmax-line-length = 80\n", new);
    assert_eq!(told(section("[metadata]\nname = a\n").and_keeping("a.py", "")), [Severity::Medium]);
    assert_eq!(told(section("[flake8]\nmax-line-length = 90\n").and_keeping("a.py", "")), []);
    let pyproject = "[tool.ruff]\nselect = [\"E\"]\n";
    let moved = Scenario::changing("pyproject.toml", pyproject, "[project]\n").and_keeping("a.py", "");
    assert_eq!(told(moved), [Severity::Medium]);
    let moved = Scenario::changing("pyproject.toml", pyproject, "[project]\n").and_keeping("a.py", "");
    assert_eq!(told(moved.and_adding("ruff.toml", "select = [\"E\"]\n")), [], "another file asks for it");
}

#[test]
fn settings_that_ask_for_as_much_are_fine() {
    for (path, old, new) in [
        (".coveragerc", "fail_under = 50\n", "fail_under = 90\n"),
        ("ruff.toml", "ignore = [\"E501\", \"F401\"]\n", "ignore = [\"E501\"]\n"),
        (".eslintrc.json", "  \"semi\": \"off\"\n", "  \"semi\": \"error\"\n"),
        ("tsconfig.json", "\"target\": \"es2020\"\n", "\"target\": \"es2022\"\n"),
        ("src/settings.json", "\"strict\": true\n", "\"strict\": false\n"),
        (
            "pyproject.toml",
            "[tool.ruff]\nselect = [\"E501\", \"S\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\", \"S\", \"B\"]\n",
        ),
        (
            "pyproject.toml",
            "[tool.setuptools]\nexclude = [\"a\"]\n[project]\nstrict = true\n",
            "[tool.setuptools]\nexclude = [\"a\", \"b\"]\n[project]\nstrict = false\n",
        ),
        ("pyproject.toml", "[tool.mypy]\ndisallow_untyped_defs = true\n", "[tool.mypy]\nstrict = true\n"),
        (
            "Cargo.toml",
            "[lints.clippy]\nunwrap_used = \"warn\"\n",
            "[lints.clippy]\nunwrap_used = \"deny\"\n",
        ),
        ("Cargo.toml", "[lints.clippy]\nunwrap_used = \"deny\"\n", "[lints]\nworkspace = true\n"),
        ("Cargo.toml", "[package]\nexclude = [\"a\"]\n", "[package]\nexclude = [\"a\", \"b\"]\n"),
        (".golangci.yml", "linters:\n  enable:\n    - vet\n", "linters:\n  enable-all: true\n"),
    ] {
        assert_eq!(severity(path, old, new), None, "{path}: {new}");
    }
}

#[test]
fn checks_that_others_do_now_are_not_lost() {
    const LINT: &str = "on: [push]\njobs:\n  - run: make lint\n";
    const TEST: &str = "on: [push]\njobs:\n  - run: make test\n";
    let most = |scenario: Scenario| scenario.findings(RULE).iter().map(|one| one.severity).max();
    let merged = Scenario::default().and_removing(".github/workflows/test.yml", TEST).and_changing(
        ".github/workflows/lint.yml",
        LINT,
        &format!("{LINT}  - run: make test\n"),
    );
    assert_eq!(most(merged), Some(Severity::Low));
    let moved = Scenario::default()
        .and_removing(".circleci/config.yml", "jobs:\n  - run: pytest\n")
        .and_adding(CI, "on: [pull_request]\njobs:\n  - run: pytest\n");
    assert_eq!(most(moved), Some(Severity::Low));
    let never_started = Scenario::default()
        .and_removing(".circleci/config.yml", "jobs:\n  - run: pytest\n")
        .and_adding(CI, "on: workflow_dispatch\njobs:\n  - run: pytest\n");
    assert_eq!(most(never_started), Some(Severity::High));
    let stale = "on:\n  schedule:\n    - cron: \"0 0 * * *\"\njobs:\n  - uses: actions/stale@v8\n";
    let idle = Scenario::default().and_removing(".github/workflows/stale.yml", stale);
    assert_eq!(most(idle), Some(Severity::Low));
    let nightly = stale.replace("uses: actions/stale@v8", "run: cargo audit");
    assert_eq!(
        most(Scenario::default().and_removing(".github/workflows/audit.yml", &nightly)),
        Some(Severity::High)
    );
}

#[test]
fn checks_may_move_to_what_the_pipeline_runs() {
    let most = |run: &str, file: &str, text: &str| {
        let new = format!("on: [push]\njobs:\n  - run: {run}\n");
        let scenario =
            Scenario::changing(CI, "on: [push]\njobs:\n  - run: mypy src\n", &new).and_adding(file, text);
        scenario.findings(RULE).iter().map(|one| one.severity).max()
    };
    assert_eq!(most("make check", "Makefile", "check:\n\tmypy src\n"), Some(Severity::Low));
    assert_eq!(most("just check", "justfile", "check:\n    mypy src\n"), Some(Severity::Low));
    assert_eq!(most("./ci/check.sh", "ci/check.sh", "mypy src\n"), Some(Severity::Low));
    assert_eq!(most("make build", "Makefile", "build:\n\tcc a.c\n"), Some(Severity::High), "not there");
    assert_eq!(most("cc a.c", "Makefile", "check:\n\tmypy src\n"), Some(Severity::High), "not run");
}

#[test]
fn a_script_that_does_nothing_checks_nothing() {
    let change = |was: &str, is: &str| {
        let text = |script: &str| format!("{{\n  \"scripts\": {{\n    \"test\": \"{script}\"\n  }}\n}}\n");
        severity("package.json", &text(was), &text(is))
    };
    assert_eq!(change("jest --ci", "echo ok"), Some(Severity::High));
    assert_eq!(change("jest --ci", "true"), Some(Severity::High));
    assert_eq!(change("jest --ci", "vitest run"), None);
    assert_eq!(change("jest", "echo start && vitest run"), None);
    assert_eq!(change("echo \\\"Error: no test specified\\\" && exit 1", "echo none"), None);
}
