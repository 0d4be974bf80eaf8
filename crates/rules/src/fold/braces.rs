use super::Body;
use super::heads::Heads;

/// A bracket that is open.
struct Open {
    bracket: u8,
    at: usize,
    /// Where the statement began that it belongs to.
    statement: usize,
    /// Where the function begins whose body it opens.
    function: Option<usize>,
}

/// The bodies of the outermost functions, in order. `None` where brackets are not in pairs: then it is not known what
/// belongs to what.
pub(super) fn bodies(code: &[u8], heads: Heads) -> Option<Vec<Body>> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    // Where the statement begins that we are in, and how many brackets were open around the function that we are in.
    let (mut statement, mut inside) = (0, None::<usize>);
    for (at, &byte) in code.iter().enumerate().filter(|(_, byte)| SIGNS[usize::from(**byte)]) {
        match byte {
            b'{' | b'(' | b'[' => {
                let begins = (byte == b'{' && inside.is_none())
                    .then(|| function(code, statement, at, open.last(), heads))
                    .flatten();
                if begins.is_some() {
                    inside = Some(open.len());
                }
                open.push(Open { bracket: byte, at, statement, function: begins });
                if byte == b'{' {
                    statement = at + 1;
                }
            }
            b'}' | b')' | b']' => {
                let closed = open.pop().filter(|opened| closing(opened.bracket) == byte)?;
                if let Some(start) = closed.function {
                    inside = None;
                    found.push(Body { function: start..at + 1, inside: closed.at + 1..at });
                }
                let ends_statement = byte == b'}' && open.last().is_none_or(|around| around.bracket == b'{');
                statement = if ends_statement { at + 1 } else { closed.statement };
            }
            _ => {
                if open.last().is_none_or(|around| around.bracket == b'{') {
                    statement = at + 1;
                }
            }
        }
    }
    open.is_empty().then_some(found)
}

static SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    let bytes = b"{}()[];";
    let mut at = 0;
    while at < bytes.len() {
        signs[bytes[at] as usize] = true;
        at += 1;
    }
    signs
};

fn closing(bracket: u8) -> u8 {
    match bracket {
        b'{' => b'}',
        b'(' => b')',
        _ => b']',
    }
}

/// A longer head is none.
const LONGEST_HEAD: usize = 4096;

/// Where the function begins whose body opens here.
fn function(code: &[u8], statement: usize, at: usize, around: Option<&Open>, heads: Heads) -> Option<usize> {
    let head = code.get(statement..at).filter(|head| head.len() <= LONGEST_HEAD)?;
    let in_list = around.is_some_and(|around| around.bracket != b'{');
    let is_arrow = heads.arrows && head.trim_ascii_end().ends_with(b"=>") && !holds_tests(head);
    if !is_arrow && (in_list || !heads.announce(head)) {
        return None;
    }
    Some(statement + head.iter().take_while(|byte| byte.is_ascii_whitespace()).count())
}

/// What is given to these holds functions that are judged one by one.
fn holds_tests(head: &[u8]) -> bool {
    [&b"describe"[..], b"context(", b"suite("].iter().any(|word| memchr::memmem::find(head, word).is_some())
}
