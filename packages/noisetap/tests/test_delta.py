"""Deltas that Laplace noise of other places and scales needs are lower bounds."""

import math

import numpy as np
import pytest

import noisetap
from noisetap import Claim, Rewards
from noisetap.check import objection
from noisetap.formulas import uncovered_delta


def laplace(place, size):
    return {"kind": "laplace", "place": place, "size": size, "more": []}


def transcript(*parts):
    return {"parts": [{"said": s, "x": x, "y": y} for s, x, y in parts], "asked": [], "pivots": []}


def needed(x, y, epsilon):
    """Return the smallest delta of one number with Laplace noise, summed over cells of the line."""
    cells = np.linspace(-60.0, 60.0, 240_001)
    p, q = (np.exp(-np.abs(cells - law["place"]) / law["size"]) / (2 * law["size"]) for law in (x, y))
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum() * 5e-4)


@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.1])
def test_laplace_noise_of_two_scales_needs_no_more_delta_than_it_does(epsilon):
    one, other = laplace(0.0, 1.0), laplace(0.0, 1.2)
    # By hand: P(|y| < 0.494) - exp(0.1) Q = 0.0169 at epsilon = 0.1.
    assert needed(one, other, 0.1) == pytest.approx(0.0169, abs=1e-4)
    for x, y in ((one, other), (other, one), (one, laplace(0.7, 1.0)), (one, laplace(0.7, 1.5))):
        most = needed(x, y, epsilon) + 1e-4
        for said in (-30.0, -2.0, -0.5, 0.0, 0.2, 0.35, 0.6, 1.0, 1.7, 5.0):
            assert uncovered_delta(transcript((said, x, y)), epsilon) <= most
    # Two numbers: P(E) and Q(E) are products.
    assert uncovered_delta(transcript((-1.0, one, laplace(1.0, 1.0)), (-2.0, one, laplace(1.0, 1.0))), 1.0) == (
        pytest.approx(math.exp(-3.0) / 4 - math.e * math.exp(-5.0) / 4, rel=1e-9)
    )


class Scales:
    """Return decisions of a number whose noise has scale 1 or 1.2: at epsilon = 0.02 it needs a delta of 0.0606."""

    def __init__(self):
        self.rewards, self.total = [], 0.0

    def choose(self):
        return int(self.total > 0.05 + 0.1 * len(self.rewards)) if self.rewards else 0

    def update(self, arm, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 1:
            self.total = 0.0 + np.random.laplace(0, 1.2 if reward > 0.5 else 1.0)


def test_a_delta_for_laplace_noise_of_two_scales_is_not_condemned():
    verdict = noisetap.audit(Scales, rewards=Rewards(3, 2), claim=Claim(0.02), effort=2)
    assert verdict.word == "violated"
    found = verdict.certificate
    (part,) = found["parts"]
    (at,) = [row[:2] for row in found["tape"] if row[2] == "out"]
    # The author holds the number where it loses most, in all runs.
    x, y = sorted((found["x"], found["y"]))
    part |= {"said": 0.0, "x": laplace(0.0, 1.0), "y": laplace(0.0, 1.2)}
    tape = [[*at, "out", 0.0]]
    forged = found | {"x": x, "y": y, "tape": tape, "paths": [tape] * 12}
    assert objection(forged, Scales, Claim(0.02)) is None
    assert needed(laplace(0, 1.2), laplace(0, 1.0), 0.02) == pytest.approx(0.0606, abs=1e-4)
    assert objection(forged, Scales, Claim(0.02, 0.068)) == "delta covers it"
