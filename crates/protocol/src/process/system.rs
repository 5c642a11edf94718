//! What only the operating system knows of a process: its group, its time on the
//! processor, and whether a pipe takes more.

#[cfg(unix)]
pub(crate) use unix::{Meter, kill_group, lead_group, never_wait, write_before};

#[cfg(unix)]
mod unix {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::signal::{Signal, killpg};
    use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
    use nix::unistd::Pid;
    use std::fs::File;
    use std::io::{self, ErrorKind, Write};
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileExt;
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command};
    use std::time::{Duration, Instant};

    /// Gives the process a group of its own, so that its children die with it.
    pub(crate) fn lead_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Kills every process of the group that `leader` leads.
    pub(crate) fn kill_group(leader: u32) {
        if let Ok(pid) = i32::try_from(leader) {
            // It fails only when nobody is left to be killed.
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }

    /// Writes everything before `deadline`, however little the reader reads.
    pub(crate) fn write_before(
        pipe: &mut ChildStdin,
        mut bytes: &[u8],
        deadline: Instant,
    ) -> io::Result<()> {
        while !bytes.is_empty() {
            match pipe.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => wait_writable(pipe, deadline)?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Makes writes return instead of waiting for a reader.
    pub(crate) fn never_wait(pipe: &ChildStdin) -> io::Result<()> {
        let flags = OFlag::from_bits_truncate(fcntl(pipe, FcntlArg::F_GETFL)?);
        fcntl(pipe, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        Ok(())
    }

    fn wait_writable(pipe: &ChildStdin, deadline: Instant) -> io::Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLOUT)], timeout) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// The clock of a process: its time on the processor with all its threads, and
    /// that of the children it has waited for and of those that live, children's
    /// children too.
    #[derive(Debug)]
    pub(crate) struct Meter {
        clock: Option<ClockId>,
        /// `/proc/PID/stat` and the list of children, kept open: they are read
        /// twice a ply.
        stat: Option<File>,
        children: Option<File>,
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
            }
        }

        /// The time until now; none when the process is gone, or the system does
        /// not tell.
        pub(crate) fn time(&self) -> Option<Duration> {
            self.time_of(0)
        }

        fn time_of(&self, generation: u32) -> Option<Duration> {
            let own = Duration::from(clock_gettime(self.clock?).ok()?);
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

#[cfg(not(unix))]
pub(crate) use elsewhere::*;

#[cfg(not(unix))]
mod elsewhere {
    use std::io::{self, Write};
    use std::process::{ChildStdin, Command};
    use std::time::{Duration, Instant};

    pub(crate) fn lead_group(_command: &mut Command) {}

    pub(crate) fn kill_group(_leader: u32) {}

    pub(crate) fn never_wait(_pipe: &ChildStdin) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn write_before(
        pipe: &mut ChildStdin,
        bytes: &[u8],
        _deadline: Instant,
    ) -> io::Result<()> {
        pipe.write_all(bytes).and_then(|()| pipe.flush())
    }

    #[derive(Debug)]
    pub(crate) struct Meter;

    impl Meter {
        pub(crate) fn of(_pid: u32) -> Self {
            Self
        }

        pub(crate) fn time(&self) -> Option<Duration> {
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_time_of_children_counts() {
        let script =
            "i=0; (while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read x); read y";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        lead_group(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let meter = Meter::of(child.id());
        let used = meter.time().unwrap();
        kill_group(child.id());
        child.wait().unwrap();
        assert!(used.as_millis() >= 20, "{used:?}");
        assert_eq!(meter.time(), None);
    }
}
