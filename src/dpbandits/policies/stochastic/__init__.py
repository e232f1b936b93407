"""Policies of the stochastic setting, which files of this folder list in ``POLICIES``."""
