"""Theorems H and I of docs/azize2025-tails.md: each step on runs and paths, the prediction, and the certified tail.

Sampled tests have false alarms below 1e-6 by five standard errors.
"""

from __future__ import annotations

import bisect
import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx
from tiers import core

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.core.recording import Runs, checkpoints
from dpbandits.core.streams import streams
from dpbandits.papers.azize2025.certificates import rare_runs
from dpbandits.papers.azize2025.computations import best_arm_path, first_batch, private_mean_tail
from dpbandits.papers.exact_inequalities import NotProvedError
from dpbandits.settings.stochastic.batches import cumulative_pulls
from dpbandits.settings.stochastic.divergences import budget, d_eps
from dpbandits.settings.stochastic.problem import make_bandit

MU2 = [0.75, 0.625, 0.5, 0.375, 0.25]
LEVELS = np.linspace(0.0, 1.0, 2001)
GRID = list(itertools.product((0.05, 0.3, 0.6), (0.65, 0.75, 0.95), (0.01, 0.3, 1.0, 5.0)))


def simulated(name: str, means: list[float], epsilon: float, horizon: int, runs: int, **given: float) -> Runs:
    """Return filled runs."""
    algorithm, bandit = registry.algorithm(name), make_bandit(np.array(means))
    filled = bandit.runs(
        streams(5, f"tails {name} {means} {epsilon} {given}", np.arange(runs)), checkpoints(horizon, 1)
    )
    resolved = algorithm.resolve(given, Tuning(horizon, len(means), epsilon))
    algorithm.simulate(filled, bandit, epsilon=epsilon, **resolved.values)
    return filled


def test_divergences_agree() -> None:
    """The computation's and the certificate's d_eps are the kernel's."""
    for y, _, epsilon in GRID:
        for x in (0.0, y / 3, 0.9 * y, y):
            right = d_eps(x, y, budget(epsilon))
            found = best_arm_path.divergence(np.array(x), np.array(y), epsilon)
            assert float(found) == pytest.approx(right, rel=1e-9, abs=1e-14)
    setting = rare_runs.SETTINGS[0]._replace(plain=True)
    with ctx.workprec(200):
        for n, total in ((7, 0), (100, 40), (100, 61), (1000, 610)):
            right = n * d_eps(total / n, 0.625, budget(0.1))
            assert float(rare_runs.level(setting, n, total)) == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("alpha", [1.1, 1.5, 2.0, 3.0])
def test_a_batch_multiplies_pulls_by_alpha_at_most(alpha: float) -> None:
    """n_(m+1) < alpha n_m + n0 + 1: used in part (a)."""
    for n0 in (1, 2, 7, 100):
        counts = cumulative_pulls(n0, alpha, 10**9).astype(float)[:-1]
        assert (counts[1:] < alpha * counts[:-1] + n0 + 1).all()


def test_the_ratio_of_divergences_does_not_decrease() -> None:
    """rho(c) = d_eps(c, mu_1)/d_eps(c, y) on [0, y), and its limits at 0."""
    for y, best, epsilon in GRID:
        c = np.linspace(0.0, y * (1 - 1e-6), 400)
        upper = np.array([d_eps(x, best, budget(epsilon)) for x in c])
        lower = np.array([d_eps(x, y, budget(epsilon)) for x in c])
        assert (np.diff(upper / lower) >= -1e-9 * (upper / lower)[1:]).all()
        first = math.log1p(best * math.expm1(-epsilon)) / math.log1p(y * math.expm1(-epsilon))
        assert upper[0] / lower[0] == pytest.approx(first)
        assert best / y <= first * (1 + 1e-12)
        assert first <= math.log1p(-best) / math.log1p(-y) * (1 + 1e-12)


