"""Beginnings in the full-information setting."""
