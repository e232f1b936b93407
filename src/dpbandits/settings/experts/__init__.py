"""Adversarial bandits with expert advice: oblivious losses and advice, algorithms and theory (asi2025)."""
