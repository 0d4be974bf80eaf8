//! The checksum in tokens of GitHub and npm: CRC-32 of the random part, in six digits of base 62.

const DIGITS: usize = 6;

/// Whether the end of the body is the checksum of what stands in front of it.
pub(super) fn holds(body: &[u8]) -> bool {
    let Some(at) = body.len().checked_sub(DIGITS) else { return false };
    let (random, checksum) = body.split_at(at);
    checksum == of(random)
}

fn of(random: &[u8]) -> [u8; DIGITS] {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = crc32(random) as usize;
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % 62];
        rest /= 62;
    }
    digits
}

/// The polynomial of Ethernet and zip files, reflected.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip_files() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_body_ends_in_its_own_checksum() {
        // GitHub's own published example.
        let body = [&b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ"[..], b"0mLq17"].concat();
        assert!(holds(&body));
        let changed = [b"a", &body[1..]].concat();
        assert!(!holds(&changed) && !holds(b"abc") && !holds(b""));
    }
}
