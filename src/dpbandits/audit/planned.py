"""From a checked configuration to the audits that the pipeline makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dpbandits.audit.candidates import fixed_environment
from dpbandits.core import registry
from dpbandits.core.files import Json
from dpbandits.runs.plan import number

if TYPE_CHECKING:
    from dpbandits.runs.models import Config

# An audit needs that many runs to be one.
FEWEST = 1000


class Entry(NamedTuple):
    """An audit to be made.

    Attributes
    ----------
    algorithm, base, epsilon
        Name, the base of an algorithm that runs another one, or ``None``, and the claimed budget.
    """

    algorithm: str
    base: str | None
    epsilon: float

    @property
    def audited(self) -> str:
        """Name, and base if there is one, as in its file's path."""
        # Without a comma: Snakemake loses a wildcard that has one on the way to a scheduler.
        return self.algorithm if self.base is None else f"{self.algorithm}.base={self.base}"

    @property
    def budget(self) -> str:
        """The budget, as in its file's path."""
        return number(self.epsilon)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that make the audit."""
        names = [self.algorithm] if self.base is None else [self.algorithm, self.base]
        kind, _ = fixed_environment(registry.setting("algorithm", self.algorithm))
        return (
            "dpbandits.audit.audit",
            registry.module("environment", kind),
            *(registry.module("algorithm", name) for name in names),
        )


def entries(config: Config) -> list[Entry]:
    """Return the audits of every registered algorithm that makes a claim, with every base, at every budget."""
    found = []
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            continue
        bases: Sequence[str | None] = [None] if declared.wraps is None else list(declared.wraps.candidates())
        for base in bases:
            budgets = [epsilon for epsilon in config.privacy.epsilons if epsilon <= declared.privacy.at_most]
            found += [Entry(name, base, float(epsilon)) for epsilon in budgets]
    return found


def definition(config: Config, entry: Entry) -> Json:
    """Return what the configuration says of an audit: the arguments of `dpbandits.audit.audit.audit`."""
    _, environment = fixed_environment(registry.setting("algorithm", entry.algorithm))
    privacy = registry.algorithm(entry.algorithm).privacy
    assert environment.fixed is not None and privacy is not None
    effort = (privacy.effort or environment.fixed.effort) * config.privacy.effort
    base = {} if entry.base is None else {"base": entry.base}
    delta = {"delta": config.privacy.delta} if privacy.definition == "approximate" else {}
    return {
        "algorithm": entry.algorithm,
        "epsilon": entry.epsilon,
        "parameters": {**base, **delta},
        "effort": max(FEWEST, round(effort)),
        "seed": config.root_seed,
        "confidence": config.privacy.confidence,
    }
