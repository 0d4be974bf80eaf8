//! How much of a model's window a text takes. No vocabulary is asked: the count is an estimate that is hardly ever
//! too low, for every vocabulary that was measured, and reads 200 MB a second.

use crate::call::{Call, Message};

/// What a provider adds around each message.
const PER_MESSAGE: usize = 8;
/// What a character adds is counted in parts of a token.
const PARTS: usize = 8;
/// Letters and digits in a row that are no word any more, but a key or a hash, whose tokens are short.
const MAX_WORD_BYTES: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Lower,
    Upper,
    Digit,
    Space,
    LineEnd,
    Punctuation,
    Control,
    NotAscii,
}

impl ByteClass {
    fn new(byte: u8) -> ByteClass {
        match byte {
            b'a'..=b'z' => ByteClass::Lower,
            b'A'..=b'Z' => ByteClass::Upper,
            b'0'..=b'9' => ByteClass::Digit,
            b' ' | b'\t' => ByteClass::Space,
            b'\n' | b'\r' => ByteClass::LineEnd,
            b'!'..=b'~' => ByteClass::Punctuation,
            0x80.. => ByteClass::NotAscii,
            _ => ByteClass::Control,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, ByteClass::Lower | ByteClass::Upper)
    }
}

/// Reads a text byte by byte, and says what each adds to its tokens.
#[derive(Default)]
struct TokenEstimator {
    before: Option<(ByteClass, u8)>,
    /// How many bytes of the same class, letters of the same word, letters and digits in a row came before.
    run: usize,
    letters: usize,
    unbroken: usize,
}

impl TokenEstimator {
    /// The parts of a token that `byte` adds. The numbers were fitted to what the vocabularies `cl100k_base` and
    /// `o200k_base` make of source code, data and prose (docs/BENCHMARKS.md).
    fn advance(&mut self, byte: u8) -> usize {
        let class = ByteClass::new(byte);
        let before = self.before.map(|(class, _)| class);
        let starts_word = class.is_letter()
            && (!before.is_some_and(ByteClass::is_letter)
                || (before, class) == (Some(ByteClass::Lower), ByteClass::Upper));
        self.run = if before == Some(class) { self.run + 1 } else { 0 };
        self.letters = if class.is_letter() && !starts_word { self.letters + 1 } else { 0 };
        let continues_word = class.is_letter() || class == ByteClass::Digit;
        self.unbroken = if continues_word { self.unbroken + 1 } else { 0 };
        let parts = match class {
            _ if self.unbroken > MAX_WORD_BYTES => 6,
            ByteClass::Lower | ByteClass::Upper if starts_word => match before {
                // The space or the sign before a word is mostly part of its token.
                Some(ByteClass::Space | ByteClass::Punctuation) => 7,
                _ => 8,
            },
            ByteClass::Lower if self.letters < 3 => 0,
            ByteClass::Lower => 2,
            ByteClass::Upper => 3,
            // Up to three digits are a token, and a space before them is one of its own.
            ByteClass::Digit if self.run == 0 && before == Some(ByteClass::Space) => 14,
            ByteClass::Digit if self.run.is_multiple_of(3) => 8,
            ByteClass::Digit => 0,
            ByteClass::Space => match self.run {
                0 => 1,
                1 => 6,
                run if run.is_multiple_of(16) => 8,
                _ => 0,
            },
            ByteClass::LineEnd if self.run == 0 => 7,
            ByteClass::LineEnd => 1,
            ByteClass::Punctuation if self.run == 0 => 8,
            ByteClass::Punctuation if self.before == Some((class, byte)) => 2,
            ByteClass::Punctuation => 5,
            ByteClass::Control => 8,
            ByteClass::NotAscii => first_byte_parts(byte),
        };
        self.before = Some((class, byte));
        parts
    }
}

/// The parts that a character which begins with `byte` adds: what continues it adds nothing.
fn first_byte_parts(byte: u8) -> usize {
    match byte {
        ..=0xbf => 0,
        // Latin letters with accents; Greek and Cyrillic.
        0xc0..=0xcd => 8,
        0xce..=0xd2 => 9,
        // Hebrew, Arabic; Chinese, Japanese.
        0xd3..=0xdf | 0xe3..=0xe9 => 16,
        // Scripts of India and further east, Korean; emoji and what is rare.
        0xe0..=0xe2 | 0xea..=0xed => 22,
        0xee.. => 24,
    }
}

/// Tokens of a text: estimated, and rather too many than too few.
pub fn count(text: &str) -> usize {
    let mut estimator = TokenEstimator::default();
    text.bytes().map(|byte| estimator.advance(byte)).sum::<usize>().div_ceil(PARTS)
}

