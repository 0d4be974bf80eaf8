//! Tokens of one issuer each that are more than a prefix and a body.

use std::ops::Range;

use super::sample::is_sample_token;
use super::shape::{distinct, entropy, is_random, is_uuid};
use super::tokens::{Alphabet, is_glued, is_word};

/// Forty characters of base64 behind the name AWS gives them.
pub(super) fn aws_secret(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let name = text[at.end..].iter().take(24).take_while(|byte| is_word(**byte) || **byte == b'-').count();
    let from = at.end + name;
    let gap = text[from..].iter().take(14).take_while(|byte| b"\\\"' :=>\t`,(@&".contains(byte)).count();
    let start = from + gap;
    let run = Alphabet::Base64.run(&text[start..]);
    let value = &text[start..start + run];
    (gap > 0 && run == 40 && entropy(value) >= 4.0 && !is_sample_token(value)).then_some(start..start + run)
}

/// Three characters and a digit in front of `Q~`, 31 to 34 behind it.
pub(super) fn azure_client_secret(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let holds = |byte: &u8| byte.is_ascii_alphanumeric() || b"_~.-".contains(byte);
    let before = text[..at.start].iter().rev().take(6).take_while(|byte| holds(byte)).count();
    let after = text[at.end..].iter().take(40).take_while(|byte| holds(byte)).count();
    let range = at.start.checked_sub(4)?..at.end + after;
    let digit = text[at.start - 1].is_ascii_digit();
    let value = &text[range.clone()];
    (before == 4 && digit && (31..=34).contains(&after) && !is_sample_token(value)).then_some(range)
}

/// Twenty-odd letters `A`, then the account's part, percent-encoded.
pub(super) fn x_bearer(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let holds = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'%';
    let run = text[at.start..].iter().take(200).take_while(|byte| holds(byte)).count();
    let token = &text[at.start..at.start + run];
    let fits = (90..=140).contains(&run) && token.contains(&b'%') && is_random(&token[22..]);
    let sample = is_glued(text, at.start) || (fits && is_sample_token(&token[22..]));
    (fits && !sample).then_some(at.start..at.start + run)
}

/// `EAA` and a long run of letters and digits. A line of base64 may look the same: where it could be one, it is.
pub(super) fn facebook(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let run = Alphabet::Url.run(&text[at.start..]);
    let range = at.start..at.start + run;
    let before = text[..at.start].iter().rev().take(40).take_while(|byte| **byte != b'\n');
    let opens_line = before.copied().all(|byte| byte.is_ascii_whitespace() || byte == b'>');
    let goes_on = text.get(range.end).is_some_and(|byte| b"\\+/=".contains(byte));
    let is_line = opens_line && run < 100 && !text[..at.start].trim_ascii_end().ends_with(b"=");
    let fits = (60..=400).contains(&run) && !goes_on && !is_line && !is_glued(text, at.start);
    let body = &text[at.end..range.end];
    (fits && is_random(body) && !is_sample_token(body)).then_some(range)
}

/// A bot's number, a colon, and a key that starts with `AA`.
pub(super) fn telegram(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let digits = text[..at.start].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let start = at.start - digits;
    let glued = is_glued(text, start) && !text[..start].ends_with(b"bot");
    let run = Alphabet::Url.run(&text[at.end..]);
    let key = &text[at.end..at.end + run];
    let fits = (8..=10).contains(&digits) && (32..=33).contains(&run) && !glued && !is_sample_token(key);
    fits.then_some(start..at.end + run)
}

/// Two parts behind `SG.`, of 22 and 43 characters.
pub(super) fn sendgrid(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[at.end..];
    let first = Alphabet::Url.run(rest);
    let second = Alphabet::Url.run(rest.get(first + 1..)?);
    let fits = !is_glued(text, at.start) && first == 22 && rest[first] == b'.' && second == 43;
    (fits && !is_sample_token(&rest[..first + 1 + second])).then_some(at.start..at.end + first + 1 + second)
}

/// 32 hex digits in front of `-us` and the number of a data centre.
pub(super) fn mailchimp(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let before = Alphabet::Hex.run_back(&text[..at.start]);
    let number = text[at.end..].iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let range = at.start.checked_sub(32)?..at.end + number;
    let fits = before == 32 && (1..=2).contains(&number) && !is_glued(text, range.start);
    (fits && !is_sample_token(&text[range.start..at.start])).then_some(range)
}

/// Six characters, `_`, 29 more and the mark.
pub(super) fn maxmind(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let before = Alphabet::Word.run_back(&text[..at.start]);
    let value = &text[at.start.checked_sub(36)?..at.start];
    let fits = before == 36 && value[6] == b'_' && !text.get(at.end).is_some_and(|byte| is_word(*byte));
    (fits && !is_sample_token(value)).then_some(at.start - 36..at.end)
}

