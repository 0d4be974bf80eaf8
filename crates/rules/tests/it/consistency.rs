//! Changes that do things otherwise than the repository.

use crate::support::{NOTHING, Scenario, all_claimed};

const NAMING: &str = "naming-habit";

fn function(path: &str, name: &str) -> String {
    match path.rsplit('.').next() {
        Some("py") => format!("def {name}():\n    return 1\n"),
        Some("rb") => format!("def {name}\n  1\nend\n"),
        Some("go") => format!("func {name}() {{}}\n"),
        Some("java") => format!("void {name}() {{}}\n"),
        Some("kt") => format!("fun {name}() {{}}\n"),
        Some("swift") => format!("func {name}() {{}}\n"),
        Some("scala") => format!("def {name}() = 1\n"),
        Some("c" | "cpp") => format!("void {name}(void) {{}}\n"),
        _ => format!("function {name}() {{}}\n"),
    }
}

fn file(path: &str, names: &[String]) -> String {
    let functions: String = names.iter().map(|name| function(path, name)).collect();
    match path.rsplit('.').next() {
        Some("java") => format!("class A {{\n{functions}}}\n"),
        Some("scala") => format!("object A {{\n{functions}}}\n"),
        Some("go") => format!("package p\n{functions}"),
        Some("php") => format!("<?php\n{functions}"),
        _ => functions,
    }
}

fn snake(count: u32) -> Vec<String> {
    (0..count).map(|n| format!("do_it_{n}")).collect()
}

fn camel(count: u32) -> Vec<String> {
    (0..count).map(|n| format!("doIt{n}")).collect()
}

const PATHS: [&str; 12] =
    ["a.py", "a.js", "a.ts", "A.java", "a.kt", "a.c", "a.cpp", "a.php", "a.rb", "a.go", "a.swift", "a.scala"];

#[test]
fn every_language_that_is_claimed_is_tried() {
    all_claimed(NAMING, &PATHS);
}

fn adding(path: &str, old: &[String], name: &str) -> Vec<u32> {
    let new: Vec<String> = old.iter().cloned().chain([name.to_owned()]).collect();
    Scenario::changing(path, &file(path, old), &file(path, &new)).lines(NAMING)
}

#[test]
fn a_name_against_the_habit_is_reported() {
    for path in PATHS {
        assert_eq!(adding(path, &snake(12), "sendMail").len(), 1, "{path}");
        assert_eq!(adding(path, &camel(12), "send_mail").len(), 1, "{path}");
        assert_eq!(adding(path, &snake(10), "loadAll").len(), 1, "{path}");
        assert_eq!(adding(path, &snake(6), "loadAll").len(), 1, "{path}");
    }
}

#[test]
fn a_name_that_follows_the_habit_or_tells_nothing_is_fine() {
    for path in PATHS {
        assert_eq!(adding(path, &snake(12), "send_mail"), NOTHING, "{path}");
        assert_eq!(adding(path, &camel(12), "send"), NOTHING, "{path}");
    }
}

#[test]
fn without_a_habit_there_is_nothing_to_keep_to() {
    for path in PATHS {
        assert_eq!(adding(path, &snake(5), "sendMail"), NOTHING, "{path}");
        assert_eq!(adding(path, &[snake(8), camel(1)].concat(), "sendMail"), NOTHING, "{path}");
        assert_eq!(adding(path, &[snake(8), camel(8)].concat(), "sendMail"), NOTHING, "{path}");
    }
}

#[test]
fn files_around_a_new_one_have_a_habit() {
    for path in PATHS {
        let other = format!("lib/{path}");
        let new = file(path, &["sendMail".to_owned()]);
        let among = |old: &[String]| {
            let scenario =
                Scenario::adding(&format!("lib/new/{path}"), &new).and_keeping(&other, &file(path, old));
            scenario.lines(NAMING)
        };
        assert_eq!(among(&snake(12)).len(), 1, "{path}");
        assert_eq!(among(&camel(12)), NOTHING, "{path}");
        assert_eq!(among(&snake(5)), NOTHING, "{path}");
        assert_eq!(among(&[snake(9), camel(9)].concat()), NOTHING, "{path}");
    }
}

#[test]
fn names_of_operators_are_not_chosen() {
    for name in ["unary_-", "total_="] {
        assert_eq!(adding("a.scala", &camel(12), name), NOTHING, "{name}");
    }
}

#[test]
fn names_that_a_class_above_gives_are_not_chosen() {
    let old = file("a.py", &snake(12));
    let new = format!("{old}class A(TestCase):\n    def setUp(self):\n        pass\n");
    assert_eq!(Scenario::changing("a.py", &old, &new).lines(NAMING), NOTHING);
}

