"""Configurations with one thing wrong: each is valid or refused by its key path, and none reaches a job."""

from __future__ import annotations

import copy
import datetime
import functools
import json
from pathlib import Path
from typing import Any

import projects
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snakemakes import Snakemake

from dpbandits.auditing import jobs as audits
from dpbandits.auditing.candidates import probes, tuning
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, within
from dpbandits.core.fields import Option, resolve
from dpbandits.engine import configfile_check
from dpbandits.products import catalogue, refusals
from dpbandits.publish import texts
from dpbandits.runs import config, plan
from dpbandits.runs.models import Config
from dpbandits.runs.safe_yaml import read

ROOT = Path(__file__).parents[2]
SHIPPED = config.shipped(ROOT / "config")
# What YAML can give where something else is expected.
VALUES: list[Any] = [
    *(None, True, False, "", "x", "1", "a/b", "..", "é", b"x", datetime.date(2001, 1, 1)),
    *(-1, 0, 1, 2, 3, 2**52, 2**53, 10**30, -(10**30)),
    *(1.5, -0.5, 2.0, 1e-300, 1e300, float("nan"), float("inf"), -float("inf")),
    *([], [None], [[]], [0, 0], ["x"], [1e-5, 2], {}, {"x": 1}, {"kind": "bernoulli"}),
    *({"first": 2, "last": 1, "number": 3}, {"first": 1e-9, "last": 1e9, "number": 10**30, "spacing": "geometric"}),
]
NAMES: list[Any] = [7, None, "", True, 1.5, "a/b", "..", "a b", "new"]


@functools.cache
def small() -> dict[str, Any]:
    """Return the configuration of the small scale, which no test changes."""
    found: dict[str, Any] = json.loads(config.text(config.load([*SHIPPED, ROOT / "config" / "small.yaml"])))
    return found


def planned(content: dict[str, Any]) -> tuple[Config, plan.Cells]:
    """Return a configuration and its cells, or raise `BadInput`."""
    complete = config.checked(content)
    # As the catalogue of products does before anything else.
    refusals.check(complete)
    return complete, plan.all_cells(complete)


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """Draw one paper of the small scale with one value, key or element changed."""
    shipped = small()
    paper = draw(st.sampled_from(sorted(shipped["papers"])))
    content = copy.deepcopy({**shipped, "papers": {paper: shipped["papers"][paper]}})
    place: Any = content
    while True:
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        inside = place[key]
        if not (isinstance(inside, dict | list) and inside and draw(st.integers(0, 9))):
            break
        place = inside
    how = draw(st.sampled_from(["value", "value", "remove", "rename", "add"]))
    if how == "value":
        place[key] = draw(st.sampled_from(VALUES))
    elif how == "remove":
        del place[key]
    elif isinstance(place, list):
        place.append(place[key] if how == "rename" else draw(st.sampled_from(VALUES)))
    elif how == "rename":
        place[draw(st.sampled_from([*NAMES, f"{key}x", str(key)[:-1]]))] = place.pop(key)
    else:
        place[draw(st.sampled_from(NAMES))] = draw(st.sampled_from(VALUES))
    return content


