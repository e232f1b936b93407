"""asi2025's bounds for bandits with expert advice: their constants, and what the register says about them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial.theory import converted, htinf
from dpbandits.settings.experts import theory
from dpbandits.settings.experts.batched_exponential_weights import LARGEST_DELTA

PRIVATE = ("cor8", "thm9", "thm10")
HORIZONS = [10**k for k in range(4, 17)]
GRID = [
    Tuning(t, k, epsilon, n)
    for t, k, n, epsilon in itertools.product(
        HORIZONS, (2, 3, 10, 100), (2, 3, 10, 100, 10**4, 10**6), (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6)
    )
]


def values(name: str, tuning: Tuning, **given: float) -> dict[str, Any]:
    """Return an algorithm's parameters."""
    return registry.algorithm(name).resolve(given, tuning).values


def proved(tuning: Tuning, given: dict[str, Any]) -> float:
    """Return what the proof of Theorem 10 bounds regret by, for any constants that satisfy its conditions."""
    t, k, n, epsilon = tuning.horizon, tuning.arms, tuning.experts, tuning.epsilon
    eta, gamma, tau = given["eta"], given["gamma"], given["tau"]
    noise = 3 * k * math.sqrt(n * math.log(1 / given["delta"])) / (gamma * tau * epsilon)
    heavy = 10 * eta * t * (noise * math.log(n * t)) ** 2
    return tau * math.log(n) / eta + gamma * t + eta * t * k + heavy + 2 * tau


def logs(tuning: Tuning) -> float:
    """Return log(NT) log(N)."""
    return math.log(tuning.experts * tuning.horizon) * math.log(tuning.experts)


def test_corollary_8_covers_theorem_7() -> None:
    """With tau = ceil(1/epsilon) rounds Theorem 7's first display is never above the corollary."""
    for tuning in GRID:
        if tuning.epsilon * tuning.horizon >= 1:
            arms = tuning._replace(arms=tuning.experts)
            tau = math.ceil(1 / tuning.epsilon)
            assert converted(htinf, arms, tau) <= theory.BOUNDS["cor8"].value(tuning) * (1 + 1e-12)


def test_theorem_9_covers_its_proof() -> None:
    """The constant 16, with the tuning that is the algorithm's default; also without noise, for EXP4."""
    for tuning in GRID:
        t, k, n = tuning.horizon, tuning.arms, tuning.experts
        found = values("local-dp-exp4", tuning)
        if found["gamma"] < 1:
            heavy = 1 + 10 * (math.log(k * t) / tuning.epsilon) ** 2
            bound = math.log(n) / found["eta"] + found["gamma"] * t + 2 * found["eta"] * k * t * heavy + 1
            assert bound <= theory.BOUNDS["thm9"].value(tuning)
        eta = values("exp4", tuning)["eta"]
        bound = math.log(n) / eta + 2 * eta * k * t
        assert theory.BOUNDS["exp4"].value(tuning) == pytest.approx(bound)
        assert theory.BOUNDS["exp4"].suppressed(tuning) == pytest.approx(math.sqrt(k * t * math.log(n)))


def test_suppressed_bounds_are_those_of_the_tables() -> None:
    t, k, n, epsilon = 10**7, 6, 50, 0.03
    tuning = Tuning(t, k, epsilon, n)
    found = {name: theory.BOUNDS[name].suppressed(tuning) for name in PRIVATE}
    assert found == {
        "cor8": pytest.approx(math.sqrt(t * n) / math.sqrt(epsilon)),
        "thm9": pytest.approx(math.sqrt(t * k * math.log(n)) * math.log(k * t) / epsilon),
        "thm10": pytest.approx(
            n ** (1 / 6) * k**0.5 * t ** (2 / 3) * math.log(n * t) / epsilon ** (1 / 3)
            + n**0.5 * math.log(n * t) / epsilon
        ),
    }


def test_one_expert_is_no_division_by_zero() -> None:
    tuning = Tuning(1000, 2, 0.5, 1)
    assert theory.BOUNDS["thm9"].value(tuning) == 1
    assert theory.BOUNDS["thm10"].value(tuning) == 0
    assert theory.BOUNDS["exp4"].value(tuning) == 0


# --- the register ---


