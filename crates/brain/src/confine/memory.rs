/// What processes hold in memory together, in bytes: what they share with files on disk is not theirs. Memory that
/// several of them share counts for each, which is what makes a limit err on the safe side.
pub(super) fn held_by(processes: &[i32]) -> u64 {
    processes
        .iter()
        .filter_map(|process| std::fs::read(format!("/proc/{process}/status")).ok())
        .map(|status| held(&status))
        .sum()
}

/// From the lines `RssAnon:  123 kB` and `RssShmem:  4 kB`, the latter being what is in memory under the name of a file.
fn held(status: &[u8]) -> u64 {
    status
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"RssAnon:").or_else(|| line.strip_prefix(b"RssShmem:")))
        .filter_map(|line| {
            std::str::from_utf8(line).ok()?.split_ascii_whitespace().next()?.parse::<u64>().ok()
        })
        .map(|kilobytes| kilobytes.saturating_mul(1024))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_from_files_does_not_count() {
        let status = b"Name:\tnode\nVmRSS:\t 90 kB\nRssAnon:\t 10 kB\nRssFile:\t 76 kB\nRssShmem:\t 4 kB\nThreads:\t1\n";
        assert_eq!(held(status), 14 * 1024);
        assert_eq!(held(b""), 0);
    }

    #[test]
    fn a_process_holds_something_and_one_that_is_gone_nothing() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(held_by(&[me]) > 100 * 1024);
        assert_eq!(held_by(&[i32::MAX]), 0);
    }
}
