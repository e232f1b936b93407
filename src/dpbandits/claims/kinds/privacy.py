"""Verdicts of privacy audits: no audit shows a larger privacy loss than is claimed."""

from __future__ import annotations

import math

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Outcome, finding
from dpbandits.claims.estimate import exact
from dpbandits.claims.kinds._tables import located, named, only
from dpbandits.core.fields import Option, Options

# A loss is larger than claimed if it is so by more than this share: exact losses are right to many more digits.
ROUNDING = 1e-9
LIMITS = -math.inf, 1.0 + ROUNDING


def evaluate(evidence: Evidence, algorithms: list[str], replayed: bool) -> Outcome:
    """Return a finding for each audit of ``algorithms``: the loss that it shows, divided by the budget.

    The loss is exact for one release or a replayed run. Otherwise it is a lower bound with the audit's confidence.
    It is compared as it is, and the part holds up to a ratio of 1.

    Parameters
    ----------
    evidence
        Data of the test, which reads the table of audits.
    algorithms
        Names of algorithms as `dpbandits list` prints them; all if empty.
    replayed
        Whether only losses of replayed runs count; audits without one are left out.
    """
    if evidence.audits.empty:
        return Outcome([])
    table = only(evidence.audits, "algorithm", algorithms)
    if replayed:
        table = table.assign(audited=table["replayed"], method="replayed").dropna(subset=["audited"])
    return Outcome(
        [
            finding(
                named(row, ["title", "epsilon"]),
                exact(float(row["audited"]) / row["epsilon"]),
                *LIMITS,
                runs=row["method"] if row["method"] in ("exact", "replayed") else f"{row['effort']:,.0f}",
                cell=located(row, ["title", "epsilon"]),
            )
            for _, row in table.iterrows()
        ]
    )


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    of = ", ".join(options["algorithms"])
    what = (
        f"of {of}, exact for whole runs that are replayed on neighbouring inputs that answer actions"
        if options["replayed"]
        else f"of {of}, exact for a release or for whole runs that are replayed, else a lower bound at 99.9 %"
    )
    return f"{{inside}} in each audit {what}. An audit can refute privacy, and support it by what it fails to find"


def fails_if(_: Options) -> str:
    """Return what would fail the test, in words."""
    return "one release, or one pair of neighbouring inputs, with a larger loss. Whoever plays uniformly is private"


TEST = ClaimTest(
    title="Privacy audits show no larger loss than claimed",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda _: [Asked(*LIMITS)],
    part="audit",
    nothing="no audit",
    options={
        "algorithms": Option([], "names of `dpbandits list`"),
        "replayed": Option(False, "whether only whole runs count, replayed on inputs that answer actions"),
    },
    reads="audits",
)
