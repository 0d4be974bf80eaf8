//! What is no YAML, in words for whoever wrote it.

/// What the YAML reader says, what is said instead of it where that is for programmers, and what should stand there.
const ADVICE: [(&str, Option<&str>, &str); 17] = [
    ("unclosed bracket", None, "the bracket closed, with `]` or `}`"),
    (
        "mapping values are not allowed",
        Some("there is a `:` where no key can be"),
        "keys that belong together in the same column, and quotes around a text with `: ` in it",
    ),
    (
        "trailing content after",
        Some("something follows behind a text in quotes"),
        "nothing behind the closing quote but a comment; each key on a line of its own",
    ),
    (
        "unknown escape",
        Some("`\\` begins something here that YAML does not know"),
        "single quotes around the text, or `\\\\` for one `\\`",
    ),
    ("unexpected character", None, "quotes around a text that begins with `@`, `%` or a backtick"),
    ("mismatched bracket", None, "`]` where there was a `[`, and `}` where there was a `{`"),
    ("non-finite", Some("this is no number that is known here"), "a number, or quotes around a text"),
    ("expected string scalar", Some("a key has to be a text"), "a key such as `id`, then `:`"),
    ("tab", Some("a tab stands where YAML takes only spaces"), "spaces in front of a key or a `-`"),
    (
        "quoted scalar",
        Some("a quote was opened above or here, and not closed"),
        "the same quote at the end of the text",
    ),
    (
        "only valid inside a block",
        None,
        "commas between the items inside `[...]`, or `-` without brackets around it",
    ),
    ("recursion limit", Some("the file is too deeply nested"), "lists and keys a few levels deep"),
    (
        "recursive references",
        Some("this stands for something that it is part of"),
        "an alias outside of what it stands for",
    ),
    ("too large or too deeply nested", None, "some thousand tickets at most, and few aliases"),
    ("more than one document", None, "one epic to a file, and no `---` behind it"),
    (
        "unknown anchor",
        None,
        "`&name` in front of what `*name` stands for, or quotes around a text that begins with `*`",
    ),
    (
        "undefined alias",
        None,
        "`&name` in front of what `*name` stands for, or quotes around a text that begins with `*`",
    ),
];

/// Message and what was expected.
pub(super) fn plainly(message: &str, usual: &str) -> (String, String) {
    match ADVICE.iter().find(|(said, _, _)| message.to_lowercase().contains(said)) {
        Some((_, plain, expected)) => (plain.unwrap_or(message).to_owned(), (*expected).to_owned()),
        None => (message.to_owned(), usual.to_owned()),
    }
}
