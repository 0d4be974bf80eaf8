//! Secrets, put together here so that no scanner takes this file for a leak.

use domain::words::Severity;
use rules::redact;

use crate::secret_formats::{MIXED, noise};
use crate::support::{NOTHING, Scenario};

#[test]
fn look_alikes_are_no_secrets() {
    for text in [
        concat!("AKIA", "IOSFODNN7EXAMPLE"),
        concat!("gh", "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        concat!("gh", "p_0000000000000000000000000000000000000000"),
        concat!("sk-", "ant-your-key-goes-here-aaaaaaaaaaaaaaaaaaaaaaaaaa"),
        "eyJ.eyJ.abc",
        concat!("-----BEGIN ", "PRIVATE KEY-----"),
        concat!("-----BEGIN ", "PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"),
        "postgres://postgres:postgres@localhost:5432/app",
        "https://user:${PASSWORD}@registry.acme.io/x",
        "https://user:password@registry.acme.io/x",
        "postgres://app:secretword@db:5432/app",
        "see https://acme.io:8080/a@b",
    ] {
        let scenario = Scenario::adding("src/a.py", format!("{text}\n"));
        let seen = [scenario.lines("secret"), scenario.lines("hardcoded-credential")].concat();
        assert_eq!(seen, NOTHING, "{text}");
    }
}

#[test]
fn private_keys_count_with_their_body() {
    let body = noise(64, MIXED);
    for kind in ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""] {
        let block = format!("-----BEGIN {kind}PRIVATE KEY-----\n{body}\n");
        assert_eq!(Scenario::adding("id", &block).lines("secret"), [1], "{kind}");
    }
    let inline = format!("key = \"-----BEGIN {}-----\\n{body}\\n\"\n", "PRIVATE KEY");
    assert_eq!(Scenario::adding("a.py", &inline).lines("secret"), [1]);
}

fn named(path: &str, name: &str, rest: &str) -> Vec<u32> {
    Scenario::adding(path, format!("{name}{rest}\n")).lines("hardcoded-credential")
}

#[test]
fn values_with_a_telling_name_are_found() {
    for (path, name, rest) in [
        ("a.py", "db_password", " = 'Tr0ub4dor&3zq'"),
        ("a.js", "  password", ": 'Tr0ub4dor&3zq',"),
        ("a.rs", "const API_TOKEN", ": &str = \"q8Zr2LxP0vNw7TkYb3\";"),
        ("a.json", "\"client_secret\"", ": \"q8Zr2LxP0vNw7TkYb3\""),
        ("a.go", "apiKey", " := \"q8Zr2LxP0vNw7TkYb3\""),
        ("a.rb", "config['password']", " = \"Tr0ub4dor&3zq\""),
        (".env", "DB_PASSWORD", "=Tr0ub4dor&3zq"),
        ("a.yaml", "  api_key", ": q8Zr2LxP0vNw7TkYb3"),
        ("a.py", "url = 'postgres://app", ":s3cr9tW0rd@db.acme.io/app'"),
    ] {
        assert_eq!(named(path, name, rest), [1], "{path}: {name}{rest}");
    }
}

#[test]
fn names_without_a_value_worth_hiding_are_not() {
    for (path, name, rest) in [
        ("a.py", "password", " = os.environ['DB_PASSWORD_1']"),
        ("a.py", "password", " = 'changeme123'"),
        ("a.py", "password", " = '${DB_PASS1_X}'"),
        ("a.py", "password", " != 'Tr0ub4dor&3zq'"),
        ("a.py", "token", " = 'session.v2.token.name'"),
        ("a.py", "token", " = get_token1234567890abc()"),
        ("a.py", "password_hash", " = '9f86d081884c7d659a2feaa0'"),
        ("a.py", "secret", " = '0b0d4a2e-7d5c-4c39-9b4b-8f5e0a6f7c11'"),
        ("a.yaml", "password", ": <your password 123>"),
        ("a.yaml", "secretName", ": q8Zr2LxP0vNw7TkYb3"),
        ("a.html", "<input type=\"password\"", " id=\"q8Zr2LxP0vNw7TkYb3\">"),
        ("a.js", "const token", " = tokens1234567890abcDEF;"),
        ("tests/a.py", "password", " = 'Tr0ub4dor&3zq'"),
        ("README.md", "password", " = 'Tr0ub4dor&3zq'"),
    ] {
        assert_eq!(named(path, name, rest), NOTHING, "{path}: {name}{rest}");
    }
}

#[test]
fn a_secret_on_the_line_of_another_finding_is_masked_too() {
    let secret = noise(36, MIXED);
    let text = format!("console.log(\"gh{}\");\n", ["p_", &secret].concat());
    let review = Scenario::adding("src/a.js", &text).review();
    assert_eq!(review.findings.len(), 2);
    assert!(!format!("{review:?}").contains(&secret));
}

#[test]
fn a_secret_in_a_path_is_reported_where_the_path_is_new() {
    let path = format!("d/gh{}.txt", ["p_", &noise(36, MIXED)].concat());
    for scenario in [
        Scenario::adding(&path, "x\n"),
        Scenario::default().and_binary(&path),
        Scenario::renaming("d/a.txt", &path, "x\n"),
    ] {
        let findings = scenario.findings("secret");
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!((finding.severity, finding.line()), (Severity::Critical, None));
        assert_eq!(finding.message, "The path of this file holds a GitHub token");
    }
    assert_eq!(Scenario::changing(&path, "x\n", "y\n").lines("secret"), NOTHING);
    assert_eq!(Scenario::default().and_removing(&path, "x\n").lines("secret"), NOTHING);
    assert_eq!(Scenario::adding("src/token=a8Zr2LxP0vNw7TkYb3", "x\n").lines("secret"), NOTHING);
}

#[test]
fn keys_made_for_tests_are_no_reason_to_stop() {
    let key = format!("-----BEGIN {}-----\n{}\n", "PRIVATE KEY", noise(64, MIXED));
    let severity = |path: &str| Scenario::adding(path, &key).findings("secret")[0].severity;
    assert_eq!(severity("tests/fixtures/server.key"), Severity::Medium);
    assert_eq!(severity("deploy/server.key"), Severity::Critical);
    let token = format!("gh{}\n", ["p_", &noise(36, MIXED)].concat());
    let findings = Scenario::adding("tests/a.txt", &token).findings("secret");
    assert_eq!(findings[0].severity, Severity::Critical);
}

#[test]
fn in_skipped_files_only_known_formats_count() {
    let guess = concat!("api_", "key = \"q8Zr2LxP0vNw7TkYb3\"\n");
    assert_eq!(Scenario::adding("vendor/a.py", guess).lines("hardcoded-credential"), NOTHING);
    let known = format!("gh{}\n", ["p_", &noise(36, MIXED)].concat());
    assert_eq!(Scenario::adding("vendor/a.py", &known).lines("secret"), [1]);
}

#[test]
fn a_guess_stays_masked_even_where_it_is_not_reported() {
    let value = concat!("ResNet50_v1b_", "imagenet1k_v2");
    assert!(!redact(&format!("token = \"{value}\"")).contains(value));
}

#[test]
fn a_known_format_is_not_reported_as_a_guess_too() {
    let text = format!("token = \"gh{}\"\n", ["p_", &noise(36, MIXED)].concat());
    let rules: Vec<_> = Scenario::adding("src/a.py", &text).review().findings;
    assert_eq!(rules.iter().map(|finding| finding.rule.as_str()).collect::<Vec<_>>(), ["secret"]);
}
