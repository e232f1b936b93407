"""wu2025, Table 1: lower and upper rates in three settings, with their values and exact regrets beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from dpbandits.core.declarations import Made, Table
from dpbandits.core.errors import BadInput
from dpbandits.settings.full_information import theory

GAPS, NO_GAPS, DETERMINISTIC = "instance-dependent", "instance-independent", "deterministic"


class Rate(NamedTuple):
    """A row of Table 1.

    Attributes
    ----------
    setting, kind
        ``instance-dependent``, ``instance-independent`` or ``deterministic``; and ``lower`` or ``upper``.
    formula, source
        The rate in TeX, and the paper and statement that it comes from.
    value
        ``value(K, epsilon, Delta_min, T)`` returns the rate as a number.
    noises
        The noises whose exact regret stands beside it; empty if the algorithm is not one of this paper.
    """

    setting: str
    kind: str
    formula: str
    source: str
    value: Callable[[float, float, float, float], float]
    noises: tuple[str, ...] = ()


PRIVATE = ("laplace", "gumbel")
ALL = ("laplace", "exponential", "gumbel")
RATES = (
    Rate(
        GAPS,
        "lower",
        r"\frac{\log K}{\Delta_{\min}}+\frac{\log K}{\varepsilon}",
        "Hu et al. 2021, eq. 2",
        lambda arms, epsilon, gap, _: theory.lower_rate(arms, epsilon, gap),
        PRIVATE,
    ),
    Rate(
        GAPS,
        "upper",
        r"\frac{\log K}{\Delta_{\min}}+\frac{\log K\log T}{\varepsilon}",
        "Hu et al. 2021, Theorem 1",
        theory.earlier_rate,
        ("laplace",),
    ),
    Rate(
        GAPS,
        "upper",
        r"\frac{\log K}{\Delta_{\min}}+\frac{\log^2 K}{\varepsilon}",
        "Theorem 2",
        lambda arms, epsilon, gap, _: theory.new_rate(arms, epsilon, gap),
        ALL,
    ),
    Rate(
        NO_GAPS,
        "lower",
        r"\sqrt{T\log K}+\frac{\log K}{\varepsilon}",
        "Hu et al. 2021",
        lambda arms, epsilon, _, horizon: theory.independent_lower_rate(arms, epsilon, horizon),
        PRIVATE,
    ),
    Rate(
        NO_GAPS,
        "upper",
        r"\sqrt{T\log K}+\frac{K\log K\log^2 T}{\varepsilon}",
        "Jain & Thakurta 2014",
        lambda arms, epsilon, _, horizon: theory.independent_rate_jain(arms, epsilon, horizon),
    ),
    Rate(
        NO_GAPS,
        "upper",
        r"\sqrt{T\log K}+\frac{\log K\log T}{\varepsilon}",
        "Asi et al. 2023, Hu et al. 2021",
        lambda arms, epsilon, _, horizon: theory.independent_rate_asi(arms, epsilon, horizon),
        ("laplace",),
    ),
    Rate(
        NO_GAPS,
        "upper",
        r"\sqrt{T\log K}+\frac{\log^2 K}{\varepsilon}",
        "Corollary 1",
        lambda arms, epsilon, _, horizon: theory.independent_rate(arms, epsilon, horizon),
        ALL,
    ),
    Rate(
        DETERMINISTIC,
        "lower",
        r"\frac{\log K}{\varepsilon}",
        "Theorem 3",
        lambda arms, epsilon, _, __: theory.deterministic_rate(arms, epsilon),
        PRIVATE,
    ),
    Rate(
        DETERMINISTIC,
        "upper",
        r"\frac{\log^2 K}{\varepsilon}",
        "Corollary 2",
        lambda arms, epsilon, _, __: theory.deterministic_earlier_rate(arms, epsilon),
        ALL,
    ),
    Rate(
        DETERMINISTIC,
        "upper",
        r"\frac{\log K}{\varepsilon}",
        "Theorem 4",
        lambda arms, epsilon, _, __: theory.deterministic_rate(arms, epsilon),
        ("exponential", "gumbel"),
    ),
)


def exact_regrets(setting: str, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return rows of exact regret in a setting of Table 1: at the longest horizon, with K next to the largest.

    Next to it are K of at least 0.7 times the largest, because families of gaps differ a little in K.
    ``setting`` is ``instance-dependent``, ``instance-independent`` or ``deterministic``. ``computed`` has tables by
    name, of ``stochastic-regret`` and ``deterministic-regret``.

    Raises
    ------
    BadInput
        If the computation that has them is not in ``computed``.
    """
    name, part = {
        GAPS: ("stochastic-regret", "arms"),
        NO_GAPS: ("stochastic-regret", "independent"),
        DETERMINISTIC: ("deterministic-regret", "arms"),
    }[setting]
    if name not in computed:
        raise BadInput("computations", sorted(computed), f"{name} among them")
    table = computed[name]
    table = table[table["part"] == part]
    # Families of gaps differ in K by what rounding does to their parts.
    table = table[table["arms"] >= 0.7 * table["arms"].max()]
    found: pd.DataFrame = table[table["horizon"] == table["horizon"].max()]
    return found


def make(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Made:
    """Return Table 1: each rate beside RNM-FTNL's exact regret with one of the noises that the rate is about.

    Of each noise the instance with the largest regret counts. An upper rate stands beside the noise with the most
    regret there, a lower rate beside the noise with the least. An upper rate of another algorithm has no regret
    beside it; its value is at the instance of the most regret. In ``numbers`` ``ratio`` is regret over the rate's
    ``value``, and ``family, arms, epsilon, gap, horizon`` are the instance. ``computed`` has the tables of
    ``stochastic-regret`` and ``deterministic-regret``.
    """
    numbers, text = [], []
    for rate in RATES:
        found = exact_regrets(rate.setting, computed)
        found = found.assign(gap=found.get("gap"), family=found.get("family"))
        chosen = found[found["noise"].isin(rate.noises or ALL)]
        # A lower bound is about the best algorithm, an upper one about the worst case of each.
        by_noise = chosen.sort_values("regret").drop_duplicates("noise", keep="last")
        worst = by_noise.iloc[0 if rate.kind == "lower" else -1]
        of = tuple(float(worst[key]) for key in ("arms", "epsilon", "gap", "horizon"))
        value = rate.value(*of)
        regret = float(worst["regret"]) if rate.noises else float("nan")
        numbers.append(
            {
                "setting": rate.setting,
                "kind": rate.kind,
                "formula": rate.formula,
                "source": rate.source,
                "value": value,
                "noise": worst["noise"] if rate.noises else "",
                "regret": regret,
                "ratio": regret / value,
                "family": worst["family"],
                **dict(zip(("arms", "epsilon", "gap", "horizon"), of, strict=True)),
                "runs": "exact",
            }
        )
        text.append(
            {
                "setting": rate.setting,
                "bound": rate.kind,
                "rate": f"${rate.formula}$",
                "source": rate.source,
                "its value": f"{value:,.0f}",
                "exact regret": f"{regret:,.0f} ({theory.TITLES[worst['noise']]})" if rate.noises else "–",
                "regret/rate": f"{regret / value:.2f}" if rate.noises else "–",
                "K": f"{of[0]:,.0f}",
                "T": f"{of[3]:,.0f}",
            }
        )
    return Made(pd.DataFrame(numbers), pd.DataFrame(text))


TABLE = Table(title="Rates of private decision-theoretic online learning, with exact regrets", make=make)
