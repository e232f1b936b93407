"""Oblivious loss sequences, one file each."""
