"""A test of differential privacy without randomness: it listens to the noise that a program draws."""

from noisetap.check import check
from noisetap.door import assert_private, audit
from noisetap.program import Rewards, load
from noisetap.records import Records
from noisetap.tape import Refused
from noisetap.testing import assert_consistent
from noisetap.verdict import Claim, Verdict

__all__ = [
    "Claim",
    "Records",
    "Refused",
    "Rewards",
    "Verdict",
    "assert_consistent",
    "assert_private",
    "audit",
    "check",
    "load",
]
