//! Progress with speed and time left on stderr: a bar on a terminal, a line
//! every few seconds elsewhere.

use crate::failure::say;
use crate::stop::{self, Kept};
use evalsmith_lab::prelude::Progress;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Watches a job and shows it on stderr.
pub(crate) struct Terminal {
    task: Mutex<Option<Task>>,
    bars: bool,
}

struct Task {
    name: String,
    unit: &'static str,
    total: u64,
    done: u64,
    resumed: u64,
    begun: Instant,
    said: Instant,
    status: String,
    bar: Option<ProgressBar>,
}

impl Terminal {
    /// Begins to watch a job that keeps nothing when it is stopped, and to heed Ctrl-C.
    pub(crate) fn new() -> Self {
        Self::of(Kept::Nothing)
    }

    /// The same of a job that the same command continues.
    pub(crate) fn resumable() -> Self {
        Self::of(Kept::Finished)
    }

    fn of(kept: Kept) -> Self {
        stop::keeps(kept);
        stop::heed();
        Self { task: Mutex::new(None), bars: io::stderr().is_terminal() }
    }

    /// Writes something else to the terminal, with the bar out of its way.
    pub(crate) fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        let task = self.task.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match task.as_ref().and_then(|task| task.bar.as_ref()) {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn with_task(&self, act: impl FnOnce(&mut Task)) {
        let mut task = self.task.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(task) = task.as_mut() {
            act(task);
        }
    }
}

impl Task {
    fn line(&self) -> String {
        let speed = self.speed();
        let Self { name, unit, total, done, status, .. } = self;
        let status = if status.is_empty() { String::new() } else { format!("; {status}") };
        if *total == 0 {
            return format!("{name}: {done} {unit}, {}{status}", shown(speed));
        }
        let left = (self.total.saturating_sub(self.done)) as f64 / speed.max(1e-9);
        let left = HumanDuration(Duration::from_secs_f64(left.min(1e9)));
        format!("{name}: {done}/{total} {unit}, {}, {left} left{status}", shown(speed))
    }

    /// Units a second in this run.
    fn speed(&self) -> f64 {
        (self.done - self.resumed) as f64 / self.begun.elapsed().as_secs_f64().max(1e-9)
    }
}

/// A speed with the digits that matter.
fn shown(speed: f64) -> String {
    if speed < 10.0 { format!("{speed:.1}/s") } else { format!("{speed:.0}/s") }
}

impl Progress for Terminal {
    fn begin(&self, task: &str, total: u64, unit: &'static str) {
        let bar = self.bars.then(|| {
            let bar = ProgressBar::new(total);
            // How long a file is, is often known only at its end.
            let style = if total == 0 {
                format!("{{msg:24}} {{pos}} {unit}, {{per_sec}}")
            } else {
                format!("{{msg:24}} [{{bar:32}}] {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left")
            };
            if let Ok(style) = ProgressStyle::with_template(&style) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(task.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let now = Instant::now();
        let task = Task {
            name: task.to_owned(),
            unit,
            total,
            done: 0,
            resumed: 0,
            begun: now,
            said: now,
            status: String::new(),
            bar,
        };
        *self.task.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(task);
    }

    fn advance(&self, amount: u64) {
        self.with_task(|task| {
            task.done += amount;
            match &task.bar {
                Some(bar) => bar.inc(amount),
                None if task.said.elapsed() > Duration::from_secs(5) => {
                    task.said = Instant::now();
                    say(&task.line());
                }
                None => {}
            }
        });
    }

    fn resume(&self, amount: u64) {
        self.with_task(|task| {
            task.done += amount;
            task.resumed += amount;
            if let Some(bar) = &task.bar {
                bar.inc(amount);
                bar.reset_eta();
            }
        });
    }

    fn status(&self, words: &str) {
        self.with_task(|task| {
            words.clone_into(&mut task.status);
            if let Some(bar) = &task.bar {
                bar.set_message(format!("{} {words}", task.name));
            }
        });
    }

    fn note(&self, message: &str) {
        let mut shown = false;
        self.with_task(|task| {
            if let Some(bar) = &task.bar {
                bar.println(message);
                shown = true;
            }
        });
        if !shown {
            say(message);
        }
    }

    fn end(&self) {
        self.with_task(|task| {
            if let Some(bar) = &task.bar {
                bar.finish_and_clear();
            }
            let Task { name, unit, done, resumed, .. } = &*task;
            let unit = if *done == 1 { unit.trim_end_matches('s') } else { unit };
            let seconds = task.begun.elapsed().as_secs_f64();
            let kept =
                if *resumed > 0 { format!(", {resumed} of them earlier") } else { String::new() };
            say(&format!(
                "{name}: {done} {unit} in {seconds:.1} s ({}{kept})",
                shown(task.speed())
            ));
        });
        *self.task.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    fn stopped(&self) -> bool {
        stop::requested()
    }
}
