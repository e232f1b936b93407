"""Kinds of tests of claims, one a file. They read aggregates, computed tables, runs and audits, no algorithms."""
