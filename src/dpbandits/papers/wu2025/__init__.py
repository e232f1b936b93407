"""Wu & Wang (2025), *Improved Regret in Stochastic Decision-Theoretic Online Learning under
Differential Privacy*.
"""

TITLE = "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential Privacy"
AUTHORS = "Wu & Wang"
YEAR = "2025"
