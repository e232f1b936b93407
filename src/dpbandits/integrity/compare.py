"""Differences of two finished runs, folders or crates, with their reasons: source, version, seed, configuration.

A crate is a zip file of a finished run. A seal is a JSON file beside others: their digests, and what they were made
from.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from dpbandits.core import escapes
from dpbandits.core.errors import BadInput
from dpbandits.publish.crate.digests import DAMAGE, METADATA
from dpbandits.runs.expand_labels import Content

# Columns of the ledger, and of the table of audits, that are compared, the most important first.
COMPARED = {"claims": ("verdict", "effect", "near_threshold", "runs"), "privacy": ("verdict", "audited", "witness")}
# Columns by which a row is named, and the kinds of a difference in the first compared column, and in another one.
NAME_COLUMNS = {"claims": ("paper", "id"), "privacy": ("algorithm", "base", "epsilon")}
KINDS = {"claims": ("verdict", "effect"), "privacy": ("audit", "audit")}
ABSENT = "not there"
# Largest table or seal that is read, in bytes: ours have a few MB at the most.
LARGEST = 16 * 2**20


class Difference(NamedTuple):
    """One difference between the results of two finished workflows.

    Attributes
    ----------
    kind
        What differs:

        - ``verdict``: the verdict on a claim;
        - ``effect``: what was measured for a claim, with how many runs, or whether the verdict is near a threshold,
          while the verdict is the same;
        - ``audit``: the result of a privacy audit;
        - ``figure``: the files of a figure.
    what
        The claim by paper and id, the audit by algorithm, base and budget, or the figure by paper, name and files:
        ``smith2026 fig4 (fig4.csv, fig4.pdf)``.
    first, second
        The differing values in the first and in the second workflow, as text. Of a claim or audit they are the
        first two columns that differ, of a figure the first eight digits of each differing file's digest. Where
        only one of the two has the claim, audit or figure, the other has ``not there``.
    reasons
        Reasons for the difference, such as ``version: numpy 2.1, 2.2``, as far as configurations and seals (the
        JSON files beside results) tell; may be empty.
    """

    kind: str
    what: str
    first: str
    second: str
    reasons: tuple[str, ...]


class MadeFrom(TypedDict, total=False):
    """Those parts of what a result, such as a figure, was made from that are compared between two workflows.

    Either key may be missing. ``definition`` is the result's part of the configuration. ``sources`` are the modules
    that made it, with a digest of each, as text: ``core.errors 1f2e3d4c, core.streams 5a6b7c8d``.
    """

    definition: object
    sources: str


class Seal(TypedDict, total=False):
    """The compared keys of a seal: the JSON file beside a result's files.

    They are digests by file, what the files were made from, versions by package, and the repository's commit, if
    any.
    """

    files: Mapping[str, str]
    made_from: MadeFrom
    versions: Mapping[str, str]
    commit: str


class Run:
    """The results of a finished workflow, in a folder or in a crate, the zip file of all results.

    Parameters
    ----------
    path
        A folder with ``config.json`` and ``claims.csv``, or the crate.

    Attributes
    ----------
    path
        The path that was given.
    configuration
        The saved configuration, as JSON data.

    Raises
    ------
    BadInput
        If ``path`` is neither.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results, self._figures = self._folders(path)
        for name in ("config.json", "claims.csv"):
            if not (self._results / name).is_file():
                raise BadInput(str(path), f"no {name}", "a finished run's folder of results, or its crate.zip")
        self.configuration: Content = json.loads(self._text("config.json"))["configuration"]

    @staticmethod
    def _folders(path: Path) -> tuple[Any, Any]:
        """Return the folders of results and of figures, in a crate or on the disk."""
        if path.is_file():
            try:
                inside = zipfile.Path(path)
                if not (inside / METADATA).is_file():
                    raise BadInput(str(path), "a zip file that is no crate", f"one with {METADATA}")
            except zipfile.BadZipFile:
                raise BadInput(str(path), "no zip file", "a crate, or a folder of results") from None
            return inside / "results", inside / "figures"
        saved = path / "config.json"
        if not saved.is_file():
            return path, path
        # The configuration has both folders, so it says where figures lie from the results on.
        folders = json.loads(_read(saved))["configuration"]["folders"]
        depth = len(Path(folders["results"]).parts)
        resolved = path.resolve()
        return path, resolved.parents[depth - 1] / folders["figures"]

    def _text(self, name: str) -> str:
        return _read(self._results / name)

    def table(self, name: str) -> dict[str, dict[str, str]]:
        """Return the rows of the table ``"claims"`` or ``"privacy"``, as text by column; empty without the table.

        Rows of claims are named by paper and id, such as ``smith2026 learns``. Those of audits are named by
        algorithm, base and budget, such as ``dp-imed 1.0``.
        """
        if not (self._results / f"{name}.csv").is_file():
            return {}
        rows = escapes.read_rows(io.StringIO(self._text(f"{name}.csv")))
        return {" ".join(filter(None, (row[key] for key in NAME_COLUMNS[name]))): row for row in rows}

    def figures(self) -> Mapping[str, Seal]:
        """Return the seal of each figure, the JSON file beside it, by paper and name, such as ``smith2026 fig4``.

        Figures that belong to no paper are keyed by their name alone.
        """
        found = {}
        for paper in [*self.configuration["papers"], ""]:
            folder = self._figures / paper if paper else self._figures
            if folder.is_dir():
                for file in folder.iterdir():
                    if file.name.endswith(".json") and file.is_file():
                        name = f"{paper} {file.name.removesuffix('.json')}".strip()
                        found[name] = json.loads(_read(file))
        return found

    def seal(self, name: str) -> Seal:
        """Return the seal of a result, the JSON file that says what it was made from; empty if there is none.

        ``name`` is the seal's path below the results folder, without suffix: ``privacy`` or
        ``smith2026/claims/learns``.
        """
        file = self._results / f"{name}.json"
        found: Seal = json.loads(_read(file)) if file.is_file() else {}
        return found


