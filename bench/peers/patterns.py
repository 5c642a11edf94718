"""Weights of patterns from the same rows: scipy's sparse matrices and evalsmith.

Rows of Fig. 7 of buro98: 46 active weights of 113,877 in each of 13 stages, few states
frequent and many rare; labels from planted weights with noise. scipy multiplies by a CSR
matrix and its transpose in conjugate gradients with Jacobi's preconditioner. Both minimise
the same ridge regression, judge every iteration on the rows held out and stop when four
have not made their error smaller by a part in ten thousand. CPU seconds are those of all
threads from the rows in memory to that stop. The answers compared are the errors held out.

    python patterns.py [--rows 2000000] [--rounds 3]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from logistic import ROOT, report, timed

TABLES = [(45, 4), (135, 4), (378, 4), (1134, 4), (3321, 2), (3321, 4), (3321, 4), (3321, 4), (29_646, 4), (59_049, 8), (10_206, 4)]
STAGES = 13
RIDGE = 1.0
PATIENCE = 4


def columns():
    sizes, bases, base = [], [], 0
    for size, copies in TABLES:
        sizes += [size] * copies
        bases += [base] * copies
        base += size
    return np.array(sizes), np.array(bases), base


def make(folder, rows, seed=1998):
    rng = np.random.default_rng(seed)
    sizes, bases, width = columns()
    counts = []
    with open(folder / "rows.u16", "wb") as indices, open(folder / "targets.f32", "wb") as targets:
        for _ in range(STAGES):
            count = rows // STAGES
            active = (rng.random((count, len(sizes)), dtype=np.float32) ** 4 * sizes).astype(np.uint16)
            active = np.minimum(active, sizes - 1).astype("<u2")
            planted = rng.normal(size=width).astype(np.float32)
            label = planted[active + bases].sum(axis=1) + 8 * rng.normal(size=count)
            active.tofile(indices)
            label.astype("<f4").tofile(targets)
            counts += [count - count // 10, count // 10]
    np.array(TABLES, "<u4").tofile(folder / "tables.u32")
    np.array(counts, "<u4").tofile(folder / "stages.u32")


def scipy_cg(folder):
    from scipy.sparse import csr_matrix

    sizes, bases, width = columns()
    active = np.fromfile(folder / "rows.u16", "<u2").reshape(-1, len(sizes))
    targets = np.fromfile(folder / "targets.f32", "<f4")
    counts = np.fromfile(folder / "stages.u32", "<u4")
    stage = np.repeat(np.arange(len(counts)) // 2, counts)
    held = np.repeat(np.arange(len(counts)) % 2 == 1, counts)

    def matrix(chosen):
        index = (active[chosen].astype(np.int32) + bases.astype(np.int32)) + (stage[chosen] * width).astype(np.int32)[:, None]
        start = np.arange(0, index.size + 1, len(sizes), dtype=np.int32)
        ones = np.ones(index.size, np.float32)
        return csr_matrix((ones, index.ravel(), start), shape=(len(index), width * STAGES))

    def fit():
        train, unseen = matrix(~held), matrix(held)
        back = train.T.tocsr()
        y, z = targets[~held], targets[held]
        diagonal = np.asarray(train.sum(axis=0)).ravel() + RIDGE
        w = np.zeros(width * STAGES, np.float32)
        seen = np.zeros(len(z), np.float32)
        gradient = back @ y
        direction, before = 0.0, None
        best, since, iterations = float(np.mean(z**2)), 0, 0
        while since < PATIENCE:
            steepest = gradient / diagonal
            now = float(gradient @ steepest)
            direction = steepest + (now / before if before else 0.0) * direction
            before = now
            direction = direction.astype(np.float32)
            curved = back @ (train @ direction) + RIDGE * direction
            step = now / float(direction @ curved)
            w += step * direction
            gradient = gradient - step * curved
            seen += step * (unseen @ direction)
            iterations += 1
            error = float(np.mean((z - seen) ** 2))
            since = 0 if error < best * (1 - 1e-4) else since + 1
            best = min(best, error)
        return best**0.5, iterations

    (error, iterations), cpu, wall = timed(fit)
    report(cpu, wall, error=error, iterations=iterations)


def run(name, folder):
    if name == "evalsmith":
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        command = [target / "release" / "examples" / "fit_rows", folder]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    command = [sys.executable, __file__, "--peer", "--folder", str(folder)]
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    output = subprocess.run(command, check=True, capture_output=True, env=os.environ | threads)
    return json.loads(output.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["scipy", "evalsmith"])
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        scipy_cg(arguments.folder)
        return

    build = ["cargo", "build", "--quiet", "--release", "-p", "evalsmith-learn", "--example", "fit_rows"]
    subprocess.run(build, check=True, cwd=ROOT)
    names = [arguments.only] if arguments.only else ["scipy", "evalsmith"]
    runs = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), arguments.rows)
        for _ in range(arguments.rounds):
            for name, results in runs.items():
                results.append(run(name, Path(folder)))

    print(f"{arguments.rows} rows, 46 active of {columns()[2] * STAGES} weights, {arguments.rounds} rounds, medians\n")
    print(f"{'':12}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'passes':>8}{'error':>9}")
    for name, results in runs.items():
        cpu, wall, peak, passes, error = (median(r[key] for r in results) for key in ("cpu", "wall", "peak", "iterations", "error"))
        print(f"{name:12}{cpu:8.2f}{wall:8.2f}{peak / 1e6:9.0f}{passes:8.1f}{error:9.4f}")
    errors = [results[0]["error"] for results in runs.values()]
    if max(errors) > 1.005 * min(errors):
        sys.exit("the errors held out differ by more than half a percent")


if __name__ == "__main__":
    main()
