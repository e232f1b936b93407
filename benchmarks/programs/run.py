"""Audit programs in public repositories; write what was found, and the table of docs/programs-in-public.md.

Usage: ``python run.py COPIES``, a folder with a Git directory ``OWNER+NAME/repo`` for each repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import tempfile
import time
from pathlib import Path

# Adapters import what stands one folder above.
sys.path.append(str(Path(__file__).parents[1]))

from adapters import CASES as FIRST_CASES
from adapters import Case
from copies import copy_at, put_table
from streams import BANDITS, STREAMS, Stream

from noisetap import audit

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "programs-in-public.md"
CASES: list[Case | Stream] = [*FIRST_CASES, *BANDITS, *STREAMS]


def judged(case: Case | Stream, place: Path) -> dict[str, object]:
    """Audit one program with three seeds; the first verdict that is not *consistent* counts."""
    digest = hashlib.sha256((place / case.file).read_bytes()).hexdigest()
    started = time.process_time()
    make = case.make(place)
    for seed in range(3):
        if isinstance(case, Stream):
            verdict = audit(
                make, data=case.records, neighbours=case.relation, claim=case.claim, seed=seed, seconds=40
            )
        else:
            verdict = audit(make, rewards=case.rewards, claim=case.claim, seed=seed, effort=case.effort, seconds=40)
        if verdict.word != "consistent":
            break
    loss: object = round(verdict.loss, 4) if math.isfinite(verdict.loss) else None
    return {
        "repository": case.source[0],
        "commit": case.source[1],
        "file": case.file,
        "sha256": digest,
        "name": case.name,
        "stubbed": case.stubbed,
        "epsilon": case.claim.epsilon,
        "delta": case.claim.delta,
        "rho": case.claim.rho,
        "rounds": case.records.number if isinstance(case, Stream) else case.rewards.rounds,
        "verdict": verdict.word,
        "loss": "infinite" if math.isinf(verdict.loss) else loss,
        "line": verdict.line,
        "why": verdict.why,
        "seconds": round(time.process_time() - started, 1),
    }


def table(found: list[dict[str, object]]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| program | commit | claim | verdict | loss | line, or what was not heard |",
        "|---|---|---|---|---|---|",
    ]
    for f in found:
        claim = f"ε = {f['epsilon']:g}" + (f", δ = {f['delta']:g}" if f["delta"] else "")
        claim = claim if f.get("rho") is None else f"ρ = {f['rho']:g}"
        why = f"`{f['line']}`" if f["line"] else ("" if f["verdict"] == "consistent" else str(f["why"]))
        loss = f["loss"] if f["verdict"] in ("violated", "consistent") else ""
        program = f"{f['repository']}, `{f['name']}` | `{str(f['commit'])[:8]}`"
        lines.append(f"| {program} | {claim} | {f['verdict']} | {loss} | {why} |")
    return "\n".join(lines)


def main() -> None:
    """Audit all programs, or those whose names or repositories are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("copies", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    known = HERE / "found.json"
    old = {(f["repository"], f["name"]): f for f in json.loads(known.read_text())} if known.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if given.names and case.name not in given.names and case.source[0] not in given.names:
                continue
            found = judged(case, copy_at(given.copies, case.source, Path(folder), [":(glob)**/*.py"]))
            print(
                f"{case.source[0]} {case.name}: {found['verdict']} {found['loss']} {found['line']} {found['why']}",
                flush=True,
            )
            old[case.source[0], case.name] = found
            ordered = [old[c.source[0], c.name] for c in CASES if (c.source[0], c.name) in old]
            known.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    put_table(PAGE, table(ordered))


if __name__ == "__main__":
    main()