#[test]
fn a_dependency_for_a_job_that_is_done_already_is_reported() {
    for (path, old, new, line) in [
        (
            "Cargo.toml",
            "[dependencies]\nreqwest = \"1\"\n",
            "[dependencies]\nreqwest = \"1\"\nureq = \"3\"\n",
            3,
        ),
        (
            "Cargo.toml",
            "[dependencies]\nchrono.workspace = true\n",
            "[dependencies]\nchrono.workspace = true\n[dependencies.time]\n",
            3,
        ),
        (
            "Cargo.toml",
            "[workspace.dependencies]\nanyhow = \"1\"\n",
            "[workspace.dependencies]\nanyhow = \"1\"\neyre = \"1\"\n",
            3,
        ),
        (
            "package.json",
            "{\n  \"dependencies\": {\n    \"axios\": \"1\"\n  }\n}\n",
            "{\n  \"dependencies\": {\n    \"axios\": \"1\",\n    \"got\": \"1\"\n  }\n}\n",
            4,
        ),
        (
            "package.json",
            "{\n  \"dependencies\": { \"axios\": \"1\", \"zod\": \"3\" }\n}\n",
            "{\n  \"dependencies\": { \"axios\": \"1\", \"got\": \"1\", \"zod\": \"3\" }\n}\n",
            2,
        ),
        ("requirements.txt", "requests==2\n", "requests==2\nhttpx>=1\n", 2),
        ("requirements-dev.txt", "pytest\n", "pytest\nnose2\n", 2),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\n    \"click>=8\",\n]\n",
            "[project]\ndependencies = [\n    \"click>=8\",\n    \"typer\",\n]\n",
            4,
        ),
        (
            "go.mod",
            "module m\nrequire (\n\tgithub.com/sirupsen/logrus v1.0.0\n)\n",
            "module m\nrequire (\n\tgithub.com/sirupsen/logrus v1.0.0\n\tgo.uber.org/zap v1.0.0\n)\n",
            4,
        ),
        (
            "pom.xml",
            "<artifactId>jackson-databind</artifactId>\n",
            "<artifactId>jackson-databind</artifactId>\n<artifactId>gson</artifactId>\n",
            2,
        ),
        (
            "build.gradle",
            "implementation 'a.b:gson:2'\n",
            "implementation 'a.b:gson:2'\nimplementation 'a.c:moshi:1'\n",
            2,
        ),
    ] {
        assert_eq!(Scenario::changing(path, old, new).lines("duplicate-dependency"), [line], "{path}");
    }
}

/// A line of a manifest, with what has to stand around it.
fn manifest(path: &str, lines: &[&str]) -> String {
    let (before, after) = match path.rsplit('/').next().unwrap() {
        "composer.json" => ("{\n\"require\": {\n\"php\": \"8\",\n", "}\n}\n"),
        "package.json" => ("{\n\"devDependencies\": {\n\"husky\": \"9\",\n", "}\n}\n"),
        "libs.versions.toml" => ("[versions]\ngson = \"2\"\n[libraries]\n", "[plugins]\n"),
        "pyproject.toml" => ("[project]\nname = \"a\"\n[dependency-groups]\n", "[tool.x]\n"),
        "Package.swift" => ("let package = Package(\nname: \"a\",\ndependencies: [\n", "])\n"),
        "go.mod" => ("module m\ngo 1.22\nrequire (\n", ")\n"),
        _ => ("\n\n\n", "\n"),
    };
    format!("{before}{}\n{after}", lines.join("\n"))
}

fn told_of(path: &str, there: &str, new: &str) -> Vec<u32> {
    let (old, new) = (manifest(path, &[there]), manifest(path, &[there, new]));
    Scenario::changing(path, &old, &new).lines("duplicate-dependency")
}

