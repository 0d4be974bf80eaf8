use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::config::{Budget, ModelPolicy, Price};
use domain::review::Usage;

use super::*;
use crate::call::{Answer, Call, CallError, Ended, Message, Mind};

/// Says the same every time, and counts how often.
struct Speaker {
    answer: Result<Usage, CallError>,
    asked: Arc<AtomicUsize>,
    pause: Duration,
}

impl Mind for Speaker {
    fn name(&self) -> String {
        "speaker".to_owned()
    }

    async fn ask(&self, _: &Call) -> Result<Answer, CallError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(self.pause).await;
        let usage = self.answer.clone()?;
        let (text, model) = ("ok".to_owned(), "p:m".to_owned());
        Ok(Answer { text, tool_calls: Vec::new(), ended: Ended::Complete, model, usage, cached: false })
    }
}

fn using(input_tokens: u64, output_tokens: u64) -> Speaker {
    let cost_micro_usd = Some(micro_usd(PRICE, input_tokens, output_tokens));
    speaker(Ok(Usage { calls: 1, input_tokens, output_tokens, cost_micro_usd }))
}

fn speaker(answer: Result<Usage, CallError>) -> Speaker {
    Speaker { answer, asked: Arc::default(), pause: Duration::ZERO }
}

/// A cent for a thousand tokens.
const PRICE: Price = Price { input_cents: 1000, output_cents: 1000 };

fn policy(budget: Budget) -> ModelPolicy {
    ModelPolicy { budget, prices: [("p:m".to_owned(), PRICE)].into(), ..ModelPolicy::default() }
}

/// A question of 100 tokens, and as many for the answer.
fn question() -> Call {
    Call { messages: vec![Message::User("x".repeat(100))], max_output_tokens: 100, ..Call::default() }
}

fn budgeted(mind: Speaker, budget: Budget, ledger: Option<Ledger>) -> Budgeted<Speaker> {
    let count: CountTokens = Arc::new(|text: &str| text.len() as u64);
    Budgeted::new(mind, &policy(budget), &["p:m".to_owned()], count, ledger).unwrap()
}

fn ask(mind: &Budgeted<Speaker>) -> Result<Answer, CallError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(mind.ask(&question()))
}

fn refused(outcome: Result<Answer, CallError>) -> String {
    match outcome {
        Err(CallError::OverBudget(why)) => why,
        other => panic!("expected to be over budget, got {other:?}"),
    }
}

fn ledger() -> (tempfile::TempDir, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&folder.path().join("costs")).unwrap();
    (folder, ledger)
}

