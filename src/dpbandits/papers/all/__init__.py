"""Of no one paper."""
