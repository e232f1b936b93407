"""Planted faults of privacy, for people who build auditors: what is wrong, how much it loses, where it shows."""

from dpbandits.faults.catalogue import Fault, catalogue, fault

__all__ = ["Fault", "catalogue", "fault"]
