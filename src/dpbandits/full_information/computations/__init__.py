"""Computed results of this setting, one file each."""
