//! Credentials that only their name, their place and their look give away. `@` stands for the value, so that no
//! scanner takes this file for a leak.

use domain::review::{Confidence, Finding};
use domain::words::Severity;
use proptest::prelude::*;
use rules::{redact, redact_file, redact_output};

use crate::secret_formats::{MIXED, noise, noise_of};
use crate::support::{NOTHING, Scenario};

const RULE: &str = "hardcoded-credential";

/// How a name is given a value, by the file it is done in.
const SYNTAXES: [(&str, &str); 64] = [
    ("a.py", "api_key = '@'"),
    ("a.py", "API_KEY: str = \"@\""),
    ("a.py", "connect(user='bob', access_token='@')"),
    ("a.py", "settings['client_secret'] = '@'"),
    ("a.py", "os.environ['STRIPE_API_KEY'] = '@'"),
    ("a.py", "key = {'auth_token': '@'}"),
    ("a.js", "const apiKey = `@`;"),
    ("a.js", "  accessToken: \"@\","),
    ("a.ts", "private readonly apiSecret: string = '@';"),
    ("a.go", "apiKey := \"@\""),
    ("a.go", "var apiToken string = \"@\""),
    ("a.go", "os.Setenv(\"API_TOKEN\", \"@\")"),
    ("a.rs", "const API_TOKEN: &str = \"@\";"),
    ("a.rs", "let secret = String::from(\"@\");"),
    ("a.java", "private static final String API_KEY = \"@\";"),
    ("a.java", "client.setApiKey(\"@\");"),
    ("a.java", "System.setProperty(\"acme.secret\", \"@\");"),
    ("a.kt", "val apiToken: String = \"@\""),
    ("a.cs", "string apiKey = @\"@\";"),
    ("a.rb", "config.api_key = '@'"),
    ("a.rb", ":secret_key => '@',"),
    ("a.php", "$apiToken ??= '@';"),
    ("a.php", "define('API_SECRET', '@');"),
    ("a.swift", "let apiKey: String = \"@\""),
    ("a.scala", "val apiKey = \"@\""),
    ("a.c", "#define X 1\nstatic const char *api_key = \"@\";"),
    ("a.ps1", "$password = ConvertTo-SecureString \"@\" -AsPlainText -Force"),
    ("a.sql", "CREATE USER bob PASSWORD '@';"),
    ("a.json", "  \"apiKey\": \"@\","),
    ("a.json", "  \"body\": \"{\\\"api_key\\\": \\\"@\\\"}\","),
    ("a.yaml", "  api_key: @"),
    ("a.yaml", "  api_key: '@' # of the service"),
    ("a.toml", "api_key = \"@\""),
    ("a.ini", "api_key = @"),
    ("a.properties", "acme.api.key=@"),
    (".env", "API_KEY=@"),
    (".env.production", "export API_KEY=\"@\""),
    ("Dockerfile", "ENV API_TOKEN=@"),
    ("Dockerfile", "ENV API_TOKEN @"),
    ("Dockerfile", "ARG ADMIN_PASSWORD=@"),
    ("Makefile", "API_TOKEN ?= @"),
    ("main.tf", "  secret_key = \"@\""),
    ("a.xml", "<apiKey>@</apiKey>"),
    ("a.xml", "<add key=\"ApiKey\" value=\"@\" />"),
    ("a.sh", "deploy --api-key=@ --verbose"),
    ("a.sh", "deploy --token @ --verbose"),
    ("a.sh", "curl -H \"X-Api-Key: @\" https://acme.io"),
    ("a.sh", "curl 'https://acme.io/v1?api_key=@&q=1'"),
    ("a.sh", "curl -H 'Authorization: Bearer @' https://acme.io"),
    ("a.py", "headers = {'Authorization': 'Token @'}"),
    (".npmrc", "//npm.acme.io/:_authToken=@"),
    ("a.csv", "acmeToken,@,"),
    ("notes.conf", "our api key: @"),
    ("a.js", "const s = process.env.API_TOKEN || '@';"),
    ("a.py", "s = os.environ.get('API_TOKEN') or '@'"),
    ("a.php", "$s = getenv('API_TOKEN') ?: '@';"),
    ("a.cs", "var s = Environment.GetEnvironmentVariable(\"API_TOKEN\") ?? \"@\";"),
    ("compose.yaml", "  x: ${API_TOKEN:-@}"),
    ("a.properties", "x=${API_TOKEN:@}"),
    ("a.sh", "docker run -e API_TOKEN=@ acme"),
    ("a.sh", "API_TOKEN=@ ./run"),
    ("a.sh", "mvn deploy -Dapi.token=@ -q"),
    ("a.sh", "curl -d access_token=@ https://acme.io"),
    ("a.py", "headers = {'Authorization': 'Bot @'}"),
];

