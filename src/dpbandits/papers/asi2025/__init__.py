"""Asi, Raman & Talwar (2025), *Faster Rates for Private Adversarial Bandits*."""

TITLE = "Faster Rates for Private Adversarial Bandits"
AUTHORS = "Asi, Raman & Talwar"
YEAR = "2025"