#[test]
fn every_kind_of_manifest_is_read() {
    for (path, there, new) in [
        (
            "gradle/libs.versions.toml",
            "a = { module = \"g.a:gson\", version = \"2\" }",
            "b = \"g.b:moshi:1\"",
        ),
        (
            "gradle/libs.versions.toml",
            "a = { group = \"g\", name = \"mockk\", version.ref = \"m\" }",
            "b = { module = \"org.mockito:mockito-core\" }",
        ),
        ("build.gradle.kts", "implementation(\"a:logback-classic:1\")", "implementation(\"a:tinylog:1\")"),
        (
            "build.gradle",
            "testImplementation 'a:testng:7'",
            "compile group: 'junit', name: 'junit', version: '4'",
        ),
        ("build.sbt", "  \"io.circe\" %% \"circe-core\" % \"1\",", "  \"a.b\" %% \"play-json\" % \"3\","),
        (
            "project/Dependencies.scala",
            "val a = \"a\" %% \"scalatest\" % \"3\"",
            "val b = \"b\" %% \"munit\" % v",
        ),
        ("Gemfile", "gem \"faraday\"", "gem 'httparty', '~> 0.2'"),
        ("a.gemspec", "  s.add_dependency \"thor\"", "  s.add_runtime_dependency(\"slop\", \"~> 4\")"),
        ("composer.json", "\"guzzlehttp/guzzle\": \"7\",", "\"symfony/http-client\": \"7\""),
        (
            "src/A.csproj",
            "<PackageReference Include=\"Newtonsoft.Json\" Version=\"13\" />",
            "<PackageReference Include=\"Utf8Json\" Version=\"1\" />",
        ),
        (
            "Directory.Packages.props",
            "<PackageVersion Include=\"Moq\" Version=\"4\" />",
            "<PackageVersion Include=\"NSubstitute\" Version=\"5\" />",
        ),
        (
            "Package.swift",
            ".package(url: \"https://github.com/onevcat/Kingfisher.git\", from: \"7.0.0\"),",
            ".package(url: \"https://github.com/SDWebImage/SDWebImage\", from: \"5.0.0\"),",
        ),
        ("Podfile", "  pod 'SnapKit'", "  pod 'PureLayout', '~> 3'"),
        ("pyproject.toml", "dev = [\"pytest\", \"black\"]", "fmt = [\"yapf\"]"),
        ("Pipfile", "celery = \"*\"", "rq = \"*\""),
        ("package.json", "\"jest\": \"29\",", "\"vitest\": \"2\""),
        ("go.mod", "github.com/google/uuid v1.6.0", "github.com/gofrs/uuid/v5 v5.0.0"),
    ] {
        assert_eq!(told_of(path, there, new), [5], "{path}: {new}");
    }
}

#[test]
fn parts_of_one_library_and_what_nobody_chose_are_no_second_way() {
    for (path, there, new) in [
        ("gradle/libs.versions.toml", "a = \"g:okhttp:4\"", "b = \"g:logging-interceptor:4\""),
        ("build.sbt", "\"a\" %% \"circe-core\" % \"1\"", "\"a\" %% \"circe-generic\" % \"1\""),
        (
            "pom.xml",
            "<artifactId>logback-classic</artifactId>",
            "<exclusions><artifactId>log4j</artifactId></exclusions>",
        ),
        ("Gemfile", "gem \"rspec\"", "gem \"rspec-rails\""),
        ("Gemfile", "gem \"faraday\"", "# gem \"httparty\""),
        ("composer.json", "\"phpunit/phpunit\": \"11\",", "\"pestphp/pest\": \"3\""),
        (
            "A.csproj",
            "<PackageReference Include=\"Serilog\" />",
            "<PackageReference Include=\"Serilog.AspNetCore\" />",
        ),
        ("A.csproj", "<PackageReference Include=\"Moq\" />", "<ProjectReference Include=\"NSubstitute\" />"),
        (
            "Package.swift",
            ".package(url: \"https://a/Alamofire\"),",
            ".package(url: \"https://a/Moya.git\"),",
        ),
        ("package.json", "\"prisma\": \"5\",", "\"@prisma/client\": \"5\""),
        ("package.json", "\"@emotion/react\": \"11\",", "\"@emotion/styled\": \"11\""),
        ("requirements.txt", "requests==2", "urllib3<3"),
        ("go.mod", "github.com/sirupsen/logrus v1.9.0", "go.uber.org/zap v1.0.0 // indirect"),
        ("pyproject.toml", "dev = [\"pytest\"]", "docs = [\"sphinx\"]"),
    ] {
        assert_eq!(told_of(path, there, new), NOTHING, "{path}: {new}");
    }
}

#[test]
fn a_dependency_that_replaces_another_or_does_something_new_is_fine() {
    for (path, old, new) in [
        ("Cargo.toml", "[dependencies]\nreqwest = \"1\"\n", "[dependencies]\nureq = \"3\"\n"),
        (
            "Cargo.toml",
            "[dependencies]\nreqwest = \"1\"\n",
            "[dependencies]\nreqwest = \"1\"\nclap = \"4\"\n",
        ),
        (
            "Cargo.toml",
            "[dependencies]\nreqwest = \"1\"\n",
            "[dependencies]\nreqwest = \"1\"\n[features]\nureq = []\n",
        ),
        ("requirements.txt", "requests==2\n", "requests==2\nflask\n"),
        ("requirements.txt", "requests==2\n", "requests==3\n"),
        ("go.mod", "module m\n", "module m\nrequire go.uber.org/zap v1.0.0\n"),
    ] {
        assert_eq!(
            Scenario::changing(path, old, new).lines("duplicate-dependency"),
            NOTHING,
            "{path}: {new}"
        );
    }
}
