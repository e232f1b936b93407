"""Tables of `dpbandits list`, which can be filtered, and its description of one algorithm or environment."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tabulate

from dpbandits.claims.declarations import claim_test
from dpbandits.cli.commands.arguments import names, settings
from dpbandits.core import declarations, registry
from dpbandits.core.errors import BadInput, suggest, within
from dpbandits.core.files import Json
from dpbandits.notebook.described import algorithm

# The filter's word for algorithms without a claim of privacy.
NO_PRIVACY = "none"
PRIVACIES = ("pure", "approximate", "local", NO_PRIVACY)
CONFIGURED_KINDS = {"computations": "computation", "figures": "figure", "tables": "table"}


class Filters(NamedTuple):
    """Filters of ``dpbandits list``: an entry is listed if it has every value that is set; ``None`` is not set.

    Kinds without such a value are not listed at all: ``setting`` leaves only algorithms and environments, and
    ``privacy`` only algorithms.

    Attributes
    ----------
    setting
        Name of a setting, such as ``"stochastic"``.
    paper
        A paper's id, such as ``"smith2026"``, which an algorithm's source names. Computations, certificates, and
        kinds of figures and tables have it if their file is in the paper's folder.
    privacy
        Definition of an algorithm's privacy: ``"pure"``, ``"approximate"``, ``"local"`` or ``"none"``.
    """

    setting: str | None = None
    paper: str | None = None
    privacy: str | None = None

    def check(self) -> None:
        """Raise `BadInput` for an unknown setting, paper or privacy; the error names the option: ``--setting``."""
        known: Mapping[str, Sequence[str]] = {
            "setting": settings(),
            "paper": list(registry.papers()),
            "privacy": PRIVACIES,
        }
        for name, value in self._asdict().items():
            with within(f"--{name}"):
                if value is not None and value not in known[name]:
                    raise BadInput((), value, suggest(value, known[name]))

    def matches(self, **facts: str) -> bool:
        """Tell whether an entry is listed that has these values, such as ``setting="linear", privacy="pure"``.

        Names are those of the attributes. A value may be several words, such as the ids of an algorithm's two
        papers; then one of them has to be the filter's.
        """
        return all(value is None or value in facts.get(name, "").split() for name, value in self._asdict().items())


def inventory(filters: Filters | None = None) -> Json:
    """Return the entries that `dpbandits list` shows, as JSON data by kind and name; without filters, all.

    - ``papers`` have ``title``, ``authors`` and ``year``.
    - ``algorithms`` have ``setting``, ``title``, ``source``, ``decides`` (in batches or rounds), ``privacy`` (a
      mapping, or ``None``), ``bases``, ``parameters`` and ``deviations``. Those that cannot be imported are left
      out.
    - ``environments`` have ``setting``, ``title`` and ``parameters``, in words by name.
    - ``computations``, kinds of ``figures`` and ``tables``, and ``tests of claims`` are each a title.
    - ``certificates`` are a list of names.
    """
    fits = (filters or Filters()).matches
    return {
        "papers": {name: about for name, about in registry.papers().items() if fits(paper=name)},
        "algorithms": {
            name: {"setting": registry.setting("algorithm", name), **registry.algorithm(name).declaration()}
            for name in registry.importable("algorithm")
            if fits(**_filtered_values(name))
        },
        "environments": {
            name: {
                "setting": registry.setting("environment", name),
                "title": registry.environment(name).title,
                "parameters": dict(registry.environment(name).parameters),
            }
            for name in registry.modules("environment")
            if fits(setting=registry.setting("environment", name))
        },
        **{
            kinds: {
                name: _titled(kind, name)
                for name in registry.modules(kind)
                if fits(paper=registry.module(kind, name).split(".")[2])
            }
            for kinds, kind in CONFIGURED_KINDS.items()
        },
        # By name alone: to read a title is to import what it computes with, which need not be installed.
        "certificates": [
            name
            for name in registry.modules("certificate")
            if fits(paper=registry.module("certificate", name).split(".")[2])
        ],
        "tests of claims": {name: claim_test(name).title for name in registry.modules("test") if fits()},
    }


def _filtered_values(name: str) -> dict[str, str]:
    """Return an algorithm's setting, papers and definition of privacy, as `Filters.matches` takes them."""
    declared = registry.algorithm(name)
    # A source is a sentence that has papers' names in it.
    papers = [paper for paper in registry.papers() if paper in declared.source]
    return {
        "setting": registry.setting("algorithm", name),
        "paper": " ".join(papers),
        "privacy": NO_PRIVACY if declared.privacy is None else declared.privacy.definition,
    }


