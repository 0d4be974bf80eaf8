mod examples;
mod own;
mod shown;

use std::path::PathBuf;

use domain::text::nearest;
use rules::RuleInfo;

use self::own::Own;
use self::shown::{Shown, page, table};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// What the built-in reviewer looks for.
///
/// A project's own rules, under .countersign/rules/, are read from the working tree here, so that they can be tried;
/// a review reads them from the base commit.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rules {
    /// List all rules.
    List {
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Explain one rule.
    Show {
        /// The rule's id, e.g. stub.
        id: String,
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Run the examples of all rules that are data: ours and the project's.
    Test {
        /// Only those of this rule.
        id: Option<String>,
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value = "pretty")]
        format: Listing,
    },
    /// Print the list of built-in rules as documentation.
    Docs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The repository, or any folder in it [default: this one, if it is in a repository]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
}

impl Rules {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = match self {
            Rules::List { place, format } => {
                let own = Own::at(place.repo.as_deref())?;
                let all: Vec<Shown> = own.all().iter().map(|rule| own.shown(rule)).collect();
                match format {
                    Listing::Json => output::json(&all)?,
                    Listing::Pretty => table(&all),
                }
            }
            Rules::Show { id, place, format } => {
                let own = Own::at(place.repo.as_deref())?;
                let all = own.all();
                let rule = find(&all, &id)?;
                match format {
                    Listing::Json => output::json(&own.shown(rule))?,
                    Listing::Pretty => page(rule),
                }
            }
            Rules::Test { id, place, format } => {
                let own = Own::at(place.repo.as_deref())?;
                if let Some(id) = &id {
                    find(&own.all(), id)?;
                }
                return examples::run(&own.rules, id.as_deref(), format);
            }
            Rules::Docs => rules::documentation(),
        };
        output::print(&text)?;
        Ok(Exit::Ok)
    }
}

fn find<'a>(rules: &'a [RuleInfo], id: &str) -> Result<&'a RuleInfo, Failure> {
    rules.iter().find(|rule| rule.id == id).ok_or_else(|| {
        let hint = match nearest(id, rules.iter().map(|rule| rule.id.as_ref())) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`countersign rules list` shows the rules there are".to_owned(),
        };
        Failure::new(format!("there is no rule `{id}`"), hint)
    })
}
