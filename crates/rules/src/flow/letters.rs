//! Checks of every character of a text, or of the whole by a pattern: what consists of letters, digits and `_` does no harm
//! anywhere.

use super::guards::Says;

/// How a text is asked for each of its characters, behind its name.
const ASKING: [&str; 5] = [".chars().all(", ".bytes().all(", ".all {", ".all{", ".All("];

/// What a harmless character is asked to be.
const HARMLESS: [&str; 12] = [
    "alphanumeric",
    "is_alphabetic",
    "is_ascii_alphabetic",
    "is_ascii_digit",
    "is_ascii_hexdigit",
    "is_ascii_lowercase",
    "is_ascii_uppercase",
    "is_numeric",
    "etterOrDigit",
    "isLetter",
    "isDigit",
    "char.Is",
];

/// `!name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')`. Nothing where no character is asked for.
pub(super) fn says_of_letters(condition: &str, name: &str) -> Option<Says> {
    let (at, asked) = ASKING.iter().find_map(|asking| {
        let asked = format!("{name}{asking}");
        condition.find(&asked).map(|at| (at, asked))
    })?;
    let (before, inside) = (&condition[..at], &condition[at + asked.len()..]);
    let end = closing(inside)?;
    let is_harmless = HARMLESS.iter().any(|word| inside[..end].contains(word));
    let outside = format!("{before} {}", &inside[end..]);
    said(is_harmless && only_marks(&inside[..end]), before.trim_end().ends_with('!'), &outside)
}

/// C#'s `name is "a" or "b"`, `name is not ("a" or "b")`, and PHP's `preg_match('/^[a-z]+$/', $name)`.
pub(super) fn says_of_pattern(condition: &str, name: &str) -> Option<Says> {
    if let Some(asked) = condition.strip_prefix(&format!("{name} is ")) {
        let (said, listed) = match asked.strip_prefix("not ") {
            Some(rest) => (Says::Refused, rest),
            None => (Says::Allowed, asked),
        };
        let listed = listed.trim().trim_start_matches('(').trim_end_matches(')');
        let is_literal = |one: &str| one.len() > 2 && one.starts_with('"') && one.ends_with('"');
        return listed.split(" or ").all(|one| is_literal(one.trim())).then_some(said);
    }
    let (before, asked) = condition.split_once("preg_match(")?;
    let (pattern, rest) = asked.split_once(&format!(", {name}"))?;
    let is_anchored = pattern.contains('^') && pattern.contains(['$', 'z', 'Z', 'D']);
    let outside = format!("{before} {rest}");
    let is_refused = before.trim_end().ends_with('!') || rest.contains("=== 0") || rest.contains("!== 1");
    said(is_anchored, is_refused, &outside)
}

/// What a check that leaves only harmless texts says among the rest of a condition.
pub(super) fn said(is_harmless: bool, is_refused: bool, outside: &str) -> Option<Says> {
    let has = |words: [&str; 2]| words.iter().any(|word| outside.contains(word));
    let (either, both) = (has(["||", " or "]), has(["&&", " and "]));
    Some(match (is_harmless, is_refused) {
        (true, true) if !both => Says::Refused,
        (true, false) if !either => Says::Allowed,
        _ => Says::Nothing,
    })
}

/// Where the bracket closes that was opened before.
fn closing(inside: &str) -> Option<usize> {
    let mut depth = 0_i32;
    inside.char_indices().find_map(|(at, c)| {
        depth += i32::from(matches!(c, '(' | '{')) - i32::from(matches!(c, ')' | '}'));
        (depth < 0).then_some(at)
    })
}

/// Whether the characters that are let through beside letters are `_`, `-` and ends of ranges.
fn only_marks(asked: &str) -> bool {
    let quoted = asked.split('\'').skip(1).step_by(2);
    let is_harmless = |one: &str| {
        let mut characters = one.chars();
        let only = characters.next().filter(|_| characters.next().is_none());
        only.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    !asked.contains('"') && !asked.contains("!=") && quoted.into_iter().all(is_harmless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_are_harmless_and_other_characters_are_not() {
        for (condition, said) in [
            ("!name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')", Some(Says::Refused)),
            ("name.is_empty() || !name.chars().all(|c| c.is_alphanumeric())", Some(Says::Refused)),
            ("name.chars().all(char::is_alphanumeric)", Some(Says::Allowed)),
            ("name.all { it.isLetterOrDigit() || it == '-' }", Some(Says::Allowed)),
            ("name.All(char.IsLetterOrDigit) && ready", Some(Says::Allowed)),
            ("!name.chars().all(|c| c.is_alphanumeric() || c == '/')", Some(Says::Nothing)),
            ("!name.chars().all(|c| c != ';')", Some(Says::Nothing)),
            ("!ready && !name.chars().all(|c| c.is_alphanumeric())", Some(Says::Nothing)),
            ("ready || name.chars().all(|c| c.is_alphanumeric())", Some(Says::Nothing)),
            ("other.chars().all(|c| c.is_alphanumeric())", None),
        ] {
            assert_eq!(says_of_letters(condition, "name"), said, "{condition}");
        }
    }

    #[test]
    fn a_pattern_counts_from_the_beginning_to_the_end() {
        for (condition, said) in [
            ("name is \"a\" or \"b\"", Some(Says::Allowed)),
            ("name is not (\"a\" or \"b\")", Some(Says::Refused)),
            ("name is string", None),
            ("!preg_match('/^(a|b)$/', name)", Some(Says::Refused)),
            ("preg_match('/^[a-z]+$/', name) === 1", Some(Says::Allowed)),
            ("preg_match('/[a-z]/', name)", Some(Says::Nothing)),
            ("!preg_match('/^a$/', name) && ready", Some(Says::Nothing)),
        ] {
            assert_eq!(says_of_pattern(condition, "name"), said, "{condition}");
        }
    }
}
