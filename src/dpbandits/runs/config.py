"""The configuration: read, completed with the schema's defaults, and checked before any work starts."""

from __future__ import annotations

import contextlib
import copy
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from dpbandits.core import exhibit, registry
from dpbandits.core.algorithm import Setting
from dpbandits.core.errors import BadInput, suggest
from dpbandits.runs import plan

Config = dict[str, Any]
# A setting in which every algorithm can be.
ANYWHERE = Setting(horizon=2**52, arms=2, epsilon=0.5, experts=2)


def checked(config: Mapping[str, Any], schema: Mapping[str, Any], files: Sequence[Path] = ()) -> Config:
    """Return the configuration with defaults filled in, or raise `BadInput`.

    Parameters
    ----------
    config
        As read from YAML, later files already laid over earlier ones.
    schema
        JSON schema, draft 2020-12.
    files
        The files it was read from, in order; error messages name the one that a value comes from.

    Raises
    ------
    BadInput
        For the first thing found wrong, first by the schema, then by meaning. It names the file, the key
        path, the value and what is allowed.
    """
    # Snakemake has read them already, but not for this.
    for file in files:
        read(file)
    with placed(files):
        complete = conforming(config, schema)
        for paper in complete["papers"]:
            _check_meaning(complete, paper)
        _check_privacy(complete["privacy"])
    return complete


@contextlib.contextmanager
def placed(files: Sequence[Path]) -> Iterator[None]:
    """Make errors name the file, of ``files``, that a value comes from."""
    try:
        yield
    except BadInput as fault:
        raise BadInput(_place(fault.where, files), fault.value, fault.allowed) from None


def conforming(content: Mapping[str, Any], schema: Mapping[str, Any]) -> Config:
    """Return content with the defaults of its schema filled in, or raise `BadInput` if it does not conform."""
    error = best_match(Draft202012Validator(schema).iter_errors(content))
    if error is not None:
        raise _explained(error)
    _refuse_unbounded(content, ())
    complete: Config = _completed(copy.deepcopy(dict(content)), schema, schema)
    return complete


def _refuse_unbounded(value: Any, path: tuple[str | int, ...]) -> None:
    """Raise `BadInput` for a number that is not finite: to a schema, NaN is in every range."""
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(_dotted(path), value, "a finite number")
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        _refuse_unbounded(part, (*path, key))


def _place(where: str, files: Sequence[Path]) -> str:
    """Return ``file: key.path``, with the last of ``files`` that has the key, or its nearest parent."""
    depths = [(_depth(where, read(file)), file) for file in files]
    if not depths:
        return where
    deepest = max(depth for depth, _ in depths)
    return f"{[file for depth, file in depths if depth == deepest][-1]}: {where}"


def _depth(where: str, content: Any) -> int:
    """Return how many keys of the path ``where`` exist in ``content``; keys may contain dots."""
    if isinstance(content, list):
        content = {str(i): item for i, item in enumerate(content)}
    if not isinstance(content, dict):
        return 0
    below = (
        1 + _depth(where[len(key) + 1 :], content[key]) for key in content if f"{where}.".startswith(f"{key}.")
    )
    return max(below, default=0)


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path)) or "(top level)"


def _explained(error: ValidationError) -> BadInput:
    """Return a schema error as what is wrong, where, and what is allowed."""
    path = list(error.absolute_path)
    rule: Any = error.validator_value
    value: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties":
        known = schema["properties"]
        extra = next(key for key in value if key not in known)
        return BadInput(_dotted([*path, extra]), value[extra], suggest(extra, known))
    if error.validator == "required":
        missing = next(key for key in rule if key not in value)
        return BadInput(_dotted(path), value, f"a mapping with the key {missing!r}")
    kinds = rule if isinstance(rule, list) else [rule]
    words = {
        "type": " or ".join(f"an {kind}" if str(kind)[0] in "aeiou" else f"a {kind}" for kind in kinds),
        "minimum": f"a number >= {rule}",
        "maximum": f"a number <= {rule}",
        "exclusiveMinimum": f"a number > {rule}",
        "exclusiveMaximum": f"a number < {rule}",
        "enum": f"one of {rule}",
        "pattern": f"text that matches {rule}",
        "minItems": f"a list of at least {rule}",
        "minProperties": f"at least {rule} entry",
        "minLength": "text that is not empty",
        "uniqueItems": "a list without repetitions",
        "oneOf": "a list of numbers > 0, or a grid {first, last, number}",
    }
    return BadInput(_dotted(path), value, words.get(str(error.validator), error.message))


