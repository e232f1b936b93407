"""The configuration: defaults, errors that name file, key path, value and what is allowed, and the scales."""

from __future__ import annotations

import copy
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.runs import config, plan
from dpbandits.runs.models import Grid
from dpbandits.runs.safe_yaml import read


def put(content: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with the value at a path, keys separated by slashes; ``DELETE`` removes the key."""
    changed = copy.deepcopy(content)
    *above, last = path.split("/")
    place: Any = changed
    for key in above:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    if value == "DELETE":
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return changed


PAPER = "papers/azize2025"
WRONG = [
    ("root_seed", -1, "root_seed", ">= 0"),
    ("root_sed", 1, "root_sed", "did you mean 'root_seed'"),
    ("root_seed", "x", "root_seed", "an integer"),
    ("folders/result", "x", "folders.result", "did you mean 'results'"),
    ("confidence", 1.0, "confidence", "< 1"),
    ("seeds_per_job", 0, "seeds_per_job", ">= 1"),
    ("seeds_per_job", "many", "seeds_per_job", "an integer or a mapping"),
    ("seeds_per_job/batches", 0, "seeds_per_job.batches", ">= 1"),
    ("seeds_per_job/experiments", {"azize2025/smal": 5}, "seeds_per_job.experiments", "did you mean"),
    ("papers", {}, "papers", "at least 1 entry"),
    ("papers", "DELETE", "(top level)", "the key 'papers'"),
    (f"{PAPER}/runs/batches", 1, "papers.azize2025.runs.batches", ">= 2"),
    (f"{PAPER}/runs/batch", 9, "papers.azize2025.runs.batch", "did you mean 'batches'"),
    ("papers/mine2030", {}, "papers.mine2030", "the key 'title'"),
    ("papers/mine 2030", {"title": "x"}, "papers: 'mine 2030'", "text that matches"),
    (f"{PAPER}/claims", "nowhere.yaml", "papers.azize2025.claims", "a file"),
    (f"{PAPER}/runs", None, "papers.azize2025.runs", "a mapping"),
    (f"{PAPER}/experiments/small/runs", None, "experiments.small.runs", "a value"),
    (f"{PAPER}/experiments/small/runs", {"batches": 9}, "experiments.small.runs", "the key 'rounds'"),
    (f"{PAPER}/environments/near/kind", "gauss", "environments.near.kind", "one of "),
    (f"{PAPER}/environments/near/kind", "DELETE", "environments.near", "the key 'kind'"),
    (f"{PAPER}/environments/near/means", [0.5], "environments.near.means", "at least 2 numbers in [0, 1]"),
    (f"{PAPER}/environments/near/means", [0.5, 1.5], "environments.near.means.1", "a number in [0, 1]"),
    (f"{PAPER}/environments/near/mean", [0.5, 1], "environments.near.mean", "one of means"),
    (f"{PAPER}/algorithms/dp-imd", {}, "algorithms.dp-imd", "did you mean 'dp-imed'"),
    (f"{PAPER}/algorithms/dp-imed/algorithm", "dp-imedd", "algorithms.dp-imed.algorithm", "'dp-imed'"),
    (f"{PAPER}/algorithms/dp-imed/parameters", {"alpha": 1}, "algorithms.dp-imed.parameters.alpha", "> 1"),
    (f"{PAPER}/algorithms/dp-imed/parameters", {"alpa": 2}, "algorithms.dp-imed.parameters.alpa", "'alpha'"),
    (f"{PAPER}/algorithms/dp-imed/parameters", {"n0": 1.5}, "algorithms.dp-imed.parameters.n0", "an integer"),
    (f"{PAPER}/algorithms/dp-imed/parameters", {"n0": True}, "algorithms.dp-imed.parameters.n0", "number"),
    (f"{PAPER}/algorithms/imed/parameters", {"alpha": 2}, "algorithms.imed.parameters.alpha", "no parameters"),
    (
        f"{PAPER}/algorithms/dp-imed-1.5/parameters",
        {"alpha": 2},
        "experiments.small.algorithms",
        "dp-imed is the same",
    ),
    (f"{PAPER}/algorithms/dp-se/parameters", {"beta": 2}, "algorithms.dp-se.parameters.beta", "<= 1"),
    (f"{PAPER}/experiments/small/algorithms/0", "dp-imde", "experiments.small.algorithms.0", "'dp-imed'"),
    (f"{PAPER}/experiments/small/algorithms", [], "experiments.small.algorithms", "a list of at least 1"),
    (f"{PAPER}/experiments/small/environments", ["far"], "experiments.small.environments.0", "one of near"),
    (f"{PAPER}/experiments/small/epsilons", [], "experiments.small.epsilons", "at least one budget"),
    (f"{PAPER}/experiments/small/epsilons", [0.0], "experiments.small.epsilons", "> 0"),
    (f"{PAPER}/experiments/small/epsilons", {"first": 1}, "experiments.small.epsilons", "grid"),
    (f"{PAPER}/experiments/small/epsilons", 0.5, "experiments.small.epsilons: 0.5", "grid"),
    (
        f"{PAPER}/experiments/small/epsilons",
        {"first": 1, "last": 2, "number": 1},
        "experiments.small.epsilons.number: 1",
        ">= 2",
    ),
    (
        f"{PAPER}/experiments/small/epsilons",
        {"first": 1, "last": 2, "number": 3, "spcing": "even"},
        "experiments.small.epsilons.spcing",
        "did you mean 'spacing'",
    ),
    (f"{PAPER}/experiments/small/epsilons", [1, 1], "experiments.small.epsilons", "repetitions"),
    (f"{PAPER}/experiments/small/horizon", 0, "experiments.small.horizon", ">= 1"),
    (f"{PAPER}/experiments/small/horizon", 2, "experiments.small.horizon", "at least 3, the number of arms"),
    (f"{PAPER}/experiments/small/horizon", 2**53, "experiments.small.horizon", "<= 4503599627370496"),
    (f"{PAPER}/experiments/small/horizon", 1.5, "experiments.small.horizon", "an integer"),
    (f"{PAPER}/experiments/small/horizon", "DELETE", "experiments.small", "the key 'horizon'"),
    (f"{PAPER}/experiments/small/checkpoints", 0, "experiments.small.checkpoints", ">= 1"),
    (f"{PAPER}/figures/curves/draw", "regret-over-tim", "figures.curves.draw", "'regret-over-time'"),
    (f"{PAPER}/figures/curves/experiments", ["smal"], "figures.curves.experiments.0", "'small'"),
    (f"{PAPER}/figures/curves/options", {"nothing": 1}, "figures.curves.options.nothing", "one of"),
    (f"{PAPER}/figures/curves/versions", ["half"], "figures.curves.versions.0", "published"),
    (f"{PAPER}/figures/curves/experiments", ["small", "small"], "figures.curves.experiments", "repetitions"),
    (f"{PAPER}/figures/curves/options", {"x": float("nan")}, "figures.curves.options.x", "a finite number"),
    (f"{PAPER}/environments/near/means", [0.5, float("inf")], "environments.near.means.1", "a finite number"),
]


@pytest.mark.parametrize(("path", "value", "where", "allowed"), WRONG)
def test_a_bad_value_is_refused_by_file_key_path_and_what_is_allowed(
    tiny: dict[str, Any],
    tmp_path: Path,
    path: str,
    value: object,
    where: str,
    allowed: str,
) -> None:
    """Each mutation is refused, in one line, with its key path."""
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(put(tiny, path, value)), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        config.load([file])
    message = str(caught.value)
    assert message.startswith(str(file))
    assert where in message
    assert allowed in message
    assert "\n" not in message


def test_the_file_named_is_the_one_with_the_value(tiny: dict[str, Any], tmp_path: Path) -> None:
    """An overlay's fault is not blamed on the base."""
    base, over = tmp_path / "base.yaml", tmp_path / "over.yaml"
    base.write_text(yaml.safe_dump(tiny), encoding="utf-8")
    over.write_text("papers: {azize2025: {runs: {batches: 0}}}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"over\.yaml: papers\.azize2025\.runs\.batches: 0 "):
        config.load([base, over])
    over.write_text("papers: [", encoding="utf-8")
    with pytest.raises(BadInput, match=r"over\.yaml.*YAML"):
        config.load([base, over])


@pytest.mark.parametrize("text", ["", "- papers\n", "papers:\n\ta: 1\n", "root_seed: .nan\n", "a: 1\na: 2\n"])
def test_what_is_no_configuration_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    """An empty file, a list, a tab, a number that is none, a key that is there twice."""
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        config.load([file])
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """In one line, as all else."""
    with pytest.raises(MissingFile, match=r"config\.yaml: no such file or directory\.$"):
        config.load(config.shipped(tmp_path))


def test_a_papers_folder_is_its_section(tiny: dict[str, Any], tmp_path: Path) -> None:
    """Found by being there, with the claims and the register beside it; a fault has the key path in that file."""
    section = tiny["papers"].pop("azize2025")
    del section["title"]
    home = tmp_path / "azize2025"
    home.mkdir()
    file = home / "experiments.yaml"
    (home / "claims.yaml").write_text("claims: {}", encoding="utf-8")
    del tiny["papers"]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(tiny), encoding="utf-8")
    file.write_text(yaml.safe_dump(section), encoding="utf-8")
    paper = config.load(config.shipped(tmp_path)).papers["azize2025"]
    assert paper.title == "Optimal Regret of Bernoulli Bandits under Global Differential Privacy"
    assert (paper.claims, paper.discrepancies) == (str(home / "claims.yaml"), None)
    file.write_text(yaml.safe_dump(put(section, "experiments/small/horizon", 0)), encoding="utf-8")
    with pytest.raises(BadInput, match=r"azize2025/experiments\.yaml: experiments\.small\.horizon: 0 "):
        config.load(config.shipped(tmp_path))


def test_the_command_line_is_laid_over_files(tiny: dict[str, Any], tmp_path: Path) -> None:
    """And its faults are not blamed on them."""
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(tiny), encoding="utf-8")
    assert config.load([file], {"root_seed": 6}).root_seed == 6
    with pytest.raises(BadInput, match=r"^--config: root_seed: -1 "):
        config.load([file], {"root_seed": -1})


