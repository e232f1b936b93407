"""Stochastic bandits: Bernoulli rewards, pseudo-regret (azize2025)."""
