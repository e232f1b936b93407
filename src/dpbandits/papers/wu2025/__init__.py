"""wu2025."""

TITLE = "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential Privacy"
