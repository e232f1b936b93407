"""Beginnings in the stochastic setting."""
