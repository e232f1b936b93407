"""Figures on Azize et al. (2025), one file each."""
