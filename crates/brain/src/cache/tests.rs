use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use domain::review::Usage;
use serde_json::json;

use super::*;
use crate::call::{Message, Schema, Tool, ToolCall};

/// Repeats the question, and counts how often it is asked.
struct Echo {
    asked: Arc<AtomicUsize>,
    ended: Ended,
    text: Option<&'static str>,
}

impl Mind for Echo {
    fn name(&self) -> String {
        "echo".to_owned()
    }

    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let said = match &call.messages[0] {
            Message::User(text) => text.clone(),
            other => format!("{other:?}"),
        };
        Ok(Answer {
            text: self.text.map_or(said, str::to_owned),
            tool_calls: vec![ToolCall {
                id: "1".to_owned(),
                name: "read".to_owned(),
                arguments: json!({"a": 1}),
            }],
            ended: self.ended,
            model: "p:m".to_owned(),
            usage: Usage { calls: 1, input_tokens: 5, output_tokens: 5, cost_micro_usd: Some(1) },
            cached: false,
        })
    }
}

struct Setting {
    _home: tempfile::TempDir,
    folder: PathBuf,
    asked: Arc<AtomicUsize>,
}

impl Setting {
    fn new() -> Setting {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("answers");
        Setting { _home: home, folder, asked: Arc::default() }
    }

    fn mind(&self) -> CachedMind<Echo> {
        self.mind_that(Ended::Complete, None)
    }

    fn mind_that(&self, ended: Ended, text: Option<&'static str>) -> CachedMind<Echo> {
        let echo = Echo { asked: Arc::clone(&self.asked), ended, text };
        CachedMind::new(echo, CacheFolder::open(&self.folder).unwrap(), "models")
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn entry(&self) -> PathBuf {
        fs::read_dir(&self.folder).unwrap().next().unwrap().unwrap().path()
    }
}

fn ask(mind: &CachedMind<Echo>, call: &Call) -> Answer {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(mind.ask(call)).unwrap()
}

fn question(text: &str, fence: &str) -> Call {
    Call { messages: vec![Message::User(text.to_owned())], fence: fence.to_owned(), ..Call::default() }
}

#[test]
fn the_identical_question_is_answered_from_the_cache_and_says_so() {
    let setting = Setting::new();
    let first = ask(&setting.mind(), &question("what?", ""));
    let again = ask(&setting.mind(), &question("what?", ""));
    assert_eq!(setting.asked(), 1);
    assert!(!first.cached);
    assert_eq!(again, Answer { cached: true, usage: Usage::default(), ..first });
}

#[test]
fn the_marker_does_not_make_another_question_and_the_answer_has_the_new_one() {
    let setting = Setting::new();
    ask(&setting.mind(), &question("<abc>diff<abc>", "abc"));
    let again = ask(&setting.mind(), &question("<xyz>diff<xyz>", "xyz"));
    assert_eq!((again.text.as_str(), again.cached), ("<xyz>diff<xyz>", true));
}

#[test]
fn whatever_else_differs_makes_another_question() {
    let base = question("what?", "");
    let tool = Tool { name: "t".to_owned(), description: String::new(), input: json!({}) };
    let others = [
        question("What?", ""),
        Call { system: "be kind".to_owned(), ..base.clone() },
        Call { max_output_tokens: 7, ..base.clone() },
        Call { tools: vec![tool], ..base.clone() },
        Call { schema: Some(Schema { name: "s", schema: json!({}) }), ..base.clone() },
        Call {
            messages: vec![Message::User("wh".to_owned()), Message::User("at?".to_owned())],
            ..base.clone()
        },
        Call {
            messages: vec![Message::Assistant { text: "what?".to_owned(), tool_calls: vec![] }],
            ..base.clone()
        },
    ];
    let mut keys: Vec<String> = others.iter().map(|call| key::of(call, "models")).collect();
    keys.push(key::of(&base, "models"));
    keys.push(key::of(&base, "other models"));
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn an_answer_that_was_cut_off_or_refused_is_not_kept() {
    for ended in [Ended::CutOff, Ended::Refused] {
        let setting = Setting::new();
        ask(&setting.mind_that(ended, None), &question("what?", ""));
        ask(&setting.mind_that(ended, None), &question("what?", ""));
        assert_eq!(setting.asked(), 2);
    }
}

#[test]
fn an_answer_of_the_wrong_shape_is_asked_for_again() {
    let schema = json!({"type": "object", "required": ["summary"]});
    let call = Call { schema: Some(Schema { name: "report", schema }), ..question("what?", "") };
    let answer = |text: &str| Answer {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        ended: Ended::Complete,
        model: String::new(),
        usage: Usage::default(),
        cached: false,
    };
    assert!(is_worth_keeping(&call, &answer("{\"summary\": \"fine\"}")));
    assert!(!is_worth_keeping(&call, &answer("{\"sum\": \"fine\"}")));
    assert!(!is_worth_keeping(&call, &answer("Sure! {\"summary\": \"fine\"}")));
}

#[test]
fn a_damaged_entry_is_as_good_as_none() {
    let setting = Setting::new();
    ask(&setting.mind(), &question("what?", ""));
    let good = fs::read_to_string(setting.entry()).unwrap();
    for (number, bad) in
        [String::new(), good.replace("what?", "that?"), good[..good.len() / 2].to_owned()].iter().enumerate()
    {
        fs::write(setting.entry(), bad).unwrap();
        let answer = ask(&setting.mind(), &question("what?", ""));
        assert_eq!((answer.cached, setting.asked()), (false, number + 2), "{bad}");
    }
}

#[test]
fn an_entry_of_another_question_is_not_taken() {
    let setting = Setting::new();
    ask(&setting.mind(), &question("what?", ""));
    let other = setting.folder.join(format!("{}.json", key::of(&question("how?", ""), "models")));
    fs::rename(setting.entry(), other).unwrap();
    assert_eq!(ask(&setting.mind(), &question("how?", "")).text, "how?");
}

#[test]
fn old_entries_are_not_used_and_cleared_out() {
    let setting = Setting::new();
    ask(&setting.mind(), &question("what?", ""));
    let long_ago = SystemTime::now() - LONGEST_KEPT - Duration::from_secs(60);
    let mind = setting.mind();
    fs::File::open(setting.entry()).unwrap().set_modified(long_ago).unwrap();
    assert!(!ask(&mind, &question("what?", "")).cached);
    fs::File::open(setting.entry()).unwrap().set_modified(long_ago).unwrap();
    setting.mind();
    assert_eq!(fs::read_dir(&setting.folder).unwrap().count(), 0);
}

#[test]
fn too_much_is_cleared_out_oldest_first_and_nothing_that_is_not_ours() {
    let setting = Setting::new();
    let folder = CacheFolder::open(&setting.folder).unwrap();
    let names: Vec<PathBuf> = (0..3).map(|n| setting.folder.join(format!("{:064x}.json", n))).collect();
    for (age, name) in names.iter().enumerate() {
        fs::write(name, "x".repeat(100)).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(60 * age as u64);
        fs::File::open(name).unwrap().set_modified(modified).unwrap();
    }
    let theirs = setting.folder.join("thesis.json");
    fs::write(&theirs, "x".repeat(1000)).unwrap();
    folder.clear_out(250);
    assert!(names[0].exists() && names[1].exists() && !names[2].exists() && theirs.exists());
}

#[test]
fn a_cache_that_cannot_be_written_loses_no_answer() {
    let setting = Setting::new();
    let mind = setting.mind();
    fs::remove_dir_all(&setting.folder).unwrap();
    assert_eq!(ask(&mind, &question("what?", "")).text, "what?");
}
