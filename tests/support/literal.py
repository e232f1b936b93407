"""Literal round-by-round implementations of the stochastic algorithms: what the tests compare ours with.

Written from azize2025 (Algorithm 1, eqs. 8, 12-14, 30-32) and, for the other algorithms, from their formulas
in the original papers; nothing of `dpbandits` is used. Rounds are played one by one with one Bernoulli
reward each, indices are found by bisection on their definitions, batch sizes by rational arithmetic.
Short and plain on purpose; divergences and indices are compiled. The one liberty is where a source leaves
something open: ties, and the order in which the arms are first pulled, are uniformly random.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numba
import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
# An interval halved so often has no double inside any more.
HALVINGS = 80


class Over(Exception):
    """The horizon is reached."""


class Bandit:
    """A Bernoulli bandit that counts its pulls, writes the counts down at ``rounds`` and ends at the last."""

    def __init__(self, means: Sequence[float], rounds: Sequence[int], rng: Rng) -> None:
        self.means = list(means)
        self.rounds = set(rounds)
        self.horizon = max(rounds)
        self.uniforms = rng.random(self.horizon).tolist()
        self.t = 0
        self.pulls = [0] * len(self.means)
        self.log: list[list[int]] = []

    def pull(self, arm: int) -> int:
        """Play one round; return its reward."""
        reward = 1 if self.uniforms[self.t] < self.means[arm] else 0
        self.t += 1
        self.pulls[arm] += 1
        if self.t in self.rounds:
            self.log.append(self.pulls.copy())
            if self.t == self.horizon:
                raise Over
        return reward


Policy = Callable[..., None]


def run(
    policy: Policy, means: Sequence[float], rounds: Sequence[int], rng: Rng, **parameters: float
) -> NDArray[np.int64]:
    """Return the pulls of each arm after each of ``rounds`` (increasing), shape (rounds, arms)."""
    bandit = Bandit(means, rounds, rng)
    try:
        policy(bandit, rng, **parameters)
    except Over:
        return np.array(bandit.log)
    raise AssertionError("a policy plays until the horizon")


def pick(index: Sequence[float], rng: Rng, tolerance: float = 0.0) -> int:
    """Return where ``index`` is largest, uniformly among ties; equality is up to ``tolerance``."""
    largest = max(index)
    ties = [k for k, value in enumerate(index) if value >= largest - tolerance]
    return ties[0] if len(ties) == 1 else ties[rng.integers(len(ties))]


def clip(x: float) -> float:
    return max(0.0, min(x, 1.0))


@numba.njit("f8(f8, f8)", cache=True)
def kl(p: float, q: float) -> float:
    """kl(p, q), by its definition, with 0 log 0 = 0."""
    if p == q:
        return 0.0
    if q == 0.0 or q == 1.0:
        return math.inf
    value = 0.0
    if p > 0.0:
        value += p * math.log(p / q)
    if p < 1.0:
        value += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return value


@numba.njit("f8(f8, f8, f8)", cache=True)
def d_eps(x: float, y: float, epsilon: float) -> float:
    """d_eps(x, y) as in eqs. 31 and 32; test_divergences compares it with its definition, eq. 6."""
    if x <= y:
        z = max(x, y / (y + (1.0 - y) * math.exp(epsilon)))
        return kl(z, y) + epsilon * (z - x)
    z = min(y * math.exp(epsilon) / (y * math.exp(epsilon) + (1.0 - y)), x)
    return kl(z, y) + epsilon * (x - z)


@numba.njit("f8(f8, f8, f8)", cache=True)
def d_eps_index(x: float, level: float, epsilon: float) -> float:
    """max{y in [0, 1] : d_eps(x, y) <= level} (eq. 12), by halving [x, 1]."""
    if d_eps(x, 1.0, epsilon) <= level:
        return 1.0
    low, high = x, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if d_eps(x, middle, epsilon) <= level:
            low = middle
        else:
            high = middle
    return low


@numba.njit("f8(f8, f8)", cache=True)
def kl_index(p: float, level: float) -> float:
    """-log(1 - q) for q = max{q in [0, 1] : kl(p, q) <= level}: indices next to 1 must not all become 1."""
    if p == 1.0:
        return math.inf
    # Of v = -log(1 - q): twice as far until it is too far, then by halving.
    least = -math.log1p(-p)
    low, high, beyond = least, 1.0 + least, False
    for _ in range(HALVINGS):
        v = (low + high) / 2.0 if beyond else high
        success = p * (math.log(p) - math.log(-math.expm1(-v))) if p > 0.0 else 0.0
        if success + (1.0 - p) * (math.log1p(-p) + v) > level:
            high, beyond = v, True
        elif beyond:
            low = v
        else:
            low, high = v, 2.0 * high
    return low


def batch_sizes(n0: int, alpha: str) -> Callable[[int], int]:
    """B_m of eq. 14, exactly."""
    a = Fraction(alpha)

    @functools.cache
    def size(m: int) -> int:
        return math.ceil(n0 * (a ** (m + 1) - 1) / (a - 1)) - math.ceil(n0 * (a**m - 1) / (a - 1))

    return size


def _algorithm_1(
    bandit: Bandit,
    rng: Rng,
    epsilon: float,
    size: Callable[[int], int],
    decide: Callable[[list[float], list[int], int], int],
) -> None:
    """Play azize2025's Algorithm 1; ``decide(mu, n, t)`` is its line for i(t), from unclipped means."""
    K = len(bandit.means)
    S, n, m = [0.0] * K, [0] * K, [0] * K
    for i in rng.permutation(K):
        S[i] = sum(bandit.pull(i) for _ in range(size(0))) + rng.laplace(scale=1.0 / epsilon)
        n[i] = size(0)
    t = K * size(0) + 1
    while True:
        i = decide([S[j] / n[j] for j in range(K)], n, t)
        B = size(m[i] + 1)
        S[i] += sum(bandit.pull(i) for _ in range(B)) + rng.laplace(scale=1.0 / epsilon)
        m[i] += 1
        n[i] += B
        t += B


