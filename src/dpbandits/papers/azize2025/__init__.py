"""Azize, Wu, Honda, Orabona, Ito & Basu (2025), *Optimal Regret of Bernoulli Bandits under Global
Differential Privacy*.
"""

TITLE = "Optimal Regret of Bernoulli Bandits under Global Differential Privacy"
AUTHORS = "Azize, Wu, Honda, Orabona, Ito & Basu"
YEAR = "2025"