def followed(
    epsilon: float, means: tuple[float, float], horizon: int, kappa: float, klucb: bool, rng: np.random.Generator
) -> tuple[list[float], list[list[tuple[int, float]]], list[int]]:
    """Run DP-IMED or DP-KLUCB literally on two arms' paths; return log X(y) by y, the paths and the pulls."""
    privacy, counts = budget(epsilon), cumulative_pulls(1, 2.0, horizon)
    paths = []
    for mean in means:
        total, before, path = 0.0, 0, []
        for n in counts.tolist():
            total += rng.binomial(n - before, mean) + rng.laplace(0, 1 / epsilon)
            before = n
            path.append((n, min(1.0, max(0.0, total / n))))
        paths.append(path)
    stage, t = [0, 0], 2
    while t < horizon:
        found = [paths[k][stage[k]] for k in range(2)]
        top = max(c for _, c in found)
        if klucb:
            # The larger index is the one that some level is below and the other's is not: compared on a grid, whose
            # levels are allowed up to one of them.
            bounds = []
            for n, c in found:
                levels = LEVELS[c <= LEVELS]
                allowed = bisect.bisect_right(
                    levels, math.log(t + 1), key=lambda q, n=n, c=c: n * d_eps(c, q, privacy)
                )
                bounds.append(levels[allowed - 1] if allowed else c)
            arm = int(np.argmax(bounds))
        else:
            arm = int(np.argmin([n * d_eps(c, top, privacy) + (1 + kappa) * math.log(n) for n, c in found]))
        n = paths[arm][stage[arm]][0]
        t += min(paths[arm][stage[arm] + 1][0] - n, horizon - t)
        stage[arm] += 1
    logs = []
    for y in (means[1] - 0.1, means[1] + 0.05):
        values = [
            n * d_eps(c, y, privacy) / (1 + kappa) + (0.0 if klucb else math.log(n)) for n, c in paths[0] if c < y
        ]
        logs.append(max(values, default=-math.inf))
    return logs, paths, [paths[k][stage[k]][0] for k in range(2)]


@pytest.mark.parametrize(("kappa", "klucb"), [(0.0, False), (0.5, False), (0.0, True)])
def test_parts_a_and_b_hold_on_every_path(kappa: float, klucb: bool) -> None:
    """Pulls of arm 2 are below max(alpha X + n0 + 1, A_2) always, and above min(X, T/2) where its path stays up."""
    rng = np.random.default_rng(11)
    epsilon, means, horizon = 0.3, (0.75, 0.5), 20_000
    high = low = 0
    for _ in range(60 if klucb else 800):
        logs, paths, pulls = followed(epsilon, means, horizon, kappa, klucb, rng)
        y, privacy = means[1] + 0.05, budget(epsilon)
        kept = [1] + [
            paths[1][m + 1][0]
            for m, (n, c) in enumerate(paths[1][:-1])
            if c >= y or n * d_eps(c, y, privacy) <= (1 + kappa) * math.log(horizon)
        ]
        assert pulls[1] <= max(2 * math.exp(min(logs[1], 700.0)) + 2, *kept)
        high += pulls[1] > max(kept)
        if not klucb and all(c >= means[1] - 0.1 for _, c in paths[1]):
            small = [n for n, _ in paths[0] if n <= horizon / 2]
            values = [
                n * d_eps(c, means[1] - 0.1, privacy) / (1 + kappa) + math.log(n)
                for n, c in paths[0][: len(small)]
                if c < means[1] - 0.1
            ]
            reached = math.exp(min(max(values, default=-math.inf), 700.0))
            assert pulls[1] >= min(reached, horizon / 2) * (1 - 1e-12)
            low += reached > 2
    # Both are tested where they say something.
    assert klucb or (high > 0 and low > 5)


