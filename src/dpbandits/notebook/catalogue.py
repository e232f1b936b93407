"""Algorithms as a frame: setting, privacy, adversary and source of each."""

from __future__ import annotations

import pandas as pd

from dpbandits.calls import check_call
from dpbandits.core import registry

# Source of the rewards in each setting.
ADVERSARIES = {
    "adversarial": "oblivious losses",
    "experts": "oblivious losses and advice",
    "full_information": "none: losses are drawn",
    "linear": "some rewards are replaced",
    "stochastic": "none: rewards are drawn",
}


@check_call
def algorithms() -> pd.DataFrame:
    """Return a table of the package's algorithms, a row for each; the index has the names, sorted.

    An algorithm whose file cannot be imported is left out, and a line on stderr says why.

    Returns
    -------
    DataFrame
        Columns ``title``; ``setting``; ``privacy``: pure, approximate, local or none; ``neighbours``: the change
        that is hidden; ``noise``; ``adversary``: where rewards come from; ``source``: paper and place. Without
        privacy ``neighbours`` and ``noise`` are empty.

    Examples
    --------
    >>> import dpbandits
    >>> dpbandits.algorithms().loc["dp-imed", "privacy"]
    'pure'
    """
    rows = {}
    for name in registry.importable("algorithm"):
        declared, setting = registry.algorithm(name), registry.setting("algorithm", name)
        privacy = declared.privacy
        rows[name] = {
            "title": declared.title,
            "setting": setting,
            "privacy": "none" if privacy is None else privacy.definition,
            "neighbours": "" if privacy is None else privacy.neighbours,
            "noise": "" if privacy is None else privacy.mechanism,
            "adversary": ADVERSARIES[setting],
            "source": declared.source,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("algorithm")
