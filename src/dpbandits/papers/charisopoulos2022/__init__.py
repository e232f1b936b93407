"""charisopoulos2022."""

TITLE = "Robust and Differentially Private Stochastic Linear Bandits"
