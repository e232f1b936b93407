"""Charisopoulos, Esfandiari & Mirrokni (2023), *Robust and Differentially Private Stochastic Linear Bandits*."""

TITLE = "Robust and Differentially Private Stochastic Linear Bandits"
AUTHORS = "Charisopoulos, Esfandiari & Mirrokni"
YEAR = "2023"
