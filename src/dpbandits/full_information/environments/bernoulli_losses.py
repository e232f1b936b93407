"""Bernoulli losses: action j loses 1 with probability ``means[j]``, else 0."""

from __future__ import annotations

from dpbandits.full_information.places import of_means

ENVIRONMENT = of_means("Bernoulli losses", "bernoulli")
