"""Descriptions of algorithms for readers, by docstrings; lines of papers' listings beside lines of our code."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dpbandits.core import registry
from dpbandits.core.provenance import ROOT


class Line(NamedTuple):
    """A line of a paper's printed pseudocode, and the line of our code that does it.

    Attributes
    ----------
    printed_line
        Number of the printed line, as the paper has it. Several lines of code may have the same.
    words
        The printed line in our words.
    file, line, code
        Our file within the package, the number of our line there, and its text.
    """

    printed_line: int
    words: str
    file: str
    line: int
    code: str


class AlgorithmDescription(NamedTuple):
    """Description of an algorithm for the site's page of algorithms.

    Attributes
    ----------
    name, title, setting
        Its id such as ``dp-imed``, its title, and its setting in words, such as ``full information``.
    summary, source, deviations
        Parts of its module's docstring: what it does, where it is from, and where our code deviates from that
        source (may be empty).
    privacy
        The definition of privacy, with neighbouring inputs, and why it holds; or words that there is none.
    audited
        Whether privacy is claimed, so that audits test it.
    listing_title
        Title of the pseudocode in the paper; empty without one.
    lines
        The lines of that pseudocode, each with the line of our code.
    example_call
        Lines of Python that play the algorithm round by round.
    """

    name: str
    title: str
    setting: str
    summary: str
    source: str
    privacy: str
    audited: bool
    deviations: str
    listing_title: str
    lines: Sequence[Line]
    example_call: Sequence[str]


# How a policy of each setting is made and called.
EXAMPLE_ARGUMENTS: Mapping[str, tuple[str, str, str]] = {
    "stochastic": ("arms=5", "policy.choose()", "policy.update(action, reward)  # in [0, 1]"),
    "adversarial": ("arms=5", "policy.choose()", "policy.update(action, loss)  # in [0, 1]"),
    "experts": ("arms=5, experts=3", "policy.choose(advice)", "policy.update(action, loss)  # in [0, 1]"),
    "full_information": ("arms=5", "policy.choose()", "policy.update(action, losses)  # of all actions, in [0, 1]"),
    "linear": ("actions=vectors", "policy.choose()", "policy.update(action, reward)"),
}
# The budget of such a policy, where it takes one.
BUDGET = 0.5


def example_calls(name: str) -> list[str]:
    """Return three lines of Python that show how a user plays an algorithm round by round.

    There are none for a setting that `EXAMPLE_ARGUMENTS` lacks.

    Examples
    --------
    >>> example_calls("dp-imed")[1:]
    ['action = policy.choose()', 'policy.update(action, reward)  # in [0, 1]']
    """
    size, choose, update = EXAMPLE_ARGUMENTS.get(registry.setting("algorithm", name), ("", "", ""))
    if not size:
        return []
    budget = f", epsilon={BUDGET:g}" if registry.algorithm(name).privacy else ""
    return [f'policy = dpbandits.policy("{name}", {size}{budget}, horizon=10**6)', f"action = {choose}", update]


# Where a sentence begins with such a word, it stays as it is: a paper's id, a letter of a formula.
_SMALL = re.compile(r"[a-z]+\d{4}\b|epsilon\b")


def _with_command_names(text: str) -> str:
    """Return a text in which algorithms have the names that commands take; their modules have underscores."""
    known = registry.modules("algorithm")

    def named(found: re.Match[str]) -> str:
        name = found[1].replace("_", "-")
        return f"`{name}`" if name in known else found[0]

    return re.sub(r"`(\w+)`", named, text)


def docstring_parts(name: str) -> Mapping[str, str]:
    """Return the parts of the docstring of an algorithm's module, by their headings.

    Headings are ``Source``, ``Privacy`` and ``Deviations``, as far as it has them. The text before them has the
    heading ``""``. ``name`` is the algorithm's, such as ``dp-imed``. Texts are changed for a page:

    - Code stands between single backticks, names of algorithms have hyphens, and ``_epsilon`` is ``_ε``.
    - A paragraph begins with a capital, unless it begins with a paper's id or ``epsilon``.
    - ``Privacy, as stated: ...`` becomes ``As stated: ...`` under the heading ``Privacy``.
    """
    text = inspect.getdoc(importlib.import_module(registry.module("algorithm", name))) or ""
    parts: dict[str, str] = {}
    head = ""
    for paragraph in filter(None, text.split("\n\n")):
        found = re.match(r"(Source|Privacy|Deviations)(, as stated|, each[^:]*)?:\s*(.*)", paragraph, re.DOTALL)
        if found:
            head, body = found[1], found[3] or "The register explains each:"
            body = f"As stated: {body}" if found[2] == ", as stated" else body
        else:
            body = paragraph
        # What a docstring sets as code is code of a page, and a sentence begins with a capital.
        body = _with_command_names(body.replace("``", "`")).replace("_epsilon", "_ε")
        body = body if _SMALL.match(body) else body[0].upper() + body[1:]
        parts[head] = f"{parts[head]}\n\n{body}" if head in parts else body
    return parts


@functools.cache
def pseudocode() -> Mapping[str, Any]:
    """Return the pseudocode listings that papers print, with lines of our code, by the listings' names.

    They are read from ``papers/*/pseudocode.yaml``. A listing has a ``title``, names of ``algorithms``, and
    ``lines``. A line is a list: the number of the printed line, that line in our words, our file below the package,
    and the text of our line.
    """
    files = sorted(ROOT.glob("papers/*/pseudocode.yaml"))
    return {
        name: listing
        for file in files
        for name, listing in yaml.safe_load(file.read_text(encoding="utf-8")).items()
    }


