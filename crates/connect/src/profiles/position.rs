//! Places in a diff as GitLab wants them.

use domain::change::LineKind;
use domain::forge::{DiffRefs, InlinePlace, LineSpot};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

/// An added line has a new number only, a removed one an old number only, an unchanged one both.
pub(super) fn lines(spot: LineSpot) -> (Option<u32>, Option<u32>) {
    match spot.kind {
        LineKind::Added => (None, Some(spot.new)),
        LineKind::Removed => (Some(spot.old), None),
        LineKind::Context => (Some(spot.old), Some(spot.new)),
    }
}

fn kind(spot: LineSpot) -> &'static str {
    match spot.kind {
        LineKind::Added => "new",
        LineKind::Removed | LineKind::Context => "old",
    }
}

/// Without the range: what all servers agree on.
fn base(refs: &DiffRefs, place: &InlinePlace) -> Value {
    let mut position = json!({
        "base_sha": refs.base.as_str(),
        "start_sha": refs.start.as_str(),
        "head_sha": refs.head.as_str(),
        "old_path": place.old_path.to_str(),
        "new_path": place.path.to_str(),
    });
    let (old, new) = lines(place.end);
    for (name, line) in [("old_line", old), ("new_line", new)] {
        if let Some(line) = line {
            position[name] = json!(line);
        }
    }
    position
}

/// For our own server, which makes line codes from counters.
pub(super) fn with_counters(refs: &DiffRefs, place: &InlinePlace) -> Value {
    let mut position = base(refs, place);
    if place.start != place.end {
        let end = |spot: LineSpot| json!({ "old_line": spot.old, "new_line": spot.new, "type": kind(spot) });
        position["line_range"] = json!({ "start": end(place.start), "end": end(place.end) });
    }
    position
}

/// For a server that passes on what GitLab itself wants.
pub(super) fn with_codes(refs: &DiffRefs, place: &InlinePlace) -> Value {
    let mut position = base(refs, place);
    position["position_type"] = json!("text");
    if place.start != place.end {
        let end = |spot: LineSpot| {
            let (old, new) = lines(spot);
            json!({ "line_code": line_code(place, spot), "type": kind(spot), "old_line": old, "new_line": new })
        };
        position["line_range"] = json!({ "start": end(place.start), "end": end(place.end) });
    }
    position
}

/// `sha1(path)_old_new`, with both counters as they stand at the line.
fn line_code(place: &InlinePlace, spot: LineSpot) -> String {
    let digest = Sha1::digest(place.path.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}_{}_{}", spot.old, spot.new)
}

#[cfg(test)]
mod tests {
    use domain::change::Oid;

    use super::*;

    #[test]
    fn each_kind_of_line_has_the_numbers_it_needs() {
        let oid = |digit: &str| Oid::parse(&digit.repeat(40)).unwrap();
        let refs = DiffRefs { base: oid("1"), start: oid("2"), head: oid("3") };
        let spot = |kind, old, new| LineSpot { kind, old, new };
        let place = |start, end| InlinePlace { path: "a.rs".into(), old_path: "b.rs".into(), start, end };
        let added = spot(LineKind::Added, 4, 5);
        let one = with_codes(&refs, &place(added, added));
        assert_eq!(
            (one.get("old_line"), one["new_line"].as_u64(), one.get("line_range")),
            (None, Some(5), None)
        );
        let range = with_codes(&refs, &place(spot(LineKind::Context, 3, 4), added));
        let code = range["line_range"]["start"]["line_code"].as_str().unwrap();
        assert!(code.ends_with("_3_4") && code.len() == 44, "{code}");
        assert_eq!(range["line_range"]["end"]["type"], "new");
        let removed = spot(LineKind::Removed, 7, 9);
        let gone = with_counters(&refs, &place(removed, removed));
        assert_eq!((gone["old_line"].as_u64(), gone.get("new_line")), (Some(7), None));
    }
}
