/// A path as it stands in a `diff --git` line: quoted as a whole, prefix included, if any byte of it needs
/// to be. This is git's way to the letter, so that the line can be compared and need not be understood.
pub(super) fn quoted(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    if !path.iter().any(|b| escape(*b).is_some()) {
        return [prefix, path].concat();
    }
    let mut text = Vec::with_capacity(path.len() + 8);
    text.push(b'"');
    text.extend_from_slice(prefix);
    for &byte in path {
        match escape(byte) {
            None => text.push(byte),
            Some(Escape::Letter(letter)) => text.extend_from_slice(&[b'\\', letter]),
            Some(Escape::Octal) => {
                text.extend_from_slice(&[
                    b'\\',
                    b'0' + (byte >> 6),
                    b'0' + (byte >> 3 & 7),
                    b'0' + (byte & 7),
                ]);
            }
        }
    }
    text.push(b'"');
    text
}

enum Escape {
    Letter(u8),
    Octal,
}

fn escape(byte: u8) -> Option<Escape> {
    Some(match byte {
        7 => Escape::Letter(b'a'),
        8 => Escape::Letter(b'b'),
        b'\t' => Escape::Letter(b't'),
        b'\n' => Escape::Letter(b'n'),
        11 => Escape::Letter(b'v'),
        12 => Escape::Letter(b'f'),
        b'\r' => Escape::Letter(b'r'),
        b'"' => Escape::Letter(b'"'),
        b'\\' => Escape::Letter(b'\\'),
        0..0x20 | 0x7f.. => Escape::Octal,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_git_does() {
        assert_eq!(quoted(b"a/", b"x y"), b"a/x y");
        assert_eq!(quoted(b"a/", b"x\n\"\xe9\x01"), br#""a/x\n\"\351\001""#);
    }
}
