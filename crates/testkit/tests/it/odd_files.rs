//! Names and contents that break careless tools.

use serde_json::Value;
use testkit::forge::{Edit, Forge, PullSeed, Rights};

use crate::http::Client;

fn odd() -> (Forge, Client) {
    let forge = Forge::start();
    forge.repository("acme/odd");
    let old: String = (1..=20).map(|number| format!("line {number}\n")).collect();
    forge.commit("acme/odd", "main", &[("plain.txt", "no end of line"), ("moved.txt", &old)]);
    forge.edit(
        "acme/odd",
        "feature",
        &[
            Edit::Write("a \"quoted\" n\u{e4}me.txt", b"1\n"),
            Edit::Write("binary.bin", &[0, 1, 2, 255, 0]),
            Edit::Write("latin.txt", b"caf\xe9\n"),
            Edit::Write("hunk.txt", b"@@ -1,1 +1,1 @@\ndiff --git a/x b/x\n"),
            Edit::Write("plain.txt", b"an end of line\n"),
            Edit::Rename("moved.txt", "elsewhere/moved.txt"),
            Edit::Delete("README.md"),
        ],
    );
    forge.open_pull("acme/odd", PullSeed::from("feature"));
    let client = Client::bearer(&forge.url(), "/repos/acme/odd", &forge.token("robot", Rights::Write));
    (forge, client)
}

fn file<'a>(files: &'a Value, name: &str) -> &'a Value {
    files
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["filename"] == name)
        .unwrap_or_else(|| panic!("{name}: {files}"))
}

#[test]
fn every_file_has_its_own_name_status_and_patch() {
    let (_forge, client) = odd();
    let files = client.get("/pulls/1/files").expect(200).json();
    assert_eq!(files.as_array().unwrap().len(), 7);
    assert_eq!(file(&files, "a \"quoted\" n\u{e4}me.txt")["patch"], "@@ -0,0 +1 @@\n+1");
    assert!(file(&files, "binary.bin").get("patch").is_none());
    assert_eq!(file(&files, "hunk.txt")["additions"], 2);
    assert_eq!(file(&files, "README.md")["status"], "removed");
    let moved = file(&files, "elsewhere/moved.txt");
    assert_eq!(
        (moved["status"].as_str(), moved["previous_filename"].as_str()),
        (Some("renamed"), Some("moved.txt"))
    );
    assert!(moved.get("patch").is_none());
}

#[test]
fn a_diff_keeps_bytes_that_are_no_text() {
    let (_forge, client) = odd();
    let diff = client.get_with("/pulls/1", &[("accept", "application/vnd.github.v3.diff")]).expect(200);
    assert!(diff.body.windows(5).any(|bytes| bytes == b"caf\xe9\n"));
}

#[test]
fn a_missing_end_of_line_does_not_shift_places() {
    let (forge, client) = odd();
    let at = |side: &str, line: u32| {
        let comment = serde_json::json!({ "path": "plain.txt", "line": line, "side": side, "body": "here" });
        let review = serde_json::json!({ "event": "COMMENT", "body": "b", "comments": [comment] });
        client.post("/pulls/1/reviews", &review).status
    };
    assert_eq!([at("RIGHT", 1), at("LEFT", 1), at("RIGHT", 2)], [200, 200, 422]);
    let positions: Vec<u32> = forge
        .pull("acme/odd", 1)
        .threads
        .iter()
        .map(|thread| thread.anchor.as_ref().unwrap().position)
        .collect();
    // Removed line, the remark about its missing end, added line.
    assert_eq!(positions, [3, 1]);
}
