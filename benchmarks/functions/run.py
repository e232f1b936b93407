"""Audit functions in public repositories, by noisetap and by sampling; write docs/functions-in-public.md's tables.

Usage: ``python run.py COPIES [NAMES]``: a folder with a Git directory ``OWNER+NAME/repo`` for each repository, and
names of functions or repositories. ``--unseen`` takes those that were judged before anything was mended for them.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

# Adapters import what stands one folder above.
sys.path.append(str(Path(__file__).parents[1]))

from adapters import BOOK, Case
from adapters import CASES as FIRST_CASES
from copies import copy_at, put_table
from faults import threshold
from others import OTHERS
from unseen import UNSEEN

from noisetap import audit
from noisetap.records import as_result, form_of, leaves

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "functions-in-public.md"
# Of the book the chapters alone are unpacked.
CHAPTERS = [f"notebooks/ch{chapter}.ipynb" for chapter in range(5, 14)]
# Runs on each of two inputs. Half of them say which event is looked at, and a tenth more which inputs.
SAMPLES, CONFIDENCE = 15_000, 0.999
PAIRS = 8
CASES = [*FIRST_CASES, *OTHERS]


def seen(case: Case, function: Any, data: Any, epsilon: float, runs: int) -> list[tuple[Any, ...]]:
    """Return results of runs, as tuples of numbers and texts."""
    given, form = {}, case.records.form or form_of(function)
    if "epsilon" in function.__code__.co_varnames[: function.__code__.co_argcount]:
        given["epsilon"] = epsilon
    found = []
    for _ in range(runs):
        try:
            result = as_result(function(case.records.as_argument(data, form), **given))
        except Exception as error:  # an exception is a result
            result = ("raised", type(error).__name__)
        found.append(tuple(leaves(result)))
    return found


def event(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> Any:
    """Return the event that tells two samples apart best: a set of results, or a number beyond a threshold."""
    counts, others = Counter(one), Counter(other)
    if len(counts) + len(others) < len(one) / 4:
        likely = {r for r in counts if counts[r] + 0.5 > (others[r] + 0.5)}
        best = max(counts, key=lambda r: math.log((counts[r] + 0.5) / (others[r] + 0.5)) - 3 / math.sqrt(counts[r]))
        return {best} if counts[best] > len(one) / 100 else likely

    def number(result: tuple[Any, ...]) -> float:
        numbers = [v for v in result if isinstance(v, float)]
        return numbers[-1] if numbers else math.inf

    cut, sign = threshold(np.array([number(r) for r in one]), np.array([number(r) for r in other]))
    return lambda result: sign * number(result) > cut


def sampled(case: Case, function: Any) -> tuple[float, float]:
    """Return by how much a lower bound of the loss exceeds the claim, by sampling, and its seconds."""
    from scipy.special import betaincinv

    began, best = time.process_time(), -math.inf
    rng = np.random.default_rng(1)
    pairs = [
        pair
        for data in case.records.inputs(rng, 5)
        for _, other in case.records.neighbours(data, case.relation)
        for pair in ((data, other), (other, data))
    ]
    chosen = [pairs[int(i)] for i in rng.permutation(len(pairs))[:PAIRS]]
    claim = case.claim.epsilon if case.claim.rho is None else math.inf
    budgeted = "epsilon" in function.__code__.co_varnames[: function.__code__.co_argcount]
    for epsilon in (1.0, 1.0 / 3.0) if budgeted and claim == 1.0 and case.claim.delta == 0 else (1.0,):
        scored = []
        for x, y in chosen:
            one, other = (seen(case, function, data, epsilon, SAMPLES // 10 // 4) for data in (x, y))
            if not one or not other:
                continue
            e = event(one, other)
            inside = (lambda r, e=e: r in e) if isinstance(e, set) else e
            k, m = (sum(map(inside, s)) for s in (one, other))
            scored.append((math.log((k + 0.5) / (m + 0.5)) - 2 / math.sqrt(m + 1), len(scored), x, y))
        _, _, x, y = max(scored)
        one, other = (seen(case, function, data, epsilon, SAMPLES) for data in (x, y))
        half = len(one) // 2
        e = event(one[:half], other[:half])
        inside = (lambda r, e=e: r in e) if isinstance(e, set) else e
        k, m = (sum(map(inside, s[half:])) for s in (one, other))
        risk = (1 - CONFIDENCE) / 4
        low = float(betaincinv(k, half - k + 1, risk)) if k else 0.0
        high = float(betaincinv(m + 1, half - m, 1 - risk)) if m < half else 1.0
        shown = math.log((low - case.claim.delta) / high) if low > case.claim.delta else -math.inf
        best = max(best, shown - claim * epsilon)
    return best, time.process_time() - began


def judged(case: Case, place: Path, sample: bool) -> dict[str, Any]:
    """Audit one function, and by sampling too if that is wanted."""
    function = case.make(place)
    began = time.process_time()
    verdict = audit(function, data=case.records, neighbours=case.relation, claim=case.claim, seconds=30)
    seconds = time.process_time() - began
    over, took = sampled(case, function) if sample else (None, None)
    return {
        "repository": case.source[0],
        "commit": case.source[1],
        "name": case.name,
        "claim": str(case.claim),
        "label": "keeps it" if case.sound else "does not",
        "keeps": case.keeps,
        "contradicted": case.contradicted,
        "verdict": verdict.word,
        "loss": "infinite"
        if math.isinf(verdict.loss)
        else None
        if math.isnan(verdict.loss)
        else round(verdict.loss, 4),
        "line": verdict.line,
        "why": "" if verdict.word == "consistent" else verdict.why,
        "seconds": round(seconds, 2),
        "sampling": None if over is None else bool(over > 0),
        "sampling seconds": None if took is None else round(took, 1),
    }


def _row(name: str, hits: str, missed: int, alarms: str, refused: int, suspicious: int, seconds: float) -> str:
    return f"| {name} | {hits} | {missed} | {alarms} | {refused} | {suspicious} | {seconds:.2g} |"


def _by_sampling(tried: list[dict[str, Any]]) -> str:
    """Return the row of what sampling found."""
    broken, sound = [f for f in tried if not f["keeps"]], [f for f in tried if f["keeps"]]
    return _row(
        f"sampling, 30,000 runs, {len(tried)} functions",
        f"{sum(f['sampling'] for f in broken)} of {len(broken)}",
        sum(not f["sampling"] for f in broken),
        f"{sum(f['sampling'] for f in sound)} of {len(sound)}",
        0,
        0,
        float(np.median([f["sampling seconds"] for f in tried])),
    )


def _by_noisetap(found: list[dict[str, Any]], name: str, key: str) -> str:
    """Return the row of noisetap's verdicts of one time: ``first`` or now."""
    words = Counter((f["keeps"], f[key]) for f in found)
    return _row(
        name,
        f"{words[False, 'violated']} of {sum(not f['keeps'] for f in found)}",
        words[False, "consistent"],
        f"{words[True, 'violated']} of {sum(f['keeps'] for f in found)}",
        words[True, "refused"] + words[False, "refused"],
        words[True, "suspicious"] + words[False, "suspicious"],
        float(np.median([f["seconds"] for f in found])),
    )


