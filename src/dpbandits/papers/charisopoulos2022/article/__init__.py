"""The part of the article on Charisopoulos, Esfandiari & Mirrokni (2023)."""
