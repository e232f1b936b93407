"""Confirmation: which verdicts a fresh root seed changes, of claims that were frozen before it was run.

python benchmarks/verdicts.py --freeze
python benchmarks/verdicts.py results/claims.csv results/confirm/claims.csv [docs/results/confirmed.md]

The first line writes the digests of all that decides to config/frozen.json: claims, experiments, the configuration,
and the code of tests and computations, without docstrings and comments. The fresh root seed is 48 bits of the
digest of that file, and goes to config/confirm.yaml: nobody chose it. Both are committed before
`snakemake --configfile config/confirm.yaml` is run.
The second one puts both ledgers side by side, each of the full scale and from runs of its own root seed, on a page
and, with the same name, as CSV. The page says how many verdicts another root seed could change, and counts those
alone. It refuses files that have changed since they were frozen, and a verdict that differs without a word about it
in config/explained.yaml; exit status is 1 if one differs that neither ledger marks as near its threshold.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import pandas as pd
import yaml

from dpbandits.core import provenance

CONFIG = Path("config")
# Why verdicts differ, in words, by paper and claim.
EXPLAINED = Path(__file__).parents[1] / "config" / "explained.yaml"
SEED = re.compile(r"^root_seed: \d+$", re.MULTILINE)
KEYS = ["paper", "id"]
NUMBERS = ("estimate", "low", "high", "p")
COLUMNS = [*KEYS, "verdict", "verdict_other", "changed", "could_change", "near", "effect", "effect_other"]
# What is run, and what is claimed, of each paper; what holds for all; and the code that decides.
FROZEN = ("claims.yaml", "experiments.yaml")
ALL = ("config.yaml",)
CODE = Path("src/dpbandits")
DECIDES = ("claims/**/*.py", "papers/*/computations/*.py", "core/verdicts.py", "core/tables.py", "core/streams.py")
# Reads what this program writes, for pages.
TELLS = Path("claims/confirmation.py")


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 digest of each file that says what is run and claimed, and of those that decide."""
    files = sorted(file for name in FROZEN for file in folder.glob(f"*/{name}"))
    files += [folder / name for name in ALL if (folder / name).is_file()]
    found = {str(file.relative_to(folder)): file for file in files}
    code = CODE if CODE.is_dir() else folder.parent / CODE
    deciding = {file for kind in DECIDES for file in code.glob(kind)} - {code / TELLS}
    found |= {str(CODE / file.relative_to(code)): file for file in sorted(deciding)}
    return {name: hashlib.sha256(_deciding(file)).hexdigest() for name, file in found.items()}


def _deciding(file: Path) -> bytes:
    """Return what of a file decides: all but comments, and docstrings of Python."""
    if file.suffix == ".py":
        return provenance._parsed(file.read_bytes()).code.encode()
    return json.dumps(yaml.safe_load(file.read_text(encoding="utf-8"))).encode()


def fresh_seed(frozen: dict[str, str]) -> int:
    """Return the root seed of the second run: 48 bits of the digest of all that is frozen."""
    return int.from_bytes(hashlib.sha256(json.dumps(frozen, sort_keys=True).encode()).digest()[:6], "big")


def thawed(folder: Path) -> list[str]:
    """Return the files that are not what they were when they were frozen."""
    frozen = json.loads((folder / "frozen.json").read_text(encoding="utf-8"))
    now = digests(folder)
    return sorted(name for name in {*frozen, *now} if frozen.get(name) != now.get(name))


