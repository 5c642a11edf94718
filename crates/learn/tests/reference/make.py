"""Makes games.csv and statsmodels.json, the reference of tests/reference.rs.

Fifty games of 3 to 14 positions each; positions of one game share its result
and part of their features, rows of one game do not stand together, and about
one game in eight is drawn. Every number in the table is exact in 32 bits.

    pip install -r requirements.txt && python make.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm

HERE = Path(__file__).parent
NAMES = ["mobility", "edge", "material", "tempo"]


def table():
    rng = np.random.default_rng(1995)
    rows = []
    for game in range(50):
        bias = rng.normal(size=len(NAMES))
        length = int(rng.integers(3, 15))
        x = bias + rng.normal(size=(length, len(NAMES)))
        x = np.round(x * [6, 0.5, 40, 1] + [0, 0, 1000, -2], 0)
        x[:, 1] = np.round(16 * (bias[1] + rng.normal(size=length))) / 16
        strength = 0.1 * bias[0] * 6 + 0.8 * bias[1] + rng.logistic()
        result = 0.5 if abs(strength) < 0.25 else float(strength > 0)
        side = rng.integers(0, 2, size=length)
        for row, flip in zip(x, side):
            row = row.copy()
            if flip:
                row[:2] = -row[:2]
            stage = int(rng.integers(0, 5))
            rows.append((1000 * game % 77777 + game, stage, 1 - result if flip else result, *row))
    order = rng.permutation(len(rows))
    return [rows[i] for i in order]


def fit(rows):
    data = np.array(rows)
    games, points, x = data[:, 0], data[:, 2], sm.add_constant(data[:, 3:])
    model = sm.GLM(points, x, family=sm.families.Binomial())
    options = {"tol": 1e-14, "maxiter": 200}
    plain = model.fit(**options)
    clustered = model.fit(cov_type="cluster", cov_kwds={"groups": games.astype(int)}, **options)
    interval = clustered.conf_int()
    p = plain.fittedvalues
    return {
        "rows": len(rows),
        "games": len(set(games)),
        "weight": list(plain.params),
        "standard_error": list(plain.bse),
        "clustered_error": list(clustered.bse),
        "z": list(clustered.tvalues),
        "p": list(clustered.pvalues),
        "low": list(interval[:, 0]),
        "high": list(interval[:, 1]),
        "covariance": clustered.cov_params().tolist(),
        "deviance": plain.deviance,
        "null_deviance": plain.null_deviance,
        # statsmodels adds a binomial coefficient, which is not 1 for half a win.
        "log_likelihood": float(np.sum(points * np.log(p) + (1 - points) * np.log1p(-p))),
    }


def main():
    rows = table()
    lines = [",".join(["game", "stage", "points", *NAMES])]
    lines += [",".join(f"{value:g}" for value in row) for row in rows]
    (HERE / "games.csv").write_text("\n".join(lines) + "\n")
    reference = {
        "made_by": f"statsmodels {statsmodels.__version__}, numpy {np.__version__}",
        "all": fit(rows),
        # Stages 1 to 3: what stage 2 pools at radius 1.
        "middle": fit([row for row in rows if 1 <= row[1] <= 3]),
    }
    (HERE / "statsmodels.json").write_text(json.dumps(reference, indent=1) + "\n")


if __name__ == "__main__":
    main()
