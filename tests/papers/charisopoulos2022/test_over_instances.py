"""The computation ``over-instances`` on made-up runs, of which exponents, prices and ratios are known."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shipped
from scipy import stats

from dpbandits.claims import evaluate
from dpbandits.claims.declarations import Evidence, claim_test
from dpbandits.claims.kinds._tables import LEARNED
from dpbandits.core import declarations, registry
from dpbandits.core.fields import Tuning
from dpbandits.papers.charisopoulos2022.computations import over_instances
from dpbandits.runs.aggregate import Measured
from dpbandits.runs.plan import Cell
from dpbandits.settings.linear.theory import theorem_3_4

CONFIG = Path(__file__).parents[3] / "config"
HORIZONS = (10**5, 10**6, 10**7)
DRAWS = (1, 2, 3, 4)
M1, M2, FREE = "robust-elimination-m1", "robust-elimination-m2", "robust-elimination"
# Exponents of T in each instance, and the regret at T = 1.
EXPONENTS = {
    M1: {draw: 0.4 + 0.02 * draw for draw in DRAWS},
    M2: {1: 0.55, 2: 0.5, 3: 0.52, 4: 0.47},
    FREE: dict.fromkeys(DRAWS, 0.4),
}
Regrets = list[tuple[Cell, float]]
SIZES = {M1: 30.0, M2: 40.0, FREE: 10.0}
NOISY = np.array([[0.5], [1.0], [1.5]])


@functools.cache
def cells() -> list[Cell]:
    """Return the cells of four random instances at three horizons, of three algorithms."""
    known = shipped.cells()
    found = known["charisopoulos2022", "instances-horizon"].values()
    return [cell for cell in found if drawn(cell) in DRAWS and cell.algorithm in EXPONENTS]


def drawn(cell: Cell) -> int:
    """Return the number of an instance in the configuration; the job's own number follows the root seed too."""
    return int(cell.environment.rpartition("-")[2])


def power(cell: Cell) -> float:
    """Return the regret of a cell, as a power of T."""
    return SIZES[cell.algorithm] * float(cell.job.horizon) ** EXPONENTS[cell.algorithm][drawn(cell)]


def uniform(cell: Cell) -> float:
    """Return uniform play's regret."""
    given = cell.job.environment
    means = registry.environment(given["kind"]).problem(given, Tuning(cell.job.horizon, given["arms"])).means
    return cell.job.horizon * float(means.max() - means.mean())


def made_up(regrets: Regrets) -> list[Measured]:
    """Return runs of these mean regrets, which differ from run to run; only the last checkpoint counts."""
    return [
        Measured(cell, value * np.column_stack([7.0 * NOISY, NOISY]), np.array([1, cell.job.horizon]))
        for cell, value in regrets
    ]


def compute(regrets: Regrets, where: str = "horizon >= 100000", saturated: float = 1.0) -> pd.DataFrame:
    """Return what is computed of runs over T."""
    declared = declarations.computation("over-instances")
    given = declared.resolve({"over": "horizon", "where": where, "saturated": saturated})
    table: pd.DataFrame = declared.compute(made_up(regrets), **given)
    return table


def one(table: pd.DataFrame, part: str, of: str | None, algorithm: str) -> pd.Series:
    """Return the only row of a part."""
    chosen = table[(table["part"] == part) & (table["algorithm"] == algorithm)]
    (row,) = [row for _, row in chosen.iterrows() if of is None or row["of"] == of]
    return row


def test_exponents_are_those_of_each_instance() -> None:
    """Mean and standard error over instances, not over runs, of the exponents that were put in."""
    table = compute([(cell, power(cell)) for cell in cells()])
    for algorithm, exponents in EXPONENTS.items():
        row = one(table, "exponent", "value", algorithm)
        values = list(exponents.values())
        assert row["value"] == pytest.approx(np.mean(values), abs=1e-9)
        assert row["error"] == pytest.approx(np.std(values, ddof=1) / 2.0, abs=1e-9)
        assert (row["instances"], row["first"], row["last"]) == (4, HORIZONS[0], HORIZONS[-1])


