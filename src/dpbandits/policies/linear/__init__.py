"""Policies of the linear setting, which files of this folder list in ``POLICIES``."""
