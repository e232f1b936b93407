"""Policies of the setting of full information, which files of this folder list in ``POLICIES``."""
