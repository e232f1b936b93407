"""azize2025, Figure 2: the interactive protocol of the adaptive continual release model, on both channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.labels import BLACK, BLUE, GREEN, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The rounds that are shown, in mathematical notation; None stands for rounds left out.
ROUNDS = ("1", "2", None, "t^*", None, "T")
CHALLENGE = "#FFE9C7"


def protocol() -> pd.DataFrame:
    """Return the rounds of the interactive protocol that are shown, and which reward the policy observes in each.

    The source is azize2025, Appendix B, steps 1-3.

    Returns
    -------
    DataFrame
        ``channel`` (the secret b, ``L`` or ``R``), and in TeX ``round``, ``action`` and the rewards ``left`` and
        ``right``. ``observed`` is ``left``, but ``right`` in the challenge round t* on channel R.
    """
    return pd.DataFrame(
        [
            {
                "channel": channel,
                "round": t,
                "action": f"a_{{{t}}}",
                "left": f"r^L_{{{t}}}",
                "right": f"r^R_{{{t}}}",
                "observed": "right" if channel == "R" and t == "t^*" else "left",
            }
            for channel in "LR"
            for t in ROUNDS
            if t is not None
        ]
    )


def _math(text: str) -> str:
    """Return a name in mathematical notation, the star of an index on its line: raised it would be 5.5 points."""
    return f"${text.replace('t^*', 't{*}')}$"


def panel(axis: Axes, rounds: pd.DataFrame) -> None:
    """Draw the ``rounds`` of one channel, rows of `protocol`, each a column: policy above, adversary below."""

    from matplotlib.patches import Rectangle

    axis.set(xlim=(0.0, len(ROUNDS)), ylim=(0.0, 3.4))
    axis.axis("off")
    bars = ((2.6, "policy $\\pi$", BLUE), (0.1, "reward-feeding adversary $\\mathcal{A}$", GREEN))
    for bottom, name, colour in bars:
        axis.add_patch(Rectangle((0.03, bottom), len(ROUNDS) - 0.06, 0.45, fc="none", ec=colour, lw=1.5))
        axis.text(len(ROUNDS) / 2, bottom + 0.21, name, ha="center", va="center", fontsize=10)
    arrow = {"arrowstyle": "-|>", "color": BLACK, "lw": 1.0, "shrinkA": 0.0, "shrinkB": 0.0}
    observed = arrow | {"color": VERMILION, "lw": 2.0}
    shown = {row["round"]: row for row in rounds.to_dict("records")}
    for i, t in enumerate(ROUNDS):
        if t is None:
            axis.text(i + 0.5, 1.55, "$\\cdots$", ha="center", va="center", fontsize=14)
            continue
        axis.text(i + 0.5, 3.2, f"$t = {t}$", ha="center", va="center", fontsize=12)
        if t == "t^*":
            axis.add_patch(Rectangle((i, 0.55), 1.0, 2.05, color=CHALLENGE, lw=0, zorder=0))
        # The action goes down, a pair of rewards comes up, and one of the two reaches the policy.
        axis.annotate("", (i + 0.14, 0.55), (i + 0.14, 2.6), arrowprops=arrow)
        axis.text(i + 0.18, 2.3, _math(shown[t]["action"]), va="center", fontsize=12)
        for side, place in (("left", i + 0.42), ("right", i + 0.79)):
            seen = shown[t]["observed"] == side
            box = {
                "boxstyle": "square,pad=0.25",
                "fc": "white" if seen else "none",
                "ec": VERMILION if seen else "none",
                "lw": 2.0,
            }
            axis.annotate("", (place, 1.33), (place, 0.55), arrowprops=arrow)
            axis.text(place, 1.55, _math(shown[t][side]), ha="center", va="center", fontsize=12, bbox=box)
            if seen:
                axis.annotate("", (place, 2.6), (place, 1.8), arrowprops=observed)


def draw(_aggregates: pd.DataFrame, _computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the interactive protocol, a panel for each channel L and R; return the figure and its table of rounds.

    The table is that of `protocol`. Neither argument is used.
    """

    import matplotlib.pyplot as plt

    table = protocol()
    figure = plt.figure(figsize=(7.0, 5.2), layout="constrained")
    for axis, letter, channel in zip(figure.subplots(2, 1), "ab", "LR", strict=True):
        panel(axis, table[table["channel"] == channel])
        axis.set_title(f"({letter}) channel b = {channel}", fontsize=10, loc="left")
    figure.supxlabel("framed: the reward that the policy observes; shaded: the challenge round", fontsize=9)
    return figure, table


FIGURE = Figure(title="The interactive protocol of the adaptive continual release model", draw=draw)
