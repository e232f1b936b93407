"""Measure auditors on planted faults: found, samples, seconds, false alarms; write benchmarks/faults.json.

    python benchmarks/faults.py noisetap [--part I/N]
    python benchmarks/faults.py counting jax-privacy privacy-estimates
    python benchmarks/faults.py --table

`noisetap` listens to policies. The others are given samples of releases (`Fault.sampler`).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.faults import catalogue
from dpbandits.faults.catalogue import Fault, algorithms, sound, without_advice
from dpbandits.faults.kinds import KINDS

RESULTS = Path(__file__).with_name("faults.json")
# Samples on each of two inputs.
SAMPLES = 100_000
CONFIDENCE = 0.999


def listened(make: Callable[[], Any], fault: Fault | None, algorithm: str) -> dict[str, Any]:
    """Audit a policy by noisetap, on as many rounds as the fault needs."""
    import noisetap

    made = make()
    inside = without_advice(made)
    rounds = 24 if fault is None else max(12, fault.first_round + 4)
    if algorithm == "dp-se":
        rounds = max(rounds, 720)
    low = -1.0 if inside.low < 0 else 0.0
    table = noisetap.Rewards(rounds, inside.arms, low, 1.0, row=inside.feedback == "losses")
    claim = noisetap.Claim(1.0, 0.01 if algorithm.startswith("batched") else 0.0)
    began = time.process_time()
    verdict = noisetap.audit(make, rewards=table, claim=claim, effort=3, seconds=10.0)
    return {
        "verdict": verdict.word,
        "loss": verdict.loss if math.isfinite(verdict.loss) else str(verdict.loss),
        "samples": verdict.runs,
        "seconds": round(time.process_time() - began, 2),
        "why": verdict.why,
    }


def scores(sample: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return what an auditor of one number is shown: a release, the last, their sum and their difference."""
    first, last = sample[:, 0], sample[:, -1]
    return [last] if sample.shape[1] in (1, 11) else [first, last, first + last, first - last]


