"""A signature counts if somebody in the list made it, of this crate, for this use."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput, DamagedFile, MissingExtra, MissingFile
from dpbandits.integrity import signatures

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no OpenSSH")


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """Return a crate that Ada signed; her key is in ``signers``, beside keys of others."""
    crate = tmp_path / "crate.zip"
    with zipfile.ZipFile(crate, "w") as archive:
        archive.writestr("ro-crate-metadata.json", '{"@graph": []}')
    for name in ("ada", "eve"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(tmp_path / name)]
        subprocess.run(made, check=True)
    public = (tmp_path / "ada.pub").read_text(encoding="utf-8")
    (tmp_path / "signers").write_text(f"# ours\nada@example.org {public}", encoding="utf-8")
    sign(crate, tmp_path / "ada")
    return crate


def sign(crate: Path, key: Path, use: str = "dpbandits") -> None:
    """Sign a crate, as a person does."""
    crate.with_name(f"{crate.name}.sig").unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", use, str(crate)], check=True)


def test_who_signed_is_named(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the crate is looked at as without."""
    assert main(["verify", str(signed), "--signed", str(signed.with_name("signers"))]) == 0
    assert f"{signed}: signed by ada@example.org\n" in capsys.readouterr().out


def test_another_signature_counts_for_nothing(signed: Path) -> None:
    """Of somebody else, for another use, of other content; broken, or empty."""
    signers, signature = signed.with_name("signers"), signed.with_name("crate.zip.sig")
    right = signature.read_bytes()
    sign(signed, signed.with_name("eve"))
    of_eve = signature.read_bytes()
    sign(signed, signed.with_name("ada"), "git")
    for wrong in (of_eve, signature.read_bytes(), right[:100], b"", right.replace(b"A", b"B", 3)):
        signature.write_bytes(wrong)
        with pytest.raises(DamagedFile, match="nobody in the list"):
            signatures.check(signed, signers)
    signature.write_bytes(right)
    assert signatures.check(signed, signers) == "ada@example.org"
    signed.write_bytes(signed.read_bytes() + b" ")
    with pytest.raises(DamagedFile):
        signatures.check(signed, signers)


def test_what_is_not_there_is_named(signed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a missing signature, a missing list, a missing program."""
    signers = signed.with_name("signers")
    with pytest.raises(BadInput, match=r"a crate\.zip"):
        signatures.check(signed.parent, signers)
    with pytest.raises(MissingFile, match="nobody"):
        signatures.check(signed, signed.with_name("nobody"))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(MissingExtra, match="openssh-client"):
        signatures.check(signed, signers)
    signed.with_name("crate.zip.sig").unlink()
    with pytest.raises(MissingFile, match=r"crate\.zip\.sig"):
        signatures.check(signed, signers)