@pytest.mark.parametrize("examples", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_every_mutated_configuration_is_valid_or_refused_by_its_key_path(examples: int) -> None:
    """Nothing but `BadInput` is raised; of a valid one everything can be planned, down to each job's command."""
    of_tier = settings(
        max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    of_tier(given(content=mutated())(valid_or_refused))()


def valid_or_refused(content: dict[str, Any]) -> None:
    try:
        complete, known = planned(content)
    except BadInput as error:
        assert error.where.startswith((*map(str, content), *Config.model_fields, "(top level)")), error
        assert "\n" not in str(error)
        assert error.allowed
        return
    json.loads(config.text(complete), parse_constant=pytest.fail)
    for of_experiment in known.values():
        for cell in of_experiment.values():
            assert cell.blocks
            assert cell.command
    for entry in audits.audit_jobs(complete):
        declared = registry.algorithm(entry.algorithm)
        around = tuning(entry.algorithm, probes(entry.algorithm)[0], entry.epsilon)
        assert declared.check_epsilon(entry.epsilon) == entry.epsilon
        declared.resolve(audits.definition(complete, entry)["parameters"], around)
    for product in catalogue(complete, known, texts.load(complete)).values():
        assert product.request.made_from


REPEATED = [
    ("root_seed: 1\nroot_seed: 2\n", "root_seed: 'root_seed'"),
    ("papers: {a: {experiments: {one: {}, two: {}, one: {}}}}\n", "papers.a.experiments.one: 'one'"),
    ("papers: {a: {figures: [{x: 1, x: 1}]}}\n", "papers.a.figures.0.x: 'x'"),
]


@pytest.mark.parametrize(("text", "where"), REPEATED)
def test_a_key_that_is_there_twice_is_refused(tmp_path: Path, text: str, where: str) -> None:
    """YAML readers let the last one win, silently: a second experiment of the same name would swallow the first."""
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}: {where} is not allowed; allowed: a key once; line ")


NO_CONFIGURATIONS = [
    (
        "",
        "mine.yaml: 'nothing' is not allowed; allowed: a mapping of the keys of config/README.md; the file is",
    ),
    ("# nothing yet\n", "mine.yaml: 'nothing' is not allowed; allowed: a mapping"),
    ("- a\n- b\n", "mine.yaml: ['a', 'b'] is not allowed; allowed: a mapping of the keys of config/README.md"),
    (
        "papers:\n\tmine: {}\n",
        "mine.yaml: line 2: '\\tmine: {}' is not allowed; allowed: spaces",
    ),
    ("papers: [\n", "allowed: YAML"),
    ("__use_yte__: true\n__definitions__: [import os]\n", "mine.yaml: __use_yte__: 'a program' is not allowed"),
    ("a: &a {__use_yte__: true}\n<<: *a\n", "mine.yaml: __use_yte__: 'a program' is not allowed"),
    ('{"__use_yte__": true}', "mine.yaml: __use_yte__: 'a program' is not allowed"),
]


@pytest.mark.parametrize(("text", "said"), NO_CONFIGURATIONS)
def test_what_is_no_configuration_is_refused_in_our_words(tmp_path: Path, text: str, said: str) -> None:
    """Empty, a list, indented by tabs, or a program: what, where, and what is allowed."""
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        configfile_check.check(tmp_path / "mine.yaml")
    assert said in str(caught.value)


def test_json_may_have_tabs(tmp_path: Path) -> None:
    """To Snakemake JSON is a configuration too, and tabs in it are space."""
    (tmp_path / "mine.json").write_text('{\n\t"root_seed": 3\n}\n', encoding="utf-8")
    assert read(tmp_path / "mine.json") == {"root_seed": 3}


def test_snakemake_lets_us_look_first(tmp_path: Path) -> None:
    """One line of ours, no traceback; nothing that a file defines is run; a target after the file is called one."""
    folder = projects.copied(tmp_path / "copy", {})
    program = (
        f"__use_yte__: true\n__definitions__:\n  - import pathlib\n  - pathlib.Path('{tmp_path}/ran').touch()\n"
    )
    files = {"empty.yaml": "", "list.yaml": "- a\n", "tab.yaml": "papers:\n\ta: {}\n", "program.yaml": program}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    cases = {
        ("empty.yaml",): "dpbandits: empty.yaml: 'nothing' is not allowed",
        ("list.yaml",): "dpbandits: list.yaml: ['a'] is not allowed",
        ("tab.yaml",): "dpbandits: tab.yaml: line 2: '\\ta: {}' is not allowed",
        ("missing.yaml",): "dpbandits: missing.yaml: no such file or directory.",
        ("program.yaml",): "dpbandits: program.yaml: __use_yte__: 'a program' is not allowed",
        ("mine.yaml", "figures/a/b.pdf"): "a target comes before --configfile, not after it",
    }
    for files_given, said in cases.items():
        started = Snakemake(folder, ("-n", "--configfile", *files_given), projects.environment(folder))
        text = started.end(status=2)
        assert said in text
        assert "Traceback" not in text
    assert not (tmp_path / "ran").exists()


def test_no_configuration_runs_code_wherever_it_comes_from(tmp_path: Path) -> None:
    """From the shipped folder, from a profile that is given, or from one that the environment names."""
    program = f"__use_yte__: true\n__definitions__:\n  - open('{tmp_path}/ran', 'w').close()\n"
    bomb = "z: " + "[" * 100_000 + "]" * 100_000
    folder = projects.copied(tmp_path / "copy", {})
    surroundings = projects.environment(folder)
    (folder / "other").mkdir()
    (folder / "other" / "config.yaml").write_text("configfile: [x.yaml]\n", encoding="utf-8")
    shipped = folder / "config" / "config.yaml"
    for text, said in ((program, "__use_yte__: 'a program' is not allowed"), (bomb, "'too many levels' is not")):
        (folder / "x.yaml").write_text(text, encoding="utf-8")
        for options, more in ((("--profile", "other"), {}), ((), {"SNAKEMAKE_PROFILE": "other"})):
            told = Snakemake(folder, ("-n", *options), {**surroundings, **more}).end(status=2)
            assert said in told
        shipped.unlink()
        shipped.write_text(text, encoding="utf-8")
        for options in ((), ("--workflow-profile", "none")):
            told = Snakemake(folder, ("-n", *options), surroundings).end(status=2)
            assert said in told
    assert not (tmp_path / "ran").exists()


def test_a_merged_key_may_be_given_anew(tmp_path: Path) -> None:
    """``<<`` is not a repetition, nor is a mapping used by several aliases."""
    file = tmp_path / "mine.yaml"
    file.write_text("a: &a {x: 1, y: 2}\nb: &b {<<: *a, x: 3}\nc: {<<: *b, x: 4}\n", encoding="utf-8")
    assert read(file) == {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 2}, "c": {"x": 4, "y": 2}}


