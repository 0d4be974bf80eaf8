//! Making text from outside fit to be shown.

use domain::change::RepoPath;

pub(crate) use domain::text::clean_line;

/// [`clean_line`], cut to `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = clean_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line,
    }
}

/// What git wrote to stderr, as one line: `fatal:` lines if there are any, else all of it.
pub(crate) fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let fatal: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")))
        .collect();
    let told = if fatal.is_empty() { text.into_owned() } else { fatal.join("; ") };
    shortened(&told, 300)
}

/// The names that git lists below a complaint, each on a line with a tab in front.
pub(crate) fn listed(stderr: &[u8]) -> Vec<RepoPath> {
    let lines = stderr.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| line.strip_prefix(b"\t"))
        .map(|name| RepoPath::from_bytes(name.to_vec()))
        .collect()
}

/// `a, b, c and 4 more`
pub(crate) fn first_few(files: &[RepoPath]) -> String {
    const MOST: usize = 3;
    let named: Vec<String> = files.iter().take(MOST).map(RepoPath::to_string).collect();
    match files.len().saturating_sub(MOST) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Quoted for a shell where it needs to be.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", clean_line(word).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_cannot_smuggle_escapes() {
        assert_eq!(clean_line("fix\x1b[31m \u{202e}this\r\n"), "fix this");
        assert_eq!(shortened("one two three", 8), "one two...");
    }

    #[test]
    fn the_fatal_lines_are_what_counts() {
        assert_eq!(complaint(b"warning: x\nfatal: bad thing\nhint: y\n"), "bad thing");
        assert_eq!(complaint(b"usage: git\n"), "usage: git");
    }

    #[test]
    fn odd_paths_are_quoted_for_the_shell() {
        assert_eq!(shell_word("/srv/code"), "/srv/code");
        assert_eq!(shell_word("/srv/it's here"), r"'/srv/it'\''s here'");
    }
}