def _read(file: Any) -> str:
    """Return the text of a file of a folder or a crate; one that is larger than any of ours is refused."""
    with file.open("rb") as opened:
        content = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"{file.name} has more than {LARGEST} bytes")
    return str(content.decode("utf-8"))


def _changed_sources(first: str, second: str) -> list[str]:
    """Return the modules whose digests differ between two texts of sources."""
    one, other = (dict(entry.rsplit(" ", 1) for entry in text.split(", ") if entry) for text in (first, second))
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def reasons(first: Seal, second: Seal) -> list[str]:
    """Return why a result may differ between two workflows, in words, by its two seals; empty if these agree.

    A seal says what a result was made from. There are at most three reasons: ``source``, with the modules that
    changed, ``configuration``, and ``version``, with the versions of packages that differ.

    Examples
    --------
    >>> reasons({"versions": {"numpy": "2.1"}}, {"versions": {"numpy": "2.2"}})
    ['version: numpy 2.1, 2.2']
    """
    found = []
    made, other = first.get("made_from", {}), second.get("made_from", {})
    modules = _changed_sources(made.get("sources", ""), other.get("sources", ""))
    if modules:
        found.append(
            f"source: {', '.join(modules[:5])}" + (f" and {len(modules) - 5} more" if len(modules) > 5 else "")
        )
    if made.get("definition") != other.get("definition"):
        found.append("configuration")
    versions, others = first.get("versions", {}), second.get("versions", {})
    changed = sorted(name for name in versions.keys() | others.keys() if versions.get(name) != others.get(name))
    if changed:
        said = (f"{name} {versions.get(name, ABSENT)}, {others.get(name, ABSENT)}" for name in changed)
        found.append(f"version: {'; '.join(said)}")
    return found


def _configuration_differences(first: Run, second: Run, paper_id: str) -> list[str]:
    """Return in words the differences of two runs' configurations that concern a paper."""
    one, other = first.configuration, second.configuration
    found = []
    if one["root_seed"] != other["root_seed"]:
        found.append(f"seed: root seed {one['root_seed']}, {other['root_seed']}")
    # Where results lie and how jobs are cut changes no number.
    settings = (one.keys() | other.keys()) - {"root_seed", "folders", "papers", "seeds_per_job", "threads"}
    parts = [key for key in sorted(settings) if one.get(key) != other.get(key)]
    for paper in sorted({paper_id} & (one["papers"].keys() | other["papers"].keys())):
        mine, theirs = (run["papers"].get(paper, {}) for run in (one, other))
        parts += [
            f"{paper}.{key}" for key in sorted(mine.keys() | theirs.keys()) if mine.get(key) != theirs.get(key)
        ]
    return found + ([f"configuration: {', '.join(parts)}"] if parts else [])


