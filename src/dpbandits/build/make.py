"""Job of a product: check what it needs, then make and seal it."""

from __future__ import annotations

from pathlib import Path

from dpbandits.build.products.product import BuildRequest
from dpbandits.core.errors import needing_workflow, plainly
from dpbandits.core.files import check


def make(request: BuildRequest) -> None:
    """Make a product, or end the process with one line that says what a person can mend."""
    with plainly():
        for file, fingerprint in request.needs.items():
            check(Path(file), fingerprint)
        with needing_workflow(f"The {request.product.title}"):
            request.product.write(request.made_from)
