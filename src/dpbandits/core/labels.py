"""Names and looks: what algorithms, noises and quantities are called, and their colours, dashes and marks.

They are the same in all papers, figures and pages. Words for one paper's labels are in its file ``paper.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypedDict

# Okabe & Ito 2008: distinguishable with every common colour blindness. Yellow is left out on white.
BLUE, SKY, GREEN, VERMILION, ORANGE, PURPLE, GREY, BLACK = (
    "#0072B2",
    "#56B4E9",
    "#009E73",
    "#D55E00",
    "#E69F00",
    "#CC79A7",
    "#7F7F7F",
    "#000000",
)
# As Matplotlib takes them: a name, or an offset and lengths.
Dashes = Literal["-", "--", ":", ""] | tuple[int, tuple[float, ...]]
SOLID: Dashes = "-"
LONG: Dashes = (0, (5, 1))
MIXED: Dashes = (0, (3, 1, 1, 1))
SHORT: Dashes = (0, (2, 2))
DOTTED: Dashes = (0, (1, 1))
SPARED: Dashes = (0, (4, 1, 1, 1, 1, 1))


class Stroke(TypedDict):
    """Matplotlib's options that tell one line from another: its colour and its dashes."""

    color: str
    linestyle: Dashes


class Look(NamedTuple):
    """Look of a curve; the curves of a figure differ in colour, dashes or mark.

    Attributes
    ----------
    colour
        Colour, as ``#RRGGBB``.
    dashes
        Dashes of its line, as Matplotlib takes them.
    mark
        Mark of its points, as Matplotlib takes it.
    """

    colour: str
    dashes: Dashes
    mark: str = "o"

    @property
    def line(self) -> Stroke:
        """Matplotlib's options for a line of this look: ``color`` and ``linestyle``."""
        return {"color": self.colour, "linestyle": self.dashes}


