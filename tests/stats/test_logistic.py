"""The logistic regression against scikit-learn, and its convergence."""

from __future__ import annotations

import numpy as np
import pytest

from reporter.errors import InputError
from reporter.stats.logistic import fit_logistic
from reporter.stats.stand_in import LogisticStandIn

RNG = np.random.default_rng(7)
X = RNG.normal(size=(400, 3)) * [1, 5, 0.2]
Y = (X @ [0.8, -0.3, 2.0] + RNG.logistic(size=400) > 0.4).astype(int)


@pytest.mark.parametrize("c", [0.01, 1.0, 100.0])
def test_coefficients_match_scikit_learn_solved_to_convergence(c: float) -> None:
    from sklearn.linear_model import LogisticRegression

    oracle = LogisticRegression(C=c, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(X, Y)
    found = fit_logistic(X, Y, c=c)
    assert found.coefficients == pytest.approx(oracle.coef_[0], abs=1e-9)
    assert found.intercept == pytest.approx(oracle.intercept_[0], abs=1e-9)
    assert found.scores(X) == pytest.approx(oracle.predict_proba(X)[:, 1], abs=1e-9)


def test_the_gradient_vanishes_even_for_separable_classes() -> None:
    x, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    found = fit_logistic(x, y, c=1e4)
    residual = 1e4 * (x[:, 0] @ (found.scores(x) - y)) + found.coefficients[0]
    assert abs(residual) < 1e-4


def test_a_start_near_the_solution_takes_fewer_steps_to_the_same_place() -> None:
    cold = fit_logistic(X, Y)
    warm = fit_logistic(X[20:], Y[20:], start=cold)
    assert warm.iterations < cold.iterations
    assert warm.coefficients == pytest.approx(fit_logistic(X[20:], Y[20:]).coefficients, abs=1e-9)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="both must occur"):
        fit_logistic(X, np.ones(400))


def test_the_stand_in_scores_perturbed_rows_as_the_scaled_model_does() -> None:
    columns = {"x": X[:, 0], "y": X[:, 1], "z": X[:, 2]}
    train = np.arange(300)
    scorer = LogisticStandIn(columns, Y, scale=["x", "y"])(train, None)
    centre, spread = X[:300].mean(axis=0), X[:300].std(axis=0)
    centre[2], spread[2] = 0, 1
    model = fit_logistic((X[:300] - centre) / spread, Y[:300])
    rows = np.array([350, 350, 10])
    changed = X[rows].copy()
    changed[:, 1] += [0, 3, -2]
    expected = model.scores((changed - centre) / spread)
    assert scorer(rows, {"y": changed[:, 1]}) == pytest.approx(expected, abs=1e-12)
    assert scorer(rows, {"y": changed[:, 1]})[0] == scorer(rows, {})[0]


def test_the_stand_in_names_every_misfit_at_once() -> None:
    columns = {"x": np.array([1.0, np.nan, 3.0]), "word": np.array(["a", "b", "c"], dtype=object)}
    with pytest.raises(InputError) as error:
        LogisticStandIn(columns, [0, 1, 2], scale=["other"])
    assert len(error.value.problems) == 4
    assert "'x' is not a column of numbers without missing values" in str(error.value)
    assert "'other' is not among the inputs" in str(error.value)
