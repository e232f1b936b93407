"""Inner functions that algorithms' twins call to watch their own weights."""

from __future__ import annotations

import numpy as np

from dpbandits.core.compiled import inner
from dpbandits.core.lanes import categorical
from dpbandits.settings.adversarial.follow_the_perturbed_leader import importance


@inner
def checked_categorical(streams, weights, total, u, room, index):
    """Draw as `categorical` in one lane; keep the total's largest relative error in 1e-18, as the fifth word."""
    exact, lost, sound = 0.0, 0.0, True
    for weight in weights[:, 0]:
        # Neumaier's sum.
        longer = exact + weight
        lost += (exact - longer) + weight if exact >= weight else (weight - longer) + exact
        exact = longer
        # No number is no weight either.
        sound = sound and weight >= 0.0
    exact += lost
    error = abs(total[0] / exact - 1.0)
    if not (sound and 0.0 < total[0] < np.inf and error < 1.0):
        error = 1.0
    streams[4] = max(streams[4], np.uint64(error * 1e18))
    categorical(streams, weights, total, u, room, index)


@inner
def checked_importance(state, weight, arm, rival, resampling, printed):
    """Return the importance weight, and note weights that are not finite in the stream's fifth word."""
    if not (weight.min() >= 0.0 and 0.0 < weight.max() < np.inf):
        state[4] = np.uint64(10**18)
    return importance(state, weight, arm, rival, resampling, printed)