def dp_klucb(bandit: Bandit, rng: Rng, *, epsilon: float, n0: int = 1, alpha: float = 2.0) -> None:
    """DP-KLUCB: Algorithm 1 with eq. 12."""

    def decide(mu: list[float], n: list[int], t: int) -> int:
        return pick([d_eps_index(clip(x), math.log(t) / k, epsilon) for x, k in zip(mu, n, strict=True)], rng)

    _algorithm_1(bandit, rng, epsilon, batch_sizes(n0, str(alpha)), decide)


def dp_imed(bandit: Bandit, rng: Rng, *, epsilon: float, n0: int = 1, alpha: float = 2.0) -> None:
    """DP-IMED: Algorithm 1 with eq. 13."""

    def decide(mu: list[float], n: list[int], _: int) -> int:
        best = clip(max(mu))
        return pick([-(k * d_eps(clip(x), best, epsilon) + math.log(k)) for x, k in zip(mu, n, strict=True)], rng)

    _algorithm_1(bandit, rng, epsilon, batch_sizes(n0, str(alpha)), decide)


def dp_se(bandit: Bandit, rng: Rng, *, epsilon: float, beta: float) -> None:
    """DP-SE (Sajed & Sheffet 2019, Algorithm 2)."""
    S = list(range(len(bandit.means)))
    e = 0
    while len(S) > 1:
        e += 1
        D = 2.0**-e
        size = len(S)
        R = 1 + math.floor(
            max(
                32 * math.log(8 * size * e**2 / beta) / D**2,
                8 * math.log(4 * size * e**2 / beta) / (epsilon * D),
            )
        )
        total = dict.fromkeys(S, 0)
        order = [S[i] for i in rng.permutation(size)]
        for _ in range(R):
            for a in order:
                total[a] += bandit.pull(a)
        mu = {a: total[a] / R + rng.laplace(scale=1.0 / (epsilon * R)) for a in S}
        h = math.sqrt(math.log(8 * size * e**2 / beta) / (2 * R))
        c = math.log(4 * size * e**2 / beta) / (epsilon * R)
        S = [a for a in S if not max(mu.values()) - mu[a] > 2 * h + 2 * c]
    while True:
        bandit.pull(S[0])


def perfection_test(bandit: Bandit, rng: Rng, *, epsilon: float, test: int) -> None:
    """Ours: rely on an arm that hardly ever fails, else eliminate."""
    K = len(bandit.means)
    champion = int(rng.integers(K))
    k = 0
    while True:
        k += 1
        found = None
        for a in [champion, *rng.permutation([a for a in range(K) if a != champion])]:
            failures = sum(1 - bandit.pull(int(a)) for _ in range(test * 2**k))
            if failures + rng.laplace(scale=1 / epsilon) <= 2 * k * math.log(2) / epsilon:
                found = int(a)
                break
        rounds = 2 ** (k * k)
        if found is not None:
            champion = found
            for _ in range(rounds):
                bandit.pull(champion)
            continue
        S, e, left = list(range(K)), 0, rounds
        while left > 0:
            if len(S) == 1:
                bandit.pull(S[0])
                left -= 1
                continue
            e += 1
            mu = {}
            for a in rng.permutation(S):
                total = 0
                for _ in range(min(2**e, left)):
                    total += bandit.pull(int(a))
                    left -= 1
                mu[int(a)] = total / 2**e + rng.laplace(scale=1 / (epsilon * 2**e))
            log = math.log(4 * K * rounds * e**2)
            width = math.sqrt(log / (2 * 2**e)) + log / (epsilon * 2**e)
            S = [a for a in S if mu[a] >= max(mu.values()) - 2 * width]


