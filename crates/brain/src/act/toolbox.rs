use std::collections::BTreeMap;
use std::fmt;

use domain::ports::ReviewRequest;
use serde_json::Value;
use tokio::time::timeout_at;

use super::lint::{Linters, Runs};
use super::repository::{Repository, RepositoryView, Room, Shown, Sight, clipped};
use super::seen::Seen;
use super::source::{Offer, ToolSource};
use crate::call::{Tool, ToolCall};
use crate::clean::Redact;
use crate::json_schema::Validator;
use crate::prompt::{Fence, Marker};
use domain::tools::{Denied, DeniedCall, Effect, Permission, Reason, ToolPolicy, asks_for_more, permission};

/// What a review may use besides the change itself.
#[derive(Default)]
pub struct Equipment {
    pub view: Option<Box<dyn RepositoryView>>,
    pub linters: Option<Linters>,
    pub sources: Vec<Box<dyn ToolSource>>,
    pub policy: ToolPolicy,
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment")
            .field("linters", &self.linters)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// The tools of one review: those that are permitted, and which were not.
pub struct Toolbox<'a> {
    repository: Repository<'a>,
    pub(super) seen: Seen<'a>,
    tools: Vec<Known<'a>>,
    denied: BTreeMap<String, (Denied, &'a dyn ToolSource)>,
}

struct Known<'a> {
    tool: Tool,
    validator: Validator,
    /// `None` for our own.
    source: Option<&'a dyn ToolSource>,
}

const LONGEST_DESCRIPTION: usize = 1_000;
const MOST_TOOLS: usize = 64;

impl<'a> Toolbox<'a> {
    /// `part_tokens` is the most that one result may have.
    pub fn new(
        request: ReviewRequest<'a>,
        marker: &'a Marker,
        redact: Redact,
        equipment: &'a Equipment,
        part_tokens: usize,
    ) -> Self {
        let fence = Fence { marker, redact };
        let repository = Repository::new(
            request,
            fence,
            equipment.view.as_deref(),
            equipment.linters.as_ref(),
            part_tokens,
        );
        let mut toolbox = Toolbox {
            tools: Vec::new(),
            denied: BTreeMap::new(),
            seen: Seen::new(request.change),
            repository,
        };
        for tool in toolbox.repository.tools() {
            toolbox.know(tool, None);
        }
        for source in &equipment.sources {
            for offer in source.tools() {
                toolbox.take(offer, source.as_ref(), &equipment.policy);
            }
        }
        toolbox
    }

    /// Parts of hunks are cut anew: those shown before are worth nothing beside them.
    pub(super) fn set_part_tokens(&mut self, tokens: usize) {
        self.repository.part_tokens = tokens;
        self.seen.forget_parts();
    }

