use serde_json::Value;

/// The JSON values of an output with one on each line. Lines that are none are passed over: agents print
/// warnings between them.
pub(super) fn events(stdout: &str) -> impl Iterator<Item = Value> {
    stdout.lines().filter_map(event)
}

pub(super) fn event(line: &str) -> Option<Value> {
    let line = line.trim();
    line.starts_with('{').then(|| serde_json::from_str(line).ok()).flatten()
}

/// The text at a path of keys.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

pub(super) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// US dollars to millionths of one.
pub(super) fn micro_usd(value: &Value, pointer: &str) -> Option<u64> {
    let dollars = value.pointer(pointer).and_then(Value::as_f64)?;
    (dollars.is_finite() && dollars >= 0.0).then_some((dollars * 1e6).round() as u64)
}

/// A tool call in one line: its name and the argument that says most.
pub(super) fn tool_line(tool: &str, input: &Value) -> String {
    let telling = ["command", "file_path", "filePath", "path", "pattern", "query", "description"];
    match telling.iter().find_map(|key| input.get(key).and_then(Value::as_str)) {
        Some(argument) => format!("{tool}: {argument}"),
        None => tool.to_owned(),
    }
}

/// Without repetitions, in order.
pub(super) fn once(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}
