"""Confirmation: verdicts are frozen, a root seed is drawn from them, and everything is run on it once more.

python tools/confirm.py freeze --why "WHAT CHANGED SINCE THE LAST SEED"
snakemake --cores 2 --configfile config/confirm.yaml -- results/confirm/claims.csv
python tools/confirm.py compare results results/confirm

Frozen by digest, in config/frozen.json, is all that a verdict imports. What `decides`: every claim's tests; every
paper's environments, algorithms, experiments and computations; and each module that makes an array, an aggregate, a
computation, an audit or a finding, without docstrings and comments. What `says`: sentences of claims, the register,
pages of proofs that claims cite, and the count's definition. The fresh root seed is 48 bits of the digest of what
decides, so that nobody chooses it and no comma draws another one. Each that was drawn is in config/seeds.csv, with
the reason and what came of it. A time stamp's request (RFC 3161) of that file is written beside it.

`compare` puts both runs side by side, claims on a page and parts in a table (docs/results/confirmed.md, .csv and
confirmed-parts.csv). It copies the second run's ledger beside them (claims-confirm.csv). It refuses if what decides
has changed since it was frozen, and tells what says it otherwise. Exit status is 1 if a verdict differs that
neither run marks as near its threshold, or without a word in config/explained.yaml; or if a part is heterogeneous.

python tools/confirm.py seeds RESULTS RESULTS ... [--page docs/results/seeds.md]

compares the parts of several root seeds: estimates, and how far apart they are. Exit status is 1 if a part is
heterogeneous: beyond |z| = 3.5, or, where there are so many parts that chance alone passes that, beyond what
one in a hundred such comparisons passes.
"""

from __future__ import annotations

import argparse
import ast
import csv
import datetime
import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from dpbandits.claims.claim import Claims
from dpbandits.claims.confirmation import digest, fresh_seed, logged, tests
from dpbandits.core import provenance
from dpbandits.core.distributions import normal_above, normal_quantile
from dpbandits.core.verdicts import FAILS, HOLDS, PART
from dpbandits.products import Product, catalogue
from dpbandits.publish import texts
from dpbandits.runs import config
from dpbandits.runs.models import Config

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "config"
SEED = re.compile(r"^root_seed: \d+$", re.MULTILINE)
LOG = ["seed", "drawn", "why", "result"]
# The second run's ledger, beside the page.
LEDGER = "claims-confirm.csv"
# Of a configuration, what decides; the rest shows, names, or says where files go.
DECIDES = {"environments", "algorithms", "experiments", "computations", "runs", "published_runs"}
OF_ALL = {"confidence", "level", "privacy"}
# How verdicts are put together from parts, and how they are counted.
JUDGES, COUNTS = ("dpbandits.claims.judgement",), ("src/dpbandits/claims/counting.py", "tools/confirm.py")
KEYS, PART_KEYS = ["paper", "id"], ["paper", "claim", "test", "at"]
COLUMNS = [*KEYS, "verdict", "verdict_other", "changed", "could_change", "near", "effect", "effect_other"]
NUMBERS = ["estimate", "low", "high", "verdict"]
CELL = ["algorithm", "environment", "epsilon", "horizon"]
# Beyond this a part differs between root seeds, unless there are so many that chance passes it.
APART, CHANCE = 3.5, 0.01


def _upstream(product: Product) -> Iterator[str]:
    """Yield the modules that make a product, and all that it reads."""
    yield from product.modules
    for cell in product.cells:
        yield from cell.job.modules
    for read in product.products:
        yield from _upstream(read)


def frozen(folder: Path = CONFIG) -> dict[str, dict[str, str]]:
    """Return the digests of all that decides, and of all that says what is decided."""
    complete, cells = config.planned(config.shipped(folder))
    written = texts.load(complete)
    claims, products = written.claims, catalogue(complete, cells, written)
    findings = [product for (kind, *_), product in products.items() if kind == "findings"]
    makers = {module for product in findings for module in _upstream(product)} | set(JUDGES)
    modules = sorted({name for maker in makers for name in provenance.transitive_imports(maker)})
    return {
        "decides": {**configured(complete, claims), **{f"code/{name}": _code(name) for name in modules}},
        "says": _said(folder, claims),
    }