def test_bounds_of_part_c() -> None:
    """Exact tails of a stage lie below (1 + 2 p) (n/x)^rho, and the largest below the probability of X >= x."""
    rng = np.random.default_rng(3)
    best, y, epsilon, x = 0.75, 0.625, 0.3, 300.0
    counts = cumulative_pulls(1, 2.0, 10**6)
    logs = best_arm_path.log_x(best_arm_path.PathLaw(best, y, epsilon, counts, 10**6), rng, 200_000)
    share = float((logs >= math.log(x)).mean())
    error = math.sqrt(share / 200_000)
    upper, lower = 0.0, 0.0
    for m, n in enumerate(counts[:16].tolist()):

        def wanted(c: float, n: int = n) -> float:
            return n * d_eps(c, y, budget(epsilon)) - math.log(x / n)

        if wanted(0.0) < 0.0:
            continue
        c, above = 0.0, y
        for _ in range(80):
            middle = 0.5 * (c + above)
            c, above = (middle, above) if wanted(middle) >= 0.0 else (c, middle)
        u = epsilon * n * (best - c)
        factor = 1.0 + 2.0 * math.exp(float(private_mean_tail.log_polynomial(m + 1, u)))
        bound = factor * math.exp(-n * d_eps(c, best, budget(epsilon)))
        exact = math.exp(private_mean_tail.log_private_tail(n, m + 1, best, c, epsilon))
        assert exact <= bound * (1 + 1e-9)
        upper, lower = upper + bound, max(lower, exact)
    assert lower - 5 * error <= share <= upper + 5 * error
    assert lower > 0.1 * share


@pytest.mark.parametrize("number", [3, pytest.param(0, marks=pytest.mark.slow)])
def test_the_recursion_is_the_law_of_drawn_paths(number: int) -> None:
    """P[X >= 100] in balls against 10^5 drawn paths with discrete Laplace noise, with and without the factor n."""
    rng = np.random.default_rng(7)
    runs, q = 100_000, math.exp(-0.1)
    setting = rare_runs.SETTINGS[number]
    with ctx.workprec(rare_runs.PRECISION):
        low, high = rare_runs.tail(setting, 2)
    assert low <= high
    total, before, hit = np.zeros(runs), 0, np.zeros(runs, dtype=bool)
    for n in (2 ** (m + 1) - 1 for m in range(13)):
        noise = rng.geometric(1 - q, runs) - rng.geometric(1 - q, runs)
        total += rng.binomial(n - before, 0.75, runs) + noise
        before = n
        mean = np.clip(total / n, 0.0, 1.0)
        found = n * best_arm_path.divergence(np.minimum(mean, 0.625), np.array(0.625), 0.1)
        hit |= (mean < 0.625) & (found + (0.0 if setting.plain else math.log(n)) >= math.log(100))
    share = float(hit.mean())
    assert abs(share - float(low)) < 5 * math.sqrt(share / runs)


