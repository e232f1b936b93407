"""The maps of the best algorithm over N and epsilon: each cell lies at its point, and no two overlap."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.interactive import Plot
from dpbandits.core.labels import BLACK, GREY
from dpbandits.papers.asi2025.figures import phase_diagram
from dpbandits.settings.experts.theory import POWERS, WITH_CONSTANTS, smallest

LABELS = {"bandit": "Bandit", "local": "Local", "batched": "Batched"}
EXPERTS, EPSILONS = (2, 4, 64), (1e-6, 1e-4, 1.0)
# Large enough that each bound is the smallest somewhere, and below T with its constants somewhere.
T, K = 1_000_000, 3
# Of each cell, the algorithm of least regret; its interval ends below the others', but for a tie.
BEST = {
    (2, 1.0): "bandit",
    (4, 1.0): "tie",
    (64, 1.0): "local",
    (2, 1e-4): "bandit",
    (4, 1e-4): "local",
    (64, 1e-4): "tie",
    (2, 1e-6): "uniform",
    (4, 1e-6): "uniform",
    (64, 1e-6): "local",
}


def aggregates() -> pd.DataFrame:
    """Return regrets that make `BEST` true, in two environments; the second is the worse one of each algorithm."""
    rows = []
    for (experts, epsilon), best in BEST.items():
        for label, title in LABELS.items():
            # In hundreds. Uniform play is taken to have 1000, the largest regret; from 950 on nothing is learned.
            mean, half = (960.0, 5.0) if best == "uniform" else (700.0, 10.0)
            if label == best or (best == "tie" and label == "local"):
                mean = 690.0 if best == "tie" else 400.0
            if (label, experts, epsilon) == ("batched", 2, 1e-6):
                mean = 1000.0
            rows += [
                {
                    **{"experts": experts, "epsilon": epsilon, "algorithm": label, "title": title, "runs": 9},
                    **{"environment": name, "mean": 100 * (mean - less), "mean_low": 100 * (mean - less - half)},
                    **{"mean_high": 100 * (mean - less + half), "horizon": T, "arms": K},
                }
                for name, less in (("easy", 100.0), ("hard", 0.0))
            ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def numbers() -> pd.DataFrame:
    return phase_diagram.numbers(aggregates(), {}, list(LABELS))


@pytest.fixture(scope="module")
def described(numbers: pd.DataFrame) -> Plot:
    return phase_diagram.plot(numbers, list(LABELS))


def test_the_best_of_each_cell(numbers: pd.DataFrame) -> None:
    """Of the worst environment alone, whose intervals decide."""
    assert set(numbers["environment"]) == {"hard"} and len(numbers) == 9 * 3
    found = numbers.drop_duplicates(["experts", "epsilon"]).set_index(["experts", "epsilon"])["best"]
    assert found.to_dict() == BEST
    with pytest.raises(BadInput, match="one label for each"):
        phase_diagram.numbers(aggregates(), {}, list(LABELS)[:2])


@pytest.mark.parametrize(
    ("mean", "high", "low_of_second", "best"),
    [
        (400.0, 420.0, 430.0, "a"),
        # Intervals that touch overlap; at 0.95 of uniform play nothing is learned.
        (400.0, 430.0, 430.0, "tie"),
        (949.9, 949.9, 950.0, "a"),
        (950.0, 950.0, 960.0, "uniform"),
    ],
)
def test_decisions_at_their_limits(mean: float, high: float, low_of_second: float, best: str) -> None:
    table = pd.DataFrame(
        {"algorithm": ["b", "a"], "mean": [970.0, mean], "mean_high": [980.0, high]},
    ).assign(mean_low=[low_of_second, mean])
    assert phase_diagram.decide(table, 1000.0) == best


def test_cells_lie_at_their_points(described: Plot) -> None:
    """In both maps each cell is about 1 wide and high around its point, in its own colour; a tie has none."""
    bounds, measured = described.panels
    colours = {region.name: region.colour for region in measured.regions}
    assert len(set(colours.values())) == len(colours) == 3
    assert colours[phase_diagram.UNIFORMLY] == BLACK
    by_bound = {
        (n, e): smallest(POWERS, Tuning(T, K, e, n)) or "uniform" for n, e in itertools.product(EXPERTS, EPSILONS)
    }
    assert len(set(by_bound.values())) >= 3
    names = {"uniform": phase_diagram.NO_BOUND} | {
        power: f"{title} ({phase_diagram.STATEMENTS[power]})"
        for power, title in zip(POWERS, LABELS.values(), strict=True)
    }
    names_measured = {"uniform": phase_diagram.UNIFORMLY} | {
        label: names[power] for label, power in zip(LABELS, POWERS, strict=True)
    }
    for panel, best, called in ((bounds, by_bound, names), (measured, BEST, names_measured)):
        assert panel.limits == ((-0.5, 2.5), (-0.5, 2.5))
        at = {}
        for region in panel.regions:
            assert region.x and region.y
            (left, right), (low, high) = region.x, region.y
            assert 0.9 < right - left < 1.0 and 0.9 < high - low < 1.0
            i, j = (left + right) / 2, (low + high) / 2
            at[EXPERTS[round(i)], EPSILONS[round(j)]] = region.name
            assert (i, j) == pytest.approx((round(i), round(j)))
        assert at == {cell: called[name] for cell, name in best.items() if name != "tie"}
        assert dict(panel.ticks[0]) == {0.0: "2", 1.0: "4", 2.0: "64"} and len(dict(panel.ticks[1])) == 3
    assert {region.colour for region in bounds.regions if region.name == phase_diagram.NO_BOUND} == {GREY}
    # The share of T is written into each measured cell, and a tie is named.
    said = {(EXPERTS[int(note.x)], EPSILONS[int(note.y)]): note.text for note in measured.notes}
    assert said[2, 1.0] == "0.04" and said[4, 1.0] == "0.07 tie" and said[2, 1e-6] == "0.10" and len(said) == 9
    assert not bounds.notes


def test_the_words_above(numbers: pd.DataFrame, described: Plot) -> None:
    """One algorithm alone, with what the bounds promise to others, or that it changes; bounds that say something.

    Batched is measured best nowhere, and has the smallest bound somewhere. So it is not named as best in no cell.
    """
    cells = [Tuning(T, K, e, n) for n, e in itertools.product(EXPERTS, EPSILONS)]
    by_bound = [smallest(POWERS, cell) or "uniform" for cell in cells]
    assert set(by_bound) == {*POWERS, "uniform"}
    informative = sum(any(bound(cell) < T for bound in WITH_CONSTANTS.values()) for cell in cells)
    assert 0 < informative < 9 and informative != 9 - informative
    assert described.title == "Which algorithm is best changes over N and ε"
    said = f"T = 10⁶, K = {K}, 9 runs; the worst of several environments\nWith constants a bound is below T in"
    assert described.conditions == f"{said} {informative} of 9 cells"
    alone = phase_diagram.plot(numbers.assign(best="local"), list(LABELS))
    promised = {title: by_bound.count(power) for power, title in zip(POWERS, LABELS.values(), strict=True)}
    words = " and ".join(f"{title} in {count} of 9 cells" for title, count in promised.items() if title != "Local")
    assert alone.title == f"Measured, Local alone is ever best; the bounds promise {words}"
    # Where no budget is large enough, no bound says anything.
    small = phase_diagram.plot(numbers.assign(epsilon=1e-6 * numbers["epsilon"], best="local"), list(LABELS))
    assert small.title == "Measured, Local alone is ever best"
    assert small.conditions == f"{said} none of 9 cells; best in no cell of (a) or (b): Bandit, Batched"
