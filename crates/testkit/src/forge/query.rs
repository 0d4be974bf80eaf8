//! Atlassian's query languages, JQL and CQL, as far as finding things goes: comparisons joined by AND, with an order
//! at the end.

#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) clauses: Vec<Clause>,
    pub(super) descending: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) field: String,
    pub(super) operator: Operator,
    pub(super) values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Is,
    IsNot,
    Contains,
    ContainsNot,
}

impl Query {
    /// Fields that are not in the list are an error, as they are in the real ones.
    pub(super) fn parse(text: &str, fields: &[&str]) -> Result<Query, String> {
        let mut words = words(text)?;
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let order = lower.windows(2).position(|pair| pair == ["order", "by"]);
        let descending = order.is_some_and(|at| lower[at..].iter().any(|word| word == "desc"));
        words.truncate(order.unwrap_or(words.len()));
        let mut clauses = Vec::new();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let (clause, after) = clause(rest, fields)?;
            clauses.push(clause);
            rest = match after {
                [and, after @ ..] if and.eq_ignore_ascii_case("and") && !after.is_empty() => after,
                [] => &[],
                [other, ..] => return Err(format!("Error in the query: Expecting 'AND' but got '{other}'.")),
            };
        }
        Ok(Query { clauses, descending })
    }
}

impl Clause {
    /// Decides by how something compares with one value.
    pub(super) fn holds(&self, equals: impl Fn(&str) -> bool, contains: impl Fn(&str) -> bool) -> bool {
        let mut values = self.values.iter();
        match self.operator {
            Operator::Is => values.any(|value| equals(value)),
            Operator::IsNot => !values.any(|value| equals(value)),
            Operator::Contains => values.any(|value| contains(value)),
            Operator::ContainsNot => !values.any(|value| contains(value)),
        }
    }
}

/// Whether every word is there, capitals, quotes and wildcards aside.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| text.contains(word.trim_matches(['*', '"'])))
}

/// Quoted texts, brackets, commas and operators are words of their own.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            quote @ ('"' | '\'') => {
                let mut word = String::new();
                loop {
                    match letters.next() {
                        Some('\\') => word.extend(letters.next()),
                        Some(end) if end == quote => break,
                        Some(inside) => word.push(inside),
                        None => {
                            return Err(
                                "Error in the query: The quoted string has not been completed.".to_owned()
                            );
                        }
                    }
                }
                words.push(word);
            }
            '(' | ')' | ',' => words.push(letter.to_string()),
            '=' | '~' | '!' | '<' | '>' => {
                let mut word = letter.to_string();
                word.extend(letters.next_if(|next| matches!(next, '=' | '~')));
                words.push(word);
            }
            space if space.is_whitespace() => {}
            _ => {
                let mut word = letter.to_string();
                while let Some(next) =
                    letters.next_if(|next| !next.is_whitespace() && !"(),=~!<>\"'".contains(*next))
                {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    Ok(words)
}

fn clause<'a>(words: &'a [String], fields: &[&str]) -> Result<(Clause, &'a [String]), String> {
    let [field, operator, rest @ ..] = words else {
        return Err("Error in the query: Expecting operator before the end of the query.".to_owned());
    };
    let field = field.to_lowercase();
    if !fields.contains(&field.as_str()) {
        return Err(format!("Field '{field}' does not exist or you do not have permission to view it."));
    }
    let operator = operator.to_lowercase();
    let (operator, rest) = match (operator.as_str(), rest) {
        ("not", [word, rest @ ..]) if word.eq_ignore_ascii_case("in") => ("not in".to_owned(), rest),
        _ => (operator, rest),
    };
    let kind = match operator.as_str() {
        "=" | "in" => Operator::Is,
        "!=" | "not in" => Operator::IsNot,
        "~" => Operator::Contains,
        "!~" => Operator::ContainsNot,
        _ => return Err(format!("Error in the query: Expecting operator but got '{operator}'.")),
    };
    match (operator.as_str(), rest) {
        ("in" | "not in", [open, rest @ ..]) if open == "(" => {
            let end = rest.iter().position(|word| word == ")").ok_or("Error in the query: Expecting ')'.")?;
            let values = rest[..end].iter().filter(|word| *word != ",").cloned().collect();
            Ok((Clause { field, operator: kind, values }, &rest[end + 1..]))
        }
        ("=" | "!=" | "~" | "!~", [value, rest @ ..]) => {
            Ok((Clause { field, operator: kind, values: vec![value.clone()] }, rest))
        }
        _ => Err("Error in the query: Expecting a value.".to_owned()),
    }
}
