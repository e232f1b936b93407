"""No arm is favoured by its number.

False alarms. Seeds are fixed, so the file is deterministic. With fresh seeds, correct code would fail somewhere in
it with probability at most `FALSE_ALARMS` = 1/1000, however many algorithms there are: every p-value is compared
with that number divided by the number of p-values, at most `P_VALUES` for each algorithm.
"""

from __future__ import annotations

import contract
import numpy as np
from contract import Subject, simulated
from laws import homogeneity
from scipy import stats

FALSE_ALARMS = 1e-3
ORDERS = ((2, 1, 0), (1, 2, 0))
# Three arms and regret in each order; the first arm, and the arm most pulled at two horizons.
P_VALUES = len(ORDERS) * 4 + 3
LEVEL = FALSE_ALARMS / (P_VALUES * len(contract.subjects()))
RUNS = 2000
HORIZON = 300


def test_arms_have_no_names(subject: Subject) -> None:
    """Listed in another order, arms are pulled alike, and cost the same."""
    permuted = subject.tried_in.permuted
    as_listed = simulated(subject.lively(permuted((0, 1, 2)), HORIZON), RUNS)
    for order in ORDERS:
        other = simulated(subject.lively(permuted(order), HORIZON), RUNS)
        p_values = {
            f"pulls of arm {arm}": homogeneity(as_listed.pulls[:, arm], other.pulls[:, place])
            for place, arm in enumerate(order)
        }
        regrets = [np.round(runs.regret[:, -1], 6) for runs in (as_listed, other)]
        p_values["regret"] = stats.ks_2samp(*regrets, method="asymp").pvalue
        assert min(p_values.values()) > LEVEL, f"{subject} in the order {order}: {p_values}"


def test_ties_are_broken_evenly(subject: Subject) -> None:
    """Of arms that do not differ each is the first, and the one most pulled, equally often."""
    environment = subject.tried_in.alike.environment
    for horizon in (1, 7, HORIZON):
        pulls = simulated(subject.lively(environment, horizon), RUNS).pulls
        leads = pulls == pulls.max(axis=1, keepdims=True)
        # Where several arms are pulled most, it does not tell which; nor if no one is followed in a first round.
        clear = leads[leads.sum(axis=1) == 1]
        if horizon == 1 and not subject.tried_in.explores:
            assert len(clear) == RUNS
        if len(clear) == 0:
            continue
        counts = clear.sum(axis=0)
        assert stats.chisquare(counts).pvalue > LEVEL, f"{subject}: {counts} at T = {horizon}"
