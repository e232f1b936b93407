"""Stochastic linear bandits in batches, some of whose rewards an adversary replaces (charisopoulos2022)."""
