"""Proofs of certificates, again: the work of `dpbandits certify`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dpbandits.core import declarations, registry
from dpbandits.core.declarations import Row
from dpbandits.core.errors import MissingExtra, within
from dpbandits.papers.exact_inequalities import NotProvedError


class Outcome(NamedTuple):
    """Outcome of a certificate.

    Attributes
    ----------
    name, title
        The certificate's.
    rows
        What was proved; none if it failed.
    fault
        What was not proved, if anything.
    seconds
        CPU time that it took.
    """

    name: str
    title: str
    rows: list[Row]
    fault: str | None
    seconds: float

    def __str__(self) -> str:
        """One line, and below it which steps of what are checked."""
        if self.fault is None:
            declared = declarations.certificate(self.name)
            line = f"proved  {self.seconds:6.1f} s  {self.name}: {self.title} ({len(self.rows)} rows)"
            return f"{line}\n{'':18}{declared.source}: {declared.statement}"
        return f"FAILED  {self.seconds:6.1f} s  {self.name}: {self.fault}"

    def data(self) -> dict[str, object]:
        """Return it as plain data, with the certificate's statement, source and arithmetic."""
        declared = declarations.certificate(self.name)
        stated = {key: getattr(declared, key) for key in ("source", "statement", "arithmetic")}
        return {**self._asdict(), **stated}


def certify(names: Sequence[str]) -> Iterator[Outcome]:
    """Prove the certificates of these names, or all, one after the other.

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
        yield Outcome(name, declared.title, rows, fault, time.process_time() - before)