def compared(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return both ledgers side by side, with ``changed`` and ``near``: marked as near its threshold in either."""
    both = one.merge(other, on=KEYS, suffixes=("", "_other"), validate="one_to_one")
    if len(both) != len(one) or len(both) != len(other):
        sys.exit("the ledgers have different claims")
    near = (both["near_threshold"] == "yes") | (both["near_threshold_other"] == "yes")
    # Of what is exact, proved or audited both runs have the same numbers, whatever their root seed. An effect is
    # printed to few digits: what moves it less is moved too.
    could = both["verdict"] != both["verdict_other"]
    for column in ("effect", *NUMBERS):
        could |= both[column] != both[f"{column}_other"]
    return both.assign(changed=both["verdict"] != both["verdict_other"], near=near, could_change=could)


def explained(changed: pd.DataFrame) -> list[str]:
    """Return why each verdict differs, in words, or exit with the claim that nothing is said of."""
    words = yaml.safe_load(EXPLAINED.read_text(encoding="utf-8")) or {}
    lines = []
    for _, claim in changed.iterrows():
        if claim["id"] not in words.get(claim["paper"], {}):
            sys.exit(f"{EXPLAINED.name}: nothing is said of {claim['paper']} {claim['id']}, whose verdict differs")
        said = words[claim["paper"]][claim["id"]].strip()
        verdicts = f"{claim['verdict']}, then {claim['verdict_other']}"
        lines.append(f"- `{claim['paper']}` `{claim['id']}` ({verdicts}): {said}")
    return lines


def markdown(both: pd.DataFrame, frozen: dict[str, str]) -> str:
    """Return the comparison: counts, what was frozen, what changed, and all verdicts."""
    changed, near = both[both["changed"]], both[both["near"]]
    surprising = changed[~changed["near"]]
    confirmed = (
        (~both["changed"]).map({True: "confirmed", False: "changed"}).where(both["could_change"], "same numbers")
    )
    shown = both.assign(
        claim=both["paper"] + " " + both["id"],
        near=both["near"].map({True: "yes", False: ""}),
        confirmed=confirmed,
    )
    columns = {"claim": "claim", "verdict": "verdict", "verdict_other": "on a fresh root seed"}
    columns |= {"confirmed": "confirmed", "near": "near threshold", "effect": "effect", "effect_other": "its other"}
    return "\n".join(
        [
            "# Verdicts, confirmed on a fresh root seed",
            "",
            "<!-- Made by benchmarks/verdicts.py from two full-scale ledgers. -->",
            "",
            f"{int(both['could_change'].sum())} of {len(both)} verdicts could change: their numbers differ between "
            f"the two root seeds. Of these {int(both['could_change'].sum()) - len(changed)} are confirmed, and "
            f"{len(changed)} changed, {len(surprising)} of them without being marked as near their threshold. "
            f"{len(near)} are so marked in either ledger. The others have the same numbers twice: they are "
            "exact, proved or audited, or nothing of them was decided. They are not counted as confirmed.",
            "",
            "Claims, experiments, and the code of tests and computations were frozen before the second run; the "
            "first one was seen while they were written.",
            "",
            *(f"- `{name}`: SHA-256 `{digest}`" for name, digest in frozen.items()),
            "",
            *(["What changed:", "", *explained(changed), ""] if len(changed) else []),
            shown[list(columns)].rename(columns=columns).to_markdown(index=False, disable_numparse=True),
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    """Freeze the claims; or compare two ledgers, and write or print the comparison."""
    if arguments == ["--freeze"]:
        frozen = digests(CONFIG)
        (CONFIG / "frozen.json").write_text(json.dumps(frozen, indent=1) + "\n", encoding="utf-8")
        confirm = CONFIG / "confirm.yaml"
        seeded, times = SEED.subn(f"root_seed: {fresh_seed(frozen)}", confirm.read_text(encoding="utf-8"))
        assert times == 1, f"{confirm}: no root seed"
        confirm.write_text(seeded, encoding="utf-8")
        return 0
    if changed := thawed(CONFIG):
        sys.exit(f"changed since they were frozen: {', '.join(changed)}")
    one, other = (pd.read_csv(path, keep_default_na=False) for path in arguments[:2])
    both = compared(one, other)
    text = markdown(both, digests(CONFIG))
    if len(arguments) > 2:
        page = Path(arguments[2])
        page.write_text(text, encoding="utf-8")
        both[COLUMNS].to_csv(page.with_suffix(".csv"), index=False, lineterminator="\n")
    else:
        print(text)
    return int((both["changed"] & ~both["near"]).any())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
