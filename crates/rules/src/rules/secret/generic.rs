//! A value that is called a password, a secret, a token or a key.

use std::ops::Range;

use super::detect::{Assurance, Found, Grade};
use super::encoded::decode;
use super::literal::{self, Literal, Manner};
use super::name::{Kind, Name};
use super::operator::{self, Operator};
use super::sample::{is_placeholder, is_sample_password};
use super::shape::{Strength, contains_any, distinct, is_adorned_word, is_random, is_uuid, strength};

/// `at` is the word in question, anywhere in `text`; it has to end its name and be given a literal value.
pub(super) fn value(text: &[u8], at: Range<usize>) -> Option<Found> {
    let name = Name::around(text, at.clone())?;
    let (operator, from) = operator::behind(&name)?;
    let literal = literal::read(&name, operator, from)?;
    let value = &text[literal.range.clone()];
    let (assurance, random) = judge(&name, operator, &literal, value)?;
    name.is_telling(&at).then(|| Found {
        range: literal.range,
        shown: 0,
        what: name.kind.what(),
        grade: if literal.manner == Manner::Bare { Grade::Bare } else { Grade::Quoted },
        assurance,
        random,
    })
}

fn judge(name: &Name<'_>, operator: Operator, literal: &Literal, value: &[u8]) -> Option<(Assurance, bool)> {
    if is_uuid(value) {
        let plausible = name.is_of_a_service() && !is_placeholder(value) && distinct(value) >= 10;
        return plausible.then_some((Assurance::Possible, false));
    }
    if name.kind == Kind::Login {
        return is_login(value).then_some((Assurance::Likely, true));
    }
    if is_wordpress(name, value) {
        return Some((Assurance::Likely, true));
    }
    if is_wallet_key(name, value) {
        return Some((Assurance::Likely, true));
    }
    if operator == Operator::Paired && name.is_one_word() && is_digest(value) {
        return None;
    }
    let value = value.strip_prefix(b"base64:").unwrap_or(value);
    if name.kind == Kind::Pat {
        let made = value.len() >= 20 && value.iter().all(u8::is_ascii_alphanumeric) && is_random(value);
        return (made && !is_placeholder(value)).then_some((Assurance::Likely, true));
    }
    let Some(strength) = strength(value, name.kind.shortest()) else {
        let kept = name.kind == Kind::Password
            && !matches!(operator, Operator::Compared | Operator::Spaced | Operator::Listed)
            && is_adorned_word(value);
        return kept.then_some((Assurance::Possible, false));
    };
    if operator == Operator::Listed && strength != Strength::Random {
        return None;
    }
    let direct = !matches!(operator, Operator::Compared | Operator::Spaced);
    let assurance = match strength {
        Strength::Random if direct && (value.len() >= 16 || name.kind == Kind::Password) => Assurance::Likely,
        Strength::Chosen if direct && name.kind == Kind::Password && literal.manner != Manner::Embedded => {
            Assurance::Likely
        }
        Strength::Random | Strength::Chosen | Strength::Weak => Assurance::Possible,
    };
    Some((assurance, strength == Strength::Random))
}

/// `{"password", "5e88..."}`: a word and its hash, as tests of hash functions list them.
fn is_digest(value: &[u8]) -> bool {
    [32, 40, 56, 64, 96, 128].contains(&value.len()) && value.iter().all(u8::is_ascii_hexdigit)
}

/// A user and a password in base64, as registries and their clients keep them.
fn is_login(value: &[u8]) -> bool {
    let Some(decoded) = decode(value).filter(|bytes| bytes.iter().all(u8::is_ascii_graphic)) else {
        return false;
    };
    let mut parts = decoded.splitn(2, |byte| *byte == b':');
    let (Some(user), Some(password)) = (parts.next(), parts.next()) else { return false };
    value.len() >= 12 && !user.is_empty() && password.len() >= 6 && !is_sample_password(password)
}

/// 32 bytes in hex, as wallets write them. What everybody runs locally opens nothing.
fn is_wallet_key(name: &Name<'_>, value: &[u8]) -> bool {
    const OF_A_LOCAL_CHAIN: [&[u8]; 2] = [b"ac0974bec39a17e3", b"59c6995e998f97a5"];
    let Some(digits) = value.strip_prefix(b"0x") else { return false };
    let private = contains_any(&name.text[name.range.clone()], &["private"]);
    private
        && digits.len() == 64
        && digits.iter().all(u8::is_ascii_hexdigit)
        && distinct(digits) >= 10
        && !OF_A_LOCAL_CHAIN.iter().any(|known| digits.starts_with(known))
}

/// The keys and salts of WordPress: 64 characters, spaces among them.
fn is_wordpress(name: &Name<'_>, value: &[u8]) -> bool {
    let printed = value.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    let signs = value.iter().filter(|byte| byte.is_ascii_punctuation()).count();
    matches!(name.kind, Kind::Key | Kind::Salt)
        && value.len() == 64
        && printed
        && signs >= 8
        && is_random(value)
        && !is_placeholder(value)
}
