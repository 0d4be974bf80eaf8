use std::ops::Range;
use std::sync::LazyLock;

use super::tokens::{Alphabet, Marked, Token};
use super::{address, calls, cluster, command, encoded, generic, issuers, joined, keys, spoken};
use crate::literals::Literals;
use crate::rule::{Sign, Stands};

/// What kind of evidence there is that something is a secret; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// It has the form its issuer gave it.
    Format,
    /// It has a known form, but one that anybody can make: keys and signed tokens, as tests need them.
    HomeMade,
    /// A quoted value with a telling name, or a place that only credentials have.
    Quoted,
    /// An unquoted value with a telling name.
    Bare,
}

impl Grade {
    /// Whether the form alone gives it away, whatever it is called.
    pub(crate) fn is_known_form(self) -> bool {
        self <= Grade::HomeMade
    }
}

/// How far the evidence goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Assurance {
    /// Nothing else looks like this.
    Certain,
    /// Looks random, or like a password somebody chose.
    Likely,
    /// Might as well be a sample, or opens nothing that matters.
    Possible,
    /// Has all that its issuer asks for, but letters and digits in their order.
    MadeUp,
}

#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    /// How many of its first bytes are no secret, because they only name the kind.
    pub(crate) shown: usize,
    pub(crate) what: &'static str,
    pub(crate) grade: Grade,
    pub(crate) assurance: Assurance,
    /// Whether the value looks like the output of a random generator.
    pub(crate) random: bool,
}

/// What the text is, which decides how much doubt it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Code and what is said about it: samples, placeholders and names of things are no secrets.
    Code,
    /// What programs print, on its way into logs: a sample that is masked does no harm there, a secret that is not
    /// does.
    Output,
}

pub(super) struct Detector {
    pub(super) literal: &'static [u8],
    what: &'static str,
    find: Find,
}

/// Where the secret is that a literal announces.
pub(super) type Finder = fn(&[u8], Range<usize>) -> Option<Range<usize>>;

/// The same, with how sure that is.
pub(super) type Judge = fn(&[u8], Range<usize>, Reading) -> Option<(Range<usize>, Assurance)>;

enum Find {
    /// The literal is the token's prefix, in exactly this case.
    Token(Token),
    /// The literal stands inside the token, in exactly this case.
    Marked(Marked),
    /// The literal has to stand exactly so.
    Exact(Finder, Grade),
    /// The literal may stand in any case.
    Context(Finder, Grade),
    /// The literal may stand in any case, and what it announces may be a sample.
    Judged(Judge),
    /// The literal is the start of a token, encoded.
    Encoded,
    /// The literal is part of a telling name.
    Named,
    /// The literal says that what is around it is an object that holds secrets.
    Cluster,
}

pub(super) const fn token(literal: &'static [u8], what: &'static str, token: Token) -> Detector {
    Detector { literal, what, find: Find::Token(token) }
}

pub(super) const fn marked(
    literal: &'static [u8],
    what: &'static str,
    alphabet: Alphabet,
    before: (usize, usize),
    after: (usize, usize),
) -> Detector {
    Detector { literal, what, find: Find::Marked(Marked { alphabet, before, after }) }
}

pub(super) const fn exact(literal: &'static [u8], what: &'static str, find: Finder) -> Detector {
    Detector { literal, what, find: Find::Exact(find, Grade::Format) }
}

pub(super) const fn in_context(literal: &'static [u8], what: &'static str, find: Finder) -> Detector {
    Detector { literal, what, find: Find::Context(find, Grade::Format) }
}

pub(super) const fn guess(literal: &'static [u8], what: &'static str, find: Finder) -> Detector {
    Detector { literal, what, find: Find::Context(find, Grade::Quoted) }
}

const fn home_made(literal: &'static [u8], what: &'static str, find: Finder) -> Detector {
    Detector { literal, what, find: Find::Exact(find, Grade::HomeMade) }
}

const fn judged(literal: &'static [u8], what: &'static str, judge: Judge) -> Detector {
    Detector { literal, what, find: Find::Judged(judge) }
}

const fn base64(literal: &'static [u8]) -> Detector {
    Detector { literal, what: "a token, encoded in base64", find: Find::Encoded }
}

const fn named(literal: &'static [u8]) -> Detector {
    Detector { literal, what: "what looks like a credential", find: Find::Named }
}

const IN_HEADER: &str = "a credential in an HTTP header";
const HASH: &str = "a password's hash";
const IN_COMMAND: &str = "a password in a command line";
const IN_CALL: &str = "a password in a call";
const IN_STATEMENT: &str = "a password in a statement of SQL";

