//! A database that fails over while traffic runs: nothing acknowledged may be lost, and writes go on by themselves.

use std::{
    path::PathBuf,
    process::Command,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    Outcome,
    faults::{Acknowledged, reckon, write},
    receiver::Receiver,
    service::{Service, row},
    traffic::Traffic,
};

const WRITERS: usize = 8;
/// How long writes go on between two failures.
const CALM: Duration = Duration::from_secs(3);
/// Writes that are acknowledged before it counts as being back.
const BACK: usize = 20;
/// The longest time that writes may be away.
const AWAY_MAX: Duration = Duration::from_secs(60);

/// Runs a command with `fail` and then with `mend`, again and again; the first takes the leading server away, the second brings it
/// back as a follower.
pub async fn run(
    mut service: Service,
    receiver: Receiver,
    rounds: u32,
    command: PathBuf,
) -> Outcome {
    let api = service.start().await?;
    api.subscribe(&receiver.url("good", "failover"), &["client.created"]).await?;
    let (acknowledged, stop) = (Acknowledged::default(), Arc::new(AtomicBool::new(false)));
    let writer = || tokio::spawn(write(api.clone(), acknowledged.clone(), stop.clone()));
    let writers: Vec<_> = (0..WRITERS).map(|_| writer()).collect();
    let traffic = Traffic::begin(&api).await?;
    let count = || acknowledged.lock().unwrap_or_else(PoisonError::into_inner).len();
    let mut away = Vec::new();
    for round in 1..=rounds {
        tokio::time::sleep(CALM).await;
        let round_text = round.to_string();
        let act = async |what: &str| -> Outcome {
            let (command, what, round) = (command.clone(), what.to_owned(), round_text.clone());
            let ran = move || Command::new(command).args([&what, &round]).status();
            match tokio::task::spawn_blocking(ran).await??.success() {
                true => Ok(()),
                false => Err("the command failed".into()),
            }
        };
        act("fail").await?;
        let (began, before) = (Instant::now(), count());
        while count() < before + BACK {
            if began.elapsed() > AWAY_MAX {
                return Err(format!(
                    "after failure {round} no write was acknowledged for a minute"
                )
                .into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        away.push(began.elapsed());
        println!("  failure {round} of {rounds}: away for {:.1} s", began.elapsed().as_secs_f64());
        act("mend").await?;
    }
    stop.store(true, Ordering::Relaxed);
    let mut refused = 0;
    for writer in writers {
        refused += writer.await?;
    }
    let reckoning = reckon(&api, &receiver, &acknowledged).await?;
    println!("  {rounds} failures: {reckoning}; {refused} requests were refused or not answered");
    let holds = traffic.end(&api).await?;
    away.sort_unstable();
    let seconds = |at: usize| away.get(at).map_or(0.0, Duration::as_secs_f64);
    row(
        &format!("writes away after {rounds} failures: median, longest"),
        format_args!(
            "{:.1} s, {:.1} s",
            seconds(away.len() / 2),
            seconds(away.len().saturating_sub(1))
        ),
    );
    service.kill()?;
    if reckoning.is_whole() && holds {
        Ok(())
    } else {
        Err("acknowledged writes were lost, or others were delivered".into())
    }
}
