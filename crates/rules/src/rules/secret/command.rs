//! Credentials where programs and servers expect them: command lines, headers, password files.

use std::ops::Range;

use super::detect::{Assurance, Reading};
use super::encoded::decode;
use super::sample::{is_placeholder, is_reference, is_sample_password, is_sample_token};
use super::shape::{Strength, contains_any, distinct, is_random, strength};
use super::tokens::Alphabet;

/// How much of a line is looked at behind a command.
const REACH: usize = 600;

type Judged = Option<(Range<usize>, Assurance)>;

/// `Authorization: Bearer ...`, `"Authorization": "Basic ..."`, and the like.
pub(super) fn authorization(text: &[u8], at: Range<usize>, reading: Reading) -> Judged {
    let gap = text[at.end..].iter().take(12).take_while(|byte| b"\\\"'` :=,[]>\t".contains(byte)).count();
    let start = at.end + gap;
    let scheme =
        text[start..].iter().take(12).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
    let blank = text.get(start + scheme) == Some(&b' ');
    match text[start..start + scheme].to_ascii_lowercase().as_slice() {
        _ if gap == 0 => None,
        b"basic" if blank => basic(text, start + scheme + 1, reading),
        // `bearer` has a literal of its own.
        b"bearer" if blank => None,
        // Services have schemes of their own: `OAuth`, `Bot`, `GenieKey`.
        _ if blank && scheme > 0 => opaque(text, start + scheme + 1, reading),
        _ => opaque(text, start, reading),
    }
}

pub(super) fn bearer(text: &[u8], at: Range<usize>, reading: Reading) -> Judged {
    opaque(text, at.end, reading)
}

/// A user and a password in base64.
fn basic(text: &[u8], start: usize, reading: Reading) -> Judged {
    let run = Alphabet::Base64.run(&text[start..]);
    let value = &text[start..start + run];
    let decoded = decode(value).filter(|bytes| bytes.iter().all(u8::is_ascii_graphic))?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    // Some services take a key for the user and want no password.
    let secret = if password.is_empty() { user } else { password };
    let sample = secret.len() < 6 || is_sample_password(secret) || is_sample_token(secret);
    let shown = sample && reading == Reading::Code;
    (run >= 12 && !shown).then_some((start..start + run, Assurance::Likely))
}

/// A token of no known form.
fn opaque(text: &[u8], start: usize, reading: Reading) -> Judged {
    let run = Alphabet::Header.run(&text[start..]);
    let value = &text[start..start + run];
    let closed = text.get(start + run).is_none_or(|byte| b"\"'`\\ \t\r\n,;)]}<".contains(byte));
    let plausible = is_random(value) && !is_sample_token(value);
    let shown = !plausible && reading == Reading::Code;
    let long = run >= if reading == Reading::Code { 16 } else { 8 };
    let mixed = value.iter().any(u8::is_ascii_digit);
    (long && closed && mixed && !shown).then_some((start..start + run, Assurance::Likely))
}

/// `-u user:password`, `--user user:password`, `--password=...` is a telling name anyway.
pub(super) fn curl_user(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let line = line_behind(text, at.end);
    let flag = [&b"-u "[..], b"--user ", b"--user=", b"-u"].iter().find_map(|flag| {
        let found = memchr::memmem::find(line, flag)?;
        let opened = found == 0 || line[found - 1] == b' ';
        opened.then_some(found + flag.len())
    })?;
    let start = flag + line[flag..].iter().take(4).take_while(|byte| b" \"'".contains(byte)).count();
    let ends = |byte: &u8| b" \t\r\"'".contains(byte);
    let pair = &line[start..start + line[start..].iter().position(ends).unwrap_or(line.len() - start)];
    let colon = pair.iter().position(|byte| *byte == b':')?;
    let quoted = line.get(start + colon + 1).is_some_and(|byte| b"\"'".contains(byte));
    let from = start + colon + 1 + usize::from(quoted);
    let length = line[from..].iter().position(ends).unwrap_or(line.len() - from);
    let (from, password) = match &line[from..from + length] {
        b"" => (start, &pair[..colon]),
        password => (from, password),
    };
    chosen(password, at.end + from)
}

/// `--user user:password`, `--proxy-user user:password`, on whatever line of a command.
pub(super) fn pair(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let option = [&b"-"[..], b"--proxy"].iter().any(|start| text[..at.start].ends_with(start));
    let pair = option.then(|| word(line_behind(text, at.end)))?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    chosen(&pair[colon + 1..], at.end + colon + 1)
}

/// `sshpass -p password`, `docker login -p password`, `mysql -ppassword`.
pub(super) fn short_password(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    behind_flag(text, at.end, b" -p")
}

/// `sqlcmd -P password`.
pub(super) fn capital_password(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    behind_flag(text, at.end, b" -P")
}

/// `redis-cli -a password`.
pub(super) fn redis_password(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    behind_flag(text, at.end, b" -a ")
}

/// `ldapsearch -w password`.
pub(super) fn bind_password(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    behind_flag(text, at.end, b" -w ")
}