/// Forms that are nobody's in particular.
const FORMS: &[Detector] = &[
    home_made(b"-----BEGIN ", keys::PRIVATE_KEY, keys::private_key),
    home_made(b"---- BEGIN SSH2 ", keys::PRIVATE_KEY, keys::ssh2_key),
    home_made(b"PuTTY-User-Key-File-", keys::PRIVATE_KEY, keys::putty_key),
    home_made(b"Private-Lines: ", keys::PRIVATE_KEY, keys::putty_body),
    home_made(b"LS0tLS1CRUdJTi", "a private key, encoded in base64", encoded::key),
    home_made(b"eyJ", "a JSON web token", encoded::jwt),
    base64(b"Z2hwX"),
    base64(b"Z2hzX"),
    base64(b"Z2l0aHViX3BhdF"),
    base64(b"Z2xwYXQt"),
    base64(b"QUtJQ"),
    base64(b"QUl6Y"),
    base64(b"c2tfbGl2ZV"),
    base64(b"c2stYW50L"),
    base64(b"c2stcHJvai"),
    base64(b"eG94Yi"),
    base64(b"eG94cC"),
    base64(b"bnBtX"),
    base64(b"cHlwaS1BZ0"),
    base64(b"ZG9wX3Yx"),
    base64(b"U0cu"),
];

/// Places that hold a credential, or a sample of one.
const PLACES: &[Detector] = &[
    judged(b"://", "an address with a password in it", address::password),
    judged(b"authorization", IN_HEADER, command::authorization),
    judged(b"bearer ", IN_HEADER, command::bearer),
    judged(b"curl ", IN_COMMAND, command::curl_user),
    judged(b"wget ", IN_COMMAND, command::curl_user),
    judged(b"-user ", IN_COMMAND, command::pair),
    judged(b"sshpass ", IN_COMMAND, command::short_password),
    judged(b"docker login", IN_COMMAND, command::short_password),
    judged(b"podman login", IN_COMMAND, command::short_password),
    judged(b"registry login", IN_COMMAND, command::short_password),
    judged(b"az login", IN_COMMAND, command::short_password),
    judged(b"psexec", IN_COMMAND, command::short_password),
    judged(b"mongosh ", IN_COMMAND, command::short_password),
    judged(b"mongodump ", IN_COMMAND, command::short_password),
    judged(b"mongorestore ", IN_COMMAND, command::short_password),
    judged(b"sqlcmd ", IN_COMMAND, command::capital_password),
    judged(b"redis-cli ", IN_COMMAND, command::redis_password),
    judged(b"ldapsearch ", IN_COMMAND, command::bind_password),
    judged(b"ldapadd ", IN_COMMAND, command::bind_password),
    judged(b"ldapmodify ", IN_COMMAND, command::bind_password),
    judged(b" pass:", IN_COMMAND, command::openssl_password),
    judged(b"mysql", IN_COMMAND, command::short_password),
    judged(b"$apr1$", HASH, command::password_file),
    judged(b":{SHA}", HASH, command::password_file),
    judged(b":$2y$", HASH, command::password_file),
    judged(b":$2a$", HASH, command::password_file),
    judged(b":$2b$", HASH, command::password_file),
    judged(b":$1$", HASH, command::password_file),
    judged(b":$5$", HASH, command::password_file),
    judged(b":$6$", HASH, command::password_file),
    judged(b":$y$", HASH, command::password_file),
    judged(b"'$2y$", HASH, command::stored_hash),
    judged(b"'$2a$", HASH, command::stored_hash),
    judged(b"'$2b$", HASH, command::stored_hash),
    judged(b".login(", IN_CALL, command::login),
    judged(b"networkcredential(", IN_CALL, calls::last_of_pair),
    judged(b"directoryentry(", IN_CALL, calls::last_of_pair),
    judged(b"passwordauthentication(", IN_CALL, calls::last_of_pair),
    judged(b"passwordtoken(", IN_CALL, calls::last_of_pair),
    judged(b"passwordcredentials(", IN_CALL, calls::last_of_pair),
    judged(b"basicauth(", IN_CALL, calls::last_of_pair),
    judged(b"basic_auth(", IN_CALL, calls::last_of_pair),
    judged(b"getconnection(", IN_CALL, calls::last_of_pair),
    judged(b"mysqli_connect(", IN_CALL, calls::last_of_pair),
    judged(b"new mysqli(", IN_CALL, calls::last_of_pair),
    judged(b"auth=(", IN_CALL, calls::last_of_pair),
    judged(b"auth = (", IN_CALL, calls::last_of_pair),
    judged(b"identified by ", IN_STATEMENT, command::identified_by),
    judged(b"identified with ", IN_STATEMENT, command::identified_with),
];

const NAMES: &[Detector] = &[
    named(b"pass"),
    named(b"pwd"),
    named(b"secret"),
    named(b"token"),
    named(b"_pat"),
    named(b"key"),
    named(b"cred"),
    named(b"salt"),
    named(b"auth"),
];

const CLUSTER: Detector = Detector { literal: b"kind: secret", what: cluster::VALUE, find: Find::Cluster };