/// 32 hex digits on a line that speaks of Twilio.
pub(super) fn twilio(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let fits = |value: &[u8]| value.len() == 32 && value.iter().all(|byte| Alphabet::Hex.holds(*byte));
    let is_key = |value: &[u8]| fits(value) || value.strip_prefix(b"SK").is_some_and(fits);
    quoted_nearby(text, at.end, Alphabet::AlphaNumeric, is_key)
}

/// `pat`, 14 characters, a dot and 64 hex digits; or the older `key` and 14 characters.
pub(super) fn airtable(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Dotted, |value| {
        let new = value.starts_with(b"pat") && value.len() == 82 && value[17] == b'.';
        new || (value.starts_with(b"key") && value.len() == 17)
    })
}

/// A number, a slash or a colon, and 32 hex digits.
pub(super) fn asana(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let reach = text.len().min(at.end + 160);
    let colon = at.end + memchr::memrchr(b':', &text[at.end..reach])?;
    let key = Alphabet::Hex.run(&text[colon + 1..]);
    let number = text[..colon]
        .iter()
        .rev()
        .take(40)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'/')
        .count();
    (key == 32 && number >= 14 && is_random(&text[colon + 1..colon + 33]))
        .then_some(colon - number..colon + 33)
}

/// `production$` or `sandbox$`, sixteen characters, a dollar and 32 hex digits.
pub(super) fn braintree(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[at.end..];
    let place = Alphabet::AlphaNumeric.run(rest);
    let merchant = Alphabet::AlphaNumeric.run(rest.get(place + 1..)?);
    let key_at = place + merchant + 2;
    let key = Alphabet::Hex.run(rest.get(key_at..)?);
    let fits =
        [b"production".as_slice(), b"sandbox"].contains(&&rest[..place]) && merchant == 16 && key == 32;
    (fits && !is_sample_token(&rest[key_at..key_at + key])).then_some(at.start..at.end + key_at + key)
}

/// A bot's number in base64, a time and a signature, with dots between.
pub(super) fn discord_bot(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Dotted, |value| {
        let parts: Vec<usize> = value.split(|byte| *byte == b'.').map(<[u8]>::len).collect();
        let fits = matches!(parts[..], [23..=28, 6..=7, 27..=40]);
        fits && b"MNO".contains(&value[0])
    })
}

/// A prefix and a UUID.
pub(super) fn uuid_behind(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let run = Alphabet::Url.run(&text[at.end..]);
    let value = &text[at.end..at.end + run];
    let real = is_uuid(value) && distinct(value) >= 10 && !is_sample_token(value);
    (real && !is_glued(text, at.start)).then_some(at.start..at.end + run)
}

/// Parts of the given lengths behind the prefix, with dots between.
fn in_parts(text: &[u8], at: &Range<usize>, lengths: &[usize]) -> Option<Range<usize>> {
    let run = Alphabet::Dotted.run(&text[at.end..]);
    let body = &text[at.end..at.end + run];
    let fits = body.split(|byte| *byte == b'.').map(<[u8]>::len).eq(lengths.iter().copied());
    (fits && !is_glued(text, at.start) && is_random(body) && !is_sample_token(body))
        .then_some(at.start..at.end + run)
}

/// An account, a key and a secret.
pub(super) fn harness(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    in_parts(text, &at, &[22, 24, 20])
}

/// `sc_`, `ext_` and the like with a client and a key in front of the account, and the secret behind it.
pub(super) fn authress(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let before = Alphabet::Dotted.run_back(&text[..at.start]);
    let start = at.start - before.min(60);
    let opened = [&b"sc_"[..], b"ext_", b"scauth_", b"authress_"]
        .iter()
        .any(|prefix| text[start..at.start].starts_with(prefix));
    let after = Alphabet::Header.run(&text[at.end..]);
    let secret = text[at.end..at.end + after].rsplit(|byte| *byte == b'.').next()?;
    let fits = opened && before < 60 && secret.len() >= 30 && is_random(secret);
    (fits && !is_sample_token(secret)).then_some(start..at.end + after)
}

/// Eight hex digits, a colon, eight more.
fn sidekiq_pair(value: &[u8]) -> bool {
    value.len() == 17
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 => *byte == b':',
            _ => Alphabet::Hex.holds(*byte),
        })
        && distinct(value) >= 6
}

/// `https://pair@gems.contribsys.com`
pub(super) fn sidekiq_address(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let end = at.start.checked_sub(1).filter(|sign| b"@.".contains(&text[*sign]))?;
    let end = if text[end] == b'@' { end } else { text[..end].iter().rposition(|byte| *byte == b'@')? };
    let start = end.checked_sub(17)?;
    (at.start - end < 40 && sidekiq_pair(&text[start..end])).then_some(start..end)
}

/// The variable of Bundler that holds the pair.
pub(super) fn sidekiq(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let gap = text[at.end..].iter().take(8).take_while(|byte| b"\"' :=".contains(byte)).count();
    let range = at.end + gap..at.end + gap + 17;
    text.get(range.clone()).is_some_and(sidekiq_pair).then_some(range)
}

