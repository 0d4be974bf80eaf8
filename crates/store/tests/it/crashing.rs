use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use domain::tasks::{Finish, Lease, Outcome, QueueLimit};

use crate::place::*;

scenarios![
    finishing_that_is_cut_off_happened_wholly_or_not_at_all,
    adding_that_is_cut_off_happened_wholly_or_not_at_all,
    claiming_that_is_cut_off_leaves_the_task_to_be_had,
];

/// How far into a call the knife goes.
const CUTS: usize = 40;

/// Drops a future after so many polls, as a crash would: whatever it had begun is left lying.
struct CutOff<F> {
    inner: Option<Pin<Box<F>>>,
    polls: usize,
}

fn cut_off<F: Future>(inner: F, polls: usize) -> CutOff<F> {
    CutOff { inner: Some(Box::pin(inner)), polls }
}

impl<F: Future> Future for CutOff<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.polls == 0 {
            self.inner = None;
            return Poll::Ready(None);
        }
        self.polls -= 1;
        match self.inner.as_mut().map(|inner| inner.as_mut().poll(context)) {
            Some(Poll::Ready(output)) => Poll::Ready(Some(output)),
            Some(Poll::Pending) => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

async fn finishing_that_is_cut_off_happened_wholly_or_not_at_all(place: Place) {
    let mut cut = 0;
    for polls in 1..CUTS {
        let (first, then, next) = (format!("a{polls}"), format!("b{polls}"), format!("c{polls}"));
        place.add(task(&first)).await;
        place.add(task_after(&then, &[&first])).await;
        let lease = place.take().await;
        let finish = Finish::from(Outcome::Completed).followed_by(new(task(&next)));
        match cut_off(place.store.finish(&lease, &finish), polls).await {
            Some(finished) => assert_eq!(finished.unwrap().status.as_str(), "completed"),
            None => {
                cut += 1;
                let again = place.store.finish(&lease, &finish).await;
                assert!(again.is_ok() || is_stale(again));
            }
        }
        assert_eq!(place.story(&first).await, ["added", "claimed", "completed"]);
        assert_eq!(place.story(&next).await, ["added"]);
        for expected in [&then, &next] {
            let lease = place.take().await;
            assert_eq!(*lease.task(), id(expected));
            place.finish(&lease, Outcome::Completed).await;
        }
    }
    // How many polls a call takes is the scheduler's business; that the first does not end it is ours.
    assert!(cut > 0, "no call was cut off");
}

async fn adding_that_is_cut_off_happened_wholly_or_not_at_all(place: Place) {
    for polls in 1..CUTS {
        let names = [format!("a{polls}"), format!("b{polls}")];
        let tasks = [new(task(&names[0])), new(task_after(&names[1], &[&names[0]]))];
        let tasks = [tasks[0].clone().once(&names[0]), tasks[1].clone().once(&names[1])];
        let first = cut_off(place.store.add(&tasks, QueueLimit::Unlimited), polls).await;
        let again = place.store.add(&tasks, QueueLimit::Unlimited).await.unwrap();
        let created = again.iter().filter(|added| matches!(added, domain::tasks::Added::Created(_))).count();
        assert!(created == 2 || created == 0, "{created} of 2 were missing");
        assert!(first.is_none() || created == 0);
        assert_eq!(place.story(&names[1]).await, ["added"]);
    }
}

async fn claiming_that_is_cut_off_leaves_the_task_to_be_had(place: Place) {
    for polls in 1..CUTS {
        let name = format!("a{polls}");
        place.add(task(&name)).await;
        let first = cut_off(place.store.claim(&["qa"], "qa-1", NONE), polls).await;
        if let Some(claimed) = first {
            assert_eq!(*claimed.unwrap().unwrap().1.task(), id(&name));
        }
        let lease = take_or_free(&place).await;
        let claims = place.story(&name).await.iter().filter(|kind| **kind == "claimed").count();
        assert_eq!(claims as i64, lease.token());
        place.finish(&lease, Outcome::Completed).await;
    }
}

/// The server may need a moment to notice that a caller is gone.
async fn take_or_free(place: &Place) -> Lease {
    let begun = Instant::now();
    while begun.elapsed() < HANGS {
        if let Some((_, lease)) = place.claim().await {
            return lease;
        }
        place.store.expire(10).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the task is lost");
}
