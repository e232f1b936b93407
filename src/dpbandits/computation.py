"""What a computation declares about itself: results that no aggregate holds, computed exactly or from the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpbandits.options import Option, resolve

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Computation:
    """A computation's declaration. One computation is one file that defines ``COMPUTATION``.

    Attributes
    ----------
    title
        What is computed.
    source
        Paper and statement.
    compute
        ``compute(**parameters)`` returns a tidy table. If it reads runs, ``compute(runs, **parameters)``, with a
        `dpbandits.aggregate.Measured` for each cell of the experiments that the configuration names.
    reads_runs
        Whether it reads runs: what the statistics of an aggregate do not tell.
    parameters
        What it takes, by name.
    """

    title: str
    source: str
    compute: Callable[..., pd.DataFrame]
    parameters: Mapping[str, Option] = field(default_factory=dict)
    reads_runs: bool = False

    def resolve(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return all parameters, checked, with defaults filled in; `BadInput` names ``where``."""
        return resolve(self.parameters, given, where)