#[test]
fn a_random_value_with_a_telling_name_is_found_in_every_syntax() {
    for (at, (path, written)) in SYNTAXES.iter().enumerate() {
        let value = noise_of(at + 3, 32, MIXED);
        let text = format!("{}\n", put(written, &value));
        let line = u32::try_from(text.lines().count()).unwrap();
        let findings = Scenario::adding(path, &text).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{path}: {text}: {findings:?}") };
        assert_eq!(finding.line(), Some(line), "{text}");
        assert!(!format!("{finding:?}").contains(&value), "{finding:?}");
        assert!(!redact(&text).contains(&value) && !redact_output(&text).contains(&value), "{text}");
    }
}

/// The last `@` stands for the value.
fn put(written: &str, value: &str) -> String {
    let (before, behind) = written.rsplit_once('@').unwrap();
    format!("{before}{value}{behind}")
}

#[test]
fn a_chosen_password_is_found_where_passwords_stand() {
    let password = concat!("Tr0ub4dor", "-3zq");
    for (path, written) in [
        ("a.py", "db_password = '@'"),
        ("a.py", "if password == '@':"),
        ("a.properties", "spring.datasource.password=@"),
        ("a.cs", "c = \"Server=db.acme.io;Database=a;User Id=sa;Password=@;\";"),
        ("a.py", "url = 'mysql://app:@@db.acme.io/app'"),
        ("a.py", "url = 'amqp://app:@@mq:5672'"),
        ("a.conf", "redis://:@@cache.acme.io:6379/0"),
        (".netrc", "machine acme.io login bob password @"),
        (".pypirc", "password = @"),
        ("a.sh", "curl -u bob:@ https://acme.io"),
        ("a.sh", "curl -s --user 'bob:@' https://acme.io"),
        ("a.sh", "sshpass -p @ ssh root@10.0.0.1"),
        ("a.sh", "docker login -u bob -p @ registry.acme.io"),
        ("a.sh", "mysqldump -u root --password=@ app"),
        ("a.xml", "<property name=\"password\" value=\"@\"/>"),
        ("a.toml", "smtp_pass = \"@\""),
        ("a.ts", "user.setPassword(\"@\")"),
    ] {
        let at = written.find('@').unwrap();
        let text = format!("{}{password}{}\n", &written[..at], &written[at + 1..]);
        assert_eq!(Scenario::adding(path, &text).lines(RULE), [1], "{path}: {text}");
        assert!(!redact(&text).contains(password), "{}", redact(&text));
    }
}

#[test]
fn frameworks_keep_their_secrets_in_known_places() {
    let signs = "abcdefghijkmnpqrstuvw0123456789!@#%^&*(-_=+)";
    let salt = noise(64, "ABCDEFGHJKLMNPQRSTUVWZabcdefgh0123456789 !@#%^&*()-_[]<>~+=,.;:/?|");
    for (path, text) in [
        ("settings.py", format!("SECRET_KEY = 'django-insecure-{}'", noise(50, signs))),
        ("settings.py", format!("SECRET_KEY = '{}'", noise(50, signs))),
        ("secrets.yml", format!("  secret_key_base: {}", noise(128, "0123456789abcdef"))),
        (".env", format!("APP_KEY=base64:{}=", noise(43, MIXED))),
        ("wp-config.php", format!("define('AUTH_KEY',         '{salt}');")),
        ("wp-config.php", format!("define('NONCE_SALT', '{salt}');")),
        (".htpasswd", format!("bob:$apr1${}${}", noise(8, MIXED), noise(22, MIXED))),
    ] {
        assert_eq!(Scenario::adding(path, format!("{text}\n")).lines(RULE), [1], "{path}: {text}");
    }
}

#[test]
fn base64_hides_no_login() {
    // `bob:` and a password.
    let login = concat!("Ym9iOlRyMHV", "iNGRvci0zenE=");
    for (path, text) in [
        (".npmrc", format!("_auth={login}")),
        ("config.json", format!("{{\"auths\": {{\"acme.io\": {{\"auth\": \"{login}\"}}}}}}")),
        ("a.sh", format!("curl -H 'Authorization: Basic {login}' https://acme.io")),
    ] {
        assert_eq!(Scenario::adding(path, format!("{text}\n")).lines(RULE), [1], "{text}");
        assert!(!redact(&text).contains(login));
    }
    let token = concat!("Z2hwX1prM0x3OVF4VjdyVG4yQmRIczVKbThQYzRZ", "ZjZHYTFFdTBXaQ==");
    assert_eq!(Scenario::adding("a.yaml", format!("x: {token}\n")).lines("secret"), [1]);
}

