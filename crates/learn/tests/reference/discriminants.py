"""Makes scikit-learn.json: discriminants and least squares on games.csv.

Means, covariances, Fisher's and the quadratic discriminant by scikit-learn, on
each won or lost row counted twice and each drawn row once as a win and once as
a loss; clustered least squares by statsmodels, of the score 20 points - 10 +
tempo on the other three features. Log-odds are those of equal priors.

    pip install -r requirements.txt && python discriminants.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
import statsmodels.api as sm
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

HERE = Path(__file__).parent


def main():
    data = np.loadtxt(HERE / "games.csv", delimiter=",", skiprows=1)
    games, points, x = data[:, 0].astype(int), data[:, 2], data[:, 3:]
    doubled = np.repeat(x, 2, axis=0)
    won = np.column_stack([points > 0.25, points > 0.75]).astype(int).ravel()

    fisher = LinearDiscriminantAnalysis(solver="lsqr").fit(doubled, won)
    prior = np.log(fisher.priors_[1] / fisher.priors_[0])
    # scikit-learn divides a class's squares by its size less one; here, as in
    # lee86, by its size.
    by_size, parts = {}, {}
    for label in (0, 1):
        rows = doubled[won == label]
        centred = rows - rows.mean(axis=0)
        by_size[label] = centred.T @ centred / len(rows)
        parts[label] = rows.mean(axis=0)
    quadratic = QuadraticDiscriminantAnalysis(store_covariance=True, priors=[0.5, 0.5])
    quadratic.fit(doubled, won)
    counts = [int((won == label).sum()) for label in (0, 1)]
    for label in (0, 1):
        n = counts[label]
        assert np.allclose(quadratic.covariance_[label] * (n - 1) / n, by_size[label])
        quadratic.scalings_[label] = quadratic.scalings_[label] * (n - 1) / n
    score = 20 * points - 10 + x[:, 3]
    rest = sm.add_constant(x[:, :3])
    squares = sm.OLS(score, rest)
    plain = squares.fit()
    clustered = squares.fit(cov_type="cluster", cov_kwds={"groups": games})
    out = {
        "scikit-learn": sklearn.__version__,
        "mean": {"loss": list(parts[0]), "win": list(parts[1])},
        "covariance": {
            "loss": [list(row) for row in by_size[0]],
            "win": [list(row) for row in by_size[1]],
        },
        "fisher": {
            "weight": [float(fisher.intercept_[0] - prior), *map(float, fisher.coef_[0])],
        },
        "quadratic": {"log_odds": list(quadratic.decision_function(x))},
        "least_squares": {
            "weight": list(plain.params),
            "standard_error": list(plain.bse),
            "clustered_error": list(clustered.bse),
        },
    }
    (HERE / "scikit-learn.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
