"""Whether regret, as a multiple of the lower bound, changes smoothly where the privacy regime does."""

from __future__ import annotations

from dpbandits.claims.declarations import ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.kinds._tables import runs_text
from dpbandits.claims.kinds.regret_ratio import ratio
from dpbandits.core.options import Option, Options
from dpbandits.core.tables import learned, means_of
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

# Budgets count at which regret is at most this share of uniform play's.
LEARNED = 0.05


def evaluate(evidence: Evidence, within: float) -> Outcome:
    """Compare the multiples at the two budgets next to each change of regime that the budgets enclose."""
    findings: list[Finding] = []
    every = evidence.aggregates
    seen = learned(every, LEARNED) if len(every) else every
    for _, table in seen.groupby(["algorithm", "environment"]) if len(seen) else ():
        means = means_of(table.iloc[0])
        table = table.sort_values("epsilon").reset_index(drop=True)
        bounds = table["epsilon"].map(lambda epsilon, means=means: lower_bound_slope(means, epsilon))
        table[["mean", "sd"]] = table[["mean", "sd"]].div(bounds, axis=0)
        for change in sorted({regime_change(mean, max(means)) for mean in means if mean < max(means)}):
            above = int((table["epsilon"] < change).sum())
            if 0 < above < len(table):
                low, high = table.iloc[above - 1], table.iloc[above]
                part = f"{low['title']}, ε* = {change:.3g}"
                runs = runs_text([float(low["runs"])])
                findings.append(finding(part, ratio(high, low), 1.0 / within, within, runs))
    return Outcome(findings, vacuous=len(evidence.aggregates) > 0)


def words(options: Options) -> str:
    """Return the test in words."""
    return (
        f"within a factor {options['within']:g} of 1 (Welch's t test), from the last budget below the change of "
        f"regime to the first above it, where regret is at most {LEARNED:g} of uniform play's on both sides"
    )


def power(options: Options) -> str:
    """Return what would fail the test, in words."""
    return f"a jump by a factor of {options['within']:g} between neighbouring budgets where something is learned"


TEST = ClaimTest(
    title="Smoothness of regret where the privacy regime changes",
    evaluate=evaluate,
    words=words,
    power=power,
    nothing="all budgets are on one side of every change of regime",
    about="constant",
    options={"within": Option(1.25, "factor of change that counts as smooth")},
)
