//! How much a value reads like words: the pairs of letters that make up nearly all of English text.

const COMMON: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le \
    ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot \
    il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su \
    id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp \
    rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go \
    ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys ob mm fu ph og ms ye ud mb ip";

/// By the first letter, a bit for each second one.
const TABLE: [u32; 26] = {
    let text = COMMON.as_bytes();
    let mut table = [0; 26];
    let mut at = 0;
    while at + 1 < text.len() {
        if text[at] != b' ' && text[at + 1] != b' ' {
            table[(text[at] - b'a') as usize] |= 1 << (text[at + 1] - b'a');
        }
        at += 1;
    }
    table
};

/// The share of neighbouring letters that are neighbours in words, too; 0 where no letters are neighbours. Words come
/// close to 1, random letters stay near a third.
pub(super) fn common_share(value: &[u8]) -> f64 {
    let (mut pairs, mut common) = (0u32, 0u32);
    for pair in value.windows(2) {
        if let [Some(first), Some(second)] = [letter(pair[0]), letter(pair[1])] {
            pairs += 1;
            common += TABLE[first] >> second & 1;
        }
    }
    if pairs < 3 { 0.0 } else { f64::from(common) / f64::from(pairs) }
}

fn letter(byte: u8) -> Option<usize> {
    byte.is_ascii_alphabetic().then(|| usize::from(byte.to_ascii_lowercase() - b'a'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_noise() {
        for words in ["authentication-provider", "getUserByName", "invalid_credentials"] {
            assert!(common_share(words.as_bytes()) > 0.8, "{words}");
        }
        for noise in ["kqzvhxwjmbtpfgdn", "qXvZkWjPyHbGfT", "1a2b3c4d"] {
            assert!(common_share(noise.as_bytes()) < 0.4, "{noise}");
        }
    }
}
