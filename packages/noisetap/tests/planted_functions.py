"""A planted set: plain functions of data as people write them, sound ones and broken ones.

A family is a mechanism; its members differ in the relation and in one mistake. Whether a member is sound was worked
out by hand from its sensitivity, and not by noisetap. Values lie in [0, 1] where nothing else is said, and the
claim is epsilon = 1.
"""

import math
import random
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from noisetap import Claim, Records

AR, RO = "add-remove", "replace-one"


@dataclass(frozen=True)
class Plant:
    """A function with its data, relation and claim, and whether it keeps it."""

    name: str
    function: Callable[..., Any]
    sound: bool
    relation: Any = RO
    records: Records = field(default_factory=lambda: Records(3))
    claim: Claim = field(default_factory=lambda: Claim(1.0))


PLANTS: list[Plant] = []


def plant(name, function, sound, **how):
    PLANTS.append(Plant(name, function, sound, **how))


def both(name, function, sound, **how):
    """The same truth under both relations."""
    for relation in (AR, RO):
        plant(f"{name}, {relation}", function, sound, relation=relation, **how)


# One number with Laplace noise, by every way to draw it. A sum of values in [0, 1] has sensitivity 1.
def _by_hand(scale):
    u = random.random() - 0.5
    return -scale * np.sign(u) * np.log(1 - 2 * abs(u))


LAPLACE = {
    "numpy": lambda scale: np.random.laplace(0, scale),
    "generator": lambda scale: np.random.default_rng().laplace(scale=scale),
    "two exponentials": lambda scale: scale * (np.random.exponential() - np.random.exponential()),
    "expovariate": lambda scale: random.expovariate(1 / scale) - random.expovariate(1 / scale),
    "scipy": lambda scale: stats.laplace.rvs(scale=scale),
    "frozen scipy": lambda scale: stats.laplace(0, scale).rvs(),
    "array of one": lambda scale: np.random.laplace(0, scale, size=1)[0],
    "by hand": _by_hand,
}
for how, noise in LAPLACE.items():
    for share in (1.0, 0.7):

        def noisy_sum(data, epsilon, noise=noise, share=share):
            return np.sum(data) + noise(share / epsilon)

        both(f"sum, {how}, scale {share}", noisy_sum, share == 1.0)


# Post-processing of it changes nothing, and mends nothing.
AFTER = {
    "clipped": lambda v: float(np.clip(v, 0, 3)),
    "rounded": lambda v: round(v),
    "text": lambda v: f"about {v:.2f}",
    "positive": lambda v: max(v, 0.0),
    "above two": lambda v: bool(v > 2),
    "json": lambda v: {"value": v, "unit": "people"},
}
for how, after in AFTER.items():
    for share in (1.0, 0.6):

        def processed(data, epsilon, after=after, share=share):
            return after(sum(data) + np.random.laplace(0, share / epsilon))

        plant(f"sum, {how}, scale {share}", processed, share == 1.0, relation=AR)


# Sensitivities: bounds that are not kept, or that data give.
def clipped_sum(data, epsilon):
    return np.clip(data, 0, 1).sum() + np.random.laplace(0, 1 / epsilon)


def forgot_to_use_the_clipped(data, epsilon):
    np.clip(data, 0, 1)
    return np.sum(data) + np.random.laplace(0, 1 / epsilon)


def clipped_to_its_own_range(data, epsilon):
    low, high = np.min(data, initial=5), np.max(data, initial=0)
    return np.clip(data, low, high).sum() + np.random.laplace(0, (high - low) / epsilon)


def scale_of_the_data(data, epsilon):
    return np.sum(data) + np.random.laplace(0, np.max(data, initial=0.1) / epsilon)


def signed(data, epsilon):
    return np.sum(data) + np.random.laplace(0, 1 / epsilon)


wide, around = Records(3, 0.0, 5.0), Records(3, -1.0, 1.0)
both("sum, clipped", clipped_sum, True, records=wide)
both("sum, the clipped is not used", forgot_to_use_the_clipped, False, records=wide)
both("sum, bounds from data", clipped_to_its_own_range, False, records=wide)
both("sum, scale from data", scale_of_the_data, False)
plant("sum in [-1, 1], add-remove", signed, True, relation=AR, records=around)
plant("sum in [-1, 1], replace-one", signed, False, relation=RO, records=around)


