use std::time::{Duration, Instant};

use testkit::model_server::{ModelServer, Reply};

use super::*;

fn failing(model: &str, reply: Reply) -> (CallError, usize) {
    let server = ModelServer::start(reply);
    (ask(&models(&server, model), &question()).unwrap_err(), server.questions().len())
}

/// For what never comes to an end by itself.
fn failing_to_be_patient(model: &str, reply: Reply) -> CallError {
    let server = ModelServer::start(reply);
    let models = models(&server, model).with_patience(Duration::from_millis(700));
    ask(&models, &question()).unwrap_err()
}

fn failed_because(error: &CallError, model: &str, why: &str) {
    assert!(matches!(error, CallError::Failed { reason, .. } if reason.contains(why)), "{model}: {error:?}");
}

#[test]
fn an_answer_that_is_broken_off_is_an_error_and_not_paid_for_twice() {
    for model in EACH {
        let (error, asked) = failing(model, Reply::text("a long answer ".repeat(40)).broken_off());
        assert!(matches!(error, CallError::Failed { .. }), "{model}: {error:?}");
        assert_eq!(asked, 1, "{model}");
    }
}

#[test]
fn a_stream_that_ends_without_its_end_is_an_error() {
    let begun = [
        ("anthropic:scripted", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n"),
        (
            "openai:scripted",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"all is well\"}}]}\n\n",
        ),
        (
            "gemini:scripted",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"all is well\"}]}}]}\n\n",
        ),
    ];
    for (model, body) in begun {
        let (error, _) = failing(model, Reply::raw(200, "text/event-stream", body));
        failed_because(&error, model, "before it was complete");
    }
}

#[test]
fn garbage_is_an_error() {
    for model in EACH {
        let (error, _) = failing(model, Reply::garbage());
        assert!(matches!(error, CallError::Failed { .. }), "{model}: {error:?}");
    }
}

#[test]
fn an_empty_answer_is_an_error() {
    for model in EACH {
        assert!(matches!(failing(model, Reply::empty()).0, CallError::Failed { .. }), "{model}");
        failed_because(&failing(model, Reply::text("  \n")).0, model, "empty");
    }
}

#[test]
fn an_answer_without_end_is_stopped() {
    for model in ["anthropic:scripted", "openai:scripted"] {
        let server = ModelServer::start(Reply::huge(100 * 1024 * 1024));
        let error = ask(&models(&server, model), &question()).unwrap_err();
        failed_because(&error, model, "does not end");
    }
}

#[test]
fn a_model_that_falls_silent_is_given_up() {
    for model in EACH {
        let silent = Reply::text("too late").after(Duration::from_secs(50));
        assert_eq!(failing_to_be_patient(model, silent), CallError::TimedOut { model: model.to_owned() });
        let stuck = Reply::text("a long answer ".repeat(40)).dripping(Duration::from_secs(50));
        assert_eq!(failing_to_be_patient(model, stuck), CallError::TimedOut { model: model.to_owned() });
    }
}

#[test]
fn a_model_that_keeps_the_connection_alive_and_says_nothing_is_given_up() {
    for model in EACH {
        let error = failing_to_be_patient(model, Reply::only_keeps_alive());
        assert_eq!(error, CallError::TimedOut { model: model.to_owned() });
    }
}

#[test]
fn a_model_that_drips_is_listened_to() {
    let server = ModelServer::start([Reply::text("slowly but surely").dripping(Duration::from_millis(30))]);
    let answer = ask(&models(&server, "anthropic:scripted"), &question()).unwrap();
    assert_eq!(answer.text, "slowly but surely");
}

#[test]
fn the_time_of_the_review_ends_what_still_drips() {
    let server = ModelServer::start([Reply::text("word ".repeat(1000)).dripping(Duration::from_millis(200))]);
    let models = models(&server, "openai:scripted").until(Instant::now() + Duration::from_secs(2));
    assert!(matches!(ask(&models, &question()), Err(CallError::TimedOut { .. })));
}

#[test]
fn no_time_left_means_that_nothing_is_sent() {
    let server = ModelServer::start(Reply::text("ok"));
    let models = models(&server, "openai:scripted").until(Instant::now());
    assert!(matches!(ask(&models, &question()), Err(CallError::TimedOut { .. })));
    assert!(server.requests().is_empty());
}

#[test]
fn a_rate_limit_is_waited_out_for_as_long_as_it_says() {
    for model in EACH {
        let server = ModelServer::start([Reply::rate_limited("1"), Reply::text("ok")]);
        assert_eq!(ask(&models(&server, model), &question()).unwrap().text, "ok", "{model}");
        let asked = server.questions();
        assert!(asked[1].at - asked[0].at >= Duration::from_secs(1), "{model}");
    }
}

#[test]
fn overload_is_waited_out_before_and_within_the_answer() {
    for model in ["anthropic:scripted", "openai:scripted"] {
        let busy = [
            Reply::overloaded(),
            Reply::error_in_stream("overloaded_error", "Overloaded"),
            Reply::text("ok"),
        ];
        let server = ModelServer::start(busy);
        assert_eq!(ask(&models(&server, model), &question()).unwrap().text, "ok", "{model}");
        assert_eq!(server.questions().len(), 3);
    }
}

#[test]
fn a_rate_limit_beyond_the_time_of_the_review_is_not_waited_for() {
    let server = ModelServer::start(Reply::rate_limited("3600"));
    let models = models(&server, "openai:scripted").until(Instant::now() + Duration::from_secs(50));
    let error = ask(&models, &question()).unwrap_err();
    let expected = Some(Duration::from_secs(3600));
    assert_eq!(error, CallError::RateLimited { model: "openai:scripted".to_owned(), retry_after: expected });
    assert_eq!(server.questions().len(), 1);
}

#[test]
fn an_empty_account_is_not_waited_for() {
    let server =
        ModelServer::start(Reply::status(429, "insufficient_quota", "You exceeded your current quota"));
    failed_because(&ask(&models(&server, "openai:scripted"), &question()).unwrap_err(), "openai", "quota");
    assert_eq!(server.questions().len(), 1);
}

#[test]
fn a_server_error_is_forgiven_once() {
    for model in EACH {
        let server = ModelServer::start([Reply::server_error(), Reply::text("ok")]);
        assert_eq!(ask(&models(&server, model), &question()).unwrap().text, "ok", "{model}");
        let (error, asked) = failing(model, Reply::server_error());
        failed_because(&error, model, "500");
        assert_eq!(asked, 2, "{model}");
    }
}

#[test]
fn an_error_in_the_middle_of_the_answer_is_an_error() {
    for model in EACH {
        let (error, asked) = failing(model, Reply::error_in_stream("api_error", "something broke"));
        failed_because(&error, model, "something broke");
        assert_eq!(asked, 1, "{model}");
    }
}

#[test]
fn a_question_that_is_too_large_is_told_from_other_mistakes() {
    let said = [
        (
            "anthropic:scripted",
            Reply::status(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000"),
        ),
        ("anthropic:scripted", Reply::status(413, "request_too_large", "Request exceeds the maximum size")),
        (
            "openai:scripted",
            Reply::status(400, "invalid_request_error", "This model's maximum context length is 8192"),
        ),
        (
            "gemini:scripted",
            Reply::status(
                400,
                "",
                "The input token count (2) exceeds the maximum number of tokens allowed (1)",
            ),
        ),
    ];
    for (model, reply) in said {
        assert!(matches!(failing(model, reply).0, CallError::TooLarge { .. }), "{model}");
    }
    let other = Reply::status(400, "invalid_request_error", "max_tokens: must be smaller");
    assert!(matches!(failing("anthropic:scripted", other).0, CallError::Failed { .. }));
}

#[test]
fn nobody_at_the_address_is_an_error_that_says_so() {
    let models = models_at("openai:scripted", |_| Some("http://127.0.0.1:1".to_owned()));
    failed_because(&ask(&models, &question()).unwrap_err(), "openai", "cannot be reached");
}
