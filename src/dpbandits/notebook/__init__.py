"""Notebook: many cells at once, comparisons, own rewards, and published results, for users of Python."""
