"""What is computed, not simulated."""
