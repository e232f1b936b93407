"""Judge all planted functions and policies of noisetap's tests with one engine, in pieces.

    python benchmarks/planted.py docs/results/planted.json --seconds 240

Each call goes on for so many seconds of the processor. What is in the file stays, if its engine is this one: the
digest is of noisetap's modules. Policies are judged on tables of 40 rounds and two arms.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import noisetap
from noisetap import Claim, Rewards, Verdict, audit

sys.path.append(str(Path(__file__).parents[1] / "packages" / "noisetap" / "tests"))

import planted_functions
import unseen_functions
import unseen_policies

# Most seconds of one verdict, as in the tests.
MOST = 120.0


def engine() -> str:
    """Return the digest of the modules that judge."""
    files = sorted(Path(noisetap.__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def of_data(plant: Any) -> Callable[[], Verdict]:
    """Return what judges a function."""
    return lambda: audit(
        plant.function, data=plant.records, neighbours=plant.relation, claim=plant.claim, seconds=MOST
    )


def of_rounds(play: Any, claim: Claim) -> Callable[[], Verdict]:
    """Return what judges a policy."""
    return lambda: audit(lambda: play, rewards=Rewards(40, 2), claim=claim, seconds=MOST)


def planted() -> Iterator[tuple[str, str, bool, Callable[[], Verdict]]]:
    """Yield set, name and truth of each, and what judges it."""
    for name, plants in (("functions", planted_functions.PLANTS), ("further functions", unseen_functions.UNSEEN)):
        for plant in plants:
            yield name, plant.name, plant.sound, of_data(plant)
    for name, *twins in unseen_policies.TWINS:
        claim = Claim(1.0, 0.01) if name == "normal noise" else Claim(1.0)
        for sound, play in zip((True, False), twins, strict=True):
            yield "policies, 40 rounds", f"{name}, {'sound' if sound else 'broken'}", sound, of_rounds(play, claim)


def main() -> None:
    """Judge what the file does not have, and write each verdict when it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="a JSON file")
    parser.add_argument("--seconds", type=float, default=math.inf, help="of the processor, for this call")
    given = parser.parse_args()
    kept = json.loads(given.output.read_text(encoding="utf-8")) if given.output.exists() else {}
    digest = engine()
    found = kept["found"] if kept.get("engine") == digest else []
    done = {(one["set"], one["name"]) for one in found}
    for kind, name, sound, judge in planted():
        if (kind, name) in done or time.process_time() > given.seconds:
            continue
        began = time.process_time()
        verdict = judge()
        seconds = round(time.process_time() - began, 2)
        found.append({"set": kind, "name": name, "sound": sound, "verdict": verdict.word, "seconds": seconds})
        text = json.dumps({"engine": digest, "found": found}, indent=1, ensure_ascii=False)
        given.output.write_text(text + "\n", encoding="utf-8")
        if verdict.word != ("consistent" if sound else "violated"):
            print(kind, name, verdict, flush=True)
    print(f"{len(found)} judged")


if __name__ == "__main__":
    main()
