"""The regimes of bandits with experts (asi2025, Table 2): who is best as printed, by bound and as measured."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Made, Table
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.tables import Row, worst
from dpbandits.settings.experts.theory import BOUNDS, POWERS, STATEMENTS, WITH_CONSTANTS, smallest, table2

REGIMES = {
    "cor8": r"low dimension, high privacy: $N \leq K$",
    "thm9": r"high dimension, low privacy: $N \geq K$, $\varepsilon \geq K/N$",
    "thm10": r"high dimension, high privacy: $N \geq K$, $\varepsilon \leq 1/\sqrt{T}$",
}


def make(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], algorithms: list[str]) -> Made:
    """Return the table: a row for each regime of Table 2 and each measured (N, epsilon) in it.

    The labels ``algorithms`` stand for Corollary 8, Theorem 9 and Theorem 10, in this order; `BadInput` is raised
    if there are not three. In ``numbers`` the algorithms are called ``cor8``, ``thm9`` and ``thm10``. So is the
    ``regime`` in which Table 2 has the algorithm as best. ``best_by_powers`` has the smallest bound without
    constants; it is missing if no bound is below the horizon. ``best_measured`` has the least mean regret, and
    ``clear`` tells if its interval is below the others'. Columns such as ``bound_cor8``,
    ``bound_with_constants_cor8``, ``mean_cor8`` and its interval have the values.
    """
    if len(algorithms) != len(POWERS):
        raise BadInput("options.algorithms", algorithms, f"one label for each of {', '.join(POWERS)}")
    label = dict(zip(POWERS, algorithms, strict=True))
    measured = worst(aggregates[aggregates["algorithm"].isin(algorithms)], ["algorithm", "experts", "epsilon"])
    numbers: list[Row] = []
    text: list[dict[str, str]] = []
    for (count, epsilon), cell in measured.groupby(["experts", "epsilon"]):
        first = cell.iloc[0]
        tuning = Tuning(int(first["horizon"]), int(first["arms"]), float(first["epsilon"]), int(first["experts"]))
        regret = {name: cell.loc[cell["algorithm"] == label[name]].iloc[0] for name in POWERS}
        best = min(regret, key=lambda name: float(regret[name]["mean"]))
        rest = min(float(regret[name]["mean_low"]) for name in POWERS if name != best)
        clear = bool(float(regret[best]["mean_high"]) < rest)
        by_powers = smallest(POWERS, tuning)
        for regime in table2(tuning):
            numbers.append(
                {
                    "regime": regime,
                    "experts": count,
                    "epsilon": epsilon,
                    "arms": tuning.arms,
                    "horizon": tuning.horizon,
                    "runs": first["runs"],
                    "best_by_powers": by_powers,
                    "best_measured": best,
                    "clear": clear,
                    **{f"bound_{name}": BOUNDS[name].suppressed(tuning) for name in POWERS},
                    **{f"bound_with_constants_{name}": value(tuning) for name, value in WITH_CONSTANTS.items()},
                    **{f"mean_{name}": regret[name]["mean"] for name in POWERS},
                    **{f"mean_low_{name}": regret[name]["mean_low"] for name in POWERS},
                    **{f"mean_high_{name}": regret[name]["mean_high"] for name in POWERS},
                }
            )
            text.append(
                {
                    "regime, as printed": REGIMES[regime],
                    "printed as best": STATEMENTS[regime],
                    "its bound": f"${BOUNDS[regime].formula}$",
                    "N": str(count),
                    "ε": f"{epsilon:g}",
                    "smallest power": STATEMENTS[by_powers] if by_powers else "none below T",
                    **{f"regret/T, {STATEMENTS[n]}": f"{regret[n]['mean'] / tuning.horizon:.3f}" for n in POWERS},
                    "measured best": STATEMENTS[best] if clear else "tie",
                }
            )
    table = pd.DataFrame(numbers)
    places = table["regime"].map(list(POWERS).index).sort_values(kind="stable").index
    return Made(table.loc[places].reset_index(drop=True), pd.DataFrame(text).loc[places].reset_index(drop=True))


TABLE = Table(
    title="Regimes of bandits with experts: who is best as printed, by bound and as measured",
    make=make,
    options={
        "algorithms": Option([], "labels that stand for Corollary 8, Theorem 9 and Theorem 10, in this order")
    },
)