def test_printed_mixing_lacks_a_factor_of_the_proof() -> None:
    """asi2025, Theorem 10: with log(1/delta)^(1/3) in gamma the proof gives the printed bound, without it not."""
    checked = exceeded = 0
    for tuning, delta in itertools.product(GRID, (0.1, 1e-3, None)):
        delta = delta or 1 / tuning.horizon
        bound = theory.theorem_10(tuning, delta)
        if bound >= tuning.horizon:
            continue
        checked += 1
        assert proved(tuning, values("batched-exp4", tuning, delta=delta)) <= bound
        printed = values("batched-exp4-printed", tuning, delta=delta)
        exceeded += proved(tuning, printed) > bound
        # Only the first term of gamma differs.
        if delta < 1 / math.e:
            assert printed["gamma"] <= values("batched-exp4", tuning, delta=delta)["gamma"]
    assert checked > 300
    assert exceeded > checked / 2


def test_second_term_of_theorem_10_lacks_factors_and_needs_none() -> None:
    """asi2025, Theorem 10: K^(1/2) M^(1/2) G^(1/2) with M = G^(1/3) T^(2/3) is above K^(1/2) M only where G > T."""
    missing = False
    for tuning in GRID:
        t, k = tuning.horizon, tuning.arms
        g = math.sqrt(tuning.experts * math.log(t)) * logs(tuning) / tuning.epsilon
        first, second = math.sqrt(k) * t ** (2 / 3) * g ** (1 / 3), math.sqrt(k) * t ** (1 / 3) * g ** (2 / 3)
        # Even with the 1 instead of the proof's constants: the printed sum does not cover the second term, ...
        missing |= second > first + g
        # ... but where it does not, both say nothing.
        if second > first + g:
            assert g > t
            assert first > t
        # Also without the log N that the abstract and Tables 1 and 2 leave out.
        suppressed = theory.BOUNDS["thm10"].suppressed(tuning)
        n, epsilon = tuning.experts, tuning.epsilon
        whole = theory.POWERS["thm10"](tuning) * math.log(n * t) + math.sqrt(n) * logs(tuning) / epsilon
        if suppressed < t:
            assert whole <= suppressed * (1 + math.log(n) ** (1 / 3))
    assert missing


def laplace_delta(epsilon: float, spread: float) -> float:
    """Return the smallest delta of one Laplace release of pure budget ``spread`` at ``epsilon``."""
    return max(0.0, -math.expm1((epsilon - spread) / 2))


def test_theorem_10_needs_a_delta_away_from_one() -> None:
    """asi2025, Theorem 10: its composition gives delta up to 0.4; near 1 even one of N releases fails."""

    def composed(epsilon: float, delta: float) -> float:
        # Lemma 15 for N releases of budget epsilon/(3 sqrt(N log(1/delta))) each: N cancels.
        squares = epsilon**2 / (9 * math.log(1 / delta))
        return 1.5 * squares + math.sqrt(6 * squares * math.log(1 / delta))

    for epsilon in (1e-3, 0.1, 0.5, 1.0):
        for delta in (1e-12, 1e-3, 0.1, LARGEST_DELTA):
            assert composed(epsilon, delta) <= epsilon
    assert composed(1.0, 0.41) > 1.0
    delta = 1 - 1e-5
    assert laplace_delta(1.0, 1 / (3 * math.sqrt(2 * math.log(1 / delta)))) > delta


def test_theorem_10_is_false_for_a_delta_near_one() -> None:
    """asi2025, Theorem 10: with delta near 1 its bound is below what no algorithm's worst regret is below."""

    def bound(tuning: Tuning, log_of_inverse_delta: float) -> float:
        g = math.sqrt(tuning.experts * log_of_inverse_delta) * logs(tuning) / tuning.epsilon
        return 100 * math.sqrt(tuning.arms) * math.cbrt(g * tuning.horizon**2) + g

    two = Tuning(10**4, 2, 1.0, 2)
    assert bound(two, math.log(1 / 0.1)) == pytest.approx(theory.theorem_10(two, 0.1), rel=1e-12)
    # Auer et al. 2002, Theorem 5.1, of two experts who always play one action each.
    least = math.sqrt(two.arms * two.horizon) / 20
    assert bound(two, 1e-30) < 1.5 < 7 < least
    assert bound(two, 1e-60) < 1e-4 * bound(two, 1e-30)


def test_theorem_10_assumes_no_more_than_it_says() -> None:
    """asi2025, Theorem 10: eta < 1, gamma <= 1 and tau <= T can fail, but only where its bound exceeds T."""
    failed = 0
    for tuning in GRID:
        found = registry.algorithm("batched-exp4").resolve({}, tuning)
        failed += found.values["eta"] >= 1
        if theory.BOUNDS["thm10"].value(tuning) < tuning.horizon:
            assert found.values["eta"] < 0.01
            assert not found.notes
    assert failed > 10
    # log N = 0 makes the printed tau infinite; one batch is the whole horizon then.
    assert values("batched-exp4", Tuning(1000, 3, 1.0, 1))["tau"] == 1000


