"""One algorithm, described where it is called: its parameters, privacy and source, and an example that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.errors import within
from dpbandits.core.fields import Parameters
from dpbandits.core.home import home

if TYPE_CHECKING:
    import pandas as pd

# An environment of each setting in which every algorithm of it can be tried.
EXAMPLE_ENVIRONMENTS: Mapping[str, Parameters] = {
    "adversarial": {"kind": "bernoulli-gap", "arms": 2, "gap": 0.4},
    "experts": {"kind": "one-good-expert", "experts": 4, "actions": 3, "gap": 0.4},
    "full_information": {"kind": "bernoulli-losses", "means": [0.3, 0.5, 0.6]},
    "linear": {"kind": "actions", "actions": [[0.9, 0.0], [0.0, 0.9], [0.6, 0.6]], "theta": [0.8, -0.2]},
    "stochastic": {"kind": "bernoulli", "means": [0.75, 0.7, 0.2]},
}


@dataclass(frozen=True, repr=False)
class Described:
    """Description of an algorithm; its ``repr`` has all that a caller has to know.

    Attributes
    ----------
    name
        Name of the algorithm in `dpbandits.simulate`.
    declared
        Declaration of the algorithm: title, source, privacy, parameters, deviations.
    """

    name: str
    declared: Algorithm

    @property
    def setting(self) -> str:
        """Name of the algorithm's setting, such as ``"stochastic"``."""
        return registry.setting("algorithm", self.name)

    @property
    def parameters(self) -> pd.DataFrame:
        """The algorithm's parameters, a row for each name, with text columns ``type, range, default, meaning``.

        `dpbandits.simulate` takes them by name. If the algorithm wraps another one, the first row is ``base``, the
        other's name. Parameters of the other algorithm have no rows.
        """
        import pandas as pd

        rows: dict[str, dict[str, Any]] = {
            each.name: {
                "type": each.type.__name__,
                "range": each.range,
                "default": each.default_text,
                "meaning": each.description,
            }
            for each in self.declared.parameters
        }
        wraps = self.declared.wraps
        if wraps is not None:
            meaning = "the algorithm that it runs, whose parameters it takes too"
            bases = f"one of {', '.join(wraps.candidates())}"
            rows = {"base": {"type": "str", "range": bases, "default": wraps.default, "meaning": meaning}, **rows}
        columns = ["type", "range", "default", "meaning"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("parameter")

    @property
    def example(self) -> str:
        """Python text of a call of `dpbandits.simulate` that runs as it stands after ``import dpbandits``."""
        budget = "" if self.declared.privacy is None else "epsilon=1.0, "
        place = dict(EXAMPLE_ENVIRONMENTS[self.setting])
        return f'dpbandits.simulate("{self.name}", environment={place}, {budget}horizon=10_000, seeds=20)'

    def lines(self, prefix: str = "") -> list[str]:
        """Return the algorithm's description line by line: title, files, privacy, noise, parameters, deviations.

        The name stands in the first line; the others are indented. Lines that do not apply are left out.
        ``prefix``, such as ``"--param "``, stands before each parameter: ``--param n0=1: ...``.
        """
        algorithm, privacy = self.declared, self.declared.privacy
        budget = "none" if privacy is None else f"{privacy.name}; {privacy.neighbours}"
        module = registry.module("algorithm", self.name).replace(".", "/")
        lines = [f"{self.name}: {algorithm.title}, {algorithm.source} ({self.setting})"]
        lines.append(f"    made by: src/{module}.py")
        page = f"docs/algorithms/{self.name}.md"
        lines += [f"    page: {page} (why it is private, audits, regret)"] if (home() / page).is_file() else []
        lines.append(f"    privacy: {budget}")
        if privacy is not None:
            lines.append(f"    noise: {privacy.mechanism}")
        if algorithm.wraps is not None:
            bases = ", ".join(algorithm.wraps.candidates())
            base = f"    {prefix}base={algorithm.wraps.default}"
            lines.append(f"{base}: what it runs, whose parameters it takes too ({bases})")
        lines += [
            f"    {prefix}{p.name}={p.default_text}: {p.description} ({p.range})" for p in algorithm.parameters
        ]
        if algorithm.deviations != "none":
            lines.append(f"    deviations: {algorithm.deviations}")
        return lines

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), f"    example: {self.example}"])


@check_call
def algorithm(name: str) -> Described:
    """Return the description of an algorithm: its parameters, its privacy, its source, and an example.

    Parameters
    ----------
    name
        A name of ``dpbandits list``.

    Raises
    ------
    BadInput
        If the name is unknown.

    Examples
    --------
    >>> import dpbandits
    >>> dpbandits.algorithm("dp-imed").parameters.loc["n0", ["range", "default"]].tolist()
    ['> 0', '1']
    """
    with within("name"):
        return Described(name, registry.algorithm(name))
