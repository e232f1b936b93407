"""Products: what is made of simulations, from which files, and how each is made and checked."""
