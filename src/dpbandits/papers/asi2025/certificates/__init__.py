"""Proofs of our findings on this paper, by exact or interval arithmetic. One file each."""