# Means.
def mean(data, epsilon):
    return np.mean(data) + np.random.laplace(0, 1 / (len(data) * epsilon)) if len(data) else 0.0


def mean_with_the_noise_of_a_sum(data, epsilon):
    return np.mean(data) + np.random.laplace(0, 1 / (len(data) ** 2 * epsilon))


def sum_and_count(share):
    def released(data, epsilon):
        total = np.sum(data) + np.random.laplace(0, share / epsilon)
        return total, len(data) + np.random.laplace(0, share / epsilon)

    return released


plant("mean, replace-one", mean, True)
plant("mean, add-remove", mean, False, relation=AR)
plant("mean, noise divided twice", mean_with_the_noise_of_a_sum, False)
plant("sum and count, half each", sum_and_count(2), True, relation=AR)
plant("sum and count, whole each", sum_and_count(1), False, relation=AR)
plant("sum and exact count, replace-one", lambda d: (sum(d) + np.random.laplace(), len(d)), True)
plant("sum and exact count, add-remove", lambda d: (sum(d) + np.random.laplace(), len(d)), False, relation=AR)
plant("noise unless nobody", lambda d: sum(d) + np.random.laplace() if len(d) > 2 else 0.0, False, relation=AR)
plant("noise unless zero", lambda d: sum(d) + np.random.laplace() if sum(d) else 0.0, False)


# Histograms of three categories: a record moves one count, another record two.
KINDS = Records(3, columns={"kind": ("x", "y", "z")})


def histogram(scale):
    return lambda data: [int(np.sum(data == k)) + np.random.laplace(0, scale) for k in "xyz"]


def histogram_at_once(scale):
    return lambda data: np.array([np.sum(data == k) for k in "xyz"]) + np.random.laplace(0, scale, size=3)


def histogram_by_name(scale):
    def counted(data: list):
        counts = Counter(data)
        return {k: counts[k] + np.random.laplace(0, scale) for k in "xyz"}

    return counted


def histogram_of_who_is_there(data: list):
    return {k: n + np.random.laplace(0, 2) for k, n in sorted(Counter(data).items())}


for how, made in (("loop", histogram), ("array", histogram_at_once), ("dict", histogram_by_name)):
    for scale in (2.0, 1.0, 0.5):
        for relation, needed in ((AR, 1.0), (RO, 2.0)):
            name = f"histogram, {how}, scale {scale}, {relation}"
            plant(name, made(scale), scale >= needed, relation=relation, records=KINDS)
both("histogram of present kinds", histogram_of_who_is_there, False, records=KINDS)


# The largest of noisy counts: a half of the budget a count, if counts move to both sides.
def noisy_max(noise, factor):
    return lambda data: int(np.argmax([np.sum(data == k) + noise(factor) for k in "xyz"]))


def noisy_max_with_its_value(scale):
    def released(data):
        noisy = [np.sum(data == k) + np.random.laplace(0, scale) for k in "xyz"]
        return int(np.argmax(noisy)), max(noisy), min(noisy)

    return released


def noisy_max_measured_again(data):
    best = int(np.argmax([np.sum(data == k) + np.random.laplace(0, 4) for k in "xyz"]))
    return best, np.sum(data == "xyz"[best]) + np.random.laplace(0, 2)


def noisy_max_measured_exactly(data):
    best = int(np.argmax([np.sum(data == k) + np.random.laplace(0, 2) for k in "xyz"]))
    return best, int(np.sum(data == "xyz"[best]))


for law in ("laplace", "gumbel"):
    draw = {"laplace": lambda s: np.random.laplace(0, s), "gumbel": lambda s: np.random.gumbel(0, s)}[law]
    plant(f"noisy max, {law}, 2, replace-one", noisy_max(draw, 2.0), True, records=KINDS)
    plant(f"noisy max, {law}, 1, replace-one", noisy_max(draw, 1.0), False, records=KINDS)
    plant(f"noisy max, {law}, 1, add-remove", noisy_max(draw, 1.0), True, records=KINDS, relation=AR)
    plant(f"noisy max, {law}, 0.4, add-remove", noisy_max(draw, 0.4), False, records=KINDS, relation=AR)
plant("noisy max, measured again", noisy_max_measured_again, True, records=KINDS, relation=AR)
plant("noisy max with values, 2", noisy_max_with_its_value(2), True, records=KINDS)
plant("noisy max with values, 1", noisy_max_with_its_value(1), False, records=KINDS)
both("noisy max, exact value", noisy_max_measured_exactly, False, records=KINDS)


