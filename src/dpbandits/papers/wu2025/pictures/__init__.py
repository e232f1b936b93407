"""Pictures of the headlines of Wu & Wang (2025)."""
