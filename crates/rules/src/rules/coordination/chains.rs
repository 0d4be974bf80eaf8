//! The methods of an address where they stand behind it: `route("/a").get(f).post(g)`, `route("/a", get(f).post(g))`.

/// No list of methods is longer.
const LONGEST: usize = 4096;

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "all"];

/// The methods that are called one after the other at the beginning of a text, or inside the brackets it begins in.
pub(super) fn methods(text: &[u8]) -> Vec<String> {
    let text = &text[..text.len().min(LONGEST)];
    let mut found = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' | b'\'' | b'`' => at += quoted(&text[at..]),
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            b';' | b',' if depth == 0 => break,
            byte if depth == 0 && byte.is_ascii_alphabetic() => {
                let length = text[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                    .count();
                let word = String::from_utf8_lossy(&text[at..at + length]).into_owned();
                let is_called = text.get(at + length) == Some(&b'(');
                if is_called && METHODS.contains(&word.as_str()) {
                    found.push(word.to_ascii_uppercase());
                }
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// How far it is to the end of what stands in quotes.
fn quoted(text: &[u8]) -> usize {
    let mut escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let ends = !escaped && (*byte == text[0] || *byte == b'\n');
        escaped = !escaped && *byte == b'\\';
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_those_that_are_called_there() {
        let read = |text: &str| methods(text.as_bytes());
        assert_eq!(read("\n  .get(list)\n  .post(auth, (a) => b.get(a));\n.put(x)"), ["GET", "POST"]);
        assert_eq!(read(" get(list).post(create)).route(\"/b\", put(c))"), ["GET", "POST"]);
        assert_eq!(read(" axum::routing::get(list))"), ["GET"]);
        assert_eq!(read(" handlers)"), NONE);
        assert_eq!(read("\"a)\".delete('x')"), ["DELETE"]);
        assert_eq!(read("\"a"), NONE);
    }

    const NONE: [&str; 0] = [];
}
