"""Bring measured numbers into README and docs.

    python tools/documents.py            # write what the snapshot in docs/results says
    python tools/documents.py results    # take the snapshot anew before, from full-scale results

Numbers that a run could change stand between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``, never typed: a
test, tests/repository/test_documents.py, fails if a document differs from the snapshot or has one elsewhere.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import math
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd
import yte

from dpbandits.claims.confirmation import of_today
from dpbandits.claims.counting import by_reading, conditions
from dpbandits.claims.counting import table as counts
from dpbandits.claims.discrepancies import DISCREPANCY_KINDS, markdown
from dpbandits.claims.false_privacy import false_privacy
from dpbandits.claims.kinds.in_population import share_limits
from dpbandits.core import declarations, registry
from dpbandits.core.files import read_json, whole
from dpbandits.core.interactive import PlottedFigure
from dpbandits.core.tables import read_tables, write_table
from dpbandits.core.verdicts import Verdict
from dpbandits.papers import plot
from dpbandits.papers.described import described
from dpbandits.papers.render import fit_titles, read
from dpbandits.products import Product, Products, catalogue
from dpbandits.products.site import Configuration, Register, Site
from dpbandits.publish import texts
from dpbandits.publish.compose import Settled, paper_contents
from dpbandits.publish.headlines import shown_headlines
from dpbandits.publish.html.build import thumbnail
from dpbandits.publish.html.pages import entries_of_kind
from dpbandits.publish.html.view_models import CLAIM_SIGNS, PRIVACY_SIGNS, SIGNS, Paper, read_papers, read_rows
from dpbandits.runs import config as configuration
from dpbandits.runs.caption import scale
from dpbandits.runs.models import Config
from dpbandits.runs.plan import figure_files
from dpbandits.runs.resource_usage import cost as taken

ROOT = Path(__file__).parents[1]
SNAPSHOT = Path("docs/results")
# Copied as they are. The ledger and the privacy table are documents too.
COPIED = ("claims.csv", "claims.md", "privacy.csv", "privacy.md")
REGION = re.compile(r"(<!-- begin: (\S+) -->\n)(.*?)(<!-- end: \2 -->)", re.DOTALL)
# What a kill takes, in words.
KILLED = {
    "all": "workflow and jobs",
    "hangup": "all by SIGHUP",
    "interrupt": "all by Ctrl-C",
    "job": "one job",
    "parent": "the parent that jobs start from",
    "stopped": "all, stopped before",
    "terminate": "the workflow by SIGTERM",
    "workflow": "the workflow alone",
}
# The figure that README begins with.
RARE_RUNS = "rare-runs"
# A number with a unit that only a measurement can know.
MEASURED = re.compile(
    r"\b\d+(?:[.,]\d+)*\s?"
    # A quantile is named by its share.
    r"(?:%(?!\s+quantile)|(?:[µmn]?s|(?:micro|milli|nano)?seconds?|minutes?|hours?|core-minutes|[kMGT]i?B)\b)"
)
UNMEASURED = re.compile(r"<!-- begin: (\S+) -->.*?<!-- end: \1 -->|^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


class FullScale(NamedTuple):
    """The full scale.

    Attributes
    ----------
    settled
        Its configuration, with cells and texts.
    products
        All its products, by kind and name.
    """

    settled: Settled
    products: Products

    @property
    def config(self) -> Config:
        """Its configuration."""
        return self.settled.config


Made = TypeVar("Made", bound=Product)


@functools.cache
def full_scale(root: Path = ROOT) -> FullScale:
    """Return what the full scale is."""
    # Relative, as in the pipeline: files that it names are part of a configuration.
    config, known = configuration.planned(configuration.shipped(Path(os.path.relpath(root / "config"))))
    settled = Settled(config, known, texts.load(config))
    return FullScale(settled, catalogue(*settled))


def featured(root: Path = ROOT) -> list[tuple[str, str]]:
    """Return the figures that docs/findings.md shows, by paper."""
    written = full_scale(root).settled.texts
    return [(paper, name) for paper, own in written.words.items() for name in own.featured]


def computed(results: Path, name: str) -> Path:
    """Return the table of a computation of any paper."""
    return next(results.glob(f"*/computed/{name}.csv"))


def _product(root: Path, kind: type[Made], name: str) -> Made:
    """Return the product of a name that is of no single paper."""
    found = full_scale(root).products[name,]
    assert isinstance(found, kind)
    return found


# What docs/dp-imed-or-dp-klucb.md tells of the law of regret: algorithms and statistics.
LAWS = ("dp-imed", "dp-klucb", "dp-imed-long-start")
TOLD = ("mean", "median", "q99")


def _laws(results: Path, output: Path) -> None:
    """Write that part of the law of regret at the horizon, as it was computed."""
    with computed(results, "regret-law").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["algorithm"] in LAWS and row["statistic"] in TOLD]
    columns = ("environment", "epsilon", "algorithm", "horizon", "runs", "statistic", "value", "low", "high")
    with output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _population(results: Path, output: Path) -> None:
    """Write what statements come to on drawn bandits, as it was computed."""
    files = sorted(computed(results, "regret-law").parent.glob("population-*.csv"))
    tables = [file.read_text(encoding="utf-8").splitlines(keepends=True) for file in files]
    output.write_text("".join([tables[0][0], *(line for table in tables for line in table[1:])]), encoding="utf-8")


def of_full_scale(results: Path, root: Path = ROOT) -> bool:
    """Say whether results are those of the full scale."""
    saved = read_json(results / "config.json")["configuration"]
    return bool(saved == _product(root, Configuration, "configuration").configuration)


# Width of a picture of docs/findings.md, in pixels.
PICTURE = 1000


def _figure_numbers(results: Path, root: Path, paper: str, figure: str) -> pd.DataFrame:
    """Return all numbers that a figure is described from."""
    entry = full_scale(root).config.papers[paper].figures[figure]
    kind = declarations.figure(entry.draw)
    assert isinstance(kind, PlottedFigure), figure
    tables = [results / paper / "aggregates" / f"{name}.csv" for name in entry.experiments]
    computations = {name: results / paper / "computed" / f"{name}.csv" for name in entry.computations}
    return kind.numbers(*read("full", tables, computations), **kind.resolve(entry.options))


def draw_pictures(folder: Path, root: Path = ROOT) -> None:
    """Draw the figures of docs/findings.md from the snapshot's numbers, so that no picture is older than its code.

    Parameters
    ----------
    folder
        Where to.
    root
        Whose snapshot.
    """
    import matplotlib as mpl

    mpl.use("agg")
    for paper, figure in featured(root):
        entry = full_scale(root).config.papers[paper].figures[figure]
        kind = declarations.figure(entry.draw)
        assert isinstance(kind, PlottedFigure), figure
        numbers = read_tables([root / SNAPSHOT / f"{paper}-{figure}.csv"])
        drawn = plot.draw(described(kind, numbers, kind.resolve(entry.options)))
        fit_titles(drawn)
        with tempfile.TemporaryDirectory() as aside:
            large = Path(aside, "large.png")
            drawn.savefig(large, dpi=2 * PICTURE / drawn.get_figwidth(), metadata={"Software": None})
            thumbnail(large, folder / f"{paper}-{figure}.png", PICTURE)


def snapshot(results: Path, root: Path = ROOT) -> dict[str, Callable[[Path], object]]:
    """Return how each file of the snapshot is made from full-scale results, by name."""
    copies = {name: lambda path, name=name: shutil.copyfile(results / name, path) for name in COPIED}
    shown = {
        f"{paper}-{figure}.csv": lambda path, of=(paper, figure): write_table(
            _figure_numbers(results, root, *of), path
        )
        for paper, figure in featured(root)
    }
    return {
        **copies,
        **shown,
        "regret-law.csv": lambda path: _laws(results, path),
        "population.csv": lambda path: _population(results, path),
        "best-arm-path.csv": lambda path: shutil.copyfile(computed(results, "best-arm-path"), path),
        "cost.json": lambda path: path.write_text(
            json.dumps(taken(results, full_scale(root).config.papers), indent=1) + "\n", encoding="utf-8"
        ),
    }


def _read(root: Path, name: str) -> Any:
    return json.loads((root / SNAPSHOT / name).read_text(encoding="utf-8"))


def _papers(root: Path) -> list[Paper]:
    told = paper_contents(full_scale(root).settled, _product(root, Site, "site").shown)
    return read_papers(told, read_rows(root / SNAPSHOT / "claims.csv"))


# Whose a sentence is.
WHOSE = {"paper": "its sentences", "ours": "our statements", "asked": "its question"}


def verdicts(root: Path) -> str:
    """Return how many claims of each paper have each verdict, and the claims that do not simply hold."""
    papers = _papers(root)
    audited = Counter(row["verdict"] for row in read_rows(root / SNAPSHOT / "privacy.csv"))
    heads = " | ".join(f"{sign.mark} {sign.verdict}" for sign in CLAIM_SIGNS)
    lines = [f"| paper | whose | claims | {heads} |", f"|---|---|{'---:|' * (1 + len(CLAIM_SIGNS))}"]
    for paper, reading, own in ((each, *pair) for each in papers for pair in by_reading(each.claims).items()):
        cells = " | ".join(str(own.verdicts[sign.verdict]) for sign in CLAIM_SIGNS)
        lines += [f"| `{paper.name}` | {WHOSE[reading]} | {own.total} | {cells} |"]
    consistent, violated = audited["consistent"], audited["violated"]
    total = sum(audited[sign.verdict] for sign in PRIVACY_SIGNS)
    false = false_privacy(claim for paper in papers for claim in paper.claims)
    lines += [
        "",
        f"{len(false)} sentences of the papers about privacy are false:",
        "",
        *(f"- `{claim['paper']}`: {claim['statement']} ({claim['place']})" for claim in false),
        "",
        f"Audits: {total}, one for each private algorithm, base and budget. {consistent} are consistent; "
        f"{violated} find a violation, each of one of these {len(false)} sentences.",
    ]
    entries = [entry["kind"] for paper in papers for entry in paper.discrepancies]
    lines += [
        "",
        f"Register: {len(entries)} entries: {_kinds(entries)}. Some are about lemmas and steps of proofs, which no "
        "claim is about.",
    ]
    for paper in papers:
        printed = [claim for claim in paper.claims if claim["reading"] == "paper"]
        refuted = sum(claim["verdict"] == Verdict.FAILS for claim in printed)
        lines += ["", f"*{paper.title}*: {refuted} of {len(printed)} sentences do not hold."]
        # Among them none is ours.
        others = [claim for claim in paper.unexpected_sentences if claim in printed and claim not in paper.story]
        ours = all(claim["reading"] == "ours" for claim in paper.story)
        first = "Worth knowing first, statements of ours" if ours else "Worth knowing first"
        for head, shown in ((first, paper.story), ("Among its own sentences", others[:3])):
            lines += [f"{head}:\n\n{_list([_finding(claim) for claim in shown])}"] if shown else []
    return "\n".join(lines)


def story(root: Path) -> str:
    """Return what to learn within a minute, as the site's first page has it."""
    papers = _papers(root)
    claims = [claim for paper in papers for claim in paper.claims]
    words, vocabularies = {p.name: p.words for p in papers}, {p.name: p.vocabulary for p in papers}
    found = shown_headlines(claims, words, vocabularies)
    return "\n".join(f"{i}. **{point.heading}.** {point.text}" for i, point in enumerate(found, 1))


