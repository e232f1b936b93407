"""Audits of privacy claims: `audit` looks for neighbouring inputs and an event that contradict a claim."""

from dpbandits.audit.report import Audit, audit

__all__ = ["Audit", "audit"]
