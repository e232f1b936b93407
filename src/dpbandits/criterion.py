"""What a kind of test of claims declares about itself. One kind is one file that defines ``CRITERION``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dpbandits.options import Option, resolve


@dataclass(frozen=True)
class Criterion:
    """The declaration of a kind of test.

    Attributes
    ----------
    title
        What is tested.
    evaluate
        ``evaluate(evidence, **options)`` returns a `dpbandits.claim.Outcome` of a
        `dpbandits.claim.Evidence`.
    words
        ``words(options)`` returns statistic and threshold in words, as they stand before any data.
    nothing
        What it means if no part can be tested, in words.
    options
        What a claim may set, by name.
    reads
        What it reads of a claim's experiments: their ``aggregates`` or single ``runs``; or ``audits``; or
        ``computed`` tables alone.
    """

    title: str
    evaluate: Callable[..., Any]
    words: Callable[[Mapping[str, Any]], str]
    nothing: str = "no data"
    options: Mapping[str, Option] = field(default_factory=dict)
    reads: Literal["aggregates", "runs", "audits", "computed"] = "aggregates"

    def resolve(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return all options, checked, with defaults filled in; `BadInput` names ``where``."""
        return resolve(self.options, given, where)
