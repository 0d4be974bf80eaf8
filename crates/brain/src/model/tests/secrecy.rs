use domain::review::Evidence;
use testkit::model_server::{ModelServer, Reply};

use super::*;

#[test]
fn a_key_that_is_echoed_is_not_in_the_error() {
    for model in EACH {
        for status in [400, 401, 404, 500] {
            let echo = format!("<html>your key {} is bad</html>", ModelServer::KEY);
            let server = ModelServer::start(Reply::status(status, "invalid_request_error", &echo));
            let models = models(&server, model);
            let error = ask(&models, &question()).unwrap_err();
            assert!(format!("{error} {error:?}").contains("your key *** is bad"), "{error:?}");
            assert!(!format!("{error} {error:?} {models:?}").contains(ModelServer::KEY), "{model} {status}");
        }
    }
}

#[test]
fn a_key_with_something_invisible_in_it_is_not_in_the_error() {
    let (head, tail) = ModelServer::KEY.split_at(10);
    let server =
        ModelServer::start(Reply::raw(401, "text/plain", &format!("bad: {head}\u{200b}{tail}\u{1b}[0m")));
    let error = ask(&models(&server, "openai:scripted"), &question()).unwrap_err().to_string();
    assert!(error.ends_with("bad: ***"), "{error}");
}

#[test]
fn of_a_long_answer_only_a_short_excerpt_is_in_the_error() {
    let page = format!("\u{1b}[31m<h1>{}</h1>", "no ".repeat(100_000));
    let server = ModelServer::start(Reply::raw(404, "text/html", &page));
    let error = ask(&models(&server, "openai:scripted"), &question()).unwrap_err().to_string();
    assert!(error.len() < 500 && !error.contains('\u{1b}'), "{error}");
}

#[test]
fn a_password_in_the_address_is_not_in_the_error() {
    let models =
        models_at("openai:scripted", |_| Some("http://user:hunter2secret@127.0.0.1:1/v1".to_owned()));
    let error = ask(&models, &question()).unwrap_err();
    assert!(
        !format!("{error:?} {models:?} {}", models.identity()).contains("hunter2secret"),
        "{error:?} {models:?}"
    );
}

#[test]
fn no_redirect_carries_the_key_elsewhere() {
    for model in EACH {
        for status in [301, 302, 307, 308] {
            let elsewhere = ModelServer::start(Reply::text("got it"));
            let server =
                ModelServer::start(Reply::redirect(status, &format!("{}/v1/messages", elsewhere.url())));
            let error = ask(&models(&server, model), &question()).unwrap_err();
            assert!(
                matches!(&error, CallError::Failed { reason, .. } if reason.contains("redirect")),
                "{error}"
            );
            assert!(elsewhere.requests().is_empty(), "{model} {status}");
        }
    }
}

#[test]
fn a_key_that_a_model_repeats_is_in_no_evidence() {
    let server = ModelServer::start(Reply::text("ok"));
    let said = format!("the key is {}", ModelServer::KEY);
    let finding = crate::scripted::finding("src/a.rs", 1, &said);
    let mut evidence = Evidence { findings: vec![finding], remarks: vec![said], ..Evidence::default() };
    models(&server, "openai:scripted").mask(&mut evidence);
    assert_eq!(evidence.findings[0].message, "the key is ***");
    assert_eq!(evidence.remarks, ["the key is ***"]);
}
