//! Measures the queue through its public interface, for `scripts/bench queue`. Every command prints one line
//! of JSON.

#![allow(clippy::print_stdout, reason = "what was measured goes to standard output")]

mod cycle;
mod fill;
mod ingest;
mod pickup;
mod samples;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use store::Store;

pub(crate) const QUEUE: &str = "qa";

#[derive(Debug, clap::Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Stores tasks in bulk: finished ones, and after them ones that can be claimed.
    Fill {
        url: String,
        #[arg(long, default_value_t = 0)]
        finished: u32,
        #[arg(long, default_value_t = 0)]
        pending: u32,
    },
    /// Claims and completes tasks that are there, for a time.
    Cycle {
        url: String,
        #[arg(long, default_value_t = 16)]
        workers: u32,
        #[arg(long, default_value_t = 5.0)]
        seconds: f64,
        /// Not more than these.
        #[arg(long, default_value_t = u32::MAX)]
        most: u32,
        /// How many each worker does before the clock runs: connections and statements are then there.
        #[arg(long, default_value_t = 10)]
        warm_up: u32,
    },
    /// How long after it began to be added a task is held by a worker in another process.
    Pickup {
        url: String,
        #[arg(long, default_value_t = 200)]
        samples: u32,
    },
    /// That other process.
    #[command(hide = true)]
    PickupWorker { url: String },
    /// How long it takes until files in a mailbox are tasks, and until their files say so.
    Ingest {
        url: String,
        root: PathBuf,
        #[arg(long, default_value_t = 10_000)]
        files: u32,
    },
}

/// One thread, as `countersign agent start` has it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let measured = match Arguments::parse().command {
        Command::Fill { url, finished, pending } => fill::fill(&url, finished, pending).await?,
        Command::Cycle { url, workers, seconds, most, warm_up } => {
            let store = Store::open(&url).await?;
            cycle::cycle(&store, workers, Duration::from_secs(60), warm_up * workers).await?;
            cycle::cycle(&store, workers, Duration::from_secs_f64(seconds), most).await?
        }
        Command::Pickup { url, samples } => pickup::pickup(&url, samples).await?,
        Command::PickupWorker { url } => return pickup::work(&Store::open(&url).await?).await,
        Command::Ingest { url, root, files } => {
            ingest::ingest(&Store::open(&url).await?, root, files).await?
        }
    };
    println!("{measured}");
    Ok(())
}
