use serde_json::Value;

/// Where a result lies, as its program wrote it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) path: String,
    /// Without the folder it begins with, where that is given by its whole path.
    pub(super) inside: Option<String>,
}

/// Nobody nests folders deeper than this; one that contains itself is nested without end.
const DEEPEST: usize = 8;

/// The address of a file. It may stand in the list of all files instead, and begin where a name says.
pub(super) fn located(location: &Value, run: &Value) -> Option<Located> {
    let listed = || {
        let index = usize::try_from(location.get("index")?.as_u64()?).ok()?;
        run.get("artifacts")?.get(index)?.get("location")
    };
    let location = if location.get("uri").is_some() { location } else { listed()? };
    let mut inside = location.get("uri")?.as_str()?.to_owned();
    let mut base = location.get("uriBaseId");
    for _ in 0..DEEPEST {
        if is_whole(&inside) {
            break;
        }
        let Some(folder) =
            base.and_then(Value::as_str).and_then(|name| run.get("originalUriBaseIds")?.get(name))
        else {
            break;
        };
        let Some(uri) = folder.get("uri").and_then(Value::as_str) else { break };
        let path = format!("{}/{}", uri.trim_end_matches('/'), inside.trim_start_matches("./"));
        if is_whole(uri) {
            return Some(Located { path, inside: Some(inside) });
        }
        inside = path;
        base = folder.get("uriBaseId");
    }
    Some(Located { path: inside, inside: None })
}

fn is_whole(uri: &str) -> bool {
    uri.starts_with('/') || uri.contains("://") || uri.starts_with("file:")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run() -> Value {
        json!({
            "originalUriBaseIds": {
                "ROOT": {"uri": "file:///ci/shop/"},
                "SRC": {"uri": "src/", "uriBaseId": "ROOT"},
                "NOWHERE": {"description": {"text": "the root"}},
                "LOOP": {"uri": "x/", "uriBaseId": "LOOP"}
            },
            "artifacts": [{"location": {"uri": "a.py", "uriBaseId": "SRC"}}]
        })
    }

    fn at(location: Value) -> Option<(String, Option<String>)> {
        located(&location, &run()).map(|located| (located.path, located.inside))
    }

    #[test]
    fn a_name_stands_for_a_folder_and_a_number_for_a_file() {
        let whole = Some(("file:///ci/shop/src/a.py".to_owned(), Some("src/a.py".to_owned())));
        assert_eq!(at(json!({"uri": "a.py", "uriBaseId": "SRC"})), whole);
        assert_eq!(at(json!({"index": 0})), whole);
        for base in ["NOWHERE", "UNKNOWN"] {
            assert_eq!(at(json!({"uri": "a.py", "uriBaseId": base})), Some(("a.py".to_owned(), None)));
        }
    }

    #[test]
    fn what_cannot_be_found_is_nowhere_and_a_circle_ends() {
        assert_eq!(at(json!({"index": 7})), None);
        assert_eq!(at(json!({})), None);
        assert!(at(json!({"uri": "a.py", "uriBaseId": "LOOP"})).is_some());
        let whole = json!({"uri": "file:///x/a.py", "uriBaseId": "SRC"});
        assert_eq!(at(whole), Some(("file:///x/a.py".to_owned(), None)));
    }
}
