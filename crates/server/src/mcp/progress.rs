use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// Tells a client that asked for it how far a call has come.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
}

impl Progress {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Progress {
        let token = context.meta.get_progress_token();
        Progress { listener: token.map(|token| (context.peer.clone(), token)) }
    }

    /// `step` counts up from 1. A client that no longer listens is no trouble.
    pub(crate) async fn say(&self, step: u32, message: &str) {
        if let Some((peer, token)) = &self.listener {
            let told = ProgressNotificationParam::new(token.clone(), f64::from(step)).with_message(message);
            let _ = peer.notify_progress(told).await;
        }
    }
}
