"""EXP4: exponential weights over experts on importance-weighted losses, without privacy.

Source: Auer, Cesa-Bianchi, Freund & Schapire 2002, in the form of asi2025, Algorithm 6 without noise. An action is
drawn from Q_t = (1 - gamma) sum_j P_t(j) mu^j_t + gamma/K, where P_t(j) = w_j/sum w. Its loss divided by its
probability is the estimate, and w_j <- w_j exp(-eta mu^j_t . estimate).

The proof of Theorem 9 with lambda = 0 has gamma = 4 eta K lambda log(KT) = 0. It bounds regret by
log N/eta + gamma T + 2 eta K T. This is least for eta = sqrt(log N/(2KT)), where it is 2 sqrt(2 K T log N).

Privacy: none.

Deviations: none.
"""

from __future__ import annotations

import math

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.mathematics import log
from dpbandits.core.recording import Runs
from dpbandits.settings.experts import exponential_weights
from dpbandits.settings.experts.problem import Bandit


# Default of a parameter, as a function of the facts of a problem: the docstring is its formula, as users see it.
def learning_rate(tuning: Tuning, _: Values) -> float:
    """sqrt(log N/(2KT))

    This is the default of ``eta``, for N experts, K actions and T rounds.
    """
    return math.sqrt(log(tuning.experts) / (2 * tuning.arms * tuning.horizon))


def simulate(runs: Runs, bandit: Bandit, *, eta: float, gamma: float) -> None:
    """Simulate EXP4, and record pulls and regret in ``runs``.

    Parameters
    ----------
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1].
    """
    exponential_weights.simulate(runs, bandit, eta, gamma, 0.0)


ALGORITHM = Algorithm(
    title="EXP4",
    source="Auer et al. 2002, as in asi2025, Algorithm 6 without noise",
    decides="rounds",
    privacy=None,
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, 0.0, "mixing weight of the uniform distribution", at_least=0, at_most=1),
    ),
    simulate=simulate,
)
