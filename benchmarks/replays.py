"""Power and honesty of replays: python benchmarks/replays.py --output benchmarks/replays.json.

Every planted fault (tests/support/broken.py of the stochastic algorithms, tests/support/late.py of those of every
setting) is replayed with each of some seeds, and so is every correct private algorithm with every base, in at least
a thousand replays each. What is asked for is added to a file that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import broken
import late
from twins import registered

from dpbandits.auditing.replay import Replayed, replay
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.files import read_json, write_json

CLAIM = 1.0 + 1e-9
DELTA = 1e-6
# Claims that are known to be wrong.
WRONG = (
    "bandit-to-experts-advice",
    "rnm-ftnl-exponential",
    "robust-elimination-m1-printed",
    "robust-elimination-m2-printed",
)


class Twins(NamedTuple):
    """An algorithm that can be broken: faults that are looked for, the twin of one, and how it is replayed."""

    faults: list[str]
    twin: Callable[[str], Algorithm]
    given: dict[str, Any]
    within: str = ""


def breakable(name: str) -> Twins:
    """Return an algorithm with all its faults: compiled once."""
    if name in broken.CHANGES:
        altered = broken.breakable(name)
        faults = [
            fault
            for fault in (*broken.FAULTS, *broken.LATE, *broken.HIDDEN)
            if (name, fault) not in broken.HARMLESS
        ]
        return Twins(faults, lambda fault: broken.with_fault(altered, fault), {})
    place, altered = late.PLACES[name], late.breakable(name)
    faults = [fault for fault in place.faults if (name, fault) not in late.HARMLESS]
    return Twins(faults, lambda fault: late.with_fault(altered, name, fault), place.given, place.within)


def searched(twins: Twins, name: str, fault: str, **given: Any) -> Replayed:
    """Return a search of a twin, or of what runs it."""
    with registered(name, twins.twin(fault)) as twin:
        subject, parameters = (twins.within, {"base": twin}) if twins.within else (twin, twins.given)
        return replay(subject, 1.0, parameters=parameters, **given)


def power(name: str, seeds: int) -> dict[str, Any]:
    """Return with how many seeds each fault is caught, the longest search in CPU seconds, and the violation."""
    twins, found = breakable(name), {}
    # What compiles is no part of a search; and without a fault nothing is caught.
    sound = searched(twins, name, "none", effort=0.1)
    assert sound.seen and sound.loss <= CLAIM and not sound.refused
    for fault in twins.faults:
        caught, violated, longest, violation = 0, 0, 0.0, ""
        for seed in range(seeds):
            began = time.process_time()
            seen = searched(twins, name, fault, seeds=range(seed, seed + 1))
            longest = max(longest, time.process_time() - began)
            violated += seen.loss > CLAIM
            caught += bool(seen.loss > CLAIM or seen.refused)
            violation = violation or ((seen.worst.violation if seen.worst is not None else "") or seen.refused)
        found[fault] = {
            "caught": caught,
            "violated": violated,
            "seeds": seeds,
            "longest": round(longest, 2),
            "violation": violation,
        }
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
        worst, done, searches = max(worst, found.loss), done + found.coverage.replays, searches + 1
    each = round((time.process_time() - began) / searches, 2)
    return {"replays": done, "violated": violated, "refused": refused, "worst": worst, "seconds_a_search": each}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="seeds of each fault")
    parser.add_argument("--replays", type=int, default=1000, help="replays of each correct algorithm")
    every = [*broken.CHANGES, *late.PLACES]
    parser.add_argument("--twins", nargs="*", default=every, help="whose faults are planted")
    parser.add_argument("--correct", nargs="*", help="correct algorithms (default: all)")
    parser.add_argument("--output", type=Path, required=True, help="a JSON file")
    given = parser.parse_args()
    found: dict[str, Any] = {"twins": {}, "correct": {}}
    if given.output.exists():
        found |= read_json(given.output)
    for name in given.twins:
        found["twins"][name] = power(name, given.seeds)
        print(name, json.dumps(found["twins"][name]), flush=True)
        write_json(given.output, found)
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        asked = given.correct is None or name in given.correct
        if declared.privacy is None or name in WRONG or not asked:
            continue
        for base in [{}] if declared.wraps is None else [{"base": base} for base in declared.wraps.candidates()]:
            called = " of ".join([name, *base.values()])
            found["correct"][called] = correct(name, base, given.replays)
            print(called, json.dumps(found["correct"][called]), flush=True)
            write_json(given.output, found)


if __name__ == "__main__":
    main()
