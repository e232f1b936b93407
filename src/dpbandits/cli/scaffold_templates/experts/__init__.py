"""Beginnings in the experts setting."""
