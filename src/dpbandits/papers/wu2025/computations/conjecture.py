"""wu2025, Remark 4: which constants c1, c2 survive in the conjectured bound, and which instances rule them out.

The conjecture: there are c1 and c2 such that for all instances, epochs r and actions j with Delta_j > epsilon

    P[J_r = j] <= c1 exp(-x_j/c2) / (1 + sum over i with Delta_i > epsilon of exp(-x_i/c2))

with x_i = 2^(r+1) Delta_i epsilon.

It does not hold. Let kappa be the rate of the noise: P is about exp(-x_j/kappa) if losses are not random. It is 8
for noise of scale 2/epsilon and 4 for Exp(1/epsilon). Two families of instances rule out every c2, from both sides:

- *Two actions* with means next to 1/2 and a gap just above epsilon. Random losses slow the decay to exp(-x_j/c),
  with c as close to 8/7 kappa (4/3 kappa for Exp(1/epsilon)) as one likes. So no smaller c2 survives, whatever c1.
- *A crowd*. Action 1 has losses 0, action j Bernoulli losses with a mean just above epsilon, and N others losses 1.
  N is about e^(x/kappa), with x = 2^(r+1) epsilon. Then P[J_r = j] does not vanish as K grows. For c2 > kappa the
  crowd's terms in the bound are many, so that c1 has to be of order K^(1 - kappa/c2).

With one constant above the fraction bar and another, c3, below it, neither family is a counterexample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import laws
from dpbandits.settings.full_information.noises import NOISES, PRINTED
from dpbandits.settings.full_information.selection import Floats


class Instance(NamedTuple):
    """Groups of actions with Bernoulli losses of the same mean, and the action j whose selection is followed.

    Attributes
    ----------
    family
        Name of the family of instances.
    epsilon, n
        Privacy budget, and number 2^(r-1) of rounds that J_r is selected on.
    means, multiplicities : ndarray of float64, shape (groups,)
        Mean loss of each group, increasing, and its number of actions.
    group
        Index of the group of action j.
    """

    family: str
    epsilon: float
    n: int
    means: Floats
    multiplicities: Floats
    group: int

    @property
    def x(self) -> Floats:
        """The exponent x_i = 2^(r+1) Delta_i epsilon = 4 n Delta_i epsilon of each group i, shape (groups,)."""
        exponents: Floats = 4.0 * self.n * self.epsilon * (self.means - self.means[0])
        return exponents

    @property
    def counted(self) -> Floats:
        """Each group's number of actions in the conjectured bound's sum, shape (groups,).

        All actions of a group count if its gap is above epsilon, else none.
        """
        return np.where(self.means - self.means[0] > self.epsilon, self.multiplicities, 0.0)


def log_probability(noise: str, instance: Instance) -> float:
    """Return log P[J_r = j] of an instance: J_r is the action that RNM-FTNL selects with this noise.

    For two actions it follows from the law of the difference of their losses, and j has to be the worse one. For
    more actions it is by quadrature, right to ten digits where P is above 1e-8. Accumulated losses of a probability
    below 1e-40 are left out.
    """

    from scipy.special import logsumexp

    rate = instance.epsilon / NOISES[noise].factor
    sums = [laws.binomial(instance.n, mean) for mean in instance.means]
    if instance.multiplicities.sum() == 2.0:
        # Law of the difference of the two sums: of non-negative terms, so small values are exact too.
        difference = np.convolve(sums[1], sums[0][::-1])
        d: Floats = rate * np.arange(-instance.n, instance.n + 1, dtype=np.float64)
        return float(logsumexp(NOISES[noise].log_overtake(d), b=difference))
    selected = NOISES[noise].select_random(np.array(sums), instance.multiplicities[None], rate)
    return math.log(selected[0, instance.group])


def log_c1(log_p: float, instance: Instance, c2: float, c3: float) -> float:
    """Return the log of the smallest c1 with which the bound of wu2025, Remark 4, holds on an instance.

    The bound is P[J_r = j] <= c1 exp(-x_j/c2) / (1 + sum of exp(-x_i/c3) over actions i with gap > epsilon). Remark
    4 has c3 = c2.

    Parameters
    ----------
    log_p
        The log of P[J_r = j], the probability that the instance's action j is selected.
    instance
        The instance.
    c2, c3
        The constants above and below the fraction bar.
    """

    from scipy.special import logsumexp

    below = logsumexp(np.append(0.0, -instance.x / c3), b=np.append(1.0, instance.counted))
    return log_p + float(instance.x[instance.group]) / c2 + float(below)


def two_actions(epsilon: float, n: int) -> Instance:
    """Return the instance of two actions with mean losses next to 1/2 and a gap just above epsilon.

    ``n`` is the number 2^(r-1) of rounds that J_r is selected on.
    """
    gap = min(1.0, 1.001 * epsilon)
    return Instance("two actions", epsilon, n, np.array([0.5 - gap / 2.0, 0.5 + gap / 2.0]), np.ones(2), 1)


def crowd(epsilon: float, n: int, gap: float, arms: float) -> Instance:
    """Return the instance of a crowd: action 1 has losses 0, action j Bernoulli losses, and all others losses 1.

    Parameters
    ----------
    epsilon, n
        The budget, and the number 2^(r-1) of rounds that J_r is selected on.
    gap
        Mean loss of action j, in (0, 1).
    arms
        Number K of actions, >= 3.
    """
    return Instance("crowd", epsilon, n, np.array([0.0, gap, 1.0]), np.array([1.0, 1.0, arms - 2.0]), 1)


def kappa(noise: str) -> float:
    """Return the rate kappa of a noise: 4 for ``exponential``, which is Exp(1/epsilon), else 8.

    The others are ``laplace``, ``gumbel`` and ``permute-and-flip``, of scale 2/epsilon. If losses are not random,
    P[J_r = 2] falls as exp(-x_2/kappa), and more slowly if they are.
    """
    return 4.0 * NOISES[noise].factor


def slowest(noise: str) -> float:
    """Return c = kappa (1 + 1/(4 factor - 1)): of two actions P[J_r = 2] can be about as large as exp(-x_2/c).

    The noise has scale b = factor/epsilon, and G_i is the loss of action i in n rounds. Means are next to 1/2, and
    gap and epsilon are equal and tend to 0. Then E exp(-(G_2 - G_1)/b) is about
    exp(-n epsilon^2 (1/factor - 1/(4 factor^2))). This is exp(-x_2/c) with x_2 = 4 n epsilon^2.
    """
    return 4.0 / (1.0 / NOISES[noise].factor - 0.25 / NOISES[noise].factor ** 2)


def two_constants(noise: str) -> tuple[float, float]:
    """Return (c2, c3) = (1.5 kappa, kappa), the constants of a weaker bound than Remark 4's.

    The weaker bound has c2 above the fraction bar and c3 below it, where Remark 4 has c2 in both places.
    """
    return 1.5 * kappa(noise), kappa(noise)


def crowd_of_largest_c1(noise: str, arms: float) -> Instance:
    """Return the `crowd` of K = ``arms`` actions for which Remark 4's bound needs about the largest c1.

    Here c2 is `slowest`, the smallest that two actions leave. The gap of action j is next to epsilon. The number of
    rounds is chosen by the total weight of the worst K - 2 actions, A = (K - 2) e^(-x/kappa). If the losses of
    action j were not random, c1 = K^(1-s) A^s/(2 + A), s = kappa/c2, would be needed. That is largest at
    A = 2 s/(1 - s).
    """
    share = kappa(noise) / slowest(noise)
    depth = max(1.0, math.log((arms - 2.0) * (1.0 - share) / (2.0 * share)))
    epsilon = 0.1 / depth
    return crowd(epsilon, round(depth * NOISES[noise].factor / epsilon), 1.001 * epsilon, arms)


def draw_instance(rng: np.random.Generator, arms: float) -> Instance:
    """Draw an instance of K = ``arms``: a best action, action j with others like it, and a crowd of larger mean."""
    epsilon = float(10.0 ** rng.uniform(-2.5, -0.3))
    gap = min(0.9, epsilon * (1.001 + rng.exponential()))
    best = 0.0 if rng.random() < 0.5 else rng.uniform(0.0, 1.0 - gap)
    crowded = rng.uniform(gap, 1.0 - best)
    # x_j = 4 n gap epsilon is from 0.4 to 63, where the bound is neither trivial nor out of reach.
    n = int(np.clip(10.0 ** rng.uniform(-1.0, 1.2) / (gap * epsilon), 1, 2**12))
    likes = min(float(np.rint(10.0 ** rng.uniform(0.0, 2.0))), arms - 2.0)
    means = best + np.array([0.0, gap, crowded])
    return Instance("drawn", epsilon, n, means, np.array([1.0, likes, arms - 1.0 - likes]), 1)


def polished(noise: str, start: Instance, c2: float, c3: float, steps: int) -> Instance:
    """Return an instance near ``start`` that needs as large a c1 as a Nelder-Mead search finds.

    Epsilon, the gaps and n, up to 2^14, are searched; the best mean and multiplicities stay.

    Parameters
    ----------
    noise
        Name of the noise.
    start
        Instance where the search begins, with three groups of actions.
    c2, c3
        The constants above and below the fraction bar.
    steps
        Largest number of evaluations.
    """

    from scipy.optimize import minimize

    best = start.means[0]

    def instance_at(logs: Floats) -> Instance | None:
        """Return the instance with these logarithms of epsilon, n and gaps; ``None`` if there is no such one."""
        epsilon, n, gap, crowded = np.exp(logs)
        if not (epsilon < gap < crowded <= 1.0 - best and 1.0 <= n <= 2**14):
            return None
        means = best + np.array([0.0, gap, crowded])
        return Instance("polished", float(epsilon), round(n), means, start.multiplicities, 1)

    def objective(logs: Floats) -> float:
        instance = instance_at(logs)
        return 1e3 if instance is None else -log_c1(log_probability(noise, instance), instance, c2, c3)

    gaps = start.means - best
    first = np.log([start.epsilon, start.n, gaps[1], gaps[2]])
    found = minimize(objective, first, method="Nelder-Mead", options={"maxfev": steps})
    return instance_at(found.x) or start


def row(part: str, noise: str, instance: Instance, log_p: float, c2: float, c3: float) -> Row:
    """Return a row: an instance, c2 and c3, and ``log10_c1``, of the smallest c1 with which the bound holds.

    The instance is ``family, arms, epsilon, n, gap_j, best_mean``, and ``gaps`` and ``multiplicities`` of its
    groups as text. ``kappa`` and ``slowest`` are those of the noise; ``log10_p`` is the logarithm of P[J_r = j].

    Parameters
    ----------
    part, noise
        Part of the table, and name of the noise.
    instance
        The instance.
    log_p
        The log of the probability that the instance's action j is selected.
    c2, c3
        The constants above and below the fraction bar.
    """
    gaps = instance.means - instance.means[0]
    return {
        "part": part,
        "family": instance.family,
        "noise": noise,
        "kappa": kappa(noise),
        "slowest": slowest(noise),
        "c2": c2,
        "c3": c3,
        "log10_c1": log_c1(log_p, instance, c2, c3) / math.log(10.0),
        "log10_p": log_p / math.log(10.0),
        "arms": instance.multiplicities.sum(),
        "epsilon": instance.epsilon,
        "n": instance.n,
        "gap_j": gaps[instance.group],
        "best_mean": instance.means[0],
        "gaps": " ".join(f"{gap:.6g}" for gap in gaps),
        "multiplicities": " ".join(f"{number:.6g}" for number in instance.multiplicities),
    }


def rows_of_family(noise: str, part: str, instances: Sequence[Instance], factors: Sequence[float]) -> Iterator[Row]:
    """Yield a row with ``log10_c1``, of the smallest c1 that suffices, for each instance and pair of constants.

    The pairs are c2 = c3 at several values, and last c2 = 1.5 kappa with c3 = kappa. Here c2 is above the fraction
    bar of Remark 4's bound, and c3 below it.

    Parameters
    ----------
    noise, part
        Name of the noise, and part of the table.
    instances
        Instances of one family.
    factors
        Values of c2 = c3 in multiples of kappa; `slowest`, the smallest that two actions leave, is added.
    """
    multiples = [factor * kappa(noise) for factor in factors] + [slowest(noise)]
    for instance in instances:
        log_p = log_probability(noise, instance)
        for c2, c3 in [*zip(multiples, multiples, strict=True), two_constants(noise)]:
            yield row(part, noise, instance, log_p, c2, c3)


def search(noise: str, arms: Sequence[float], instances: int, steps: int, seed: int) -> Iterator[Row]:
    """Yield rows with ``log10_c1`` of random instances, and of one that a search makes from the worst of them.

    A row says how large a c1 its instance needs in Remark 4's bound, with c2 above the fraction bar and c3 below.
    Constants are c2 = c3 = `slowest`, the smallest that two actions leave, then c2 = 1.5 kappa and c3 = kappa.
    Random instances with P[J_r = j] <= 1e-8 are left out.

    Parameters
    ----------
    noise
        Name of the noise.
    arms
        Values of K that are drawn from.
    instances, steps
        Number of random instances, and largest number of evaluations of each search.
    seed
        Seed of the random instances.
    """
    rng = np.random.default_rng(seed)
    known = []
    for instance in (draw_instance(rng, float(rng.choice(arms))) for _ in range(instances)):
        log_p = log_probability(noise, instance)
        # Below, quadrature is no longer exact to ten digits.
        if log_p > math.log(1e-8):
            known.append((instance, log_p))
    for constants in ((slowest(noise), slowest(noise)), two_constants(noise)):
        for instance, log_p in known:
            yield row("search", noise, instance, log_p, *constants)
        worst, _ = max(known, key=lambda pair: log_c1(pair[1], pair[0], *constants))
        better = polished(noise, worst, *constants, steps)
        yield row("search", noise, better, log_probability(noise, better), *constants)


def compute(
    epsilon: float,
    largest_n: int,
    arms: list[float],
    searched: list[float],
    factors: list[float],
    instances: int,
    steps: int,
    seed: int,
) -> pd.DataFrame:
    """Compute the smallest c1 with which Remark 4's bound holds on instances, for several c2.

    The bound of P[J_r = j] is c1 exp(-x_j/c2) / (1 + sum over i of exp(-x_i/c3)), with c3 = c2 in the paper. A
    *crowd* is many actions that always lose 1, beside two others.

    Parameters
    ----------
    epsilon, largest_n
        Privacy budget for the two actions, and length of their longest epoch, a power of two.
    arms, searched
        Numbers of actions of the crowd, and of the random instances.
    factors
        Values of c2 in multiples of kappa, the noise's own rate. `slowest`, the smallest c2 that instances of two
        actions do not rule out, is added.
    instances, steps, seed
        Number of random instances that are searched for each noise, number of evaluations of the search from the
        worst of them, and the seed.

    Returns
    -------
    DataFrame
        Its ``part`` is ``two actions`` (a row for each n and c2), ``crowd`` (for each K and c2) or ``search``. The
        last has random instances with P[J_r = j] > 1e-8, and those that a search finds from the worst of them. Its
        c2 is `slowest`. In these rows ``c3`` = c2. Each instance has one more row: c2 = 1.5 kappa, c3 = kappa. Then
        ``family, noise, kappa, slowest, c2``, ``log10_c1`` and the exact ``log10_p`` of P[J_r = j]. The
        instance: ``arms, epsilon, n, gap_j, best_mean``; and ``gaps`` and ``multiplicities`` as text.
    """
    rows: list[Row] = []
    for noise in PRINTED:
        pairs = [two_actions(epsilon, 2**k) for k in range(2, largest_n.bit_length())]
        rows += rows_of_family(noise, "two actions", pairs, factors)
        rows += rows_of_family(noise, "crowd", [crowd_of_largest_c1(noise, number) for number in arms], factors)
        rows += search(noise, searched, instances, steps, seed)
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="The conjecture of Remark 4: which constants survive, and the instances that rule them out",
    source="wu2025, Remark 4",
    compute=compute,
    parameters={
        "epsilon": Option(0.2, "budget of the two actions"),
        "largest_n": Option(4096, "longest epoch of the two actions, a power of two"),
        "arms": Option([1e2, 1e4, 1e8, 1e16, 1e32], "numbers of actions of the crowd"),
        "searched": Option(
            [3.0, 5.0, 10.0, 30.0, 1e2, 1e4, 1e8, 1e16, 1e32], "numbers of actions of random instances"
        ),
        "factors": Option([1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0], "c2 in multiples of kappa"),
        "instances": Option(200, "random instances searched for each noise"),
        "steps": Option(80, "evaluations of the search from the worst of them"),
        "seed": SEED,
    },
)
