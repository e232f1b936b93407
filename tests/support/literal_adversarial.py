"""Literal round-by-round implementations of adversarial bandits: what the tests compare ours with.

Written from asi2025 (Algorithms 1, 3 and 4) and, for the others, from their formulas in the original papers;
nothing of `dpbandits` is used. Losses are a table of means with one row for each round, rounds are played one by
one with one loss each, batches are added up loss by loss, resampling draws all perturbations anew, HTINF's root is
found by halving, and compiled. Slow, short and plain on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Table = list[list[float]]
# An interval halved so often has no double inside any more.
HALVINGS = 60


# --- loss sequences: mean losses by round and arm, and whether losses are Bernoulli draws ---


def bernoulli_gap(T: int, *, arms: int, gap: float, level: float = 0.5) -> tuple[Table, bool]:
    """Arm 1 has mean loss level - gap, the others level."""
    return [[level - gap] + [level] * (arms - 1) for _ in range(T)], True


def hardest_gap(T: int, *, arms: int, model: str, epsilon: float, scale: float = 1.0) -> tuple[Table, bool]:
    """The gap is scale sqrt(K/(epsilon T)) or scale sqrt(K/T)/epsilon, at most 1/2."""
    factor = {"central": math.sqrt(1 / epsilon), "local": 1 / epsilon}[model]
    return bernoulli_gap(T, arms=arms, gap=min(0.5, scale * factor * math.sqrt(arms / T)))


def drifting_means(T: int, *, arms: int, gap: float, growth: float = 1.6) -> tuple[Table, bool]:
    """Phases of growing length, with means (0, gap, ..., gap) and (1 - gap, 1, ..., 1) in turn."""
    table: Table = []
    phase = 0
    while len(table) < T:
        high = (1 - gap) * (phase % 2)
        table += [[high] + [high + gap] * (arms - 1)] * round(growth**phase)
        phase += 1
    return table[:T], True


def late_improvement(T: int, *, improves: float | None) -> tuple[Table, bool]:
    """Lemma 11: arm 1 has loss 1/2; arm 2 has loss 1, and 0 after the round (or fraction of T) ``improves``."""
    last = T if improves is None else round(improves * T) if improves < 1 else improves
    return [[0.5, 1.0 if t <= last else 0.0] for t in range(1, T + 1)], False


def periodic(T: int, *, losses: Table) -> tuple[Table, bool]:
    """The rows of ``losses``, repeated."""
    return [losses[t % len(losses)] for t in range(T)], False


def segments(T: int, *, lengths: Sequence[int], means: Table) -> tuple[Table, bool]:
    """Bernoulli losses whose means repeat with a period of several segments: no environment of the package."""
    period = [row for length, row in zip(lengths, means, strict=True) for _ in range(length)]
    return [period[t % len(period)] for t in range(T)], True


SEQUENCES: dict[str, Callable[..., tuple[Table, bool]]] = {
    "bernoulli-gap": bernoulli_gap,
    "hardest-gap": hardest_gap,
    "drifting-means": drifting_means,
    "late-improvement": late_improvement,
    "periodic": periodic,
    "segments": segments,
}


class Game:
    """A loss sequence that is played round by round and remembers the actions."""

    def __init__(self, table: Table, bernoulli: bool, rng: Rng) -> None:
        self.table = table
        self.T = len(table)
        self.K = len(table[0])
        self.uniforms = rng.random(self.T).tolist() if bernoulli else None
        self.actions: list[int] = []

    def play(self, arm: int) -> float:
        """Play the next round; return its loss."""
        t = len(self.actions)
        self.actions.append(arm)
        mean = self.table[t][arm]
        if self.uniforms is None:
            return mean
        return 1.0 if self.uniforms[t] < mean else 0.0


def draw(P: Sequence[float], rng: Rng) -> int:
    """Return i with probability P(i)."""
    left = rng.random()
    for i, p in enumerate(P):
        left -= p
        if left < 0:
            return i
    return len(P) - 1


# --- base algorithms, as asi2025's Definition 1 has them: an action from the history, and a loss in return ---


class Base(Protocol):
    """A bandit algorithm."""

    def act(self) -> int:
        """Return the next action."""
        ...

    def learn(self, action: int, loss: float) -> None:
        """Take the action's loss."""
        ...


class Exp3:
    """asi2025, Algorithm 3."""

    def __init__(self, K: int, rng: Rng, *, eta: float, gamma: float) -> None:
        self.rng, self.eta, self.gamma = rng, eta, gamma
        self.w = [1.0] * K

    def act(self) -> int:
        K, total = len(self.w), sum(self.w)
        self.P = [(1 - self.gamma) * w / total + self.gamma / K for w in self.w]
        return draw(self.P, self.rng)

    def learn(self, action: int, loss: float) -> None:
        self.w[action] *= math.exp(-self.eta * loss / self.P[action])


@numba.njit("f8(f8[:])", cache=True)
def multiplier(excess: NDArray[np.float64]) -> float:
    """Return y with sum over i of (excess_i + y)^-2 = 1, where the least excess is 0, by halving [1, sqrt(K)]."""
    low, high = 1.0, math.sqrt(excess.size)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if np.sum((excess + middle) ** -2.0) > 1.0:
            low = middle
        else:
            high = middle
    return low


