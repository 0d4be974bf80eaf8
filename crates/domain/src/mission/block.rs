//! Finds the YAML in a ticket's description, and undoes what editors did to it.

/// What a ticket calls the parameters of its review.
pub(super) const NAME: &str = "code_review_params";

/// The longest description that is looked at. Trackers allow about half of it.
const LONGEST: usize = 100_000;
/// Nobody writes longer ones.
const LONGEST_FENCE: usize = 20;

/// Every block of parameters in a description, as YAML. Usually one.
pub(super) fn blocks(description: &str) -> Vec<String> {
    let text = plain(description);
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| {
        underscored(&unescaped(undecorated(line)))
            .strip_prefix(NAME)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let starts = lines.iter().enumerate().filter(|(_, line)| begins(line)).map(|(number, _)| number);
    starts.map(|start| block(&lines[start..])).collect()
}

/// The lines that belong to the first one, indented as YAML wants them.
fn block(lines: &[&str]) -> String {
    let own = indent(lines[0]);
    let mut yaml = format!("{}\n", underscored(&unescaped(undecorated(lines[0]))));
    let mut first_indent = None;
    for line in &lines[1..] {
        if line.trim().is_empty() {
            continue;
        }
        let field = undecorated(line);
        // An editor that eats indentation leaves fields at the margin: those still belong to us, other text does not.
        let belongs = indent(line) > own || looks_like_field(field);
        if is_fence(line) || !belongs {
            break;
        }
        let base = *first_indent.get_or_insert(indent(line));
        let deeper = indent(line).saturating_sub(base);
        yaml.push_str(&format!("  {}{}\n", " ".repeat(deeper), unlinked(field)));
    }
    yaml
}

/// Straight quotes, spaces for tabs and for whatever looks like a space, fences on lines of their own.
fn plain(description: &str) -> String {
    let mut text = String::with_capacity(description.len());
    for c in description.chars().take(LONGEST) {
        match c {
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ab}' | '\u{bb}' => text.push('"'),
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => text.push('\''),
            '\t' => text.push_str("  "),
            '\r' => {}
            '\u{2028}' | '\u{2029}' => text.push('\n'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => text.push(' '),
            other if crate::text::is_invisible(other) => {}
            other => text.push(other),
        }
    }
    outside_of_fences(&text)
}

/// What stands between fences of Markdown is taken letter by letter; everywhere else wiki markup counts.
fn outside_of_fences(text: &str) -> String {
    let opening = |line: &str| {
        let line = line.trim();
        let fence = line.len() - line.trim_start_matches('`').len();
        (fence >= 3).then_some(fence)
    };
    let closes = |line: &str, fence: usize| {
        let line = line.trim();
        line.len() >= fence && line.bytes().all(|byte| byte == b'`')
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Where the last fence of each length is closed: hostile text is not searched again for each that is opened.
    let mut last_closing = [0; LONGEST_FENCE + 1];
    for (number, line) in lines.iter().enumerate() {
        let fence = line.trim().len().min(LONGEST_FENCE);
        if fence >= 3 && closes(line, 3) {
            last_closing[..=fence].fill(number);
        }
    }
    let (mut out, mut markup) = (String::with_capacity(text.len()), String::new());
    let mut inside = None;
    for (number, line) in lines.iter().enumerate() {
        match inside {
            Some(fence) => {
                out.push_str(line);
                inside = Some(fence).filter(|_| !closes(line, fence));
            }
            None => {
                match opening(line).filter(|fence| *fence <= LONGEST_FENCE && last_closing[*fence] > number) {
                    Some(fence) => {
                        out.push_str(&split_markup(&std::mem::take(&mut markup)));
                        out.push_str(line);
                        inside = Some(fence);
                    }
                    None => markup.push_str(line),
                }
            }
        }
    }
    out.push_str(&split_markup(&markup));
    out
}

/// `{code:yaml}a: 1{code}` is three lines. What one kind of block holds of the other is text.
fn split_markup(text: &str) -> String {
    let kinds = ["{code", "{noformat"].map(|kind| (kind, text.rfind(kind)));
    let mut out = String::with_capacity(text.len());
    let (mut done, mut from) = (0, 0);
    let mut open: Option<&str> = None;
    while let Some(at) = text[from..].find('{').map(|at| from + at) {
        let here = &text[at..];
        let is_ours = |kind: &str| here.starts_with(kind) && open.is_none_or(|open| open == kind);
        let Some((kind, last)) = kinds.into_iter().find(|(kind, _)| is_ours(kind)) else {
            from = at + 1;
            continue;
        };
        // The last of its kind opens nothing.
        open = if open.is_some() || last == Some(at) { None } else { Some(kind) };
        let end = here.find('}').map_or(text.len(), |end| at + end + 1);
        out.push_str(&format!("{}\n{}\n", &text[done..at], &text[at..end]));
        (done, from) = (end, end);
    }
    out.push_str(&text[done..]);
    out
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```")
        || line.starts_with("~~~")
        || line.starts_with("{code")
        || line.starts_with("{noformat")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Without the bullet, quote or bold mark in front of it, and without the bold mark behind a key.
fn undecorated(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches(['>', '|', '*', ' ']);
    let bare = bare.strip_prefix("- ").unwrap_or(bare).trim_start_matches(['*', '_', '`', ' ']);
    match bare.strip_suffix('*') {
        Some(key) if key.ends_with(':') => key,
        _ => bare,
    }
}

fn looks_like_field(line: &str) -> bool {
    let Some((key, _)) = line.split_once(':') else { return false };
    let key = underscored(&key.replace('\\', ""));
    super::params::FIELDS.contains(&key.trim())
}

/// `url: [https://x|https://x|smart-link]`, `[x](https://x)` and `<https://x>` as `url: "https://x"`; what wiki markup
/// escapes is itself again.
fn unlinked(line: &str) -> String {
    let Some((key, value)) = line.split_once(':') else { return unescaped(line) };
    let key = underscored(&unescaped(key));
    let value = underscored(value.trim());
    let value = value.as_str();
    let value = value.strip_prefix("{{").and_then(|inner| inner.strip_suffix("}}")).unwrap_or(value);
    let (quote, inner) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) if value.len() > 1 && value.ends_with(quote) => {
            (true, &value[1..value.len() - 1])
        }
        Some(_) | None => (false, value),
    };
    match address(inner) {
        Some(address) => format!("{key}: \"{address}\""),
        None if quote => format!("{key}: {value}"),
        None => format!("{key}: {}", unescaped(value)),
    }
}

