"""Improbable results: sums over whole numbers are known however far out, and what is not known is said."""

import math

import numpy as np
import pytest

from noisetap import Records, audit
from noisetap.draws import listening_to_function
from noisetap.measure import integrated_log_probability
from noisetap.path import Path
from noisetap.remeasure import summed_log_probability
from noisetap.results import RARE_NOTE

MEASURES = (integrated_log_probability, summed_log_probability)


def two_sided(number):
    """Return a number with the difference of two geometric draws: one more is half as probable."""
    rng = np.random.default_rng()
    return number + rng.geometric(0.5) - rng.geometric(0.5)


def above_45(data):
    return bool(two_sided(int(np.sum(data > 0.5))) > 45)


def two_noises_above_45(data):
    return bool(np.sum(data > 0.5) + np.random.laplace() > 45 + np.random.laplace(0, 0.1))


@pytest.mark.parametrize("at", [10, 45, 90, 400, 800])
@pytest.mark.parametrize("measure", MEASURES)
def test_sums_over_whole_numbers_are_known_far_out(at, measure):
    for script, below in (([0], False), ([1], True)):
        path = Path(script)
        with listening_to_function(path):
            number = two_sided(0)
            assert bool(number < -at if below else number > at) is not below
        log, dimension, unknown = measure(path)
        # By hand: P(D > k) is q^(k + 1) / (1 + q), with q = 1/2, and P(D >= -k) is 1 less that.
        rare = -(at + 1) * math.log(2) - math.log(1.5)
        assert log == pytest.approx(math.log1p(-math.exp(rare)) if below else rare, abs=1e-9)
        assert (dimension, unknown) == (0, False)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_difference_between_two_ends_far_out_keeps_its_digits(measure):
    path = Path([0, 0])
    with listening_to_function(path):
        number = two_sided(0)
        assert number > 45 and number < 47
    assert measure(path)[0] == pytest.approx(-46 * math.log(2) - math.log(3), abs=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_sum_over_too_many_whole_numbers_is_not_called_known(measure):
    path = Path([0])
    with listening_to_function(path):
        rng = np.random.default_rng()
        assert rng.geometric(0.001) - rng.geometric(0.001) > 300_000
    assert measure(path)[2]


def test_a_loss_of_an_improbable_result_is_found():
    verdict = audit(above_45, data=Records(5), neighbours="add-remove", claim=0.5)
    assert verdict.word == "violated", str(verdict)
    assert verdict.loss == pytest.approx(math.log(2), abs=1e-9)


def test_it_is_consistent_with_a_claim_that_covers_it():
    verdict = audit(above_45, data=Records(5), neighbours="add-remove", claim=0.7)
    assert verdict.word == "consistent", str(verdict)
    assert verdict.loss == pytest.approx(math.log(2), abs=1e-9) and verdict.notes == []


@pytest.mark.parametrize("neighbours", ["add-remove", None])
def test_what_was_left_out_is_said(neighbours):
    def budgeted(data, epsilon):
        return epsilon > 0 and two_noises_above_45(data)

    for function in (two_noises_above_45, budgeted):
        verdict = audit(function, data=Records(2), neighbours=neighbours, effort=2)
        assert verdict.word == "consistent", str(verdict)
        assert verdict.notes.count(RARE_NOTE) == 1
