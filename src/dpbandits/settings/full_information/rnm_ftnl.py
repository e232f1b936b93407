"""Parameters and privacy that the variants of RNM-FTNL (wu2025, Algorithm 1) share."""

from __future__ import annotations

import functools

from dpbandits.core.algorithm import Privacy
from dpbandits.core.fields import Formula, Parameter, Tuning, Values
from dpbandits.settings.full_information import privacy as selection_privacy
from dpbandits.settings.full_information.selection import Selection

SOURCE = "wu2025, Algorithm 1"


def multiple(factor: int) -> Formula:
    """Return the default of a parameter: a function that returns the noise scale ``factor``/epsilon at a budget."""

    def scale(tuning: Tuning, _: Values) -> float:
        # Only a check of parameters apart from any experiment has no budget.
        return factor / (tuning.epsilon or 1.0)

    scale.__doc__ = f"{factor}/epsilon"
    return scale


def parameters(factor: int) -> tuple[Parameter, ...]:
    """Return the parameters of a variant of RNM-FTNL: ``resampling``, the paper's B, and the noise's ``scale``.

    The default of ``scale`` is ``factor``/epsilon.
    """
    return (
        Parameter("resampling", int, 1, "B: whether losses are resampled as Bernoulli", at_least=0, at_most=1),
        Parameter("scale", float, multiple(factor), "scale of the noise on each accumulated loss", above=0),
    )


def privacy(mechanism: str, select: Selection) -> Privacy:
    """Return the privacy statement of a variant of RNM-FTNL.

    ``mechanism`` is its noise in words, such as "Lap(2/epsilon)", and ``select`` returns that noise's log selection
    probabilities, such as `selection.laplace`. The statement holds with and without resampling (B = 1 and 0). With
    resampling, a selection is a mixture of selections from binary losses, whose sensitivity is 1 too.
    """
    return Privacy(
        definition="pure",
        neighbours="the loss vector of one round replaced",
        mechanism=f"report-noisy-max on losses accumulated over disjoint epochs, sensitivity 1; {mechanism}",
        tied=("scale",),
        exact=functools.partial(selection_privacy.exact, select),
    )