#[test]
fn a_value_on_the_next_line_is_found_there() {
    let value = noise(32, MIXED);
    for (path, text) in [
        ("a.yaml", format!("api_token: |\n  {value}\n")),
        ("a.yaml", format!("api_token: >-\n  {value}\n")),
        ("a.xml", format!("<apiToken>\n    {value}\n</apiToken>\n")),
    ] {
        let findings = Scenario::adding(path, &text).findings(RULE);
        assert_eq!(findings.iter().map(Finding::line).collect::<Vec<_>>(), [Some(2)], "{text}");
        assert!(!format!("{findings:?}").contains(&value) && !redact(&text).contains(&value));
    }
}

#[test]
fn the_values_of_a_cluster_secret_are_found_whatever_they_are_called() {
    let value = concat!("VHIwdWI0ZG", "9yLTN6cQ==");
    let object = |kind: &str| format!("kind: {kind}\nmetadata:\n  name: x\ndata:\n  extra: {value}\n");
    let findings = Scenario::adding("a.yaml", object("Secret")).findings(RULE);
    assert_eq!(findings.iter().map(Finding::line).collect::<Vec<_>>(), [Some(5)]);
    assert!(!format!("{findings:?}").contains(value) && !redact(&object("Secret")).contains(value));
    for kind in ["ConfigMap", "ExternalSecret", "SealedSecret"] {
        assert_eq!(Scenario::adding("a.yaml", object(kind)).lines(RULE), NOTHING, "{kind}");
    }
}

#[test]
fn ordinary_code_and_settings_are_silent() {
    let (hash, uuid) = (noise(64, "0123456789abcdef"), "0b0d4a2e-7d5c-4c39-9b4b-8f5e0a6f7c11");
    for (path, text) in [
        ("a.py", "token_type = \"bearer\""),
        ("a.py", "password_field = \"user_password\""),
        ("a.py", "password = getpass.getpass(\"Password: \")"),
        ("a.py", "api_key = config.get(\"acme_api_key_v2\")"),
        ("a.py", "eos_token = \"<|endoftext|>\""),
        ("a.py", "PASSWORD_REGEX = \"^(?=.*[A-Z])(?=.*[0-9]).{8,}$\""),
        ("a.py", &format!("password_hash = '{hash}'")),
        ("a.py", &format!("secret_id = '{uuid}'")),
        ("a.py", "hashed_password = '$2b$12$eImiTXuWVxfM37uY4JANjQ'"),
        ("a.js", "const cacheKey = \"user-profile-v2-cache\";"),
        ("a.js", "if (event.key === \"ArrowDown2024x\") {}"),
        ("a.js", "apiKey: \"YOUR_API_KEY_2024\","),
        ("a.js", "bypass: \"Ab3dE5gH7jK9\","),
        ("a.go", "const tokenURL = \"https://oauth2.acme.io/token1\""),
        ("a.rs", "let token = next_token1234567890(&mut lexer)?;"),
        ("a.java", "@Value(\"${spring.datasource.password}\")"),
        ("a.json", "\"password\": \"Password is required\","),
        ("a.json", &format!("\"integrity\": \"sha512-{hash}\"")),
        ("a.yaml", "token: ${{ secrets.ACME_TOKEN_1 }}"),
        ("a.yaml", "secretName: tls-acme-io-2024"),
        ("a.yaml", "password: ENC[AES256_GCM,data:W3PiZ6lD6bpfAdI=]"),
        ("a.sh", "curl -u \"$USER:$PASS\" https://acme.io"),
        ("a.sh", "curl -u user:password https://acme.io"),
        ("a.sh", "curl -H \"Authorization: Bearer $TOKEN\" https://acme.io"),
        ("a.sh", "curl -H \"Authorization: Basic dXNlcjpwYXNzd29yZA==\" https://acme.io"),
        ("a.sh", "mkdir -p /var/lib/mysql -p"),
        ("a.xml", "<password>${db.password}</password>"),
        ("a.html", "<input type=\"password\" name=\"password\" value=\"q8Zr2LxP0vNw7TkYb3\">"),
        ("locales/en.json", "\"password\": \"Passw0rd-Regeln\","),
        ("a.py", "public_key = \"q8Zr2LxP0vNw7TkYb3q8Zr2LxP0vNw7T\""),
        ("a.py", "next_page_token = \"q8Zr2LxP0vNw7TkYb3\""),
        ("a.py", "# api_key = changeme"),
        ("a.js", "const token = process.env.API_TOKEN || '';"),
        ("a.js", "const token = options.token || 'default-token-name';"),
        ("a.py", "partition_key = 'q8Zr2LxP0vNw7TkYb3q8Zr2LxP0vNw7T'"),
        ("a.yaml", "  token: ${API_TOKEN:-changeme}"),
        ("a.yaml", "  token: ${API_TOKEN:-${OTHER_TOKEN_1}}"),
        ("a.sh", "docker run -e API_TOKEN=$API_TOKEN acme"),
        ("a.sh", "docker run --user 1000:1000 acme"),
        ("a.sql", "CREATE USER bob IDENTIFIED BY secret;"),
        ("a.sh", "PASSWORD=hidden ./run"),
    ] {
        let scenario = Scenario::adding(path, format!("{text}\n"));
        assert_eq!([scenario.lines(RULE), scenario.lines("secret")].concat(), NOTHING, "{path}: {text}");
    }
}

