"""Validate a crate without a network: python tests/publish/crate/validate.py results/crate.zip

RO-Crate's context comes from the package rocrate, and is put where roc-validator looks for what it would download.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import resources
from io import BytesIO
from pathlib import Path

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings

PROFILE = "workflow-run-crate"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
# Terms of runs have other names in the context of version 1.1 than in the packaged one, which is a later one.
BIOSCHEMAS = "https://bioschemas.org"
WORKFLOW = f"{BIOSCHEMAS}/ComputationalWorkflow"
EARLIER = {"ComputationalWorkflow": WORKFLOW, "FormalParameter": f"{BIOSCHEMAS}/FormalParameter"}
EARLIER |= {key: f"{WORKFLOW}#{key}" for key in ("input", "output")}


def context() -> bytes:
    """Return RO-Crate's context, as the package rocrate has it."""
    packaged = json.loads(resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text(encoding="utf-8"))
    return json.dumps({"@context": {**packaged["@context"], **EARLIER}}).encode()


class Packaged(HTTPAdapter):
    """Answers every request with the packaged context, without a network."""

    def send(self, request: requests.PreparedRequest, **_: object) -> requests.Response:
        """Return the answer."""
        headers = {"Content-Type": "application/ld+json"}
        raw = urllib3.HTTPResponse(BytesIO(context()), headers, 200, preload_content=False, request_url=request.url)
        return self.build_response(request, raw)


def warm(cache: Path) -> None:
    """Put the context into the validator's cache."""
    with CachedSession(cache_name=str(cache), backend="sqlite", expire_after=-1) as session:
        session.mount("https://", Packaged())
        for accept in ("application/ld+json", "*/*"):
            session.get(CONTEXT, headers={"Accept": accept}).raise_for_status()


def faults(crate: Path) -> list[str]:
    """Return what the validator finds wrong."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        warm(cache)
        settings = ValidationSettings(
            rocrate_uri=str(crate),
            profile_identifier=PROFILE,
            requirement_severity=Severity.REQUIRED,
            offline=True,
            cache_path=cache,
        )
        result = services.validate(settings)
        return [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]))
    print("\n".join(found) or f"valid: {PROFILE}")
    sys.exit(bool(found))
