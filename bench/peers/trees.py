"""Classification trees on the same rows of 24 integers: scikit-learn, evalsmith.

Both grow the full tree (splitting while a node is impure), each in a process of its
own; CPU seconds of all threads around the fit alone. evalsmith then makes the whole
pruning sequence and chooses on the test rows in one pass; scikit-learn's recipe for
that is the path and a refit for each of some alphas, timed at a smaller size with
--recipe. A script fails when the accuracies of the full trees differ by more than
three standard errors.

    python trees.py [--rows 1000000] [--rounds 3] [--recipe 200000]
"""

import argparse
import json
import math
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
FEATURES = 24
TEST_ROWS = 200_000


def make(folder, rows, seed=1993):
    """Integers as games count them, of 3 to 60 values; the label depends on all."""
    rng = np.random.default_rng(seed)
    total = rows + TEST_ROWS
    spread = np.geomspace(1, 10, FEATURES)
    shared = rng.normal(size=(total, 1))
    x = np.rint((0.5 * shared + rng.normal(size=(total, FEATURES))) * spread).astype("<f4")
    weights = rng.normal(size=FEATURES) / spread
    value = x @ weights + 0.6 * (x[:, 0] * x[:, 5] / spread[5]) + np.abs(x[:, 9]) / spread[9]
    value -= np.median(value)
    label = np.where(value + rng.logistic(size=total) > 0, 1, -1).astype("<f4")
    x[:rows].tofile(folder / "features.f32")
    x[rows:].tofile(folder / "test_features.f32")
    label[:rows].tofile(folder / "labels.f32")
    label[rows:].tofile(folder / "test_labels.f32")


def read(folder, name, width=None):
    values = np.fromfile(folder / name, "<f4")
    return values.reshape(-1, width) if width else values


def sklearn(folder):
    from sklearn.tree import DecisionTreeClassifier

    x, y = read(folder, "features.f32", FEATURES), read(folder, "labels.f32")
    test, truth = read(folder, "test_features.f32", FEATURES), read(folder, "test_labels.f32")
    model = DecisionTreeClassifier(random_state=0)
    start = time.process_time()
    model.fit(x, y)
    grow = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    accuracy = float((model.predict(test) == truth).mean())
    print(json.dumps({"grow_cpu": grow, "peak_bytes": peak, "leaves": int(model.get_n_leaves()),
                      "full_accuracy": accuracy}))


def recipe(folder):
    """The path, then a refit for each of ten alphas, the best on the test rows."""
    from sklearn.tree import DecisionTreeClassifier

    x, y = read(folder, "features.f32", FEATURES), read(folder, "labels.f32")
    test, truth = read(folder, "test_features.f32", FEATURES), read(folder, "test_labels.f32")
    start = time.process_time()
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(x, y)
    best = 0.0
    for alpha in np.quantile(path.ccp_alphas, np.linspace(0.5, 0.9999, 10)):
        model = DecisionTreeClassifier(random_state=0, ccp_alpha=max(alpha, 0.0)).fit(x, y)
        best = max(best, float((model.predict(test) == truth).mean()))
    print(json.dumps({"all_cpu": time.process_time() - start, "chosen_accuracy": best}))


def evalsmith(folder):
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    program = Path(target) / "release" / "examples" / "grow_tree"
    done = subprocess.run([program, folder, str(FEATURES)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def peer(name, folder):
    done = subprocess.run([sys.executable, __file__, "--only", name, str(folder)], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recipe", type=int, default=0)
    parser.add_argument("--only", nargs=2)
    options = parser.parse_args()
    if options.only:
        {"sklearn": sklearn, "recipe": recipe}[options.only[0]](Path(options.only[1]))
        return
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "evalsmith-learn", "--example",
                    "grow_tree"], check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, options.rows)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(evalsmith(folder))
            theirs.append(peer("sklearn", folder))
    middle = lambda runs, key: median(run[key] for run in runs)
    grow, peer_grow = middle(ours, "grow_cpu"), middle(theirs, "grow_cpu")
    print(f"{options.rows} rows of {FEATURES} integers, median of {options.rounds}, CPU seconds")
    print(f"  scikit-learn: grow {peer_grow:.2f}, {theirs[0]['leaves']} leaves, "
          f"accuracy {theirs[0]['full_accuracy']:.4f}, {theirs[0]['peak_bytes'] / 2**20:.0f} MiB")
    print(f"  evalsmith: grow {grow:.2f} (1/{peer_grow / grow:.1f} of it), path "
          f"{middle(ours, 'path_cpu'):.2f}, choice {middle(ours, 'choice_cpu'):.2f}, all "
          f"{middle(ours, 'all_cpu'):.2f} ({middle(ours, 'all_cpu') / grow:.2f} times growing), "
          f"{ours[0]['leaves']} leaves, accuracy {ours[0]['full_accuracy']:.4f}, of "
          f"{ours[0]['trees']} trees the best has {ours[0]['chosen_leaves']} leaves and "
          f"{ours[0]['chosen_accuracy']:.4f}, {ours[0]['peak_bytes'] / 2**20:.0f} MiB")
    error = math.sqrt(0.5 / TEST_ROWS)
    if abs(ours[0]["full_accuracy"] - theirs[0]["full_accuracy"]) > 3 * error:
        sys.exit("the accuracies differ")
    if options.recipe:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(folder, options.recipe)
            mine, other = evalsmith(folder), peer("recipe", folder)
        print(f"{options.recipe} rows: grow, prune and choose: scikit-learn (path, ten refits) "
              f"{other['all_cpu']:.1f} s to {other['chosen_accuracy']:.4f}, evalsmith (all "
              f"{mine['trees']} trees) {mine['all_cpu']:.2f} s to {mine['chosen_accuracy']:.4f}")


if __name__ == "__main__":
    main()