#[test]
fn how_sure_a_guess_is_depends_on_value_and_place() {
    let random = noise(32, MIXED);
    let of = |path: &str, value: &str| {
        let found = Scenario::adding(path, format!("db_password = '{value}'\n")).findings(RULE);
        found.first().map(|finding| (finding.severity, finding.confidence))
    };
    let chosen = concat!("Tr0ub4dor", "&3zq");
    assert_eq!(of("src/a.py", &random), Some((Severity::High, Confidence::Medium)));
    assert_eq!(of("src/a.py", chosen), Some((Severity::High, Confidence::Medium)));
    assert_eq!(of("src/a.py", concat!("SuperSecret", "123!")), Some((Severity::Low, Confidence::Low)));
    assert_eq!(of("tests/a.py", &random), Some((Severity::Low, Confidence::Low)));
    assert_eq!(of("README.md", &random), Some((Severity::Low, Confidence::Low)));
    assert_eq!((of("tests/a.py", chosen), of("README.md", chosen)), (None, None));
}

#[test]
fn what_only_services_know_is_a_remark_and_no_more() {
    for text in [
        format!("acme_token = '{}'", "0b0d4a2e-7d5c-4c39-9b4b-8f5e0a6f7c11"),
        format!("acme_key = '{}'", noise(32, MIXED)),
        format!("redis_auth = '{}'", noise(32, MIXED)),
        format!("api_token = '{}'", "abcdef1234567890abcdef1234567890abcd"),
    ] {
        let findings = Scenario::adding("src/a.py", format!("{text}\n")).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{findings:?} in {text}") };
        assert_eq!(finding.confidence, Confidence::Low, "{text}");
        assert_eq!(
            Scenario::adding("tests/a.py", "api_token = 'abcdef1234567890abcdef12'\n").lines(RULE),
            NOTHING
        );
    }
}

#[test]
fn chance_puts_no_word_into_a_long_value() {
    let value = format!("{}12345{}", noise(18, "0123456789abcdef"), noise_of(5, 17, "0123456789abcdef"));
    let findings = Scenario::adding(".env", format!("ACME_API_TOKEN={value}\n")).findings(RULE);
    assert_eq!(findings[0].confidence, Confidence::Medium);
}

#[test]
fn the_user_of_an_address_may_have_one() {
    let text = format!("url = 'smtps://bob@acme.io:{}@smtp.acme.io:465'\n", concat!("Tr0ub4dor", "-3zq"));
    assert_eq!(Scenario::adding("src/a.py", &text).lines(RULE), [1]);
    for harmless in
        ["ssh://git@acme.io:22/a@b", "https://bob@acme.io:8080", "see https://a.io/b?c=d@e.io:f@g"]
    {
        assert_eq!(Scenario::adding("src/a.py", format!("x = '{harmless}'\n")).lines(RULE), NOTHING);
    }
}

