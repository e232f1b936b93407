"""Audit jobs: the audits that a checked configuration asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from dpbandits.auditing.candidates import fixed_environment
from dpbandits.core import registry
from dpbandits.core.fields import Values
from dpbandits.runs.plan import number

if TYPE_CHECKING:
    from dpbandits.runs.models import Config

# What the checker takes from noisetap. Digests follow imports within this package alone, so these are named.
OF_THE_CHECKER = ("noisetap.form", "noisetap.probabilities", "noisetap.shapes")
# Fewest runs on each input of a sampled audit.
FEWEST_RUNS = 1000


class AuditJob(NamedTuple):
    """One audit of the workflow.

    Attributes
    ----------
    algorithm
        Name of the audited algorithm.
    base
        Name of the base algorithm that it wraps, ``None`` if it wraps none.
    epsilon
        The claimed budget.
    """

    algorithm: str
    base: str | None
    epsilon: float

    @property
    def audited(self) -> str:
        """Name of the algorithm, and its base if there is one, such as ``conversion.base=htinf``.

        The path of the audit's file has it.
        """
        # No comma: Snakemake loses a wildcard with one on the way to a scheduler.
        return self.algorithm if self.base is None else f"{self.algorithm}.base={self.base}"

    @property
    def budget(self) -> str:
        """The budget as text, such as ``0.1``, as in the path of the audit's file."""
        return number(self.epsilon)

    @property
    def modules(self) -> tuple[str, ...]:
        """Dotted names of the modules whose sources the audit depends on."""
        names = [self.algorithm] if self.base is None else [self.algorithm, self.base]
        kind, _ = fixed_environment(registry.setting("algorithm", self.algorithm))
        return (
            "dpbandits.auditing.audit",
            *OF_THE_CHECKER,
            registry.module("environment", kind),
            *(registry.module("algorithm", name) for name in names),
        )


def audit_jobs(config: Config) -> list[AuditJob]:
    """Return the audits of every registered private algorithm, with every base.

    Budgets are those of the configuration up to the largest for which the algorithm claims privacy.
    """
    found = []
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            continue
        bases: Sequence[str | None] = [None] if declared.wraps is None else list(declared.wraps.candidates())
        for base in bases:
            budgets = [epsilon for epsilon in config.privacy.epsilons if epsilon <= declared.privacy.at_most]
            found += [AuditJob(name, base, float(epsilon)) for epsilon in budgets]
    return found


class AuditArguments(TypedDict):
    """Arguments of `dpbandits.auditing.audit.audit`, by the names of its parameters."""

    algorithm: str
    epsilon: float
    parameters: Values
    effort: int
    seed: int
    confidence: float


def definition(config: Config, entry: AuditJob) -> AuditArguments:
    """Return the arguments of `dpbandits.auditing.audit.audit` for an audit job, at the configuration's effort.

    The configuration's effort multiplies that of the algorithm or its setting; at least 1,000 runs are made.
    """
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
        "effort": max(FEWEST_RUNS, round(effort)),
        "seed": config.root_seed,
        "confidence": config.privacy.confidence,
    }
