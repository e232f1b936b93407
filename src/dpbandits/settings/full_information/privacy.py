"""The privacy of one selection by report-noisy-max, exactly: a search for the worst neighbouring losses.

Every epoch of RNM-FTNL releases one selection and epochs are disjoint. So the privacy of a selection is that of a
run. A neighbour replaces one round's loss vector, and moves every accumulated loss by at most 1 either way. No
action's probability rises with its own loss, nor falls with another's. So the first action's probability (any other
would do) grows most if its own loss falls by 1 and all others rise by 1. We search how far behind it was.

Accumulated losses are whole numbers here, sums of binary ones. For B = 1 this loses nothing. Probabilities are
affine in each loss of each round, so a ratio of two is largest where every loss is 0 or 1, and there resampling
does nothing. For B = 0 losses may be fractions, and the result is a lower bound. So it is for any K and budget that
the search has not tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpbandits.core.algorithm import Worst
from dpbandits.core.fields import Values
from dpbandits.settings.full_information.selection import Floats, Selection

# Search of `exact`: numbers of actions, loss vectors that are drawn for each, and the seed of these.
ARMS, DRAWN, SEED = (2, 3, 10, 100), 100, 1
# A loss that differs less from another one is no larger: of equally bad inputs the simplest is kept.
NO_WORSE = 1e-9


class Found(NamedTuple):
    """The worst pair of neighbouring inputs of one selection that a search has found.

    Attributes
    ----------
    loss
        Privacy loss: log ratio of the first action's selection probabilities on the neighbour and on the input.
    behind : ndarray of float64, shape (K - 1,)
        Accumulated loss of the first action less that of each other one, on the input. On the neighbour each of
        these differences is 2 less.
    log_probabilities
        Log probability of the first action's selection on the input, and on the neighbour.
    pairs
        Number of pairs that were compared.
    """

    loss: float
    behind: Floats
    log_probabilities: tuple[float, float]
    pairs: int


def log_selected(select: Selection, losses: Floats, scale: float) -> Floats:
    """Return the log probability with which report-noisy-max selects each action, shape (actions,).

    Parameters
    ----------
    select
        ``select(excess, multiplicities)`` returns log selection probabilities under the noise, for groups of
        actions of equal losses; such as `selection.laplace`.
    losses : ndarray of float64, shape (actions,)
        Accumulated losses, in any order.
    scale
        Scale of the noise, > 0, in losses.
    """
    values, groups, counts = np.unique((losses - losses.min()) / scale, return_inverse=True, return_counts=True)
    return select(values, counts.astype(np.float64))[groups]


def search(select: Selection, scale: float, arms: int, drawn: int, seed: int) -> Found:
    """Search for the pair of neighbouring inputs on which one selection by report-noisy-max loses most privacy.

    Structured and random pairs are compared, then changes to the worst of them.

    Parameters
    ----------
    select, scale
        Function that returns the noise's log selection probabilities; and the scale of the noise.
    arms
        Number K >= 2 of actions.
    drawn, seed
        Number of random pairs, and the seed from which they are drawn.
    """
    best = Found(0.0, np.zeros(arms - 1), (0.0, 0.0), 0)
    rng = np.random.default_rng(seed)

    def look(behind: Floats) -> bool:
        """Compare a pair; return whether it is worse than all before."""
        # The first action's loss counts as 0. On the neighbour it falls by 1 and the others rise by 1: 2 in all.
        nonlocal best
        before, after = (
            float(log_selected(select, np.append(0.0, change - behind), scale)[0]) for change in (0.0, 2.0)
        )
        worse = after - before > best.loss * (1.0 + NO_WORSE)
        found = Found(after - before, behind.copy(), (before, after), 0) if worse else best
        best = found._replace(pairs=best.pairs + 1)
        return worse

    for behind in _structured(arms - 1, scale):
        look(behind)
    for _ in range(drawn):
        look(np.rint(rng.uniform(-10.0 * scale, 10.0 * scale, arms - 1)))
    step = 2.0 ** math.ceil(math.log2(max(1.0, 10.0 * scale)))
    while step >= 1.0:
        for i in rng.permutation(arms - 1):
            for move in (step, -step):
                changed = best.behind.copy()
                changed[i] += move
                if look(changed):
                    break
        step /= 2.0
    return best


def _structured(others: int, scale: float) -> Iterator[Floats]:
    """Yield: the first action behind or ahead of all others, of half of them or of one, by up to 40 scales."""
    sizes = np.unique(np.rint(np.geomspace(1.0, max(2.0, 40.0 * scale), 40)))
    yield np.zeros(others)
    for size in sizes:
        for number in sorted({others, others // 2, 1} - {0}, reverse=True):
            for sign in (1.0, -1.0):
                yield np.append(np.full(number, sign * size), np.zeros(others - number))


def exact(select: Selection, epsilon: float, tied: Values) -> Worst:  # noqa: ARG001
    """Return the worst privacy loss of a selection by report-noisy-max among 2, 3, 10 or 100 actions.

    It is the largest that `search` finds. An algorithm declares this function as ``exact`` of its `Privacy`.

    Parameters
    ----------
    select
        Function that returns the noise's log selection probabilities, such as `selection.laplace`.
    epsilon, tied
        Privacy budget, which is not used; and the parameters on which the privacy statement depends. Of these,
        ``tied["scale"]`` is the noise's scale.

    Returns
    -------
    Worst
        The loss, two neighbouring inputs as accumulated losses, and the first action's selection probabilities.
    """
    scale = float(tied["scale"])
    worst = search(select, scale, ARMS[0], DRAWN, SEED)
    for arms in ARMS[1:]:
        found = search(select, scale, arms, DRAWN, SEED)
        if found.loss > worst.loss * (1.0 + NO_WORSE):
            worst = found
    behind = worst.behind
    own = max(1.0, float(behind.max()))
    others = own - behind
    before, after = worst.log_probabilities
    return Worst(
        loss=worst.loss,
        of=f"one selection with noise of scale {scale:g}; accumulated losses are whole numbers, K up to {ARMS[-1]}",
        one={"accumulated losses": [own, *others.tolist()], "rounds": max(own, float(others.max()) + 1.0)},
        other={"accumulated losses": [own - 1.0, *(others + 1.0).tolist()], "round replaced": "any"},
        event="the first action is selected",
        probabilities=(math.exp(before), math.exp(after)),
    )
