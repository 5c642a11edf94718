//! The time that a process has spent on the processor, where the system is Linux;
//! elsewhere nothing is told.

#[cfg(target_os = "linux")]
pub(crate) use linux::Meter;

#[cfg(target_os = "linux")]
mod linux {
    use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
    use nix::unistd::Pid;
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    /// The clock of a process: its time on the processor with all its threads, and
    /// that of the children it has waited for and of those that live, children's
    /// children too, if it had any when they were last looked for.
    #[derive(Debug)]
    pub(crate) struct Meter {
        clock: Option<ClockId>,
        /// `/proc/PID/stat` and the list of children, kept open: those of a family
        /// are read twice a ply.
        stat: Option<File>,
        children: Option<File>,
        alone: bool,
    }

    /// Wrappers start one engine; deeper families are not worth their files.
    const GENERATIONS: u32 = 4;

    impl Meter {
        pub(crate) fn of(pid: u32) -> Self {
            let number = i32::try_from(pid).ok();
            Self {
                clock: number.and_then(|pid| clock_getcpuclockid(Pid::from_raw(pid)).ok()),
                stat: File::open(format!("/proc/{pid}/stat")).ok(),
                children: File::open(format!("/proc/{pid}/task/{pid}/children")).ok(),
                alone: false,
            }
        }

        /// Looks whether there are children: asking the system about those of a
        /// process that has none costs more than its clock.
        pub(crate) fn look_for_children(&mut self) {
            let mut buffer = [0; 1024];
            let waited = self.stat.as_ref().and_then(|stat| waited_for(read(stat, &mut buffer)?));
            let living = self.children.as_ref().and_then(|c| read(c, &mut buffer));
            self.alone = waited.is_some_and(|time| time.is_zero())
                && living.is_some_and(|children| children.trim().is_empty());
        }

        /// The time until now; none when the process is gone, or the system does
        /// not tell.
        pub(crate) fn time(&self) -> Option<Duration> {
            self.time_of(0)
        }

        fn time_of(&self, generation: u32) -> Option<Duration> {
            let own = Duration::from(clock_gettime(self.clock?).ok()?);
            if self.alone {
                return Some(own);
            }
            let mut buffer = [0; 1024];
            let waited = self.stat.as_ref().and_then(|stat| waited_for(read(stat, &mut buffer)?));
            let mut total = own + waited.unwrap_or_default();
            if generation < GENERATIONS
                && let Some(children) = self.children.as_ref().and_then(|c| read(c, &mut buffer))
            {
                let living = children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
                total += living.filter_map(|pid| Self::of(pid).time_of(generation + 1)).sum();
            }
            Some(total)
        }
    }

    fn read<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
        let length = file.read_at(buffer, 0).ok()?;
        std::str::from_utf8(&buffer[..length]).ok()
    }

    /// Fields 16 and 17 of `/proc/PID/stat`, in hundredths of a second, which is
    /// what Linux shows on every machine.
    fn waited_for(stat: &str) -> Option<Duration> {
        let (_, after_name) = stat.rsplit_once(')')?;
        let ticks = after_name.split_ascii_whitespace().skip(13).take(2);
        let ticks = ticks.map(|t| t.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Duration::from_millis(10 * ticks))
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct Meter;

#[cfg(not(target_os = "linux"))]
impl Meter {
    pub(crate) fn of(_pid: u32) -> Self {
        Self
    }

    pub(crate) fn look_for_children(&mut self) {}

    pub(crate) fn time(&self) -> Option<std::time::Duration> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::system;
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_time_of_children_counts() {
        let script =
            "i=0; (while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read x); read y";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        system::lead_group(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let mut meter = Meter::of(child.id());
        meter.look_for_children();
        let used = meter.time().unwrap();
        system::kill_group(child.id());
        child.wait().unwrap();
        assert!(used.as_millis() >= 20, "{used:?}");
        assert_eq!(meter.time(), None);
    }

    #[test]
    fn the_clock_of_one_without_children_is_its_own() {
        let mut command = Command::new("/bin/sh");
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done; read x";
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let mut meter = Meter::of(child.id());
        let with_files = meter.time().unwrap();
        meter.look_for_children();
        let alone = meter.time().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(with_files.as_millis() >= 5, "{with_files:?}");
        assert!(
            alone >= with_files && alone.saturating_sub(with_files) < with_files,
            "{with_files:?} {alone:?}"
        );
    }
}