def test_prices_and_regret_over_its_bound() -> None:
    """The price is what is above the regret without privacy, in the same instance; bounds are at each point's T."""
    table = compute([(cell, power(cell)) for cell in cells()])
    points = table[table["part"] == "point"].set_index(["algorithm", "draw", "horizon"]).sort_index()
    assert len(points) == len(cells()) == 3 * len(DRAWS) * len(HORIZONS)
    assert points.loc[FREE, "price"].isna().all()
    slopes = []
    for cell in cells():
        if cell.algorithm != M1:
            continue
        row = points.loc[(M1, cell.job.environment["draw"], cell.job.horizon)]
        free = SIZES[FREE] * cell.job.horizon**0.4
        assert row["value"] == pytest.approx(power(cell))
        assert row["price"] == pytest.approx(power(cell) - free)
        assert row["share"] == pytest.approx(power(cell) / uniform(cell))
        bound = theorem_3_4(cell.job.horizon, 10, 0.0, 1.0, cell.job.parameters["delta"])
        assert row["scaled"] == pytest.approx(power(cell) / bound)
    for draw in DRAWS:
        prices = [SIZES[M1] * t ** EXPONENTS[M1][draw] - SIZES[FREE] * t**0.4 for t in map(float, HORIZONS)]
        slopes.append(float(np.polyfit(np.log(HORIZONS), np.log(prices), 1)[0]))
    assert one(table, "exponent", "price", M1)["value"] == pytest.approx(np.mean(slopes))


@pytest.mark.parametrize(("price", "power"), [(50.0, 0.1), (50.0, 0.0), (-20.0, 0.0)])
def test_growth_of_prices_counts_every_instance(price: float, power: float) -> None:
    """Prices that grow as the logarithms times T^0.1 have no growth; the negative ones of an instance count too."""

    def regret(cell: Cell) -> float:
        t = float(cell.job.horizon)
        free = SIZES[FREE] * t**0.4
        logs = math.log(1.0 / cell.job.parameters["delta"]) * math.log(t)
        first = 1.0 if cell.algorithm == FREE else logs * (price if drawn(cell) == 1 else 50.0)
        return free + (0.0 if cell.algorithm == FREE else first * (t / 1e5) ** power)

    row = one(compute([(cell, regret(cell)) for cell in cells()]), "growth", "price", M2)
    mean = (price + 150.0) / 4.0
    assert row["value"] == pytest.approx((100.0 ** (power - 0.1) - 1.0) * mean / mean, abs=1e-6)
    assert (row["instances"], row["first"], row["last"]) == (4, HORIZONS[0], HORIZONS[-1])


def test_saturated_points_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points next to uniform play bend no exponent, unless above their bound; of one point there is no exponent."""
    monkeypatch.setitem(over_instances.BOUNDS, M2, lambda _: math.inf)
    regrets = []
    for cell in cells():
        first = cell.job.horizon == HORIZONS[0]
        second = cell.job.horizon == HORIZONS[1] and drawn(cell) == 4
        saturated = cell.algorithm == M2 and (first or second)
        regrets.append((cell, 0.5 * uniform(cell) if saturated else power(cell)))
    kept = [EXPONENTS[M2][draw] for draw in (1, 2, 3)]
    assert max(power(cell) / uniform(cell) for cell in cells()) < 0.3
    row = one(compute(regrets, saturated=0.3), "exponent", "value", M2)
    assert row["value"] == pytest.approx(np.mean(kept), abs=1e-9)
    assert row["error"] == pytest.approx(np.std(kept, ddof=1) / math.sqrt(3.0), abs=1e-9)
    assert (row["instances"], row["first"], row["last"]) == (3, HORIZONS[1], HORIZONS[-1])
    bent = one(compute(regrets, saturated=1.0), "exponent", "value", M2)
    assert bent["instances"] == 4
    assert bent["value"] < np.mean(kept) - 0.05
    monkeypatch.setitem(over_instances.BOUNDS, M2, lambda row: row.value / 2)
    refuting = one(compute(regrets, saturated=0.3), "exponent", "value", M2)
    assert (refuting["instances"], refuting["value"]) == (4, bent["value"])


def test_the_exponent_of_a_ratio_is_of_points_where_both_learn() -> None:
    """Next to uniform play the larger regret alone is lowered, and a ratio grows that does not."""
    regrets = []
    for cell in cells():
        saturated = cell.algorithm == M1 and cell.job.horizon == HORIZONS[0]
        regrets.append((cell, 0.5 * uniform(cell) if saturated else power(cell)))
    kept = [EXPONENTS[M2][draw] - EXPONENTS[M1][draw] for draw in DRAWS]
    row = one(compute(regrets, saturated=0.3), "exponent", "ratio", M2)
    assert row["value"] == pytest.approx(np.mean(kept), abs=1e-9)
    assert (row["first"], row["last"]) == (HORIZONS[1], HORIZONS[-1])
    assert one(compute(regrets, saturated=1.0), "exponent", "ratio", M2)["value"] > row["value"] + 0.1
    # An order at one point needs no such limit.
    table = compute(regrets, saturated=0.3)
    assert (table["part"] == "ratio").sum() == len(HORIZONS)


def test_one_limit_of_saturation() -> None:
    """What shows no rate here shows none in the ledger's own tests, nor in any configuration at the full scale."""
    assert over_instances.COMPUTATION.parameters["saturated"].default == LEARNED
    checked = shipped.configuration()
    given = [
        each.parameters["saturated"]
        for paper in checked.papers.values()
        for each in paper.computations.values()
        if "saturated" in each.parameters
    ]
    assert set(given) <= {LEARNED}
    options = [test.options for stated in shipped.claims().values() for test in stated.tests]
    assert not [each for each in options if isinstance(each.get("learned", True), float)]


