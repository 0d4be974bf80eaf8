//! Files in which programs keep their passwords. `@` stands for the value, so that no scanner takes this file for a leak.

use domain::review::Confidence;

use crate::support::{NOTHING, Scenario};

const RULE: &str = "hardcoded-credential";

const KEPT: [(&str, &str); 12] = [
    (".netrc", "machine db.acme.io login bob password @"),
    ("home/.pgpass", "db.acme.io:5432:app:bob:@"),
    (".vscode/sftp.json", "    \"password\": \"@\","),
    ("sftp-config.json", "    \"password\": \"@\","),
    (".ftpconfig", "    \"passphrase\": \"@\","),
    ("filezilla/recentservers.xml", "<Pass encoding=\"base64\">@</Pass>"),
    (".idea/WebServers.xml", "<fileTransfer host=\"acme.io\" password=\"@\" username=\"root\">"),
    (".npmrc", "_auth = @"),
    (".pypirc", "password = @"),
    (".esmtprc", "password \"@\""),
    ("db/robomongo.json", "  \"sshUserPassword\" : \"@\","),
    (".mozilla/logins.json", "\"encryptedPassword\":\"@\","),
];

#[test]
fn what_a_program_keeps_for_itself_is_a_password_however_weak() {
    for (path, written) in KEPT {
        let value = ["garden", "gate"].concat();
        let text = written.replace('@', &value) + "\n";
        let findings = Scenario::adding(path, &text).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{path}: {findings:?}") };
        assert_eq!((finding.line(), finding.confidence), (Some(1), Confidence::Medium), "{path}");
        assert!(!format!("{finding:?}").contains(&value), "{path}");
    }
}

#[test]
fn elsewhere_the_same_words_are_nothing() {
    for (_, written) in KEPT.iter().filter(|(path, _)| !path.ends_with("pgpass")) {
        let text = written.replace('@', &["garden", "gate"].concat()) + "\n";
        assert_eq!(Scenario::adding("src/settings.json", &text).lines(RULE), NOTHING, "{written}");
        assert_eq!(Scenario::adding("tests/fixtures/.netrc", &text).lines(RULE), NOTHING, "{written}");
    }
}

#[test]
fn references_switches_and_samples_are_left_alone() {
    for (path, text) in [
        (".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n"),
        (".npmrc", "always-auth=true\n"),
        (".ftpconfig", "    \"promptForPass\": false,\n"),
        (".ftpconfig", "    \"passphrase\": \"\",\n"),
        (".pgpass", "#hostname:port:database:username:password\n"),
        (".netrc", "machine db.acme.io login bob password <password>\n"),
        (".pypirc", "password = changeme\n"),
    ] {
        assert_eq!(Scenario::adding(path, text).lines(RULE), NOTHING, "{path}: {text}");
    }
}

#[test]
fn hashes_of_passwords_are_told_as_advice() {
    let noise = crate::secret_formats::noise(53, crate::secret_formats::MIXED);
    for text in [
        format!("INSERT INTO users VALUES\n(1, 'bob', '$2y$12${noise}', 1),\n"),
        format!("bob:$6$Zk3Lw9QxV7rT$n{noise}{}:17736:0:99999:7:::\n", &noise[..30]),
        format!("bob:$2b$12${noise}\n"),
    ] {
        let findings = Scenario::adding("db/dump.sql", &text).findings(RULE);
        let [finding] = findings.as_slice() else { panic!("{text}: {findings:?}") };
        assert_eq!(finding.confidence, Confidence::Low, "{text}");
    }
    for text in
        ["x = '$2y$12$short'\n", "hash.startswith('$2b$')\n", "bob:$6$salt$xxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"]
    {
        assert_eq!(Scenario::adding("db/a.py", text).lines(RULE), NOTHING, "{text}");
    }
}
