use std::time::Duration;

use serde_json::{Value, json};

/// Times, to be told in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1000.0);
    }

    pub(crate) fn extend(&mut self, more: Samples) {
        self.0.extend(more.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn summary(mut self) -> Value {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = self.0.len().saturating_sub(1);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let index = (last as f64 * share).round() as usize;
            self.0.get(index).copied()
        };
        json!({ "p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": at(1.0) })
    }
}
