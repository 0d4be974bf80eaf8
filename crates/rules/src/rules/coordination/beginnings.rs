//! Many words at once, asked whether one of them begins another.

/// Sorted, without those that begin like another of them: so the only one that can begin a word is the last that does not
/// come behind it. Settings may be padded with any number of words, and each is still asked for in a few steps.
#[derive(Debug, Default)]
pub(super) struct Beginnings<'w> {
    words: Vec<&'w str>,
}

impl<'w> Beginnings<'w> {
    pub(super) fn of(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut words: Vec<&'w str> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup_by(|longer, shorter| longer.starts_with(*shorter));
        Beginnings { words }
    }

    /// Whether one of them is the word, or begins it.
    pub(super) fn begin(&self, word: &str) -> bool {
        let behind = self.words.partition_point(|one| *one <= word);
        behind.checked_sub(1).and_then(|last| self.words.get(last)).is_some_and(|one| word.starts_with(one))
    }
}

/// The other way round: many texts, asked whether one of them begins with another.
#[derive(Debug, Default)]
pub(super) struct Begun<T> {
    texts: Vec<T>,
}

impl<T: AsRef<[u8]> + Ord> Begun<T> {
    pub(super) fn of(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts: Vec<T> = texts.into_iter().collect();
        texts.sort_unstable();
        Begun { texts }
    }

    /// Whether one of them begins with this: the first that does not come before it, if any.
    pub(super) fn by(&self, beginning: &[u8]) -> bool {
        let first = self.texts.partition_point(|one| one.as_ref() < beginning);
        self.texts.get(first).is_some_and(|one| one.as_ref().starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_begun_by_itself_and_by_what_it_starts_with() {
        let words = Beginnings::of(["E", "E5", "PLR", "S1", "S105"]);
        for (word, begun) in [
            ("E501", true),
            ("E", true),
            ("S105", true),
            ("S2", false),
            ("PL", false),
            ("", false),
            ("Z", false),
        ] {
            assert_eq!(words.begin(word), begun, "{word}");
        }
        assert!(Beginnings::of([""]).begin("E"), "nothing begins everything");
        assert!(!Beginnings::default().begin("E"));
    }

    #[test]
    fn a_text_is_begun_by_its_first_letters() {
        let texts = Begun::of(["make x", "ls", "make"]);
        assert!(texts.by(b"make") && texts.by(b"make x") && texts.by(b"l"));
        assert!(!texts.by(b"make y") && !texts.by(b"z"));
    }
}