def _completed(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return ``value`` with the defaults of ``schema`` filled in at every depth, and 2.0 as 2 for an integer."""
    schema = _followed(schema, root)
    for choice in schema.get("oneOf", []):
        if Draft202012Validator(choice).is_valid(value):
            schema = choice
    # To a schema 2.0 is an integer, to Python it is none.
    if isinstance(value, float) and "integer" in schema.get("type", ()):
        return int(value)
    if isinstance(value, dict):
        known = {key: _followed(part, root) for key, part in schema.get("properties", {}).items()}
        for key, part in known.items():
            if key not in value and "default" in part:
                value[key] = copy.deepcopy(part["default"])
        others = schema.get("additionalProperties")
        for key in value:
            part = known.get(key, others if isinstance(others, dict) else {})
            value[key] = _completed(value[key], part, root)
    if isinstance(value, list) and "items" in schema:
        return [_completed(item, schema["items"], root) for item in value]
    return value


def _followed(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a ``$ref`` stands for."""
    if "$ref" not in schema:
        return schema
    definition: Mapping[str, Any] = root["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    return definition


def _check_privacy(section: Mapping[str, Any]) -> None:
    """Check that every algorithm can be audited at the budgets that its claim covers, and at the delta."""
    if not section["epsilons"]:
        return
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            continue
        for i, epsilon in enumerate(section["epsilons"]):
            if epsilon <= declared.privacy.at_most:
                declared.check_epsilon(epsilon, f"privacy.epsilons.{i}")
        if declared.privacy.definition == "approximate":
            declared.resolve({"delta": section["delta"]}, ANYWHERE, "privacy")


def _check_meaning(config: Config, paper: str) -> None:
    """Check of one paper what a schema cannot say: names that must exist, budgets, horizons."""
    content = config["papers"][paper]

    def check_labels(where: str, labels: Iterable[object], known: Collection[str]) -> None:
        for i, label in enumerate(labels):
            if label not in known:
                raise BadInput(f"{where}.{i}", label, suggest(label, known))

    for label, entry in content["algorithms"].items():
        _, algorithm = plan.algorithm_of(config, paper, label)
        # Of a label that no experiment uses, at least what does not depend on the setting is checked.
        algorithm.resolve(entry["parameters"], ANYWHERE, f"papers.{paper}.algorithms.{label}.parameters")
    for label, entry in content["environments"].items():
        where = f"papers.{paper}.environments.{label}"
        place = registry.environment(entry["kind"], f"{where}.kind")
        place.check({key: value for key, value in entry.items() if key != "kind"}, where)
    for name, experiment in content["experiments"].items():
        where = f"papers.{paper}.experiments.{name}"
        for kind in ("algorithms", "environments"):
            check_labels(f"{where}.{kind}", experiment[kind], content[kind])
        for cell in plan.cells(config, paper, name):
            arms = registry.environment(cell.job.environment["kind"]).arms(cell.job.environment)
            if cell.job.horizon < arms:
                raise BadInput(f"{where}.horizon", cell.job.horizon, f"at least {arms}, the number of arms")
    for name, computation in content["computations"].items():
        where = f"papers.{paper}.computations.{name}"
        declared = exhibit.computation(computation["compute"], f"{where}.compute")
        declared.resolve(computation["parameters"], f"{where}.parameters")
        check_labels(f"{where}.experiments", computation["experiments"], content["experiments"])
        if declared.reads_runs != bool(computation["experiments"]):
            allowed = "at least one experiment" if declared.reads_runs else f"none: {declared.title} reads no runs"
            raise BadInput(f"{where}.experiments", computation["experiments"], allowed)
    stems: dict[str, str] = {}
    for file in plan.figure_files({"papers": {paper: content}}):
        if file.stem in stems:
            where = f"papers.{paper}.figures.{file.figure}"
            raise BadInput(where, file.stem, f"a name that no version of {stems[file.stem]} has")
        stems[file.stem] = file.figure
    for section, key, declaration in (("figures", "draw", exhibit.figure), ("tables", "make", exhibit.table)):
        for name, entry in content[section].items():
            where = f"papers.{paper}.{section}.{name}"
            for kind in ("experiments", "computations"):
                check_labels(f"{where}.{kind}", entry[kind], content[kind])
            declaration(entry[key], f"{where}.{key}").resolve(entry["options"], f"{where}.options")


def read(file: Path) -> Config:
    """Return the mapping in a YAML file, or raise `BadInput`."""
    try:
        loader = yaml.SafeLoader(file.read_text(encoding="utf-8"))
        node = loader.get_single_node()
        content = None
        if node is not None:
            _refuse_repeated_keys(node, ())
            content = loader.construct_document(node)
    except BadInput as fault:
        raise BadInput(f"{file}: {fault.where}", fault.value, fault.allowed) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(str(file), " ".join(str(error).split()), "YAML") from None
    if not isinstance(content, dict):
        raise BadInput(str(file), content, "a mapping")
    return content


def _refuse_repeated_keys(node: yaml.Node, path: tuple[str, ...]) -> None:
    """Raise `BadInput` for a key that a mapping has twice: of the two the last would count, silently."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            here = (*path, str(key.value))
            if here[-1] in seen:
                raise BadInput(_dotted(here), here[-1], f"a key once; line {key.start_mark.line + 1} repeats it")
            seen.add(here[-1])
            _refuse_repeated_keys(value, here)
    elif isinstance(node, yaml.SequenceNode):
        for i, element in enumerate(node.value):
            _refuse_repeated_keys(element, (*path, str(i)))


def load(files: Sequence[Path], schema: Path) -> Config:
    """Return the configuration of ``files``, later ones laid over earlier ones, checked.

    Raises
    ------
    BadInput
        As `checked`; also for a file that is not YAML.
    """
    merged: Config = {}
    for file in files:
        merged = _laid_over(merged, read(file))
    return checked(merged, read(schema), files)


def _laid_over(below: Config, above: Config) -> Config:
    """Return ``below`` with ``above`` laid over it, mappings key by key: what Snakemake does."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = _laid_over(result[key], value) if both else value
    return result


def text(config: Config) -> str:
    """Return the configuration as JSON text, for saving with results."""
    return json.dumps(config, indent=2)
