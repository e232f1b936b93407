"""Charisopoulos, Esfandiari & Mirrokni (2022), *Robust and Differentially Private Stochastic Linear Bandits*."""

TITLE = "Robust and Differentially Private Stochastic Linear Bandits"
AUTHORS = "Charisopoulos, Esfandiari & Mirrokni"
YEAR = "2022"
