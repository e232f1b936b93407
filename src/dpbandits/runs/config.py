"""The configuration: files are read, laid over one another, and checked before any work starts.

What is wrong is said in one line: the file that the value comes from, the key path, the value, what is allowed.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from dpbandits.core import declarations, registry
from dpbandits.core.errors import BadInput, Keys, suggest, within
from dpbandits.core.fields import Tuning
from dpbandits.runs import expand_labels, folders, plan
from dpbandits.runs.expand_labels import Content
from dpbandits.runs.models import Audits, Config, Exhibit, Paper
from dpbandits.runs.safe_yaml import read
from dpbandits.runs.values import LONGEST_HORIZON, Model

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# What lies in a paper's folder: its section of the configuration, its claims, its part of the register, its words.
EXPERIMENTS = "experiments.yaml"
COMPANIONS = {"claims": "claims.yaml", "discrepancies": "discrepancies.yaml", "words": "paper.yaml"}
# A tuning at which every algorithm can be.
ANYWHERE = Tuning(horizon=LONGEST_HORIZON, arms=2, epsilon=0.5, experts=2)
WORDS = {
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "invalid_key": "a key that is text",
    "missing": "a mapping with the key {key!r}",
    "greater_than": "a number > {gt}",
    "greater_than_equal": "a number >= {ge}",
    "less_than": "a number < {lt}",
    "less_than_equal": "a number <= {le}",
    "finite_number": "a finite number",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_too_short": "text that is not empty",
}
T = TypeVar("T")


class Layer(NamedTuple):
    """One of the sources of a configuration, which are laid over one another: a file, or the command line.

    Attributes
    ----------
    name
        Name of the file, or of the other source, ``--config``.
    content
        Content of the source. That of a paper's file is put below the keys ``papers`` and the paper's id.
    paper
        Id of the paper whose file this is; empty for other sources.
    """

    name: str
    content: Any
    paper: str = ""

    def depth(self, path: Keys) -> int:
        """Return how much of a key path the content has: the number of its first keys that lead somewhere."""
        return len(_there(path, self.content)[0])

    def inside(self, path: Keys) -> Keys:
        """Return a key path of the whole configuration as it stands in this file.

        In a paper's file it stands without the first two keys, ``papers`` and the paper's id.
        """
        return path[2:] if path[:2] == ("papers", self.paper) else path


def shipped(folder: Path) -> list[Path]:
    """Return the files of a folder of configuration: ``config.yaml``, and each ``<paper>/experiments.yaml``."""
    return [folder / "config.yaml", *sorted(folder.glob(f"*/{EXPERIMENTS}"))]


def load(files: Sequence[Path], given: Content | None = None) -> Config:
    """Return the configuration of files, later ones laid over earlier ones, checked and complete.

    Parameters
    ----------
    files
        Paths. A file ``<paper>/experiments.yaml`` is the section of that paper; others have the keys of the whole.
    given
        Content that the command line adds, laid over the files.

    Raises
    ------
    BadInput
        For the first fault that is found.
    """
    return planned(files, given)[0]


def planned(files: Sequence[Path], given: Content | None = None) -> tuple[Config, plan.Cells]:
    """Return the checked configuration and its cells, or raise `BadInput` for the first fault.

    A cell is an algorithm in one environment at one budget and horizon. The cells are keyed by (paper, experiment),
    then by (algorithm, environment, horizon, epsilon), all text. Later ``files`` are laid over earlier ones, and
    ``given``, the content that the command line adds, over all of them.
    """
    layers = [_layer(file) for file in files]
    if given:
        layers.append(Layer("--config", given))
    merged: Content = {}
    for layer in layers:
        merged = _laid_over(merged, layer.content)
    with placed(layers):
        config = checked(merged)
        own = shipped(files[0].parent) if files else []
        # Snakemake makes paths absolute. Relative ones give a copy of the project in another folder the same pages.
        here = Path.cwd()
        given_by = (
            file.relative_to(here) if file.is_relative_to(here) else file for file in files if file not in own
        )
        config.note_configfiles(tuple(map(str, given_by)))
        folders.check(config.folders)
        return config, plan.all_cells(config)


def checked(content: Content) -> Config:
    """Return ``content`` as a configuration, families spelled out and defaults filled in, or raise `BadInput`.

    A family is an environment or algorithm whose label has braces: an entry for each combination of listed values.
    Parameters of environments are not checked here, nor whether budgets, horizons and parameters suit an algorithm
    in an environment. `dpbandits.runs.plan.all_cells` checks these when it plans the runs.
    """
    config = conforming(Config, _titled(expand_labels.without_families(expand_labels.spelled_out(content))))
    for name, paper in config.papers.items():
        with within("papers", name):
            _check_meaning(paper)
    _check_privacy(config.privacy)
    known = [f"{name}/{experiment}" for name, paper in config.papers.items() for experiment in paper.experiments]
    for each in config.seeds_per_job.experiments:
        # A paper whose folder is not there is not run.
        if each not in known and each.split("/")[0] in config.papers:
            raise BadInput(("seeds_per_job", "experiments"), each, suggest(each, known))
    return config


def text(config: Config) -> str:
    """Return the configuration as JSON text, for saving with results."""
    return config.model_dump_json(indent=2)


@contextlib.contextmanager
def placed(layers: Sequence[Layer]) -> Iterator[None]:
    """Make a `BadInput` that is raised in a ``with`` block name the file that the faulty value comes from.

    Of ``layers``, the sources of a configuration, it is the one that has most of the error's key path; of equal
    ones it is the last, which counts.
    """
    try:
        yield
    except BadInput as fault:
        if not layers:
            raise
        # ``max`` takes the first of equal ones; the layers are reversed, so that it is the last of them.
        path = fault.path
        deepest = max(reversed(layers), key=lambda layer: layer.depth(path))
        fault.file, fault.path = deepest.name, deepest.inside(path)
        raise


def conforming(kind: type[T], content: object) -> T:
    """Return data from YAML as an object of ``kind``: a pydantic model, or a list or mapping of models.

    `BadInput` is raised for the first fault, such as an unknown key, a wrong type, or a date, which JSON lacks.
    """
    try:
        found: T = TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        # The shallowest error says most: under a wrong section name all keys are wrong.
        raise _explained(min(error.errors(), key=lambda fault: len(fault["loc"])), content) from None
    _refuse_what_is_not_data(content)
    return found


def _explained(fault: ErrorDetails, content: object) -> BadInput:
    """Return one of pydantic's errors as what is wrong, where in ``content``, and what is allowed."""
    kind, loc, value, context = fault["type"], fault["loc"], fault["input"], fault.get("ctx", {})
    if loc[-1:] == ("[key]",):
        return BadInput(_there(loc[:-2], content)[0], value, _words(kind, value, context))
    path, there = _there(loc, content)
    if kind == "invalid_key":
        return BadInput(path[:-1], loc[-1], WORDS[kind])
    inner = context.get("error")
    if isinstance(inner, ValidationError):
        # Of what is read by a model of its own, such as a grid.
        inner = _explained(inner.errors()[0], there)
    if isinstance(inner, BadInput):
        return BadInput((*path, *inner.path), inner.value, inner.allowed)
    return BadInput(path, there, _words(kind, there, {**context, "key": loc[-1] if loc else ""}))


