"""docs/wu2025-step-one.v is checked by Coq, where there is one (Debian: coq), and Coq refuses wrong claims."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="no coqc; Debian: apt install coq")


@pytest.fixture
def proof(root: Path) -> str:
    """Return the proof's text."""
    return (root / "docs" / "wu2025-step-one.v").read_text(encoding="utf-8")


def check(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Coq on a text."""
    file = folder / "step_one.v"
    file.write_text(text, encoding="utf-8")
    return subprocess.run(["coqc", file.name], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@needs_coq
def test_coq_accepts_step_one(proof: str, tmp_path: Path) -> None:
    """Nothing is admitted, and nothing assumed but what Coq's real numbers assume."""
    checked = check(proof, tmp_path)
    assert checked.returncode == 0, checked.stderr
    assumed = {line.split()[0] for line in checked.stdout.splitlines() if "." in line.split()[0]}
    assert assumed == {
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }


@needs_coq
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(lost - 2 * best) / 2.\nProof", "(lost - 2 * best).\nProof"),
        ("<= 2 * (start - base) + 1.", "<= 2 * (start - base)."),
        ("Hypothesis swap_weight : forall w, weight (swap w) = weight w.\n", ""),
        ("Hypothesis late_sees_sums_only : forall w, late (swap w) = late w.\n", ""),
    ],
)
def test_coq_refuses_what_is_wrong(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    """A larger share of h, a smaller sum, halves that are not exchangeable, a tie-break that tells them apart."""
    assert proof.count(right) == 1
    assert check(proof.replace(right, wrong), tmp_path).returncode != 0


def test_the_proof_admits_nothing(proof: str) -> None:
    """No hole and no axiom of its own; only hypotheses of its section."""
    assert not any(word in proof for word in ("Admitted", "admit", "Axiom", "Parameter "))
