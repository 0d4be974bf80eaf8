use domain::formats::RuleDescription;
use domain::text::nearest;

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// What the built-in reviewer looks for.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rules {
    /// List all rules.
    List {
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Explain one rule.
    Show {
        /// The rule's id, e.g. stub.
        id: String,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
}

impl Rules {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let rules = rules::descriptions();
        let text = match self {
            Rules::List { format: Listing::Json } => output::json(&rules)?,
            Rules::List { format: Listing::Pretty } => table(&rules),
            Rules::Show { id, format } => {
                let rule = find(&rules, &id)?;
                match format {
                    Listing::Json => output::json(rule)?,
                    Listing::Pretty => page(rule),
                }
            }
        };
        output::print(&text)?;
        Ok(Exit::Ok)
    }
}

fn find<'a>(rules: &'a [RuleDescription], id: &str) -> Result<&'a RuleDescription, Failure> {
    rules.iter().find(|rule| rule.id == id).ok_or_else(|| {
        let hint = match nearest(id, rules.iter().map(|rule| rule.id.as_str())) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`countersign rules list` shows the rules there are".to_owned(),
        };
        Failure::new(format!("there is no rule `{id}`"), hint)
    })
}

fn table(rules: &[RuleDescription]) -> String {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    rules.iter().map(|rule| format!("{:width$}  {:10}  {}\n", rule.id, rule.severity, rule.title)).collect()
}

fn page(rule: &RuleDescription) -> String {
    format!(
        "{} ({}, {})\n\n{}\n\nwhy: {}\nfix: {}\n\nTo accept one finding: countersign:ignore {} -- reason\n",
        rule.id, rule.severity, rule.category, rule.title, rule.why, rule.fix, rule.id
    )
}