#[test]
fn a_call_that_may_exceed_the_budget_is_not_sent() {
    let mind = using(100, 10);
    let asked = Arc::clone(&mind.asked);
    let mind = budgeted(mind, Budget { tokens_per_review: 199, ..Budget::default() }, None);
    insta::assert_snapshot!(refused(ask(&mind)), @"the budget of this review is 199 tokens, 0 are spent or set aside, and this call may take 200");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn the_real_cost_takes_the_place_of_the_estimate() {
    let mind = budgeted(using(60, 10), Budget { tokens_per_review: 270, ..Budget::default() }, None);
    assert!(ask(&mind).is_ok(), "200 of 270");
    assert!(ask(&mind).is_ok(), "70 spent, 200 of 270");
    assert!(refused(ask(&mind)).contains("140 are spent"));
}

#[test]
fn money_is_limited_as_tokens_are() {
    let mind = budgeted(using(500, 400), Budget { cents_per_review: 1, ..Budget::default() }, None);
    assert!(ask(&mind).is_ok());
    insta::assert_snapshot!(refused(ask(&mind)), @"the budget of this review is $0.0100, $0.0090 are spent or set aside, and this call may cost $0.0020");
}

#[test]
fn without_limits_nothing_is_refused() {
    let mind = budgeted(using(u64::MAX, 1), Budget::default(), None);
    assert!(ask(&mind).is_ok());
    assert!(ask(&mind).is_ok());
}

#[test]
fn what_was_not_sent_costs_nothing_and_what_may_have_been_read_costs_its_question() {
    let model = "p:m".to_owned();
    let budget = Budget { tokens_per_review: 300, ..Budget::default() };
    let free = CallError::Unauthorised { model: model.clone(), reason: String::new() };
    let mind = budgeted(speaker(Err(free.clone())), budget, None);
    for _ in 0..5 {
        assert_eq!(ask(&mind), Err(free.clone()));
    }
    let charged = CallError::TimedOut { model };
    let mind = budgeted(speaker(Err(charged.clone())), budget, None);
    assert_eq!(ask(&mind), Err(charged.clone()));
    assert_eq!(ask(&mind), Err(charged));
    assert!(refused(ask(&mind)).contains("200 are spent"));
}

#[test]
fn a_provider_that_does_not_say_is_taken_to_have_used_all() {
    let mind = budgeted(using(0, 0), Budget { tokens_per_review: 350, ..Budget::default() }, None);
    assert!(ask(&mind).is_ok());
    assert!(refused(ask(&mind)).contains("200 are spent"));
}

#[test]
fn calls_at_the_same_time_do_not_overshoot_together() {
    let (_folder, ledger) = ledger();
    let mind = Speaker { pause: Duration::from_millis(300), ..using(100, 100) };
    let asked = Arc::clone(&mind.asked);
    let mind = Arc::new(budgeted(mind, Budget { tokens_per_day: 600, ..Budget::default() }, Some(ledger)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let outcomes = runtime.block_on(async {
        let calls = (0..10).map(|_| {
            let mind = Arc::clone(&mind);
            tokio::spawn(async move { mind.ask(&question()).await.is_ok() })
        });
        futures_util::future::join_all(calls.collect::<Vec<_>>()).await
    });
    let succeeded = outcomes.into_iter().filter(|outcome| *outcome.as_ref().unwrap()).count();
    assert_eq!((succeeded, asked.load(Ordering::SeqCst)), (3, 3));
}

#[test]
fn the_day_is_shared_by_all_reviews_and_processes() {
    let (folder, ledger) = ledger();
    let budget = Budget { tokens_per_day: 500, ..Budget::default() };
    assert!(ask(&budgeted(using(100, 100), budget, Some(ledger))).is_ok());
    let another = Ledger::open(&folder.path().join("costs")).unwrap();
    let mind = budgeted(using(100, 100), budget, Some(another));
    assert!(ask(&mind).is_ok());
    assert!(refused(ask(&mind)).starts_with("the budget of this day (UTC) is 500 tokens, 400 are spent"));
}

#[test]
fn a_task_has_a_budget_across_its_reviews() {
    let (_folder, ledger) = ledger();
    let budget = Budget { tokens_per_task: 300, ..Budget::default() };
    let review = |task: &str| {
        let mind = budgeted(using(100, 100), budget, Some(ledger.clone()));
        ask(&mind.for_task(&policy(budget), task).unwrap())
    };
    assert!(review("fix/../1").is_ok());
    assert!(refused(review("fix/../1")).contains("task fix-.-1"));
    assert!(review("fix/../2").is_ok());
}

#[test]
fn what_a_crash_has_left_behind_counts_and_does_not_disturb() {
    let (folder, ledger) = ledger();
    let budget = Budget { tokens_per_day: 900, ..Budget::default() };
    assert!(ask(&budgeted(using(10, 10), budget, Some(ledger.clone()))).is_ok());
    let day = std::fs::read_dir(folder.path().join("costs")).unwrap().map(|entry| entry.unwrap().path());
    let day = day.into_iter().find(|path| path.extension().is_some_and(|end| end == "jsonl")).unwrap();
    let mut lines = std::fs::read_to_string(&day).unwrap();
    lines.push_str(
        "{\"id\":7,\"at\":\"\",\"what\":\"reserved\",\"tokens\":500,\"micro_usd\":0}\n{\"id\":8,\"wh",
    );
    std::fs::write(&day, lines).unwrap();
    let mind = budgeted(using(100, 100), budget, Some(ledger));
    assert!(ask(&mind).is_ok());
    assert!(refused(ask(&mind)).contains("720 are spent"));
}

#[test]
fn what_is_dropped_stays_spent() {
    let (_folder, ledger) = ledger();
    let budget = Budget { tokens_per_day: 300, tokens_per_review: 900, ..Budget::default() };
    let slow = Speaker { pause: Duration::from_secs(3600), ..using(1, 1) };
    let mind = budgeted(slow, budget, Some(ledger.clone()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let call = question();
        let asked = mind.ask(&call);
        let sent = async {
            while mind.mind_was_asked() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! { _ = asked => panic!("too soon"), () = sent => {} }
    });
    assert!(refused(ask(&budgeted(using(1, 1), budget, Some(ledger)))).contains("200 are spent"));
}

impl Budgeted<Speaker> {
    fn mind_was_asked(&self) -> usize {
        self.mind.asked.load(Ordering::SeqCst)
    }
}

#[test]
fn a_ledger_that_cannot_be_written_stops_the_spending() {
    let (folder, ledger) = ledger();
    std::fs::remove_dir_all(folder.path().join("costs")).unwrap();
    let mind = using(1, 1);
    let asked = Arc::clone(&mind.asked);
    let mind = budgeted(mind, Budget { tokens_per_day: 300, ..Budget::default() }, Some(ledger));
    assert!(refused(ask(&mind)).contains("cannot lock the ledger"));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn limits_that_cannot_be_kept_are_refused_at_once() {
    let count: CountTokens = Arc::new(|text: &str| text.len() as u64);
    let configured = |budget: Budget, model: &str| {
        let models = [model.to_owned()];
        Budgeted::new(using(1, 1), &policy(budget), &models, Arc::clone(&count), None)
            .map(|_| ())
            .unwrap_err()
    };
    let unpriced = configured(Budget { cents_per_review: 5, ..Budget::default() }, "p:other");
    insta::assert_snapshot!(unpriced, @"the budget is in money, and the price of p:other is not known: add it under `prices` (0 if it costs nothing), or limit tokens instead");
    let nowhere = configured(Budget { tokens_per_day: 5, ..Budget::default() }, "p:m");
    insta::assert_snapshot!(nowhere, @"the budget of a day cannot be kept: there is no place to keep accounts");
}
