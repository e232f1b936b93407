"""Power and honesty of replays: python benchmarks/replays.py --output benchmarks/replays.json.

Every planted fault of the stochastic algorithms (tests/support/broken.py) is replayed with each of some seeds, and
so is every correct private algorithm with every base, in at least a thousand replays each.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from broken import CHANGES, FAULTS, HARMLESS, LATE, breakable, with_fault
from twins import registered

from dpbandits.audit.replay import replay
from dpbandits.core import registry
from dpbandits.core.files import write_json

CLAIM = 1.0 + 1e-9
DELTA = 1e-6
# Claims that are known to be wrong.
WRONG = (
    "bandit-to-experts-advice",
    "rnm-ftnl-exponential",
    "robust-elimination-m1-printed",
    "robust-elimination-m2-printed",
)


def twins(name: str, seeds: int) -> dict[str, Any]:
    """Return with how many seeds each fault of an algorithm is caught, and the longest search, in CPU seconds."""
    altered, found = breakable(name), {}
    with registered(name, with_fault(altered, "none")) as twin:
        # What compiles is no part of a search.
        replay(twin, 1.0, effort=0.1)
    for fault in (fault for fault in (*FAULTS, *LATE) if (name, fault) not in HARMLESS):
        caught, longest = 0, 0.0
        with registered(name, with_fault(altered, fault)) as twin:
            for seed in range(seeds):
                began = time.process_time()
                seen = replay(twin, 1.0, seeds=range(seed, seed + 1))
                longest = max(longest, time.process_time() - began)
                caught += bool(seen.loss > CLAIM or (seen.seen and seen.refused))
        found[fault] = {"caught": caught, "seeds": seeds, "longest": round(longest, 2)}
    return found


def correct(name: str, base: dict[str, str], replays: int) -> dict[str, Any]:
    """Return what replays of a correct algorithm found, at least so many."""
    declared = registry.algorithm(name)
    assert declared.privacy is not None
    given = {**base, **({"delta": DELTA} if declared.privacy.definition == "approximate" else {})}
    done, violated, refused, worst, searches, began = 0, 0, 0, 0.0, 0, time.process_time()
    while done < replays:
        found = replay(name, 1.0, parameters=given, seeds=range(100 + searches, 101 + searches))
        violated += found.loss > CLAIM
        refused += bool(found.refused) or not found.seen
        worst, done, searches = max(worst, found.loss), done + found.looked.replays, searches + 1
    each = round((time.process_time() - began) / searches, 2)
    return {"replays": done, "violated": violated, "refused": refused, "worst": worst, "seconds_a_search": each}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="seeds of each fault")
    parser.add_argument("--replays", type=int, default=1000, help="replays of each correct algorithm")
    parser.add_argument("--algorithms", nargs="*", default=list(CHANGES), help="whose faults are planted")
    parser.add_argument("--output", type=Path, required=True, help="a JSON file")
    given = parser.parse_args()
    found: dict[str, Any] = {"twins": {}, "correct": {}}
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None or name in WRONG:
            continue
        for base in [{}] if declared.wraps is None else [{"base": base} for base in declared.wraps.candidates()]:
            called = " of ".join([name, *base.values()])
            found["correct"][called] = correct(name, base, given.replays)
            print(called, json.dumps(found["correct"][called]), flush=True)
    for name in given.algorithms:
        found["twins"][name] = twins(name, given.seeds)
        print(name, json.dumps(found["twins"][name]), flush=True)
        write_json(given.output, found)


if __name__ == "__main__":
    main()
