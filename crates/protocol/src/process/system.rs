//! What differs between operating systems: groups of processes, and whether a pipe
//! takes more.

#[cfg(unix)]
pub(crate) use unix::{kill_group, lead_group, never_wait, wait_until_dead, write_before};

#[cfg(unix)]
mod unix {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::signal::{Signal, killpg};
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    use nix::unistd::Pid;
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

    /// Waits for the death of a child, which stays for its owner to be reaped.
    pub(crate) fn wait_until_dead(child: u32, deadline: Instant) {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        let lives = || {
            let id = Id::Pid(Pid::from_raw(child.cast_signed()));
            waitid(id, flags) == Ok(WaitStatus::StillAlive)
        };
        while lives() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
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
}

#[cfg(not(unix))]
pub(crate) use elsewhere::*;

#[cfg(not(unix))]
mod elsewhere {
    use std::io::{self, Write};
    use std::process::{ChildStdin, Command};
    use std::time::Instant;

    pub(crate) fn lead_group(_command: &mut Command) {}

    pub(crate) fn kill_group(_leader: u32) {}

    pub(crate) fn wait_until_dead(_child: u32, _deadline: Instant) {}

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
}
