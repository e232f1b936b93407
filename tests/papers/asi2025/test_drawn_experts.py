"""The computation ``drawn-experts``: instances are drawn by the seed alone, and intervals are over draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import shipped

from dpbandits.claims.declarations import Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, parts_of_test
from dpbandits.claims.judgement import judge
from dpbandits.core.errors import BadInput
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import streams
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN
from dpbandits.papers.asi2025.computations import drawn_experts as drawn
from dpbandits.settings.experts.algorithms import batched_exp4
from dpbandits.settings.experts.environments import one_good_expert

SMALL: dict[str, Any] = {"experts": 4, "epsilons": [0.1, 1.0], "horizon": 400, "instances": 3, "runs": 2, "seed": 1}
NAMES = list(drawn.ALGORITHMS)


class Noted(dict[tuple[str, float], list[tuple[int, list[float]]]]):
    """Draws and regrets of each kind of environment and budget, as `drawn.regrets` returned them."""

    def draws(self) -> dict[str, list[int]]:
        """Return the draws of each kind, which have to be the same at each budget."""
        found = {kind: [draw for draw, _ in self[kind, epsilon]] for kind, epsilon in self}
        assert all(found[kind] == [draw for draw, _ in each] for (kind, _), each in self.items())
        return found


def computed(monkeypatch: pytest.MonkeyPatch, **given: Any) -> tuple[pd.DataFrame, Noted]:
    """Return the table of a small computation, and what was simulated for it."""
    noted, measured = Noted(), drawn.regrets

    def note(kind: str, experts: int, draw: int, epsilon: float, *rest: int) -> list[float]:
        found = measured(kind, experts, draw, epsilon, *rest)
        noted.setdefault((kind, epsilon), []).append((draw, found))
        return found

    with monkeypatch.context() as patched:
        patched.setattr(drawn, "regrets", note)
        return drawn.compute(**SMALL | given), noted


def test_a_ratio_is_of_the_worst_kinds_within_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number, from the regrets that were simulated; and the reversed pair is the reciprocal."""
    table, noted = computed(monkeypatch)
    assert len(table) == 2 * 6
    assert table[["experts", "arms", "horizon", "runs", "instances"]].eq([4, 4, 400, 2, 3]).all(axis=None)
    rows = table.set_index(["epsilon", "algorithm", "against"])
    assert rows.index.is_unique
    for epsilon in (0.1, 1.0):
        simulated = np.array([[found for _, found in noted[kind, epsilon]] for kind in drawn.KINDS])
        worst = {name: simulated[:, :, place].max(axis=0) for place, name in enumerate([*NAMES, "uniform"])}
        for one in NAMES:
            for other in NAMES:
                if one == other:
                    continue
                row, logs = rows.loc[epsilon, one, other], np.log(worst[one] / worst[other])
                shares = [(worst[name] / worst["uniform"]).mean() for name in (one, other)]
                assert row["value"] == pytest.approx(logs.mean())
                assert row["error"] == pytest.approx(logs.std(ddof=1) / np.sqrt(3.0))
                assert row["share"] == pytest.approx(min(shares))
                assert row["value"] == pytest.approx(-rows.loc[epsilon, other, one]["value"])
    assert set(table["pair"]) >= {"Bandit-to-experts of HTINF / Local-DP EXP4", "Local-DP EXP4 / Batched EXP4"}


