"""The part of the article on Wu & Wang (2025)."""