MEANINGLESS = [
    ("epsilons", {"first": 1, "last": 0.5, "number": 3}, "epsilons.last: 0.5", "a number > 1"),
    ("epsilons", {"first": 1, "last": 1 + 1e-14, "number": 9}, "epsilons.number: 9", "fewer budgets"),
    ("epsilons", [1e-120], "epsilons: 1e-120", "from 1e-100"),
    ("checkpoints", 10**9, "checkpoints: 1000000000", "<= 1000000"),
]


@pytest.mark.parametrize(("key", "value", "where", "allowed"), MEANINGLESS)
def test_what_means_nothing_is_refused(
    tiny: dict[str, Any], key: str, value: object, where: str, allowed: str
) -> None:
    """Grids that run backwards or repeat budgets, budgets beyond double precision, numbers without bounds."""
    tiny["papers"]["azize2025"]["experiments"]["small"][key] = value
    with pytest.raises(BadInput) as caught:
        planned(tiny)
    assert f"papers.azize2025.experiments.small.{where} is not allowed" in str(caught.value)
    assert allowed in str(caught.value)


def test_equal_cells_are_refused_by_what_is_equal(tiny: dict[str, Any]) -> None:
    """Two environments with one meaning would have the same runs, and look like agreement."""
    paper = tiny["papers"]["azize2025"]
    paper["environments"]["again"] = {"kind": "bernoulli", "means": [0.75, 0.7, 0.20]}
    paper["experiments"]["small"]["environments"] = ["near", "again"]
    with pytest.raises(BadInput, match=r"small\.environments: 'again'.*different environments; near is the same"):
        planned(tiny)


def test_two_figures_cannot_have_one_file(tiny: dict[str, Any]) -> None:
    """The published version of ``curves`` is the file ``curves-published``."""
    figures = tiny["papers"]["azize2025"]["figures"]
    figures["curves-published"] = {**figures["curves"], "versions": ["full"]}
    with pytest.raises(BadInput, match=r"figures\.curves-published: .*no version of curves"):
        planned(tiny)


