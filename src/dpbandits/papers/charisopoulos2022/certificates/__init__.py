"""Proofs of statements of this paper and of our findings on it, by exact or interval arithmetic. One file each."""
