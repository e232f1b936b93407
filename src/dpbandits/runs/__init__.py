"""Runs: the checked configuration, the plan of cells, jobs, and aggregates of their runs."""
