"""Texts of results as a visitor reads them: words in place of labels, and signs such as ≤ in place of ``<=``.

The ledger (the table of claims with verdicts), audits and captions name cells by labels of the configuration, such
as ``mu1`` or ``k10-gap30``. Pages and the article replace them by the words of `dpbandits.runs.words`. Code between
backticks stays as it is, and numbers are formatted already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from dpbandits.core.labels import TITLES
from dpbandits.core.numbers import bracket, number, power

# Words by label of a configuration, such as "µ₁" for ``mu1``.
Vocabulary = Mapping[str, str]
_GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "kappa": "κ"},
    **{"lambda": "λ", "mu": "μ", "nu": "ν", "tau": "τ", "theta": "θ", "Delta": "Δ"},
}
_NAMED = re.compile(rf"(?<![\w])(?<![\w]-)({'|'.join(_GREEK)})(?![A-Za-z0-9]|-[a-z]*\d)")
# What is typed for a sign.
_SIGNS = (("d_eps", "d_ε"), ("_star", "*"), ("sqrt(", "√("), ("<=", "≤"), (">=", "≥"), ("->", "→"), (" - ", " − "))
# What ids call statements of a paper.
_STATEMENTS = {
    **{"thm": "Theorem", "cor": "Corollary", "prop": "Proposition", "lemma": "Lemma", "remark": "Remark"},
    **{"fig": "Figure", "table": "Table"},
}
_STATEMENT = re.compile(rf"(?<![\w/.-])({'|'.join(_STATEMENTS)})(\d+(?:\.\d+)*)(?![\w/]|-\w)")
_POWER = re.compile(r"(?<![\w.^])(\d+) ?(?:\^|\*\*) ?\(?([-−]?\d+)\)?(?![\w.]*\w)")
_SQUARE = re.compile(r"(?<=[A-Za-zΑ-ω])\^([-−]?\d)(?![\w.])")
# Where else something is told: an entry of the register, a page of docs.
_REGISTER = re.compile(r" \(register: [^)]+\)")
_DOCS = re.compile(r"(?<!`)\bdocs/[\w./-]+\.(?:md|v)\b")
# A label that is no word of English.
_LABEL = re.compile(r"[\d=_-]")


def vocabulary(words: Mapping[str, str]) -> Vocabulary:
    """Return those of ``words``, by label, whose label is to be replaced in texts.

    A label such as ``mu1`` is. A label that is an English word, such as ``sphere``, is left out. So is one that is
    named after a statement, such as ``thm9``: in texts it stands for that statement.
    """
    return {
        label: word
        for label, word in words.items()
        if word != label and _LABEL.search(label) and not _STATEMENT.fullmatch(label)
    }


def with_words(text: str, vocabulary: Vocabulary) -> str:
    """Return a text with words in place of labels, and signs such as ≤ for ``<=``; code in backticks stays.

    Examples
    --------
    >>> with_words("share: 0.5 (mu1, T = 2^40, epsilon = 0.1) of `mu1`", {"mu1": "µ₁"})
    'share: 0.5 (µ₁, T = 2⁴⁰, ε = 0.1) of `mu1`'
    """
    change = _labels(vocabulary)
    text = _DOCS.sub(r"`\g<0>`", _REGISTER.sub(" (see the register)", text))
    return _outside_code(text, lambda part: _powers(with_signs(_statements(change(part)))))


def with_signs(text: str) -> str:
    """Return a text with Greek letters in place of their names, and signs such as ≤ for ``<=``; code stays.

    Examples
    --------
    >>> with_signs("an epsilon-DP policy has Delta_a/d_eps(mu_a, mu*) <= sqrt(T), see `eta`")
    'an ε-DP policy has Δ_a/d_ε(μ_a, μ*) ≤ √(T), see `eta`'
    """

    def signed(part: str) -> str:
        part = _NAMED.sub(lambda name: _GREEK[name[1]], part)
        for typed, sign in _SIGNS:
            part = part.replace(typed, sign)
        return part

    return _outside_code(text, signed)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = text.split("`")
    parts[::2] = map(change, parts[::2])
    return "`".join(parts)


def _labels(words: Vocabulary) -> Callable[[str], str]:
    """Return a function that replaces labels by their words, and long titles by what they are called."""
    known = {**TITLES, **words}
    longest = sorted(known, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w./=-])({'|'.join(map(re.escape, longest))})(?![\w/=-]|\.\w)")
    return lambda text: pattern.sub(lambda found: known[found[1]], text)


def _statements(text: str) -> str:
    """Return a text with statements of a paper as papers write them: ``thm9`` is Theorem 9."""
    return _STATEMENT.sub(lambda found: f"{_STATEMENTS[found[1]]} {found[2]}", text)


def _powers(text: str) -> str:
    """Return a text with powers that somebody typed, such as ``10^6``, as powers are printed."""
    text = _POWER.sub(lambda found: power(int(found[1]), int(found[2].replace("−", "-"))), text)
    return _SQUARE.sub(lambda found: power(0, int(found[1].replace("−", "-")))[1:], text)


def short_citation(authors: str, year: str) -> str:
    """Return a citation of authors and year, as papers cite; without a year, the authors alone.

    Examples
    --------
    >>> (
    ...     short_citation("Asi, Raman & Talwar", "2025"),
    ...     short_citation("Wu & Wang", "2025"),
    ...     short_citation("Somebody", ""),
    ... )
    ('Asi et al. (2025)', 'Wu & Wang (2025)', 'Somebody')
    """
    first, *others = re.split(r", | & | and ", authors)
    rest = " et al." if len(others) > 1 else "".join(f" & {other}" for other in others)
    return f"{first}{rest} ({year})" if year else f"{first}{rest}"


def measured(claim: Mapping[str, str], words: Vocabulary) -> dict[str, str]:
    """Return the texts for the gaps, such as ``{estimate}``, of a sentence on a claim, by the gap's name.

    Parameters
    ----------
    claim
        The claim's row of the ledger (the table of claims with verdicts), by column.
    words
        Words by label of the paper's configuration, such as those for the environment ``mu1``.

    Returns
    -------
    dict
        A claim's tests have parts, such as one environment at one budget. The row has the numbers of the most
        informative part: ``estimate``, ``interval``, the interval's lower end ``low``, and ``where`` they were
        measured. Missing numbers are dashes, and a missing ``where`` is empty. ``effect`` is what was measured, in
        words. ``hold``, ``fail`` and ``parts`` are numbers of parts, in digits: that hold, that fail, and of all.
    """
    estimate, low, high = (float(claim.get(key) or "nan") for key in ("estimate", "low", "high"))
    parts = {
        side: int(claim.get(f"parts_{side}") or 0) for side in ("hold", "fail", "unrefuted", "untested", "open")
    }
    return {
        "estimate": number(estimate),
        "interval": bracket(estimate, low, high),
        "low": number(low),
        "where": with_words(where(claim), words),
        "effect": with_words(claim["effect"], words),
        "hold": str(parts["hold"]),
        "fail": str(parts["fail"]),
        "parts": str(sum(parts.values())),
    }


def where(claim: Mapping[str, str]) -> str:
    """Return, in words, where the numbers of a claim were measured: environment, horizon and budget.

    ``claim`` is the claim's row of the ledger. What the row lacks is left out, so that the text may be empty.

    Examples
    --------
    >>> where({"environment": "mu1", "horizon": "1000000.0", "epsilon": "0.1"}), where({"environment": ""})
    ('mu1, T = 1,000,000, ε = 0.1', '')
    """
    told = [claim.get("environment") or ""]
    told += [
        f"{sign} = {number(float(claim[key]))}"
        for sign, key in (("T", "horizon"), ("ε", "epsilon"))
        if claim.get(key)
    ]
    return ", ".join(filter(None, told))
