"""Write the files of metadata that a release has: CITATION.cff, codemeta.json, .zenodo.json, environment.yml.

python workflow/scripts/release.py         # what is made from version, project, bibliography and lock
python workflow/scripts/release.py --sbom  # the bill of materials too; needs cyclonedx-bom (.ci/requirements.lock)
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dpbandits.pipeline.release import MADE, SBOM

ROOT = Path(__file__).parents[2]


def main(arguments: list[str]) -> None:
    """Write all files."""
    for name, make in MADE.items():
        (ROOT / name).write_text(make(ROOT), encoding="utf-8")
    if "--sbom" in arguments:
        command = ["cyclonedx-py", "requirements", "requirements.lock", "--pyproject", "pyproject.toml"]
        command += ["--output-reproducible", "--of", "JSON", "-o", SBOM]
        subprocess.run(command, check=True, cwd=ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
