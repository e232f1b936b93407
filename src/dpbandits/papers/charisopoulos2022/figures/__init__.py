"""Figures on Charisopoulos, Esfandiari & Mirrokni (2023), one file each."""