def threshold(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Return a threshold and a side that tell the samples apart best: the ratio, less three standard errors."""
    best, chosen = -math.inf, (0.0, 1.0)
    for sign in (1.0, -1.0):
        a, b = np.sort(sign * one), np.sort(sign * other)
        cuts = np.quantile(np.concatenate([a, b]), np.linspace(0.001, 0.999, 999))
        p, q = (len(x) - np.searchsorted(x, cuts, "right") for x in (a, b))
        ratio = np.log((p + 0.5) / (q + 0.5)) - 3.0 / np.sqrt(q + 1.0)
        at = int(np.argmax(ratio))
        if ratio[at] > best:
            best, chosen = float(ratio[at]), (float(cuts[at]), sign)
    return chosen


def counting(one: NDArray[np.float64], other: NDArray[np.float64], risk: float) -> float:
    """Return our lower bound: a threshold by the first half, Clopper-Pearson on the second."""
    from scipy.special import betaincinv

    half = len(one) // 2
    cut, sign = threshold(one[:half], other[:half])
    k, m = (int(np.sum(sign * x[half:] > cut)) for x in (one, other))
    low = float(betaincinv(k, half - k + 1, risk / 2)) if k else 0.0
    high = float(betaincinv(m + 1, half - m, 1.0 - risk / 2)) if m < half else 1.0
    return math.log(low / high) if low > 0 else -math.inf


def by_jax_privacy(one: NDArray[np.float64], other: NDArray[np.float64], risk: float) -> float:
    """Return the lower bound of jax-privacy's canary auditor, with its own choice of thresholds, on both sides."""
    from jax_privacy import auditing

    return max(
        float(auditing.CanaryScoreAuditor(s * one, s * other).epsilon_clopper_pearson(risk / 2))
        for s in (1.0, -1.0)
    )


def by_privacy_estimates(one: NDArray[np.float64], other: NDArray[np.float64], risk: float) -> float:
    """Return the lower bound of privacy-estimates, from the error rates of the attack that we choose too."""
    from privacy_estimates import AttackResults, compute_eps_lo

    half = len(one) // 2
    cut, sign = threshold(one[:half], other[:half])
    tp, fp = (int(np.sum(sign * x[half:] > cut)) for x in (one, other))
    counts = AttackResults(FN=half - tp, FP=fp, TN=half - fp, TP=tp)
    return float(compute_eps_lo(count=counts, delta=0.0, alpha=2 * risk, method="beta"))


Bound = Callable[[NDArray[np.float64], NDArray[np.float64], float], float]


def bounded(bound: Bound, one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return an auditor's best lower bound over what it is shown and both directions, at `CONFIDENCE` together."""
    shown = list(zip(scores(one), scores(other), strict=True))
    risk = (1.0 - CONFIDENCE) / (2 * len(shown))
    return max(bound(*pair, risk) for a, b in shown for pair in ((a, b), (b, a)))


BOUNDS: dict[str, tuple[str, Bound]] = {
    "counting": ("dpbandits", counting),
    "jax-privacy": ("jax-privacy", by_jax_privacy),
    "privacy-estimates": ("privacy-estimates", by_privacy_estimates),
}


def sampled(name: str) -> dict[str, Any]:
    """Measure an auditor that takes samples: each kind of fault, and sound noise with twenty seeds."""
    package, bound = BOUNDS[name]
    kinds: dict[str, Any] = {}
    for kind in KINDS:
        fault = next(f for f in catalogue() if f.kind == kind and f.setting != "full_information" and not f.delta)
        sample, began = fault.sampler(), time.process_time()
        bounds = [
            bounded(bound, sample(False, SAMPLES, 2 * seed), sample(True, SAMPLES, 2 * seed + 1))
            for seed in range(3)
        ]
        seconds = (time.process_time() - began) / 3
        found = sum(x > fault.epsilon for x in bounds)
        kinds[kind] = {
            "bounds": [round(x, 3) for x in bounds],
            "found": found,
            "of": 3,
            "seconds": round(seconds, 2),
        }
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng([7, seed])
        one, other = (value + rng.laplace(0.0, 1.0, (SAMPLES, 1)) for value in (1.0, 0.0))
        alarms += bounded(bound, one, other) > 1.0
    version = importlib.metadata.version(package)
    return {"version": version, "samples": 2 * SAMPLES, "kinds": kinds, "false alarms": alarms, "of": 20}


def write(key: str, value: Any) -> None:
    """Put one auditor's numbers into the results, beside the others'."""
    content = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if key == "noisetap":
        value = {part: {**content.get(key, {}).get(part, {}), **value[part]} for part in ("faults", "sound")}
    content[key] = value
    RESULTS.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")


def rows(results: dict[str, Any]) -> dict[str, dict[str, tuple[int, int]]]:
    """Return, by auditor and kind, how many of how many were found."""
    found: dict[str, dict[str, tuple[int, int]]] = {"noisetap": {}}
    heard = results.get("noisetap", {}).get("faults", {})
    for kind in KINDS:
        mine = [verdict for name, verdict in heard.items() if name.endswith(f"/{kind}")]
        found["noisetap"][kind] = sum(v["verdict"] == "violated" for v in mine), len(mine)
        for auditor in BOUNDS:
            if auditor in results:
                each = results[auditor]["kinds"][kind]
                found.setdefault(auditor, {})[kind] = each["found"], each["of"]
    return found


def summary(results: dict[str, Any]) -> str:
    """Return the page's tables."""
    found = rows(results)
    by_kind = {kind: next(f for f in catalogue() if f.kind == kind) for kind in KINDS}
    lines = [f"| fault | exact loss | {' | '.join(found)} |", "|---" * (2 + len(found)) + "|"]
    for kind, fault in by_kind.items():
        cells = " | ".join("{} of {}".format(*found[auditor][kind]) for auditor in found)
        loss = "infinite" if math.isinf(fault.loss) else f"{fault.loss:.3g}"
        lines.append(f"| {fault.about.rstrip('.')} | {loss} | {cells} |")
    heard = results["noisetap"]
    words = [v["verdict"] for v in heard["faults"].values()]
    quiet = [v["verdict"] for v in heard["sound"].values()]
    seconds = float(np.median([v["seconds"] for v in heard["faults"].values()]))
    runs = float(np.median([v["samples"] for v in heard["faults"].values()]))
    said = ", ".join(f"{words.count(w)} *{w}*" for w in ("violated", "suspicious", "refused", "consistent"))
    lines += [
        "",
        "| auditor | version | samples of a fault | seconds of a fault | false alarms |",
        "|---|---|---|---|---|",
    ]
    alarms = f"{quiet.count('violated')} of {len(quiet)}"
    lines.append(f"| noisetap | this one | {runs:.0f} runs (median) | {seconds:.1f} (median) | {alarms} |")
    for auditor in BOUNDS:
        if auditor in results:
            one = results[auditor]
            took = float(np.median([k["seconds"] for k in one["kinds"].values()]))
            alarms = f"{one['false alarms']} of {one['of']}"
            lines.append(f"| {auditor} | {one['version']} | {one['samples']:,} | {took:.2f} (median) | {alarms} |")
    measured = f"noisetap on {len(words)} of {len(catalogue())} faults, the others not yet measured: {said}."
    return "\n".join([measured, "", *lines])


def draw(results: dict[str, Any], file: Path) -> None:
    """Draw the share that each auditor finds, by kind of fault."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "faults"
    from matplotlib import pyplot

    found = rows(results)
    figure, axes = pyplot.subplots(figsize=(7.5, 4.8), layout="constrained")
    height = 0.8 / len(found)
    for place, (auditor, kinds) in enumerate(found.items()):
        share = [k / n if n else 0.0 for k, n in kinds.values()]
        axes.barh(np.arange(len(kinds)) + place * height, share, height, label=auditor)
    axes.set_yticks(np.arange(len(KINDS)) + 0.4 - height / 2, list(KINDS))
    axes.invert_yaxis()
    axes.set_xlabel("share of faults found")
    figure.legend(loc="outside upper center", ncols=len(found))
    figure.savefig(file, metadata={"Date": None})


def page(results: dict[str, Any]) -> None:
    """Put tables and figure into docs/faults.md."""
    docs = Path(__file__).parents[1] / "docs"
    text = (docs / "faults.md").read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- table -->")
    _, _, after = rest.partition("<!-- end of table -->")
    table = f"<!-- table -->\n{summary(results)}\n<!-- end of table -->"
    (docs / "faults.md").write_text(f"{before}{table}{after}", encoding="utf-8")
    draw(results, docs / "faults.svg")


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("auditors", nargs="*", metavar="AUDITOR", help=f"of noisetap, {', '.join(BOUNDS)}")
    parser.add_argument("--table", action="store_true", help="write docs/faults.md and its figure")
    parser.add_argument("--part", default="0/1", help="which faults: the I-th of N parts")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    for auditor in given.auditors:
        if auditor != "noisetap":
            write(auditor, sampled(auditor))
            continue
        for fault in catalogue()[part::parts]:
            found = listened(lambda fault=fault: fault.policy(1), fault, fault.algorithm)
            write("noisetap", {"faults": {fault.name: found}, "sound": {}})
        for name in algorithms()[part::parts]:
            found = listened(lambda name=name: sound(name, 1), None, name)
            write("noisetap", {"faults": {}, "sound": {name: found}})
    if given.table:
        page(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
