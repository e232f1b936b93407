"""Published results as data: the aggregates behind each figure, which the package carries.

``tools/published.py`` writes them from the results of the full scale. The manifest beside them names the version,
and the digest of each file. A cell is an algorithm in one environment at one budget and horizon. A checkpoint is
a round at which regret is recorded.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import pandas as pd

from dpbandits.calls import check_call
from dpbandits.core.errors import BadInput, DamagedFile, suggest
from dpbandits.core.fields import Parameters
from dpbandits.notebook.axes import MEAN_REGRET, axes_of, draw_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = Path(__file__).parent / "data"
# Columns whose values name a panel of a figure.
PANEL = ["environment", "epsilon"]


class Manifest(TypedDict):
    """Manifest of the data that the package carries: version, names, and digests of files."""

    # Of dpbandits, and the root seed of the runs.
    version: str
    root_seed: int
    # Environments of all papers, by name.
    environments: dict[str, Parameters]
    # Names of the tables behind each figure, by paper and figure: those of its experiments, or ``figure-NAME``.
    figures: dict[str, dict[str, list[str]]]
    # Digest of each table's file, by its path below `FOLDER`, ``PAPER/NAME.csv.gz``.
    files: dict[str, str]
    # By the same paths: digest of all that the table was made from (configuration, sources, runs), as the seal in
    # the folder of results has it.
    seals: dict[str, str]


@functools.cache
def manifest() -> Manifest:
    """Return the manifest: ``version``, ``root_seed``, ``environments``, ``figures``, ``files`` and ``seals``."""
    found: Manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return found


def environment(name: object) -> Parameters:
    """Return an environment of a paper, ``{"kind": ...}``, by its name, such as ``"mu1"``, or raise `BadInput`."""
    known = manifest()["environments"]
    if not isinstance(name, str) or name not in known:
        raise BadInput("environments", name, suggest(name, known))
    return dict(known[name])


@dataclass(frozen=True, repr=False)
class Published:
    """The numbers behind a published figure, as a table.

    Attributes
    ----------
    paper, figure : str
        Id of the paper, and name of the figure.
    frame : DataFrame
        For a figure of experiments, a row for each cell and checkpoint. Columns are ``experiment, algorithm``,
        ``title, environment, epsilon, horizon, runs, round``, statistics such as ``mean, mean_low, mean_high`` and
        ``q95``, and the regret ``uniform`` of uniform play. For any other figure, its own table.
    version : str
        Version of dpbandits that made the results.
    seals : dict of str to str
        By a table's name, the digest of all that it was made from. In a folder of results the table's seal has the
        same digest.
    """

    paper: str
    figure: str
    frame: pd.DataFrame
    version: str
    seals: dict[str, str]

    def __repr__(self) -> str:
        """Return the figure's name with version and seals, and the beginning of the table."""
        sealed = ", ".join(f"{name} {seal}" for name, seal in self.seals.items())
        head = f"{self.paper} {self.figure}, {len(self.frame)} rows, dpbandits {self.version}, sealed: {sealed}"
        return f"{head}\n{self.frame.head()}"

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of ``frame``."""
        return self.frame.copy()

    @property
    def panels(self) -> list[tuple[str, float]]:
        """Environment and budget of each panel, in the order of the table; the budget is NaN if no row has one.

        A figure without regret over rounds raises `BadInput`.
        """
        self._check_curves()
        rows = self.frame.dropna(subset=["epsilon"]) if self.frame["epsilon"].notna().any() else self.frame
        return list(rows[PANEL].drop_duplicates().itertuples(index=False, name=None))

    def of_panel(self, environment: str, epsilon: float) -> pd.DataFrame:
        """Return a panel's rows: those of its environment at its budget, and those without a budget.

        ``environment`` and ``epsilon`` are a pair of `panels`, such as ``("mu1", 0.1)``. Algorithms without privacy
        have no budget, and belong to each panel of their environment.

        Raises
        ------
        BadInput
            If the figure has no such panel.
        """
        if (environment, epsilon) not in self.panels:
            raise BadInput("panel", f"{environment}, ε = {epsilon}", f"one of {self.panels}")
        same = self.frame["epsilon"].isna() | (self.frame["epsilon"] == epsilon)
        return self.frame[(self.frame["environment"] == environment) & same]

    def _check_curves(self) -> None:
        """Refuse a figure that shows no regret over rounds."""
        if not {"round", "mean_low", *PANEL} <= set(self.frame.columns):
            raise BadInput("figure", self.figure, "a figure of regret over rounds; of this one take .frame")

    def plot(
        self, axes: Axes | None = None, *, environment: str | None = None, epsilon: float | None = None
    ) -> Axes:
        """Draw the mean regrets of one panel as dashed lines, with intervals of the means; return the axes.

        Parameters
        ----------
        axes
            Axes to draw on; new ones by default.
        environment, epsilon
            Environment and budget of the panel. If one of them or both are left out, the first panel that fits is
            drawn.

        Raises
        ------
        BadInput
            If the figure has no such panel, or shows no regret over rounds.
        """
        self._check_curves()
        fits = [
            panel
            for panel in self.panels
            if environment in (None, panel[0]) and (epsilon is None or epsilon == panel[1])
        ]
        if not fits:
            raise BadInput("panel", f"{environment}, ε = {epsilon}", f"one of {self.panels}")
        axes = axes_of(axes)
        place, budget = fits[0]
        for _, rows in self.of_panel(place, budget).groupby("algorithm", sort=False):
            draw_mean(axes, rows, rows["title"].iloc[0], shade=0.15, linestyle="--")
        axes.set(**MEAN_REGRET)
        told = "" if pd.isna(budget) else f", ε = {budget:g}"
        axes.set_title(f"{self.paper} {self.figure}: {place}{told}")
        axes.legend(frameon=False)
        return axes


@check_call
def published(paper: str, figure: str) -> Published:
    """Return the numbers behind a published figure, as a table with its version and seals.

    Parameters
    ----------
    paper
        Id of the paper; ``"all"`` for the figure ``"privacy"``, which is of all papers.
    figure
        Name of the figure, such as ``"fig4"``.

    Raises
    ------
    BadInput
        If the package carries no such figure.
    DamagedFile
        If a file of the package's data is not the one that was written.
    """
    known: Mapping[str, Mapping[str, list[str]]] = manifest()["figures"]
    if not isinstance(paper, str) or paper not in known:
        raise BadInput("paper", paper, suggest(paper, known))
    if not isinstance(figure, str) or figure not in known[paper]:
        raise BadInput("figure", figure, suggest(figure, known[paper]))
    tables = {name: f"{paper}/{name}.csv.gz" for name in known[paper][figure]}
    frame = pd.concat(map(_read, tables.values()), ignore_index=True)
    seals = {name: manifest()["seals"][file] for name, file in tables.items()}
    return Published(paper, figure, frame, manifest()["version"], seals)


def _read(name: str) -> pd.DataFrame:
    content = (FOLDER / name).read_bytes()
    if hashlib.blake2b(content, digest_size=16).hexdigest() != manifest()["files"][name]:
        raise DamagedFile(
            str(FOLDER / name), "other bytes", "those that its manifest names", "install the package again"
        )
    return pd.read_csv(io.BytesIO(content), compression="gzip")
