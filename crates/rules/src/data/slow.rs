//! Regular expressions in which a repeated choice has two ways to read the same text: `(a|a?)+`, `(\w|\d)*`. Where the rest
//! does not fit, all ways are tried, and each further letter doubles them.

/// A choice among more is not looked at.
const MOST_BRANCHES: usize = 16;

/// Whether a pattern repeats such a choice, and has something behind it that may not fit.
pub(super) fn is_slow(pattern: &str) -> bool {
    let pattern = single(without_slashes(pattern));
    let bytes = pattern.as_bytes();
    // Where the groups began that are still open, with what their choices begin with.
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => at = end_of_class(bytes, at),
            b'(' => open.push(vec![at + 1]),
            b'|' => {
                if let Some(branches) = open.last_mut() {
                    branches.push(at + 1);
                }
            }
            b')' => {
                let branches = open.pop().unwrap_or_default();
                let rest = bytes.get(at + 1..).unwrap_or_default();
                if branches.len() > 1 && is_repeated_before_more(rest) && overlap(&pattern, &branches, at) {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// `/a/g` of JavaScript.
fn without_slashes(pattern: &str) -> &str {
    let Some(rest) = pattern.strip_prefix('/') else { return pattern };
    match rest.rsplit_once('/') {
        Some((inner, flags)) if flags.bytes().all(|flag| flag.is_ascii_alphabetic()) => inner,
        _ => pattern,
    }
}

/// With one backslash where the text of a program has two.
fn single(pattern: &str) -> String {
    let mut rest = pattern;
    let mut always_two = pattern.contains('\\');
    while let Some(at) = rest.find('\\') {
        let run = rest[at..].len() - rest[at..].trim_start_matches('\\').len();
        always_two &= run.is_multiple_of(2);
        rest = &rest[at + run..];
    }
    if always_two { pattern.replace("\\\\", "\\") } else { pattern.to_owned() }
}

/// `[` stands for itself right behind the first bracket, and `]` too.
fn end_of_class(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    at += usize::from(bytes.get(at) == Some(&b'^'));
    at += usize::from(bytes.get(at) == Some(&b']'));
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b']' => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Whether a group is repeated without end, gives back what it took, and is followed by something else than brackets.
fn is_repeated_before_more(rest: &[u8]) -> bool {
    let behind = match rest {
        [b'+' | b'*', b'+', ..] => return false,
        [b'+' | b'*', b'?', behind @ ..] | [b'+' | b'*', behind @ ..] => behind,
        [b'{', ..] => {
            let Some(end) = rest.iter().take(12).position(|byte| *byte == b'}') else { return false };
            if end < 2 || rest[end - 1] != b',' {
                return false;
            }
            &rest[end + 1..]
        }
        _ => return false,
    };
    behind.iter().any(|byte| !matches!(byte, b')' | b'*' | b'+' | b'?'))
}

/// Whether two of the choices of a group that ends at `end` can be the same text.
fn overlap(pattern: &str, branches: &[usize], end: usize) -> bool {
    if branches.len() > MOST_BRANCHES {
        return false;
    }
    let ends = branches.iter().skip(1).map(|next| next - 1).chain([end]);
    let mut texts: Vec<&str> =
        branches.iter().zip(ends).filter_map(|(from, to)| pattern.get(*from..to)).collect();
    let Some(first) = texts.first_mut() else { return false };
    let Some(inner) = without_mark(first) else { return false };
    *first = inner;
    texts.iter().enumerate().any(|(place, one)| {
        texts[place + 1..].iter().any(|other| {
            let same = !one.is_empty() && one == other;
            same || matches!((letters(one), letters(other)), (Some(one), Some(other)) if one & other != 0)
        })
    })
}

/// Without `?:` or a name. Nothing for what only looks ahead or never gives back.
fn without_mark(branch: &str) -> Option<&str> {
    let Some(mark) = branch.strip_prefix('?') else { return Some(branch) };
    if let Some(rest) = mark.strip_prefix(':') {
        return Some(rest);
    }
    let named = mark.strip_prefix('P').unwrap_or(mark).strip_prefix('<')?;
    let (name, rest) = named.split_once('>')?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(rest)
}

const DIGITS: u128 = range(b'0', b'9');
const WORD: u128 = DIGITS | range(b'a', b'z') | range(b'A', b'Z') | 1 << b'_';
const SPACE: u128 = 1 << b' ' | range(b'\t', b'\r');
/// Ends of lines are left out, whatever the flags say.
const ANY: u128 = !(1 << b'\n' | 1 << b'\r');

const fn range(first: u8, last: u8) -> u128 {
    let (mut all, mut at) = (0, first);
    while at <= last {
        all |= 1 << at;
        at += 1;
    }
    all
}

/// The letters that a choice of one letter takes, once or often. Nothing where it is more than that.
fn letters(branch: &str) -> Option<u128> {
    let bytes = branch.as_bytes();
    let (set, used) = match *bytes.first()? {
        b'\\' => (escaped(*bytes.get(1)?)?, 2),
        b'[' => {
            let end = end_of_class(bytes, 0);
            (class(bytes.get(1..end)?)?, end + 1)
        }
        b'.' => (ANY, 1),
        b'(' | b')' | b'*' | b'+' | b'?' | b'{' | b'^' | b'$' => return None,
        byte if byte.is_ascii() => (1 << byte, 1),
        _ => return None,
    };
    matches!(bytes.get(used..)?, [] | [b'?' | b'*' | b'+'] | [b'?' | b'*' | b'+', b'?']).then_some(set)
}

fn escaped(byte: u8) -> Option<u128> {
    Some(match byte {
        b'd' => DIGITS,
        b'w' => WORD,
        b's' => SPACE,
        b'D' => !DIGITS,
        b'W' => !WORD,
        b'S' => !SPACE,
        b't' => 1 << b'\t',
        b'n' => 1 << b'\n',
        b'r' => 1 << b'\r',
        byte if byte.is_ascii_alphanumeric() || !byte.is_ascii() => return None,
        byte => 1 << byte,
    })
}

/// What stands between the brackets of a class. Nothing for what one language alone knows.
fn class(inside: &[u8]) -> Option<u128> {
    let (is_turned, mut rest) = match inside.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let mut all = 0;
    while let Some((&byte, behind)) = rest.split_first() {
        match (byte, behind) {
            (b'\\', [next, behind @ ..]) => {
                all |= escaped(*next)?;
                rest = behind;
            }
            (b'[' | b'&', _) => return None,
            (first, [b'-', last, behind @ ..]) if first <= *last && last.is_ascii() && *last != b'\\' => {
                all |= range(first, *last);
                rest = behind;
            }
            (byte, _) if byte.is_ascii() => {
                all |= 1 << byte;
                rest = behind;
            }
            _ => return None,
        }
    }
    Some(if is_turned { !all } else { all })
}

#[cfg(test)]
mod tests {
    use super::is_slow;

    #[test]
    fn a_choice_with_two_ways_to_the_same_text_is_slow() {
        for slow in [
            "^(x|x)*$",
            "^(a|a?)+$",
            "(a|a+)*b",
            r"^(\w|\d)+$",
            r"(?:[a-z]|[a-f])*@",
            r"^(?P<n>\w|_)+$",
            r"(ab|cd|ab)+;",
            r"(.|\s)*end",
            r"(\w|\d){2,}$",
            "/^(x|x)*$/i",
            r"^(\\w|\\d)+$",
            r"((a|a)*)b",
            r"([^a]|b)*c",
        ] {
            assert!(is_slow(slow), "{slow}");
        }
        for fast in [
            "^(a|b)*$",
            r"(.|\n)*end",
            r"(\w|\s)+$",
            r"(\d|[a-f])+$",
            // Nothing behind it can fail.
            r"(\w|\d)+",
            r"(x|x)",
            r"^(x|x)*+$",
            r"(?=x|x)*a",
            r"(foo|food)+!",
            r"[(x|x)]*$",
            r"\(x|x\)*$",
            "(|a)*b",
            "(",
            "[",
            r"a\",
            "(a|é)*b",
        ] {
            assert!(!is_slow(fast), "{fast}");
        }
    }
}
