"""Beginnings in the linear setting."""
