"""The two sequences of asi2025, Lemma 11: arm 1 always has loss 1/2; arm 2 has loss 1, and 0 after a chosen round.

Losses are deterministic. In the first sequence the second arm never improves, in the other it improves after round
``improves``.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.adversarial.authoring import (
    BadInput,
    Bandit,
    Environment,
    Parameters,
    Tuning,
    complete,
    make_losses,
)


def check(given: Parameters) -> Parameters:
    """Return the parameter ``improves``, checked, or raise `BadInput`.

    It is ``None`` (never), a fraction of T in (0, 1), or a round >= 1.
    """
    improves = complete(given, "improves")["improves"]
    fraction = isinstance(improves, float) and 0 < improves < 1
    round_ = isinstance(improves, int) and not isinstance(improves, bool) and improves >= 1
    if not (improves is None or fraction or round_):
        raise BadInput("improves", improves, "null (never), a fraction of T in (0, 1), or a round >= 1")
    return {"improves": improves}


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit whose second arm improves after round ``improves``, as arrays for compiled code.

    A fraction of T is rounded to a round >= 1. With a round from T on, the arm never improves.
    """
    horizon = int(tuning.horizon)
    improves = parameters["improves"]
    first = horizon if improves is None else round(improves * horizon) if improves < 1 else improves
    lengths = [min(max(first, 1), horizon)]
    lengths += [horizon - lengths[0]] if lengths[0] < horizon else []
    means = np.array([[0.5, 1.0], [0.5, 0.0]])[: len(lengths)]
    return Bandit(make_losses(lengths, means, False))


ENVIRONMENT = Environment(
    title="late improvement (Lemma 11)",
    parameters={
        "improves": "after which round the second arm's loss is 0: a round, a fraction of T, or null for never"
    },
    check=check,
    problem=problem,
    arms=lambda _: 2,
)
