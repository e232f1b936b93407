"""A small picture for each point of the story, from the numbers in figures; none where these are not there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from dpbandits.publish.html import svg
from dpbandits.publish.html.view_models import CLAIMS, Item, Paper, Violation, read_text

Rows = Sequence[Mapping[str, str]]
RED, BLUE, GREEN, BLACK = "#D55E00", "#0072B2", "#009E73", "#000000"
# Of regret laws: what the picture shows, and its colours.
LAWS = {"DP-KLUCB": BLUE, "DP-IMED": RED, "DP-IMED, long start": GREEN}
STARTS = {"DP-IMED, long start": "DP-IMED, 10/ε"}
NOISES = {
    "laplace": ("Laplace", BLUE, ""),
    "exponential": ("Exponential", RED, "6 3"),
    "gumbel": ("Gumbel", GREEN, "2 3"),
}


def _numbers(papers: Sequence[Paper], paper: str, figure: str) -> Rows:
    """Return the numbers in a figure, if it is there."""
    found: list[Item] = [
        item for each in papers if each.name == paper for item in each.figures if item.name == figure
    ]
    path = found[0].files.get("csv", Path()) if found else Path()
    return read_text(path) if path.is_file() else []


def verdicts(papers: Sequence[Paper], _: Sequence[Violation]) -> Markup:
    """Draw how many claims have each verdict."""
    counts = Counter(claim["verdict"] for paper in papers for claim in paper.claims)
    shown = {sign.mark: (counts[sign.verdict], sign.colour) for sign in CLAIMS if counts[sign.verdict]}
    said = ", ".join(f"{counts[sign.verdict]} {sign.verdict}" for sign in CLAIMS if counts[sign.verdict])
    return svg.bars(f"Claims: {said}", shown)


def runs(papers: Sequence[Paper], _: Sequence[Violation]) -> Markup:
    """Draw median and mean of DP-IMED and DP-KLUCB where DP-IMED's mean is most above the other's."""
    law: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for row in _numbers(papers, "azize2025", "cure"):
        at = law.setdefault((row["environment"], row["epsilon"]), {})
        at[row["title"], row["statistic"]] = float(row["value"])
    needed = [(title, statistic) for title in LAWS for statistic in ("mean", "median")]
    whole = {case: values for case, values in law.items() if all(key in values for key in needed)}
    if not whole:
        return Markup()
    case = max(whole, key=lambda case: whole[case]["DP-IMED", "mean"] / whole[case]["DP-KLUCB", "mean"])
    rows = [
        (STARTS.get(title, title), whole[case][title, "median"], whole[case][title, "mean"], colour)
        for title, colour in LAWS.items()
    ]
    said = "; ".join(f"{name}: median {svg.number(one)}, mean {svg.number(two)}" for name, one, two, _ in rows)
    place = f"{case[0].replace('mu', 'μ')}, ε = {float(case[1]):g}"
    return svg.spans(f"Regret at {place}. {said}", rows, ("median", "mean"), f"regret, {place}")


def privacy(_: Sequence[Paper], violations: Sequence[Violation]) -> Markup:
    """Draw the largest loss of each refuted algorithm, in claims."""
    largest: dict[str, float] = {}
    for each in violations:
        title = each.family.replace(", printed", "").replace(", advice sensitive", "")
        largest[title] = max(largest.get(title, 0.0), each.multiple)
    if not largest:
        return Markup()
    rows = [
        (title.replace("elimination", "elim.").replace("(Exponential)", "(Exp.)"), value)
        for title, value in largest.items()
    ]
    said = "; ".join(f"{title}: {svg.number(value)} times the claimed loss" for title, value in largest.items())
    return svg.multiples(said, rows, "claimed ε")


def rate(papers: Sequence[Paper], _: Sequence[Violation]) -> Markup:
    """Draw the largest regret over K, divided by the rate of the lower bound and of the paper's upper one."""
    largest: dict[str, dict[float, float]] = {"log K": {}, "log² K": {}}
    for row in _numbers(papers, "wu2025", "thm1"):
        if row["part"] == "arms":
            for name, column in (("log K", "lower_rate"), ("log² K", "new_rate")):
                value, arms = float(row["regret"]) / float(row[column]), float(row["arms"])
                largest[name][arms] = max(largest[name].get(arms, 0.0), value)
    if len(largest["log K"]) < 2:
        return Markup()
    drawn = [
        svg.Line(f"by {name}/ε", sorted(values.items()), colour, dash)
        for (name, values), colour, dash in zip(largest.items(), (BLUE, RED), ("", "5 3"), strict=True)
    ]
    said = "Largest regret over K, divided by log K/Δ + log K/ε and by log K/Δ + log² K/ε: " + "; ".join(
        f"{line.name} from {svg.number(line.points[0][1])} to {svg.number(line.points[-1][1])}" for line in drawn
    )
    return svg.lines(said, drawn, "K (actions)", "regret / rate")


def conjecture(papers: Sequence[Paper], _: Sequence[Violation]) -> Markup:
    """Draw the smallest constant c1 that a crowd of K actions needs, at the c2 that leaves it the least growth."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in _numbers(papers, "wu2025", "conjecture"):
        one = row["part"] == "crowd" and row["c2"] == row["c3"] and row["noise"] in NOISES
        if one and math.isclose(float(row["c2"]), float(row["slowest"]), rel_tol=1e-9):
            found.setdefault(row["noise"], []).append((float(row["arms"]), float(row["log10_c1"])))
    drawn = [
        svg.Line(NOISES[noise][0], sorted(points), *NOISES[noise][1:])
        for noise, points in found.items()
        if len(points) > 1
    ]
    if not drawn:
        return Markup()
    said = "log10 of the smallest c1 that K actions need: " + "; ".join(
        f"{name} up to {svg.number(points[-1][1])}" for name, points, *_ in drawn
    )
    return svg.lines(said, drawn, "K (actions)", "log₁₀ of the c₁ needed", even=True)


# By the points' names.
PICTURES: Mapping[str, Callable[[Sequence[Paper], Sequence[Violation]], Markup]] = {
    made.__name__: made for made in (verdicts, runs, privacy, rate, conjecture)
}
