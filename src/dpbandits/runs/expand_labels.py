"""Families of environments and algorithms: one entry of a configuration that stands for all combinations of lists.

``k{arms}-gap{scale}: {kind: hardest-gap, arms: [2, 4], scale: [3, 10]}`` is four environments, k2-gap3, k2-gap10,
k4-gap3 and k4-gap10. A name in braces is a key at any depth of the entry, whose value is a list. In an experiment
the family's label stands for its members in this order.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from dpbandits.core.errors import BadInput, suggest, within

# What stands in a YAML file.
Content = dict[str, Any]

SECTIONS = ("environments", "algorithms")
BRACES = re.compile(r"\{([^{}]*)\}")


def spelled_out(content: Content) -> Content:
    """Return the content of a configuration file with the members of all families written out.

    A family is an entry of ``environments`` or ``algorithms`` whose label has names in braces. It stands for all
    combinations of the lists under these names. ``{"k{arms}": {"arms": [2, 4]}}`` becomes
    ``{"k{arms}": ("k2", "k4"), "k2": {"arms": 2}, "k4": {"arms": 4}}``: the family's entry names its members.

    Raises
    ------
    BadInput
        If a name in braces is not the key of one list in the entry, or a member has the label of something else.
    """
    return _each(content, "papers", lambda paper: _each_of(paper, SECTIONS, _with_members))


def without_families(content: Content) -> Content:
    """Return a configuration in which experiments name members of families, and the families are gone.

    A family is an entry whose label has names in braces, such as ``k{arms}``. ``content`` is the whole
    configuration; `spelled_out` has written out its families' members.

    Raises
    ------
    BadInput
        If an experiment names a family that is not there.
    """

    def without(section: Content) -> Content:
        return {label: entry for label, entry in section.items() if not _is_family(label)}

    def of_paper(paper: Content) -> Content:
        def of_experiment(experiment: Content) -> Content:
            lists = {key: names for key in SECTIONS if isinstance(names := experiment.get(key), list)}
            return experiment | {key: _members(key, names, paper.get(key)) for key, names in lists.items()}

        return _each_of(_each(paper, "experiments", of_experiment), SECTIONS, without)

    return _each(content, "papers", of_paper)


def _each_of(content: Content, keys: tuple[str, ...], change: Callable[[Content], Content]) -> Content:
    """Return a mapping with those of the keys changed whose values are mappings; others are refused elsewhere."""
    changed = dict(content)
    for key in keys:
        if isinstance(part := content.get(key), dict):
            with within(key):
                changed[key] = change(part)
    return changed


def _each(content: Content, key: str, change: Callable[[Content], Content]) -> Content:
    """Return a mapping in which each mapping below a key is changed."""
    return _each_of(content, (key,), lambda parts: _each_of(parts, tuple(parts), change))


def _is_family(label: object) -> bool:
    return isinstance(label, str) and BRACES.search(label) is not None


def _members(key: str, names: list[Any], section: object) -> list[Any]:
    """Return an experiment's list with members in place of families."""
    entries = section if isinstance(section, dict) else {}
    known = {label: entry for label, entry in entries.items() if _is_family(label)}
    found: list[Any] = []
    for i, name in enumerate(names):
        if _is_family(name) and name not in known:
            raise BadInput((key, i), name, suggest(name, known, empty="a label: there is no family"))
        found += known[name] if _is_family(name) else [name]
    return found


def _with_members(section: Content) -> Content:
    """Return a section's entries, families spelled out; those that are so already stay."""
    found: Content = {}
    for label, entry in section.items():
        members = {}
        if _is_family(label) and not isinstance(entry, tuple):
            with within(label):
                members = dict(_spelled_out(label, entry))
        for member in members:
            if member in section or member in found:
                raise BadInput(label, member, "members whose labels nothing else has")
        found |= {label: tuple(members) or entry, **members}
    return found


def _spelled_out(label: str, family: object) -> Iterator[tuple[str, object]]:
    """Yield the members of a family with their labels."""
    lists = {name: _list(name, family) for name in BRACES.findall(label)}
    for values in itertools.product(*lists.values()):
        own = dict(zip(lists, values, strict=True))
        member = label
        for name, value in own.items():
            member = member.replace(f"{{{name}}}", str(value))
        yield member, _replaced(family, own)


def _list(name: str, family: object) -> list[Any]:
    """Return the list of a name in braces."""
    found = list(_values(name, family))
    known = found[0] if len(found) == 1 and isinstance(found[0], list) else []
    if not known or len({str(value) for value in known if type(value) in (int, float, str)}) < len(known):
        raise BadInput((), f"{{{name}}}", "in braces a key of the entry, with a list of different numbers or names")
    return known


def _values(name: str, content: object) -> Iterator[object]:
    """Yield what a key has, wherever it is."""
    for key, part in content.items() if isinstance(content, dict) else ():
        if key == name:
            yield part
        yield from _values(name, part)


def _replaced(content: object, own: Content) -> object:
    """Return content with other values of some keys, wherever they are."""
    if not isinstance(content, dict):
        return content
    return {key: own[key] if key in own else _replaced(part, own) for key, part in content.items()}
