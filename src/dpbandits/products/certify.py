"""Repeated proofs of certificates: the work of `dpbandits certify`.

These certificates are proofs of inequalities by computer, files in ``papers/*/certificates``; audits have others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dpbandits.core import declarations, registry
from dpbandits.core.declarations import Row
from dpbandits.core.errors import MissingExtra, within
from dpbandits.papers.exact_inequalities import NotProvedError


class CertificateOutcome(NamedTuple):
    """Outcome of a certificate: of a computer-assisted proof of inequalities.

    Attributes
    ----------
    name, title
        Name and title of the certificate.
    rows
        The inequalities that were proved, each as texts ``instance, bound, left, is, right``; empty if one was not.
    fault
        Message on the inequality that was not proved; ``None`` if all were.
    seconds
        Processor time of the proof, in seconds.
    """

    name: str
    title: str
    rows: list[Row]
    fault: str | None
    seconds: float

    def __str__(self) -> str:
        """Return a line with the outcome; for a proved certificate a second line has its source and statement."""
        if self.fault is None:
            declared = declarations.certificate(self.name)
            line = f"proved  {self.seconds:6.1f} s  {self.name}: {self.title} ({len(self.rows)} rows)"
            return f"{line}\n{'':18}{declared.source}: {declared.statement}"
        return f"FAILED  {self.seconds:6.1f} s  {self.name}: {self.fault}"

    def data(self) -> dict[str, object]:
        """Return the attributes as JSON data, with the certificate's ``statement, source`` and ``arithmetic``."""
        declared = declarations.certificate(self.name)
        stated = {key: getattr(declared, key) for key in ("source", "statement", "arithmetic")}
        return {**self._asdict(), **stated}


def certify(names: Sequence[str]) -> Iterator[CertificateOutcome]:
    """Run the proofs of the certificates with these names in their order, or all if ``names`` is empty.

    The outcome of each is yielded. An inequality that is not proved raises no error: it ends the proof, and is the
    outcome's ``fault``.

    Raises
    ------
    BadInput
        If there is no certificate of a name.
    MissingExtra
        If python-flint is missing.
    """
    for name in names:
        with within("NAME"):
            registry.module("certificate", name)
    for name in names or registry.modules("certificate"):
        try:
            declared = declarations.certificate(name)
        except ModuleNotFoundError as missing:
            if missing.name != "flint":
                raise
            raise MissingExtra(f"The certificate {name}", "python-flint", "certify") from None
        before, rows, fault = time.process_time(), [], None
        try:
            rows = declared.prove()
        except NotProvedError as error:
            fault = str(error)
        yield CertificateOutcome(name, declared.title, rows, fault, time.process_time() - before)
