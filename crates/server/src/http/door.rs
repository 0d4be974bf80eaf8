use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::tokens::Tokens;
use domain::assignments::Caller;

/// Who is let in.
#[derive(Debug, Clone)]
pub enum Door {
    /// Whoever has a token, as the caller it belongs to.
    Tokens(Arc<Tokens>),
    /// Everybody, as this caller. Only for a server that nobody but this machine can reach.
    Open(Caller),
}

impl Door {
    fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        match self {
            Door::Open(caller) => Some(caller.clone()),
            Door::Tokens(tokens) => tokens.caller(bearer(headers)?),
        }
    }
}

/// The token of a request, if it has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

pub(super) async fn answer(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let Some(caller) = door.caller(request.headers()) else {
        let words = "Unauthorized: send the token of a caller as `Authorization: Bearer TOKEN`\n";
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], words).into_response();
    };
    // Nobody behind the door has to see the token, nor could log it.
    request.headers_mut().remove(header::AUTHORIZATION);
    request.extensions_mut().insert(caller);
    next.run(request).await
}