def _there(loc: Keys, content: object) -> tuple[Keys, object]:
    """Return as much of a path as was written, with its value: one number may stand where a model sees a list."""
    path: Keys = ()
    for key in loc:
        parts = dict(enumerate(content)) if isinstance(content, list) else content
        if not isinstance(parts, dict) or key not in parts:
            break
        content = parts[key]
        path += (key,)
    return path, content


def _words(kind: str, value: object, context: Mapping[str, object]) -> str:
    """Return in words what is allowed where pydantic found a fault."""
    if kind == "too_short":
        least = context["min_length"]
        return f"at least {least} entry" if context["field_type"] == "Dictionary" else f"a list of at least {least}"
    if kind == "literal_error":
        return suggest(value, re.findall(r"'([^']*)'", str(context["expected"])))
    numbers = {key: int(n) if isinstance(n, float) and n.is_integer() else n for key, n in context.items()}
    return WORDS[kind].format(**numbers)


def _refuse_what_is_not_data(value: object) -> None:
    """Raise `BadInput` for what YAML can say and JSON cannot: numbers that are not finite, dates, bytes."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict) and not isinstance(key, str):
                raise BadInput((), key, WORDS["invalid_key"])
            with within(key):
                _refuse_what_is_not_data(part)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise BadInput((), value, WORDS["finite_number"])
    elif not isinstance(value, str | int | None):
        raise BadInput((), value, "a number, text, true or false, a list or a mapping")


def _titled(content: Content) -> Content:
    """Return the configuration with title, authors and year of papers that have a package and are given none."""
    papers, known = content.get("papers"), registry.papers()
    if not isinstance(papers, dict):
        return content
    titled = {
        name: {**known[name], **paper} if name in known and isinstance(paper, dict) else paper
        for name, paper in papers.items()
    }
    return {**content, "papers": titled}


def _check_privacy(audits: Audits) -> None:
    """Check that every algorithm can be audited at the budgets that its claim covers, and at the delta."""
    if not audits.epsilons:
        return
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            continue
        for i, epsilon in enumerate(audits.epsilons):
            if epsilon <= declared.privacy.at_most:
                with within("privacy", "epsilons", i):
                    declared.check_epsilon(epsilon)
        if declared.privacy.definition == "approximate":
            with within("privacy"):
                declared.resolve({"delta": audits.delta}, ANYWHERE)


def check_names(entry: Model, key: str, known: Collection[str]) -> None:
    """Raise `BadInput` for the first name that is not ``known``, of the list ``key`` in the model ``entry``."""
    for i, name in enumerate(getattr(entry, key)):
        if name not in known:
            raise BadInput((key, i), name, suggest(name, known))


def _check_meaning(paper: Paper) -> None:
    """Check of one paper what models cannot say: names, files and parameters that must exist."""
    for label, entry in paper.algorithms.items():
        with within("algorithms", label):
            with within(*(["algorithm"] if entry.algorithm else [])):
                declared = registry.algorithm(paper.algorithm(label))
            # Of a label that no experiment uses, at least what does not depend on the tuning is checked.
            with within("parameters"):
                declared.resolve(entry.parameters, ANYWHERE)
    for name, experiment in paper.experiments.items():
        with within("experiments", name):
            check_names(experiment, "algorithms", paper.algorithms)
            check_names(experiment, "environments", paper.environments)
    for name, computation in paper.computations.items():
        with within("computations", name):
            with within("compute"):
                computed = declarations.computation(computation.compute)
            with within("parameters"):
                computed.resolve(computation.parameters)
            check_names(computation, "experiments", paper.experiments)
            if computed.reads_runs != bool(computation.experiments):
                allowed = (
                    "at least one experiment" if computed.reads_runs else f"none: {computed.title} reads no runs"
                )
                raise BadInput("experiments", computation.experiments, allowed)
    stems: dict[str, str] = {}
    for name, figure in paper.figures.items():
        with within("figures", name):
            with within("draw"):
                drawn = declarations.figure(figure.draw)
            _check_shown(figure, drawn, paper)
            for version in figure.versions:
                stem = plan.FigureFile(name, version).stem
                if stem in stems:
                    raise BadInput((), stem, f"a name that no version of {stems[stem]} has")
                stems[stem] = name
    for name, table in paper.tables.items():
        with within("tables", name):
            with within("make"):
                made = declarations.table(table.make)
            _check_shown(table, made, paper)
    for key in COMPANIONS:
        file = getattr(paper, key)
        if file is not None and not _is_file(Path(file)):
            raise BadInput(
                key, file, "a file, beside the configuration that names it or from the working directory on"
            )


def _check_shown(shown: Exhibit, kind: declarations.FigureKind | declarations.Table, paper: Paper) -> None:
    with within("options"):
        kind.resolve(shown.options)
    check_names(shown, "experiments", paper.experiments)
    check_names(shown, "computations", paper.computations)


def _layer(file: Path) -> Layer:
    """Return a file as a layer; of a paper's, with the files that lie beside it."""
    content = read(file)
    if file.name != EXPERIMENTS:
        with placed([Layer(str(file), content)]):
            return Layer(str(file), expand_labels.spelled_out(_beside(file, content)))
    paper = file.parent.name
    beside = {key: file.with_name(name) for key, name in COMPANIONS.items()}
    section = {name: str(path) for name, path in beside.items() if path.is_file()} | content
    content = {"papers": {paper: section}}
    with placed([Layer(str(file), content, paper)]):
        return Layer(str(file), expand_labels.spelled_out(content), paper)


def _beside(file: Path, content: Content) -> Content:
    """Return a configuration in which the files that its papers name are those beside it, where they are there."""
    papers = content.get("papers")
    if not isinstance(papers, dict):
        return content
    found = {}
    for name, paper in papers.items():
        named = {key: paper[key] for key in COMPANIONS if key in paper} if isinstance(paper, dict) else {}
        there = {
            key: str(file.parent / of)
            for key, of in named.items()
            if isinstance(of, str) and _is_file(file.parent / of)
        }
        found[name] = {**paper, **there} if there else paper
    return {**content, "papers": found}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # A name of too many letters, or one that no file can have.
        return False


def _laid_over(below: Content, above: Content) -> Content:
    """Return ``below`` with ``above`` laid over it, mappings key by key: what Snakemake does."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = _laid_over(result[key], value) if both else value
    return result
