"""Which verdicts another root seed changes.

python benchmarks/verdicts.py results/claims.csv OTHER/claims.csv [OUTPUT.md]

Both ledgers are of the full scale, each from runs of its own root seed. The exit status is 1 if a verdict differs
that neither ledger marks as near its threshold. Committed as verdicts.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

KEYS = ["paper", "id"]


def compared(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return both ledgers side by side, with ``changed`` and ``near``: marked as near its threshold in either."""
    both = one.merge(other, on=KEYS, suffixes=("", "_other"), validate="one_to_one")
    if len(both) != len(one) or len(both) != len(other):
        sys.exit("the ledgers have different claims")
    near = (both["near_threshold"] == "yes") | (both["near_threshold_other"] == "yes")
    return both.assign(changed=both["verdict"] != both["verdict_other"], near=near)


def markdown(both: pd.DataFrame) -> str:
    """Return the comparison: counts, what changed, and all verdicts."""
    changed, near = both[both["changed"]], both[both["near"]]
    surprising = changed[~changed["near"]]
    shown = both.assign(
        claim=both["paper"] + " " + both["id"],
        near=both["near"].map({True: "yes", False: ""}),
        changed=both["changed"].map({True: "yes", False: ""}),
    )
    columns = {"claim": "claim", "verdict": "verdict", "verdict_other": "with another root seed"}
    columns |= {"near": "near threshold", "changed": "changed", "effect": "effect", "effect_other": "its other"}
    return "\n".join(
        [
            "# Verdicts with another root seed",
            "",
            "<!-- Made by benchmarks/verdicts.py from two full-scale ledgers. -->",
            "",
            f"Of {len(both)} verdicts {len(near)} are marked as near their threshold in either ledger. "
            f"{len(changed)} changed, {len(surprising)} of them without being so marked.",
            "",
            shown[list(columns)].rename(columns=columns).to_markdown(index=False, disable_numparse=True),
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    """Compare two ledgers, and write or print the comparison."""
    one, other = (pd.read_csv(path, keep_default_na=False) for path in arguments[:2])
    both = compared(one, other)
    text = markdown(both)
    if len(arguments) > 2:
        Path(arguments[2]).write_text(text, encoding="utf-8")
    else:
        print(text)
    return int((both["changed"] & ~both["near"]).any())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
