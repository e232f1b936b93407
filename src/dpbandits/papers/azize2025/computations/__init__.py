"""Results that are computed, not simulated."""