def test_what_no_experiment_uses_is_checked_too(tiny: dict[str, Any]) -> None:
    """A label waits for its use; its fault should not."""
    tiny["papers"]["azize2025"]["environments"]["spare"] = {"kind": "bernouli", "means": [0.5, 0.6]}
    with pytest.raises(BadInput, match=r"environments\.spare\.kind: .*did you mean 'bernoulli'"):
        planned(tiny)


@pytest.mark.parametrize(
    ("default", "value", "where", "allowed"),
    [
        (1, 0, "o", "> 0"),
        (1, -3, "o", "> 0"),
        (0.5, float("nan"), "o", "finite"),
        (1, 2.5, "o", "an integer"),
        ([0.0, 0.5], [-0.1], "o.0", ">= 0"),
        ([0.5], [0.5, "x"], "o.1", "a number"),
        ([["a", 1]], [["a", 1], "b"], "o.1", "a list"),
        ([["a", 1]], [["a", -1]], "o.0.1", "> 0"),
        ("text", 3, "o", "text"),
    ],
)
def test_options_are_built_like_their_defaults(default: Any, value: object, where: str, allowed: str) -> None:
    """Type, structure, sign and finiteness, before any job starts."""
    with pytest.raises(BadInput) as caught, within("at"):
        resolve({"o": Option(default, "an option")}, {"o": value})
    assert str(caught.value).startswith(f"at.{where}: ")
    assert allowed in caught.value.allowed


@pytest.mark.parametrize(
    ("section", "where"),
    [
        ({"epsilons": [1, 1e-200]}, "privacy.epsilons.1"),
        ({"epsilons": [1], "delta": 0.5}, "privacy.delta"),
        ({"epsilons": [1], "delta": 0}, "privacy.delta"),
    ],
)
def test_what_no_audit_could_take_is_refused_before_any_job(section: dict[str, Any], where: str) -> None:
    """A budget below all that algorithms take, and a delta that a claim does not cover."""
    with pytest.raises(BadInput) as refused:
        config.checked({**small(), "privacy": {**small()["privacy"], **section}})
    assert refused.value.where == where


def test_an_integer_written_as_a_decimal_is_one() -> None:
    """To a reader of YAML 2.0 is a whole number."""
    changed = {**small(), "seeds_per_job": 2.0, "root_seed": 3.0, "threads": 1.0}
    written = config.checked(changed)
    assert written == config.checked({**small(), "seeds_per_job": 2, "root_seed": 3, "threads": 1})
    assert all(type(n) is int for n in (written.seeds_per_job.batches, written.root_seed, written.threads))


def test_a_folder_that_snakemake_takes_for_wildcards_is_refused(tmp_path: Path) -> None:
    """In one line that says so."""
    folder = projects.copied(tmp_path / "a{y}", {})
    said = Snakemake(folder, ("-n", "--configfile", "mine.yaml"), projects.environment(folder)).end(status=1)
    assert "whose name has no braces" in said
    assert "NameError" not in said


@pytest.mark.budget(8)
def test_a_target_of_another_kind_and_a_file_in_the_way_are_named(tmp_path: Path) -> None:
    """An SVG, which no figure has, and ``results`` that is a file."""
    folder = projects.copied(tmp_path / "copy", projects.tiny())
    words = ("-n", "figures/azize2025/curves.svg", "--configfile", "mine.yaml")
    said = Snakemake(folder, words, projects.environment(folder)).end(status=2)
    assert "'figures/azize2025/curves.svg' is not allowed; allowed: a file that ends in .csv, .pdf, .png" in said
    (folder / "results").touch()
    said = Snakemake(folder, ("-n", "--configfile", "mine.yaml"), projects.environment(folder)).end(status=1)
    assert "folders: 'results' is not allowed; allowed: a folder" in said
    assert "NotADirectoryError" not in said
