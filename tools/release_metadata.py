"""Write the files of metadata that a release has: CITATION.cff and environment.yml.

python tools/release_metadata.py         # what is made from version, project, bibliography and lock
python tools/release_metadata.py --sbom  # the bill of materials too; needs cyclonedx-bom (.ci/requirements.lock)
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dpbandits.cli.release import MADE, SBOM

ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> None:
    """Write all files."""
    for name, make in MADE.items():
        (ROOT / name).write_text(make(ROOT), encoding="utf-8")
    if "--sbom" in arguments:
        command = ["cyclonedx-py", "requirements", "requirements.lock", "--pyproject", "pyproject.toml"]
        command += ["--output-reproducible", "--of", "JSON", "-o", SBOM]
        subprocess.run(command, check=True, cwd=ROOT)
        listed = json.loads((ROOT / SBOM).read_text(encoding="utf-8"))
        for part in [*listed["components"], *listed["metadata"]["tools"].get("components", [])]:
            # Where a registry is belongs to a machine; digests are in the lock.
            part.pop("externalReferences", None)
            part.pop("description", None)
        (ROOT / SBOM).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