def test_what_is_not_given_has_a_default(tiny: dict[str, Any]) -> None:
    """Nothing is missing, and what can be said in two ways is there in one."""
    del tiny["papers"]["azize2025"]["runs"]
    complete = config.checked(tiny)
    assert complete.folders.model_dump() == {"results": "results", "figures": "figures"}
    assert complete.seeds_per_job.model_dump() == {"batches": 10000, "rounds": 100}
    paper = complete.papers["azize2025"]
    assert paper.runs.model_dump() == paper.runs_of("small").model_dump() == {"batches": 10000, "rounds": 400}
    assert paper.algorithms["imed"].parameters == {}
    assert (paper.algorithm("imed"), paper.algorithm("dp-imed-1.5")) == ("imed", "dp-imed")
    assert paper.experiments["small"].horizon == [2000]
    assert config.checked({**tiny, "seeds_per_job": 7}).seeds_per_job.model_dump() == {"batches": 7, "rounds": 7}


def test_the_saved_configuration_is_the_configuration(root: Path) -> None:
    """What lies with the results can be run again."""
    complete = config.load(config.shipped(root / "config"))
    assert config.checked(json.loads(config.text(complete))) == complete


def test_blocks_partition_the_runs(tiny: dict[str, Any]) -> None:
    """Blocks of every size cover each run once, in order."""
    for size in (1, 4, 100):
        tiny["seeds_per_job"] = size
        complete = config.checked(tiny)
        for cell in plan.cells(complete, "azize2025", "small"):
            seeds: list[int] = []
            for block in cell.blocks:
                first, last = map(int, block.split("-"))
                seeds += range(first, last + 1)
            assert seeds == list(range(cell.runs))
            assert len(cell.blocks) == -(-cell.runs // size)
        tiny["seeds_per_job"] = {"batches": 3, "rounds": 3, "experiments": {"azize2025/small": size, "mine/x": 1}}
        assert {c.seeds_per_job for c in plan.cells(config.checked(tiny), "azize2025", "small")} == {size}


def test_epsilon_grids_are_round_numbers() -> None:
    """A grid's budgets are what a person would write, since they name files."""
    grid = Grid(first=0.01, last=1, number=100)
    assert [plan.number(epsilon) for epsilon in grid.budgets] == [f"{i / 100:g}" for i in range(1, 101)]


SCALE = {
    "root_seed",
    "folders",
    "seeds_per_job",
    "threads",
    "runs",
    "horizon",
    "checkpoints",
    "number",
    "parameters",
    "effort",
    # Parts of what the full scale has.
    "environments",
    "algorithms",
    "epsilons",
}


@pytest.mark.parametrize("name", ["small.yaml", "published.yaml"])
def test_scales_are_valid_and_change_scale_alone(root: Path, name: str) -> None:
    """A small configuration that changed the science would test something else."""
    shipped, over = config.shipped(root / "config"), root / "config" / name
    config.load([*shipped, over])
    whole = config.load(shipped)

    def leaves(content: Any, path: tuple[str, ...]) -> Any:
        if not isinstance(content, dict):
            yield path
            return
        for key, below in content.items():
            yield from leaves(below, (*path, key))

    full = {file.parent.name: read(file) for file in shipped[1:]}
    for path in leaves(read(over), ()):
        assert SCALE & set(path), path
        if path[0] == "papers" and path[2] != "runs":
            content = full[path[1]]
            assert path[3] in content[path[2]], f"{path}: not in the full scale"
            if path[-1] in ("environments", "algorithms"):
                part = read(over)["papers"][path[1]]["experiments"][path[3]][path[-1]]
                assert set(part) <= set(getattr(whole.papers[path[1]].experiments[path[3]], path[-1])), path


def test_the_configurations_documentation_is_fresh(root: Path) -> None:
    """config/README.md says what the models say, and every key has a description."""
    module = runpy.run_path(str(root / "tools" / "config_readme.py"))
    text = module["text"]()
    assert (root / "config" / "README.md").read_text(encoding="utf-8") == text
    assert not [line for line in text.splitlines() if line.startswith("| `") and line.endswith("|  |")]
