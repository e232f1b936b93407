"""Write the files of metadata that a release has: CITATION.cff and environment.yml.

python tools/release_metadata.py         # what is made from version, project, bibliography and lock
python tools/release_metadata.py --sbom  # the bill of materials too; needs cyclonedx-bom (.ci/requirements.lock)

The bill has hashes from the lock, and licences as installed packages state them.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dpbandits.cli.release import METADATA_FILES, SBOM, pinned

ROOT = Path(__file__).parents[1]


def licences(name: str) -> list[dict[str, Any]]:
    """Return what an installed package states in its metadata: an expression, or names; nothing of another one."""
    try:
        stated = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return []
    if stated["License-Expression"]:
        return [{"expression": stated["License-Expression"]}]
    kinds = (kind.split(" :: ") for kind in stated.get_all("Classifier") or [] if kind.startswith("License :: "))
    names = [kind[-1] for kind in kinds]
    # Some have a whole text there.
    text = stated["License"] or ""
    return [{"license": {"name": each}} for each in names or [text] if each and "\n" not in each]


def completed(listed: dict[str, Any], lock: str) -> dict[str, Any]:
    """Return a bill of materials with hashes and licences, without hosts."""
    hashes = dict(pinned(lock))
    for tool in listed["metadata"]["tools"].get("components", []):
        # Where a registry is belongs to a machine.
        tool.pop("externalReferences", None)
        tool.pop("description", None)
    # What tells a Python that it is too old is no package.
    listed["components"] = [
        part for part in listed["components"] if f"{part['name']}=={part.get('version')}" in hashes
    ]
    for part in listed["components"]:
        part.pop("description", None)
        files = [{"alg": "SHA-256", "content": each} for each in hashes[f"{part['name']}=={part['version']}"]]
        part["externalReferences"] = [
            {"type": "distribution", "url": "../requirements.lock", "comment": "each of its files", "hashes": files}
        ]
        if stated := licences(part["name"]):
            part["licenses"] = stated
    known = {part["bom-ref"] for part in (*listed["components"], listed["metadata"]["component"])}
    listed["dependencies"] = [each for each in listed["dependencies"] if each["ref"] in known]
    for each in listed["dependencies"]:
        if "dependsOn" in each:
            each["dependsOn"] = [ref for ref in each["dependsOn"] if ref in known]
    return listed


def main(arguments: list[str]) -> None:
    """Write all files."""
    for name, make in METADATA_FILES.items():
        (ROOT / name).write_text(make(ROOT), encoding="utf-8")
    if "--sbom" in arguments:
        command = ["cyclonedx-py", "requirements", "requirements.lock", "--pyproject", "pyproject.toml"]
        command += ["--output-reproducible", "--of", "JSON", "-o", SBOM]
        subprocess.run(command, check=True, cwd=ROOT)
        listed = json.loads((ROOT / SBOM).read_text(encoding="utf-8"))
        listed = completed(listed, (ROOT / "requirements.lock").read_text(encoding="utf-8"))
        (ROOT / SBOM).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