def test_one_instance_has_no_interval() -> None:
    """Of one instance, or of one horizon, there is no exponent."""
    alone = [(cell, power(cell)) for cell in cells() if drawn(cell) == 1]
    assert (compute(alone)["part"] == "point").all()
    table = compute([(cell, power(cell)) for cell in cells()], where="horizon == 1000000")
    assert "exponent" not in set(table["part"])
    assert len(table[table["part"] == "ratio"]) == 1


def test_pairs_are_compared_in_the_same_instance() -> None:
    """Logarithms of ratios and exponents of ratios are those of pairs, with the error over instances."""
    table = compute([(cell, power(cell)) for cell in cells()])
    differences = [EXPONENTS[M2][draw] - EXPONENTS[M1][draw] for draw in DRAWS]
    row = one(table, "exponent", "ratio", M2)
    assert row["against"] == M1
    assert row["value"] == pytest.approx(np.mean(differences), abs=1e-9)
    assert row["error"] == pytest.approx(np.std(differences, ddof=1) / 2.0, abs=1e-9)
    ratios = table[table["part"] == "ratio"].set_index("first")
    assert list(ratios.index) == list(HORIZONS)
    for horizon in HORIZONS:
        logs = [math.log(SIZES[M2] / SIZES[M1]) + each * math.log(horizon) for each in differences]
        assert ratios.loc[horizon, "value"] == pytest.approx(np.mean(logs))
        assert ratios.loc[horizon, "error"] == pytest.approx(np.std(logs, ddof=1) / 2.0)
        assert ratios.loc[horizon, "instances"] == 4


def test_a_pair_without_its_other_half_is_left_out() -> None:
    """An instance in which only one of two algorithms was run has no ratio."""
    table = compute([(cell, power(cell)) for cell in cells() if cell.algorithm != M1 or drawn(cell) != 2])
    assert (table[table["part"] == "ratio"]["instances"] == 3).all()
    assert one(table, "exponent", "ratio", M2)["instances"] == 3
    assert one(table, "exponent", "value", M2)["instances"] == 4


def test_a_claim_has_the_interval_by_t_over_instances() -> None:
    """As claims ask for it: Student's t with one degree of freedom less than instances."""
    table = compute([(cell, power(cell)) for cell in cells()])
    kind = claim_test("inequality")
    options = kind.resolve(
        {
            "where": {"part": "exponent", "of": "value", "algorithm": M2},
            "value": "value",
            "error": "error",
            "runs": "instances",
            "at_most": "0.7",
        }
    )
    seen = Evidence(pd.DataFrame(), {"over-horizon": table}, [], pd.DataFrame(), 20)
    (found,) = kind.evaluate(seen, **options).findings
    values = list(EXPONENTS[M2].values())
    ends = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert (found.estimate.low, found.estimate.high) == pytest.approx(ends)
    assert found.runs == "4"


def test_every_claim_of_instances_meets_its_scale_by_its_own_rows() -> None:
    """Each row states the largest horizon that it was made of: at ten times that, nothing is decided."""
    table = compute([(cell, power(cell)) for cell in cells()])
    summed = table[table["part"] != "point"]
    assert (summed["horizon"] == np.where(summed["part"] == "ratio", summed["first"], max(HORIZONS))).all()
    stated = shipped.claims()["charisopoulos2022"].claims
    known = {"over-horizon": table}
    tests = [
        (each, {**each.scale, **test.scale}, test)
        for each in stated.values()
        for test in each.tests
        if test.computations == ["over-horizon"] and "printed" not in str(test.options)
    ]
    assert len(tests) >= 3
    for _, scale, test in tests:
        kind = claim_test(test.test)
        rows = evaluate.rows_of(
            kind, kind.resolve(test.options), Evidence(pd.DataFrame(), known, [], pd.DataFrame(), 20)
        )
        assert len(rows) and not evaluate.below_scale({"horizon": scale["horizon"], "instances": len(DRAWS)}, rows)
        assert evaluate.below_scale({**scale, "horizon": 10.0 * max(HORIZONS)}, rows)
        assert evaluate.below_scale({**scale, "instances": len(DRAWS) + 1}, rows)