def test_the_certificate_is_tight_and_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds differ in the tenth digit at most; too few stages, or a tilt that does not converge, are refused."""
    setting = rare_runs.SETTINGS[2]
    with ctx.workprec(rare_runs.PRECISION):
        low, high = rare_runs.tail(setting, 15)
        assert float(low) > 0.0
        assert float(high) / float(low) < 1 + 1e-6
        with monkeypatch.context() as changed, pytest.raises(NotProvedError):
            changed.setattr(rare_runs, "SHARE", Fraction(1, 10**6))
            rare_runs.tail(setting, 6)
        # Fewer stages: the same probability between looser bounds.
        monkeypatch.setattr(rare_runs, "FOLLOWED", 300)
        least, most = rare_runs.tail(setting, 6)
        monkeypatch.undo()
        low, high = rare_runs.tail(setting, 6)
        assert float(least) < float(low) <= float(high) < float(most)
        assert low < high
        assert rare_runs.decimal(arb("0.0012345"), True) == rare_runs.Decimal("0.00123")
        assert rare_runs.decimal(arb("0.0012345"), False) == rare_runs.Decimal("0.00124")


@pytest.mark.parametrize(
    ("means", "rivals"), [(MU2, 1), pytest.param([0.75, *[0.7] * 4], 4, marks=pytest.mark.slow)]
)
def test_the_prediction_is_the_measured_mean(means: list[float], rivals: int) -> None:
    """Mean of 20,000 runs against the prediction, one rival and four: within a quarter; nothing is fitted."""
    filled = simulated("dp-imed", means, 0.1, 10**5, 20_000)
    regret = filled.regret[:, -1]
    counts = cumulative_pulls(1, 2.0, 10**5)
    path, found, usual = best_arm_path.prediction(means, 0.1, counts, 10**5)
    assert found == rivals
    rare = best_arm_path.draw_rare_regret(path, 1, 100_000, found)
    assert abs((usual + rare.mean()) / regret.mean() - 1) < 0.25
    # Without the rare part it would be far off.
    assert usual < 0.6 * regret.mean()


def test_a_weight_makes_rare_runs_rarer() -> None:
    """kappa = 0 is DP-IMED, run for run; kappa = 1 has fewer runs far off, and a larger median."""
    same = simulated("dp-imed-tradeoff", MU2, 0.1, 10**5, 50, kappa=0.0).regret
    other = registry.algorithm("dp-imed")
    bandit = make_bandit(np.array(MU2))
    filled = bandit.runs(
        streams(5, f"tails dp-imed-tradeoff {MU2} 0.1 {{'kappa': 0.0}}", np.arange(50)), checkpoints(10**5, 1)
    )
    other.simulate(filled, bandit, epsilon=0.1, n0=1, alpha=2.0)
    assert filled.regret == pytest.approx(same)
    plain, heavy = (
        simulated("dp-imed-tradeoff", MU2, 0.1, 10**5, 10_000, kappa=k).regret[:, -1] for k in (0.0, 1.0)
    )
    assert np.median(heavy) > np.median(plain)
    assert (heavy > 5000).mean() < 0.2 * (plain > 5000).mean()
    assert heavy.mean() < plain.mean()


def test_first_batches() -> None:
    """One best first batch for each setting; rare regret falls as it grows."""
    table = first_batch.compute([["mu2", MU2]], [0.1], [10**6], [2.0, 10.0, 40.0], 2.0, 20_000, 1)
    assert table["best"].sum() == 1
    assert isinstance(table, pd.DataFrame)
    assert table["rare"].is_monotonic_decreasing
    assert not table.loc[table["n0"] == 1, "best"].any()


@pytest.mark.parametrize("number", core(range(len(rare_runs.SETTINGS)), lambda number: number == 0))
def test_the_documents_table_is_the_certificates(root: Path, number: int) -> None:
    """The last row of the certified tail in docs/azize2025-tails.md, rounded down."""
    lines = (root / "docs/azize2025-tails.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith("| 10¹⁵ |")]
    printed = [rare_runs.Decimal(cell.strip()) for cell in row.split("|")[2:-1]]
    with ctx.workprec(rare_runs.PRECISION):
        proved = rare_runs.decimal(rare_runs.tail(rare_runs.SETTINGS[number], 15)[0], True)
    assert len(printed) == len(rare_runs.SETTINGS)
    assert printed[number] == proved


def test_faint_ends_are_cut() -> None:
    """From both ends, never within, and one weight stays; what is cut is bounded by so many faint ones."""
    faint, strong = arb(2) ** -301, arb(1) / 4
    law, lost = rare_runs.trimmed(rare_runs.Law(5, [faint, strong, faint, strong, faint, faint]))
    assert (law.first, law.weights) == (6, [strong, faint, strong])
    assert lost == 3 * arb(2) ** rare_runs.FAINT
    law, lost = rare_runs.trimmed(rare_runs.Law(0, [faint] * 3))
    assert (law.first, law.weights, lost) == (2, [faint], 2 * arb(2) ** rare_runs.FAINT)
    # What is as likely as the limit is not faint.
    edge = [arb(2) ** rare_runs.FAINT] * 2
    assert rare_runs.trimmed(rare_runs.Law(0, edge))[0].weights == edge


@pytest.mark.parametrize(("limit", "counted"), [(None, 0), (-2, 0), (-1, 1), (0, 6), (1, 13)])
def test_one_stage_by_hand(monkeypatch: pytest.MonkeyPatch, limit: int | None, counted: int) -> None:
    """One reward of mean 3/4 and noise of -1, 0 or 1: what is at most the limit is counted, in sixteenths.

    The upper end has all that is left out: outside of the noise, at the ends of the law, and at later stages.
    """
    stages: list[tuple[int, int]] = []

    def later(_: object, n: int, noises: int) -> arb:
        stages.append((n, noises))
        return arb(1) / 1024

    noise = rare_runs.Law(-1, [arb(1) / 4, arb(1) / 2, arb(1) / 4])
    monkeypatch.setattr(rare_runs, "FOLLOWED", 1)
    monkeypatch.setattr(rare_runs, "noise", lambda _: (noise, arb(1) / 64))
    monkeypatch.setattr(rare_runs, "trimmed", lambda law: (law, arb(1) / 256))
    monkeypatch.setattr(rare_runs, "later_stages", later)
    monkeypatch.setattr(rare_runs, "threshold", lambda *_: limit)
    low, high = rare_runs.tail(rare_runs.SETTINGS[0], 3)
    assert low.overlaps(arb(counted) / 16) and (high - low).overlaps(arb(21) / 1024)
    assert stages == [(3, 2)]
    monkeypatch.setattr(rare_runs, "threshold", lambda *_: 2)
    with pytest.raises(NotProvedError, match="nothing is left"):
        rare_runs.tail(rare_runs.SETTINGS[0], 3)


def test_noise_and_later_stages_by_hand() -> None:
    """The noise's law with its tails is 1, and Chernoff's bound is what floats say, twice."""
    setting = rare_runs.SETTINGS[0]
    with ctx.workprec(rare_runs.PRECISION):
        law, outside = rare_runs.noise(setting)
        assert (law.first, len(law.weights)) == (-1500, 3001)
        assert float(sum(law.weights, outside)) == pytest.approx(1.0, abs=1e-14)
        assert float(law.weights[1500]) == pytest.approx(math.tanh(0.05))
        assert float(law.weights[1501] / law.weights[1500]) == pytest.approx(math.exp(-0.1))
        bound = float(rare_runs.later_stages(setting, 2047, 11))
    q, tilt = math.exp(-0.1), 0.09
    noise = (1 - q) ** 2 / (1 - q * math.exp(tilt)) / (1 - q * math.exp(-tilt))
    reward = math.exp(tilt * 0.625) * (0.25 + 0.75 * math.exp(-tilt))
    assert bound == pytest.approx(2 * reward**2047 * noise**11)


def test_bounds_have_room_for_the_balls() -> None:
    """Printed ends are beyond twice a ball's radius."""
    wide = arb("1.005 +/- 0.001")
    assert rare_runs.decimal(wide, True) == rare_runs.Decimal("1.00")
    assert rare_runs.decimal(arb("1.0081 +/- 0.001"), False) == rare_runs.Decimal("1.02")
    assert rare_runs.decimal(arb("1.0079 +/- 0.001"), False) == rare_runs.Decimal("1.01")
    assert rare_runs.decimal(arb("1.0119 +/- 0.001"), True) == rare_runs.Decimal("1.00")


