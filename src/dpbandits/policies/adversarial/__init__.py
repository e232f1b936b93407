"""Policies of the adversarial setting, which files of this folder list in ``POLICIES``."""
