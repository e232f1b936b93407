"""Algorithms for readers: what a docstring says, and each line of a printed listing beside the line of ours."""

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
    """A printed line and ours.

    Attributes
    ----------
    printed
        Its number in the printed listing.
    words
        What it says, in our words.
    file, at, code
        Our file within the package, the line's number, and the line.
    """

    printed: int
    words: str
    file: str
    at: int
    code: str


class Described(NamedTuple):
    """An algorithm for readers.

    Attributes
    ----------
    name, title, setting
        Its id, its title, and the setting in words.
    does, source, deviations
        The docstring's parts; ``deviations`` may be empty.
    privacy, mechanism
        Definition and neighbours, in words; and why it holds, empty without privacy.
    listing
        The title of the printed listing, empty without one.
    lines
        Its lines.
    """

    name: str
    title: str
    setting: str
    does: str
    source: str
    privacy: str
    mechanism: str
    deviations: str
    listing: str
    lines: Sequence[Line]


def paragraphs(name: str) -> Mapping[str, str]:
    """Return a docstring's parts: ``""`` for what it does, then those that begin with a word and a colon."""
    text = inspect.getdoc(importlib.import_module(registry.module("algorithm", name))) or ""
    parts: dict[str, str] = {}
    head = ""
    for paragraph in filter(None, text.split("\n\n")):
        found = re.match(r"(Source|Privacy|Deviations):\s*(.*)", paragraph, re.DOTALL)
        head, body = (found[1], found[2]) if found else (head, paragraph)
        # What a docstring sets as code is code of a page, and a sentence begins with a capital.
        body = body[0].upper() + body[1:].replace("``", "`")
        parts[head] = f"{parts[head]}\n\n{body}" if head in parts else body
    return parts


@functools.cache
def pseudocode() -> Mapping[str, Any]:
    """Return the printed listings and our lines, of all papers."""
    files = sorted(ROOT.glob("papers/*/pseudocode.yaml"))
    return {
        name: listing
        for file in files
        for name, listing in yaml.safe_load(file.read_text(encoding="utf-8")).items()
    }


def line_of(package: Path, file: str, code: str) -> int:
    """Return the number of the line of a file of the package that is this code, or raise `ValueError`."""
    lines = [line.strip() for line in (package / file).read_text(encoding="utf-8").splitlines()]
    if code not in lines:
        raise ValueError(f"{file} has no line {code!r}")
    return lines.index(code) + 1


def listed(name: str) -> tuple[str, Sequence[Line]]:
    """Return the title of an algorithm's printed listing and its lines; an empty title if there is none."""
    for listing in pseudocode().values():
        if name in listing["algorithms"]:
            lines = [
                Line(at, words, file, line_of(ROOT, file, code), code) for at, words, file, code in listing["lines"]
            ]
            return listing["title"], lines
    return "", []


def described(name: str) -> Described:
    """Return an algorithm for readers."""
    declared, parts = registry.algorithm(name), paragraphs(name)
    title, lines = listed(name)
    privacy, mechanism = "None: it is a yardstick for those that have.", ""
    if declared.privacy is not None:
        privacy = f"{declared.privacy.name}; neighbours: {declared.privacy.neighbours}."
        mechanism = parts.get("Privacy", declared.privacy.mechanism)
    return Described(
        name=name,
        title=declared.title,
        setting=registry.setting("algorithm", name).replace("_", " "),
        does=parts.get("", declared.title),
        source=parts.get("Source", declared.source),
        privacy=privacy,
        mechanism=mechanism,
        deviations=parts.get("Deviations", ""),
        listing=title,
        lines=lines,
    )
