"""Signatures of crates, checked by OpenSSH's ``ssh-keygen -Y``, which most machines have.

A digest shows damage, and no author: who alters a file can make its digest again. A crate, the zip file of a
finished run, has the digests of all results, those of the arrays too. So one signature of it stands for all.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from dpbandits.core.errors import BadInput, DamagedFile, MissingExtra, MissingFile

PROGRAM = "ssh-keygen"
# What a signature is for: one that was made for something else, such as a commit, counts for nothing here.
NAMESPACE = "dpbandits"
# Seconds that OpenSSH may take.
OPENSSH_SECONDS = 60


def check(crate: Path, signers: Path) -> str:
    """Return the name of the person who signed a crate, the zip file of a workflow's results.

    Parameters
    ----------
    crate
        Path of the zip file. Its signature lies beside it, as ``crate.zip.sig``.
    signers
        OpenSSH's list of allowed signers: lines as ``ada@example.org ssh-ed25519 AAAA...``.

    Returns
    -------
    str
        Name of the signer in the list, such as ``ada@example.org``.

    Raises
    ------
    DamagedFile
        If the signature is of something else, or of nobody in the list.
    BadInput
        If ``crate`` is a folder.
    MissingFile, MissingExtra
        If a file, or OpenSSH, is not there.
    """
    signature = crate.with_name(f"{crate.name}.sig")
    if crate.is_dir():
        raise BadInput(str(crate), "a folder", "a crate.zip, which has the digests of all results, with --signed")
    for file in (crate, signature, signers):
        if not file.is_file():
            raise MissingFile(str(file), "no such file")
    if shutil.which(PROGRAM) is None:
        raise MissingExtra("A signature", f"{PROGRAM} of OpenSSH (openssh-client)", "")
    known = ("-f", str(signers.absolute()), "-s", str(signature.absolute()))
    found = _run_openssh("find-principals", crate, *known)
    for principal in found.stdout.splitlines() if found.returncode == 0 else ():
        if _run_openssh("verify", crate, "-I", principal, "-n", NAMESPACE, *known).returncode == 0:
            return principal
    raise DamagedFile(
        str(crate),
        "a signature of other content, or of nobody in the list",
        f"signed as {signers} says",
        "ask for it",
    )


def _run_openssh(what: str, crate: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Return what ``ssh-keygen -Y`` says of the crate."""
    with crate.open("rb") as opened:
        return subprocess.run(
            [PROGRAM, "-Y", what, *options],
            stdin=opened,
            capture_output=True,
            text=True,
            check=False,
            timeout=OPENSSH_SECONDS,
        )
