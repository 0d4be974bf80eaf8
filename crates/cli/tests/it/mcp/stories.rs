//! Green writes, purple reviews, mia decides: each story on both wires and in both stores.

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::place::{Kept, Place, Wire};

/// The same story wherever it may be told.
fn everywhere(story: fn(&Place, Wire)) {
    for kept in [Kept::Sqlite, Kept::Postgres] {
        for wire in [Wire::Stdio, Wire::Http] {
            // Without PostgreSQL on this machine its half is left out.
            let Some(place) = Place::set(kept) else { continue };
            story(&place, wire);
        }
    }
}

struct Cast {
    green: Box<dyn Client>,
    purple: Box<dyn Client>,
    id: i64,
}

impl Cast {
    /// With an assignment for green that waits to be accepted.
    fn of(place: &Place, wire: Wire) -> Cast {
        let mut purple = place.client(wire, "purple");
        let made = purple.call("create_assignment", json!({"agent": "green", "title": "Add up"})).done();
        assert_eq!((&made["status"], &made["review_attempt"]), (&json!("pending"), &json!(1)), "{made}");
        Cast { green: place.client(wire, "green"), purple, id: made["assignment_id"].as_i64().unwrap() }
    }

    fn mine(client: &mut dyn Client) -> Value {
        client.call("get_my_assignment", json!({})).done()["assignment"].clone()
    }

    fn accept(&mut self) {
        let accepted = self.green.call("accept_assignment", json!({"assignment_id": self.id})).done();
        assert_eq!(accepted["status"], "in_progress");
    }

    fn submit(&mut self) -> Value {
        let work = json!({"assignment_id": self.id, "branch_name": "task/one"});
        let submitted = self.green.call("submit_for_review", work).done();
        assert_eq!(submitted["status"], "completed");
        submitted
    }

    fn judge(&mut self, verdict: Value) -> Answer {
        let mut arguments = json!({"assignment_id": self.id});
        verdict.as_object().unwrap().iter().for_each(|(key, value)| arguments[key] = value.clone());
        self.purple.call("submit_review_result", arguments)
    }

    fn reject(&mut self, why: &str) -> Value {
        self.judge(json!({"approved": false, "feedback": why})).done()
    }
}

#[test]
fn good_work_is_approved_at_once() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        let mine = Cast::mine(&mut *cast.green);
        assert_eq!((&mine["id"], &mine["status"]), (&json!(cast.id), &json!("pending")));
        assert_eq!(Cast::mine(&mut *cast.purple), Value::Null, "there is nothing to review yet");
        cast.accept();
        let submitted = cast.submit();
        let seen = Cast::mine(&mut *cast.purple);
        assert_eq!(seen["head_commit"], submitted["head_commit"]);
        let result = cast.judge(json!({"approved": true, "feedback": "LGTM"})).done();
        let expected = json!({"status": "approved", "review_attempt": 1, "max_cycles": 3, "escalated": false,
            "message": "Approved on attempt 1 of 3"});
        assert_eq!(result, expected);
        assert_eq!(Cast::mine(&mut *cast.green), Value::Null);
    });
}

#[test]
fn rejected_work_comes_back_and_is_approved_when_mended() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        cast.accept();
        let first = cast.submit();
        let result = cast.reject("Issues: 1) Missing test for overflow");
        assert_eq!((&result["status"], &result["review_attempt"]), (&json!("rework"), &json!(2)));
        let mine = Cast::mine(&mut *cast.green);
        assert_eq!((&mine["status"], &mine["review_attempt"]), (&json!("rework"), &json!(2)));
        assert_eq!(mine["review_feedback"], "Issues: 1) Missing test for overflow");
        cast.accept();
        place.commit("task/one", "pub fn total(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n");
        let second = cast.submit();
        assert_ne!(first["head_commit"], second["head_commit"]);
        assert_eq!(cast.judge(json!({"approved": true})).done()["status"], "approved");
        let said = cast.green.call("get_review_feedback", json!({"assignment_id": cast.id})).done();
        let outcomes: Vec<_> =
            said["reviews"].as_array().unwrap().iter().map(|review| review["outcome"].clone()).collect();
        assert_eq!(outcomes, ["rejected", "approved"]);
    });
}

#[test]
fn a_verdict_on_an_attempt_that_is_over_does_not_land_on_the_next() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        cast.accept();
        cast.submit();
        assert_eq!(Cast::mine(&mut *cast.purple)["review_attempt"], 1);
        let mut mia = place.client(wire, "mia");
        let no = json!({"assignment_id": cast.id, "approved": false, "feedback": "No", "review_attempt": 1});
        assert_eq!(mia.call("submit_review_result", no).done()["status"], "rework");
        cast.accept();
        place.commit("task/one", "pub fn total(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n");
        cast.submit();
        let stale = cast.judge(json!({"approved": true, "review_attempt": 1})).refused();
        assert!(stale.contains("attempt 2 is"), "{stale}");
        assert_eq!(Cast::mine(&mut *cast.purple)["review_attempt"], 2);
        assert_eq!(cast.judge(json!({"approved": true})).done()["status"], "approved");
    });
}

