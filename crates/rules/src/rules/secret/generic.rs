//! A value that is called a password, a secret, a token or a key.

use std::ops::Range;

use super::detect::{Assurance, Found, Grade};
use super::encoded::decode;
use super::literal::{self, Literal, Manner};
use super::name::{Kind, Name};
use super::operator::{self, Operator};
use super::plain;
use super::sample::{is_made_up, is_placeholder, is_reference, is_sample_password, is_to_be_replaced};
use super::shape::{
    LONGEST, Strength, contains_any, distinct, is_adorned_word, is_random, is_uuid, strength,
};

/// `at` is the word in question, anywhere in `text`; it has to end its name and be given a literal value.
pub(super) fn value(text: &[u8], at: Range<usize>) -> Option<Found> {
    let name = Name::around(text, at.clone())?;
    let (operator, from) = operator::behind(&name)?;
    let literal = literal::read(&name, operator, from)?;
    let value = &text[literal.range.clone()];
    let (assurance, random) = judge(&name, operator, &literal, value)?;
    let telling = name.is_telling(&at);
    // Whatever somebody's key is for, what a generator made opens it.
    let assurance = if telling { assurance } else { Assurance::Possible };
    (telling || random && value.len() >= 20 && name.is_somebodys_key(&at)).then(|| Found {
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
        let issued = name.is_of_a_service() || name.kind == Kind::Token && !name.is_one_word();
        let plausible = issued && !is_placeholder(value) && distinct(value) >= 10;
        return plausible.then_some((Assurance::Possible, false));
    }
    if name.kind == Kind::Login {
        let random = || strength(value, LONGEST) == Some(Strength::Random);
        let assurance = if is_login(value) { Assurance::Likely } else { Assurance::Possible };
        return (assurance == Assurance::Likely || random()).then_some((assurance, true));
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
            && is_adorned_word(value)
            || plain::is_password(name, operator, value);
        let made_up = is_made_up_value(name, operator, value).then_some((Assurance::MadeUp, false));
        return kept.then_some((Assurance::Possible, false)).or(made_up);
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

/// Long enough for a token, and nothing says that it has to be replaced: whoever wrote it wanted none in particular,
/// or took the first that came to mind.
fn is_made_up_value(name: &Name<'_>, operator: Operator, value: &[u8]) -> bool {
    let direct = !matches!(operator, Operator::Compared | Operator::Spaced | Operator::Listed);
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    direct
        && mixed
        && (name.kind.shortest()..=LONGEST).contains(&value.len())
        && value.iter().all(u8::is_ascii_graphic)
        && is_made_up(value)
        && !is_to_be_replaced(value)
        && !is_reference(value)
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
