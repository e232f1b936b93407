"""Adversarial bandits: oblivious loss sequences, algorithms and theory (asi2025)."""
