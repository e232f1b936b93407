"""The part of the article on Asi, Raman & Talwar (2025)."""
