use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use crate::servers::ids::{Number, Sha};
use crate::servers::tool::put;

/// A place in the diff: new_line alone for an added line, old_line alone for a removed one, both for an unchanged one.
/// The commits are those that gitlab_get_mr_diff gives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    base_sha: Sha,
    start_sha: Sha,
    head_sha: Sha,
    old_path: String,
    new_path: String,
    #[serde(default)]
    old_line: Option<Number>,
    #[serde(default)]
    new_line: Option<Number>,
    /// Several lines; the last of them is the position's own.
    #[serde(default)]
    line_range: Option<LineRange>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LineRange {
    start: End,
    end: End,
}

/// One line by the counters of both sides, as they stand at it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct End {
    old_line: u64,
    new_line: u64,
    /// new for an added line, old for a removed one; left out for an unchanged one.
    #[serde(default, rename = "type")]
    side: Option<Side>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Side {
    New,
    Old,
}

impl Position {
    pub(super) fn to_json(&self) -> Value {
        let mut position = json!({
            "position_type": "text",
            "base_sha": self.base_sha,
            "start_sha": self.start_sha,
            "head_sha": self.head_sha,
            "old_path": self.old_path,
            "new_path": self.new_path,
        });
        put(&mut position, "old_line", self.old_line);
        put(&mut position, "new_line", self.new_line);
        if let Some(range) = &self.line_range {
            let [start, end] = [&range.start, &range.end].map(|end| end.to_json(&self.new_path));
            position["line_range"] = json!({"start": start, "end": end});
        }
        position
    }
}

impl End {
    fn to_json(&self, path: &str) -> Value {
        let code = line_code(path, self.old_line, self.new_line);
        let mut end = json!({"line_code": code, "type": self.side});
        let (with_old, with_new) = match self.side {
            Some(Side::New) => (false, true),
            Some(Side::Old) => (true, false),
            None => (true, true),
        };
        if with_old {
            end["old_line"] = self.old_line.into();
        }
        if with_new {
            end["new_line"] = self.new_line.into();
        }
        end
    }
}

/// GitLab's own name for a line of a diff.
fn line_code(path: &str, old_line: u64, new_line: u64) -> String {
    let digest = Sha1::digest(path.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}_{old_line}_{new_line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_named_as_gitlab_names_it() {
        // From GitLab's documentation of merge request threads: the digest is of the path.
        assert_eq!(line_code("hello", 10, 12), "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d_10_12");
    }

    #[test]
    fn an_added_line_has_a_new_number_only() {
        let sha = "a".repeat(40);
        let position: Position = serde_json::from_value(json!({"base_sha": sha, "start_sha": sha, "head_sha": sha,
            "old_path": "a", "new_path": "a", "new_line": 3, "line_range": {
                "start": {"old_line": 1, "new_line": 2, "type": "new"}, "end": {"old_line": 1, "new_line": 3, "type": "new"}}}))
        .unwrap();
        let json = position.to_json();
        assert_eq!((json["new_line"].as_u64(), json.get("old_line")), (Some(3), None));
        assert_eq!(json["line_range"]["start"]["new_line"], 2);
        assert_eq!(json["line_range"]["start"].get("old_line"), None);
    }
}