# The exponential mechanism, by every way to choose.
def scores(data):
    return np.array([np.sum(data == k) for k in "xyz"])


def with_p(factor, size=None):
    def chosen(data, epsilon):
        weights = np.exp(factor * epsilon * (scores(data) - scores(data).max()) / 2)
        picked = np.random.choice(3, size=size, p=weights / weights.sum())
        return int(picked if size is None else picked[0])

    return chosen


def with_weights(factor):
    def chosen(data, epsilon):
        return random.choices("xyz", weights=[math.exp(factor * epsilon * s / 2) for s in scores(data)])[0]

    return chosen


for factor in (1.0, 2.0):
    for how, made in (("p", with_p(factor)), ("size=1", with_p(factor, 1)), ("choices", with_weights(factor))):
        plant(f"exponential, {how}, {factor}", made, factor == 1.0, records=KINDS)
plant("exponential, monotone, add-remove", with_p(2.0), True, records=KINDS, relation=AR)


# Randomised response: truth with probability e/(1 + e); 0.75 is the coin of the textbook, which loses log 3.
def response(coin):
    return lambda data: [int(d > 0.5) if coin() else 1 - int(d > 0.5) for d in list(data)]


def coins(p):
    return {
        "random": lambda: random.random() < p,
        "numpy": lambda: np.random.rand() < p,
        "generator": lambda: np.random.default_rng().random() < p,
        "binomial": lambda: np.random.binomial(1, p) == 1,
        "choice": lambda: np.random.choice([True, False], p=[p, 1 - p]),
        "bernoulli": lambda: stats.bernoulli.rvs(p) == 1,
        "secrets": lambda: secrets.randbelow(100) < int(100 * p),
        "randint": lambda: random.randint(1, 100) <= int(100 * p),
    }


for p, kept in ((0.731, True), (0.75, False)):
    for how, coin in coins(p).items():
        plant(f"response, {how}, {p}", response(coin), kept)


def k_ary(p):
    def answered(data: list):
        return [d if random.random() < p else random.choice([k for k in "xyz" if k != d]) for d in data]

    return answered


e = math.e
plant("response of three, e/(e + 2)", k_ary(e / (e + 2)), True, records=KINDS)
plant("response of three, e/(e + 1)", k_ary(e / (e + 1)), False, records=KINDS)


# Whole noise.
def geometric(factor):
    def released(data, epsilon):
        p = 1 - math.exp(-factor * epsilon)
        return int(np.sum(data > 0.5)) + np.random.geometric(p) - np.random.geometric(p)

    return released


def discrete_laplace(factor):
    return lambda data, epsilon: int(np.sum(data > 0.5)) + stats.dlaplace.rvs(factor * epsilon)


for made in (geometric, discrete_laplace):
    both(f"{made.__name__}, 1", made(1.0), True)
    both(f"{made.__name__}, 1.5", made(1.5), False)
for law in ("uniform", "exponential", "poisson", "normal"):
    both(f"sum, pure claim, {law}", lambda d, law=law: np.sum(d > 0.5) + getattr(np.random, law)(), False)
centred = Claim(1.0, 1e-6)
both("binomial, 1,000 coins", lambda d: np.sum(d > 0.5) + np.random.binomial(1000, 0.5) - 500, True, claim=centred)
both("binomial, 20 coins", lambda d: np.sum(d > 0.5) + np.random.binomial(20, 0.5) - 10, False, claim=centred)


# Normal noise with delta, and with rho. At epsilon = 1, delta = 1e-5 one number needs a deviation of 3.73.
NORMAL = {
    "numpy": lambda s: np.random.normal(0, s),
    "generator": lambda s: np.random.default_rng().normal(0, s),
    "gauss": lambda s: random.gauss(0, s),
    "scipy": lambda s: stats.norm.rvs(0, s),
}
for how, noise in NORMAL.items():
    for deviation in (4.84, 2.42):
        for relation in (AR, RO):
            function = lambda d, noise=noise, s=deviation: np.sum(d) + noise(s)  # noqa: E731
            name, claim = f"normal, {how}, {deviation}, {relation}", Claim(1.0, 1e-5)
            plant(name, function, deviation == 4.84, relation=relation, claim=claim)
