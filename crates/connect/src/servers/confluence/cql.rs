//! Queries from values that anybody may have written: each is quoted, and can say nothing but itself.

/// A query of conditions that all hold.
#[derive(Debug, Default)]
pub(super) struct Cql(Vec<String>);

impl Cql {
    pub(super) fn pages() -> Cql {
        Cql(vec!["type = page".to_owned()])
    }

    pub(super) fn equals(self, field: &'static str, value: Option<&str>) -> Cql {
        self.with(field, "=", value)
    }

    pub(super) fn contains(self, field: &'static str, value: Option<&str>) -> Cql {
        self.with(field, "~", value)
    }

    fn with(mut self, field: &str, operator: &str, value: Option<&str>) -> Cql {
        self.0.extend(value.map(|value| format!("{field} {operator} {}", quoted(value))));
        self
    }

    pub(super) fn text(&self) -> String {
        self.0.join(" AND ")
    }
}

fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_become_part_of_the_query() {
        let hostile = "x\" OR space = \"SECRET\\";
        let query = Cql::pages().equals("label", Some(hostile)).contains("text", None).text();
        assert_eq!(query, "type = page AND label = \"x\\\" OR space = \\\"SECRET\\\\\"");
    }
}
