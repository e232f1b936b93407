"""noisetap hears every policy, and agrees with `dpbandits audit` of the compiled algorithm on each.

The fast tier asks one algorithm of each setting, and noisetap alone of planted faults; the slow tier all.
"""

from __future__ import annotations

from typing import Any

import pytest
from tiers import core

from dpbandits.auditing.audit import audit as of_kernels
from dpbandits.core import registry
from dpbandits.faults import catalogue
from dpbandits.faults.catalogue import DELTA, WRONG_AS_PRINTED, Fault, algorithms, sound
from noisetap import Claim, Rewards, Verdict, audit

FAULTS = [fault for fault in catalogue() if fault.first_round < 100]
# Printed claims hold for rewards in [-1, 1], which policies enforce, and not for those that kernels are audited on.
UNBOUNDED = ("robust-elimination-m1-printed", "robust-elimination-m2-printed")


def setting(name: str) -> str:
    return registry.setting("algorithm", name)


def listened(made: Any, make: Any, rounds: int, effort: int = 3) -> Verdict:
    """Return noisetap's verdict on a policy, at the claim of the catalogue."""
    inside = getattr(made, "policy", made)
    low = -1.0 if inside.low < 0 else 0.0
    inputs = Rewards(rounds, inside.arms, low, 1.0, row=inside.feedback == "losses")
    approximate = type(inside).__name__ == "BatchedExp4"
    return audit(make, rewards=inputs, claim=Claim(1.0, DELTA if approximate else 0.0), effort=effort, seconds=30)


def of_policy(name: str, effort: int = 3) -> Verdict:
    return listened(sound(name, 1), lambda: sound(name, 1), 720 if name == "dp-se" else 24, effort)


# Of a setting one algorithm, with one table of rewards. What audits of kernels find is tested in tests/audit.
@pytest.mark.parametrize("name", {setting(name): name for name in reversed(algorithms())}.values())
def test_listening_finds_no_counterexample(name: str) -> None:
    verdict = of_policy(name, 1)
    assert verdict.word == "consistent", str(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("name", algorithms())
def test_both_tools_find_no_counterexample(name: str) -> None:
    verdict = of_policy(name)
    assert verdict.word == "consistent", str(verdict)
    if name not in UNBOUNDED:
        effort = (registry.algorithm(name).privacy.effort or 10**6) // 64
        assert of_kernels(name, 1.0, effort=effort, replay_horizon=500).verdict == "consistent"


def test_both_tools_find_the_wrong_scale_that_is_printed() -> None:
    name = WRONG_AS_PRINTED[0]
    verdict = of_policy(name)
    assert verdict.word == "violated", str(verdict)
    # A certificate on the inputs that were tried; the exact loss is 2.
    assert 1.0 < verdict.loss <= 2.0 + 1e-9
    assert of_kernels(name, 1.0, effort=10**5, replay_horizon=500).verdict == "violated"


# Noisetap's own tests have such noise of one side, noise that is cut off, sums without noise, and one draw for
# several sums; the first sum without noise is one of those here.
DEAR = ("one-sided", "cut-off", "no-noise", "no-noise-after-ten", "one-draw-for-all")


def _of_fast_tier(fault: Fault) -> bool:
    return fault.algorithm == "dp-imed" and not fault.name.endswith(tuple(f"/{name}" for name in DEAR))


@pytest.mark.parametrize("fault", core(FAULTS, _of_fast_tier), ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_and_not_overstated(fault: Fault) -> None:
    """Found where decisions soon depend on releases; elsewhere docs/faults.md says how many are."""
    verdict = listened(fault.policy(1), lambda: fault.policy(1), max(12, fault.first_round + 4))
    if fault.algorithm == "dp-imed" and fault.probability > 0.1:
        assert verdict.word != "consistent", str(verdict)
    if verdict.word == "violated":
        # A certificate proves no more than the exact loss.
        assert verdict.loss <= fault.loss * (1 + 1e-6)
