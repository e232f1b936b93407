"""Audits of privacy claims: searches for two neighbouring inputs and an event that contradict a claim."""