def line_number(package: Path, file: str, line_text: str) -> int:
    """Return the number, from 1, of the first line of a file that is ``line_text``.

    Blanks at the ends of lines do not count. ``file`` is the file's path below the folder ``package``.

    Raises
    ------
    ValueError
        If there is no such line.
    """
    lines = [line.strip() for line in (package / file).read_text(encoding="utf-8").splitlines()]
    if line_text not in lines:
        raise ValueError(f"{file} has no line {line_text!r}")
    return lines.index(line_text) + 1


def printed_listing(name: str) -> tuple[str, Sequence[Line]]:
    """Return title and lines of the pseudocode that a paper prints of an algorithm; both are empty without one.

    Each line is with the line of our code that does it. `ValueError` is raised if our code has no such line any
    more.
    """
    for listing in pseudocode().values():
        if name in listing["algorithms"]:
            lines = [
                Line(at, words, file, line_number(ROOT, file, code), code)
                for at, words, file, code in listing["lines"]
            ]
            return listing["title"], lines
    return "", []


def describe_algorithm(name: str) -> AlgorithmDescription:
    """Return the description of an algorithm, by its name, for the site's page of algorithms."""
    declared, parts = registry.algorithm(name), docstring_parts(name)
    title, lines = printed_listing(name)
    told = parts.get("Privacy", "")
    if declared.privacy is None:
        # The word "none" alone says less than this.
        privacy = told if len(told.split()) > 1 else "None: it is a yardstick for those that have."
    else:
        whose = f"{declared.privacy.name}; neighbours: {declared.privacy.neighbours}."
        # If the docstring has a part on privacy, that names definition and neighbours too.
        privacy = told or f"{whose} {declared.privacy.mechanism}"
    return AlgorithmDescription(
        name=name,
        title=declared.title,
        setting=registry.setting("algorithm", name).replace("_", " "),
        summary=parts.get("", declared.title),
        source=parts.get("Source", declared.source),
        privacy=privacy,
        audited=declared.privacy is not None,
        deviations=parts.get("Deviations", ""),
        listing_title=title,
        lines=lines,
        example_call=example_calls(name),
    )