def test_table_2_second_regime_holds_up_to_many_experts_only() -> None:
    """asi2025, Table 2: for N > K^(4/3) T^(1/3) Theorem 9 is not yet the best at epsilon = K/N."""
    tuning = Tuning(10**6, 2, 1e-3, 10**4)
    assert tuning.experts > tuning.arms ** (4 / 3) * tuning.horizon ** (1 / 3)
    # The printed regimes overlap here, ...
    assert theory.table2(tuning) == ("thm9", "thm10")
    # ... and up to (NT)^(-1/4) it is Theorem 10 that is smaller, also outside the printed third regime.
    for epsilon, printed in ((1e-3, ("thm9", "thm10")), (2e-3, ("thm9",)), (3.1e-3, ("thm9",))):
        within = tuning._replace(epsilon=epsilon)
        assert theory.table2(within) == printed
        assert theory.smallest(theory.POWERS, within) == "thm10"
    assert theory.smallest(theory.POWERS, tuning._replace(epsilon=3.2e-3)) == "thm9"


def test_table_2_third_regime_needs_more_experts() -> None:
    """asi2025, Table 2: for K <= N < K^3 no budget makes Theorem 10 the best bound that says anything."""
    third = 0
    for t, k, n in itertools.product(HORIZONS, (2, 3, 10, 100), (2, 3, 10, 100, 1000, 10**4, 10**6, 10**7)):
        for exponent in range(81):
            tuning = Tuning(t, k, 10 ** (-exponent / 8), n)
            best = theory.smallest(theory.POWERS, tuning)
            third += "thm10" in theory.table2(tuning)
            if n < k**3:
                assert best != "thm10"
            # The lines that part the three, as `frontiers` gives them.
            lines = theory.frontiers(t, k, n)
            if best == "thm10":
                assert lines["thm10/vacuous"] <= tuning.epsilon * (1 + 1e-9)
                assert tuning.epsilon <= min(lines["cor8/thm10"], lines["thm9/thm10"]) * (1 + 1e-9)
            elif best == "thm9":
                assert tuning.epsilon >= max(lines["thm9/cor8"], lines["thm9/thm10"]) * (1 - 1e-9)
            elif best == "cor8":
                assert lines["cor8/thm10"] <= tuning.epsilon * (1 + 1e-9) <= lines["thm9/cor8"] * (1 + 1e-8)
    assert third > 1000


def test_the_three_bounds_are_vacuous_for_many_experts() -> None:
    """asi2025, after Theorem 10: each is at least T where epsilon <= T^(-1/2) and N >= T, and not for fewer."""
    for t, k, more, part in itertools.product(HORIZONS, (2, 4, 16, 256), (1, 2, 10, 1000), (1.0, 0.3, 0.01)):
        tuning = Tuning(t, k, part / math.sqrt(t), more * t)
        assert min(bound(tuning) for bound in theory.POWERS.values()) >= (1 - 1e-9) * t
    few = Tuning(10**8, 2, 1e-4, 10)
    assert min(bound(few) for bound in theory.POWERS.values()) < few.horizon


@pytest.mark.parametrize("kind", ["value", "suppressed"])
def test_with_its_logarithms_theorem_10_is_never_the_smallest_bound(kind: str) -> None:
    """asi2025, Table 2: for up to a million experts and T = 10^12, whatever the budget."""
    bounds = {name: getattr(theory.BOUNDS[name], kind) for name in PRIVATE}
    found = set()
    for t, k, n in itertools.product(
        [10**e for e in range(4, 13)], (2, 3, 10, 100), [2 * 10**e for e in range(6)] + [10**6]
    ):
        found |= {theory.smallest(bounds, Tuning(t, k, 10 ** (-e / 8), n)) for e in range(100)}
    assert found == {"cor8", "thm9", None}


def test_theorem_10_stands_out_from_other_numbers_of_experts() -> None:
    """asi2025, after Theorem 10: at epsilon = T^(-1/2) Corollary 8 is sublinear for N << T^(1/2), not T^(1/4)."""
    for power, cor8, thm10 in ((0.3, -0.1, -0.1 - 1 / 60), (0.45, -0.025, -11 / 120), (0.6, 0.05, -1 / 15)):
        exponents = {}
        for name in ("cor8", "thm10"):
            ends = [
                theory.POWERS[name](Tuning(t, 2, t**-0.5, t**power)) / t  # type: ignore[arg-type]
                for t in (1e8, 1e16)
            ]
            exponents[name] = math.log(ends[1] / ends[0]) / math.log(1e8)
        assert exponents == {"cor8": pytest.approx(cor8), "thm10": pytest.approx(thm10)}
