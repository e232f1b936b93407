"""Algorithms of this setting, one file each."""
