//! Payloads of webhooks.
