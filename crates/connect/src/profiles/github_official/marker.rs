//! The marker by which we know our comments, carried past this server.
//!
//! Depending on its version it takes HTML comments out of what it reads, or shows them as text. Our marker is one, and
//! what we cannot read back we would post again. Through this server it is therefore posted as the definition of a link
//! that nothing refers to: readers do not see that either, and the server leaves it where it is, if with a backslash in
//! front.

const HIDDEN: (&str, &str) = ("<!-- countersign:", " -->");
const CARRIED: (&str, &str) = ("[countersign]: # (", ")");

/// As it is posted.
pub(super) fn carried(body: &str) -> String {
    let (line, text) = body.split_once('\n').unwrap_or((body, ""));
    match between(line, HIDDEN) {
        Some(fields) => format!("{}{fields}{}\n\n{text}", CARRIED.0, CARRIED.1),
        None => body.to_owned(),
    }
}

/// As it was before, whoever posted it: our own server leaves markers as they are.
pub(super) fn restored(body: String) -> String {
    let (line, text) = body.trim_start().split_once('\n').unwrap_or((&body, ""));
    let line = line.trim();
    let hidden = line.replacen("&lt;", "<", 1);
    let carried = between(line.strip_prefix('\\').unwrap_or(line), CARRIED);
    match carried.or_else(|| between(&hidden, HIDDEN)) {
        Some(fields) => {
            format!("{}{fields}{}\n{}", HIDDEN.0, HIDDEN.1, text.trim_start_matches(['\r', '\n']))
        }
        None => body,
    }
}

/// Whether a comment, restored, carries a marker.
pub(super) fn is_marked(body: &str) -> bool {
    body.starts_with(HIDDEN.0)
}

/// Fields of a marker are words, names and `=`: what holds anything else is none.
fn between<'a>(line: &'a str, (before, after): (&str, &str)) -> Option<&'a str> {
    let fields = line.strip_prefix(before)?.strip_suffix(after)?;
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '=' | ',' | '-' | '_' | ':' | '.' | '/');
    fields.chars().all(is_plain).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "<!-- countersign:finding fingerprint=ab head=cd state=open by=judge:a/b.c-1 fix=must -->\n**HIGH** text\n";

    #[test]
    fn a_marker_comes_back_however_the_server_shows_it() {
        let posted = carried(BODY);
        assert!(!posted.contains("<!--"), "{posted}");
        for shown in [
            posted.clone(),
            format!("\\{posted}"),
            posted.replace('\n', "\r\n"),
            BODY.to_owned(),
            BODY.replacen('<', "&lt;", 1),
        ] {
            let read = restored(shown.clone()).replace("\r\n", "\n");
            assert_eq!(read, BODY, "{shown}");
            assert!(is_marked(&read));
        }
    }

    #[test]
    fn what_others_say_stays_as_it_is() {
        for said in
            ["", "hello\nworld", "[countersign]: # (a) b\nx", "> [countersign]: # (a)", "<!-- x -->\ny"]
        {
            assert_eq!((carried(said), restored(said.to_owned())), (said.to_owned(), said.to_owned()));
        }
    }
}
