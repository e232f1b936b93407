"""Draw README's picture from the snapshot in docs/results: python tools/readme_picture.py."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from dpbandits.core.labels import BLACK, BLUE, VERMILION
from dpbandits.papers.style import panels

ROOT = Path(__file__).parents[1]
SNAPSHOT = ROOT / "docs" / "results"
# Algorithm, statistic, look and words; where the word stands in the first panel: budget and ratio.
SERIES: tuple[tuple[str, str, dict[str, Any], str, tuple[float, float]], ...] = (
    ("dp-imed", "mean", {"color": VERMILION, "marker": "o"}, "mean", (0.13, 3.25)),
    ("dp-imed", "median", {"color": VERMILION, "marker": "o", "markerfacecolor": "white"}, "median", (0.011, 0.6)),
    ("dp-imed-long-start", "mean", {"color": BLUE, "marker": "s"}, "mean, first batch 10/ε", (0.011, 0.31)),
)


def ratios(law: pd.DataFrame, environment: str, algorithm: str, statistic: str) -> pd.Series[float]:
    """Return a statistic of an algorithm divided by that of DP-KLUCB, by budget."""
    own = law[(law["environment"] == environment) & (law["statistic"] == statistic)]
    by_name = own.pivot_table(index="epsilon", columns="algorithm", values="value")
    return by_name[algorithm] / by_name["dp-klucb"]


def panel(axes: Axes, law: pd.DataFrame, environment: str, named: bool) -> None:
    """Draw all ratios of an environment over the budget."""
    axes.axhline(1.0, color=BLACK, linewidth=0.8)
    for algorithm, statistic, look, words, place in SERIES:
        shown = ratios(law, environment, algorithm, statistic)
        axes.plot(shown.index, shown, **look, markersize=4, linewidth=1.2)
        if named:
            axes.text(*place, words, color=look["color"], fontsize=8)
    axes.set(xscale="log", yscale="log", ylim=(0.27, 4.0), xlabel="privacy budget ε", title=environment)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_yticks([0.3, 0.5, 1, 2, 3], ["0.3", "0.5", "1", "2", "3"])
    axes.minorticks_off()


def draw(snapshot: Path, output: Path) -> None:
    """Draw a panel for each of the paper's four bandits."""
    mpl.use("agg")
    law = pd.read_csv(snapshot / "regret-law.csv")
    environments = sorted(law["environment"].unique())
    figure, axes = panels(len(environments), len(environments), width=8.0, height=2.5)
    for axis, environment in zip(axes, environments, strict=True):
        panel(axis, law, environment, named=axis is axes[0])
        axis.set_title(f"bandit {environment.removeprefix('mu')}")
        axis.tick_params(labelleft=axis is axes[0])
    axes[0].set_ylabel("DP-IMED's regret\ndivided by DP-KLUCB's")
    axes[1].text(0.0105, 1.05, "above: DP-IMED worse", fontsize=7)
    axes[1].text(0.0105, 0.86, "below: better", fontsize=7)
    figure.savefig(output, dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    draw(SNAPSHOT, Path(sys.argv[1]) if len(sys.argv) > 1 else SNAPSHOT / "rare-runs.png")
