"""Frequent configurations from the same positions: Borgelt's Eclat and FP-growth (pyfim) and evalsmith.

Positions are squares of Othello boards, a byte each (0 empty, 1 the mover's, 2 the
opponent's), written beforehand by

    evalsmith data export DATA -o positions.obf

A transaction holds one item a square, square times three plus value. Both find every set of
at least --min-count positions; their numbers must be the same. CPU seconds exclude reading.

    python configurations.py positions.obf [--squares 16] [--min-count 2000] [--max-length 0]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FEWEST_DISCS = 20


def squares(path, most):
    """The boards of an OBF file with enough discs, as the side to move sees them."""
    tables = {b"X": bytes.maketrans(b"-XO", b"\0\1\2"), b"O": bytes.maketrans(b"-XO", b"\0\2\1")}
    boards = []
    with open(path, "rb") as lines:
        for line in lines:
            board, side = line.split()[:2]
            if board.count(b"-") <= 64 - FEWEST_DISCS and len(boards) < most:
                boards.append(board.translate(tables[side[:1]]))
    return np.frombuffer(b"".join(boards), np.uint8).reshape(-1, 64)


def peer(name, file, count, min_count, max_length):
    import fim

    boards = np.fromfile(file, np.uint8).reshape(-1, count)
    items = (3 * np.arange(count, dtype=np.int64) + boards).tolist()
    begun = time.process_time()
    zmax = max_length or -1
    sets = getattr(fim, name)(items, target="s", supp=-min_count, zmin=1, zmax=zmax, report="a")
    return time.process_time() - begun, len(sets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("positions", type=Path)
    parser.add_argument("--squares", type=int, default=16)
    parser.add_argument("--positions-used", type=int, default=1_000_000)
    parser.add_argument("--min-count", type=int, default=2000)
    parser.add_argument("--max-length", type=int, default=0)
    parser.add_argument("--peers", default="eclat,fpgrowth")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    build = ["cargo", "build", "--quiet", "--release", "-p", "evalsmith-learn", "--example", "find_configurations"]
    subprocess.run(build, check=True, cwd=ROOT)
    boards = squares(arguments.positions, arguments.positions_used)[:, : arguments.squares]
    print(f"{len(boards)} positions, {arguments.squares} squares, at least {arguments.min_count} matches")
    numbers = set()
    with tempfile.NamedTemporaryFile() as file:
        boards.tofile(file.name)
        length = arguments.max_length or arguments.squares
        program = [target / "release" / "examples" / "find_configurations", file.name, str(arguments.squares), "3"]
        for _ in range(arguments.rounds):
            run = subprocess.run([*program, str(arguments.min_count), str(length)], check=True, capture_output=True)
            ours = json.loads(run.stdout)
            numbers.add(ours["sets"])
            print(f"{'evalsmith':12}{ours['cpu']:8.2f} CPU s {ours['sets']:10} sets")
        for name in filter(None, arguments.peers.split(",")):
            cpu, sets = peer(name, file.name, arguments.squares, arguments.min_count, arguments.max_length)
            numbers.add(sets)
            print(f"{name:12}{cpu:8.2f} CPU s {sets:10} sets")
    if len(numbers) != 1:
        sys.exit("the numbers of sets differ")


if __name__ == "__main__":
    main()