def _code(module: str) -> str:
    """Return the digest of a module's code, without docstrings and comments."""
    tree = ast.parse(provenance.module_path(module).read_bytes())
    return digest(provenance._code(tree).encode())


def configured(complete: Config, claims: Claims) -> dict[str, str]:
    """Return the digests of what decides in a configuration: experiments, computations and tests of claims."""
    found = {"config": digest(complete.model_dump(mode="json", include=OF_ALL))}
    for name, paper in complete.papers.items():
        found[f"config/{name}"] = digest(paper.model_dump(mode="json", include=DECIDES))
    return found | tests(claims)


def _said(folder: Path, claims: Claims) -> dict[str, str]:
    root, found = folder.parent, {}
    pages = set(COUNTS)
    for name, stated in claims.items():
        for key, each in stated.claims.items():
            found[f"sentences/{name}/{key}"] = digest(each.model_dump(mode="json"))
        pages |= {str(test.options["proof"]).split(",")[0] for test in stated.tests if test.options.get("proof")}
    registers = sorted(folder.glob("*/discrepancies.yaml"))
    found |= {f"register/{file.parent.name}": digest(file.read_bytes()) for file in registers}
    return found | {page: digest((root / page).read_bytes()) for page in sorted(pages) if (root / page).is_file()}


