"""The regret of uniform play in this setting."""

from __future__ import annotations

from dpbandits.core.uniform_play import of_gaps

regret = of_gaps
