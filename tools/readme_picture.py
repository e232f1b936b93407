"""Draw README's picture from the snapshot in docs/results: python tools/readme_picture.py."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import yaml
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from dpbandits.core.labels import BLACK, PURPLE, VERMILION
from dpbandits.core.numbers import number
from dpbandits.papers.described import CONFIDENCE
from dpbandits.papers.style import panels

ROOT = Path(__file__).parents[1]
SNAPSHOT = ROOT / "docs" / "results"
ENDS = ("value", "low", "high")
# Algorithm, statistic, look and words.
SERIES: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("dp-imed", "mean", {"color": VERMILION, "marker": "o"}, "mean"),
    ("dp-imed", "median", {"color": VERMILION, "marker": "o", "markerfacecolor": "white"}, "median"),
    # Not blue: that is DP-KLUCB, by which all is divided.
    ("dp-imed-long-start", "mean", {"color": PURPLE, "marker": "s"}, "mean, first batch of 10/ε"),
)
# Width of a README's text in inches; so no type is below 7 points where it is shown.
# What the pipeline calls the figure of which this is a smaller one.
FIGURE = "rare-runs"
WIDTH = 6.5
# Of type in points, and of means in a line of a panel's title.
SMALLEST, IN_A_LINE = 7.5, 3


def ratios(law: pd.DataFrame, environment: str, algorithm: str, statistic: str) -> pd.DataFrame:
    """Return a statistic of an algorithm divided by that of DP-KLUCB, by budget, with an interval.

    The interval goes from the lower end of one by the upper end of the other to the converse.
    """
    own = law[(law["environment"] == environment) & (law["statistic"] == statistic)]
    value, low, high = (own.pivot_table(index="epsilon", columns="algorithm", values=v) for v in ENDS)
    return pd.DataFrame(
        {
            "value": value[algorithm] / value["dp-klucb"],
            "low": low[algorithm] / high["dp-klucb"],
            "high": high[algorithm] / low["dp-klucb"],
        }
    )


def panel(axes: Axes, law: pd.DataFrame, environment: str) -> None:
    """Draw all ratios of an environment over the budget."""
    axes.axhline(1.0, color=BLACK, linewidth=0.8)
    for algorithm, statistic, look, words in SERIES:
        shown = ratios(law, environment, algorithm, statistic)
        axes.plot(shown.index, shown["value"], **look, markersize=4, linewidth=1.2, label=words)
        if statistic == "mean":
            axes.vlines(shown.index, shown["low"], shown["high"], color=look["color"], linewidth=2.0)
    axes.set(xscale="log", yscale="log", ylim=(0.4, 4.0), xlabel="privacy budget ε", title=environment)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_yticks([0.5, 1, 2, 3], ["0.5", "1", "2", "3"])
    axes.minorticks_off()


def draw(snapshot: Path, output: Path) -> None:
    """Draw a panel for each of the paper's four bandits."""
    mpl.use("agg")
    law = pd.read_csv(snapshot / "regret-law.csv")
    environments = sorted(law["environment"].unique())
    # The paper's folder is the one whose figures have the picture's.
    (home,) = (
        file.parent
        for file in (ROOT / "config").glob("*/experiments.yaml")
        if FIGURE in yaml.safe_load(file.read_text(encoding="utf-8")).get("figures", {})
    )
    paper, experiments = (
        yaml.safe_load((home / f"{name}.yaml").read_text(encoding="utf-8")) for name in ("paper", "experiments")
    )
    figure, axes = panels(len(environments), len(environments), width=WIDTH, height=2.7)
    for axis, environment in zip(axes, environments, strict=True):
        panel(axis, law, environment)
        means = [f"{mean:g}" for mean in experiments["environments"][environment]["means"]]
        told = ", ".join(means[:IN_A_LINE]) + ",\n" + ", ".join(means[IN_A_LINE:])
        axis.set_title(f"{paper['names']['environments'][environment]}: mean rewards\n{told}", fontsize=SMALLEST)
        axis.tick_params(labelleft=axis is axes[0])
    axes[0].set_ylabel("DP-IMED's regret ÷\nDP-KLUCB's, first batch 1")
    runs = " to ".join(number(count) for count in sorted({law["runs"].min(), law["runs"].max()}))
    told = f"After {number(law['horizon'].max())} rounds; {runs} runs of each algorithm at each budget"
    told += f"\nBars: from the ends of both algorithms' {number(100.0 * CONFIDENCE)} % intervals"
    figure.suptitle(told, fontsize=SMALLEST)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(SERIES))
    figure.savefig(output, dpi=160, metadata={"Software": None}, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    draw(SNAPSHOT, Path(sys.argv[1]) if len(sys.argv) > 1 else SNAPSHOT / "rare-runs.png")