def differences(first: Path, second: Path) -> list[Difference]:
    """Return the differences between the results of two finished workflows.

    They are sorted: verdicts, effects, audits, then figures, each by name. ``first`` and ``second`` are folders of
    results, or crates (zip files of all results). Figures are compared by the digests of their files. A figure
    counts as the same if only its pictures differ, because they carry another commit of the repository.

    Raises
    ------
    BadInput
        If a path holds no finished workflow, or a file in it is not built as we write it.
    """
    try:
        one, other = Run(first), Run(second)
        found = [*_table_differences(one, other), *_figure_differences(one, other)]
    except BadInput:
        raise
    except (*DAMAGE, AttributeError, RecursionError, csv.Error) as error:
        allowed = "two finished runs; `dpbandits verify` says which file is damaged"
        raise BadInput(f"{first}, {second}", f"{type(error).__name__}: {error}", allowed) from None
    order = ["verdict", "effect", "audit", "figure"]
    return sorted(found, key=lambda difference: (order.index(difference.kind), difference.what))


def _table_differences(first: Run, second: Run) -> Iterator[Difference]:
    """Yield claims and audits that differ, each with why it may."""
    for name, columns in COMPARED.items():
        one, other = first.table(name), second.table(name)
        for what in sorted(one.keys() | other.keys()):
            mine, theirs = one.get(what), other.get(what)
            paper = what.split()[0]
            sealed = f"{paper}/claims/{what.split()[1]}" if name == "claims" else name
            why = (
                *_configuration_differences(first, second, paper),
                *reasons(first.seal(sealed), second.seal(sealed)),
            )
            if mine is None or theirs is None:
                left, right = (ABSENT if row is None else str(row["verdict"]) for row in (mine, theirs))
                yield Difference(KINDS[name][0], what, left, right, why)
                continue
            differing = [column for column in columns if mine[column] != theirs[column]]
            if differing:
                kind = KINDS[name][0 if differing[0] == "verdict" else 1]
                left, right = (", ".join(row[column] for column in differing[:2]) for row in (mine, theirs))
                yield Difference(kind, what, left, right, why)


def _figure_differences(first: Run, second: Run) -> Iterator[Difference]:
    """Yield figures whose files differ, each with why they may."""
    one, other = first.figures(), second.figures()
    for what in sorted(one.keys() | other.keys()):
        mine, theirs = one.get(what), other.get(what)
        of_runs = _configuration_differences(first, second, what.split()[0])
        if mine is None or theirs is None:
            left, right = (ABSENT if seal is None else "there" for seal in (mine, theirs))
            yield Difference("figure", what, left, right, tuple(of_runs))
        elif mine["files"] != theirs["files"]:
            names = sorted(
                name
                for name in mine["files"].keys() | theirs["files"].keys()
                if mine["files"].get(name) != theirs["files"].get(name)
            )
            # A picture carries the repository's commit, so at another commit it has other bytes.
            same = all(mine.get(key) == theirs.get(key) for key in ("made_from", "versions"))
            if same and mine.get("commit") != theirs.get("commit") and all(map(_is_picture, names)):
                continue
            left, right = (
                ", ".join(str(seal["files"][name])[:8] if name in seal["files"] else ABSENT for name in names)
                for seal in (mine, theirs)
            )
            why = tuple(of_runs + reasons(mine, theirs))
            yield Difference("figure", f"{what} ({', '.join(names)})", left, right, why)


def _is_picture(name: str) -> bool:
    return name.endswith((".pdf", ".png"))


def _reasons_in_words(difference: Difference) -> str:
    return "; ".join(difference.reasons) or "not told by the seals: what it reads"


def text(differences_found: Iterable[Difference]) -> str:
    """Return differences as text for a terminal; the last line counts them by kind, or says that there are none.

    Each difference has four lines: kind and name, both values, and the reasons.
    """
    differences_found = list(differences_found)
    lines = [
        f"{each.kind:8} {each.what}\n{'':9}{each.first}\n{'':9}{each.second}\n{'':9}why: {_reasons_in_words(each)}"
        for each in differences_found
    ]
    return "\n".join([*lines, _summary(differences_found)])


def markdown(differences_found: Iterable[Difference], first: str, second: str) -> str:
    """Return differences as a table in Markdown, and below it a line that counts them by kind.

    A row has kind, name, both values and the reasons. Without differences there is no table; the line says so.

    Parameters
    ----------
    differences_found
        The differences.
    first, second
        Names of the two runs in the table's head.
    """
    differences_found = list(differences_found)
    head = [f"| | what | {first} | {second} | why |", "|---|---|---|---|---|"]
    rows = [
        "| " + " | ".join(cell.replace("|", r"\|") for cell in (*each[:4], _reasons_in_words(each))) + " |"
        for each in differences_found
    ]
    return "\n".join([*(head + rows if rows else []), "", _summary(differences_found)])


def _summary(found: list[Difference]) -> str:
    counts = Counter(each.kind for each in found)
    if not found:
        return "the same: verdicts, effects, audits and figures"
    return "differ: " + ", ".join(f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in counts.items())