/// `openssl ... -passin pass:password`.
pub(super) fn openssl_password(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let asked = [&b"-passin"[..], b"-passout", b"-pass"].iter().any(|flag| text[..at.start].ends_with(flag));
    let password = word(line_behind(text, at.end));
    asked.then(|| chosen(password, at.end))?
}

/// `CREATE USER bob IDENTIFIED BY 'password'`; Oracle wants no quotes.
pub(super) fn identified_by(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let line = line_behind(text, at.end);
    let quote = line.first().filter(|byte| b"\"'".contains(byte));
    let Some(quote) = quote else {
        let length =
            line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_#$".contains(byte)).count();
        return chosen(&line[..length], at.end);
    };
    let length = line[1..].iter().position(|byte| byte == quote)?;
    chosen(&line[1..=length], at.end + 1)
}

/// `IDENTIFIED WITH caching_sha2_password BY 'password'`.
pub(super) fn identified_with(text: &[u8], at: Range<usize>, reading: Reading) -> Judged {
    let plugin = Alphabet::Word.run(&text[at.end..]);
    let by = at.end + plugin..at.end + plugin + 4;
    let named = text.get(by.clone()).is_some_and(|word| word.eq_ignore_ascii_case(b" by "));
    named.then(|| identified_by(text, by, reading))?
}

fn behind_flag(text: &[u8], from: usize, flag: &[u8]) -> Judged {
    let line = line_behind(text, from);
    let behind = memchr::memmem::find(line, flag)
        .map(|at| at + flag.len())
        .or_else(|| line.starts_with(flag.trim_ascii_start()).then_some(flag.len() - 1))?;
    let start = behind + line[behind..].iter().take(4).take_while(|byte| b" \"'".contains(byte)).count();
    chosen(word(&line[start..]), from + start)
}

/// Up to where the shell ends it.
fn word(line: &[u8]) -> &[u8] {
    let ends = |byte: &u8| b" \t\r\"';|&".contains(byte);
    &line[..line.iter().position(ends).unwrap_or(line.len())]
}

fn chosen(password: &[u8], start: usize) -> Judged {
    let found = start..start + password.len();
    match strength(password, 8)? {
        Strength::Random | Strength::Chosen => Some((found, Assurance::Likely)),
        Strength::Weak => Some((found, Assurance::Possible)),
    }
}

/// `user:$apr1$...` at the start of a line, as web servers keep passwords.
pub(super) fn password_file(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let start = text[..at.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let user = &text[start..at.start];
    let user = user.strip_suffix(b":").unwrap_or(user);
    let named =
        !user.is_empty() && user.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-@".contains(byte));
    let run = text[at.end..]
        .iter()
        .take(100)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"./+=$".contains(byte))
        .count();
    let sample = contains_any(&text[at.end..at.end + run], &["xxxx", "..."]);
    (named && run >= 22 && !sample).then_some((at.start..at.end + run, Assurance::Possible))
}

/// A hash of bcrypt, whole and quoted, in a row of a table: `(1, 'bob', '$2y$12$...')`.
pub(super) fn stored_hash(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    const LENGTH: usize = 60;
    let range = at.start + 1..at.start + 1 + LENGTH;
    let hash = text.get(range.clone())?;
    let start = text[..at.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let row = text[start..at.start].trim_ascii_start();
    let in_row = row.starts_with(b"(") || contains_any(row, &["values"]);
    let whole = hash[4..6].iter().all(u8::is_ascii_digit)
        && hash[6] == b'$'
        && hash[7..].iter().all(|byte| byte.is_ascii_alphanumeric() || b"./".contains(byte));
    let sample = distinct(&hash[7..]) < 12 || contains_any(hash, &["xxxx", "..."]);
    (in_row && whole && text.get(range.end) == Some(&b'\'') && !sample)
        .then_some((range, Assurance::Possible))
}

/// `.login("bob@acme.io", "password")`: an address and what goes with it.
pub(super) fn login(text: &[u8], at: Range<usize>, _: Reading) -> Judged {
    let line = line_behind(text, at.end);
    let quote = *line.first().filter(|byte| b"\"'".contains(byte))?;
    let user = line[1..].iter().position(|byte| *byte == quote)?;
    let between = &line[user + 2..];
    let gap = between.iter().take(4).take_while(|byte| b", ".contains(byte)).count();
    let open = between.get(gap).filter(|byte| **byte == quote && gap > 0)?;
    let password = &between[gap + 1..];
    let password = &password[..password.iter().position(|byte| byte == open)?];
    let address = line[1..=user].contains(&b'@');
    let start = at.end + user + 2 + gap + 1;
    let given = password.len() >= 6 && !is_placeholder(password) && !is_reference(password);
    (address && given && password.iter().all(u8::is_ascii_graphic)).then(|| {
        let chosen = strength(password, 8).is_some_and(|strength| strength != Strength::Weak);
        let assurance = if chosen { Assurance::Likely } else { Assurance::Possible };
        (start..start + password.len(), assurance)
    })
}

fn line_behind(text: &[u8], from: usize) -> &[u8] {
    let reach = &text[from..text.len().min(from + REACH)];
    &reach[..memchr::memchr(b'\n', reach).unwrap_or(reach.len())]
}
