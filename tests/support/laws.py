"""Two samples of one law: tests that compare runs of the package with those of a literal implementation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Counts = NDArray[np.int64]


def homogeneity(a: Counts, b: Counts, smallest: float = 25.0) -> float:
    """Return the p-value of the chi-square test that two samples of integers have one law.

    Bins are cut at the pooled sample's twelfths, then joined until each expects ``smallest`` of either sample.
    """
    edges = np.unique(np.quantile(np.concatenate([a, b]), np.arange(1, 12) / 12, method="nearest"))
    table = np.array(
        [np.bincount(np.searchsorted(edges, x, side="left"), minlength=edges.size + 1) for x in (a, b)]
    )
    share = min(a.size, b.size) / (a.size + b.size)
    bins, open_bin = [], np.zeros(2)
    for column in table.T:
        open_bin = open_bin + column
        if open_bin.sum() * share >= smallest:
            bins.append(open_bin)
            open_bin = np.zeros(2)
    if bins:
        bins[-1] = bins[-1] + open_bin
    if len(bins) < 2:
        return 1.0
    return float(stats.chi2_contingency(np.array(bins).T, correction=False).pvalue)


def same_law(one: tuple, other: tuple) -> dict[str, float]:
    """Return the p-values of all comparisons of two outputs of `ours` or `theirs`."""
    p_values = {}
    for at in (0, 1):
        # Equal regrets may differ in the last place: the package adds up batch by batch.
        a, b = (np.round(sample[2][:, at], 6) for sample in (one, other))
        if np.ptp(np.concatenate([a, b])) > 0.0:
            p_values[f"regret {at}, Mann-Whitney"] = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
            p_values[f"regret {at}, Kolmogorov-Smirnov"] = stats.ks_2samp(a, b, method="asymp").pvalue
        for arm in range(one[at].shape[1]):
            p_values[f"pulls {at} of arm {arm}"] = homogeneity(one[at][:, arm], other[at][:, arm])
    return p_values
