//! Asking workers to stop.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// Held by whoever may end the work. Dropping it is asking, too: workers nobody could stop are not left behind.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

/// Held by whoever is to stop.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

/// One to ask with, and one to clone for everybody who is asked.
pub fn channel() -> (Stopper, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Stopper(sender), Stop(receiver))
}

impl Stopper {
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    pub async fn requested(&self) {
        // An error means that the stopper is gone, which is a request as well.
        let _ = self.0.clone().wait_for(|stop| *stop).await;
    }

    /// Sleeps, unless asked to stop before that.
    pub async fn sleep(&self, duration: Duration) {
        let _ = timeout(duration, self.requested()).await;
    }
}