    pub(super) fn fence(&self) -> Fence<'a> {
        self.repository.fence()
    }

    pub(super) fn lint_runs(&self) -> &Runs {
        &self.repository.lint_runs
    }

    /// What the model is told about. Nothing denied is among it.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools.iter().map(|known| known.tool.clone()).collect()
    }

    fn take(&mut self, offer: Offer, source: &'a dyn ToolSource, policy: &ToolPolicy) {
        let Offer { mut tool, effect } = offer;
        match permission(&tool.name, effect, policy) {
            Permission::Denied(why) => {
                self.denied.insert(tool.name, (why, source));
            }
            Permission::Inspect | Permission::Publish => {
                let description = self.fence().scrub(&tool.description);
                description[..description.floor_char_boundary(LONGEST_DESCRIPTION)]
                    .clone_into(&mut tool.description);
                self.know(tool, Some(source));
            }
        }
    }

    /// The first of a name stays, so nobody can stand in for a tool of ours. A tool whose schema is none, or whose
    /// name no provider takes, is left out.
    fn know(&mut self, tool: Tool, source: Option<&'a dyn ToolSource>) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let usable = (1..=64).contains(&tool.name.len()) && tool.name.chars().all(is_plain);
        let is_new = self.tools.iter().all(|known| known.tool.name != tool.name);
        if let (true, true, Some(validator)) = (usable, is_new, Validator::new(&tool.input))
            && self.tools.len() < MOST_TOOLS
        {
            self.tools.push(Known { tool, validator, source });
        }
    }

    /// Does what the model asks for, if it may be done, and says what came of it: always something to go on with.
    pub(super) async fn execute(&mut self, call: &ToolCall, room: Room) -> String {
        match self.shown(call, room).await {
            Ok(shown) => {
                for sight in &shown.sights {
                    match *sight {
                        Sight::Part { id, part, of } => self.seen.part(id, part, of),
                        Sight::Lines { file, side, first, last } => self.seen.lines(file, side, first, last),
                    }
                }
                self.fenced(&shown)
            }
            Err(reason) => reason,
        }
    }

    fn fenced(&self, shown: &Shown) -> String {
        if shown.data.is_empty() {
            return shown.note.clone();
        }
        format!("{}\n{}", shown.note, self.fence().block("result", &shown.data))
    }

    async fn shown(&mut self, call: &ToolCall, room: Room) -> Result<Shown, String> {
        if let Some((why, source)) = self.denied.get(&call.name) {
            return Err(denied(*source, call, Reason::Tool(*why)));
        }
        let Some(known) = self.tools.iter().find(|known| known.tool.name == call.name) else {
            return Err(self.attempted(call).unwrap_or_else(|| self.unknown(&call.name)));
        };
        let errors = known.validator.errors(&call.arguments);
        if !errors.is_empty() {
            let errors: String = errors.iter().map(|error| format!("- {error}\n")).collect();
            return Err(format!(
                "Nothing was done: the arguments do not fit the tool's schema. Correct them and call it again.\n{}",
                self.fence().block("errors", &self.fence().scrub(&errors))
            ));
        }
        let room = Room { tokens: room.tokens.min(self.repository.part_tokens), ..room };
        match known.source {
            None => {
                let Toolbox { repository, seen, .. } = self;
                let work = repository.execute(&call.name, &call.arguments, seen, room);
                timeout_at(room.deadline, work).await.unwrap_or_else(|_| Err(TIME_IS_UP.to_owned()))
            }
            Some(source) => self.outside(source, call, room).await,
        }
    }

    async fn outside(&self, source: &dyn ToolSource, call: &ToolCall, room: Room) -> Result<Shown, String> {
        if asks_for_more(&call.arguments) {
            return Err(denied(source, call, Reason::Arguments));
        }
        if holds_secret(&call.arguments, self.repository.redact) {
            return Err("Nothing was done: an argument holds a secret. Leave it out.".to_owned());
        }
        let scrub = |text: String| self.fence().scrub(&text);
        match timeout_at(room.deadline, source.execute(call)).await {
            Ok(Ok(text)) => Ok(clipped("It answered:", &scrub(text), room.tokens)),
            Ok(Err(reason)) => {
                Ok(clipped("It failed. Correct the call or do without it:", &scrub(reason), room.tokens))
            }
            Err(_) => Err(TIME_IS_UP.to_owned()),
        }
    }

    /// What nobody offers is not done either way. That it was tried is worth knowing where it would do harm.
    fn attempted(&self, call: &ToolCall) -> Option<String> {
        let outside = self.denied.values().map(|(_, source)| *source);
        let source = outside.chain(self.tools.iter().filter_map(|known| known.source)).next()?;
        match permission(&call.name, Effect::Unknown, &ToolPolicy::default()) {
            Permission::Denied(why @ (Denied::Destructive | Denied::Transition)) => {
                Some(denied(source, call, Reason::Tool(why)))
            }
            Permission::Denied(Denied::Unclear) | Permission::Inspect | Permission::Publish => None,
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<_> = self.tools.iter().map(|known| known.tool.name.as_str()).collect();
        let meant = domain::text::nearest(name.get(..64).unwrap_or(name), names.iter().copied());
        let meant = meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
        format!("There is no such tool.{meant} There are: {}.", names.join(", "))
    }
}

const TIME_IS_UP: &str = "It took too long and was stopped. Write your report with what you know.";

/// What the model is told about a call that is not made.
fn denied(source: &dyn ToolSource, call: &ToolCall, reason: Reason) -> String {
    let denied = DeniedCall::new(&call.name, reason);
    source.denied(&denied);
    denied.observation()
}

impl fmt::Debug for Toolbox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|known| &known.tool.name).collect();
        f.debug_struct("Toolbox")
            .field("tools", &names)
            .field("denied", &self.denied.keys())
            .finish_non_exhaustive()
    }
}

/// What is sent to others must not hold what was masked for the model.
fn holds_secret(value: &Value, redact: Redact) -> bool {
    match value {
        Value::String(text) => redact.text(text) != text.as_str(),
        Value::Array(items) => items.iter().any(|item| holds_secret(item, redact)),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| redact.text(key) != key.as_str() || holds_secret(value, redact))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
