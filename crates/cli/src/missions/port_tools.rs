//! The tools of the ports, as a model that explores may use them. It names one; we hold it against the policy and make the
//! call.

use std::sync::{Arc, Mutex, PoisonError};

use brain::act::{Offer, ToolSource};
use brain::{Tool, ToolCall};
use domain::ports::{DocsPort, PortError, PortErrorKind, TrackerPort, VcsPort};
use domain::tools::{CallScope, DeniedCall, McpTool, Permission, Reason, ToolPolicy, check_call, permission};
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::said::Said;
use crate::reviewers::Trust;

/// What was refused, for the audit.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals(Arc<Mutex<Vec<String>>>);

impl Refusals {
    fn add(&self, refusal: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(refusal);
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Who makes the call in the end.
pub(super) trait Executes: Send + Sync {
    fn execute<'a>(&'a self, name: &'a str, arguments: &'a Value)
    -> BoxFuture<'a, Result<String, PortError>>;
}

/// One port's tools.
pub(super) struct PortTools<P> {
    pub(super) port: P,
    pub(super) tools: Vec<McpTool>,
    pub(super) policy: ToolPolicy,
    /// What may be written to; of a stranger's change, also what may be looked at.
    pub(super) scope: CallScope,
    pub(super) trust: Trust,
    pub(super) refusals: Refusals,
    pub(super) said: Arc<Said>,
}

impl<P: Executes> ToolSource for PortTools<P> {
    fn tools(&self) -> Vec<Offer> {
        let offer = |tool: &McpTool| Offer {
            tool: Tool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input: tool.input.clone(),
            },
            effect: tool.effect,
        };
        self.tools.iter().map(offer).collect()
    }

    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            let tool =
                self.tools.iter().find(|tool| tool.name == call.name).ok_or("there is no such tool")?;
            if let Err(denied) = self.check(tool, &call.arguments) {
                self.refusals.add(denied.detail().to_string());
                return Err(denied.observation());
            }
            let publishes = permission(&tool.name, tool.effect, &self.policy) == Permission::Publish;
            if publishes && let Some(refusal) = self.said.begin(&call.name, &call.arguments).refusal() {
                return Err(refusal.to_owned());
            }
            self.port.execute(&call.name, &call.arguments).await.map_err(|error| {
                if let PortErrorKind::Denied(denied) = &error.kind {
                    self.refusals.add(denied.detail().to_string());
                }
                if publishes && !error.may_have_happened() {
                    self.said.unsaid(&call.name, &call.arguments);
                }
                error.to_string()
            })
        })
    }

    fn denied(&self, call: &DeniedCall) {
        self.refusals.add(call.detail().to_string());
    }
}

impl<P> PortTools<P> {
    fn check(&self, tool: &McpTool, arguments: &Value) -> Result<(), DeniedCall> {
        check_call(tool, arguments, &self.policy, Some(&self.scope))?;
        match (self.trust, self.scope.strays(arguments)) {
            (Trust::Stranger, Some(argument)) => {
                Err(DeniedCall::new(&tool.name, Reason::Elsewhere { argument }))
            }
            (Trust::Own, _) | (Trust::Stranger, None) => Ok(()),
        }
    }
}

/// Three ports, one way to call them.
macro_rules! executes {
    ($name:ident, $port:ident) => {
        pub(super) struct $name<P>(pub(super) Arc<P>);

        impl<P: $port> Executes for $name<P> {
            fn execute<'a>(
                &'a self,
                name: &'a str,
                arguments: &'a Value,
            ) -> BoxFuture<'a, Result<String, PortError>> {
                Box::pin(self.0.execute_tool(name, arguments))
            }
        }
    };
}

executes!(OfForge, VcsPort);
executes!(OfTracker, TrackerPort);
executes!(OfDocs, DocsPort);
