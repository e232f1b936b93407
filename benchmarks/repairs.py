"""Damage files of a finished run at random, repair, run Snakemake once, and compare every byte.

    python benchmarks/repairs.py FOLDER --configfile config/small.yaml --output docs/results/repairs.json

FOLDER is a checkout in which that scale is finished. Damages come in rounds of some dozens: bit flips, truncations,
removals, swaps and edits by hand (tests/support/damages.py), in all that the run wrote but logs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import damages

from dpbandits.pipeline.verify import examine, repair


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
    whole, seals = damages.state(folders), examine(folders).seals
    found = {"scale": scale, "files": len(whole), "damages": 0, "damaged": 0, "noticed": 0, "repaired": 0}
    for number in range(given.rounds):
        size = given.number // given.rounds
        damaged = damages.damage(folders, size, np.random.default_rng([given.seed, number]))
        named = {path for path, damage in examine(folders).damage.items() if damage is not None}
        found["damages"] += size
        found["damaged"] += len(damaged)
        found["noticed"] += len(damaged) - len(damages.unnoticed(damaged, named, seals))
        repair(folders)
        command = ["snakemake", "--cores", "2", "--quiet", "all", "--configfile", given.configfile]
        subprocess.run([sys.executable, "-m", *command], check=True)
        after = damages.state(folders)
        found["repaired"] += sum(after.get(file) == whole[file] for file in damaged)
        if after != whole or examine(folders).damaged:
            raise SystemExit(f"round {number}: not whole again")
        print(json.dumps(found), flush=True)
        output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
