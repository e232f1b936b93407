"""Formulas and shapes that the checkers of noisetap and of dpbandits share."""

import math

import numpy as np
import pytest

from noisetap.check import objection
from noisetap.data_check import fault_of_data_form
from noisetap.probabilities import BELOW, DENSITY, gauss, log_whole, lower, nodes, selection_probability, upper
from noisetap.probabilities import delta_lower_bound as needed
from noisetap.probabilities import normal_delta as normal
from noisetap.shapes import fault, finite, many, number, record, row, whole


@pytest.mark.parametrize("kind", BELOW)
def test_a_distribution_function_is_the_integral_of_its_density(kind):
    more, points = [3.0] if kind == "gamma" else [], np.array([-3.0, -0.4, 0.0, 0.3, 1.0, 6.0, 30.0])
    for y, mass in zip(points, BELOW[kind](points, *more), strict=True):
        inside = np.unique(np.clip([-40.0, *np.arange(-8.0, 31.0), y], -40.0, y))
        z, weights = gauss(inside)
        assert float((DENSITY[kind](z, *more) * weights).sum()) == pytest.approx(mass, abs=1e-9)
        assert BELOW[kind](float(y), *more) == pytest.approx(mass, abs=1e-15)
    assert [BELOW[kind](end, *more) for end in (-math.inf, math.inf)] == pytest.approx([0.0, 1.0], abs=1e-300)


def test_a_gamma_law_of_any_shape_is_summed_or_refused():
    # By hand: of shape 1 it is exponential, of a whole shape a Poisson tail.
    assert BELOW["gamma"](0.7, 1.0) == pytest.approx(1 - math.exp(-0.7), rel=1e-12)
    tail = sum(math.exp(-50.0) * 50.0**k / math.factorial(k) for k in range(60))
    assert BELOW["gamma"](50.0, 60.0) == pytest.approx(1 - tail, rel=1e-9)
    with pytest.raises(ArithmeticError):
        BELOW["gamma"](1.0, 101.0)


@pytest.mark.parametrize("kind", ["laplace", "gumbel", "exponential"])
def test_selections_have_probabilities_that_add_up_to_one(kind):
    scores = np.array([0.0, 1.0, 2.5, 2.5])
    assert sum(selection_probability(kind, scores, 2.0, a) for a in range(4)) == pytest.approx(1.0, rel=1e-9)
    gaps, weights = nodes(np.array([0.0, 1.0, 1.5, 2.5]) / 2.0, np.ones(4))
    # A gap in scales has its density; all gaps together are the selection.
    total = sum(
        w * selection_probability(kind, scores, 2.0, 2, 2.0 * g) for g, w in zip(gaps, weights, strict=True)
    )
    assert total == pytest.approx(selection_probability(kind, scores, 2.0, 2), rel=1e-7)
    assert (
        selection_probability(kind, scores, 2.0, 0, -0.1) == 0.0
        and selection_probability(kind, scores, 0.0, 1) == 0.0
    )


def test_discrete_noise_has_the_law_of_its_density_at_whole_numbers():
    k = np.arange(-300.0, 301.0)
    for kind in ("laplace", "normal"):
        assert np.exp(log_whole(kind, k, 3.0)).sum() == pytest.approx(1.0, rel=1e-12)
    # By hand: (1 - q)/(1 + q) q^|k| with q = exp(-1/3).
    q = math.exp(-1 / 3)
    assert log_whole("laplace", np.array([-2.0, 0.5]), 3.0).tolist() == pytest.approx(
        [math.log((1 - q) / (1 + q)) - 2 / 3, -math.inf]
    )


def test_bounds_hold_on_their_side():
    assert lower(0.0, 50, 1e-6) == 0.0 and upper(1.0, 50, 1e-6) == 1.0
    # By hand: of no success in n draws the upper bound is 1 - risk^(1/n).
    assert upper(0.0, 50, 1e-6) == pytest.approx(1 - 1e-6 ** (1 / 50), rel=1e-9)
    assert lower(0.3, 50, 1e-6) == pytest.approx(1 - upper(0.7, 50, 1e-6), rel=1e-9)


def test_what_a_delta_has_to_cover():
    one, none = np.array([1.0]), np.empty(0)
    assert normal(1.0, 1.0) == pytest.approx(0.126937, abs=1e-6) and normal(0.0, 1.0) == 0.0
    assert needed(none, np.array([0.6, 0.8]), 1.0) == pytest.approx(normal(1.0, 1.0), rel=1e-12)
    # Laplace noise that is moved by one scale needs 1 - exp((epsilon - 1)/2); on the grid it is a little less.
    assert needed(one, none, 1.0) <= 1e-12 and 0.99 < needed(one, none, 0.5) / (1 - math.exp(-0.25)) <= 1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, 10**400, True, "1", None, [1]])
def test_what_is_no_number_of_a_certificate(bad):
    assert not finite(bad) and not number(bad) and not whole()(bad)
    form = {"format": "noisetap 2", "kind": "finite", "claim": {"epsilon": bad, "delta": 0.0}}
    assert "'claim'" in objection(form, lambda: None)
    assert "'parameters'" in fault_of_data_form(
        {"format": "noisetap data 1", "claim": None, "parameters": {"epsilon": bad}}
    )


def test_shapes_ask_for_all_keys_and_no_others():
    of = {"a": whole(1, 3), "b": many(row(number, record(c=number)))}
    good = {"a": 3, "b": [[1.5, {"c": 2}], [0, {"c": -1}]]}
    assert fault(good, of) is None
    more = [{"a": 4}, {"b": [[1.5]]}, {"b": [[1.5, {"c": 2, "d": 1}]]}, {"d": 1}]
    assert all(fault(bad, of) for bad in ([], {"a": 3}, *(good | each for each in more)))
