"""Policies that one can call: every algorithm of the package, round by round, in plain Python on NumPy.

They are the reference implementations; the design of linear bandits alone is compiled. Tests compare the law of
each compiled simulation with its policy, audits listen to policies, and users call them with rewards of their own.
"""

from dpbandits.policies.make import algorithms, load, policy, policy_class

__all__ = ["algorithms", "load", "policy", "policy_class"]
