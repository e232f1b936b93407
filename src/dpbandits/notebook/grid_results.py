"""Results of a grid: runs of each finished cell, as tables, as comparisons and as a picture.

A cell is the runs of one algorithm in one environment at one budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.notebook import published
from dpbandits.notebook.axes import MEAN_REGRET, axes_of, draw_mean
from dpbandits.notebook.cells import Cell
from dpbandits.notebook.compare import compared
from dpbandits.notebook.simulated import Simulated

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Grid:
    """Results of a grid, without cells that were not finished.

    Attributes
    ----------
    runs : list of Simulated
        Runs of each finished cell, by environment, then algorithm, then budget, each in the order given to
        `dpbandits.grid`.
    cells : list of Cell
        Finished cells with their labels, in the order of ``runs``.
    missing : int
        Number of cells that were not finished.
    """

    runs: list[Simulated]
    cells: list[Cell]
    missing: int = 0

    def __repr__(self) -> str:
        """Return the table at the horizon, and what is missing."""
        rest = f"\n{self.missing} cells were not finished" if self.missing else ""
        return f"{self.summary().to_string(index=False)}{rest}"

    def to_frame(self) -> pd.DataFrame:
        """Return a table ``algorithm, environment, epsilon, run, round, regret``, with all runs and checkpoints."""
        frames = [
            runs.to_frame().assign(algorithm=cell.algorithm, environment=cell.environment)
            for runs, cell in zip(self.runs, self.cells, strict=True)
        ]
        columns = ["algorithm", "environment", "epsilon", "run", "round", "regret"]
        return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)

    def summary(self) -> pd.DataFrame:
        """Return statistics of regret at the horizon: a row for each cell.

        Columns are ``algorithm, environment, epsilon, round, mean, sd``, the 95 % interval ``mean_low, mean_high``,
        quantiles ``q05, q25, q50, q75, q95, q99``, and ``maximum``. A grid of one run raises `BadInput`.
        """
        rows = [
            {
                "algorithm": cell.algorithm,
                "environment": cell.environment,
                "epsilon": cell.job.epsilon,
                **runs.summary().iloc[-1].to_dict(),
            }
            for runs, cell in zip(self.runs, self.cells, strict=True)
        ]
        return pd.DataFrame(rows)

    def compare(self, against: str | None = None) -> pd.DataFrame:
        """Return each algorithm's regret divided by that of ``against``: a row for each cell of another algorithm.

        Columns are ``algorithm, against, environment, epsilon, mean_ratio``, its interval ``mean_low, mean_high``,
        ``mean_verdict`` (``less``, ``more`` or ``not decided``) and ``mean_visible``, the smallest true ratio above
        1 that as many runs would show with a probability of 0.9. Then follow the same columns of medians. If
        ``against`` has no budget, cells of all budgets are compared with it. Cells to which ``against`` has no
        counterpart are left out.

        Parameters
        ----------
        against
            Label of an algorithm; the first one by default.

        Raises
        ------
        BadInput
            If no cell has this label, or all have, or there are fewer than two runs.
        """
        names = list(dict.fromkeys(cell.algorithm for cell in self.cells))
        chosen = names[0] if against is None and names else against
        if chosen not in names:
            raise BadInput("against", chosen, f"one of {', '.join(names)}")
        if len(names) < 2:
            raise BadInput("against", chosen, "an algorithm beside others; the grid has this one alone")
        found = {
            (cell.algorithm, cell.environment, cell.job.epsilon): runs
            for runs, cell in zip(self.runs, self.cells, strict=True)
        }
        rows = []
        for (name, place, epsilon), runs in found.items():
            # An algorithm without privacy has no budget, and serves for all.
            other = found.get((chosen, place, epsilon), found.get((chosen, place, None)))
            if name != chosen and other is not None:
                result = compared(runs, other, (name, chosen))
                rows.append(
                    {"algorithm": name, "against": chosen, "environment": place, "epsilon": epsilon, **result.row()}
                )
        return pd.DataFrame(rows)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw mean regret of each cell, with its 95 % interval, on ``axes``, by default new ones; return them.

        Rounds are on a logarithmic axis. A cell of one run raises `BadInput`.
        """
        axes = axes_of(axes)
        several = len({cell.environment for cell in self.cells}) > 1
        for runs, cell in zip(self.runs, self.cells, strict=True):
            budget = "" if cell.job.epsilon is None else f", ε = {cell.job.epsilon:g}"
            label = f"{cell.algorithm}{budget}" + (f", {cell.environment}" if several else "")
            draw_mean(axes, runs.summary(), label, shade=0.2)
        axes.set(**MEAN_REGRET)
        axes.legend(frameon=False)
        return axes

    def beside(self, paper: str, figure: str, axes: Axes | None = None) -> Axes:
        """Draw a panel of a published figure, and over it the mean regret of all cells; return the axes.

        The panel is the figure's first whose environment and budget both occur among the cells.

        Parameters
        ----------
        paper, figure
            Id of the paper and name of the figure, as `dpbandits.published` takes them.
        axes
            Axes to draw on; new ones by default.

        Raises
        ------
        BadInput
            If there is no such figure, it has no panel of these environments and budgets, or it shows no regret
            over rounds.
        """
        epsilons = {cell.job.epsilon for cell in self.cells} - {None}
        places = {cell.environment for cell in self.cells}
        behind = published.published(paper, figure)
        same = [panel for panel in behind.panels if panel[0] in places and panel[1] in epsilons]
        if not same:
            own = ", ".join(sorted(f"{place} at {budget}" for place in places for budget in epsilons))
            shown = ", ".join(f"{place} at {budget}" for place, budget in behind.panels)
            raise BadInput("figure", figure, f"one with a panel of {own or 'a budget'}; this one has {shown}")
        place, budget = same[0]
        return self.plot(behind.plot(axes, environment=place, epsilon=budget))