/// Three rejections, each of another commit.
fn escalated(place: &Place, cast: &mut Cast) -> Value {
    let mut result = Value::Null;
    for attempt in 1..=3 {
        cast.accept();
        place.commit(
            "task/one",
            &format!("pub fn total(a: u32, b: u32) -> u32 {{\n    a + b + {attempt}\n}}\n"),
        );
        cast.submit();
        result = cast.reject(&format!("No, for the {attempt}. time"));
    }
    result
}

#[test]
fn the_third_rejection_escalates_and_only_a_person_resolves() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        let result = escalated(place, &mut cast);
        assert_eq!((&result["status"], &result["escalated"]), (&json!("escalated"), &json!(true)));
        assert_eq!((&result["review_attempt"], &result["max_cycles"]), (&json!(3), &json!(3)));
        assert_eq!(Cast::mine(&mut *cast.green), Value::Null);

        let decide =
            json!({"assignment_id": cast.id, "resolution": "one_more", "note": "Try saturating_add"});
        for agent in [&mut cast.green, &mut cast.purple] {
            let refused = agent.call("resolve_escalation", decide.clone()).refused();
            assert!(refused.contains("person"), "{refused}");
        }
        let mut mia = place.client(wire, "mia");
        let listed = mia.call("list_escalations", json!({})).done();
        assert_eq!(listed["escalations"][0]["escalation"], format!("assignment/{}", cast.id), "{listed}");
        assert!(
            listed["escalations"][0]["options"].as_array().unwrap().contains(&json!("one_more")),
            "{listed}"
        );
        assert_eq!(mia.call("resolve_escalation", decide.clone()).done()["status"], "rework");
        let twice = mia.call("resolve_escalation", decide).refused();
        assert!(twice.contains("not escalated"), "{twice}");
        let mine = Cast::mine(&mut *cast.green);
        assert!(mine["review_feedback"].as_str().unwrap().contains("Try saturating_add"), "{mine}");

        let logged = std::fs::read_dir(place.repo.path().join("logs")).unwrap();
        let logged: String =
            logged.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok()).collect();
        assert!(logged.contains("[REVIEW-REJECTED]") && logged.contains("[REVIEW-ESCALATION]"), "{logged}");
    });
}

#[test]
fn of_two_verdicts_that_race_one_counts() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        cast.accept();
        cast.submit();
        let clients: Vec<_> = ["purple", "mia"].into_iter().map(|name| place.client(wire, name)).collect();
        let id = cast.id;
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let racing: Vec<_> = clients
                .into_iter()
                .map(|mut client| {
                    scope.spawn(move || {
                        let verdict = json!({"assignment_id": id, "approved": false, "feedback": "No"});
                        client.call("submit_review_result", verdict)
                    })
                })
                .collect();
            racing.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let counted = answers.iter().filter(|answer| matches!(answer, Answer::Done(_))).count();
        assert_eq!(counted, 1, "{answers:?}");
        let refused = answers
            .iter()
            .any(|answer| matches!(answer, Answer::Refused(why) if why.contains("verdict already")));
        assert!(refused, "{answers:?}");
        let said = cast.green.call("get_review_feedback", json!({"assignment_id": id})).done();
        assert_eq!((said["reviews"].as_array().unwrap().len(), &said["review_attempt"]), (1, &json!(2)));
    });
}

#[test]
fn the_rules_hold_whoever_asks() {
    everywhere(|place, wire| {
        let mut cast = Cast::of(place, wire);
        let id = json!({"assignment_id": cast.id});
        let mut blue = place.client(wire, "blue");
        assert!(blue.call("accept_assignment", id.clone()).refused().contains("is for green"));
        assert!(
            cast.purple
                .call("accept_assignment", id.clone())
                .refused()
                .contains("green has to accept it itself")
        );
        let early = cast.judge(json!({"approved": true})).refused();
        assert!(early.contains("nothing to review"), "{early}");
        cast.accept();
        let nowhere = json!({"assignment_id": cast.id, "branch_name": "task/none"});
        assert!(
            cast.green.call("submit_for_review", nowhere).refused().contains("there is no branch task/none")
        );
        let empty = json!({"assignment_id": cast.id, "branch_name": "main", "base": "main"});
        assert!(cast.green.call("submit_for_review", empty).refused().contains("commit the work first"));
        let submitted = cast.submit();
        let own = json!({"assignment_id": cast.id, "approved": true});
        assert!(cast.green.call("submit_review_result", own).refused().contains("cannot review"));
        assert!(cast.judge(json!({"approved": false})).refused().contains("needs feedback"));
        let other = json!({"approved": true, "head_commit": "0".repeat(40)});
        assert!(cast.judge(other).refused().contains("is not the commit that was submitted"));
        place.commit("task/one", "pub fn total() {}\n");
        assert!(cast.judge(json!({"approved": true})).refused().contains("has moved on"));
        let pinned = json!({"approved": true, "head_commit": submitted["head_commit"]});
        assert_eq!(cast.judge(pinned.clone()).done()["status"], "approved");
        assert!(cast.judge(pinned).refused().contains("verdict already"));
    });
}
