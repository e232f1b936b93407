"""Damage files of a finished run at random, repair, run Snakemake once, and compare every byte.

    python benchmarks/repairs.py FOLDER --configfile config/small.yaml --output docs/results/repairs.json

FOLDER is a checkout in which that scale is finished. Damages come in rounds of some dozens: bit flips, truncations,
removals, swaps and edits by hand (tests/support/damages.py), in all that the run wrote but logs. In each round the
saved configuration, which says what should be there, is among the damaged files. Stopped at any moment, it goes on
where the output says that it was, from a folder that is made whole first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import damages

from dpbandits.integrity.verify import examine, repair

# Beside the results: the digests of what is whole, for a session that goes on.
WHOLE = Path(".repairs.json")


def digests(folders: Sequence[Path]) -> dict[str, str]:
    """Return the digest of every file that a run answers for."""
    return {str(file): hashlib.blake2b(text).hexdigest() for file, text in damages.state(folders).items()}


def made_whole(folders: Sequence[Path], configfile: str) -> None:
    """Remove what is damaged, and run Snakemake once."""
    repair(folders)
    command = ["snakemake", "--cores", "2", "--quiet", "all", "--configfile", configfile]
    subprocess.run([sys.executable, "-m", *command], check=True)


def main() -> None:
    """Damage and repair, and write how many were noticed and made whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a checkout with a finished run")
    parser.add_argument("--configfile", default="config/small.yaml", help="what was run")
    parser.add_argument("--number", type=int, default=500, help="of damages")
    parser.add_argument("--rounds", type=int, default=10, help="in which they come")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", required=True, type=Path, help="a JSON file")
    given = parser.parse_args()
    output = given.output.resolve()
    os.chdir(given.folder)
    scale = Path(given.configfile).stem
    folders = [Path("results") / scale, Path("figures") / scale]
    if output.exists() and WHOLE.exists():
        found, whole = (json.loads(file.read_text(encoding="utf-8")) for file in (output, WHOLE))
        made_whole(folders, given.configfile)
        if digests(folders) != whole:
            raise SystemExit("not whole again after the session before")
    else:
        whole = digests(folders)
        WHOLE.write_text(json.dumps(whole), encoding="utf-8")
        found = dict.fromkeys(("rounds", "damages", "damaged", "noticed", "repaired"), 0)
        found = {"scale": scale, "files": len(whole), **found}
    size = given.number // given.rounds
    for number in range(found["rounds"], given.rounds):
        seals = examine(folders).seals
        saved = folders[0] / "config.json"
        damaged = damages.damage(folders, size, np.random.default_rng([given.seed, number]), [saved])
        unnoticed = damages.unnoticed(damaged, damages.named(folders), seals)
        made_whole(folders, given.configfile)
        after = digests(folders)
        found["rounds"] += 1
        found["damages"] += size
        found["damaged"] += len(damaged)
        found["noticed"] += len(damaged) - len(unnoticed)
        found["repaired"] += sum(after.get(str(file)) == whole[str(file)] for file in damaged)
        if after != whole or examine(folders).damaged:
            raise SystemExit(f"round {number}: not whole again")
        print(json.dumps(found), flush=True)
        output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
