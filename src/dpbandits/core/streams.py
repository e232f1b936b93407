"""Random streams and the laws drawn from them.

A run's stream is a function of the root seed, the job's identity and the run's number, and of nothing
else. The generator is xoshiro256++ (Blackman & Vigna 2021), inlined in compiled code: a run of a batched
algorithm takes some twenty microseconds, less than it takes NumPy to seed a generator object for it.
The samplers stay exact in double precision for counts up to 2**53, which library samplers do not
(their acceptance test cancels catastrophically for large counts).
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp, log, log1p, power, stirling_error

State = NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply SplitMix64's finaliser (Steele, Lea & Flood 2014), elementwise."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def streams(root_seed: int, identity: str, runs: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the initial state of the stream of each run.

    Parameters
    ----------
    root_seed
        The configuration's root seed.
    identity
        Everything that defines a run's law, as text: `Job.identity`, JSON with algorithm, environment and so on.
    runs
        Run numbers, shape (runs,), each >= 0.

    Returns
    -------
    ndarray of uint64, shape (runs, 4)
        A row is a run's state of xoshiro256++; functions such as `uniform` draw from it and advance it in place.
    """
    digest = hashlib.blake2b(f"{root_seed}\0{identity}".encode(), digest_size=32).digest()
    words = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    steps = np.uint64(4) * runs.astype(np.uint64)[:, None] + np.arange(1, 5, dtype=np.uint64)
    return _mix(np.add(words, GOLDEN * steps, dtype=np.uint64))


def number_of(root_seed: int, name: str) -> int:
    """Return a number below 2^32 that a root seed and a name decide, as a seed of an instance or a computation.

    Parameters
    ----------
    root_seed
        The configuration's root seed.
    name
        Name of what the number is for, such as ``"instance 3"``; two names seldom share a number (once in 2^32).
    """
    digest = hashlib.blake2b(f"{root_seed}\0number of {name}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little")


