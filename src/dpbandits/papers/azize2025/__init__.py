"""azize2025."""

TITLE = "Optimal Regret of Bernoulli Bandits under Global Differential Privacy"
