"""Kinds of tests of claims, one a file."""
