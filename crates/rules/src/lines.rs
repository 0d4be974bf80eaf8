/// A longer line was not written by hand: rules about code pass it over, so that none of them has to fear it.
/// Secrets, hidden characters and conflict markers are looked for in lines of any length.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;

/// Where each line of a text starts. Lines end after their line feed.
#[derive(Debug)]
pub(crate) struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1).filter(|start| *start < text.len()));
        LineIndex { starts, len: text.len() }
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// One-based; the line that holds the byte at `offset`.
    pub(crate) fn line_of(&self, offset: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(before).unwrap_or(u32::MAX).max(1)
    }

    /// With its line feed; empty for a line that does not exist.
    pub(crate) fn range(&self, line: u32) -> std::ops::Range<usize> {
        let index = (line as usize).wrapping_sub(1);
        let Some(&start) = self.starts.get(index) else { return self.len..self.len };
        start..self.starts.get(index + 1).copied().unwrap_or(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

    #[test]
    fn finds_lines_by_offset_and_offsets_by_line() {
        let index = LineIndex::of(b"a\n\nbc\n");
        assert_eq!(index.count(), 3);
        assert_eq!([0, 1, 2, 3, 4, 99].map(|at| index.line_of(at)), [1, 1, 2, 3, 3, 3]);
        assert_eq!([1, 2, 3, 4, 0].map(|line| index.range(line)), [0..2, 2..3, 3..6, 6..6, 6..6]);
    }
}
