use std::collections::HashSet;

/// A set of the words of a text.
pub(super) type Words<'t> = HashSet<&'t [u8]>;

/// Every run of letters, digits and underscores.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$' || *byte >= 0x80;
    text.split(move |byte| !is_word(byte)).filter(|word| !word.is_empty())
}
