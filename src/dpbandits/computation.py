"""What a computation declares about itself: results that are computed, not simulated."""

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
        ``compute(**parameters)`` returns a tidy table.
    parameters
        What it takes, by name.
    """

    title: str
    source: str
    compute: Callable[..., pd.DataFrame]
    parameters: Mapping[str, Option] = field(default_factory=dict)

    def resolve(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return all parameters, checked, with defaults filled in; `BadInput` names ``where``."""
        return resolve(self.parameters, given, where)