/// A user's number and 32 characters.
pub(super) fn clickup(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let number = text[at.end..].iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let from = at.end + number + 1;
    let key = Alphabet::UpperDigits.run(text.get(from..)?);
    let fits = number >= 5 && text[from - 1] == b'_' && key == 32 && !is_glued(text, at.start);
    (fits && !is_sample_token(&text[from..from + key])).then_some(at.start..from + key)
}

/// An organisation, an exclamation mark and a long run.
pub(super) fn salesforce(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let number = Alphabet::AlphaNumeric.run(&text[at.end..]);
    let from = at.end + number + 1;
    let body = Alphabet::Dotted.run(text.get(from..)?);
    let fits = [12, 15].contains(&number) && text[from - 1] == b'!' && (80..=130).contains(&body);
    (fits && !is_glued(text, at.start) && !is_sample_token(&text[from..from + body]))
        .then_some(at.start..from + body)
}

/// `live_` and forty characters on a line that speaks of GoCardless.
pub(super) fn gocardless(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Url, |value| {
        value.strip_prefix(b"live_").is_some_and(|key| key.len() == 40)
    })
}

/// `md-` and 22 characters, or those alone.
pub(super) fn mandrill(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Url, |value| {
        let key = value.strip_prefix(b"md-").unwrap_or(value);
        key.len() == 22 && is_random(key)
    })
}

/// `re_`, eight characters and 24.
pub(super) fn resend(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Word, |value| {
        value.strip_prefix(b"re_").is_some_and(|key| key.len() == 33 && key[8] == b'_' && is_random(key))
    })
}

/// `sk_` and 48 hex digits.
pub(super) fn eleven_labs(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Word, |value| {
        value
            .strip_prefix(b"sk_")
            .is_some_and(|key| key.len() == 48 && key.iter().all(|byte| Alphabet::Hex.holds(*byte)))
    })
}

/// `sdk-`, `mob-` or `api-` and a UUID.
pub(super) fn launch_darkly(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Url, |value| {
        value.get(4..).is_some_and(|key| is_uuid(key) && distinct(key) >= 10)
            && [&b"sdk-"[..], b"mob-", b"api-"].contains(&&value[..4])
    })
}

/// 32 hex digits, eight and eight more, with dashes between; or `pubkey-` and 32.
pub(super) fn mailgun(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Url, |value| {
        let hex = |part: &[u8]| part.iter().all(|byte| Alphabet::Hex.holds(*byte));
        let parts: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
        match parts[..] {
            [a, b, c] => [a.len(), b.len(), c.len()] == [32, 8, 8] && hex(a) && hex(b) && hex(c),
            [name, key] => [&b"key"[..], b"pubkey"].contains(&name) && key.len() == 32 && hex(key),
            _ => false,
        }
    })
}

/// 32 bytes in base64, or 33 where it is one of several.
pub(super) fn unseal_key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    quoted_nearby(text, at.end, Alphabet::Base64, |value| value.len() == 44 && is_random(value))
}

/// 40 hex digits behind `sonar.login` or `sonar.token`.
pub(super) fn sonar(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let names = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._".contains(byte);
    let name = text[at.end..].iter().take(20).take_while(names).count();
    let login = [&b"login"[..], b"token"].iter().any(|end| {
        let name = &text[at.end..at.end + name];
        name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
    });
    let fits = |value: &[u8]| value.len() == 40 && value.iter().all(|byte| Alphabet::Hex.holds(*byte));
    login.then(|| quoted_nearby(text, at.end + name, Alphabet::AlphaNumeric, fits))?
}

/// The number of an app, a bar and its secret.
pub(super) fn facebook_app(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let line = &text[at.end..text.len().min(at.end + 160)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let bar = memchr::memchr2(b'|', b'%', line)?;
    let digits = line[..bar].iter().rev().take(17).take_while(|byte| byte.is_ascii_digit()).count();
    let from = bar + if line[bar] == b'%' { 3 } else { 1 };
    let key = Alphabet::Url.run(line.get(from..)?);
    let fits = (15..=16).contains(&digits) && (27..=40).contains(&key) && is_random(&line[from..from + key]);
    (fits && !is_sample_token(&line[from..from + key])).then_some(at.end + bar - digits..at.end + from + key)
}

/// The first value of the line behind `from` that fits, and that nothing is glued to.
fn quoted_nearby(
    text: &[u8],
    from: usize,
    alphabet: Alphabet,
    fits: impl Fn(&[u8]) -> bool,
) -> Option<Range<usize>> {
    let window = &text[from..text.len().min(from + 160)];
    let window = &window[..memchr::memchr(b'\n', window).unwrap_or(window.len())];
    let mut start = 0;
    while start < window.len() {
        let run = alphabet.run(&window[start..]);
        let value = &window[start..start + run];
        let opened = start.checked_sub(1).is_some_and(|before| b"\"'`= :>".contains(&window[before]));
        if run > 0 && opened && fits(value) && !is_sample_token(value) {
            return Some(from + start..from + start + run);
        }
        start += run.max(1);
    }
    None
}
