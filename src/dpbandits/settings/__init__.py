"""The problem settings, each with its problem, algorithms, environments, theory and privacy."""
