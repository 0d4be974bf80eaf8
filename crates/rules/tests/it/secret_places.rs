//! Credentials that the place they stand in gives away. `@` stands for the value, so that no scanner takes this file
//! for a leak.

use domain::review::Confidence;
use domain::words::Severity;
use rules::redact;

use crate::secret_formats::{MIXED, noise};
use crate::support::{NOTHING, Scenario};

const RULE: &str = "hardcoded-credential";

/// A name on one line, its value on one below.
const BELOW: [(&str, &str, u32); 8] = [
    ("deploy.yaml", "env:\n  - name: API_TOKEN\n    value: \"@\"\n", 3),
    ("deploy.yaml", "env:\n  - name: API_TOKEN\n    value: @\n", 3),
    ("task.json", "{\n  \"name\": \"API_TOKEN\",\n  \"value\": \"@\"\n}\n", 3),
    ("main.tf", "variable \"api_token\" {\n  type = string\n  default = \"@\"\n}\n", 3),
    ("core-site.xml", "<property>\n  <name>acme.api.secret</name>\n  <value>@</value>\n</property>\n", 3),
    ("beans.xml", "<property name=\"apiToken\">\n  <value>@</value>\n</property>\n", 2),
    ("Info.plist", "<dict>\n<key>ApiToken</key>\n<string>@</string>\n</dict>\n", 3),
    ("stack.yaml", "- ParameterKey: ApiToken\n  ParameterValue: @\n", 2),
];

#[test]
fn a_value_below_its_name_is_found_and_masked() {
    let value = noise(32, MIXED);
    for (path, written, line) in BELOW {
        let text = written.replace('@', &value);
        let findings = Scenario::adding(path, &text).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{findings:?} in {text}") };
        assert_eq!(finding.line(), Some(line), "{text}");
        assert!(!format!("{finding:?}").contains(&value), "{finding:?}");
        assert!(!redact(&text).contains(&value), "{text}");
    }
}

#[test]
fn what_stands_below_something_else_is_not_its_value() {
    let value = noise(32, MIXED);
    for (path, written) in [
        (
            "main.tf",
            "variable \"api_token\" {\n  type = string\n}\nvariable \"image\" {\n  default = \"@\"\n}\n",
        ),
        ("deploy.yaml", "- name: API_TOKEN\n  valueFrom: x\n- name: IMAGE\n  value: @\n"),
        ("deploy.yaml", "- name: API_TOKEN\n  value: $(TOKEN)\n"),
        ("res/values/strings.xml", "<string name=\"enter_password\">Enter8characters</string>\n"),
    ] {
        let text = written.replace('@', &value);
        assert_eq!(Scenario::adding(path, &text).lines(RULE), NOTHING, "{text}");
    }
}