def _adap(bandit: Bandit, rng: Rng, epsilon: float, index: Callable[[float, int, int], float]) -> None:
    """Play Azize & Basu 2022, Algorithm 1; ``index(mean, n, t_l)`` decides."""
    K = len(bandit.means)
    mu, n, N = [0.0] * K, [0] * K, [0] * K
    t = 0
    for a in rng.permutation(K):
        mu[a] = bandit.pull(a) + rng.laplace(scale=1.0 / epsilon)
        n[a] = N[a] = 1
        t += 1
    while True:
        t_l = t + 1
        A = pick([index(mu[a], n[a], t_l) for a in range(K)], rng)
        n[A] = N[A]
        mu[A] = sum(bandit.pull(A) for _ in range(n[A])) / n[A] + rng.laplace(scale=1 / (epsilon * n[A]))
        N[A] += n[A]
        t += n[A]


def adap_ucb(bandit: Bandit, rng: Rng, *, epsilon: float, alpha: float = 3.1) -> None:
    """AdaP-UCB."""

    def index(mean: float, n: int, t: int) -> float:
        log_t = math.log(t)
        return mean + math.sqrt(alpha * log_t / (2 * n)) + alpha * log_t / (epsilon * n)

    _adap(bandit, rng, epsilon, index)


def adap_klucb(bandit: Bandit, rng: Rng, *, epsilon: float, alpha: float = 3.1) -> None:
    """AdaP-KLUCB."""

    def index(mean: float, n: int, t: int) -> float:
        log_t = math.log(t)
        return kl_index(clip(mean + alpha * log_t / (epsilon * n)), alpha * log_t / n)

    _adap(bandit, rng, epsilon, index)


def lazy_dp_ts(bandit: Bandit, rng: Rng, *, epsilon: float, offset: float = 3.0) -> None:
    """Lazy-DP-TS (Hu & Hegde 2022): every arm is drawn in every round."""
    K = len(bandit.means)
    mu, behind, total, done, size = [0.0] * K, [0] * K, [0] * K, [0] * K, [1] * K

    def pull(j: int) -> None:
        total[j] += bandit.pull(j)
        done[j] += 1
        if done[j] == size[j]:
            behind[j] = size[j]
            mu[j] = (total[j] + rng.laplace(scale=1.0 / epsilon)) / behind[j]
            total[j], done[j], size[j] = 0, 0, 2 * size[j]

    for j in rng.permutation(K):
        pull(j)
    while True:
        log_t = math.log(bandit.t + 1)
        m = [clip(mu[j] + offset * log_t / (epsilon * behind[j])) for j in range(K)]
        pull(pick([rng.beta(m[j] * behind[j] + 1, (1 - m[j]) * behind[j] + 1) for j in range(K)], rng))


def imed(bandit: Bandit, rng: Rng) -> None:
    """IMED (Honda & Takemura 2015).

    Exact ties of indices that are computed from different counts are the rule: after s successes and a
    failure of the best arm, an arm whose only pull failed has the index log(s + 1), and so has the best.
    """
    K = len(bandit.means)
    S, N = [0] * K, [0] * K
    for i in rng.permutation(K):
        S[i] += bandit.pull(i)
        N[i] += 1
    while True:
        best = max(S[i] / N[i] for i in range(K))
        index = [-(N[i] * kl(S[i] / N[i], best) + math.log(N[i])) for i in range(K)]
        i = pick(index, rng, tolerance=1e-10)
        S[i] += bandit.pull(i)
        N[i] += 1


def kl_ucb(bandit: Bandit, rng: Rng) -> None:
    """KL-UCB (Cappé et al. 2013, c = 0)."""
    K = len(bandit.means)
    S, N = [0] * K, [0] * K
    for i in rng.permutation(K):
        S[i] += bandit.pull(i)
        N[i] += 1
    while True:
        log_t = math.log(bandit.t + 1)
        i = pick([kl_index(S[i] / N[i], log_t / N[i]) for i in range(K)], rng)
        S[i] += bandit.pull(i)
        N[i] += 1


POLICIES: dict[str, Policy] = {
    "adap_klucb": adap_klucb,
    "adap_ucb": adap_ucb,
    "dp_imed": dp_imed,
    "dp_klucb": dp_klucb,
    "dp_se": dp_se,
    "imed": imed,
    "kl_ucb": kl_ucb,
    "lazy_dp_ts": lazy_dp_ts,
    "perfection_test": perfection_test,
}
