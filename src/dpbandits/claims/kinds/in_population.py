"""Share of a class in which a statement holds, from units, such as bandits, that were drawn from the class."""

from __future__ import annotations

import numpy as np

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Outcome, Where, finding
from dpbandits.claims.estimate import Limits
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._tables import rows
from dpbandits.claims.tails import Z
from dpbandits.core.distributions import beta_quantile, normal_above
from dpbandits.core.fields import Option, Options


def share_limits(holds: int, fails: int, units: int) -> Limits:
    """Return Clopper and Pearson's one-sided confidence limits of the share of units in which a statement holds.

    Of ``units``, it holds in ``holds`` and fails in ``fails``. The others are open: they count as failing for the
    lower limits, and as holding for the upper ones.
    """
    tails = [normal_above(z) for z in Z]
    lower = [beta_quantile(holds, units - holds + 1.0, tail) if holds else 0.0 for tail in tails]
    upper = [1.0 - beta_quantile(fails, units - fails + 1.0, tail) if fails else 1.0 for tail in tails]
    value = holds / units
    below, above = np.minimum(lower, value), np.maximum(upper, value)
    return Limits(value, np.minimum.accumulate(below), np.maximum.accumulate(above))


def evaluate(evidence: Evidence, where: Conditions, side: str, at_least: float, leans: Conditions) -> Outcome:
    """Return a finding on the share of units in which the statement holds: their ``side`` is above 0.

    Parameters
    ----------
    evidence
        Data of the test, which reads computed tables, or else the aggregates.
    where
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; a row is a unit.
    side
        Column that is above 0 where the statement is shown, below 0 where it is refuted, and 0 where it is open.
    at_least
        Share of the class that is claimed, from 0 to 1.
    leans
        Conditions that an open unit meets if it leans for the statement; they only add words to the part's name.
    """
    table = rows(evidence, where)
    if table.empty:
        return Outcome([])
    sides = table[side].to_numpy()
    holds, fails, units = int((sides > 0).sum()), int((sides < 0).sum()), len(table)
    # What is open may turn out either way, so that the count of the drawn units is known no better than this.
    part = f"in {holds}{'' if holds + fails == units else f' to {units - fails}'} of {units}"
    unsettled = table[table[side] == 0]
    if len(unsettled) and leans:
        towards = len(chosen(unsettled, leans))
        part += f"; of {len(unsettled)} that are open {towards} lean for it, {len(unsettled) - towards} against"
    estimate = share_limits(holds, fails, units).estimate()
    return Outcome([finding(part, estimate, at_least=at_least, runs=f"{units} drawn", unit="difference")])


def words(_: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return (
        "{inside} of the class of which the bandits are drawn (Clopper and Pearson; what is open counts against it)"
    )


def fails_if(_: Options) -> str:
    """Return what would fail the test, with a mark that `dpbandits.claims.sentences.filled` replaces.

    ``{beyond}`` becomes, for example, "below 0.9".
    """
    return "a share of the class that is {beyond}"


TEST = ClaimTest(
    title="The share of a drawn population in which a statement holds",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda options: [Asked(options["at_least"])],
    part="share",
    nothing="no bandit was drawn",
    reads="computed",
    draws=True,
    options={
        "where": Where(),
        "side": Option(
            "side", "column that is above 0 where the statement is shown, and below 0 where it is refuted"
        ),
        "at_least": Option(0.9, "the share that is claimed"),
        "leans": Where(description="conditions that an open unit meets if it leans for the statement"),
    },
)
