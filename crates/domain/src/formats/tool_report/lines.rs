use super::{MOST_RESULTS, ToolResult};
use crate::review::Confidence;
use crate::text::{brief_line, short_line};
use crate::words::{Category, Level};

/// Reads `path:line: message` and `path:line:column: message`, which most linters can print. Other lines are left alone:
/// they are headings, excerpts and sums.
pub fn read_lines(tool: &str, output: &str) -> Vec<ToolResult> {
    output.lines().filter_map(|line| read(tool, line)).take(MOST_RESULTS).collect()
}

fn read(tool: &str, line: &str) -> Option<ToolResult> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let (path, number, rest) = place(line)?;
    let rest = match rest.split_once(':') {
        Some((column, rest)) if !column.is_empty() && column.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest
        }
        Some(_) | None => rest,
    };
    let (level, message) = level(rest.trim_start());
    let message = brief_line(message);
    (!message.is_empty()).then(|| ToolResult {
        tool: short_line(tool),
        rule: rule(&message).unwrap_or_default(),
        level,
        category: Category::Readability,
        score: None,
        confidence: Confidence::Medium,
        message,
        path: path.to_owned(),
        inside: None,
        line: number,
        end_line: number,
    })
}

/// The first colon that a number and a colon follow: a path may hold colons itself.
fn place(line: &str) -> Option<(&str, u32, &str)> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(':').map(|at| from + at) {
        let rest = &line[at + 1..];
        if let Some((digits, rest)) = rest.split_once(':')
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && at > 0
        {
            return Some((&line[..at], digits.parse().ok().filter(|number| *number > 0)?, rest));
        }
        from = at + 1;
    }
    None
}

fn level(message: &str) -> (Level, &str) {
    const WORDS: [(&str, Level); 8] = [
        ("fatal error:", Level::Error),
        ("error:", Level::Error),
        ("error[", Level::Error),
        ("warning:", Level::Warning),
        ("warn:", Level::Warning),
        ("note:", Level::Info),
        ("info:", Level::Info),
        ("style:", Level::Info),
    ];
    let begins = |word: &str| message.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    match WORDS.into_iter().find(|(word, _)| begins(word)) {
        Some((word, level)) if word.ends_with(':') => (level, message[word.len()..].trim_start()),
        Some((_, level)) => (level, message),
        None => (Level::Warning, message),
    }
}

/// `E501` before the message, or `[SC2086]`, `(no-eval)` behind it.
fn rule(message: &str) -> Option<String> {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_/@.:".contains(c))
    };
    let is_code =
        |word: &str| plain(word) && word.bytes().any(|byte| byte.is_ascii_digit()) && word.len() <= 12;
    let first = message.split_whitespace().next()?;
    if is_code(first) && first.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Some(first.to_owned());
    }
    let last = message.split_whitespace().next_back()?;
    let inner = last.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    plain(inner).then(|| inner.to_owned())
}
