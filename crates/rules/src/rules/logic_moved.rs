//! Where the logic of a function went that only gives a constant now.

use std::collections::{HashMap, HashSet};

use domain::change::FileChange;

use super::words::words;
use crate::context::FileContext;
use crate::syntax::{Function, Node, Notion};

/// In changes of more files nobody looks for heirs in others.
const MOST_FILES: usize = 200;

/// What the change says of types that inherit, and of the functions it defines, file by file.
pub(super) struct Heirs<'f> {
    files: Vec<Said<'f>>,
}

struct Said<'f> {
    /// Words of lines that open a type which inherits.
    inherited: HashSet<&'f [u8]>,
    /// Words of lines that define something, each with how many such lines have it.
    defined: HashMap<&'f [u8], usize>,
    is_own: bool,
}

impl<'f> Heirs<'f> {
    pub(super) fn of(file: &FileContext<'f>) -> Self {
        let change = file.whole_change();
        let here = file.change.path();
        let alike = change.files.iter().filter(|other| other.path().extension() == here.extension());
        let alike = alike.filter(|_| change.files.len() <= MOST_FILES);
        Heirs { files: alike.map(|other| Said::of(other, other.path() == here)).collect() }
    }

    /// Whether the change defines the same function in a type that inherits from this one: what is left is a default.
    pub(super) fn have(&self, function: &Function<'_>, file: &FileContext<'_>) -> bool {
        let own = function.container.rsplit('.').next().unwrap_or_default().as_bytes();
        let is_new = file.touched_lines().is_added(function.name_line());
        !own.is_empty()
            && self.files.iter().any(|said| {
                let count = said.defined.get(function.name.as_bytes()).copied().unwrap_or_default();
                said.inherited.contains(own) && count > usize::from(said.is_own && is_new)
            })
    }
}

impl<'f> Said<'f> {
    fn of(file: &'f FileChange, is_own: bool) -> Self {
        let mut said = Said { inherited: HashSet::new(), defined: HashMap::new(), is_own };
        for (_, line) in file.added() {
            said.inherited.extend(inherited(line));
            for word in defined(line) {
                *said.defined.entry(word).or_default() += 1;
            }
        }
        said
    }
}

/// What stands behind the name of a type where it is opened: `class Square(Shape):`, `class Square extends Shape {`; and
/// what is implemented for another: `impl Shape for Square {`.
fn inherited(line: &[u8]) -> Vec<&[u8]> {
    const OPENINGS: [&[u8]; 5] = [b"class", b"struct", b"object", b"interface", b"record"];
    let mut found = words(line).skip_while(|word| !OPENINGS.contains(word) && *word != b"impl");
    let Some(opening) = found.next() else { return Vec::new() };
    let rest: Vec<&[u8]> = found.collect();
    match (opening, rest.iter().position(|word| *word == b"for")) {
        (b"impl", Some(end)) => rest[..end].to_vec(),
        (b"impl", None) => Vec::new(),
        _ => rest.into_iter().skip(1).collect(),
    }
}

/// The words of a line that defines a function, by how it begins or ends.
fn defined(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    const OPENINGS: [&[u8]; 6] = [b"def", b"fun", b"func", b"fn", b"function", b"override"];
    let opens = line.trim_ascii_end().last().is_some_and(|byte| b"{:=".contains(byte));
    let defines = opens || words(line).any(|word| OPENINGS.contains(&word));
    words(line).filter(move |_| defines)
}

/// Whether a text is what the strings of a body made when they were put together.
pub(super) fn is_put_together(value: &str, body: Node<'_>) -> bool {
    let inner = |text: &[u8]| -> Vec<u8> {
        let text = text.iter().filter(|byte| !byte.is_ascii_whitespace() && !b"\"'`".contains(byte));
        text.copied().collect()
    };
    let whole = inner(value.as_bytes());
    let strings = body.descendants().filter(|node| node.is(Notion::String));
    let parts: Vec<u8> = strings.flat_map(|string| inner(string.bytes())).take(whole.len() + 1).collect();
    value.starts_with(['"', '\'', '`']) && !whole.is_empty() && parts == whole
}
