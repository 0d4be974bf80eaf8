use super::answer::Answer;
use super::model::state::State;
use super::request::Call;
pub(super) fn answer(_state: &mut State, _call: &Call, _parts: &[&str]) -> Answer {
    Answer::json(404, &serde_json::json!({ "error": "404 Not Found" }))
}
