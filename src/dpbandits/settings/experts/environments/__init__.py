"""Oblivious sequences of losses and advice, one file each."""
