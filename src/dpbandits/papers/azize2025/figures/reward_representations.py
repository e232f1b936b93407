"""azize2025, Figure 3: the list, the table and the tree of rewards, with those that a trajectory observes."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.core.labels import BLACK, GREY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OBSERVED = "#FFD98F"
# Sizes of names, in points. An index has 0.7 of it, and at a text's 6.5 inches 6.5 / 7 of that: 7.1 points of 11.
INDEXED, PLAIN = 11, 8


def representations(arms: int, trajectory: Sequence[int]) -> pd.DataFrame:
    """Return all rewards of the three representations, and which of them the policy observes.

    A list has one reward a step, whatever action is played (View DP). A table has one for each action (Table DP). A
    tree has one for each sequence of actions so far (a reward-feeding adversary, Remark B.4). The policy observes
    the rewards whose actions are those of the trajectory.

    Parameters
    ----------
    arms
        Number K of actions.
    trajectory
        The actions a_1 to a_T, numbered from 1.

    Returns
    -------
    DataFrame
        ``representation`` (``list``, ``table`` or ``tree``), ``step`` from 1, ``actions`` (those that the reward
        depends on, such as ``1,2``; empty in a list), ``highlighted`` and ``place``. The policy observes
        highlighted rewards. Places go from 0 on the left to 1 on the right.
    """
    horizon = len(trajectory)
    rows = []
    for name in ("list", "table", "tree"):
        for t in range(1, horizon + 1):
            depth = {"list": 0, "table": 1, "tree": t}[name]
            known = list(itertools.product(range(1, arms + 1), repeat=depth))
            for i, actions in enumerate(known):
                label = ",".join(map(str, actions))
                highlighted = actions == tuple(trajectory[t - depth : t])
                rows.append((name, t, label, highlighted, (i + 0.5) / len(known)))
    return pd.DataFrame(rows, columns=["representation", "step", "actions", "highlighted", "place"])


def symbol(row: Mapping[Hashable, Any]) -> str:
    """Return a reward's name in TeX: ``$r_1$`` (list), ``$x_{1{,}2}$`` (table) or ``$r(1{,}2)$`` (tree).

    ``row`` has ``representation``, ``step`` and ``actions``; the tree's name leaves out the step.
    """
    if row["representation"] == "tree":
        # Braces keep a comma from taking the space that punctuation takes.
        return f"$r({row['actions'].replace(',', '{,}')})$"
    return f"$x_{{{row['step']}{{,}}{row['actions']}}}$" if row["actions"] else f"$r_{row['step']}$"


def branches(axis: Axes, tree: pd.DataFrame) -> None:
    """Draw the tree's branches, each with its action, thick on the trajectory.

    ``tree`` has the rows of `representations` whose ``representation`` is ``tree``.
    """
    places = {"": 0.5} | dict(zip(tree["actions"], tree["place"], strict=True))
    axis.plot(0.5, 0.0, "o", color=BLACK, ms=5, zorder=3)
    for actions, t, highlighted in zip(tree["actions"], tree["step"], tree["highlighted"], strict=True):
        parent, _, action = actions.rpartition(",")
        start, end = places[parent], places[actions]
        colour, width = (VERMILION, 2.2) if highlighted else (GREY, 0.8)
        axis.plot([start, end], [t - 1, t], color=colour, linewidth=width, zorder=1 + highlighted)
        # A little above the middle: nearer the parent branches cross labels, nearer the child boxes do.
        middle = (0.45 * start + 0.55 * end, t - 0.45)
        background = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        weight = "bold" if highlighted else "normal"
        axis.text(
            *middle, action, ha="center", va="center", fontsize=PLAIN, weight=weight, bbox=background, zorder=2
        )


def draw(
    _aggregates: pd.DataFrame, _computed: Mapping[str, pd.DataFrame], arms: int, trajectory: list[int]
) -> Drawing:
    """Draw the three representations, each step at the same height, and return the figure and its table.

    The table is that of `representations`.

    Parameters
    ----------
    _aggregates, _computed
        Tables of measured regret and of computations; not used.
    arms, trajectory
        Number K of actions, and the actions a_1 to a_T, numbered from 1.

    Raises
    ------
    BadInput
        If the trajectory is empty, or has other actions than 1 to K.
    """

    import matplotlib.pyplot as plt

    if not trajectory or not all(isinstance(a, int) and 1 <= a <= arms for a in trajectory):
        raise BadInput("options.trajectory", trajectory, f"actions from 1 to {arms}")
    table = representations(arms, trajectory)
    horizon = len(trajectory)
    figure = plt.figure(figsize=(7.0, 0.7 * horizon + 0.9), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(1.0, 0.5 * arms + 0.3, 5.0))
    for axis, letter, name in zip(axes, "abc", ("list", "table", "tree"), strict=True):
        axis.set(xlim=(0, 1), ylim=(horizon + 0.4, -0.2))
        axis.set_title(f"({letter}) {name}", fontsize=10)
        axis.axis("off")
        for row in table[table["representation"] == name].to_dict("records"):
            frame = {
                "boxstyle": "round,pad=0.3",
                "facecolor": OBSERVED if row["highlighted"] else "white",
                "edgecolor": BLACK if row["highlighted"] else GREY,
                "linewidth": 1.8 if row["highlighted"] else 0.7,
            }
            place = row["place"], row["step"]
            size = PLAIN if name == "tree" else INDEXED
            axis.text(*place, symbol(row), ha="center", va="center", fontsize=size, bbox=frame, zorder=3)
    for t in range(1, horizon + 1):
        axes[0].text(0.0, t, f"$t = {t}$", va="center", fontsize=9)
    for action in range(1, arms + 1):
        axes[1].text((action - 0.5) / arms, 0.4, f"$a = {action}$", ha="center", va="center", fontsize=9)
    branches(axes[2], table[table["representation"] == "tree"])
    played = ", ".join(map(str, trajectory))
    figure.supxlabel(f"shaded: observed when the actions are ({played}); a branch is an action", fontsize=9)
    return figure, table


FIGURE = Figure(
    title="Rewards as a list, a table and a tree, with those that a trajectory observes",
    draw=draw,
    options={
        "arms": Option(2, "K"),
        "trajectory": Option([1, 2, 1], "the actions a_1 to a_T, numbered from 1"),
    },
)
