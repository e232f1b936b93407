"""Kinds of figures: one kind, one file; a file is found by being here."""
