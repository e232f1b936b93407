"""Integrity: are files what was planned and written? Checks, repairs, comparisons and signatures."""