static DETECTORS: LazyLock<Vec<&'static Detector>> =
    LazyLock::new(|| issuers::all().chain(FORMS).chain(PLACES).chain(NAMES).chain([&CLUSTER]).collect());

/// Where texts are put together: the prefix of a token may stand in both of them.
const JOINTS: [&[u8]; 10] = [
    b"\" + \"",
    b"' + '",
    b"\"+\"",
    b"'+'",
    b"\" . \"",
    b"' . '",
    b".join(\"\")",
    b".join('')",
    b"\"\".join(",
    b"''.join(",
];

/// What has to stand in a line for a known form.
pub(super) static FORM_SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    let joints = JOINTS.iter().map(|joint| Sign { literal: joint, stands: Stands::Exactly });
    issuers::all().chain(FORMS).map(Detector::sign).chain(joints).collect()
});

/// What has to stand in a line for anything else that may be a credential.
pub(super) static GUESS_SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    let by_context = issuers::all().filter(|issuer| matches!(issuer.find, Find::Context(_, Grade::Quoted)));
    by_context.chain(PLACES).chain(NAMES).map(Detector::sign).collect()
});

static SEARCH: LazyLock<Literals> =
    LazyLock::new(|| Literals::new(DETECTORS.iter().map(|detector| detector.literal)));

/// Every secret in the text, by position. Each detector looks a bounded way around its literal, so this is
/// linear; private keys alone reach further, and are not looked for inside one another.
pub(crate) fn secrets_in(text: &[u8]) -> Vec<Found> {
    secrets_read_as(text, Reading::Code)
}

pub(crate) fn secrets_read_as(text: &[u8], reading: Reading) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut holds_objects = false;
    SEARCH.each(text, |number, start| {
        let detector = DETECTORS[number];
        let at = start..start + detector.literal.len();
        let covered = found.last().is_some_and(|last| last.grade.is_known_form() && last.range.end >= at.end);
        holds_objects |= matches!(detector.find, Find::Cluster);
        if !covered {
            found.extend(detector.found(text, at, reading));
        }
    });
    if holds_objects {
        found.extend(cluster::secrets(text));
    }
    for chain in joined::chains(text) {
        found.extend(joined_secrets(&chain, reading));
    }
    found.sort_by_key(|found| (found.range.start, found.grade));
    found
}

/// Tokens that stand in no piece of a chain alone.
fn joined_secrets(chain: &joined::Chain, reading: Reading) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    SEARCH.each(&chain.text, |number, start| {
        let detector = DETECTORS[number];
        let at = start..start + detector.literal.len();
        let is_sure = matches!(&detector.find, Find::Token(token) if !token.may_be_chance());
        let known = is_sure.then(|| detector.found(&chain.text, at, reading)).flatten();
        let across = known.and_then(|known| Some(Found { range: chain.across(&known.range)?, ..known }));
        found.extend(across);
    });
    found
}

impl Detector {
    fn sign(&self) -> Sign {
        let stands = match self.find {
            Find::Token(_) => Stands::AsAWord,
            Find::Marked(_) | Find::Exact(..) | Find::Encoded => Stands::Exactly,
            Find::Context(..) | Find::Judged(_) | Find::Named | Find::Cluster => Stands::Anyhow,
        };
        Sign { literal: self.literal, stands }
    }

    fn found(&self, text: &[u8], at: Range<usize>, reading: Reading) -> Option<Found> {
        let exact = text[at.clone()] == *self.literal;
        let known = |range: Range<usize>, shown, grade, assurance| Found {
            range,
            shown,
            what: self.what,
            grade,
            assurance,
            random: true,
        };
        match &self.find {
            Find::Token(_) | Find::Marked(_) | Find::Exact(..) | Find::Encoded if !exact => None,
            Find::Token(token) => {
                let (range, assurance) = token.find(text, at, reading)?;
                Some(known(range, self.literal.len(), Grade::Format, assurance))
            }
            Find::Marked(marked) => {
                Some(known(marked.find(text, at, reading)?, 0, Grade::Format, Assurance::Certain))
            }
            Find::Exact(find, grade) => Some(known(find(text, at)?, 0, *grade, Assurance::Certain)),
            Find::Context(find, grade) => {
                let assurance = if *grade == Grade::Format { Assurance::Certain } else { Assurance::Likely };
                Some(known(find(text, at)?, 0, *grade, assurance))
            }
            Find::Judged(judge) => {
                let (range, assurance) = judge(text, at, reading)?;
                Some(known(range, 0, Grade::Quoted, assurance))
            }
            Find::Encoded => Some(known(encoded::token(text, at)?, 0, Grade::Format, Assurance::Certain)),
            // One object may follow another: all of them are looked at together, once.
            Find::Cluster => None,
            Find::Named => match reading {
                Reading::Code => generic::value(text, at),
                Reading::Output => generic::value(text, at.clone()).or_else(|| spoken::value(text, at)),
            },
        }
    }
}
