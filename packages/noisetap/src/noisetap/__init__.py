"""Audit any round-by-round Python program of private decisions by listening to what NumPy draws."""

from noisetap.audit import audit
from noisetap.check import check
from noisetap.program import Rewards, load
from noisetap.tape import Refused
from noisetap.testing import assert_consistent
from noisetap.verdict import Claim, Verdict

__all__ = ["Claim", "Refused", "Rewards", "Verdict", "assert_consistent", "audit", "check", "load"]
