"""Pictures of the headlines of Azize et al. (2025)."""