class Unmoved:
    """Draws as many successes as expected, and no noise, but notes its scale."""

    def __init__(self) -> None:
        self.scales: list[float] = []

    def binomial(self, n: Any, p: float, shape: Any = None) -> Any:
        return np.full(shape, n * p) if shape is not None else np.asarray(n * p)

    def laplace(self, _: float, scale: float, shape: Any) -> Any:
        self.scales.append(scale)
        return np.zeros(shape)


COUNTS = np.array([1, 3, 7, 15, 31, 63])


@pytest.mark.parametrize(
    ("log_x", "horizon", "pulls"),
    [
        # Until an arm has X pulls, exactly so many too; first that of fewest pulls, and then the first of these.
        *[(-math.inf, 100, 2), (0.0, 100, 2), (math.log(7.0), 100, 14), (math.log(7.5), 100, 30)],
        # Of 20 rounds there is one more batch after 14 pulls, of 14 none.
        *[(math.log(7.5), 20, 20), (math.log(7.5), 14, 14)],
    ],
)
def test_rivals_share_the_pulls(log_x: float, horizon: int, pulls: int) -> None:
    """Of two arms with their mean on every path, index n d + log n is log n."""
    rng: Any = Unmoved()
    path = best_arm_path.PathLaw(0.75, 0.5, 0.25, COUNTS, horizon)
    found = best_arm_path.pulls_shared(path, np.array([log_x]), 2, rng)
    assert found.tolist() == [pulls] and set(rng.scales) == {4.0}
    alone = best_arm_path.pulls_alone(path, np.array([log_x]))
    expected = {-math.inf: 0, 0.0: 1, math.log(7.0): 7, math.log(7.5): 15}[log_x]
    assert alone.tolist() == [min(expected, horizon)]


