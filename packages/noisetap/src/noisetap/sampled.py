"""Sampling of programs that cannot be heard, by tests that are valid at any time.

Under a claim of (epsilon, delta) an event E of decisions has P(E) <= exp(epsilon) Q(E) + delta on two neighbouring
inputs. A gambler who before each pair of runs names an event and a stake, and gains stake (1[E on x] - exp(epsilon)
1[E on y] - delta), does not gain on average: his wealth is an e-process. It exceeds 1/risk at any time, whatever he
names, with probability at most ``risk`` (Ville's inequality), so that sampling stops as soon as it knows.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from noisetap.program import Program, Rewards, Table
from noisetap.verdict import Claim, Verdict

# What an event may be about: all decisions, the last one, how often each arm was chosen.
_VIEWS: tuple[Callable[[tuple[int, ...]], Hashable], ...] = (
    lambda decisions: decisions,
    lambda decisions: decisions[-1:],
    lambda decisions: tuple(sorted(Counter(decisions).items())),
)
# Stakes, in units of the largest that no single pair can ruin.
_STAKES = (0.05, 0.2, 0.5, 0.9)


class Gambler:
    """Bet against a claim by events of one view; the wealth is the mean over stakes.

    Parameters
    ----------
    claim : Claim
        What is doubted.
    """

    def __init__(self, claim: Claim) -> None:
        self.factor, self.delta = math.exp(claim.epsilon), claim.delta
        self.seen: tuple[Counter[Hashable], Counter[Hashable]] = (Counter(), Counter())
        self.logs = [0.0] * len(_STAKES)

    def bets_on(self, what: Hashable) -> bool:
        """Tell whether an outcome is in the event, by earlier pairs alone."""
        one, other = self.seen[0][what], self.seen[1][what]
        return one + 0.5 > self.factor * (other + 0.5)

    def play(self, one: Hashable, other: Hashable) -> None:
        """Take the outcomes of the next pair of runs."""
        gain = self.bets_on(one) - self.factor * self.bets_on(other) - self.delta
        unit = 1.0 / (self.factor + self.delta)
        self.logs = [log + math.log1p(stake * unit * gain) for log, stake in zip(self.logs, _STAKES, strict=True)]
        self.seen[0][one] += 1
        self.seen[1][other] += 1

    @property
    def wealth(self) -> float:
        """The e-value so far."""
        return sum(math.exp(min(log, 600.0)) for log in self.logs) / len(self.logs)


def sample(
    make_policy: Callable[[], Any],
    *,
    rewards: Rewards | None = None,
    claim: Claim | float = 1.0,
    risk: float = 1e-6,
    seed: int = 0,
    most: int = 20_000,
    seconds: float = 60.0,
) -> Verdict:
    """Run a program on pairs of neighbouring inputs, unheard, and bet against its claim.

    Parameters
    ----------
    make_policy : callable
        Makes a fresh policy that draws by itself, differently each time.
    rewards : Rewards, optional
        What inputs it takes; 8 rounds of two arms with rewards in [0, 1].
    claim : Claim or float
        The claim, or its epsilon.
    risk : float
        Probability with which a sound program is called *suspicious*, at most.
    seed : int
        Seed of the inputs.
    most : int
        Pairs of runs, at most.
    seconds : float
        No further pair is begun after these.

    Returns
    -------
    Verdict
        *suspicious* if the e-value exceeds 1/risk, with it; else *consistent*. Never *violated*: nothing here is a
        certificate.
    """
    claim = claim if isinstance(claim, Claim) else Claim(float(claim))
    program = Program(make_policy, rewards or Rewards(rounds=8))
    pairs = _inputs(program.rewards, np.random.Generator(np.random.PCG64(seed)))
    # One gambler for each pair of inputs, direction and view; their mean is an e-process too.
    gamblers = [[Gambler(claim) for _ in _VIEWS] for _ in range(2 * len(pairs))]
    began, played = time.monotonic(), 0
    while played < most and time.monotonic() - began < seconds:
        which = played % len(pairs)
        a, b = (program.unheard(table) for table in pairs[which])
        for turned, (one, other) in enumerate(((a, b), (b, a))):
            for gambler, view in zip(gamblers[2 * which + turned], _VIEWS, strict=True):
                gambler.play(view(one), view(other))
        played += 1
        flat = [gambler for row in gamblers for gambler in row]
        if played % 50 == 0 and sum(g.wealth for g in flat) / len(flat) > 1.0 / risk:
            break
    e_value = sum(g.wealth for row in gamblers for g in row) / sum(map(len, gamblers))
    word = "suspicious" if e_value > 1.0 / risk else "consistent"
    why = f"by sampling: e-value {e_value:.3g} against the claim after {played:,} pairs of runs, valid at any time"
    return Verdict(word, why, math.nan, runs=2 * played, seconds=time.monotonic() - began)


def _inputs(rewards: Rewards, rng: np.random.Generator) -> list[tuple[Table, Table]]:
    """Return neighbours: all low, all high, one good arm, and coins; the first row or one in the middle turned."""
    shape = (rewards.rounds, rewards.arms)
    bits: list[Any] = [np.zeros(shape), np.ones(shape), np.tile(np.arange(rewards.arms) == 0, (rewards.rounds, 1))]
    bits.append(rng.random(shape) < 0.5)
    found = []
    for number, table in enumerate(bits):
        one = rewards.low + (rewards.high - rewards.low) * np.asarray(table, np.float64)
        other = one.copy()
        row = 0 if number % 2 == 0 else rewards.rounds // 2
        other[row] = rewards.low + rewards.high - one[row]
        found.append((one, other))
    return found
