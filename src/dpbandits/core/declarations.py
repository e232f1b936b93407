"""Declarations of a paper's computations, figures, tables and certificates.

Each is one file, which defines ``COMPUTATION``, ``FIGURE``, ``TABLE`` or ``CERTIFICATE``. A cell is an algorithm in
one environment at one budget and horizon. A checkpoint is a round at which regret is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dpbandits.core import registry
from dpbandits.core.fields import Option, Options, resolve

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

# Option of a computation with random numbers: a configuration gives it a number that its root seed decides.
SEED = Option(0, "seed of random numbers; if it is not given, a number of the configuration's root seed")
# A row of a certificate, by column: instance, bound, and both sides.
Row = dict[str, str]
Drawing = tuple["matplotlib.figure.Figure", "pd.DataFrame"]


@dataclass(frozen=True)
class Computation:
    """A computation's declaration. One computation is one file that defines ``COMPUTATION``.

    Attributes
    ----------
    title
        The computed quantity, in words.
    source
        Paper, and its statement that the quantity belongs to, such as ``"smith2026, Theorem 3.1"``.
    compute
        ``compute(**parameters)`` returns a tidy table. A computation that reads runs is called as ``compute(runs,
        **parameters)``. ``runs`` is a list with an entry for each cell of the experiments that the configuration
        names: an algorithm in one environment at one budget and horizon. An entry has the ``cell`` (its labels and
        job), ``regret``, shape (runs, checkpoints), and the recorded ``rounds``, shape (checkpoints,).
    reads_runs
        Whether the computation reads single runs; else it reads none.
    parameters
        Default and meaning of each parameter of the computation, by name.
    """

    title: str
    source: str
    compute: Callable[..., pd.DataFrame]
    parameters: Mapping[str, Option] = field(default_factory=dict)
    reads_runs: bool = False

    def resolve(self, given: Options) -> Options:
        """Return all parameters, checked, with defaults filled in, or raise `BadInput`."""
        return resolve(self.parameters, given)


@dataclass(frozen=True, kw_only=True)
class FigureKind:
    """Title and options of a kind of figure, however it is drawn.

    Attributes
    ----------
    title
        Content of the figure, in words.
    options
        Default and meaning of each option that a configuration may set, by name.
    """

    title: str
    options: Mapping[str, Option] = field(default_factory=dict)

    def resolve(self, given: Options) -> Options:
        """Return all options, checked, with defaults filled in, or raise `BadInput`."""
        return resolve(self.options, given)


@dataclass(frozen=True, kw_only=True)
class Figure(FigureKind):
    """The declaration of a kind of figure that draws itself with Matplotlib.

    Attributes
    ----------
    draw
        ``draw(aggregates, computed, **options)`` returns the figure and the table of the numbers in it.
        ``aggregates`` is one table with a row for each cell of the figure's experiments (algorithm, environment,
        budget and horizon) and each recorded round. It has labels such as ``algorithm``, ``round``, and statistics
        such as ``mean``, over all runs or as many as the paper has. ``computed`` has the tables of the figure's
        computations by id.
    """

    draw: Callable[..., Drawing]


class Made(NamedTuple):
    """A table in two forms, for programs and for readers.

    Attributes
    ----------
    numbers
        The table for CSV, tidy and in full precision.
    text
        The table for Markdown and LaTeX. All cells and headings are text for readers, with formulas in TeX between
        dollar signs.
    """

    numbers: pd.DataFrame
    text: pd.DataFrame


@dataclass(frozen=True)
class Table:
    """The declaration of a kind of table.

    Attributes
    ----------
    title
        Content of the table, in words.
    make
        ``make(aggregates, computed, **options)`` returns a `Made`. ``aggregates`` is one table with a row for each
        cell of the table's experiments (algorithm, environment, budget and horizon) and each recorded round. It
        has labels such as ``algorithm``, ``round``, and statistics such as ``mean``, over all runs. ``computed``
        has the tables of the computations by id.
    options
        Default and meaning of each option that a configuration may set, by name.
    """

    title: str
    make: Callable[..., Made]
    options: Mapping[str, Option] = field(default_factory=dict)

    def resolve(self, given: Options) -> Options:
        """Return all options, checked, with defaults filled in, or raise `BadInput`."""
        return resolve(self.options, given)


@dataclass(frozen=True)
class Certificate:
    """The declaration of a certificate: a finding that is proved again each time it is asked for.

    Attributes
    ----------
    title
        The finding, in a line.
    source
        The statement that the finding is about, a printed one or one of ours.
    statement
        The finding, in full.
    arithmetic
        Arithmetic of the proof, such as intervals, and what has to be trusted besides.
    prove
        ``prove()`` returns a row for each inequality or equation: ``instance`` and ``bound`` in words, ``left``,
        ``is`` (the sign) and ``right``, all text. If one does not hold, it raises `NotProvedError`.
    """

    title: str
    source: str
    statement: str
    arithmetic: str
    prove: Callable[[], list[Row]]


def computation(name: object) -> Computation:
    """Return the declaration of a computation, such as ``"rare-means"``, or raise `BadInput`."""
    declared: Computation = registry.load("computation", name)
    return declared


def figure(name: object) -> FigureKind:
    """Return the declaration of a kind of figure, such as ``"regret-slope"``, or raise `BadInput`."""
    declared: FigureKind = registry.load("figure", name)
    return declared


def table(name: object) -> Table:
    """Return the declaration of a kind of table, such as ``"regret-bounds"``, or raise `BadInput`."""
    declared: Table = registry.load("table", name)
    return declared


def certificate(name: object) -> Certificate:
    """Return the declaration of a certificate, such as ``"rare-runs"``, or raise `BadInput`."""
    declared: Certificate = registry.load("certificate", name)
    return declared
