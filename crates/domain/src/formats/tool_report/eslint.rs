use serde::Deserialize;

use super::{MOST_RESULTS, ToolResult};
use crate::review::Confidence;
use crate::text::{brief_line, short_line};
use crate::words::{Category, Level};

/// A file, as `eslint --format json` tells of it. Since version 9 ESLint itself prints nothing else that a program can read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Linted {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    /// None of what keeps the file from being parsed.
    rule_id: Option<String>,
    #[serde(default)]
    severity: u8,
    message: String,
    line: Option<u32>,
    end_line: Option<u32>,
}

/// Reads the JSON of ESLint. The error says why it is none.
pub fn read_eslint(tool: &str, output: &str) -> Result<Vec<ToolResult>, String> {
    let files: Vec<Linted> = serde_json::from_str(output.trim_start_matches('\u{feff}'))
        .map_err(|error| short_line(&error.to_string()))?;
    let told = files.iter().flat_map(|file| file.messages.iter().map(move |one| (file, one)));
    Ok(told.filter_map(|(file, one)| result(tool, &file.file_path, one)).take(MOST_RESULTS).collect())
}

fn result(tool: &str, path: &str, told: &Message) -> Option<ToolResult> {
    let line = told.line.filter(|line| *line > 0)?;
    Some(ToolResult {
        tool: short_line(tool),
        rule: told.rule_id.as_deref().map(short_line).unwrap_or_default(),
        level: if told.severity >= 2 { Level::Error } else { Level::Warning },
        category: Category::Readability,
        score: None,
        confidence: Confidence::Medium,
        message: brief_line(&told.message),
        path: path.to_owned(),
        inside: None,
        line,
        end_line: told.end_line.unwrap_or(line).max(line),
    })
}