def table(found: list[dict[str, Any]]) -> str:
    """Return both tables in Markdown, and why labels do not hold where adapters say it."""
    broken = [f for f in found if not f["keeps"]]
    tried = [f for f in found if f["sampling"] is not None]
    first = any("first" in f for f in found)
    lines = [
        f"{len(found)} functions, {len({f['repository'] for f in found})} repositories; {len(broken)} are broken.",
        "",
        "| auditor | broken found | missed | false alarms | refused | suspicious | seconds (median) |",
        "|---|---|---|---|---|---|---|",
        *([_by_noisetap(found, "noisetap, first reading", "first")] if first else []),
        _by_noisetap(found, "noisetap, after mending" if first else "noisetap", "verdict"),
        *([_by_sampling(tried)] if tried else []),
        "",
        "| function | commit | its authors say | noisetap | loss | sampling | what was not heard |",
        "|---|---|---|---|---|---|---|",
    ]
    for f in found:
        loss = "" if f["loss"] is None else f["loss"]
        why = f["why"].replace("|", "/")[:110] if f["verdict"] == "refused" else ""
        says = f["label"] + ("" if (f["label"] == "keeps it") == f["keeps"] else " (see below)")
        by_sample = {True: "found", False: "", None: "not run"}[f["sampling"]]
        lines.append(
            f"| {f['repository']}, `{f['name']}` | `{f['commit'][:8]}` | {says} | {f['verdict']} | {loss} "
            f"| {by_sample} | {why} |"
        )
    if first:
        lines += ["", "Where a label does not hold:", ""]
        lines += [
            f"- **{f['repository']}, `{f['name']}`.** {f['contradicted']}" for f in found if f["contradicted"]
        ]
    return "\n".join(lines)


def main() -> None:
    """Audit all functions, or those whose names are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("copies", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--unseen", action="store_true", help="functions that nothing was mended for before")
    parser.add_argument("--found", type=Path)
    parser.add_argument("--no-sampling", action="store_true")
    given = parser.parse_args()
    cases, name = (UNSEEN, "unseen") if given.unseen else (CASES, "found")
    file = given.found or HERE / f"{name}.json"
    old = {(f["repository"], f["name"]): f for f in json.loads(file.read_text())} if file.exists() else {}
    ordered = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if not given.names or case.name in given.names or case.source[0] in given.names:
                files = CHAPTERS if case.source == BOOK else [":(glob)**/*.py"]
                found = judged(case, copy_at(given.copies, case.source, Path(folder), files), not given.no_sampling)
                print(case.name, found["verdict"], found["loss"], found["sampling"], found["why"], flush=True)
                before = old.get((case.source[0], case.name))
                if given.no_sampling and before is not None:
                    found |= {key: before[key] for key in ("sampling", "sampling seconds")}
                if given.unseen:
                    found["first"] = found["verdict"] if before is None else before["first"]
                old[case.source[0], case.name] = found
                ordered = [old[c.source[0], c.name] for c in cases if (c.source[0], c.name) in old]
                file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    if given.found is None:
        put_table(PAGE, table(ordered), "unseen" if given.unseen else "table")


if __name__ == "__main__":
    main()
