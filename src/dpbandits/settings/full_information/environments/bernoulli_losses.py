"""Bernoulli losses: action j loses 1 with probability ``means[j]``, else 0."""

from __future__ import annotations

from dpbandits.settings.full_information.scenario import of_means

ENVIRONMENT = of_means("Bernoulli losses", "bernoulli")
