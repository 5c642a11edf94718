"""Logistic regression on the same million rows: scikit-learn, statsmodels, evalsmith.

Every contender runs in a process of its own, reads the same files and times its
fit alone, in CPU seconds of all threads; peak memory is the whole process's.
Rounds are interleaved, so that a busy minute hits all alike, and the median
counts. scikit-learn knows no standard errors: it is compared on weights only.

    python logistic.py [--rows 1000000] [--rounds 5]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FEATURES = 13
PLIES = 40


def make(folder, rows, seed=1995):
    """Games of 40 positions; features share a part within a game, as does the result."""
    rng = np.random.default_rng(seed)
    games = np.arange(rows, dtype=np.uint32) // PLIES
    shared = rng.normal(size=(int(games[-1]) + 1, FEATURES))[games]
    x = (shared + rng.normal(size=(rows, FEATURES))) * np.geomspace(0.1, 100, FEATURES)
    x = x.astype("<f4")
    weights = rng.normal(size=FEATURES) / np.geomspace(0.1, 100, FEATURES) / 2
    luck = rng.logistic(size=int(games[-1]) + 1)[games] * 0.5
    points = (x @ weights + luck + rng.logistic(size=rows) > 0).astype("<f4")
    x.tofile(folder / "features.f32")
    points.tofile(folder / "points.f32")
    games.astype("<u4").tofile(folder / "games.u32")
    (folder / "names.txt").write_text("".join(f"x{i}\n" for i in range(FEATURES)))


def read(folder):
    x = np.fromfile(folder / "features.f32", "<f4").reshape(-1, FEATURES).astype(float)
    points = np.fromfile(folder / "points.f32", "<f4").astype(float)
    return x, points, np.fromfile(folder / "games.u32", "<u4").astype(np.int64)


def timed(fit):
    start, wall = time.process_time(), time.perf_counter()
    result = fit()
    return result, time.process_time() - start, time.perf_counter() - wall


def report(cpu, wall, **values):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": peak, **values}))


def sklearn(folder):
    from sklearn.linear_model import LogisticRegression

    x, points, _ = read(folder)
    model = LogisticRegression(penalty=None, solver="newton-cholesky", tol=1e-8)
    _, cpu, wall = timed(lambda: model.fit(x, points))
    report(cpu, wall, weight=[*model.intercept_, *model.coef_[0]])


def statsmodels(folder, build):
    import statsmodels.api as sm

    x, points, games = read(folder)
    x = sm.add_constant(x)

    def fit():
        model, options = build(sm, points, x)
        result = model.fit(cov_type="cluster", cov_kwds={"groups": games}, **options)
        return result, np.asarray(result.bse)

    (result, clustered), cpu, wall = timed(fit)
    plain = np.sqrt(np.diag(result.normalized_cov_params))
    report(cpu, wall, weight=[*result.params], standard_error=[*plain], clustered_error=[*clustered])


def logit(sm, points, x):
    return sm.Logit(points, x), {"method": "newton", "tol": 1e-10, "disp": 0}


def glm(sm, points, x):
    return sm.GLM(points, x, family=sm.families.Binomial()), {"tol": 1e-12}


PEERS = {
    "scikit-learn newton-cholesky, weights only": sklearn,
    "statsmodels Logit, clustered": lambda folder: statsmodels(folder, logit),
    "statsmodels GLM, clustered": lambda folder: statsmodels(folder, glm),
}
OURS = "evalsmith, clustered"


def run(name, folder):
    if name != OURS:
        command = [sys.executable, __file__, "--peer", name, "--folder", str(folder)]
        # One thread: a spinning second one would only add to a peer's CPU time.
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        output = subprocess.run(command, check=True, capture_output=True, env=os.environ | threads)
        return json.loads(output.stdout)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = [target / "release" / "examples" / "fit_table", folder]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    estimates = found["fit"]["estimates"]
    columns = {key: [e[key] for e in estimates] for key in ("weight", "standard_error", "clustered_error")}
    return {"cpu": found["cpu_seconds"], "wall": found["wall_seconds"], "peak": found["peak_bytes"], **columns}


def difference(peer, ours):
    """The largest relative difference over everything the peer reports."""
    keys = [key for key in ("weight", "standard_error", "clustered_error") if key in peer]
    pairs = [(p, o) for key in keys for p, o in zip(peer[key], ours[key], strict=True)]
    return max(abs(p - o) / abs(p) for p, o in pairs)


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
    runs = {name: [] for name in [*PEERS, OURS]}
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), arguments.rows)
        for _ in range(arguments.rounds):
            for name, results in runs.items():
                results.append(run(name, Path(folder)))

    ours = runs[OURS]
    best = median(r["cpu"] for r in ours)
    print(f"{arguments.rows} rows, {FEATURES} features, {arguments.rounds} rounds, medians\n")
    print(f"{'':44}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'ratio':>7}{'differs by':>12}")
    failed = False
    for name, results in runs.items():
        cpu, wall, peak = (median(r[key] for r in results) for key in ("cpu", "wall", "peak"))
        apart = difference(results[0], ours[0])
        failed |= apart > 1e-6
        print(f"{name:44}{cpu:8.2f}{wall:8.2f}{peak / 1e6:9.0f}{cpu / best:7.1f}{apart:12.1e}")
    if failed:
        sys.exit("some results differ by more than one part in a million")


if __name__ == "__main__":
    main()
