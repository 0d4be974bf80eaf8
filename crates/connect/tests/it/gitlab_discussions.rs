use serde_json::{Value, json};
use testkit::forge::Forge;

use super::table::{REPO, Table, gitlab, gitlab_as, with_pull};

async fn position(table: &Table, iid: u64, lines: Value) -> Value {
    let diff = table.done("gitlab_get_mr_diff", json!({"project": REPO, "mr_iid": iid})).await;
    let mut position = json!({"base_sha": diff["base_sha"], "start_sha": diff["start_sha"], "head_sha": diff["head_sha"],
        "old_path": "src/a.rs", "new_path": "src/a.rs"});
    for (name, value) in lines.as_object().unwrap() {
        position[name] = value.clone();
    }
    position
}

#[tokio::test]
async fn a_discussion_hangs_at_its_line() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    for lines in [
        json!({"new_line": 11}),
        json!({"old_line": 20}),
        json!({"old_line": 9, "new_line": 9}),
        json!({"new_line": 11, "line_range": {"start": {"old_line": 11, "new_line": 10, "type": "new"},
            "end": {"old_line": 11, "new_line": 11, "type": "new"}}}),
    ] {
        let place = position(&table, iid, lines.clone()).await;
        let wanted = json!({"project": REPO, "mr_iid": iid, "body": "here", "position": place});
        let made = table.done("gitlab_create_discussion", wanted).await;
        let hangs = &made["notes"][0]["position"];
        assert_eq!(
            (&hangs["new_line"], &hangs["old_line"]),
            (&lines["new_line"], &lines["old_line"]),
            "{made}"
        );
        assert_eq!((&made["resolvable"], &made["resolved"]), (&json!(true), &json!(false)));
    }
}

#[tokio::test]
async fn a_place_outside_the_diff_is_explained() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let place = position(&table, iid, json!({"new_line": 3})).await;
    let wanted = json!({"project": REPO, "mr_iid": iid, "body": "here", "position": place});
    let refused = table.refused("gitlab_create_discussion", wanted).await;
    assert_eq!((&refused["kind"], &refused["status"]), (&json!("invalid"), &json!(400)));
    assert!(refused["hint"].as_str().unwrap().contains("Nothing was written"), "{refused}");
}

#[tokio::test]
async fn a_discussion_is_answered_resolved_and_opened_again() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let made =
        table.done("gitlab_create_discussion", json!({"project": REPO, "mr_iid": iid, "body": "hm"})).await;
    let reply = json!({"project": REPO, "mr_iid": iid, "discussion_id": made["id"], "body": "fixed"});
    assert_eq!(table.done("gitlab_reply_to_discussion", reply).await["body"], "fixed");
    let resolve = json!({"project": REPO, "mr_iid": iid, "discussion_id": made["id"]});
    assert_eq!(table.done("gitlab_resolve_discussion", resolve).await["resolved"], true);
    let open = json!({"project": REPO, "mr_iid": iid, "discussion_id": made["id"], "resolved": false});
    assert_eq!(table.done("gitlab_resolve_discussion", open).await["resolved"], false);
    let all = table.done("gitlab_get_mr_discussions", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!(all["discussions"][0]["notes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_note_is_written_and_changed() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let note = table.done("gitlab_add_mr_note", json!({"project": REPO, "mr_iid": iid, "body": "one"})).await;
    let text = json!({"project": REPO, "mr_iid": iid, "note_id": note["id"], "body": "two"});
    assert_eq!(table.done("gitlab_update_note", text).await["body"], "two");
    let all = table.done("gitlab_get_mr_discussions", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!(
        (&all["discussions"][0]["individual_note"], &all["discussions"][0]["notes"][0]["body"]),
        (&json!(true), &json!("two"))
    );
}

#[tokio::test]
async fn long_conversations_are_read_to_their_end() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    for n in 0..150 {
        forge.comment(REPO, iid, "bob", &n.to_string());
    }
    let table = gitlab(&forge).await;
    let all = table.done("gitlab_get_mr_discussions", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!((all["discussions"].as_array().unwrap().len(), &all["complete"]), (150, &json!(true)));
}

#[tokio::test]
async fn only_notes_that_countersign_posted_with_this_token_are_deleted() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let (table, alice) = (gitlab(&forge).await, gitlab_as(&forge, "alice").await);
    let said = async |by: &Table, body: &str| {
        let note = json!({"project": REPO, "mr_iid": iid, "body": body});
        let id = by.done("gitlab_add_mr_note", note).await["id"].clone();
        json!({"project": REPO, "mr_iid": iid, "note_id": id})
    };
    let ours = said(&table, "<!-- countersign:v1 kind=batch -->\nx").await;
    assert!(table.done("gitlab_delete_note", ours).await["deleted"].is_number());
    let unmarked = said(&table, "x").await;
    let copied = said(&alice, "<!-- countersign:v1 kind=batch -->\nx").await;
    for (kept, why) in [(unmarked, "no marker"), (copied, "somebody else")] {
        let refused = table.refused("gitlab_delete_note", kept).await;
        assert_eq!(refused["kind"], "forbidden", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
    }
}
