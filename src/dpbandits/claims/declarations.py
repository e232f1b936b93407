"""Declarations, evidence and findings of kinds of tests of claims.

A cell is an algorithm in one environment at one budget and horizon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd

from dpbandits.claims.estimate import Estimate
from dpbandits.claims.expressions import conditions, parse
from dpbandits.core import registry
from dpbandits.core.errors import within
from dpbandits.core.fields import Option, Options, resolve

if TYPE_CHECKING:
    from dpbandits.runs.aggregate import Measured

Side = Literal["holds", "fails", "open"]
# Columns that tell where a number was measured; a part has those that it knows.
CELL = ("algorithm", "environment", "epsilon", "horizon")
# How an effect is planted into an estimate: times a factor, or added to an exponent, a logarithm, or a difference.
Unit = Literal["factor", "exponent", "logarithm", "difference"]
# What a claim is about, and the effect that a test has to see before it may say that the claim holds.
About = Literal["constant", "exponent", "order"]
# The most that a part can come to: data that span too little leave it open, whichever way they lean; data that no
# algorithm could have had otherwise make it vacuous; a bound that linear regret keeps is untested.
Cap = Literal["holds", "unrefuted", "untested", "vacuous", "open"]
# How far an estimate may move with other seeds, in half-widths of its 95 % interval: three standard deviations of
# the difference between two such estimates.
ANOTHER_SEED = 3.0 * math.sqrt(2.0) / 1.96


class Decision(NamedTuple):
    """Side to which the evidence leans, and the two-sided p-value with which it is shown.

    ``side`` is ``holds``, ``fails`` or ``open``. ``p`` is NaN if the estimate was computed exactly.
    """

    side: Side
    p: float


class Finding(NamedTuple):
    """One part of a claim, tested.

    Attributes
    ----------
    part
        Name of the part, in words.
    estimate
        Estimate of the quantity that was measured.
    at_least, at_most
        Limits of the quantity between which the part holds; either may be infinite.
    runs
        Number of runs as text, ``exact`` if computed, ``proved`` by an argument.
    decision
        Decision by this part's evidence alone, before the correction for the number of tests.
    moved
        Two decisions: if other seeds had moved the estimate down, and if they had moved it up.
    unit
        How an effect, for the power of the test, would change the estimate: ``factor`` multiplies it; ``exponent``,
        ``logarithm`` and ``difference`` are added to it.
    cap
        The best verdict that the part can have: ``holds``, ``unrefuted`` (*not contradicted*), ``untested``,
        ``vacuous`` or ``open`` (*not decided*, even if it fails).
    cell
        Where it was measured: those of ``algorithm``, ``environment``, ``epsilon`` and ``horizon`` that are known.
    """

    part: str
    estimate: Estimate
    at_least: float
    at_most: float
    runs: str
    decision: Decision
    moved: tuple[Decision, Decision]
    unit: Unit = "factor"
    cap: Cap = "holds"
    cell: Mapping[str, str | float] = MappingProxyType({})


def decide(estimate: Estimate, at_least: float, at_most: float) -> Decision:
    """Return the side that the estimate supports better, ``holds`` or ``fails``, with a two-sided p-value.

    The part is shown to hold if it holds at each end, so the larger p-value counts. It is shown to fail if it fails
    at one end, so the smaller p-value counts, doubled if there are two ends. An exact estimate has the p-value NaN.
    """
    # p-values of the hypotheses that the quantity is at most the lower end, and that it is at least the upper one.
    too_small, too_large = estimate.tails(at_least)[0], estimate.tails(at_most)[1]
    if estimate.exact:
        return Decision("holds" if at_least <= estimate.value <= at_most else "fails", math.nan)
    ends = int(math.isfinite(at_least)) + int(math.isfinite(at_most))
    holds = max(too_small, too_large)
    fails = ends * min(estimate.tails(at_least)[1], estimate.tails(at_most)[0])
    return Decision("holds" if holds <= fails else "fails", min(1.0, 2.0 * min(holds, fails)))


def decide_between(estimate: Estimate, asked: tuple[float, float], refuted: tuple[float, float]) -> Decision:
    """Return the decision under two pairs of limits, of which ``refuted`` is the wider one.

    Both are pairs (at least, at most). Inside of ``asked`` the part holds. Outside of ``refuted`` it fails. Between
    them it is open.
    """
    decision = decide(estimate, *asked)
    if decision.side == "holds":
        return decision
    wider = decide(estimate, *refuted)
    return wider if wider.side == "fails" else Decision("open", 1.0)


def finding(
    part: str,
    estimate: Estimate,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    runs: str = "exact",
    unit: Unit = "factor",
    cap: Cap = "holds",
    cell: Mapping[str, str | float] = MappingProxyType({}),
    refuted: tuple[float, float] | None = None,
) -> Finding:
    """Return a part of a claim with its decision, and with the two that other seeds might have given.

    Parameters
    ----------
    part
        Name of the part, in words.
    estimate
        Estimate of the quantity that was measured or computed.
    at_least, at_most
        Limits of the quantity between which the part holds.
    runs
        Number of runs as text, such as ``10,000``; ``exact`` if the quantity was computed.
    unit
        How an effect, for the power of the test, would change the estimate: as a ``factor``, or as an ``exponent``,
        ``logarithm`` or ``difference`` that is added.
    cap
        The best verdict that the part can have: ``holds``, ``unrefuted`` (*not contradicted*), ``untested``,
        ``vacuous`` or ``open`` (*not decided*, even if it fails).
    cell
        Where it was measured: values of ``algorithm``, ``environment``, ``epsilon`` and ``horizon``, if known.
    refuted
        Wider limits, outside of which the part fails; by default the same ones. Between both pairs it is open.
    """
    # A threshold further up looks as an estimate further down.
    asked = at_least, at_most
    wider = refuted or asked

    def moved(limits: tuple[float, float], way: float) -> tuple[float, float]:
        return estimate.moved(limits[0], way), estimate.moved(limits[1], way)

    down, up = (
        decide_between(estimate, moved(asked, way), moved(wider, way)) for way in (ANOTHER_SEED, -ANOTHER_SEED)
    )
    decision = decide_between(estimate, asked, wider)
    return Finding(part, estimate, at_least, at_most, runs, decision, (down, up), unit, cap, cell)


def every(decisions: Sequence[Decision]) -> tuple[Decision, int]:
    """Return the decision on whether all sampled parts hold, and the index of the part that it rests on.

    All hold if the least certain one does, so the largest p-value counts. With n parts there are n chances that one
    fails by accident, so the smallest p-value among those that fail counts n times. An open part, whose p-value is
    1, does not fail, but leaves it unshown that all hold. There has to be a part.
    """
    p = [decision.p for decision in decisions]
    failing = [i for i, decision in enumerate(decisions) if decision.side == "fails"]
    if failing:
        least = min(failing, key=p.__getitem__)
        return Decision("fails", min(1.0, len(decisions) * p[least])), least
    most = max(range(len(p)), key=p.__getitem__)
    return Decision("holds", p[most]), most


def some(decisions: Sequence[Decision]) -> tuple[Decision, int]:
    """Return the decision on whether some sampled part holds, and the index of the part that it rests on."""
    opposite: dict[Side, Side] = {"holds": "fails", "fails": "holds", "open": "open"}
    decision, place = every([Decision(opposite[each.side], each.p) for each in decisions])
    return Decision(opposite[decision.side], decision.p), place


def any_of(findings: Sequence[Finding]) -> Finding:
    """Return the finding that decides whether some part holds; its decision becomes that on all parts together."""
    return _combined(findings, some)


def all_of(findings: Sequence[Finding]) -> Finding:
    """Return the finding that decides whether all parts hold; its decision becomes that on all parts together."""
    return _combined(findings, every)


def _combined(findings: Sequence[Finding], rule: Callable[[Sequence[Decision]], tuple[Decision, int]]) -> Finding:
    decision, place = rule([found.decision for found in findings])
    down, up = (rule([found.moved[way] for found in findings])[0] for way in (0, 1))
    return findings[place]._replace(decision=decision, moved=(down, up))


class Published(NamedTuple):
    """Result of as few runs as the paper made.

    Attributes
    ----------
    runs
        The paper's number of runs.
    shows
        Result of the first ``runs`` of our runs, in words, such as "20 runs show it in 3 of 4 cells".
    share
        Share of sets of that many runs, drawn from all, in which the claim's statement is seen.
    """

    runs: int
    shows: str
    share: float


class Outcome(NamedTuple):
    """Result of a test.

    Attributes
    ----------
    findings
        The tested parts; empty if there are no data for any.
    published
        Result of as few runs as the paper made; ``None`` if the claim was not made from few runs.
    vacuous
        Whether there were data. It counts if there are no findings: then none of the data can show anything, and an
        algorithm that learns nothing would have the same verdict.
    """

    findings: list[Finding]
    published: Published | None = None
    vacuous: bool = False


class Evidence(NamedTuple):
    """Data that a test looks at.

    Attributes
    ----------
    aggregates
        One tidy table of the test's experiments, for a test that reads them: a row for each cell. It has
        ``algorithm`` (label), ``title``, ``environment, epsilon, horizon, runs``, ``mean`` and ``sd`` of the runs'
        regret at the horizon, ``uniform`` (uniform play's), and parameters.
    computed
        Tables of the test's computations, by id.
    runs
        For a test that reads runs: of each cell of its experiments the ``cell`` and the ``regret`` of its runs at
        the horizon, shape (runs, 1).
    audits
        The table of privacy audits, for a test that reads it.
    published_runs
        The paper's number of runs.
    seed
        Root seed of the configuration, with which sets of few runs are drawn.
    some
        Whether the claim is that some part holds, and not that every one does.
    """

    aggregates: pd.DataFrame
    computed: Mapping[str, pd.DataFrame]
    runs: Sequence[Measured]
    audits: pd.DataFrame
    published_runs: int
    seed: int = 0
    some: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """All computed tables as one, or else the aggregates."""
        tables = list(self.computed.values())
        return pd.concat(tables, ignore_index=True) if tables else self.aggregates


@dataclass(frozen=True)
class Expression(Option):
    """An option that is an expression of columns, such as ``mean / uniform``, or a list of such.

    `dpbandits.claims.expressions` reads it.
    """


@dataclass(frozen=True)
class Where(Option):
    """An option that selects rows by conditions on columns, such as ``{"epsilon": {"at_most": 1}}``.

    `dpbandits.claims.expressions` reads it.
    """

    default: bool | int | float | str | list[Any] | dict[str, Any] = field(default_factory=dict)
    description: str = "which rows: conditions on columns, or on expressions of them"


@dataclass(frozen=True)
class Labels(Option):
    """An option that names algorithms of the test's experiments by their labels, one or a list."""


class Asked(NamedTuple):
    """Limits that a test asks a quantity to be within.

    Attributes
    ----------
    at_least, at_most
        Lower and upper limit: numbers, which may be infinite, or expressions of columns.
    of
        Labels of the algorithms to which the limits apply, joined by ", "; empty if they apply to all.
    """

    at_least: float | str = -math.inf
    at_most: float | str = math.inf
    of: str = ""


def no_limits(_: Options) -> list[Asked]:
    """Return no limits: an argument compares nothing."""
    return []


@dataclass(frozen=True)
class ClaimTest:
    """The declaration of a kind of test. One kind is one file in ``claims/kinds/`` that defines ``TEST``.

    Attributes
    ----------
    title
        The tested quantity or statement, in words.
    evaluate
        ``evaluate(evidence, **options)`` returns an `Outcome` of an `Evidence`.
    words
        ``words(options)`` returns the test in words, with marks such as ``{inside}``, in whose place
        `dpbandits.claims.sentences.filled` puts the limits: "at most 1".
    fails_if
        ``fails_if(options)`` returns what would fail the test, with marks such as ``{beyond}`` ("above 1").
    limits
        ``limits(options)`` returns the limits that parts are compared with.
    part
        Word for one of the test's parts, such as ``setting``.
    nothing
        Reason, in words, why no part can be tested if there is none.
    options
        Options that a claim may set, by name.
    reads
        Data that the test gets: ``aggregates`` or ``runs`` of a claim's experiments, ``audits``, or ``computed``
        tables. Each test has one of them.
    about
        Subject of claims with this test: a ``constant``, an ``exponent``, or an ``order`` of quantities.
    refutes
        Whether the test can only refute, never show, because its data are always less than what is claimed.
    draws
        Whether the test counts units, such as bandits, that were drawn at random. Some stay open, and no number of
        runs is known that would decide them.
    """

    title: str
    evaluate: Callable[..., Outcome]
    words: Callable[[Options], str]
    fails_if: Callable[[Options], str]
    limits: Callable[[Options], Sequence[Asked]] = no_limits
    part: str = "part"
    nothing: str = "no data"
    options: Mapping[str, Option] = field(default_factory=dict)
    reads: Literal["aggregates", "runs", "audits", "computed"] = "aggregates"
    about: About = "order"
    refutes: bool = False
    draws: bool = False

    def resolve(self, given: Options) -> Options:
        """Return ``given`` options, checked, with the defaults of all others, or raise `BadInput`."""
        options = resolve(self.options, given)
        for name, option in self.options.items():
            with within(name):
                if isinstance(option, Where):
                    conditions(options[name])
                elif isinstance(option, Expression):
                    for text in filter(None, _texts(options[name])):
                        parse(text)
        return options


def _texts(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


def claim_test(name: object) -> ClaimTest:
    """Return the declaration of a kind of test by its name, such as ``trend``, or raise `BadInput`."""
    declared: ClaimTest = registry.load("test", name)
    return declared
