//! The texts in a binary file, however large it is.

/// Of a text in a binary file. No token is shorter.
const SHORTEST_TEXT: usize = 16;
/// How much of a text that has not ended is looked at again with what follows. No token is longer.
const CARRIED: usize = 16 * 1024;
/// How much tells whether a file is a text in UTF-16.
const PROBE: usize = 4 * 1024;

/// Takes a file piece by piece and shows its texts. One that two pieces share is shown whole, unless it is longer than
/// [`CARRIED`]; then its parts overlap by that much.
#[derive(Debug, Default)]
pub(super) struct BinaryTexts {
    /// The text at the end of what was seen.
    open: Vec<u8>,
    /// Known from the first piece on.
    is_wide: Option<bool>,
}

impl BinaryTexts {
    /// The first answer of `find` to a text that ends in this piece, or is too long to wait for its end.
    pub(super) fn search<T>(&mut self, piece: &[u8], find: &dyn Fn(&[u8]) -> Option<T>) -> Option<T> {
        let is_wide = *self.is_wide.get_or_insert_with(|| is_wide(piece));
        let narrow: Vec<u8>;
        let piece = match is_wide {
            true => {
                narrow = piece.iter().copied().filter(|byte| *byte != 0).collect();
                &narrow[..]
            }
            false => piece,
        };
        let mut whole = std::mem::take(&mut self.open);
        whole.extend_from_slice(piece);
        let begins = whole.iter().rposition(|byte| !is_text(*byte)).map_or(0, |last| last + 1);
        let is_long = whole.len() - begins > CARRIED;
        let (ended, carried) = if is_long { (whole.len(), whole.len() - CARRIED) } else { (begins, begins) };
        let found = texts(&whole[..ended]).find_map(find);
        self.open = whole.split_off(carried);
        found
    }

    /// Its answer to the last text of the file.
    pub(super) fn finish<T>(self, find: &dyn Fn(&[u8]) -> Option<T>) -> Option<T> {
        texts(&self.open).find_map(find)
    }
}

fn texts(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| !is_text(*byte)).filter(|text| text.len() >= SHORTEST_TEXT)
}

fn is_text(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) || byte == b'\t'
}

/// Whether it is a text in UTF-16, which to git is binary: of what tokens are made of, every second byte is zero.
fn is_wide(content: &[u8]) -> bool {
    let start = &content[..content.len().min(PROBE)];
    let zeros = start.iter().filter(|byte| **byte == 0).count();
    zeros * 3 > start.len() && start.windows(2).all(|pair| pair != [0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(pieces: &[&[u8]], wanted: &[u8]) -> bool {
        let mut texts = BinaryTexts::default();
        let find = |text: &[u8]| text.windows(wanted.len()).any(|part| part == wanted).then_some(());
        pieces.iter().any(|piece| texts.search(piece, &find).is_some()) || texts.finish(&find).is_some()
    }

    #[test]
    fn a_text_that_two_pieces_share_is_seen_whole() {
        assert!(holds(&[b"\0\x01some to", b"ken of an issuer\0"], b"token of an issuer"));
        assert!(holds(&[b"\0some ", b"to", b"ken of an", b" issuer"], b"token of an issuer"));
        let long = vec![b'x'; 3 * CARRIED];
        assert!(holds(&[&long, b"token of", &[], b" an issuer", &long], b"token of an issuer"));
        assert!(!holds(&[b"\0token of\0", b"an issuer of that"], b"token of an issuer"));
    }

    #[test]
    fn a_text_is_not_judged_before_it_ends() {
        let mut texts = BinaryTexts::default();
        let find = |text: &[u8]| (text == b"a token of length 20").then_some(());
        assert_eq!(texts.search(b"\0a token of length 20", &find), None);
        assert_eq!(texts.search(b" and more\0", &find), None);
    }

    #[test]
    fn what_is_carried_on_does_not_grow() {
        let mut texts = BinaryTexts::default();
        for _ in 0..20 {
            texts.search(&vec![b'x'; CARRIED], &|_| None::<()>);
            assert!(texts.open.len() <= CARRIED);
        }
        texts.search(b"\0", &|_| None::<()>);
        assert!(texts.open.is_empty());
    }

    #[test]
    fn utf_16_is_read_across_pieces() {
        let wide: Vec<u8> =
            "\u{feff}the token of an issuer".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (start, end) = wide.split_at(21);
        assert!(holds(&[start, end], b"token of an issuer"));
    }
}