/// The address in what an editor made of it. Nothing if it is no link.
fn address(value: &str) -> Option<String> {
    let link = if let Some(inner) = value.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
        inner
    } else if let Some(inner) = value.strip_prefix('[') {
        match inner.split_once("](") {
            Some((_, target)) => target.split(')').next()?,
            None => inner.split(']').next()?.split('|').find(|part| part.contains("://"))?,
        }
    } else {
        value.contains("://").then_some(value)?
    };
    let link = unescaped(link.trim());
    let harmless = |c: char| !c.is_control() && !c.is_whitespace() && !"\"\\<>".contains(c);
    (link.contains("://") && link.chars().all(harmless)).then_some(link)
}

/// `code*review*params` is `code_review_params`: mcp-atlassian takes a pair of underscores for emphasis and writes it as
/// Markdown. No name of ours, branch, project or address has a star inside a word.
fn underscored(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_inside = c == '*'
            && out.chars().next_back().is_some_and(char::is_alphanumeric)
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        out.push(if is_inside { '_' } else { c });
    }
    out
}

/// Wiki markup puts a backslash before what would be markup.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let escapes = c == '\\' && characters.peek().is_some_and(|next| "_-*{}[]|~^+!?".contains(*next));
        if !escapes {
            out.push(c);
        }
    }
    out
}