class Htinf:
    """Huang, Dai & Huang 2022, Algorithm 1 with alpha = 2."""

    def __init__(self, K: int, rng: Rng, *, sigma: float) -> None:
        self.rng, self.sigma = rng, sigma
        self.L = [0.0] * K
        self.t = 0

    def act(self) -> int:
        self.t += 1
        eta = 1 / (self.sigma * math.sqrt(self.t))
        low = min(self.L)
        z = low - multiplier(eta * (np.array(self.L) - low)) / eta
        self.x = [(eta * (L - z)) ** -2 for L in self.L]
        return draw(self.x, self.rng)

    def learn(self, action: int, loss: float) -> None:
        r = (1 - 2 ** (-1 / 3)) * self.sigma * math.sqrt(self.t * self.x[action])
        if abs(loss) <= r:
            self.L[action] += loss / self.x[action]


class Ftpl:
    """asi2025, Algorithm 4; as printed, or repaired: resampling selects as line 5 does, and ends with M, not 0."""

    def __init__(self, K: int, rng: Rng, *, eta: float, resampling: int, printed: bool = False) -> None:
        self.rng, self.eta, self.M, self.printed = rng, eta, resampling, printed
        self.L = np.zeros(K)

    def perturbed(self) -> NDArray[np.float64]:
        """Return L + Z."""
        return self.L + self.rng.laplace(scale=1 / self.eta, size=self.L.size)

    def act(self) -> int:
        return int(self.perturbed().argmin())

    def learn(self, action: int, loss: float) -> None:
        M_t = 0 if self.printed else self.M
        for i in range(1, self.M + 1):
            again = self.perturbed()
            if action == (again.argmax() if self.printed else again.argmin()):
                M_t = i
                break
        self.L[action] += loss * M_t


def ftpl_printed(K: int, rng: Rng, **parameters: Any) -> Ftpl:
    """Algorithm 4 as printed."""
    return Ftpl(K, rng, printed=True, **parameters)


BASES: dict[str, Callable[..., Base]] = {"exp3": Exp3, "htinf": Htinf, "ftpl": Ftpl, "ftpl-printed": ftpl_printed}


# --- what plays a game ---


def without_privacy(game: Game, rng: Rng, *, base: str, **parameters: Any) -> None:
    """Play a base algorithm."""
    B = BASES[base](game.K, rng, **parameters)
    for _ in range(game.T):
        action = B.act()
        B.learn(action, game.play(action))


def conversion(game: Game, rng: Rng, *, base: str, epsilon: float, tau: int, **parameters: Any) -> None:
    """Play asi2025's Algorithm 1."""
    B = BASES[base](game.K, rng, **parameters)
    j = 1
    for t in range(1, game.T + 1):
        if t == (j - 1) * tau + 1:
            action = B.act()
            losses = []
        losses.append(game.play(action))
        if t == j * tau:
            B.learn(action, sum(losses) / tau + rng.laplace(scale=1 / (tau * epsilon)))
            j += 1


def dp_exp3_lap(game: Game, rng: Rng, *, epsilon: float, gamma: float, b: float) -> None:
    """Play DP-EXP3-Lap (Tossou & Dimitrakakis 2017), on gains."""
    K = game.K
    w = [1.0] * K
    for _ in range(game.T):
        total = sum(w)
        p = [(1 - gamma) * value / total + gamma / K for value in w]
        i = draw(p, rng)
        x = 1 - game.play(i)
        noised = x + rng.laplace(scale=1 / epsilon)
        if -b <= noised <= b + 1:
            scaled = (noised + b) / (2 * b + 1)
            w[i] *= math.exp(gamma * scaled / (K * p[i]))


def agarwal_singh(game: Game, rng: Rng, *, epsilon: float, eta: float, gamma: float) -> None:
    """Play the Agarwal-Singh bandit."""
    K = game.K
    L = [0.0] * K
    for _ in range(game.T):
        weights = [math.exp(-eta * value) for value in L]
        p = [(1 - gamma) * value / sum(weights) + gamma / K for value in weights]
        i = draw(p, rng)
        L[i] += (game.play(i) + rng.laplace(scale=1 / epsilon)) / p[i]


POLICIES: dict[str, Callable[..., None]] = {
    "agarwal-singh": agarwal_singh,
    "conversion": conversion,
    "dp-exp3-lap": dp_exp3_lap,
}


def policy(name: str, parameters: dict[str, Any]) -> tuple[Callable[..., None], dict[str, Any]]:
    """Return what plays the algorithm ``name``, and its parameters."""
    if name in BASES:
        return without_privacy, {"base": name, **parameters}
    return POLICIES[name], parameters


def run(
    name: str, parameters: dict[str, Any], sequence: tuple[Table, bool], rounds: Sequence[int], rng: Rng
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return pulls of each arm, shape (rounds, arms), and regret, shape (rounds,), after each of ``rounds``."""
    table, bernoulli = sequence
    game = Game(table, bernoulli, rng)
    play, parameters = policy(name, parameters)
    play(game, rng, **parameters)
    means = np.array(table)
    pulls, regret = [], []
    for t in rounds:
        actions = game.actions[:t]
        pulls.append(np.bincount(actions, minlength=game.K))
        regret.append(means[np.arange(t), actions].sum() - means[:t].sum(axis=0).min())
    return np.array(pulls), np.array(regret)
