use std::time::{Duration, Instant};

use testkit::model_server::{ModelServer, Reply};

use super::*;

/// Anthropic at the first, OpenAI at the second.
fn both(first: &ModelServer, second: &ModelServer) -> Models {
    models_at("anthropic:first, openai:second", |name| match name {
        "ANTHROPIC_BASE_URL" => Some(first.url()),
        "OPENAI_BASE_URL" => Some(second.url()),
        _ => None,
    })
}

#[test]
fn the_next_model_answers_whatever_is_wrong_with_the_first() {
    let faults = [
        Reply::status(401, "authentication_error", "invalid x-api-key"),
        Reply::status(403, "permission_error", "no access"),
        Reply::status(404, "not_found_error", "model: first"),
        Reply::status(400, "invalid_request_error", "prompt is too long: 2 tokens > 1"),
        Reply::status(400, "invalid_request_error", "something else"),
        Reply::server_error(),
        Reply::garbage(),
        Reply::empty(),
        Reply::text("half of it ".repeat(20)).broken_off(),
        Reply::rate_limited("3600"),
        Reply::error_in_stream("api_error", "broke"),
        Reply::huge(20 * 1024 * 1024),
    ];
    for fault in faults {
        let shown = format!("{fault:?}");
        let (first, second) = (ModelServer::start(fault), ModelServer::start([Reply::text("ok")]));
        let answer =
            ask(&both(&first, &second), &question()).unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!((answer.text.as_str(), answer.model.as_str()), ("ok", "openai:second"), "{shown}");
        assert!(!first.questions().is_empty(), "{shown}");
    }
}

#[test]
fn the_next_model_answers_when_the_first_is_silent() {
    let first = ModelServer::start(Reply::text("late").after(Duration::from_secs(3600)));
    let second = ModelServer::start(Reply::text("ok"));
    let models = both(&first, &second).with_patience(Duration::from_secs(15));
    assert_eq!(ask(&models, &question()).unwrap().model, "openai:second");
}

#[test]
fn the_error_says_what_was_tried() {
    let first = ModelServer::start(Reply::status(401, "authentication_error", "invalid x-api-key"));
    let second = ModelServer::start(Reply::garbage());
    let error = ask(&both(&first, &second), &question()).unwrap_err().to_string();
    for part in ["anthropic:first", "invalid x-api-key", "openai:second", "before it was complete"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_all_models_have_in_common_stays_the_kind_of_the_error() {
    let limited = ModelServer::start(Reply::rate_limited("3000"));
    let more_limited = ModelServer::start(Reply::rate_limited("4000"));
    let error = ask(&both(&limited, &more_limited), &question()).unwrap_err();
    let soonest = Some(Duration::from_secs(3000));
    assert!(matches!(error, CallError::RateLimited { retry_after, .. } if retry_after == soonest), "{error}");
}

#[test]
fn a_busy_model_is_waited_for_before_the_next_is_asked() {
    let busy =
        ModelServer::start([Reply::rate_limited("0"), Reply::rate_limited("0"), Reply::text("at last")]);
    let other = ModelServer::start(Reply::text("instead"));
    assert_eq!(ask(&both(&busy, &other), &question()).unwrap().text, "at last");
    let always_busy = ModelServer::start(Reply::rate_limited("0"));
    assert_eq!(ask(&both(&always_busy, &other), &question()).unwrap().text, "instead");
    assert_eq!(always_busy.questions().len(), 3);
}

#[test]
fn the_time_of_the_review_is_shared_by_all_models() {
    let silent = ModelServer::start(Reply::text("late").after(Duration::from_secs(50)));
    let other = ModelServer::start(Reply::text("instead"));
    let models = both(&silent, &other).until(Instant::now() + Duration::from_secs(1));
    assert!(matches!(ask(&models, &question()), Err(CallError::TimedOut { .. })));
    assert!(other.requests().is_empty());
}

#[test]
fn each_model_can_be_asked_by_itself() {
    let (first, second) = (ModelServer::start(Reply::text("one")), ModelServer::start(Reply::text("two")));
    let each = both(&first, &second).one_by_one();
    let said: Vec<String> = each.iter().map(|models| ask(models, &question()).unwrap().text).collect();
    assert_eq!(said, ["one", "two"]);
}
