"""A finished run as one file that a stranger can check, and the difference between two of them."""