/// Tokens of everything that is sent with a call, its schema included.
pub fn count_call(call: &Call) -> usize {
    let messages: usize = call
        .messages
        .iter()
        .map(|message| match message {
            Message::User(text) => count(text) + PER_MESSAGE,
            Message::Assistant { text, tool_calls } => {
                let calls =
                    tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments.to_string()));
                count(text) + calls.sum::<usize>() + PER_MESSAGE
            }
            Message::ToolResults(results) => {
                results.iter().map(|result| count(&result.content) + PER_MESSAGE).sum()
            }
        })
        .sum();
    let schema = call.schema.as_ref().map_or(0, |schema| count(&schema.schema.to_string()));
    let tools: usize =
        call.tools.iter().map(|tool| count(&tool.description) + count(&tool.input.to_string())).sum();
    count(&call.system) + PER_MESSAGE + messages + schema + tools
}

/// The beginning of `text` that has at most `limit` tokens, whole lines where that leaves something.
pub fn clip(text: &str, limit: usize) -> &str {
    let mut estimator = TokenEstimator::default();
    let mut left = limit.saturating_mul(PARTS);
    let mut fits = |byte: u8| match left.checked_sub(estimator.advance(byte)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let fitting = floor(text, text.bytes().take_while(|byte| fits(*byte)).count());
    if fitting == text.len() {
        return text;
    }
    let line_end = text[..fitting].rfind('\n').map_or(0, |at| at + 1);
    &text[..if line_end * 2 > fitting { line_end } else { fitting }]
}

/// The last character boundary at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts and the tokens they have: the larger of the counts by `cl100k_base` and `o200k_base`.
    const KNOWN: [(&str, usize); 12] = [
        (
            "pub fn open(path: &Path) -> io::Result<Store> {\n    let file = File::open(path)?;\n    Store::read(BufReader::new(file))\n}\n",
            37,
        ),
        (
            "def add(self, other):\n    \"\"\"Returns the sum of both.\"\"\"\n    return Money(self.cents + other.cents, self.currency)\n",
            28,
        ),
        (
            "{\"name\": \"left-pad\", \"version\": \"1.3.0\", \"keywords\": [\"pad\", \"string\"], \"size\": 10240}\n",
            33,
        ),
        (
            "The change removes a check that kept callers from opening a file twice, and no test notices.\n",
            19,
        ),
        (
            "@@ -12,7 +12,9 @@ fn main() {\n-    println!(\"{total}\");\n+    if total > LIMIT {\n+        eprintln!(\"too many: {total}\");\n+    }\n",
            41,
        ),
        ("Die Prüfung schlägt fehl, weil die Überweisung nicht abgeschlossen wurde.\n", 21),
        ("Проверка не прошла: перевод не завершён.\n", 18),
        ("変更はテストを削除します。残高の確認がありません。\n", 26),
        ("sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n", 48),
        ("🎉🎉 done ✅\n", 10),
        ("            }\n        }\n    }\n}\n\n\n", 7),
        ("!function(e,t){for(var n=0;n<t.length;n++)e[t[n]]=void 0===e[n]?1:e[n]+2}(a,b);", 35),
    ];

    #[test]
    fn the_estimate_is_not_below_the_tokens_and_not_far_above() {
        for (text, tokens) in KNOWN {
            let estimated = count(text);
            assert!(
                (tokens..=tokens * 5 / 2).contains(&estimated),
                "{tokens} tokens, not {estimated}: {text}"
            );
        }
        let all = |of: fn(&(&str, usize)) -> usize| KNOWN.iter().map(of).sum::<usize>();
        let (estimated, tokens) = (all(|(text, _)| count(text)), all(|(_, tokens)| *tokens));
        assert!(estimated * 2 < tokens * 3, "{estimated} for {tokens}");
    }

    #[test]
    fn clipping_keeps_what_fits() {
        let text = "fn main() {\n    let x = 1;\n}\n".repeat(100);
        for limit in [0, 1, 7, 100, 10_000] {
            let kept = clip(&text, limit);
            assert!(count(kept) <= limit && text.starts_with(kept));
            assert_eq!(kept.len() == text.len(), limit == 10_000);
        }
        assert!(clip(&text, 100).ends_with('\n'));
        assert!(!clip(&"x".repeat(100_000), 50).is_empty());
    }

    #[test]
    fn everything_that_is_sent_is_counted() {
        let mut call = Call { system: "You review.".into(), ..Call::default() };
        let before = count_call(&call);
        call.messages.push(Message::User("one two three".into()));
        assert_eq!(count_call(&call), before + count("one two three") + PER_MESSAGE);
    }
}