def test_instances_are_drawn_by_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draws at each budget, horizon and number of runs; others for each kind, N and seed."""
    first = computed(monkeypatch)[1].draws()
    assert len({draw for draws in first.values() for draw in draws}) == 3 * len(drawn.KINDS)
    assert computed(monkeypatch, horizon=50, runs=1, epsilons=[0.5])[1].draws() == first
    for other in ({"seed": 2}, {"experts": 8}):
        again = computed(monkeypatch, horizon=50, runs=1, **other)[1].draws()
        assert not any(set(again[kind]) & set(first[kind]) for kind in drawn.KINDS)


def test_a_regret_is_that_of_a_direct_simulation() -> None:
    """The mean of 500 runs on one instance, against as many runs that share no random number with them."""
    horizon, epsilon, runs = 300, 1.0, 500
    found = drawn.regrets("near", 4, 11, epsilon, horizon, runs, seed=3)
    given = one_good_expert.check(
        {"experts": 4, "actions": 4, "gap": 0.5, "advice": "near-deterministic", "seed": 11}
    )
    tuning = one_good_expert.ENVIRONMENT.tuning(given, horizon, epsilon)
    problem = one_good_expert.problem(given, tuning)
    filled = problem.runs(streams(0, "another", np.arange(runs)), checkpoints(horizon, 1))
    resolved = batched_exp4.ALGORITHM.resolve({}, tuning)
    batched_exp4.ALGORITHM.simulate(filled, problem, epsilon=epsilon, **resolved.values)
    regret = filled.regret[:, -1]
    assert found[NAMES.index("batched-exp4")] == pytest.approx(
        regret.mean(), abs=5.0 * np.sqrt(2.0 / runs) * regret.std() + 1e-9
    )
    # Three actions of four are worse by 0.5, and the good expert errs one time in ten.
    assert found[-1] == pytest.approx(horizon * 0.5 * (0.75 - 0.1))


def test_environments_and_algorithms_are_those_of_the_configuration() -> None:
    """What the experiment ``experts`` runs on one instance, the computation runs on many."""
    defaults = {name: option.default for name, option in drawn.COMPUTATION.parameters.items()}
    seen = set()
    for cell in shipped.cells()["asi2025", "experts"].values():
        kind, job = cell.environment.split("-")[1], cell.job
        if cell.algorithm not in NAMES:
            continue
        environment, given = drawn.KINDS[kind]
        asked = {**given, "experts": job.environment["experts"], "actions": drawn.ACTIONS}
        checked = environment.check({**asked, "seed": job.environment["seed"]})
        assert checked == {name: value for name, value in job.environment.items() if name != "kind"}
        tuning = environment.tuning(checked, job.horizon, job.epsilon)
        assert drawn.ALGORITHMS[cell.algorithm].resolve({}, tuning)[0] == job.parameters
        assert job.epsilon in defaults["epsilons"]
        assert job.horizon == defaults["horizon"]
        seen.add((kind, cell.algorithm, job.epsilon))
    assert len(seen) == len(drawn.KINDS) * len(NAMES) * len(defaults["epsilons"])
    # The claim's sentence has both numbers, and the configuration each N.
    assert defaults["runs"] == 2
    assert defaults["instances"] == 20


@pytest.mark.parametrize(("share", "word"), [(1.0, FAILS), (0.5, OPEN), (0.1, HOLDS)])
@pytest.mark.parametrize("number", range(3))
def test_uniform_play_does_not_pass_the_claim(number: int, share: float, word: str) -> None:
    """In the place of the algorithm of each regime, beside others with half of uniform play's regret."""
    test = shipped.claims()["asi2025"].claims["table2-measured"].tests[number]
    mine = NAMES.index(test.options["where"]["algorithm"])
    noise = np.random.default_rng(0).normal(scale=0.01, size=(20, 4))
    worst = np.exp(noise) * np.where(np.arange(4) == mine, share, [0.5, 0.5, 0.5, 1.0])
    cases = [(4, 1.0), (4, 0.0001), (64, 0.1)]
    labels = [{"experts": n, "arms": 4, "epsilon": e, "horizon": 100_000, "runs": 2} for n, e in cases]
    table = pd.DataFrame([label | row for label in labels for row in drawn.ratios(worst)])
    seen = Evidence(pd.DataFrame(), {"drawn": table}, [], pd.DataFrame(), 20)
    rows = parts_of_test(claim_test(test.test), test.model_dump(mode="json"), seen)
    parts = pd.DataFrame([{"paper": "", "claim": "", "test": 0, **row} for row in rows], columns=COLUMNS)
    assert judge([test], corrected(parts, 0.05)).verdict == word


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"experts": 0}, "experts: 0"),
        ({"epsilons": [2.0]}, "from 1e-100 to 1"),
        ({"experts": 10**8}, "at most 1e"),
    ],
)
def test_wrong_input_is_told(wrong: dict[str, Any], told: str) -> None:
    """No expert, a budget above 1, and advice that takes too much memory."""
    with pytest.raises(BadInput, match=told):
        drawn.compute(**SMALL | wrong)