@inner
def bits(state: State) -> np.uint64:
    """Return 64 random bits and advance ``state``, shape (4,), in place."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@inner
def uniform(state: State) -> float:
    """Return a uniform number in (0, 1], a multiple of 2**-53: its logarithm is finite."""
    return (np.float64(bits(state) >> np.uint64(11)) + 1.0) * 2.0**-53


@inner
def integer_below(state: State, n: int) -> int:
    """Return a uniform integer in [0, n), 1 <= n < 2**32 (Lemire's multiplication; bias below n/2**32)."""
    return int(np.int64(((bits(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)))


@inner
def shuffle(state: State, items: NDArray[np.int64]) -> None:
    """Shuffle ``items``, of shape (number,), in place, uniformly (Fisher & Yates)."""
    for last in range(items.size - 1, 0, -1):
        other = integer_below(state, last + 1)
        items[last], items[other] = items[other], items[last]


@inner
def permute(state: State, order: NDArray[np.int64]) -> None:
    """Fill ``order``, of shape (number,), with a uniformly random permutation of 0, 1, ... (Fisher & Yates).

    What it held before does not matter: a run must not depend on the runs before it.
    """
    # No assignment to a slice: numba would compile an error for unequal shapes, two seconds of the first run.
    for k in range(order.size):
        order[k] = k
    shuffle(state, order)


@inner
def argmin(state: State, values: NDArray[np.float64]) -> int:
    """Return the position of the smallest of ``values``, shape (number,), uniformly among ties."""
    best, ties = 0, 1
    for k in range(1, values.size):
        if values[k] < values[best]:
            best, ties = k, 1
        elif values[k] == values[best]:
            ties += 1
            if integer_below(state, ties) == 0:
                best = k
    return best


@kernel
def argmax(state: State, values: NDArray[np.float64]) -> int:
    """Return the position of the largest of ``values``, shape (number,), uniformly among ties."""
    return argmin(state, -values)


@inner
def categorical(state: State, weights: NDArray[np.float64], total: float) -> int:
    """Return a random position in ``weights``, with probability proportional to its weight, never one of weight 0.

    ``weights`` has shape (number,), and sum ``total`` > 0.
    """
    left = uniform(state) * total
    last = 0
    for k in range(weights.size):
        if weights[k] > 0.0:
            if left <= weights[k]:
                return k
            left -= weights[k]
            last = k
    # By rounding the weights can sum to less than the total.
    return last


@inner
def laplace(state: State, scale: float) -> float:
    """Return a draw of Lap(scale), density exp(-abs(x)/scale)/(2 scale)."""
    b = bits(state)
    magnitude = -scale * log((np.float64(b >> np.uint64(11)) + 1.0) * 2.0**-53)
    # Bits 0 to 10 are not used by the magnitude.
    return magnitude if b & np.uint64(1) else -magnitude


@inner
def _deviance(x: float, mean: float) -> float:
    """Return x log(x/mean) + mean - x without cancellation near x = mean (Loader 2000)."""
    difference = x - mean
    if abs(difference) > 0.1 * (x + mean):
        return x * log(x / mean) - difference
    v = difference / (x + mean)
    total = difference * v
    term = 2.0 * x * v
    square = v * v
    for j in range(1, 1000):
        term *= square
        following = total + term / (2 * j + 1)
        if following == total:
            break
        total = following
    return total


@inner
def log_binomial_pmf(k: float, n: float, p: float) -> float:
    """Return log P[Bin(n, p) = k] for 0 <= k <= n, 0 < p < 1, n <= 2**53, by Loader's saddle-point form (2000)."""
    if k == 0.0:
        return n * log1p(-p)
    if k == n:
        return n * log(p)
    rest = n - k
    return (
        stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - _deviance(k, n * p)
        - _deviance(rest, n * (1.0 - p))
        - 0.5 * log(6.283185307179586 * k * (rest / n))
    )


@inner
def _binomial_by_inversion(state: State, n: int, p: float) -> int:
    """Return a draw of Bin(n, p), n p < 10, by summing the probabilities from 0 upwards."""
    odds = p / (1.0 - p)
    none = exp(n * log1p(-p))
    while True:
        mass = none
        u = uniform(state)
        k = 0
        # By rounding the masses can sum to less than u; the law is far below 2**-53 there, so draw again.
        while u > mass and k < min(n, 200):
            u -= mass
            k += 1
            mass *= odds * (n - k + 1) / k
        if u <= mass:
            return k


@inner
def _binomial_by_rejection(state: State, n: int, p: float) -> int:
    """Return a draw of Bin(n, p), n p >= 10 and p <= 1/2 (BTRS, Hoermann 1993).

    The acceptance test uses Loader's saddle-point form, whose error does not grow with n.
    """
    sigma = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sigma
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    ratio = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * sigma
    log_mode = math.nan
    while True:
        u = uniform(state) - 0.5
        v = uniform(state)
        us = 0.5 - abs(u)
        if us <= 0.0:
            continue
        # It stays a float until it is known to be in range, since far out it exceeds 64-bit integers.
        k = np.floor((2.0 * a / us + b) * u + centre)
        if us >= 0.07 and v <= ratio:
            return int(k)
        if k < 0.0 or k > n:
            continue
        if math.isnan(log_mode):
            log_mode = log_binomial_pmf(np.floor((n + 1.0) * p), float(n), p)
        log_ratio = log_binomial_pmf(k, float(n), p) - log_mode
        if log(v * alpha / (a / (us * us) + b)) <= log_ratio:
            return int(k)


@inner
def binomial(state: State, n: int, p: float) -> int:
    """Return a draw of Bin(n, p), 0 <= n <= 2**52, 0 <= p <= 1, in O(1): the sum of n Bernoulli rewards."""
    if n == 1:
        # uniform() lies in (0, 1]: p = 0 never and p = 1 always succeeds.
        return 1 if uniform(state) <= p else 0
    if p <= 0.0 or n == 0:
        return 0
    if p >= 1.0:
        return n
    small = p if p <= 0.5 else 1.0 - p
    if n * small < 10.0:
        k = _binomial_by_inversion(state, n, small)
    else:
        k = _binomial_by_rejection(state, n, small)
    return k if p <= 0.5 else n - k


@inner
def beta(state: State, a: float, b: float) -> float:
    """Return a draw of Beta(a, b), a >= 1 and b >= 1, by Cheng's algorithm BB (1978).

    If a or b is 1, it is drawn as a power of a uniform number.
    """
    if b == 1.0:
        return power(uniform(state), 1.0 / a)
    if a == 1.0:
        return 1.0 - power(uniform(state), 1.0 / b)
    low = min(a, b)
    high = max(a, b)
    total = a + b
    rate = math.sqrt((total - 2.0) / (2.0 * a * b - total))
    gamma = low + 1.0 / rate
    while True:
        u1 = uniform(state)
        if u1 == 1.0:
            continue
        u2 = uniform(state)
        v = rate * log(u1 / (1.0 - u1))
        w = low * exp(v)
        z = u1 * u1 * u2
        # log 4 here, and 1 + log 5 below: Cheng's constants.
        r = gamma * v - 1.3862943611198906
        s = low + r - w
        if s + 2.609437912434100 < 5.0 * z:
            t = log(z)
            if s < t and r + total * log(total / (high + w)) < t:
                continue
        return w / (high + w) if low == a else high / (high + w)
