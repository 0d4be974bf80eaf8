use super::stage::{DIFF, Forge, by_key, oid, ourselves};
use crate::forge::{CommentKind, MergeRequestRef, Provider};
use crate::publish::{Mark, MarkKind, PublishKey, Seal};

#[test]
fn a_copied_marker_of_a_stranger_is_not_ours() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    let body = forge.plan(&review).unwrap().review.unwrap().comments.remove(0).body;
    forge.say("mallory", CommentKind::Inline, &body);
    assert!(forge.plan(&review).unwrap().review.is_some(), "somebody else wrote it");
    forge.say("bot", CommentKind::Inline, &format!("> {body}"));
    assert!(forge.plan(&review).unwrap().review.is_some(), "a quotation is not the comment");
    forge.say("bot", CommentKind::Inline, &body);
    assert!(forge.plan(&review).unwrap().review.is_none());
}

#[test]
fn without_a_name_the_code_decides_and_covers_the_whole_comment() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    let body = forge.plan_as(&review, &by_key()).unwrap().review.unwrap().comments.remove(0).body;
    let is_there = |forge: &Forge| forge.plan_as(&review, &by_key()).unwrap().review.is_none();
    for forged in
        [body.replace("CRITICAL", "MINOR"), body.replace("mac=", "mac=0"), body.replace(" mac=", " ")]
    {
        forge.say("mallory", CommentKind::Inline, &forged);
        assert!(!is_there(&forge), "{forged}");
    }
    forge.say("app[bot]", CommentKind::Inline, &body.replace('\n', "  \r\n"));
    assert!(is_there(&forge), "forges change white space");
    forge.request.reference.number = 8;
    assert!(!is_there(&forge), "it was made for another request");
}

#[test]
fn a_seal_needs_a_name_or_a_key_that_cannot_be_guessed() {
    assert!(Seal::new(None, PublishKey::new("short")).is_err());
    assert_eq!(format!("{:?}", PublishKey::new("a key that is long enough")), "Some(PublishKey(..))");
}

#[test]
fn markers_read_back() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2)]);
    let request = MergeRequestRef { number: 7, ..forge.request.reference.clone() };
    for seal in [ourselves(), by_key()] {
        let mark = Mark {
            kind: MarkKind::Summary {
                state: crate::publish::MarkState::Open,
                content: "ab".into(),
                unplaced: vec![review.findings[0].fingerprint.clone()],
                by: "rules".into(),
            },
            head: oid('2'),
        };
        let body = seal.write(&request, &mark, "text\n");
        forge.say("bot", CommentKind::Conversation, &body);
        let read = seal.read(&request, forge.comments.last().unwrap());
        assert_eq!(read, Some((mark, "text\n")));
    }
}
