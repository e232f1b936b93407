"""Figures that belong to no single paper, one file each."""
