"""Discriminants on the same million rows: scikit-learn and evalsmith.

Fisher's and the quadratic discriminant of the rows of logistic.py, by the same
rules: every contender in its own process, CPU seconds of all threads around the
fit alone, rounds interleaved, medians. The answers compared are Fisher's
weights, and the quadratic log-odds of the first thousand rows. evalsmith also
computes what scikit-learn does not: the likelihood, and for Fisher's weights
errors clustered by game.

    python discriminants.py [--rows 1000000] [--rounds 5]
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

from logistic import FEATURES, ROOT, make, read, report, timed

SHOWN = 1000


def fisher(folder):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    x, points, _ = read(folder)
    model = LinearDiscriminantAnalysis(solver="lsqr")
    _, cpu, wall = timed(lambda: model.fit(x, points))
    prior = np.log(model.priors_[1] / model.priors_[0])
    report(cpu, wall, answer=[float(model.intercept_[0] - prior), *map(float, model.coef_[0])])


def quadratic(folder):
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    x, points, _ = read(folder)
    model = QuadraticDiscriminantAnalysis(priors=[0.5, 0.5])
    _, cpu, wall = timed(lambda: model.fit(x, points))
    # scikit-learn divides by a class's size less one; lee86 by its size.
    for label in (0, 1):
        n = int((points == label).sum())
        model.scalings_[label] = model.scalings_[label] * (n - 1) / n
    report(cpu, wall, answer=list(map(float, model.decision_function(x[:SHOWN]))))


def ours(folder, learner):
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = [target / "release" / "examples" / "fit_table", folder, learner]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    numbers = found["coefficients"]
    if learner == "quadratic":
        numbers = list(map(float, values(np.array(numbers), read(folder)[0][:SHOWN])))
    return {"cpu": found["cpu_seconds"], "wall": found["wall_seconds"], "peak": found["peak_bytes"], "answer": numbers}


def values(numbers, x):
    """The polynomial as model files hold it: centres, constant, rows."""
    centre, constant, rest = numbers[:FEATURES], numbers[FEATURES], numbers[FEATURES + 1 :]
    d = x - centre
    total = np.full(len(x), constant)
    for i in range(FEATURES):
        row, rest = rest[: i + 2], rest[i + 2 :]
        total += d[:, i] * (row[0] + d[:, : i + 1] @ row[1:])
    return total


PEERS = {"fisher": fisher, "quadratic": quadratic}


def run(name, learner, folder):
    if name == "evalsmith":
        return ours(folder, learner)
    command = [sys.executable, __file__, "--peer", learner, "--folder", str(folder)]
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    output = subprocess.run(command, check=True, capture_output=True, env=os.environ | threads)
    return json.loads(output.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        PEERS[arguments.peer](arguments.folder)
        return

    build = ["cargo", "build", "--quiet", "--release", "-p", "evalsmith-learn", "--example", "fit_table"]
    subprocess.run(build, check=True, cwd=ROOT)
    runs = {(name, learner): [] for learner in PEERS for name in ("scikit-learn", "evalsmith")}
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), arguments.rows)
        for _ in range(arguments.rounds):
            for key, results in runs.items():
                results.append(run(*key, Path(folder)))

    print(f"{arguments.rows} rows, {FEATURES} features, {arguments.rounds} rounds, medians\n")
    print(f"{'':28}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'ratio':>7}{'differs by':>12}")
    failed = False
    for (name, learner), results in runs.items():
        cpu, wall, peak = (median(r[key] for r in results) for key in ("cpu", "wall", "peak"))
        mine = runs["evalsmith", learner]
        best = median(r["cpu"] for r in mine)
        pairs = zip(results[0]["answer"], mine[0]["answer"], strict=True)
        apart = max(abs(a - b) / max(abs(b), 1e-3) for a, b in pairs)
        failed |= apart > 1e-6
        print(f"{name + ', ' + learner:28}{cpu:8.2f}{wall:8.2f}{peak / 1e6:9.0f}{cpu / best:7.1f}{apart:12.1e}")
    if failed:
        sys.exit("some results differ by more than one part in a million")


if __name__ == "__main__":
    main()
