"""Full information: stochastic decision-theoretic online learning, algorithms, exact laws and theory (wu2025)."""