def _log(folder: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with (folder / "seeds.csv").open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, LOG, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def freeze(why: str, folder: Path = CONFIG) -> int:
    """Write what is frozen, its root seed, the log of seeds, and the request of a time stamp; return the seed."""
    digests, rows = frozen(folder), logged(folder)
    seed = fresh_seed(digests["decides"])
    if str(seed) != rows[-1]["seed"]:
        if not why:
            sys.exit("a new root seed is drawn: --why says why")
        if not rows[-1]["result"]:
            rows[-1]["result"] = "never run: frozen anew before"
        day = datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M")
        _log(folder, [*rows, {"seed": str(seed), "drawn": day, "why": why, "result": ""}])
    (folder / "frozen.json").write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    confirm = folder / "confirm.yaml"
    confirm.write_text(SEED.sub(f"root_seed: {seed}", confirm.read_text(encoding="utf-8")), encoding="utf-8")
    stamp(folder / "frozen.json")
    return seed


def stamp(file: Path) -> None:
    """Write the request of a time stamp of a file (RFC 3161), which a person can send to an authority."""
    command = ["openssl", "ts", "-query", "-sha256", "-no_nonce", "-cert", "-data", str(file)]
    subprocess.run([*command, "-out", str(file.with_suffix(".tsq"))], check=True, capture_output=True)


def thawed(folder: Path = CONFIG) -> dict[str, list[str]]:
    """Return what is not as it was when it was frozen: of what decides, and of what says."""
    then, now = json.loads((folder / "frozen.json").read_text(encoding="utf-8")), frozen(folder)
    return {
        kind: sorted(name for name in {*then[kind], *now[kind]} if then[kind].get(name) != now[kind].get(name))
        for kind in now
    }


def compared(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return both ledgers side by side.

    With ``changed``; ``near``, marked as near its threshold in either; and ``could_change``: samples decide the
    verdict in either run, so that a seed can move it. What is proved, computed or audited is the same twice, and of
    what is not decided nothing could be confirmed.
    """
    both = one.merge(other, on=KEYS, suffixes=("", "_other"), validate="one_to_one")
    if len(both) != len(one) or len(both) != len(other):
        sys.exit("the ledgers have different claims")
    near = (both["near_threshold"] == "yes") | (both["near_threshold_other"] == "yes")
    could = [
        (both[f"verdict{suffix}"].isin([HOLDS, PART, FAILS])) & (both[f"support{suffix}"] == "measured")
        for suffix in ("", "_other")
    ]
    return both.assign(
        changed=both["verdict"] != both["verdict_other"], near=near, could_change=could[0] | could[1]
    )


def parts(results: Path) -> pd.DataFrame:
    """Return the parts of all claims of a run that samples measured."""
    tables = [pd.read_csv(file) for file in sorted(results.glob("*/findings.csv"))]
    # Of some claims alone there are no findings.
    for file in [] if tables else sorted(results.glob("*/claims/*.json")):
        rows = pd.DataFrame(json.loads(file.read_text(encoding="utf-8"))["parts"])
        tables.append(rows.assign(paper=file.parts[-3], claim=file.stem, verdict=""))
    found = pd.concat(tables, ignore_index=True)
    return found[found["p"].notna()]


def numbered(runs: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Return the runs with ``at``, by which a part of one is found in another.

    It is the part's own words if all runs have them. Words that tell what was measured differ: then it is the place
    of the measurement. Several with the same are numbered.
    """
    labels = ["paper", "claim", "test", "part"]
    common = set.intersection(*(set(run[labels].itertuples(index=False, name=None)) for run in runs))
    found = []
    for run in runs:
        known = pd.Series([row in common for row in run[labels].itertuples(index=False, name=None)], run.index)
        place = run[CELL].map(str).agg("; ".join, axis=1).where(~known, run["part"])
        number = run.groupby([run["paper"], run["claim"], run["test"], place]).cumcount().astype(str)
        found.append(run.assign(at=place + "; " + number))
    return found


def apart(one: pd.Series[Any], other: pd.Series[Any], unit: str) -> float:
    """Return how far two estimates are apart, in standard errors; missing if either is not known so."""
    values = [float(row[name]) for row in (one, other) for name in ("estimate", "low", "high")]
    if not all(map(math.isfinite, values)):
        return math.nan
    # A ratio's error is one of its logarithm, and of a skew interval the side that faces the other counts.
    if unit == "factor" and min(values) > 0.0:
        values = [math.log(value) for value in values]
    (first, low, high), (second, below, above) = values[:3], values[3:]
    sides = (first - low, above - second) if first > second else (high - first, second - below)
    error = math.hypot(*sides) / normal_quantile(0.025)
    return (first - second) / error if error > 0.0 else math.nan


def heterogeneity(runs: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the parts of several runs side by side, with ``z``, the largest distance of two of their estimates."""
    first, *others = numbered(runs)
    table = first[[*PART_KEYS, "part", "unit", *CELL, *NUMBERS]]
    for number, run in enumerate(others, 2):
        names = {name: f"{name}_{number}" for name in ["part", *CELL, *NUMBERS]}
        table = table.merge(run[[*PART_KEYS, *names]].rename(columns=names), on=PART_KEYS)
    rows = []
    for row in table.to_dict("records"):
        each = [pd.Series({name: row[f"{name}{end}"] for name in NUMBERS[:3]}) for end in _ends(len(runs))]
        # Where runs tell other places, as the nearest one to a threshold, estimates are not of one quantity.
        same = all(_place(row, "") == _place(row, end) for end in _ends(len(runs)))
        distances = [apart(one, other, row["unit"]) for one, other in combinations(each, 2)] if same else []
        known = [z for z in distances if not math.isnan(z)]
        rows.append({**row, "z": max(known, key=abs) if known else math.nan})
    left = pd.DataFrame(rows, columns=None if rows else [*table, "z"])
    left = left.drop(columns=["at", *(f"{name}{end}" for name in CELL for end in _ends(len(runs)))])
    left.attrs["alone"] = max(map(len, runs)) - len(left)
    return left


def _ends(runs: int) -> list[str]:
    return ["", *(f"_{number}" for number in range(2, runs + 1))]


def _place(row: Mapping[Any, Any], end: str) -> list[str]:
    return [str(row[f"{name}{end}"]) for name in CELL]


def limit(comparisons: int) -> float:
    """Return the |z| that stops the build: 3.5, or what one in a hundred sets of so many comparisons passes."""
    return max(APART, normal_quantile(CHANCE / (2.0 * max(comparisons, 1))))


def told(table: pd.DataFrame, runs: int) -> tuple[str, bool]:
    """Return a sentence on heterogeneous parts, and whether there is any beyond the limit."""
    known = table["z"].dropna().abs()
    comparisons = len(known) * runs * (runs - 1) // 2
    most, expected = limit(comparisons), comparisons * 2.0 * normal_above(APART)
    beyond, far = int((known > APART).sum()), int((known > most).sum())
    said = (
        f"{len(known)} parts, {comparisons} comparisons of {runs} root seeds: {beyond} beyond |z| = {APART}, where "
        f"chance alone puts {expected:.1f}; {far} beyond {most:.2f}, which one in a hundred such sets passes."
    )
    if alone := table.attrs.get("alone"):
        said += f" {alone} are read on one root seed alone."
    for _, worst in table.loc[known.nlargest(1).index].iterrows():
        said += f" The largest is {worst['z']:.1f}: {worst['paper']} {worst['claim']}, {worst['part']}."
    return said, far > 0


def explained(changed: pd.DataFrame, table: pd.DataFrame, folder: Path = CONFIG) -> tuple[list[str], bool]:
    """Return why each verdict differs, and why parts of a claim do, in words, and whether all are explained."""
    words = yaml.safe_load((folder / "explained.yaml").read_text(encoding="utf-8")) or {}
    lines, complete = [], True
    differ = [
        (row["paper"], row["id"], f"{row['verdict']}, then {row['verdict_other']}") for _, row in changed.iterrows()
    ]
    far = table[table["z"].abs() > limit(int(table["z"].notna().sum()))]
    for (paper, name), number in Counter(zip(far["paper"], far["claim"], strict=True)).items():
        differ.append((paper, name, f"{number} of its parts are apart"))
    for paper, name, what in differ:
        said = words.get(paper, {}).get(name, "").strip()
        complete &= bool(said)
        lines.append(f"- `{paper}` `{name}` ({what}): {said or 'not explained yet.'}")
    return lines, complete


def counted(both: pd.DataFrame) -> str:
    """Return the count of what a fresh root seed confirmed, in words."""
    could, near = both[both["could_change"]], both[both["could_change"] & both["near"]]
    same, kept = int((~could["changed"]).sum()), int((~near["changed"]).sum())
    made = f"Decisions that samples make: {len(could)}, of which {same} the same"
    return f"{made}; of {len(near)} near a threshold, {kept}."


def markdown(
    both: pd.DataFrame, counts: Sequence[str], why: Sequence[str], reworded: Sequence[str], log: Sequence[Any]
) -> str:
    """Return the page: counts, seeds, what changed, and all verdicts."""
    shown = both.assign(
        claim=both["paper"] + " " + both["id"],
        near=both["near"].map({True: "yes", False: ""}),
        samples=both["could_change"].map({True: "yes", False: ""}),
    )
    heads = {"claim": "claim", "verdict": "verdict", "verdict_other": "on a fresh root seed"}
    heads |= {
        "samples": "samples decide",
        "near": "near a threshold",
        "effect": "effect",
        "effect_other": "its other",
    }
    drawn = {"seed": "root seed", "drawn": "drawn", "why": "why it was drawn", "result": "what came of it"}
    return "\n".join(
        [
            "# Verdicts, confirmed on a fresh root seed",
            "",
            "<!-- Made by tools/confirm.py from two full-scale runs. -->",
            "",
            "\n\n".join(counts),
            "",
            "All that a verdict imports was frozen before the second run: [digests](../../config/frozen.json). "
            "The first run was seen while tests were written. What is proved, computed or audited is the same "
            "twice, and is not counted. Part by part: [confirmed-parts.csv](confirmed-parts.csv). The second run's "
            f"ledger, with its intervals: [{LEDGER}]({LEDGER}).",
            "",
            *(["What changed:", "", *why, ""] if why else []),
            *([f"Said otherwise since it was frozen: {', '.join(reworded)}.", ""] if reworded else []),
            "Root seeds that were drawn, all of them:",
            "",
            pd.DataFrame(log)[LOG].rename(columns=drawn).to_markdown(index=False, disable_numparse=True),
            "",
            shown[list(heads)].rename(columns=heads).to_markdown(index=False, disable_numparse=True),
            "",
        ]
    )


def compare(one: Path, other: Path, page: Path, folder: Path = CONFIG) -> int:
    """Write the comparison of two runs, and the result of the last seed; return the exit status."""
    changed = thawed(folder)
    if changed["decides"]:
        sys.exit(f"changed since it was frozen: {', '.join(changed['decides'])}")
    both = compared(*(pd.read_csv(results / "claims.csv", keep_default_na=False) for results in (one, other)))
    table = heterogeneity([parts(one), parts(other)])
    said, stops = told(table, 2)
    why, complete = explained(both[both["changed"]], table, folder)
    rows, count = logged(folder), counted(both)
    rows[-1]["result"] = count
    _log(folder, rows)
    page.write_text(markdown(both, [count, said], why, changed["says"], rows), encoding="utf-8")
    both[COLUMNS].to_csv(page.with_suffix(".csv"), index=False, lineterminator="\n")
    beside = page.with_name(f"{page.stem}-parts.csv")
    table.to_csv(beside, index=False, float_format="%.6g", lineterminator="\n")
    shutil.copyfile(other / "claims.csv", page.with_name(LEDGER))
    print(count, said, *why, sep="\n")
    return int(stops or not complete or bool((both["changed"] & ~both["near"]).any()))


def seeds(folders: Sequence[Path], page: Path | None) -> int:
    """Compare the parts of runs of several root seeds; return the exit status."""
    table = heterogeneity([parts(folder) for folder in folders])
    said, stops = told(table, len(folders))
    print(said)
    if page is not None:
        worst = table.assign(size=table["z"].abs()).sort_values("size", ascending=False).head(20)
        shown = worst[["paper", "claim", "part", *(f"estimate{end}" for end in _ends(len(folders))), "z"]]
        head = "# Parts on several root seeds\n\n<!-- Made by tools/confirm.py seeds. -->\n\n"
        foot = f"\n\nThe twenty that differ most; all are in [{page.stem}.csv]({page.stem}.csv).\n"
        rows = shown.to_markdown(index=False, floatfmt=".4g")
        page.write_text(f"{head}{said}\n\n{rows}{foot}", encoding="utf-8")
        table.to_csv(page.with_suffix(".csv"), index=False, float_format="%.6g", lineterminator="\n")
    return int(stops)


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze, compare, or look at several seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("freeze")
    command.add_argument("--why", default="", help="why a new root seed is drawn")
    command = commands.add_parser("compare")
    command.add_argument("one", type=Path)
    command.add_argument("other", type=Path)
    command.add_argument("--page", type=Path, default=ROOT / "docs" / "results" / "confirmed.md")
    command = commands.add_parser("seeds")
    command.add_argument("folders", type=Path, nargs="+")
    command.add_argument("--page", type=Path, default=None)
    given = parser.parse_args(arguments)
    if given.command == "freeze":
        print(f"root seed {freeze(given.why)}: config/ has it, with frozen.json, frozen.tsq and seeds.csv")
        return 0
    if given.command == "compare":
        return compare(given.one, given.other, given.page)
    return seeds(given.folders, given.page)


if __name__ == "__main__":
    sys.exit(main())
