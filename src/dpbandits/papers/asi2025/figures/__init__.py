"""Figures on Asi, Raman & Talwar (2025), one file each."""
