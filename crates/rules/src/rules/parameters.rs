//! How many arguments a definition takes.

use crate::brackets::first_before;
use crate::language::Language;
use crate::source::Source;

/// The fewest and the most arguments a caller may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arity {
    pub(super) required: u32,
    /// Absent where any number is taken.
    pub(super) most: Option<u32>,
}

impl Arity {
    pub(super) fn accepts(self, arguments: u32) -> bool {
        arguments >= self.required && self.most.is_none_or(|most| arguments <= most)
    }

    pub(super) fn shown(self) -> String {
        match self.most {
            Some(most) if most == self.required => most.to_string(),
            Some(most) => format!("{} to {most}", self.required),
            None => format!("{} or more", self.required),
        }
    }
}

/// In bytes; a longer parameter list is not one.
const LONGEST_LIST: usize = 8 * 1024;

/// Of the definition whose name ends at `name_end`. `None` if no parameter list follows.
pub(super) fn arity(source: &Source, language: Language, name_end: usize) -> Option<Arity> {
    let code = source.code();
    let open = first_before(code, name_end, b'(', b"{;)")?;
    let list = source.brackets().from(open).filter(|list| list.len() <= LONGEST_LIST)?;
    let mut arity = Arity { required: 0, most: Some(0) };
    for (index, parameter) in split(&code[list.start + 1..list.end - 1]).into_iter().enumerate() {
        let receiver = index == 0 && is_receiver(parameter, language);
        if parameter.is_empty()
            || receiver
            || (language == Language::Python && [&b"*"[..], b"/"].contains(&parameter))
        {
            continue;
        }
        if takes_any_number(parameter) {
            arity.most = None;
        } else {
            arity.most = arity.most.map(|most| most + 1);
            arity.required += u32::from(!is_optional(parameter));
        }
    }
    Some(arity)
}

/// At the commas outside all brackets; angle brackets count, arrows do not.
fn split(list: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut depth, mut angles, mut start) = (0i32, 0i32, 0);
    let mut before = 0;
    for (at, &byte) in list.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'<' => angles += 1,
            b'>' if before != b'-' && before != b'=' => angles = (angles - 1).max(0),
            b',' if depth == 0 && angles == 0 => {
                parts.push(list[start..at].trim_ascii());
                start = at + 1;
            }
            _ => {}
        }
        before = byte;
    }
    parts.push(list[start..].trim_ascii());
    parts
}

fn is_receiver(parameter: &[u8], language: Language) -> bool {
    let words: Vec<&[u8]> = parameter
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte != b'\'')
        .filter(|word| !word.is_empty() && *word != b"mut" && word[0] != b'\'')
        .collect();
    match language {
        Language::Rust => words.first() == Some(&&b"self"[..]),
        Language::Python => [Some(&&b"self"[..]), Some(&&b"cls"[..])].contains(&words.first()),
        Language::TypeScript | Language::CSharp => words.first() == Some(&&b"this"[..]),
        _ => false,
    }
}

fn takes_any_number(parameter: &[u8]) -> bool {
    parameter.starts_with(b"*")
        || parameter.starts_with(b"vararg ")
        || parameter.starts_with(b"params ")
        || memchr::memmem::find(parameter, b"...").is_some()
}

fn is_optional(parameter: &[u8]) -> bool {
    let assigned = parameter.iter().enumerate().any(|(at, byte)| {
        *byte == b'='
            && !matches!(parameter.get(at + 1), Some(b'>' | b'='))
            && at.checked_sub(1).is_none_or(|b| !b"=<>!".contains(&parameter[b]))
    });
    assigned || memchr::memmem::find(parameter, b"?:").is_some() || parameter.ends_with(b"?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: Language, code: &'static str) -> String {
        let source = Source::new(code.as_bytes().into(), language);
        arity(&source, language, 1).map_or("none".to_owned(), Arity::shown)
    }

    #[test]
    fn counts_what_a_caller_gives() {
        use Language::*;
        let cases = [
            (Rust, "f(&mut self, a: HashMap<u8, u8>, b: impl Fn(u8, u8) -> u8) {}", "2"),
            (Rust, "f<'a, T>(a: &'a T) {}", "1"),
            (Rust, "f() {}", "0"),
            (Python, "f(self, a, b=(1, 2), *, c=','): pass", "1 to 3"),
            (Python, "f(a, *args, **kwargs): pass", "1 or more"),
            (Python, "f(a: int, /, b: str): pass", "2"),
            (TypeScript, "f(this: Window, a?: string, b: Map<string, number> = new Map()) {}", "0 to 2"),
            (JavaScript, "f({a, b}, ...rest) {}", "1 or more"),
            (JavaScript, "f(a, b = () => [1, 2]) {}", "1 to 2"),
            (Go, "f(a, b int, c func(int, int) error) {}", "3"),
            (Go, "f(a ...string) {}", "0 or more"),
            (Java, "f(Map<String, List<String>> a, final int b) {}", "2"),
            (Kotlin, "f(a: Int, b: Int = 2) {}", "1 to 2"),
        ];
        for (language, code, expected) in cases {
            assert_eq!(shown(language, code), expected, "{code}");
        }
    }
}
