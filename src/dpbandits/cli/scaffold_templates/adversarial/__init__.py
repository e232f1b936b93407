"""Beginnings in the adversarial setting."""