def test_a_luckier_rival_is_pulled_more_often() -> None:
    """Three successes of four and one of four: the second arm's index has its divergence beside log n."""

    class Lucky(Unmoved):
        def laplace(self, _: float, __: float, shape: Any) -> Any:
            return np.array([[0.0, 0.4]]) if shape == (1, 2) else np.full(shape, 1.0)

    rng: Any = Lucky()
    path = best_arm_path.PathLaw(0.75, 0.5, 0.25, COUNTS, 100)
    # The first arm's index is d(0.5, 0.9), above log 1 = 0: the second arm comes first, up to 3 pulls in all 4.
    gap = d_eps(0.5, 0.9, budget(0.25))
    assert best_arm_path.pulls_shared(path, np.array([0.9 * gap]), 2, rng).tolist() == [4]
    # Then its mean is (0.9 + 1 + 1)/3, and the first arm goes on: 3 + 3.
    assert best_arm_path.pulls_shared(path, np.array([1.01 * d_eps(0.5, 2.9 / 3, budget(0.25))]), 2, rng)[0] == 6


def test_paths_by_hand() -> None:
    """The largest n d + log n below y, up to the horizon's batch; typical pulls are the first that reach log T."""
    path = best_arm_path.PathLaw(0.5, 0.75, 0.25, COUNTS, 7)
    rng: Any = Unmoved()
    d = d_eps(0.5, 0.75, budget(0.25))
    assert best_arm_path.log_x(path, rng, 1)[0] == pytest.approx(7 * d + math.log(7))
    assert best_arm_path.log_x(path, rng, 1, plain=True)[0] == pytest.approx(7 * d)
    assert best_arm_path.log_x(path._replace(other=0.5), rng, 1)[0] == -math.inf
    path = best_arm_path.PathLaw(0.75, 0.5, 0.25, COUNTS, 1000)
    (first, *_) = [n for n in COUNTS if n * d + math.log(n) >= math.log(1000)]
    assert best_arm_path.typical(path, 0.5) == first and best_arm_path.typical(path._replace(horizon=20), 0.5) <= 20
    # Regret beyond two arms' typical pulls, and none below.
    path = path._replace(horizon=COUNTS[-1])
    usual = best_arm_path.typical(path, 0.5)
    some = best_arm_path.rare_regret(path, np.array([-math.inf, 50.0]), 1, rng)
    assert some.tolist() == pytest.approx([0.0, 0.25 * (63 - usual)])


def test_pieces_are_all_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are drawn at once."""
    path = best_arm_path.PathLaw(0.75, 0.5, 0.25, COUNTS, 60)
    monkeypatch.setattr(best_arm_path, "PIECE", 4)
    assert best_arm_path.draw_rare_regret(path, 1, 10).shape == (10,)
    assert best_arm_path.draw_rare_regret(path, 1, 4).shape == (4,)


def test_a_first_batch_s_row() -> None:
    """In units of 1/epsilon; the standard error is that of so many paths."""
    table = first_batch.compute([["b", [0.75, 0.5]]], [0.1], [1000], [2.0], 2.0, 400, 1).set_index("n0")
    assert table["first"].to_dict() == pytest.approx({1: 0.1, 20: 2.0})
    counts = cumulative_pulls(1, 2.0, 1000)
    path, rivals, usual = best_arm_path.prediction([0.75, 0.5], 0.1, counts, 1000)
    rare = best_arm_path.draw_rare_regret(path, 1, 400, rivals)
    assert table["rare_error"][1] == pytest.approx(rare.std(ddof=1) / 20)
    assert table["predicted"][1] == pytest.approx(usual + rare.mean())
    assert usual == pytest.approx(0.25 * best_arm_path.typical(path, 0.5))
