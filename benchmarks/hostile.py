"""Try thousands of hostile inputs: crates, folders of results, YAML, calls of the command line and of Python.

    python benchmarks/hostile.py --output docs/results/hostile.json

Each kind runs in a process of its own, from seeds 0 on; tests/support/hostile.py draws the inputs. Recorded are how
many ended in a traceback, or in what no call should do, the processor's seconds of the longest, and the memory.
Faults are printed with their seed. Status 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import hostile

NUMBERS = {"crates": 5000, "folders": 5000, "yaml": 2000, "commands": 2000, "python": 500}
KILOBYTES_PER_MB = 1024


def tried(kind: str, number: int) -> dict[str, float]:
    """Return what so many inputs of a kind came to, in this process."""
    longest, faults = 0.0, 0
    for seed in range(number):
        fault, seconds = hostile.fault(kind, seed)
        longest = max(longest, seconds)
        if fault:
            faults += 1
            print(f"{kind} {seed}:\n{fault}", file=sys.stderr, flush=True)
        elif seconds > 5:
            print(f"{kind} {seed}: {seconds:.0f} s", file=sys.stderr, flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KILOBYTES_PER_MB
    return {"number": number, "faults": faults, "seconds_of_longest": round(longest, 1), "memory_mb": round(memory)}


def main() -> int:
    """Try all kinds, or one, and write what they came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=NUMBERS, help="one kind alone, in this process")
    parser.add_argument("--number", type=int, help="how many of each (default: as issued)")
    parser.add_argument("--output", type=Path, help="a JSON file")
    given = parser.parse_args()
    if given.kind:
        print(json.dumps(tried(given.kind, given.number or NUMBERS[given.kind])))
        return 0
    found = {}
    for kind, number in NUMBERS.items():
        command = [sys.executable, __file__, "--kind", kind, "--number", str(given.number or number)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found[kind] = json.loads(done.stdout.splitlines()[-1])
        print(kind, found[kind], flush=True)
    if given.output:
        given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(any(of_kind["faults"] for of_kind in found.values()))


if __name__ == "__main__":
    sys.exit(main())
