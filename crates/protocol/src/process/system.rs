//! What only the operating system knows of a process: its group, its time on the
//! processor, and whether a pipe takes more.

#[cfg(unix)]
pub(crate) use unix::{cpu_time, kill_group, lead_group, write_before};

#[cfg(unix)]
mod unix {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::signal::{Signal, killpg};
    use nix::time::{clock_getcpuclockid, clock_gettime};
    use nix::unistd::Pid;
    use std::fs;
    use std::io::{self, ErrorKind, Write};
    use std::os::fd::AsFd;
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

    /// Time on the processor of a process with all its threads, of the children
    /// it has waited for, and of those that live; children's children too.
    pub(crate) fn cpu_time(pid: u32) -> Option<Duration> {
        time_of(pid, 0)
    }

    /// Wrappers start one engine; deeper families are not worth their files.
    const GENERATIONS: u32 = 4;

    fn time_of(pid: u32, generation: u32) -> Option<Duration> {
        let clock = clock_getcpuclockid(Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
        let own = Duration::from(clock_gettime(clock).ok()?);
        let mut total = own + waited_for(pid).unwrap_or_default();
        if generation < GENERATIONS
            && let Ok(children) = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        {
            let living = children.split_whitespace().filter_map(|child| child.parse().ok());
            total += living.filter_map(|child| time_of(child, generation + 1)).sum();
        }
        Some(total)
    }

    /// Fields 16 and 17 of `/proc/PID/stat`, in hundredths of a second, which is
    /// what Linux shows on every machine.
    fn waited_for(pid: u32) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        let ticks = after_name.split_whitespace().skip(13).take(2);
        let ticks = ticks.map(|t| t.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Duration::from_millis(10 * ticks))
    }
}

#[cfg(unix)]
pub(crate) use unix::never_wait;

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

    pub(crate) fn cpu_time(_pid: u32) -> Option<Duration> {
        None
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
        let used = cpu_time(child.id()).unwrap();
        kill_group(child.id());
        child.wait().unwrap();
        assert!(used.as_millis() >= 20, "{used:?}");
        assert_eq!(cpu_time(child.id()), None);
    }
}
