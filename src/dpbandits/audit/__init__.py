"""Audits of privacy claims: a search for neighbouring inputs and an event that contradict a claim."""