#[test]
fn what_one_line_gives_away_no_other_shows() {
    let value = noise(20, MIXED);
    for (path, text) in [
        (
            "src/a.py",
            format!(
                "api_token = '{value}'\n\ndef f(row):\n    breakpoint()  # '{value}'\n    print(row, '{value}')\n"
            ),
        ),
        (
            "src/a.js",
            format!("const apiToken = '{value}';\nconsole.log('{value}');\ndebugger; f('{value}');\n"),
        ),
        ("a.yaml", format!("- name: API_TOKEN\n  value: {value} # TODO: rotate\n")),
    ] {
        let findings = Scenario::adding(path, &text).review().findings;
        assert!(findings.iter().any(|finding| finding.rule != RULE), "{text}: {findings:?}");
        assert!(!format!("{findings:?}").contains(&value), "{findings:?}");
        assert!(!redact(&text).contains(&value), "{}", redact(&text));
    }
}

#[test]
fn what_a_comment_or_a_doc_string_quotes_is_doubted() {
    let value = noise(32, MIXED);
    for text in
        [format!("# api_key = '{value}'\n"), format!("\"\"\"Call it so:\n\napi_key = '{value}'\n\"\"\"\n")]
    {
        let findings = Scenario::adding("src/a.py", &text).findings(RULE);
        assert_eq!(findings[0].confidence, Confidence::Low, "{text}");
    }
}

#[test]
fn keys_are_found_in_strings_lists_and_files() {
    let lines = [noise(64, MIXED), noise_of(5, 64, MIXED)];
    let header = |kind: &str| format!("-----BEGIN {kind}-----");
    let (rsa, pgp) = (header("RSA PRIVATE KEY"), header("PGP PRIVATE KEY BLOCK"));
    let encoded = concat!("LS0tLS1CRUdJTiBQUklWQVRF", "IEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lH");
    for (path, text, line) in [
        ("a.js", format!("k = [\n  '{rsa}',\n  '{}',\n  '{}'\n]", lines[0], lines[1]), 2),
        ("a.c", format!("char *k =\n\"{rsa}\\n\"\n\"{}\\n\"", lines[0]), 2),
        ("a.go", format!("k := `{rsa}\n{}\n`", lines[0]), 1),
        ("a.asc", format!("{pgp}\nVersion: GnuPG v2\n\n{}", lines[0]), 1),
        ("a.yaml", format!("client-key-data: {encoded}"), 1),
        ("a.ppk", format!("PuTTY-User-Key-File-3: ssh-{}\nEncryption: none", "ed25519"), 1),
    ] {
        assert_eq!(Scenario::adding(path, format!("{text}\n")).lines("secret"), [line], "{text}");
        assert!(!redact(&text).contains(&lines[0]), "{}", redact(&text));
    }
    let writes = format!("out += \"PuTTY-User-Key-File-2: ssh-{}\\r\\n\";\n", "rsa");
    let shown = |dots: &str| format!("# `{rsa}{}{dots} -----END RSA PRIVATE KEY-----`\n", lines[0]);
    for text in [
        shown("\\n."),
        shown("..."),
        writes,
        format!("{rsa}\n"),
        format!("if line.starts_with(\"{rsa}\") {{\n    key = true;\n"),
    ] {
        assert_eq!(Scenario::adding("a.rs", &text).lines("secret"), NOTHING, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_found_is_masked(
        at in 0..SYNTAXES.len(),
        value in "[A-Za-z0-9!#%^*_+./=-]{8,50}",
        around in "[ -~]{0,20}",
    ) {
        let (path, written) = SYNTAXES[at];
        let text = format!("{}{around}\n", put(written, &value));
        let findings = Scenario::adding(path, &text).review().findings;
        let found = findings.iter().any(|finding| finding.rule == RULE || finding.rule == "secret");
        if found {
            prop_assert!(!format!("{findings:?}").contains(&value), "{findings:?}");
            let shown = redact_file(&path.into(), &text);
            prop_assert!(!shown.contains(&value), "{shown}");
        }
    }

    #[test]
    fn no_pieces_make_the_search_panic(pieces in proptest::collection::vec(PIECES, 0..30)) {
        let text = pieces.concat();
        redact(&text);
        redact_output(&text);
        Scenario::adding("a.yaml", &text).review();
    }
}

const PIECES: &str = "password|token|api_key|secret|auth|salt|://|u:p@h|Basic |Bearer |authorization|curl | -u |-p|eyJ|\
    AKIA|ghp_|Q~|sig=|-us|_mmk|:AA|SG\\.|LS0tLS1CRUdJTi|-----BEGIN |PRIVATE KEY-----|Private-Lines: 2|kind: Secret|data:|\
    \\|\n|\n  |\\\\\"|\"|'|`| = |: |=>|<|>|value=|,|\\(|[A-Za-z0-9]{1,40}|\u{e9}|%2F|\\$";