# By title, so that an algorithm looks the same in every figure and page; others take the remaining looks in turn.
LOOKS: Mapping[str, Look] = {
    "DP-IMED": Look(VERMILION, SOLID, "o"),
    "DP-IMED, long start": Look(VERMILION, LONG, "s"),
    "Forgetting DP-IMED": Look(VERMILION, DOTTED, "v"),
    "DP-IMED, trade-off": Look(VERMILION, MIXED, "P"),
    "DP-IMED, polynomial batches": Look(VERMILION, SHORT, "X"),
    "DP-KLUCB": Look(BLUE, SOLID, "s"),
    "DP-KLUCB, long start": Look(BLUE, LONG, "o"),
    "Forgetting DP-KLUCB": Look(BLUE, DOTTED, "v"),
    "AdaP-KLUCB": Look(GREEN, LONG, "^"),
    "Lasting AdaP-KLUCB": Look(GREEN, SOLID, "<"),
    "AdaP-UCB": Look(PURPLE, LONG, "v"),
    "DP-SE": Look(ORANGE, MIXED, "D"),
    "Lazy-DP-TS": Look(SKY, DOTTED, "P"),
    "IMED": Look(BLACK, SHORT, "x"),
    "KL-UCB": Look(GREY, SHORT, "+"),
    "Perfection test": Look(GREY, DOTTED, "*"),
    "Conversion": Look(VERMILION, SOLID, "o"),
    "Conversion of HTINF": Look(VERMILION, SOLID, "o"),
    "Conversion of EXP3": Look(BLUE, SOLID, "s"),
    "Conversion of FTPL": Look(GREEN, LONG, "^"),
    "DP-EXP3-Lap": Look(PURPLE, MIXED, "v"),
    "Agarwal–Singh": Look(ORANGE, DOTTED, "D"),
    "HTINF": Look(BLACK, SHORT, "x"),
    "EXP3": Look(GREY, SHORT, "+"),
    "FTPL": Look(GREY, DOTTED, "*"),
    "FTPL as printed": Look(GREY, MIXED, "1"),
    "Bandit-to-experts": Look(BLUE, SOLID, "s"),
    "Bandit-to-experts of HTINF": Look(BLUE, SOLID, "s"),
    "Bandit-to-experts, advice sensitive": Look(BLUE, DOTTED, "P"),
    "Local-DP EXP4": Look(PURPLE, MIXED, "v"),
    "Batched EXP4": Look(GREEN, LONG, "^"),
    "Batched EXP4 as printed": Look(GREEN, DOTTED, "<"),
    "EXP4": Look(BLACK, SHORT, "x"),
    "Robust elimination (M1)": Look(VERMILION, SOLID, "o"),
    "Robust elimination (M2)": Look(BLUE, SOLID, "s"),
    "Private elimination (M1)": Look(ORANGE, LONG, "^"),
    "Private elimination (M2)": Look(SKY, LONG, "v"),
    "Robust elimination (M1), printed": Look(ORANGE, DOTTED, "<"),
    "Robust elimination (M2), printed": Look(SKY, DOTTED, ">"),
    "Robust elimination": Look(GREEN, MIXED, "D"),
    "Phased elimination": Look(BLACK, SHORT, "x"),
    "Clipped elimination (M1)": Look(GREY, DOTTED, "P"),
    "Clipped elimination (M1), low level": Look(GREY, SOLID, "*"),
    "Bogunovic et al.": Look(PURPLE, MIXED, "P"),
    "RNM-FTNL (Laplace)": Look(SKY, SOLID, "o"),
    "RNM-FTNL (Exponential)": Look(VERMILION, SOLID, "s"),
    "RNM-FTNL (Gumbel)": Look(GREEN, SOLID, "^"),
    "RNM-FTNL (permute-and-flip)": Look(ORANGE, SOLID, "D"),
    "RNM-FTNL, random phase": Look(PURPLE, MIXED, "v"),
}
# What a title is called where it says more than figures have room for.
TITLES: Mapping[str, str] = {
    "DP-IMED, long start": "DP-IMED, first batch 10/ε",
    "DP-KLUCB, long start": "DP-KLUCB, first batch 10/ε",
    "Bogunovic et al.": "Robust phased elimination (Bogunovic et al.)",
}
SPARE = [Look(colour, SPARED) for colour in (PURPLE, GREY, BLACK, GREEN, BLUE, ORANGE)]
NOISES: Mapping[str, str] = {
    "laplace": "Laplace",
    "exponential": "Exponential",
    "gumbel": "Gumbel",
    "permute-and-flip": "permute-and-flip",
}
# Columns of tables, in words.
QUANTITIES: Mapping[str, str] = {
    "round": "round t",
    "horizon": "horizon T",
    "epsilon": "privacy budget ε",
    "arms": "arms K",
    "dimension": "dimension d",
    "experts": "experts N",
    "corruption": "corruption probability α",
    "alpha": "parameter α",
    "factor": "width γ, as a fraction of the theorem's",
    "tau": "rounds in a batch τ",
}

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
# Parameters in formulas.
SYMBOLS: Mapping[str, str] = {
    "epsilon": "ε",
    "horizon": "T",
    "gap": "Δ",
    "arms": "K",
    "experts": "N",
    "dimension": "d",
    "alpha": "α",
}


def symbol(label: str) -> str:
    """Return an environment's label as papers write it, if it is a symbol such as mu; other labels as they are.

    Examples
    --------
    >>> symbol("mu1"), symbol("mu-fig8"), symbol("multiple")
    ('µ₁', 'µ-fig8', 'multiple')
    """
    found = re.fullmatch(r"mu(\d*)((?![a-z\d]).*)", label)
    return f"µ{found[1].translate(SUBSCRIPTS)}{found[2]}" if found else label


def looks(titles: Sequence[str]) -> dict[str, Look]:
    """Return the look of each curve by its title, such as an algorithm's; titles not in `LOOKS` take spare ones."""
    unknown = [title for title in titles if title not in LOOKS]
    spare = {title: SPARE[i % len(SPARE)] for i, title in enumerate(unknown)}
    return {title: LOOKS.get(title) or spare[title] for title in titles}
