//! Asking one model until it has answered or there is no point in going on.

use std::time::{Duration, Instant};

use super::target::Target;
use super::trouble::Trouble;
use super::wire::Format;
use super::{listen, wait, wire};
use crate::call::{Answer, Call, CallError};

/// Whether somebody else can be asked instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    Left,
    None,
}

/// How often, and how long at most, a busy model is waited for while there is another.
const WAITS_WITH_OTHERS: u32 = 2;
const WAIT_WITH_OTHERS: Duration = Duration::from_secs(20);
const AFTER_A_STUMBLE: Duration = Duration::from_millis(500);

pub(super) async fn ask(
    target: &Target,
    call: &Call,
    deadline: Instant,
    patience: Duration,
    others: Others,
) -> Result<Answer, CallError> {
    let mut waits = 0;
    let mut stumbled = false;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(CallError::TimedOut { model: target.name.clone() });
        }
        let format = wire::format_for(target, call);
        let answered = tokio::time::timeout(left, once(target, call, format, patience)).await;
        let trouble = match answered.unwrap_or(Err(Trouble::TimedOut)) {
            Ok(answer) => return Ok(answer),
            Err(trouble) => trouble,
        };
        let pause = match &trouble {
            Trouble::Busy { retry_after, .. } => {
                let pause = wait::before_next(waits, *retry_after);
                let too_often = waits >= WAITS_WITH_OTHERS || pause > WAIT_WITH_OTHERS;
                waits += 1;
                (others == Others::None || !too_often).then_some(pause)
            }
            Trouble::Stumbled(_) if !stumbled => {
                stumbled = true;
                Some(wait::before_next(0, Some(AFTER_A_STUMBLE)))
            }
            Trouble::NotUnderstood(reason) if reason.contains("stream_options") && target.tells_usage() => {
                target.never_mind_usage();
                Some(Duration::ZERO)
            }
            Trouble::NotUnderstood(_) if format == Format::Schema => {
                target.never_mind_schema();
                Some(Duration::ZERO)
            }
            Trouble::Stumbled(_)
            | Trouble::NotUnderstood(_)
            | Trouble::Unauthorised(_)
            | Trouble::TooLarge(_)
            | Trouble::TimedOut
            | Trouble::Failed(_) => None,
        };
        match pause {
            Some(pause) if pause < deadline.saturating_duration_since(Instant::now()) => {
                tokio::time::sleep(pause).await;
            }
            Some(_) | None => return Err(trouble.into_error(&target.name)),
        }
    }
}

async fn once(target: &Target, call: &Call, format: Format, patience: Duration) -> Result<Answer, Trouble> {
    let failed = |error: genai::Error| Trouble::from(&error, &target.secrets);
    let service = target.service().await.map_err(failed)?;
    let options = wire::options(target, call, format, patience);
    let request = wire::request(target, call);
    let response = target.client.exec_chat_stream(service, request, Some(&options)).await.map_err(failed)?;
    listen::to_the_end(target, call, response.stream, patience).await
}