for deviation in (1.0, 0.8):
    function = lambda d, s=deviation: np.sum(d) + np.random.normal(0, s)  # noqa: E731
    plant(f"normal, rho, {deviation}", function, deviation == 1.0, claim=Claim(rho=0.5))
for deviation in (6.0, 4.0):
    function = lambda d, s=deviation: scores(d) + np.random.normal(0, s, 3)  # noqa: E731
    plant(f"normal histogram, {deviation}", function, deviation == 6.0, records=KINDS, claim=Claim(1.0, 1e-5))


# Many outputs: budgets are divided, or they add up.
def prefixes(scale):
    return lambda data: [np.sum(data[: i + 1]) + np.random.laplace(0, scale) for i in range(3)]


def running(scale):
    return lambda data: np.cumsum(data + np.random.laplace(0, scale, size=len(data)))


def local(scale):
    return lambda data: [d + np.random.laplace(0, scale) for d in data]


def every_step(scale):
    def descend(data):
        w, seen = 0.0, []
        for _ in range(3):
            w = w - 0.1 * (sum(min(max(w - 3 * d, -1.0), 1.0) for d in data) + np.random.laplace(0, scale))
            w = float(w)
            seen.append(w)
        return seen

    return descend


for scale, kept in ((3.0, True), (1.0, False)):
    plant(f"prefixes, {scale}", prefixes(scale), kept)
    plant(f"steps seen, {2 * scale}", every_step(2 * scale), kept)
for scale, kept in ((1.0, True), (0.8, False)):
    plant(f"running sum, {scale}", running(scale), kept)
    plant(f"local, {scale}", local(scale), kept)
plant("one noise for two sums", lambda d: (sum(d) + (z := np.random.laplace(0, 2)), sum(d**2) + z), False)
plant("one noise twice", lambda d: (sum(d) + (z := np.random.laplace(0, 1)), sum(d) + z + 1), True)
plant("raw maximum beside", lambda d: (sum(d) + np.random.laplace(0, 1), max(d)), False)


# Sparse vector: is a count above a bar?
LEVELS = (0.8, 0.5, 0.2)


def sparse(bar_scale, query_scale, *, value=False, stop=True):
    def asked(data):
        bar, said = 2 + (np.random.laplace(0, bar_scale) if bar_scale else 0.0), []
        for level in LEVELS:
            noisy = np.sum(data > level) + (np.random.laplace(0, query_scale) if query_scale else 0.0)
            said.append(float(noisy) if value and noisy >= bar else bool(noisy >= bar))
            if stop and said[-1]:
                break
        return said

    return asked


both("sparse vector", sparse(2, 4), True)
both("sparse vector, no noise on queries", sparse(2, 0), False)
both("sparse vector, no noise on the bar", sparse(0, 2, stop=False), False)
both("sparse vector, tells the number", sparse(1.2, 1.2, value=True), False)


# Users have several records; a user is who stands in the first column.
USERS = Records(4, columns={"user": ("a", "b"), "spent": (0.0, 1.0)})


def by_user(data: "pandas.DataFrame"):  # noqa: F821
    return data.groupby("user")["spent"].sum().clip(0, 1).sum() + np.random.laplace(0, 1)


def by_record(data: "pandas.DataFrame"):  # noqa: F821
    return data["spent"].clip(0, 1).sum() + np.random.laplace(0, 1)


def by_user_in_a_loop(data: list):
    spent: dict[str, float] = {}
    for user, amount in data:
        spent[user] = min(spent.get(user, 0.0) + amount, 1.0)
    return sum(spent.values()) + random.expovariate(1.0) - random.expovariate(1.0)


def one_value_changes_by_a_tenth(data):
    for i, (value,) in enumerate(data):
        yield (*data[:i], (min(value + 0.1, 1.0),), *data[i + 1 :])


plant("users, clipped by user", by_user, True, relation="user", records=USERS)
plant("users, clipped by record", by_record, False, relation="user", records=USERS)
plant("users, clipped by record, add-remove", by_record, True, relation=AR, records=USERS)
plant("users, in a loop", by_user_in_a_loop, True, relation="user", records=USERS)
own = one_value_changes_by_a_tenth
plant("own relation, sound", lambda d: sum(d) + np.random.laplace(0, 0.1), True, relation=own)
plant("own relation, broken", lambda d: sum(d) + np.random.laplace(0, 0.05), False, relation=own)
