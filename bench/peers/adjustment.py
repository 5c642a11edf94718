"""Reference values for `curve adjust`: the same rows and objectives in scipy.

Writes crates/curves/src/adjust/scipy_{mlm,ls}.json: scale, its error, then each
weight and its error; errors are clustered by game with the factor G/(G-1).
"""

from pathlib import Path

import numpy as np
from scipy import optimize


def rows():
    """400 games of five positions by the generator that the test copies."""
    state = 2007

    def uniform():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) / 2**31

    x, y, games = [], [], []
    for game in range(400):
        luck = 2.0 * uniform() - 1.0
        total, some = 0.0, []
        for _ in range(5):
            value = 400.0 * (uniform() + luck) - 200.0
            row = [uniform() - 0.5, float(uniform() < 0.3), 100.0 * uniform() - 50.0]
            total += 0.006 * (value + 60.0 * row[0] + 40.0 * row[1] - 0.5 * row[2])
            some.append([value, *row])
        won = float(uniform() < 1.0 / (1.0 + np.exp(-total / 5.0)))
        x += some
        y += [won] * 5
        games += [game] * 5
    return np.array(x), np.array(y), np.array(games)


def fit(method, x, y, games):
    size = np.sqrt((x**2).mean(axis=0))
    u = x / size

    def parts(b):
        z = u @ b
        g = 1.0 / (1.0 + np.exp(-z))
        if method == "mlm":
            return np.logaddexp(0.0, z) - y * z, g - y, g * (1 - g)
        slope = g * (1 - g)
        first = (g - y) * slope
        second = slope**2 + (g - y) * slope * (1 - 2 * g)
        return 0.5 * (y - g) ** 2, first, second

    found = optimize.minimize(
        lambda b: parts(b)[0].sum(),
        np.zeros(u.shape[1]),
        jac=lambda b: u.T @ parts(b)[1],
        hess=lambda b: (u * parts(b)[2][:, None]).T @ u,
        method="trust-exact",
        options={"gtol": 1e-11},
    )
    b = found.x / size
    _, first, second = parts(found.x)
    bread = np.linalg.inv((x * second[:, None]).T @ x)
    count = games.max() + 1
    scores = np.zeros((count, x.shape[1]))
    np.add.at(scores, games, x * first[:, None])
    cov = bread @ scores.T @ scores @ bread * count / (count - 1)
    numbers = [b[0], np.sqrt(cov[0, 0])]
    for j in range(1, len(b)):
        w = b[j] / b[0]
        gradient = np.zeros(len(b))
        gradient[0], gradient[j] = -w / b[0], 1 / b[0]
        numbers += [w, np.sqrt(gradient @ cov @ gradient)]
    return numbers


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[2] / "crates/curves/src/adjust"
    for method in ["mlm", "ls"]:
        numbers = fit(method, *rows())
        text = ", ".join(f"{n:.12e}" for n in numbers)
        (here / f"scipy_{method}.json").write_text(f"[{text}]\n")
        print(method, numbers)
