"""Write a page for each algorithm: python tools/algorithm_pages.py [--measure].

A page has what the algorithm's docstring and declaration say, the printed pseudocode beside our lines, its audits,
its regret on one instance of its setting, and how to call it. ``--measure`` first runs that instance again, for
docs/results/glance.csv.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.core import registry
from dpbandits.core.numbers import bracket, number
from dpbandits.publish.algorithms import BUDGET, AlgorithmDescription, describe_algorithm, example_calls

ROOT = Path(__file__).parents[1]
PAGES = Path("docs", "algorithms")
GLANCE = Path("docs", "results", "glance.csv")
AUDITS = Path("docs", "results", "privacy.csv")
RUNS = 100
# One instance of each setting: words, environment, horizon.
INSTANCES: Mapping[str, tuple[str, dict[str, Any], int]] = {
    "stochastic": ("means 0.75 and 0.7", {"kind": "bernoulli", "means": [0.75, 0.7]}, 1_000_000),
    "adversarial": ("10 arms, gap 0.5", {"kind": "bernoulli-gap", "arms": 10, "gap": 0.5}, 100_000),
    "experts": (
        "4 experts, 4 actions, gap 0.5",
        {"kind": "one-good-expert", "experts": 4, "actions": 4, "gap": 0.5, "advice": "near-deterministic"},
        100_000,
    ),
    "full_information": ("mean losses 0.4 and 0.5", {"kind": "bernoulli-losses", "means": [0.4, 0.5]}, 100_000),
    "linear": ("100 actions on a sphere, d = 5", {"kind": "sphere", "arms": 100, "dimension": 5}, 100_000),
}
Row = Mapping[str, str]


def rows_of(file: Path) -> list[Row]:
    """Return the rows of a CSV."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def measure(root: Path) -> None:
    """Simulate every algorithm on its setting's instance, and write mean, interval and median."""
    from dpbandits import api

    lines = []
    for name in registry.modules("algorithm"):
        _, environment, horizon = INSTANCES[registry.setting("algorithm", name)]
        budget = BUDGET if registry.algorithm(name).privacy else None
        runs = api.simulate(
            name, environment=environment, epsilon=budget, horizon=horizon, seeds=range(RUNS), checkpoints=1
        )
        last = runs.summary().iloc[-1]
        lines.append(
            [name, budget or "", horizon, RUNS, *(last[k] for k in ("mean", "mean_low", "mean_high", "q50"))]
        )
        print(*lines[-1], flush=True)
    with (root / GLANCE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["algorithm", "epsilon", "horizon", "runs", "mean", "low", "high", "median"], *lines])


def beside(each: AlgorithmDescription) -> list[str]:
    """Return the table of printed and our lines of an algorithm, if there is one."""
    if not each.listing_title:
        return []
    shown = ["## Printed, and ours", "", f"{each.listing_title}; the words are ours.", ""]
    shown += ["| line | printed | ours |", "|---:|---|---|"]
    for line in each.lines:
        cell = line.code.replace("|", "\\|")
        shown.append(
            f"| {line.printed_line} | {line.words} | [`{cell}`](../../src/dpbandits/{line.file}#L{line.line}) |"
        )
    return [*shown, ""]


def audited(rows: Sequence[Row], name: str) -> list[str]:
    """Return what audits of an algorithm found."""
    own = [row for row in rows if row["algorithm"] == name and row["epsilon"]]
    if not own:
        return []
    lines = [
        "| claimed ε | base | verdict | exact | replayed | sampled, at least |",
        "|---:|---|---|---:|---:|---:|",
    ]
    for row in own:
        losses = [number(float(row[key])) if row[key] else "" for key in ("exact", "replayed", "sampled")]
        lines.append(f"| {row['epsilon']} | {row['base']} | {row['verdict']} | {' | '.join(losses)} |")
    command = f"`dpbandits audit {name} --epsilon 1` does it again ([what a verdict means](../audit.md))."
    return ["## Audit", "", *lines, "", command, ""]


def glance(rows: Sequence[Row], name: str) -> list[str]:
    """Return regret on the setting's instance, beside all others of the setting."""
    setting = registry.setting("algorithm", name)
    words, _, horizon = INSTANCES[setting]
    own = [row for row in rows if registry.setting("algorithm", row["algorithm"]) == setting]
    lines = [f"{words[0].upper()}{words[1:]}; T = {number(horizon)}, ε = {BUDGET:g}, {RUNS} runs.", ""]
    lines += ["| algorithm | mean regret, 95 % interval | median |", "|---|---:|---:|"]
    for row in sorted(own, key=lambda row: float(row["mean"])):
        mean = bracket(float(row["mean"]), float(row["low"]), float(row["high"]))
        label = (
            f"**{row['algorithm']}**"
            if row["algorithm"] == name
            else f"[{row['algorithm']}]({row['algorithm']}.md)"
        )
        lines.append(f"| {label} | {mean} | {number(float(row['median']))} |")
    return ["## Regret at a glance", "", *lines, ""]


def call(name: str) -> list[str]:
    """Return how to call an algorithm round by round, and what lists its parameters."""
    return [
        "## Call it",
        "",
        "```python",
        *example_calls(name),
        "```",
        "",
        f"Parameters: `dpbandits list {name}`.",
        "",
    ]


def page(name: str, audits: Sequence[Row], glances: Sequence[Row]) -> str:
    """Return the page of an algorithm."""
    each = describe_algorithm(name)
    path = registry.module("algorithm", name).replace(".", "/")
    source = f"[`{path.rsplit('/', 1)[1]}.py`](../../src/{path}.py)"
    lines = [f"# {each.title}", "", f"`{name}` · {each.setting} · {source}", "", each.summary, ""]
    lines += [f"**Source.** {each.source}", "", f"**Privacy.** {each.privacy}", ""]
    lines += [f"**Deviations.** {each.deviations}", ""] if each.deviations else []
    lines += [*beside(each), *audited(audits, name), *glance(glances, name), *call(name)]
    return "\n".join(lines).rstrip() + "\n"


def index() -> str:
    """Return the list of all pages."""
    lines = [
        "# Algorithms",
        "",
        "A page for each, made by `tools/algorithm_pages.py`: source, privacy and its proof, audits, regret at",
    ]
    lines += ["a glance, and how to call it. Where a paper prints a listing, its lines stand beside ours.", ""]
    for setting in sorted(INSTANCES):
        names = [name for name in registry.modules("algorithm") if registry.setting("algorithm", name) == setting]
        lines += [f"**{setting.replace('_', ' ').capitalize()}**", ""]
        lines += [f"- [{registry.algorithm(name).title}]({name}.md) (`{name}`)" for name in names] + [""]
    return "\n".join(lines).rstrip() + "\n"


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Return all pages by their files, relative to the root."""
    audits, glances = rows_of(root / AUDITS), rows_of(root / GLANCE)
    found = {PAGES / f"{name}.md": page(name, audits, glances) for name in registry.modules("algorithm")}
    return {PAGES / "index.md": index(), **found}


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        measure(ROOT)
    for file, text in pages().items():
        (ROOT / file).write_text(text, encoding="utf-8")
