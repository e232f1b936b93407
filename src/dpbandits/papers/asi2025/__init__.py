"""asi2025."""

TITLE = "Faster Rates for Private Adversarial Bandits"
