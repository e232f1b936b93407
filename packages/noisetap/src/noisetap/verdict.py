"""Claims of privacy, and verdicts of audits on them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from noisetap.form import Certificate
from noisetap.tape import Refused


@dataclass(frozen=True)
class Claim:
    """Claim of privacy: (epsilon, delta)-differential privacy, or a bound of a divergence.

    Attributes
    ----------
    epsilon, delta : float
        Without ``rho`` and ``alpha``, any event's probability is at most ``exp(epsilon)`` times its probability on
        a neighbour, plus ``delta``. ``epsilon`` is >= 0, and ``delta`` is in [0, 1).
    rho : float, optional
        Budget of zero-concentrated privacy (zCDP), judged in place of epsilon and delta; for normal noise.
    alpha : float, optional
        Order of a Rényi claim, above 1 and finite: the divergence of this order is at most ``epsilon``. It is
        judged for functions with normal noise, and for results that have no noise on them.

    Raises
    ------
    Refused
        If an order is not finite and above 1, or stands beside a delta above 0 or a rho.
    """

    epsilon: float = 1.0
    delta: float = 0.0
    rho: float | None = None
    alpha: float | None = None

    def __post_init__(self) -> None:
        """Check the order."""
        if self.alpha is not None and not 1.0 < self.alpha < math.inf:
            raise Refused(f"a Rényi claim of order {self.alpha:g}: the order has to be above 1")
        if self.alpha is not None and (self.delta > 0 or self.rho is not None):
            raise Refused("a Rényi claim has an order and an epsilon, and neither delta nor rho")

    @property
    def allowed(self) -> float:
        """Largest loss that is allowed: rho if there is one, else epsilon."""
        return self.epsilon if self.rho is None else self.rho

    @property
    def bounds_divergence(self) -> bool:
        """Whether the claim bounds a divergence, by rho or an order, and not the loss of each result."""
        return self.rho is not None or self.alpha is not None

    @property
    def is_pure(self) -> bool:
        """Whether the claim bounds the loss of every result: epsilon alone, without delta, rho or an order."""
        return self.delta <= 0 and not self.bounds_divergence


@dataclass
class Verdict:
    """What an audit found.

    Attributes
    ----------
    word : str
        ``violated`` (proved), ``consistent`` (no counterexample), ``refused`` (something was not recorded, or not
        judged), or ``suspicious``: a loss beyond the claim has no proof. It is ``suspicious`` too if no relation of
        neighbours was asked for, and one of ``add-remove`` and ``replace-one`` is consistent, the other violated.
    why : str
        Reason in one sentence.
    loss : float
        Privacy loss of the counterexample; if the word is ``consistent``, the largest loss that was seen. NaN if no
        loss is known.
    line : str or None
        ``file:line`` of the program where the loss comes from.
    round : int or None
        Round in whose rewards two inputs of a policy differ, from 1.
    record : int or None
        Number of the record in which two inputs of a function of data differ, from 1.
    certificate : dict or None
        Certificate that the checker has accepted, if the word is ``violated``.
    runs : int
        Number of runs of the program.
    seconds : float
        Time that the audit took, in seconds: of the processor for a function, by the clock for a policy.
    heard : dict of str to int
        Size of the inputs, as ``rounds`` and ``arms``, or as ``records``; and the largest numbers of ``draws`` and
        ``outputs`` in a run. Of a function that is refused some may be missing.
    notes : list of str
        Sentences that limit the verdict, or add to it.
    spent : list of float
        Largest loss of one call, of two calls together, and so on; empty if only one call was asked for.
    """

    word: str
    why: str
    loss: float
    line: str | None = None
    round: int | None = None
    record: int | None = None
    certificate: Certificate | None = None
    runs: int = 0
    seconds: float = 0.0
    heard: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the verdict in words."""
        where = f" at {self.line}" if self.line else ""
        when = f", reward of round {self.round}" if self.round is not None else ""
        when += f", record {self.record}" if self.record is not None else ""
        notes = "".join(f"\n  note: {note}" for note in self.notes)
        heard = [f"{n:,} {what if n != 1 else what.removesuffix('s')}" for what, n in self.heard.items()]
        took = ", ".join([*heard, f"{self.runs:,} runs", f"{self.seconds:.1f} s"])
        return f"{self.word}{where}{when}: {self.why} ({took}){notes}"

    def save(self, path: str | Path) -> None:
        """Write the certificate as JSON to the file ``path``; if there is none, the file has ``null``."""
        Path(path).write_text(json.dumps(self.certificate, indent=1))
