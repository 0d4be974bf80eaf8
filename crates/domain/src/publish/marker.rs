use std::fmt;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use sha2::{Digest, Sha256};

use super::finder::{Finder, Found};
use super::mac::{mac, same};
use crate::change::Oid;
use crate::forge::{Identity, MergeRequestRef, PostedComment};
use crate::review::Fingerprint;

const OPENING: &str = "<!-- countersign:";
const CLOSING: &str = " -->";

/// What a comment of ours says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub kind: MarkKind,
    /// The commit it was written about; of a settled one, the commit that settled it.
    pub head: Oid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkKind {
    Finding {
        fingerprint: Fingerprint,
        state: MarkState,
        found: Found,
    },
    Summary {
        state: MarkState,
        /// Of what it says, however the forge has reformatted it.
        content: String,
        /// Findings that the forge would not take at their lines.
        unplaced: Vec<Fingerprint>,
        /// Who reviewed, as one word. Empty in comments of older versions.
        by: String,
    },
    /// Says that somebody is about to post, and goes when they have.
    Claim {
        /// Theirs alone.
        holder: String,
        /// Grows for as long as they are at it.
        beat: u64,
    },
    /// What a review as a whole carries.
    Batch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkState {
    Open,
    /// No longer reported.
    Settled,
    /// Somebody else said the same at the same time, and was first.
    Duplicate,
}

/// Tells our comments from everybody else's.
///
/// Where the forge says who we are, ours are those that we wrote. Where it does not, as with the token of an app, ours
/// are those whose marker carries a code that only the holder of a key can make, over the whole of the comment: a
/// stranger who copies it has to copy the comment with it.
#[derive(Debug, Clone)]
pub struct Seal {
    identity: Option<Identity>,
    key: Option<PublishKey>,
}

/// Never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PublishKey(Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the forge does not say who we are, and there is no key to sign comments with")]
pub struct NoSeal;

impl PublishKey {
    /// `None` for a key that could be guessed.
    pub fn new(secret: &str) -> Option<PublishKey> {
        let secret = secret.trim();
        (secret.len() >= 16).then(|| PublishKey(secret.as_bytes().to_vec()))
    }

    /// What nobody can make who does not hold the key.
    pub(super) fn code(&self, message: &str) -> String {
        mac(&self.0, message.as_bytes())
    }
}

impl fmt::Debug for PublishKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublishKey(..)")
    }
}

impl Seal {
    pub fn new(identity: Option<Identity>, key: Option<PublishKey>) -> Result<Seal, NoSeal> {
        if identity.is_none() && key.is_none() { Err(NoSeal) } else { Ok(Seal { identity, key }) }
    }

    /// The comment with its marker in front.
    pub fn write(&self, request: &MergeRequestRef, mark: &Mark, text: &str) -> String {
        let fields = mark.fields();
        let code = self.key.as_ref().map(|key| format!(" mac={}", code(key, request, &fields, text)));
        format!("{OPENING}{fields}{}{CLOSING}\n{text}", code.unwrap_or_default())
    }

    /// What a comment of ours says; `None` for everything else. The marker counts on the first line alone, so that
    /// a quotation of us is not us.
    pub fn read<'a>(&self, request: &MergeRequestRef, comment: &'a PostedComment) -> Option<(Mark, &'a str)> {
        let (line, text) = comment.body.trim_start().split_once('\n').unwrap_or((&comment.body, ""));
        let inner = line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let (fields, given) =
            inner.split_once(" mac=").map_or((inner, None), |(fields, mac)| (fields, Some(mac)));
        let ours = match (&self.identity, &self.key) {
            (Some(identity), _) => identity.wrote(comment),
            (None, Some(key)) => given.is_some_and(|given| same(given, &code(key, request, fields, text))),
            (None, None) => false,
        };
        let mark = ours.then(|| Mark::parse(fields, text)).flatten()?;
        Some((mark, text))
    }
}

/// Whether a comment begins with a marker as ours do, whoever wrote it.
pub fn is_marked(body: &str) -> bool {
    let line = body.trim_start().lines().next().unwrap_or_default().trim();
    line.strip_prefix(OPENING).is_some_and(|rest| rest.ends_with(CLOSING))
}

/// Over request, fields and text. White space at line ends does not count: forges change it.
fn code(key: &PublishKey, request: &MergeRequestRef, fields: &str, text: &str) -> String {
    mac(&key.0, format!("1\n{request}\n{fields}\n{}", normal(text)).as_bytes())
}

fn normal(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The digest that tells whether a text has to be written again.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(normal(text)).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl Mark {
    fn fields(&self) -> String {
        let head = &self.head;
        match &self.kind {
            MarkKind::Finding { fingerprint, state, found: Found { by, must_fix, file } } => {
                let (state, by) = (state.as_str(), by.word());
                let weight = if *must_fix { "must" } else { "may" };
                let file = file.as_ref().map(|file| format!(" file={file}")).unwrap_or_default();
                format!(
                    "finding fingerprint={fingerprint} head={head} state={state} by={by} fix={weight}{file}"
                )
            }
            MarkKind::Summary { state, content, unplaced, by } => {
                let unplaced: Vec<_> = unplaced.iter().map(Fingerprint::as_str).collect();
                let (state, unplaced) = (state.as_str(), unplaced.join(","));
                format!("summary head={head} state={state} content={content} by={by} unplaced={unplaced}")
            }
            MarkKind::Claim { holder, beat } => format!("claim head={head} holder={holder} beat={beat}"),
            MarkKind::Batch => format!("batch head={head}"),
        }
    }

    fn parse(fields: &str, text: &str) -> Option<Mark> {
        let mut words = fields.split(' ');
        let kind = words.next()?;
        let pairs: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
        let value = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let head = Oid::parse(value("head")?)?;
        let state = || MarkState::parse(value("state")?);
        let kind = match kind {
            "finding" => MarkKind::Finding {
                fingerprint: fingerprint(value("fingerprint")?)?,
                state: state()?,
                found: match value("by").and_then(Finder::parse) {
                    Some(by) => Found {
                        by,
                        must_fix: value("fix") != Some("may"),
                        file: value("file").map(str::to_owned),
                    },
                    None => Found::told_by(text),
                },
            },
            "summary" => MarkKind::Summary {
                state: state()?,
                content: value("content")?.to_owned(),
                unplaced: value("unplaced").unwrap_or_default().split(',').filter_map(fingerprint).collect(),
                by: value("by").unwrap_or_default().to_owned(),
            },
            "claim" => {
                MarkKind::Claim { holder: value("holder")?.to_owned(), beat: value("beat")?.parse().ok()? }
            }
            "batch" => MarkKind::Batch,
            _ => return None,
        };
        Some(Mark { kind, head })
    }
}

impl MarkState {
    fn as_str(self) -> &'static str {
        match self {
            MarkState::Open => "open",
            MarkState::Settled => "settled",
            MarkState::Duplicate => "duplicate",
        }
    }

    fn parse(text: &str) -> Option<MarkState> {
        [MarkState::Open, MarkState::Settled, MarkState::Duplicate]
            .into_iter()
            .find(|state| state.as_str() == text)
    }
}

fn fingerprint(text: &str) -> Option<Fingerprint> {
    let well_formed =
        text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let deserializer: StrDeserializer<'_, Error> = text.into_deserializer();
    well_formed.then(|| Fingerprint::deserialize(deserializer).ok()).flatten()
}
