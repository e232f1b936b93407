"""Policies of this setting; a file is found by being here."""
