mod examples;
mod own;
mod shown;

use std::path::PathBuf;

use domain::text::nearest;
use rules::RuleInfo;

use self::own::own_rules;
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
        #[command(flatten)]
        place: Place,
    },
    /// Print the list of built-in rules as documentation.
    Docs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The repository, or any folder in it.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
}

impl Rules {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = match self {
            Rules::List { place, format } => {
                let project = own_rules(&place.repo)?.infos();
                let all: Vec<Shown> = all(&project).into_iter().map(Shown::from).collect();
                match format {
                    Listing::Json => output::json(&all)?,
                    Listing::Pretty => table(&all),
                }
            }
            Rules::Show { id, place, format } => {
                let project = own_rules(&place.repo)?.infos();
                let all = all(&project);
                let rule = find(&all, &id)?;
                match format {
                    Listing::Json => output::json(&Shown::from(rule))?,
                    Listing::Pretty => page(rule),
                }
            }
            Rules::Test { place } => return examples::run(&own_rules(&place.repo)?),
            Rules::Docs => rules::documentation(),
        };
        output::print(&text)?;
        Ok(Exit::Ok)
    }
}

fn all(project: &[RuleInfo]) -> Vec<&RuleInfo> {
    rules::catalogue().into_iter().chain(project).collect()
}

fn find<'a>(rules: &[&'a RuleInfo], id: &str) -> Result<&'a RuleInfo, Failure> {
    rules.iter().copied().find(|rule| rule.id == id).ok_or_else(|| {
        let hint = match nearest(id, rules.iter().map(|rule| rule.id.as_ref())) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`countersign rules list` shows the rules there are".to_owned(),
        };
        Failure::new(format!("there is no rule `{id}`"), hint)
    })
}
