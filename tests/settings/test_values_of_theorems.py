"""One value for each formula of a theorem, written out from the paper and computed by mpmath to 30 digits.

A value's text has numbers where the paper has letters, so that it can be held beside the paper's page. No value
calls what it is compared with. The last test fails for a public function or bound without a value.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import pytest

from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial import theory as adversarial
from dpbandits.settings.experts import theory as experts
from dpbandits.settings.full_information import theory as full_information
from dpbandits.settings.linear import design
from dpbandits.settings.linear import theory as linear
from dpbandits.settings.stochastic import theory as stochastic

SETTINGS = Path(adversarial.__file__).parents[1]
BANDIT = Tuning(10**6, 7, 0.03)
ADVICE = Tuning(10**7, 6, 0.03, 50)
NAMES = ("sqrt", "cbrt", "log", "exp", "mpf", "quad", "harmonic", "binomial")


def value_of(text: str) -> float:
    """Return the value of a formula, every decimal read as it is written."""
    with mpmath.workdps(30):
        read = {name: getattr(mpmath, name) for name in NAMES}
        read |= {"fsum": mpmath.fsum, "range": range, "min": min}
        return float(eval(text, {"__builtins__": {}} | read))


# Constants of asi2025's proofs, and the forms that its tables print.
ASI = {
    # Theorem 21, alpha = 2, sigma^2 = 2 + 4 lambda^2: 30 sigma K^(1/2) (T + 1)^(1/2); lambda = 3, K = 5, T = 99.
    "adversarial.htinf": (lambda: adversarial.htinf(99, 5, 3.0), "30 * sqrt(38 * 5 * 100)"),
    # Proof of Corollary 22, end: n = 100, K = 7; max(lambda^2, lambda) above and below lambda = 1.
    "adversarial.exp3": (
        lambda: adversarial.exp3(100, 7, 2.0),
        "2*sqrt(2*100*7*log(7)*(1 + 10*4*log(700)**2)) + 1",
    ),
    "adversarial.exp3 at small noise": (
        lambda: adversarial.exp3(100, 7, 0.25),
        "2*sqrt(2*100*7*log(7)*(1 + 10*log(700)**2/4)) + 1",
    ),
    "adversarial.ftpl": (lambda: adversarial.ftpl(100, 7, 2.0), "11*2*sqrt(700)*log(7)*log(700) + 10*sqrt(700)"),
    # Theorem 1: tau R(T/tau, K, 1/(tau epsilon)) + tau; here 20 rounds a batch, 1/(20 * 0.03) = 5/3.
    "adversarial.converted": (
        lambda: adversarial.converted(adversarial.htinf, BANDIT, 20),
        "20 * 30*sqrt((2 + 4*mpf(25)/9) * 7 * 50001) + 20",
    ),
    "adversarial.budget": (lambda: adversarial.budget(BANDIT), "mpf('0.03')"),
    # 2/epsilon R(epsilon T, K, 1) + 2/epsilon, R of HTINF: sigma^2 = 6, epsilon T = 30000.
    "adversarial.BOUNDS cor2": (
        lambda: adversarial.BOUNDS["cor2"].value(BANDIT),
        "2/mpf('0.03') * 30*sqrt(6*7*30001) + 2/mpf('0.03')",
    ),
    "adversarial.BOUNDS cor22": (
        lambda: adversarial.BOUNDS["cor22"].value(BANDIT),
        "36*sqrt(7*10**6*log(7))*log(7*10**6)/sqrt(mpf('0.03')) + 4/mpf('0.03')",
    ),
    "adversarial.BOUNDS cor24": (
        lambda: adversarial.BOUNDS["cor24"].value(BANDIT),
        "32*sqrt(7*10**6)*log(7)*log(7*10**6)/sqrt(mpf('0.03')) + 2/mpf('0.03')",
    ),
    "adversarial.BOUNDS existing suppressed": (
        lambda: adversarial.BOUNDS["existing"].suppressed(BANDIT),
        "sqrt(7*10**6*log(7*10**6))/mpf('0.03')",
    ),
    "adversarial.BOUNDS cor2 suppressed": (
        lambda: adversarial.BOUNDS["cor2"].suppressed(BANDIT),
        "sqrt(7*10**6)/sqrt(mpf('0.03'))",
    ),
    "adversarial.BOUNDS cor22 suppressed": (
        lambda: adversarial.BOUNDS["cor22"].suppressed(BANDIT),
        "sqrt(7*10**6*log(7))*log(7*10**6)/sqrt(mpf('0.03'))",
    ),
    "adversarial.BOUNDS cor24 suppressed": (
        lambda: adversarial.BOUNDS["cor24"].suppressed(BANDIT),
        "sqrt(7*10**6)*log(7)*log(7*10**6)/sqrt(mpf('0.03'))",
    ),
    # Lemma 11: T = 10^6, epsilon = 0.01, p = 40; gamma so that once the first, once the second term is larger.
    "adversarial.late_improvement": (
        lambda: adversarial.late_improvement(10**6, 0.01, 0.001, 30, 40),
        "(1 - exp(mpf('0.4'))/2) * 40/mpf('0.004') - 15",
    ),
    "adversarial.late_improvement by condition 1": (
        lambda: adversarial.late_improvement(10**6, 0.01, 0.02, 30, 40),
        "mpf(5000)",
    ),
    # docs/asi2025-conversion.md, Theorem D: beta = 6/7.
    "adversarial.conversion_floor": (
        lambda: adversarial.conversion_floor(BANDIT),
        "(mpf(6)/7)**2 * sqrt(7*10**6/mpf('0.03'))/3",
    ),
    "adversarial.conversion_floor at short horizons": (
        lambda: adversarial.conversion_floor(Tuning(100, 7, 1e-4)),
        "mpf(6)/7 * 100/8",
    ),
    # tau epsilon = 0.6: (tau epsilon)^2/2 = 0.18 < 8 log(4/3), so losses are means; 50000 batches.
    "adversarial.hardest_instance": (
        lambda: adversarial.hardest_instance(BANDIT, 20).floor,
        "mpf(3)/7 * sqrt(14/(mpf('0.18')*50000)) * 10**6 * mpf(3)/7",
    ),
    # tau epsilon = 3: 4.5 > 8 log(4/3), so losses are coins; 10000 batches.
    "adversarial.hardest_instance of coins": (
        lambda: adversarial.hardest_instance(BANDIT, 100).floor,
        "mpf(3)/7 * sqrt(14/(8*log(mpf(4)/3)*10000)) * 10**6 * mpf(3)/7",
    ),
    "adversarial.hardest_instance of one batch": (
        lambda: adversarial.hardest_instance(Tuning(100, 7, 1e-4), 101).floor,
        "mpf('0.25') * 100 * mpf(3)/7",
    ),
    # Without noise the bound in Theorem 9's proof is log N/eta + 2 eta KT; at its best eta sqrt(8 KT log N).
    "experts.BOUNDS exp4": (lambda: experts.BOUNDS["exp4"].value(ADVICE), "sqrt(8*6*10**7*log(50))"),
    "experts.BOUNDS exp4 suppressed": (lambda: experts.BOUNDS["exp4"].suppressed(ADVICE), "sqrt(6*10**7*log(50))"),
    "experts.BOUNDS cor8": (
        lambda: experts.BOUNDS["cor8"].value(ADVICE),
        "2/mpf('0.03') * (30*sqrt(6*50*300001) + 1)",
    ),
    "experts.BOUNDS cor8 suppressed": (
        lambda: experts.BOUNDS["cor8"].suppressed(ADVICE),
        "sqrt(50*10**7/mpf('0.03'))",
    ),
    "experts.BOUNDS thm9": (
        lambda: experts.BOUNDS["thm9"].value(ADVICE),
        "16*sqrt(6*10**7*log(50))*log(6*10**7)/mpf('0.03') + 1",
    ),
    "experts.BOUNDS thm9 suppressed": (
        lambda: experts.BOUNDS["thm9"].suppressed(ADVICE),
        "sqrt(6*10**7*log(50))*log(6*10**7)/mpf('0.03')",
    ),
    # Proof of Theorem 10, last display, with delta = 0.01; then with delta = 1/T.
    "experts.theorem_10": (
        lambda: experts.theorem_10(ADVICE, 0.01),
        "100*50**(mpf(1)/6)*sqrt(6)*10**(mpf(14)/3)*log(100)**(mpf(1)/6)*cbrt(log(5*10**8)*log(50))"
        "/cbrt(mpf('0.03')) + sqrt(50)*sqrt(log(100))*log(5*10**8)*log(50)/mpf('0.03')",
    ),
    "experts.BOUNDS thm10": (
        lambda: experts.BOUNDS["thm10"].value(ADVICE),
        "100*50**(mpf(1)/6)*sqrt(6)*10**(mpf(14)/3)*log(10**7)**(mpf(1)/6)*cbrt(log(5*10**8)*log(50))"
        "/cbrt(mpf('0.03')) + sqrt(50)*sqrt(log(10**7))*log(5*10**8)*log(50)/mpf('0.03')",
    ),
    "experts.BOUNDS thm10 suppressed": (
        lambda: experts.BOUNDS["thm10"].suppressed(ADVICE),
        "(50**(mpf(1)/6)*sqrt(6)*10**(mpf(14)/3)/cbrt(mpf('0.03')) + sqrt(50)/mpf('0.03'))*log(5*10**8)",
    ),
    "experts.POWERS cor8": (lambda: experts.POWERS["cor8"](ADVICE), "sqrt(50*10**7/mpf('0.03'))"),
    "experts.POWERS thm9": (lambda: experts.POWERS["thm9"](ADVICE), "sqrt(6*10**7)/mpf('0.03')"),
    "experts.POWERS thm10": (
        lambda: experts.POWERS["thm10"](ADVICE),
        "50**(mpf(1)/6)*sqrt(6)*10**(mpf(14)/3)/cbrt(mpf('0.03'))",
    ),
    # Where two of the three powers are equal.
    "experts.frontiers thm9/cor8": (lambda: experts.frontiers(10**7, 6, 50)["thm9/cor8"], "mpf(6)/50"),
    "experts.frontiers thm9/thm10": (
        lambda: experts.frontiers(10**7, 6, 50)["thm9/thm10"],
        "(5*10**8)**mpf('-0.25')",
    ),
    "experts.frontiers cor8/thm10": (
        lambda: experts.frontiers(10**7, 6, 50)["cor8/thm10"],
        "mpf(2500)/(216*10**7)",
    ),
    "experts.frontiers thm10/vacuous": (
        lambda: experts.frontiers(10**7, 6, 50)["thm10/vacuous"],
        "6*sqrt(6)*sqrt(50)/10**7",
    ),
}

K, E = 20, 0.4
WU = {
    "full_information.lower_rate": (
        lambda: full_information.lower_rate(K, E, 0.1),
        "10*log(20) + log(20)/mpf('0.4')",
    ),
    "full_information.earlier_rate": (
        lambda: full_information.earlier_rate(K, E, 0.1, 1000),
        "10*log(20) + log(20)*log(1000)/mpf('0.4')",
    ),
    "full_information.new_rate": (
        lambda: full_information.new_rate(K, E, 0.1),
        "10*log(20) + log(20)**2/mpf('0.4')",
    ),
    "full_information.independent_lower_rate": (
        lambda: full_information.independent_lower_rate(K, E, 1000),
        "sqrt(1000*log(20)) + log(20)/mpf('0.4')",
    ),
    "full_information.independent_rate_jain": (
        lambda: full_information.independent_rate_jain(K, E, 1000),
        "sqrt(1000*log(20)) + 20*log(20)*log(1000)**2/mpf('0.4')",
    ),
    "full_information.independent_rate_asi": (
        lambda: full_information.independent_rate_asi(K, E, 1000),
        "sqrt(1000*log(20)) + log(20)*log(1000)/mpf('0.4')",
    ),
    "full_information.independent_rate": (
        lambda: full_information.independent_rate(K, E, 1000),
        "sqrt(1000*log(20)) + log(20)**2/mpf('0.4')",
    ),
    "full_information.deterministic_rate": (
        lambda: full_information.deterministic_rate(K, E),
        "log(20)/mpf('0.4')",
    ),
    "full_information.deterministic_earlier_rate": (
        lambda: full_information.deterministic_earlier_rate(K, E),
        "log(20)**2/mpf('0.4')",
    ),
    "full_information.deterministic_lower_bound_printed": (
        lambda: full_information.deterministic_lower_bound_printed(K, E),
        "log(5)/mpf('0.4') - 1",
    ),
    # The integral of the proof's (K - 5)/(3 e^(t epsilon) + K - 5) over 0 <= t <= T = 10.
    "full_information.deterministic_lower_bound": (
        lambda: full_information.deterministic_lower_bound(K, E, 10),
        "quad(lambda t: 15/(3*exp(mpf('0.4')*t) + 15), [0, 10])",
    ),
    "full_information.deterministic_lower_bound for ever": (
        lambda: full_information.deterministic_lower_bound(K, E),
        "log(6)/mpf('0.4')",
    ),
    # The sum over rounds of e^(-(t-1) epsilon) times the share of actions with loss 1.
    "full_information.few_actions_lower_bound": (
        lambda: full_information.few_actions_lower_bound(3, E),
        "fsum(exp(-t*mpf('0.4')) for t in range(300))/3",
    ),
    "full_information.few_actions_lower_bound of five": (
        lambda: full_information.few_actions_lower_bound(5, E),
        "fsum(exp(-t*mpf('0.4')) for t in range(300))*2/5",
    ),
    # Of the largest of 20, less the mean: densities and tails by quadrature, binomial sums.
    "full_information.spread_gumbel": (
        lambda: full_information.spread_gumbel(K),
        "quad(lambda x: x*(20*exp(-x)*exp(-20*exp(-x)) - exp(-x)*exp(-exp(-x))), [-9, -2, 0, 3, 8, 20, 60, 90])",
    ),
    "full_information.spread_exponential": (
        lambda: full_information.spread_exponential(K),
        "fsum((-1)**(j + 1)*binomial(20, j)/mpf(j) for j in range(1, 21)) - 1",
    ),
    "full_information.spread_exponential of many": (
        lambda: full_information.spread_exponential(10**6),
        "harmonic(10**6) - 1",
    ),
    "full_information.spread_laplace": (
        lambda: full_information.spread_laplace(K),
        "quad(lambda x: 1 - (1 - exp(-x)/2)**20 - (exp(-x)/2)**20, [0, 1, 3, 6, 12, 30, 80])",
    ),
    # docs/wu2025-regret.md, Theorems A, F, B, C, at b = 5, s = 1.5.
    "full_information.deterministic_bounds, lower": (
        lambda: full_information.deterministic_bounds(1.5, 5.0)[0],
        "mpf(14)",
    ),
    "full_information.deterministic_bounds, upper": (
        lambda: full_information.deterministic_bounds(1.5, 5.0)[1],
        "mpf(31)",
    ),
    "full_information.random_phase_bound": (
        lambda: full_information.random_phase_bound(1.5, 5.0, 2.0),
        "(15 + log(mpf('7.5')) + 1)/log(2) + 3",
    ),
    "full_information.random_phase_bound of little noise": (
        lambda: full_information.random_phase_bound(0.5, 1.0, 2.0),
        "2/log(2) + 3",
    ),
    "full_information.stochastic_bound": (
        lambda: full_information.stochastic_bound(1.5, 5.0, 20, 0.1),
        "60 + 550*log(20) + 410 + 5",
    ),
    "full_information.independent_bound": (
        lambda: full_information.independent_bound(1.5, 5.0, 20, 1000),
        "30 + 7*sqrt(1000*log(20)) + 3",
    ),
}

MEANS = [0.75, 0.5, 0.25]
KL_HALF = "(log(mpf('0.5')/mpf('0.75')) + log(mpf('0.5')/mpf('0.25')))/2"
KL_QUARTER = "(log(mpf(1)/3)/4 + 3*log(mpf(3))/4)"
MINIMISER = "(3/(3 + exp(mpf('0.5'))))"
KL_MINIMISER = f"({MINIMISER}*log({MINIMISER}/mpf('0.75')) + (1 - {MINIMISER})*log((1 - {MINIMISER})/mpf('0.25')))"
AZIZE = {
    # eqs. 5 and 8 at epsilon = 0.5, below both regimes' ends log 3 and log 9: d_eps as its second branch prints it.
    "stochastic.lower_bound_slope": (
        lambda: stochastic.lower_bound_slope(MEANS, 0.5),
        f"1/(4*({KL_MINIMISER} + ({MINIMISER} - mpf('0.5'))/2))"
        f" + 1/(2*({KL_MINIMISER} + ({MINIMISER} - mpf('0.25'))/2))",
    ),
    # From log 9 on privacy is free: the first branch.
    "stochastic.lower_bound_slope without privacy's cost": (
        lambda: stochastic.lower_bound_slope(MEANS, 2.2),
        f"1/(4*{KL_HALF}) + 1/(2*{KL_QUARTER})",
    ),
    "stochastic.lai_robbins_slope": (
        lambda: stochastic.lai_robbins_slope(MEANS),
        f"1/(4*{KL_HALF}) + 1/(2*{KL_QUARTER})",
    ),
    # eq. 7: at epsilon = 0.1 it is 6 epsilon Delta = 0.15 > kl for the second arm, 0.3 < kl for the third.
    "stochastic.azize2022_slope": (
        lambda: stochastic.azize2022_slope(MEANS, 0.1),
        f"1/(4*min({KL_HALF}, mpf('0.15'))) + 1/(2*mpf('0.3'))",
    ),
    "stochastic.regime_change": (lambda: stochastic.regime_change(0.5, 0.75), "log(3)"),
}

# d = 5, alpha = 0.01, epsilon = 0.4, delta = 0.05, nu = 0.2, 1 for each constant; q^i = 400, k = 25, T = 10^5.
CLEAN_1 = "sqrt(5*log(20)/mpf(400))*(1 + sqrt(log(20))/mpf('0.4'))"
CLEAN_2 = "sqrt(5*log(20)/80)*(1 + sqrt(log(20)/mpf(80))/mpf('0.4'))"
LARGEST_2 = "(1 + sqrt(log(500)/mpf(80)) + log(500)/(80*mpf('0.4')))"
CORRUPTED = "(sqrt(25*mpf('0.01')) + sqrt(mpf('0.01')*log(20)))"
CLEAN_24 = "sqrt(5*10**5*log(20)/mpf('0.2'))"
LARGEST_24 = "(10**5 + sqrt(10**5*log(500)/mpf('0.2')) + log(500)*log(10**5)/(mpf('0.2')*mpf('0.4')))"
CHARISOPOULOS = {
    "linear.printed_width_m1": (
        lambda: linear.printed_width_m1(5, 400, 0.01, 0.4, 0.05),
        "sqrt(5)*(sqrt(log(8000)) + log(8000)/mpf('0.4'))*(mpf('0.1') + mpf('0.01')*sqrt(5)) + mpf('0.01') + "
        + CLEAN_1,
    ),
    "linear.printed_width_m2": (
        lambda: linear.printed_width_m2(5, 25, 400, 0.01, 0.4, 0.05, 0.2),
        f"{CLEAN_2} + 10*{LARGEST_2}*{CORRUPTED} + mpf('0.01')",
    ),
    # Eq. 50.
    "linear.derived_width_m1": (
        lambda: linear.derived_width_m1(5, 400, 0.01, 0.4, 0.05),
        "5*(mpf('0.1') + sqrt(mpf('0.01')*log(20)/400))*(1 + sqrt(log(8000)) + log(8000)/mpf('0.4')) + " + CLEAN_1,
    ),
    # Eq. 19, T/delta = 2 * 10^6; alpha d below 1, then above it.
    "linear.theorem_3_4": (
        lambda: linear.theorem_3_4(10**5, 5, 0.01, 0.4, 0.05),
        "sqrt(5*10**5*log(2*10**6))*(1 + sqrt(log(2*10**6))/mpf('0.4'))"
        " + 10**5*sqrt(log(2*10**6))*sqrt(mpf('0.05'))*(1 + log(2*10**6)/mpf('0.4'))",
    ),
    "linear.theorem_3_4 at much corruption": (
        lambda: linear.theorem_3_4(10**5, 5, 0.4, 0.4, 0.05),
        "sqrt(5*10**5*log(2*10**6))*(1 + sqrt(log(2*10**6))/mpf('0.4'))"
        " + 10**5*sqrt(log(2*10**6))*2*(1 + log(2*10**6)/mpf('0.4'))",
    ),
    # Eq. 24 with 25 for d log log d. Where it prints sqrt(T d log log d/delta)/nu) it has lost a logarithm, which
    # its proof's eq. 61 has and the bound too: sqrt(T log(d log log d/delta)/nu).
    "linear.theorem_3_9": (
        lambda: linear.theorem_3_9(10**5, 5, 0.01, 0.4, 0.05, 0.2),
        f"(1 + mpf('0.2')*25)*({CLEAN_24} + log(20)*log(10**5)*sqrt(5)/(mpf('0.4')*sqrt(mpf('0.2'))))"
        f" + 10*{CORRUPTED}*{LARGEST_24} + mpf('0.01')*10**5",
    ),
    # Eq. 60 has nu where eq. 24 has its root.
    "linear.theorem_3_9_derived": (
        lambda: linear.theorem_3_9_derived(10**5, 5, 0.01, 0.4, 0.05, 0.2),
        f"(1 + mpf('0.2')*25)*({CLEAN_24} + log(20)*log(10**5)*sqrt(5)/(mpf('0.4')*mpf('0.2')))"
        f" + 10*{CORRUPTED}*{LARGEST_24} + mpf('0.01')*10**5",
    ),
    # Eq. 14: largest norm 0.02, 400 rewards of mean square 2.25, so that their sum of squares is 900 = 30^2.
    "linear.proposition_2_1": (
        lambda: linear.proposition_2_1(0.02, 400, 2.25, 0.7, 0.01, 0.05),
        "mpf('0.02')*20*30*sqrt(mpf('0.01') + log(20)/400) + mpf('0.02')*30 + sqrt(mpf('0.01')*log(20))"
        " + mpf('0.7')*sqrt(2*mpf('0.02')*log(20)) + mpf('0.01')",
    ),
    "linear.known_width": (
        lambda: linear.known_width(0.02, 400, 2.25, 1.5, 3.0, 0.01, 0.05),
        "sqrt(2*mpf('1.5')*log(40)*mpf('0.02')) + 3*log(40)*mpf('0.02')"
        " + sqrt(mpf('0.02')*400*mpf('2.25')*mpf('0.01'))",
    ),
    "linear.clipping_level": (lambda: linear.clipping_level(4.5, 1.0, 3.0), "mpf('17.5')"),
    "linear.clipped_width": (
        lambda: linear.clipped_width(0.02, 400, 1.5, 3.0, 0.01, 0.05, 7.0, 0.25),
        "sqrt(2*mpf('1.5')*log(40)*mpf('0.02')) + 3*log(40)*mpf('0.02')"
        " + 14*(mpf('0.01')*sqrt(8) + sqrt(mpf('0.0004')*log(40)) + mpf('0.02')*log(40)/3) + sqrt(8)/4",
    ),
    # 20 log log 5 + 16 = 25.5; log log 2 is negative.
    "design.support_bound": (lambda: design.support_bound(5), "mpf(25)"),
    "design.support_bound in the plane": (lambda: design.support_bound(2), "mpf(13)"),
    "design.support_bound on a line": (lambda: design.support_bound(1), "mpf(16)"),
}
VALUES = ASI | WU | AZIZE | CHARISOPOULOS
# Functions whose result is no number; each has a test of its own below.
NO_NUMBER = {"experts.smallest", "experts.table2"}


@pytest.mark.parametrize("name", VALUES)
def test_a_theorem_has_its_value(name: str) -> None:
    found, text = VALUES[name]
    assert found() == pytest.approx(value_of(text), rel=1e-12)


def test_the_smallest_bound_that_says_something() -> None:
    bounds: dict[str, Callable[[Tuning], float]] = {"a": lambda _: 9.0, "b": lambda _: 7.0}
    assert experts.smallest(bounds, Tuning(8, 2, 1.0, 2)) == "b"
    assert experts.smallest(bounds, Tuning(7, 2, 1.0, 2)) is None


@pytest.mark.parametrize(
    ("arms", "count", "epsilon", "best"),
    [
        (4, 4, 0.5, ("cor8",)),
        (4, 4, 1.0, ("cor8", "thm9")),
        (4, 8, 0.5, ("thm9",)),
        (4, 8, 0.4, ()),
        (4, 8, 0.1, ("thm10",)),
        (4, 3, 1.0, ("cor8",)),
        (4, 80, 0.1, ("thm9", "thm10")),
    ],
)
def test_the_regimes_of_asi2025s_table_2(arms: int, count: int, epsilon: float, best: tuple[str, ...]) -> None:
    """N <= K; N >= K and epsilon >= K/N; N >= K and epsilon <= T^(-1/2), T = 100."""
    assert experts.table2(Tuning(100, arms, epsilon, count)) == best


def named() -> set[str]:
    """Return what theory modules offer: public functions, and entries of tables of bounds that have a value."""
    found = set()
    for path in SETTINGS.glob("*/theory.py"):
        module: Any = importlib.import_module(f"dpbandits.settings.{path.parent.name}.theory")
        short = path.parent.name
        own = [
            name
            for name, each in inspect.getmembers(module, inspect.isfunction)
            if each.__module__ == module.__name__ and each.__name__ == name and not name.startswith("_")
        ]
        found |= {f"{short}.{name}" for name in own}
        for key, bound in getattr(module, "BOUNDS", {}).items():
            found |= {f"{short}.BOUNDS {key} suppressed"}
            found |= {f"{short}.BOUNDS {key}"} if bound.value else set()
        found |= {f"{short}.POWERS {key}" for key in getattr(module, "POWERS", {})}
    return found


def test_each_theorem_has_a_value() -> None:
    """A new function in a module of theory needs its value here."""
    begun = {
        name
        for name in named()
        if any(each == name or each.startswith((name + " ", name + ",")) for each in VALUES)
    }
    assert named() - begun - NO_NUMBER == set()
    assert len(named()) > 50
    modules = {name.split(".")[0] for name in named()}
    assert modules == {"adversarial", "experts", "full_information", "linear", "stochastic"}


def test_spreads_are_of_the_noise_that_they_name() -> None:
    assert {
        "laplace": full_information.spread_laplace,
        "exponential": full_information.spread_exponential,
        "gumbel": full_information.spread_gumbel,
        "permute-and-flip": full_information.spread_exponential,
    } == full_information.SPREADS


def test_hardest_instances_know_their_kind() -> None:
    """Coins where (tau epsilon)^2/2 exceeds the divergence of a coin, 8 log(4/3) gap^2; else means."""
    assert [adversarial.hardest_instance(BANDIT, tau).coins for tau in (20, 71, 72, 100)] == [
        False,
        False,
        True,
        True,
    ]
    assert math.isclose(0.5 * (0.03 * 71.5) ** 2, 8 * math.log(4 / 3), rel_tol=0.01)