#[test]
fn calls_commands_and_statements_take_passwords() {
    let value = format!("{}!", noise(11, MIXED));
    for (path, written) in [
        ("a.cs", "c = new NetworkCredential(\"bob\", \"@\");"),
        ("a.cs", "e = new DirectoryEntry(\"LDAP://ldap.acme.io\", \"bob\", \"@\");"),
        ("a.java", "return new PasswordAuthentication(\"bob\", \"@\".toCharArray());"),
        ("a.java", "c = DriverManager.getConnection(\"jdbc:x:y\", \"bob\", \"@\");"),
        ("a.py", "get(url, auth=HTTPBasicAuth('bob', '@'))"),
        ("a.py", "get(url, auth=('bob', '@'), timeout=3)"),
        ("a.sql", "CREATE USER bob IDENTIFIED BY '@';"),
        ("a.sh", "redis-cli -a @ ping"),
        ("a.sh", "ldapsearch -D cn=bob -w @ -b dc=acme"),
        ("a.sh", "openssl rsa -in key.pem -passin pass:@"),
        ("a.sh", "  --proxy-user bob:@ \\"),
        ("a.sh", "  --user bob:@ \\"),
        ("a.sql", "CREATE USER bob IDENTIFIED BY @;"),
        ("a.sql", "ALTER USER bob IDENTIFIED WITH caching_sha2_password BY '@';"),
        ("a.sql", "UPDATE mysql.user SET h = PASSWORD ('@');"),
        ("build.sh", "mvn sonar:sonar -Dsonar.password=@ -q"),
        ("a.ps1", "Connect-VIServer -Server a -User bob -Password @"),
        ("a.json", "{\"name\": \"DB_PASSWORD\", \"value\": \"@\"}"),
    ] {
        let text = format!("{}\n", written.replace('@', &value));
        assert_eq!(Scenario::adding(path, &text).lines(RULE), [1], "{text}");
        assert!(!redact(&text).contains(&value), "{text}");
    }
    for (path, text) in [
        ("a.cs", "c = new NetworkCredential(\"user\", \"password\");\n"),
        ("a.py", "get(url, auth=(user, password))\n"),
        ("a.py", "get(url, auth=('user', 'pass'))\n"),
        ("a.sql", "CREATE USER bob IDENTIFIED BY 'changeme';\n"),
        ("a.sh", "redis-cli -a \"$REDIS_PASSWORD\" ping\n"),
        ("a.ps1", "Connect-VIServer -User $user -Password $password\n"),
        ("a.go", "\t{\"password\", \"5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8\"},\n"),
        ("a.js", "// sign('', 'some_secret') => 'f7f9bd47fb987337b5796fdc1fdb9ba221d0d539'\n"),
    ] {
        assert_eq!(Scenario::adding(path, text).lines(RULE), NOTHING, "{text}");
    }
}

#[test]
fn a_word_with_something_put_to_it_is_a_remark_and_no_more() {
    for value in ["gardengate7", "4ian1234", "gate!waywhooah"] {
        let findings = Scenario::adding("src/a.py", format!("db_password = '{value}'\n")).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{findings:?}: {value}") };
        assert_eq!(finding.confidence, Confidence::Low, "{value}");
    }
    for value in ["gardengate", "Required!", "sha256sum", "password1", "gate$way"] {
        let text = format!("db_password = '{value}'\n");
        assert_eq!(Scenario::adding("src/a.py", &text).lines(RULE), NOTHING, "{value}");
    }
    assert_eq!(Scenario::adding("tests/a.py", "db_password = 'gardengate7'\n").lines(RULE), NOTHING);
}

/// However long a call is, and wherever it is cut off.
#[test]
fn a_call_of_any_length_is_survived() {
    for length in 280..310 {
        for end in ["\", \"x\")", "\"", "", "\" , \"hunter2-Xk9\" , 1)"] {
            let line = format!("new NetworkCredential(\"{}{end}\n", "a".repeat(length));
            Scenario::adding("src/A.cs", &line).review();
        }
    }
}

#[test]
fn a_rule_that_is_unsure_does_not_silence_one_that_is_not() {
    let said = |value: &str| {
        let text = format!("class A {{\n  void f(Source s) {{\n    s.setPassword(\"{value}\");\n  }}\n}}\n");
        let scenario = Scenario::adding("src/A.java", &text);
        (scenario.lines("hard-coded-key"), scenario.lines(RULE))
    };
    let chosen = concat!("Tr0ub4dor", "&3zq");
    assert_eq!(said("sunshine"), (vec![3], NOTHING.to_vec()));
    assert_eq!(said(chosen), (NOTHING.to_vec(), vec![3]));
}

#[test]
fn a_file_that_stood_elsewhere_before_brings_no_new_secret() {
    let text = concat!("push --token gh", "p_Zk3Lw9QxV7rTn2Bd", "Hs5Jm8Pc4Yf6Ga1Eu0Wi\n");
    let most = |scenario: Scenario| scenario.findings("secret").iter().map(|finding| finding.severity).max();
    assert_eq!(most(Scenario::adding("new/deploy.sh", text)), Some(Severity::Critical));
    let copied = |old: &str| Scenario::adding("new/deploy.sh", text).and_keeping("old/deploy.sh", old);
    assert_eq!(most(copied(text)), Some(Severity::Low));
    assert_eq!(most(copied("push\n")), Some(Severity::Critical));
}
