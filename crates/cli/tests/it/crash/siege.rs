use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use domain::cycle::TaskStatus;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{StoredTask, TaskFilter};
use store::Store;

use super::chains::Chain;
use super::crew::Crew;
use super::feed::Feed;
use super::journal::Journal;
use super::judge::{Case, Offence, Record};
use super::killer::{Killer, Unrest};
use super::leftovers;
use super::plan::Plan;
use super::scorecard::Scorecard;
use super::weather::{Damage, Weather};
use super::workshop::Workshop;

/// If nothing at all happens for so long, nothing ever will.
const HANG: Duration = Duration::from_secs(120);
const PAGE: u32 = 500;

/// One run against one store, from the first kill to the verdict.
pub(crate) struct Siege<'a> {
    pub(crate) name: &'static str,
    pub(crate) plan: Plan,
    pub(crate) workshop: &'a Workshop,
}

/// What the attackers did.
struct Attack<'a> {
    crew: Crew<'a>,
    freezes: u32,
    damage: Damage,
}

impl Siege<'_> {
    pub(crate) fn run(&self, mut weather: impl Weather) {
        println!("{}: seed {}, {} kills", self.name, self.plan.seed, self.plan.kills);
        let begun = Instant::now();
        let Attack { mut crew, freezes, damage } = self.attack(&mut weather);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let records = runtime.block_on(self.wait_for_the_end(&mut crew));
        let mut offences = leftovers::wait_for_order(self.workshop, &records);
        let turned_away = crew.turned_away;
        offences.extend(crew.ended_by_themselves.iter().map(|end| (Offence::ProcessEnded, end.clone())));
        for end in crew.dismiss() {
            if !end.as_ref().is_ok_and(|status| status.code() == Some(0)) {
                offences.push((Offence::ProcessEnded, format!("asked to stop: {end:?}")));
            }
        }
        offences.extend(leftovers::in_repository(self.workshop));
        let journal = Journal::read(self.workshop);
        let case = Case { plan: &self.plan, records: &records, journal: &journal };
        offences.extend(case.judge());
        let scorecard = Scorecard {
            store: self.name,
            plan: self.plan,
            freezes,
            turned_away,
            damage,
            records: &records,
            journal: &journal,
            offences: &offences,
            duration: begun.elapsed(),
        };
        scorecard.publish();
        assert!(offences.is_empty(), "seed {}: {offences:#?}", self.plan.seed);
    }

    fn attack(&self, weather: &mut impl Weather) -> Attack<'_> {
        let unrest = Unrest::default();
        thread::scope(|scope| {
            let feed = Feed { workshop: self.workshop, plan: self.plan, unrest: &unrest };
            let feeding = scope.spawn(move || feed.run());
            let killing = scope.spawn(|| {
                let mut crew = Crew::start(self.workshop);
                let mut killer = Killer::new(self.plan, &unrest);
                killer.rage(&mut crew);
                (crew, killer.freezes)
            });
            let damage = self.make_weather(weather, &unrest);
            let (crew, freezes) = killing.join().expect("the killer came through");
            feeding.join().expect("the feeder came through");
            Attack { crew, freezes, damage }
        })
    }

    /// Until the killing is over, and every kind of trouble at least once.
    fn make_weather<W: Weather>(&self, weather: &mut W, unrest: &Unrest) -> Damage {
        let (mut damage, mut dice) = (Damage::default(), self.plan.dice(2));
        let mut turn = 0;
        while turn < W::KINDS || !unrest.is_over.load(Ordering::Relaxed) {
            thread::sleep(dice.milliseconds(500, 4000));
            weather.strike(turn % W::KINDS, &mut dice, &mut damage);
            turn += 1;
        }
        damage
    }

    /// Nobody is disturbed any more: the work has to come to its end by itself.
    async fn wait_for_the_end(&self, crew: &mut Crew<'_>) -> Vec<Record> {
        let store = Store::open(self.workshop.address()).await.unwrap();
        let (mut last, mut since) = (String::new(), Instant::now());
        loop {
            crew.replace_the_ended();
            let tasks = every_task(&store).await.expect("a store that is left alone answers");
            if self.is_over(&tasks) {
                let records = with_events(&store, tasks).await.expect("a store that is left alone answers");
                store.close().await;
                return records;
            }
            let now = standing(&tasks);
            if now != last {
                (last, since) = (now, Instant::now());
            }
            assert!(since.elapsed() < HANG, "seed {}: stuck, with\n{last}", self.plan.seed);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn is_over(&self, tasks: &[StoredTask]) -> bool {
        let known: BTreeSet<&str> = tasks.iter().map(|stored| stored.task.id.as_str()).collect();
        let is_queued = |chain: Chain| known.contains(chain.first_task().as_str());
        tasks.iter().all(is_at_its_end) && (0..self.plan.chains()).map(Chain::numbered).all(is_queued)
    }
}

fn is_at_its_end(stored: &StoredTask) -> bool {
    match stored.task.status {
        TaskStatus::Pending | TaskStatus::InProgress => false,
        TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Escalated => true,
    }
}

async fn every_task(store: &Store) -> Result<Vec<StoredTask>, StoreError> {
    let (mut tasks, mut after) = (Vec::new(), None);
    loop {
        let page = store.list(&TaskFilter::default(), after, PAGE).await?;
        tasks.extend(page.tasks);
        after = page.next;
        if after.is_none() {
            return Ok(tasks);
        }
    }
}

async fn with_events(store: &Store, tasks: Vec<StoredTask>) -> Result<Vec<Record>, StoreError> {
    let mut records = Vec::new();
    for stored in tasks {
        let events = store.events(&stored.task.id).await?;
        records.push(Record { stored, events });
    }
    Ok(records)
}

/// The tasks that are still open, and where they stand.
fn standing(tasks: &[StoredTask]) -> String {
    let finished = tasks.iter().filter(|stored| is_at_its_end(stored)).count();
    let line = |stored: &StoredTask| {
        let StoredTask { task, held, waits_for, reason, .. } = stored;
        let (id, status) = (&task.id, task.status.as_str());
        format!("{id} {status}, held {held:?}, waits for {waits_for:?}, because of {reason:?}\n")
    };
    let open: String = tasks.iter().filter(|stored| !is_at_its_end(stored)).map(line).collect();
    format!("{finished} finished\n{open}")
}
