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


SUCCESS = 1.0 - math.exp(-1.0)


def whole_or_moved(noise):
    def above_fifty(data):
        rng = np.random.default_rng()
        number = rng.geometric(SUCCESS)
        return number + noise(rng) > 50.5 if len(data) % 2 == 0 else number > 50.5

    return above_fifty


def one_of_two(data):
    rng = np.random.default_rng()
    if rng.random() < 0.5:
        return "two", rng.laplace(0, 3), rng.laplace(0, 3)
    value = rng.laplace()
    return "one", value + rng.normal(0, 1.2) if len(data) % 2 == 0 else value


def counted_or_compared(data):
    number = np.random.default_rng().geometric(SUCCESS)
    return len([0] * number) > 50 if len(data) % 2 == 0 else bool(number > 50)


def to_twelve_places(data):
    return np.round(len(data) + np.random.default_rng().laplace(), 12)


@pytest.mark.parametrize(
    "function",
    [
        whole_or_moved(lambda rng: rng.laplace(0, 0.5)),
        whole_or_moved(lambda rng: rng.normal()),
        one_of_two,
        counted_or_compared,
        to_twelve_places,
    ],
)
def test_what_a_neighbour_s_sum_leaves_out_is_no_loss(function):
    """Each is 1-DP; the first ones lose less than 0.9."""
    verdict = audit(function, data=Records(5), neighbours="add-remove", claim=1.0, effort=2)
    assert verdict.word == "consistent", str(verdict)


def test_a_result_of_values_that_were_left_out_is_noted():
    def of_a_long_list(data):
        number = int(np.random.default_rng().geometric(SUCCESS))
        return float(len(data)) if len([0] * number) > 40 else 0.0

    verdict = audit(of_a_long_list, data=Records(3), neighbours="add-remove", effort=2)
    assert verdict.word == "violated" or RARE_NOTE in verdict.notes, str(verdict)
