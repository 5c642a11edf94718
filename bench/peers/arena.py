"""The own cost of a match between two outside UCI engines, beside fastchess.

Both play the same engine against itself from the same openings, every opening
twice with colours reversed, one game at a time, by turns. What counts is the
processor time of the match runner alone, its own threads without the engines,
divided by the half-moves after the openings.

    python arena.py ENGINE OPENINGS.epd [PAIRS] [ROUNDS]

`evalsmith` and `fastchess` are taken from PATH. Linux only: a process's own time
is read from /proc while it still runs, or as a zombie, since the system adds its
children's time to what it says of a process that is gone.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile


def own_seconds(command, folder):
    """Runs a command and returns the processor time of that process alone."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    if process.wait() != 0:
        sys.exit(f"{command[0]} failed: {' '.join(command)}")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ours(engine, openings, pairs, folder):
    player = f"engine:uci:{engine}"
    command = ["evalsmith", "match", "run", "chess", player, "@players.toml#other", "--nodes", "1"]
    table = f"[other]\nprotocol = 'uci'\ncommand = '{engine}'\n"
    pathlib.Path(folder, "players.toml").write_text(table)
    command += ["--openings", openings, "--pairs", str(pairs), "--threads", "1", "--log", "log"]
    seconds = own_seconds(command, folder)
    games = [json.loads(line) for line in pathlib.Path(folder, "log").read_text().splitlines()[1:]]
    return seconds, len(games), sum(len(game["moves"]) for game in games)


def theirs(engine, openings, pairs, folder):
    command = ["fastchess", "-engine", f"cmd={engine}", "name=a"]
    command += ["-engine", f"cmd={engine}", "name=b", "-each", "nodes=1", "tc=inf", "proto=uci"]
    command += ["-openings", f"file={openings}", "format=epd", "order=sequential", "-repeat"]
    command += ["-games", "2", "-rounds", str(pairs), "-concurrency", "1"]
    command += ["-pgnout", "file=games.pgn", "notation=uci"]
    seconds = own_seconds(command, folder)
    text = pathlib.Path(folder, "games.pgn").read_text()
    plies = [int(n) for n in re.findall(r'\[PlyCount "(\d+)"\]', text)]
    return seconds, len(plies), sum(plies)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    engine, openings = sys.argv[1], os.path.abspath(sys.argv[2])
    pairs, rounds = (int(sys.argv[i]) if len(sys.argv) > i else n for i, n in ((3, 50), (4, 3)))
    told = {"evalsmith": [], "fastchess": []}
    for _ in range(rounds):
        for name, play in (("evalsmith", ours), ("fastchess", theirs)):
            with tempfile.TemporaryDirectory() as folder:
                seconds, games, plies = play(engine, openings, pairs, folder)
            if games != 2 * pairs:
                sys.exit(f"{name} played {games} games of {2 * pairs}")
            told[name].append(1e6 * seconds / plies)
            print(f"{name}: {games} games, {plies} plies, {seconds:.2f} s, "
                  f"{told[name][-1]:.1f} us a ply", flush=True)
    medians = {name: statistics.median(costs) for name, costs in told.items()}
    ratio = medians["evalsmith"] / medians["fastchess"]
    print(", ".join(f"{name} {cost:.1f} us" for name, cost in medians.items()), f"ratio {ratio:.2f}")


main()
