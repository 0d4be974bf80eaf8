//! Names that say that their value is a secret.

use std::ops::Range;

use super::tokens::is_word;

/// No name is longer; the rest of it says nothing more.
const LONGEST: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Password,
    Secret,
    Token,
    /// A personal access token, as three letters.
    Pat,
    Key,
    Salt,
    Credential,
    Login,
}

impl Kind {
    pub(super) fn what(self) -> &'static str {
        match self {
            Kind::Password => "what looks like a password",
            Kind::Secret | Kind::Salt => "what looks like a secret",
            Kind::Token | Kind::Pat => "what looks like a token",
            Kind::Key => "what looks like an API key",
            Kind::Credential | Kind::Login => "what looks like a credential",
        }
    }

    /// What nobody would call by this name if it were shorter, unless a generator made it.
    pub(super) fn shortest(self) -> usize {
        if self == Kind::Password { 8 } else { 16 }
    }
}

/// An identifier whose end is the telling word.
#[derive(Debug, Clone)]
pub(super) struct Name<'a> {
    pub(super) text: &'a [u8],
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

/// What may stand behind the telling word without changing what it tells.
const SUFFIXES: &str = "\
    prod production staging stage dev development live value val string str raw plain plaintext base base64 \
    b64 hex default admin root old new main primary secondary current backup master b v text literal";

/// Words in a name that say that its value may be seen by anybody, or is something else altogether.
const HARMLESS: &str = "\
    public pub csrf xsrf page next continuation sync cursor mint contract address addr placeholder fingerprint \
    checksum model hash hashed digest encrypted sealed foreign sort partition cache tokenizer bos eos pad unk \
    sep cls special stop idempotency publishable site anon field column label translation i18n css design \
    color lookup index row hint regex";

/// What makes a key one that opens something.
const OF_A_KEY: &str = "\
    api access auth authentication authorization private secret encryption encrypt decryption crypto \
    cipher signing sign signature validation master account shared storage consumer app application license licence \
    service admin deploy deployment ssh hmac jwt aes client session cookie token webhook server nonce in write \
    integration routing ingest ingestion subscription function host maps google stripe sendgrid openai twilio \
    mailgun datadog firebase azure aws developer user sdk slack github gitlab sentry algolia mapbox cloudflare \
    heroku anthropic supabase infura alchemy etherscan newrelic telnyx tailscale ca hcaptcha recaptcha stream";

/// What is written in one word with `pass` where it means a password; `bypass` and `compass` do not.
const OF_A_PASS: &str =
    "db user my admin root smtp mail ftp ssh web login sql pg redis auth app require master store";

fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

impl<'a> Name<'a> {
    /// `at` is part of a word in question. `None` unless it ends its name, or only says more about the same thing.
    pub(super) fn around(text: &'a [u8], at: Range<usize>) -> Option<Name<'a>> {
        let (kind, word_end) = kind(text, &at)?;
        let tail = text[word_end..]
            .iter()
            .take(LONGEST)
            .take_while(|byte| is_word(**byte) || **byte == b'-')
            .count();
        let range = word_end..word_end + tail;
        if tail > 0 && !is_suffix(&text[range.clone()]) {
            return None;
        }
        let head = text[..at.start]
            .iter()
            .rev()
            .take(LONGEST)
            .take_while(|byte| is_word(**byte) || **byte == b'-')
            .count();
        Some(Name { text, range: at.start - head..range.end, kind })
    }

    /// Whether the words in front of the telling one leave it its meaning.
    pub(super) fn is_telling(&self, at: &Range<usize>) -> bool {
        let head = &self.text[self.range.start..at.start];
        let harmless = words(head).iter().any(|word| is_listed(HARMLESS, word));
        let words = if head.is_empty() { words(self.before_dot()) } else { words(head) };
        let numbered = |word: &&String| *word == "v" || word.bytes().all(|byte| byte.is_ascii_digit());
        let last = words.iter().rfind(|word| !numbered(word)).map_or("", String::as_str);
        let telling = match self.kind {
            Kind::Key => self.is_spoken_key(head) || OF_A_KEY.split(' ').any(|word| last.ends_with(word)),
            Kind::Password if at.end == self.range.end && at.len() == 4 => {
                let apart = head.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
                let hump = self.text[at.start].is_ascii_uppercase()
                    && head.last().is_some_and(u8::is_ascii_lowercase);
                apart || hump || OF_A_PASS.split(' ').any(|word| last.ends_with(word))
            }
            Kind::Salt => !words.is_empty(),
            Kind::Login => head.is_empty() || head == b"_",
            Kind::Password | Kind::Secret | Kind::Token | Kind::Pat | Kind::Credential => true,
        };
        telling && !harmless
    }

    /// `api key`, in two words.
    fn is_spoken_key(&self, head: &[u8]) -> bool {
        let before = self.before().trim_ascii_end();
        let apart = before.len() < self.before().len() && head.is_empty();
        let word = before.rsplit(|byte| !is_word(*byte)).next().unwrap_or_default();
        apart && [&b"api"[..], b"access"].iter().any(|known| word.eq_ignore_ascii_case(known))
    }

    /// `acme_key`, `REDIS_AUTH`: it belongs to something, of which nobody knows what it is.
    pub(super) fn is_somebodys_key(&self, at: &Range<usize>) -> bool {
        const OF_DATA: &str = "\
    object s3 file data dataset dedup dedupe group event message record entity item node cell doc document query \
    search blob image asset layer lock feature flag setting config bucket table primary unique natural composite \
    state map dict hot idx schema sequence host known issuer trusted release commit build content signature \
    issue project tree map sha md5 guid uuid";
        let head = words(&self.text[self.range.start..at.start]);
        let harmless = |word: &String| is_listed(HARMLESS, word) || is_listed(OF_DATA, word);
        matches!(self.kind, Kind::Key | Kind::Login) && !head.is_empty() && !head.iter().any(harmless)
    }

    /// The last part of the path to it: `api` of `acme.api.key`.
    fn before_dot(&self) -> &'a [u8] {
        let before = self.before();
        let Some(path) = before.strip_suffix(b".") else { return b"" };
        path.rsplit(|byte| !is_word(*byte)).next().unwrap_or_default()
    }