def _titled(kind: str, name: str) -> str:
    """Return the title of a computation, a kind of figure or a table."""
    read: Mapping[str, Callable[[object], Any]] = {
        "computation": declarations.computation,
        "figure": declarations.figure,
        "table": declarations.table,
    }
    return str(read[kind](name).title)


def listing(filters: Filters | None = None) -> str:
    """Return what `dpbandits list` prints: a table for each kind with entries that pass the filters.

    If no entry passes, it is ``nothing fits``.
    """
    content = inventory(filters)
    privacy = {name: entry["privacy"] for name, entry in content["algorithms"].items()}
    tables: dict[str, tuple[list[str], list[list[str]]]] = {
        "papers": (
            ["name", "authors", "title"],
            [[name, about["authors"], about["title"]] for name, about in content["papers"].items()],
        ),
        "algorithms": (
            ["name", "setting", "privacy", "source"],
            [
                [
                    name,
                    entry["setting"],
                    privacy[name]["definition"] if privacy[name] else NO_PRIVACY,
                    entry["source"],
                ]
                for name, entry in content["algorithms"].items()
            ],
        ),
        "environments": (
            ["name", "setting", "title"],
            [[name, entry["setting"], entry["title"]] for name, entry in content["environments"].items()],
        ),
        **{
            kinds: (["name", "title"], [[name, title] for name, title in content[kinds].items()])
            for kinds in (*CONFIGURED_KINDS, "tests of claims")
        },
        "certificates": (["name"], [[name] for name in content["certificates"]]),
    }
    parts = [
        f"{kinds}\n{tabulate.tabulate(rows, heads, tablefmt='simple', disable_numparse=True)}"
        for kinds, (heads, rows) in tables.items()
        if rows
    ]
    return "\n\n".join(parts) if parts else "nothing fits"


def describe(name: str) -> str:
    """Return a description of the algorithm, environment or entries of the configuration that have this name.

    Entries of the configuration are looked for if no algorithm or environment has the name. If nothing has it
    exactly, case, hyphens and underscores are ignored, and titles of algorithms and environments count as names.

    Raises
    ------
    BadInput
        If nothing has this name.
    """
    parts = _declared(name)
    if not parts:
        # Reading the configuration takes longer than all else here: its module is imported where it is needed.
        from dpbandits.cli import exhibits

        known = exhibits.configuration()
        spelled = _spellings([*names(), *exhibits.names(known)])
        meant = spelled.get(_letters_and_digits(name), [])
        parts = exhibits.describe(name, known) or [
            part for each in meant for part in (*_declared(each), *exhibits.describe(each, known))
        ]
        if not parts:
            near = [spelled[each][0] for each in difflib.get_close_matches(_letters_and_digits(name), spelled, 3)]
            words = f" (did you mean {' or '.join(map(repr, dict.fromkeys(near)))}?)" if near else ""
            raise BadInput("NAME", name, f"a name that `dpbandits list` or the configuration has{words}")
    return "\n\n".join(parts)


def _declared(name: str) -> list[str]:
    """Return descriptions of the algorithm and of the environment with a name, as far as they exist."""
    parts = []
    if name in registry.modules("algorithm"):
        parts.append("\n".join(algorithm(name).lines("--param ")))
    if name in registry.modules("environment"):
        declared = registry.environment(name)
        lines = [f"{name}: {declared.title} ({registry.setting('environment', name)})"]
        parts.append("\n".join([*lines, *(f"    {key}: {text}" for key, text in declared.parameters.items())]))
    return parts


def _letters_and_digits(text: str) -> str:
    """Return letters and digits alone, in lower case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _spellings(known: Sequence[str]) -> dict[str, list[str]]:
    """Return names by their bare spelling and, of algorithms and environments, by that of their titles."""
    titled = {
        **{name: registry.algorithm(name).title for name in registry.importable("algorithm")},
        **{name: registry.environment(name).title for name in registry.importable("environment")},
    }
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in known:
        for spelling in {_letters_and_digits(name), _letters_and_digits(titled.get(name, name))}:
            found[spelling].append(name)
    return dict(found)