def _finding(claim: Mapping[str, str]) -> str:
    sign = SIGNS[claim["verdict"]]
    whose = "our statement; " if claim["reading"] == "ours" else ""
    return f"{sign.mark} **{claim['verdict']}**: {claim['statement']} ({whose}{claim['place']})"


def _list(items: list[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def figures(root: Path) -> str:
    """Return the featured figures with their captions."""
    config, known, _ = full_scale(root).settled
    parts = []
    for paper, figure in featured(root):
        entry = config.papers[paper].figures[figure]
        parts.append(f"![{paper}, {figure}](results/{paper}-{figure}.png)")
        parts.append(f"`{paper}`, `{figure}`. {entry.caption} *{scale(config, known, paper, entry)}*")
    return "\n\n".join(parts)


def targets(root: Path) -> str:
    """Return all figures and tables of the configuration: each is a target."""
    lines = ["| paper | `figures/<paper>/<figure>.pdf` | `results/<paper>/tables/<table>.md` |", "|---|---|---|"]
    config = full_scale(root).config
    for paper, content in config.papers.items():
        drawn = ", ".join(f"`{file.stem}`" for file in figure_files(config, paper))
        lines.append(f"| `{paper}` | {drawn} | {', '.join(f'`{table}`' for table in content.tables)} |")
    return "\n".join(lines)


def _kinds(entries: Sequence[str]) -> str:
    """Return how many entries of the register are of each kind."""
    return ", ".join(entries_of_kind(kind, entries.count(kind)) for kind in DISCREPANCY_KINDS)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown, its heads first; all but the first column to the right."""
    first, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([first, f"|---|{'---:|' * (len(rows[0]) - 1)}", *others])


def _readers(claims: Sequence[Mapping[str, str]], root: Path) -> str:
    """Return who has read the proofs of the claims that are proved or refuted by proof."""
    known = full_scale(root).settled.texts.claims
    decided = [
        row for row in claims if row["support"] == "proved" and row["verdict"] in (Verdict.HOLDS, Verdict.FAILS)
    ]
    alone = sum(
        any("author" in reader for test in tests if test.test == "argument" for reader in test.options["readings"])
        for row in decided
        for tests in [known[row["paper"]].claims[row["id"]].tests]
    )
    who = "AI agents wrote these, and other agents [read](docs/what-is-proved.md) each"
    if alone:
        who = f"AI agents wrote these; {alone} were [read](docs/what-is-proved.md) by their author alone"
    return f"{len(decided)} verdicts rest on proofs. {who}; no person has."


def _today(root: Path) -> bool:
    return of_today(full_scale(root).settled.texts.claims, root / "config")


def _again(root: Path) -> str:
    """Return what a fresh root seed confirmed, and whether that was with the tests of today, in a line."""
    again = read_rows(root / SNAPSHOT / "confirmed.csv")
    moved = [row for row in again if row["could_change"] == "True"]
    same = sum(row["changed"] != "True" for row in moved)
    link = f"[{same}](docs/results/confirmed.md)"
    if _today(root):
        return (
            f"- {len(moved)} of {len(again)} verdicts rest on random numbers. "
            f"{'All ' * (same == len(moved))}{link} of these came out the same on a fresh random seed."
        )
    return (
        f"- On a fresh random seed {link} of {len(moved)} verdicts came out the same. Tests changed since: this "
        "confirms no verdict of today."
    )


def found(root: Path) -> str:
    """Return a table of verdicts, and lines on claims, the fresh seed, audits of privacy, and the register."""
    papers = _papers(root)
    claims = [claim for paper in papers for claim in paper.claims]
    audits = Counter(row["verdict"] for row in read_rows(root / SNAPSHOT / "privacy.csv"))
    entries = sum(len(paper.discrepancies) for paper in papers)
    return "\n".join(
        [
            _table(counts(claims)),
            f"- {conditions(claims)}",
            f"- {len(claims)} [claims](docs/results/claims.md), each with a test and [verdict](docs/verdicts.md). "
            f"{_readers(claims, root)}",
            _again(root),
            f"- {sum(audits[sign.verdict] for sign in PRIVACY_SIGNS)} "
            "[audits of privacy](docs/results/privacy.md): "
            f"{audits['violated']} refute a sentence that finding 3 calls false.",
            f"- {entries} entries on the [register](docs/discrepancies.md) "
            "of errors, gaps in proofs, misprints, and choices that a paper leaves open.",
        ]
    )


def price(root: Path) -> tuple[int, int, float]:
    """Return what the full scale costs: minutes of processor time, jobs, gigabytes of disk."""
    took = _read(root, "cost.json")
    parts = took["parts"].values()
    return round(sum(p["seconds"] for p in parts) / 60), sum(p["jobs"] for p in parts), took["bytes"] / 1e9


def cost(root: Path) -> str:
    """Return what everything costs."""
    parts = _read(root, "cost.json")["parts"]
    each = ", ".join(f"`{name}` {part['seconds'] / 60:.0f}" for name, part in parts.items())
    minutes, number, gigabytes = price(root)
    return (
        f"The full scale takes {minutes} minutes of processor time ({each}), so at least {minutes / 2:.0f} minutes "
        f"on 2 cores, in {number:,} jobs, and {gigabytes:.1f} GB of disk."
    )


def jobs(root: Path) -> str:
    """Return what each kind of job costs."""
    lines = ["| jobs | number | processor time in all | longest | memory, median | largest |"]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {name} | {kind['jobs']:,} | {kind['seconds'] / 60:.1f} min | {kind['longest']:.1f} s | "
        f"{kind['memory']:,} MB | {kind['largest']:,} MB |"
        for name, kind in _read(root, "cost.json")["kinds"].items()
    ]
    return "\n".join(lines)


# The rule of each kind of job that was measured.
RULES: Mapping[str, str] = {
    "aggregates": "aggregate",
    "cells": "simulate",
    "claims": "claim",
    "computed": "compute",
    "figures": "figure",
    "kernels": "kernel_group",
    "privacy": "audit",
    "tables": "table",
}


def submissions(root: Path) -> str:
    """Return how many submissions to a scheduler the full scale is, if groups are full."""
    # Of the run that all other numbers are of: there is one number of jobs.
    jobs = {RULES[kind]: found["jobs"] for kind, found in _read(root, "cost.json")["kinds"].items()}

    def number(profile: str) -> int:
        # A profile is a template, which reads a file by its path below the root: Snakemake renders it so, too.
        with contextlib.chdir(root):
            settings = yte.process_yaml(Path("profiles", profile, "config.yaml").read_text("utf-8"))
        members: Counter[str] = Counter()
        for rule, group in settings["groups"].items():
            members[group] += jobs.get(rule, 0)
        return sum(math.ceil(members[group] / size) for group, size in settings["group-components"].items())

    packs, others = number("slurm"), number("generic")
    each = f"{packs} submissions with `profiles/slurm`, and about {others} with `profiles/generic`"
    each = f"{packs} submissions with either profile" if packs == others else each
    return f"Jobs reach a scheduler in groups. The full scale is about {each}."


def starts(root: Path) -> str:
    """Return what whole runs cost, and what is left of it when nothing, or next to nothing, is to be computed."""
    measured = _read(root, "starts.json")
    lines = ["| what, on 2 cores | clock, s | processor, s |", "|---|---:|---:|"]

    def line(what: str, cost: Mapping[str, float]) -> None:
        lines.append(f"| {what} | {cost['seconds']:,.1f} | {cost['cpu_seconds']:,.1f} |")

    for name, cost in measured.items():
        if "cells" in cost:
            line(f"{cost['cells']:,} cells that simulate for a millisecond each, planned", cost["planned"])
            line(f"{cost['cells']:,} such cells run", cost)
        else:
            which = (
                "the full scale as it was at commit 525d366 (older, smaller)"
                if name == "before"
                else f"the {name} scale"
            )
            line(f"{which}, {cost['jobs']:,} jobs, from nothing, kernels compiled anew", cost["first"])
            line(f"{which}, when all is finished", cost["nothing"])
            line(f"{which}, after the caption of a figure has changed", cost["caption"])
    for cost in (cost for cost in measured.values() if "cells" in cost):
        lines += [
            "",
            f"A trivial cell costs {cost['cpu_seconds_a_cell']} s of processor time, with Snakemake's share and "
            f"the compiling of its kernel. From the first to the last tenth of the {cost['cells']:,} cells, "
            f"{min(cost['cells_a_second'])} to {max(cost['cells_a_second'])} cells ended per second.",
        ]
    return "\n".join(lines)


def confirmed(root: Path) -> str:
    """Return what became of the verdicts on a fresh root seed."""
    rows = read_rows(root / SNAPSHOT / "confirmed.csv")
    changed = [row for row in rows if row["changed"] == row["could_change"] == "True"]
    unmarked = [row for row in changed if row["near"] == "False"]
    moved = sum(row["could_change"] == "True" for row in rows)
    same = moved - len(changed)
    rest = f"{moved} of {len(rows)} verdicts rest on random numbers. Of these {same} came out the same."
    if not _today(root):
        rest = (
            "Tests changed after this last run on a fresh seed, so it confirms no verdict of today. Of the "
            f"{len(rows)} verdicts then, {moved} rested on random numbers; {same} of these came out the same."
        )
    near = f"{len(unmarked)} of them without a mark as near a threshold before"
    differ = f"{len(changed)} differ{'s' * (len(changed) == 1)}, {near}" if changed else "None differs"
    return f"{rest} {differ}: [both, side by side, with the digests of what was frozen](results/confirmed.md)."


def browser(root: Path) -> str:
    """Return how fast kernels are in a browser."""
    measured = _read(root, "browser.json")
    known = measured["algorithms"]
    speeds = {name: algorithm["speed"] for name, algorithm in known.items()}
    slowest, fastest = min(speeds, key=speeds.__getitem__), max(speeds, key=speeds.__getitem__)
    imed = known["dp-imed"]
    version = measured["browser"].split(".")[0]
    return (
        f"In {version} the {len(known)} algorithms have {speeds[slowest]:.2f} (`{slowest}`) to "
        f"{speeds[fastest]:.1f} (`{fastest}`) of the native speed, "
        f"{statistics.median(speeds.values()):.2f} in the median; DP-IMED "
        f"{speeds['dp-imed']:.2f}, with {imed['browser']:.0f} microseconds a run at T = {imed['horizon']:,}."
    )


def speed(root: Path) -> str:
    """Return what a run and a decision cost."""
    measured = {entry["name"]: entry for entry in _read(root, "speed.json")["benchmarks"]}

    def run(name: str) -> str:
        return f"{measured[name]['seconds'] / measured[name]['runs'] * 1e6:.0f}"

    short, long = run("batched[dp-imed-1000000]"), run("batched[dp-imed-1000000000000000]")
    decision = measured["decision[exp3-parameters0-None]"]
    each = decision["seconds"] / decision["count"] * 1e9
    return (
        f"Batched algorithms are simulated by decisions, not rounds: a run of DP-IMED costs {short} microseconds "
        f"at T = 10^6 and {long} at T = 10^15; a decision of EXP3 with 10 arms costs {each:.0f} nanoseconds "
        "([measurements](../benchmarks/README.md))."
    )


def profiles(root: Path) -> str:
    """Return where the dearest kernels spend their time."""
    lines = ["| kernel | share of its time in |", "|---|---|"]
    for name, shares in _read(root, "profiles.json").items():
        lines.append(f"| {name} | " + ", ".join(f"{where} {share:.0%}" for where, share in shares.items()) + " |")
    return "\n".join(lines)


def speed_tables(root: Path) -> str:
    """Return all measured speeds."""
    content = _read(root, "speed.json")
    machine = f"{content['machine']}, one core, Python {content['python']}, {content['date']}"
    lines = [
        f"{machine}; minimum of the repetitions.",
        "",
        "| benchmark | µs a run | million rounds a second |",
        "|---|---:|---:|",
    ]
    units = ["", "| benchmark | nanoseconds | for each |", "|---|---:|---|"]
    for entry in content["benchmarks"]:
        name, seconds = entry["name"], entry["seconds"]
        if "count" in entry:
            units.append(f"| {name} | {seconds / entry['count'] * 1e9:,.3g} | {entry['per']} |")
        else:
            rate = entry["rounds"] / seconds / 1e6
            lines.append(f"| {name} | {seconds / entry['runs'] * 1e6:,.1f} | {rate:,.3g} |")
    return "\n".join(lines + units)


def kills(root: Path) -> str:
    """Return what kills of the small scale left, without packs and with them."""
    columns = []
    for file in ("kills.json", "kills-packs.json"):
        seen = _read(root, file)
        first, last = seen["found"]
        columns.append(
            {
                "made": ", ".join(f"`{target}`" for target in seen["targets"]) or "all of the small scale",
                "an undisturbed run": f"{seen['jobs']} jobs, {seen['files']:,} files",
                **{f"kills of {KILLED[kind]}": found for kind, found in seen["kills"].items()},
                "kills in all": sum(seen["kills"].values()),
                "runs that came to their end": seen["runs"],
                "finished jobs that a kill found": f"{first} to {last}",
                "of them done again": f"{seen['redone']} in all, at most {seen['redone_at_once']} after one kill",
                "files or sockets left behind": len(seen["half_written"]),
                "processes left": seen["processes_left"],
                "files not the bytes of the undisturbed run": len(seen["different"]),
            }
        )
    plain, packs = columns
    lines = ["| what | plain | packs |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {what} | {said} | {packs[what]} |" for what, said in plain.items())])


def repairs(root: Path) -> str:
    """Return what random damages to a finished run came to."""
    seen = _read(root, "repairs.json")
    return (
        f"Of {seen['damages']} damages to the {seen['files']:,} files of the {seen['scale']} scale, in "
        f"{seen['rounds']} rounds, {seen['damaged']} files differed or were missing: {seen['noticed']} were "
        f"noticed, and {seen['repaired']} had their bytes again after `dpbandits repair` and one run."
    )


def peers(root: Path) -> str:
    """Return how many times as long packaged simulators take for the same run."""
    lines = ["| peer | algorithm | T | a run here, ms | there, ms | ratio: median (least, largest) |"]
    lines.append("|---|---|---:|---:|---:|---:|")
    for pair in _read(root, "peers.json"):
        own, theirs = (f"{number:,.4g}" for number in pair["milliseconds"])
        middle, least, largest = (f"{ratio:,.0f}" for ratio in pair["ratio"])
        name, rounds = registry.algorithm(pair["algorithm"]).title, f"{pair['rounds']:,}"
        lines.append(f"| {pair['peer']} | {name} | {rounds} | {own} | {theirs} | {middle} ({least}, {largest}) |")
    return "\n".join(lines)


def planted(root: Path) -> str:
    """Return how planted programs were judged by noisetap, and in how many seconds of the processor."""
    lines = ["| set | sound; broken | condemned | broken and *consistent* | undecided | median, s | longest, s |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    found = _read(root, "planted.json")["found"]
    for name in dict.fromkeys(one["set"] for one in found):
        own = [one for one in found if one["set"] == name]
        sound = sum(one["sound"] for one in own)
        words = Counter((one["sound"], one["verdict"]) for one in own)
        condemned, passed = words[True, "violated"], words[False, "consistent"]
        undecided = len(own) - condemned - passed - words[True, "consistent"] - words[False, "violated"]
        seconds = [one["seconds"] for one in own]
        cost = f"{statistics.median(seconds):.2g} | {max(seconds):.2g}"
        lines.append(f"| {name} | {sound}; {len(own) - sound} | {condemned} | {passed} | {undecided} | {cost} |")
    return "\n".join(lines)


def hostile(root: Path) -> str:
    """Return what thousands of hostile inputs came to."""
    lines = ["| inputs | tried | tracebacks or misdeeds | longest, s | memory, MB |", "|---|---:|---:|---:|---:|"]
    for kind, seen in _read(root, "hostile.json").items():
        cost = f"{seen['seconds_of_longest']} | {seen['memory_mb']}"
        lines.append(f"| {kind} | {seen['number']:,} | {seen['faults']} | {cost} |")
    return "\n".join(lines)


def grids(root: Path) -> str:
    """Return what Snakemake costs before and after all jobs of some grids."""
    lines = ["| grid | what | clock, s | CPU, s | memory, MB |", "|---|---|---:|---:|---:|"]
    for grid in _read(root, "grid.json"):
        size = f"{grid['jobs']['simulate']:,} simulations, {grid['jobs']['total']:,} jobs"
        for what, key in (("plan, nothing there", "nothing"), ("`snakemake` when all is finished", "finished")):
            if key not in grid:
                continue
            cost = grid[key]
            lines.append(f"| {size} | {what} | {cost['seconds']} | {cost['cpu_seconds']} | {cost['megabytes']:,} |")
    return "\n".join(lines)


def tightness(root: Path) -> str:
    """Return how near sampled bounds come to finite exact losses."""
    audits = read_rows(root / SNAPSHOT / "privacy.csv")
    rows = [row for row in audits if row["exact"] not in ("", "inf") and row["epsilon"] == "1.0"]
    near = sum(float(row["sampled"]) >= 0.9 * float(row["exact"]) for row in rows)
    effort = full_scale(root).config.privacy.effort
    lines = [
        f"At {effort:g} of the default effort the sampled bound is at least 0.9 of the exact loss in {near} of "
        f"{len(rows)} rows.",
        "",
        "| algorithm | exact | replayed | sampled | share |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in sorted(rows, key=lambda row: -float(row["sampled"]) / float(row["exact"])):
        exact, found = float(row["exact"]), float(row["sampled"])
        base = row["base"]
        name = f"`{row['algorithm']}`" + (f" of `{base}`" if base else "")
        replayed = f"{float(row['replayed']):.3g}" if row["replayed"] else ""
        lines.append(f"| {name} | {exact:.3g} | {replayed} | {found:.3g} | {found / exact:.2f} |")
    return "\n".join(lines)


def honesty(root: Path) -> str:
    """Return what repeated audits of correct algorithms said."""
    told = json.loads((root / "benchmarks" / "audits.json").read_text(encoding="utf-8"))
    audits, violated = (sum(entry[key] for entry in told["results"].values()) for key in ("audits", "violated"))
    return (
        f"With {told['effort']:,} runs an audit and claims of {told['epsilon']:g}: {audits:,} audits of "
        f"{len(told['results'])} algorithms and bases, {violated} called violated."
    )


# Statements of ours on every setting of Section 5, in words.
STATEMENTS = {
    "imed-klucb-median": "DP-IMED has at most DP-KLUCB's median regret, both with n0 = 1",
    "imed-klucb-mean": "its mean",
    "imed-klucb-q95": "its 95 % quantile",
    "imed-klucb-q99": "its 99 % quantile",
    "first-batch-mean": "with n0 = 5/ε DP-IMED's mean is at most that with n0 = 1",
    "first-batch-cost": "... at most 1.1 times that",
    "first-batch-median": "... and its median at most 1.25 times",
    "first-batch-lowest": "... and below DP-KLUCB's, with n0 = 1 and with 10/ε, too",
    "cure-mean": "with n0 = 10/ε DP-IMED's mean is below its own with n0 = 1 and DP-KLUCB's with n0 = 1 and 10/ε",
    "cure-median": "... its median at most 1.25 times that with n0 = 1",
    "cure-q99": "... its 99 % quantile at most that with n0 = 1",
    "forgetting-median": "not forgetting does not raise the median, with each of three indexes",
    "forgetting-mean": "... the mean",
    "forgetting-q99": "... the 99 % quantile",
    "tighter-index": "the tighter indexes have a lower mean than AdaP-KLUCB's, with and without forgetting",
    "rare-runs-predicted": "the best arm's path predicts both means of DP-IMED within a factor of 1.35",
}


def population(root: Path) -> str:
    """Return in how many drawn bandits each statement holds."""
    rows = read_rows(root / SNAPSHOT / "population.csv")
    units = len({row["bandit"] for row in rows})
    worse = [row for row in rows if row["statement"] == "first-batch-mean" and float(row["value"]) > 1.0]
    lines = [
        f"{units} bandits, {int(rows[0]['runs']):,} runs of each algorithm. The share is of the class, at 95 % "
        "(Clopper and Pearson): the lower end counts open bandits as failures, the upper end as successes.",
        "",
        "| statement | holds in | not in | open | share of the class |",
        "|---|---:|---:|---:|---|",
    ]
    for name, statement in STATEMENTS.items():
        sides = [int(row["side"]) for row in rows if row["statement"] == name]
        known = share_limits(sides.count(1), sides.count(-1), units).estimate()
        counts = " | ".join(str(sides.count(side)) for side in (1, -1, 0))
        lines.append(f"| {statement} | {counts} | {known.low:.2f} to {known.high:.2f} |")
    least = min((float(row["gap"]) for row in worse), default=0.0)
    lines += [
        "",
        f"With n0 = 5/ε the estimate of the mean is lower than with n0 = 1 in {units - len(worse)} of {units}; in "
        f"the other {len(worse)} the smallest gap is {least:.2g} at least.",
    ]
    return "\n".join(lines)


def imed_or_klucb(root: Path) -> str:
    """Return where DP-IMED's mean regret is above DP-KLUCB's, and what a longer start makes of it."""
    rows = read_rows(root / SNAPSHOT / "regret-law.csv")
    law = {(row["environment"], float(row["epsilon"]), row["algorithm"], row["statistic"]): row for row in rows}
    places = sorted({place[:2] for place in law}, key=lambda place: (place[1], place[0]))

    def value(place: tuple[str, float], algorithm: str, statistic: str, key: str = "value") -> float:
        return float(law[*place, algorithm, statistic][key])

    def above(place: tuple[str, float]) -> bool:
        return value(place, "dp-imed", "mean") > value(place, "dp-klucb", "mean")

    apart = sum(
        value(place, "dp-imed", "mean", "low") > value(place, "dp-klucb", "mean", "high") for place in places
    )
    budgets = sorted({epsilon for _, epsilon in places})
    everywhere = [e for e in budgets if all(above(place) for place in places if place[1] == e)]
    nowhere = [e for e in budgets if not any(above(place) for place in places if place[1] == e)]
    median = sum(value(place, "dp-imed", "median") < value(place, "dp-klucb", "median") for place in places)
    cured = sum(
        value(place, "dp-imed-long-start", "mean")
        < min(value(place, "dp-imed", "mean"), value(place, "dp-klucb", "mean"))
        for place in places
    )
    horizon, names = int(rows[0]["horizon"]), _environments(root)
    lines = [
        f"At T = {horizon:,} DP-IMED's mean is above DP-KLUCB's in {sum(map(above, places))} of {len(places)} "
        f"settings, with intervals apart in {apart}: in every environment at ε = {_numbers(everywhere)}, in none "
        f"at ε = {_numbers(nowhere)}. Its median is below DP-KLUCB's in {median} of {len(places)}. With n0 = 10/ε "
        f"DP-IMED's mean is below both other means in {_of_all(cured, len(places))}.",
        "",
        "| environment | ε | mean, DP-IMED | DP-KLUCB | ratio | ratio of medians | mean, DP-IMED with n0 = 10/ε |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for place in places:
        imed, klucb, long = (value(place, name, "mean") for name in LAWS)
        medians = value(place, "dp-imed", "median") / value(place, "dp-klucb", "median")
        lines.append(
            f"| {names[place[0]]} | {place[1]:g} | {imed:,.0f} | {klucb:,.0f} | {imed / klucb:.2f} | {medians:.2f} "
            f"| {long:,.0f} |"
        )
    runs = sorted({int(row["runs"]) for row in rows})
    return "\n".join([*lines, "", f"Each mean is of {' or '.join(f'{number:,}' for number in runs)} runs."])


def _of_all(number: int, total: int) -> str:
    return f"all {total}" if number == total else f"{number}"


def _environments(root: Path) -> Mapping[str, str]:
    """Return what the environments of the paper with rare runs are called, as figures have it."""
    scale = full_scale(root)
    (paper,) = (name for name, content in scale.config.papers.items() if RARE_RUNS in content.figures)
    return scale.settled.texts.words[paper].names.environments


def _numbers(numbers: list[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers) or "none"


def rare_runs(root: Path) -> str:
    """Return DP-IMED's measured regret beside the prediction of the best arm's private path."""
    rows = read_rows(root / SNAPSHOT / "best-arm-path.csv")
    short, long = ([row for row in rows if row["algorithm"] == name] for name in ("dp-imed", "dp-imed-long-start"))
    cured, names = {(row["environment"], row["epsilon"]): row for row in long}, _environments(root)

    def within(share: float, key: str) -> int:
        return sum(abs(float(row[key]) - 1.0) < share for row in short)

    columns = ("median", "typical", "excess", "rare", "ratio", "mean", "predicted", "q99", "predicted_q99")
    lines = [
        f"Of {len(short)} settings with n0 = 1 mean − median is predicted within a quarter in "
        f"{within(0.25, 'ratio')} and within a tenth in {within(0.1, 'ratio')}, the mean within a quarter in "
        f"{within(0.25, 'mean_ratio')}.",
        "",
        "| | ε | median | predicted | mean − median | predicted | ratio | mean | predicted | 0.99 quantile "
        "| predicted | mean, n0 = 10/ε | predicted |",
        "|---" * 2 + "|---:" * 11 + "|",
    ]
    for row in sorted(short, key=lambda row: (row["environment"], float(row["epsilon"]))):
        other = cured[row["environment"], row["epsilon"]]
        cells = [
            f"{float(row[column]):.2f}" if column == "ratio" else f"{float(row[column]):,.0f}" for column in columns
        ]
        cells += [f"{float(other[column]):,.0f}" for column in ("mean", "predicted")]
        lines.append(f"| {names[row['environment']]} | {float(row['epsilon']):g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def power(root: Path) -> str:
    """Return with how many seeds replays catch planted faults, and what they say of correct algorithms."""
    told = json.loads((root / "benchmarks" / "replays.json").read_text(encoding="utf-8"))
    lines = [
        "| algorithm | faults | caught with every seed | seeds | longest search, s of CPU |",
        "|---|---:|---:|---:|---:|",
    ]
    rows, missed = 0, []
    for name, faults in told["twins"].items():
        whole = [fault for fault, found in faults.items() if found["caught"] == found["seeds"]]
        missed += [(name, fault, found) for fault, found in faults.items() if fault not in whole]
        seeds, longest = (max(found[key] for found in faults.values()) for key in ("seeds", "longest"))
        lines.append(f"| `{name}` | {len(faults)} | {len(whole)} | {seeds} | {longest:.1f} |")
        rows += len(faults)
    caught = rows - len(missed)
    lines += ["", f"In all {caught} of {rows} faults are caught with every seed."]
    lines += [f"`{name}`, {fault}: with {found['caught']} of {found['seeds']}." for name, fault, found in missed]
    correct = told["correct"].values()
    replays, violated, refused = (
        sum(found[key] for found in correct) for key in ("replays", "violated", "refused")
    )
    pure = [found["worst"] for name, found in told["correct"].items() if not name.startswith("batched-exp4")]
    below, above = max(0.0, 1.0 - min(pure)), max(0.0, max(pure) - 1.0)
    lines += [
        "",
        f"Of {len(correct)} correct algorithms and bases, in {replays:,} replays, {violated} searches called one "
        f"violated and {refused} refused one; the largest loss of each pure claim of 1 is between 1 - {below:.0e} "
        f"and 1 + {above:.0e}.",
    ]
    return "\n".join(lines)


def newcomer(root: Path) -> str:
    """Return what it takes from a clone to an algorithm of one's own with figure, audit and tests."""
    measured = _read(root, "newcomer.json")
    (first,) = measured["first figure"].values()
    steps = measured["own algorithm"]
    total = sum(step["cpu_seconds"] for step in steps.values())
    lines = [
        f"From a fresh clone, with nothing compiled, `dpbandits new` and all that it prints take {total:.0f} s of "
        f"processor time; a first figure of the small scale takes {first['cpu_seconds']:.0f} s.",
        "",
        "| step | processor, s |",
        "|---|---:|",
        *(f"| `{name}` | {step['cpu_seconds']:.1f} |" for name, step in steps.items()),
    ]
    return "\n".join(lines)


REGIONS: Mapping[str, Mapping[str, Callable[[Path], str]]] = {
    "README.md": {"found": found},
    "docs/findings.md": {
        "story": story,
        "confirmed": confirmed,
        "verdicts": verdicts,
        "figures": figures,
        "speed": speed,
    },
    "benchmarks/README.md": {"profiles": profiles, "peers": peers, "planted": planted, "speeds": speed_tables},
    "docs/running.md": {
        "targets": targets,
        "submissions": submissions,
        "cost": cost,
        "jobs": jobs,
        "starts": starts,
    },
    "docs/try.md": {"browser": browser},
    "docs/resilience.md": {"repairs": repairs, "hostile": hostile, "kills": kills, "grids": grids},
    "docs/dp-imed-or-dp-klucb.md": {"imed-or-klucb": imed_or_klucb, "population": population},
    **{str(file.relative_to(ROOT)): {"rare-runs": rare_runs} for file in ROOT.glob("docs/*-tails.md")},
    "docs/audit.md": {"power": power, "honesty": honesty, "tightness": tightness},
    "docs/extending.md": {"newcomer": newcomer},
}


def fresh(name: str, root: Path = ROOT) -> str:
    """Return a document with what its regions should say."""

    def region(match: re.Match[str]) -> str:
        made = REGIONS[name].get(match[2])
        return f"{match[1]}{made(root)}\n{match[4]}" if made else match[0]

    return REGION.sub(region, (root / name).read_text(encoding="utf-8"))


def documents(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield each document that is made, in whole or in part, and what it should say."""
    for name in REGIONS:
        yield name, fresh(name, root)
    yield "docs/discrepancies.md", markdown(**_product(root, Register, "register").rerun_if_changed)


def stray(text: str) -> list[str]:
    """Return the measured numbers of a document that stand outside of regions and code."""
    return [match[0] for match in MEASURED.finditer(UNMEASURED.sub("", text))]


def captions(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield the key path and the text of all captions of the configuration."""
    for paper, content in full_scale(root).config.papers.items():
        for name, entry in {**content.figures, **content.tables}.items():
            yield f"papers.{paper}: {name}", entry.caption


def main(arguments: list[str]) -> None:
    """Take the snapshot if a results folder is given, then write the documents."""
    if arguments:
        results = Path(arguments[0])
        if not of_full_scale(results):
            sys.exit(f"{results}: not the results of the full scale; run `snakemake --cores 2` first")
        for name, make in snapshot(results).items():
            with whole(ROOT / SNAPSHOT / name) as aside:
                make(aside)
    draw_pictures(ROOT / SNAPSHOT)
    for name, text in documents():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