    /// Whether it is called what services call their own credentials, which may well be UUIDs.
    pub(super) fn is_of_a_service(&self) -> bool {
        const ISSUERS: &str = "\
    heroku snyk squarespace postmark launchdarkly octopus codacy infura rollbar mailjet logzio npm registry \
    auth scaleway hubspot consul nomad splunk hec opsgenie loggly cypress codecov travis netlify pingdom vault \
    sinch vonage papertrail jenkins";
        let name: String =
            [words(self.before_dot()), words(&self.text[self.range.clone()])].concat().concat();
        let issued = ISSUERS.split(' ').any(|issuer| name.contains(issuer));
        [
            "apikey",
            "apitoken",
            "accesstoken",
            "authtoken",
            "clientsecret",
            "licensekey",
            "accesskey",
            "secretkey",
        ]
        .iter()
        .any(|end| name.ends_with(end))
            || issued
    }

    /// Whether it says no more than `password`.
    pub(super) fn is_one_word(&self) -> bool {
        words(&self.text[self.range.clone()]).len() == 1
    }

    /// Whether it is a flag of a command: `--password`, `-Password`.
    pub(super) fn is_flag(&self) -> bool {
        let apart = self.text[..self.range.start].last().is_none_or(u8::is_ascii_whitespace);
        let name = &self.text[self.range.clone()];
        name.starts_with(b"--") || (name.starts_with(b"-") && apart && self.range.start > 0)
    }

    /// What stands in front of it, as far as matters.
    pub(super) fn before(&self) -> &'a [u8] {
        &self.text[self.range.start.saturating_sub(200)..self.range.start]
    }

    /// Whether it asks for or checks something, as functions do that are called with a name.
    pub(super) fn asks(&self) -> bool {
        const VERBS: &str = "\
    get find read check validate verify has is reset forgot parse load fetch require contains compare assert \
    expect";
        words(&self.text[self.range.clone()]).first().is_some_and(|first| is_listed(VERBS, first))
    }
}

/// The kind of the word that starts at the literal, and where it ends.
fn kind(text: &[u8], at: &Range<usize>) -> Option<(Kind, usize)> {
    let rest = &text[at.end..];
    let behind = |ends: &[&str]| {
        let end = ends
            .iter()
            .find(|end| rest.len() >= end.len() && rest[..end.len()].eq_ignore_ascii_case(end.as_bytes()));
        at.end + end.map_or(0, |end| end.len())
    };
    Some(match text[at.start].to_ascii_lowercase() {
        b'p' => (Kind::Password, behind(&["words", "word", "wort", "wd", "phrase", "code"])),
        b's' if at.len() == 4 => (Kind::Salt, at.end),
        b's' => (Kind::Secret, behind(&["s"])),
        b't' => (Kind::Token, at.end),
        b'_' => (Kind::Pat, at.end),
        b'k' => (Kind::Key, at.end),
        b'c' => (Kind::Credential, behind(&["entials", "ential", "s"])),
        b'a' => (Kind::Login, at.end),
        _ => return None,
    })
}

fn is_suffix(tail: &[u8]) -> bool {
    if tail[0].is_ascii_lowercase() {
        return false;
    }
    let known = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit()) || is_listed(SUFFIXES, word);
    words(tail).iter().all(known)
}

/// In lower case; `camelCase` is two words, and so is what any sign separates.
pub(super) fn words(text: &[u8]) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = b'A';
    for byte in text {
        let begins = byte.is_ascii_uppercase() && !before.is_ascii_uppercase()
            || byte.is_ascii_digit() && before.is_ascii_alphabetic();
        if begins || !byte.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| byte.is_ascii_alphanumeric()) {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        before = *byte;
    }
    words.retain(|word| !word.is_empty());
    words
}
