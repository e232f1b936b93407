"""Foundations of all packages: declarations, files, random streams, compiled code, and the registry."""
