"""Policies of the setting of expert advice, which files of this folder list in ``POLICIES``."""
