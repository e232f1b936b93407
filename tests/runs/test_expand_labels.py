"""Families in a configuration: what they stand for, and how a bad one is refused."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpbandits.core.errors import BadInput
from dpbandits.runs import config

ENVIRONMENTS = {
    "near": {"kind": "bernoulli", "means": [0.75, 0.7, 0.2]},
    "k{arms}-gap{scale}": {"kind": "hardest-gap", "arms": [2, 4], "scale": [0.5, 10]},
    "flip-{probability}": {
        "kind": "sphere",
        "arms": 5,
        "dimension": 2,
        "corruption": {"probability": [0, 0.1], "attack": "flip", "size": 30, "of": "reports"},
    },
}
ALGORITHMS = {"htinf": {}, "tau{tau}": {"algorithm": "conversion", "parameters": {"tau": [1, 32]}}}
EXPERIMENT = {
    "environments": ["k{arms}-gap{scale}"],
    "algorithms": ["tau{tau}", "htinf"],
    "epsilons": [0.1],
    "horizon": 1000,
}


def written(folder: Path, paper: dict[str, Any], over: dict[str, Any] | None = None) -> list[Path]:
    """Return a configuration of one paper as files, with an overlay if one is given."""
    files = [folder / "base.yaml", folder / "over.yaml"][: 1 if over is None else 2]
    for file, content in zip(files, (paper, over), strict=False):
        file.write_text(yaml.safe_dump({"papers": {"asi2025": content}}, sort_keys=False), encoding="utf-8")
    return files


@pytest.fixture
def paper() -> dict[str, Any]:
    """Return a paper with families of both kinds."""
    content = {"environments": ENVIRONMENTS, "algorithms": ALGORITHMS, "experiments": {"e": EXPERIMENT}}
    return copy.deepcopy(content)


def test_a_family_stands_for_all_combinations(paper: dict[str, Any], tmp_path: Path) -> None:
    """In order, the first list slowest; keys are found at any depth."""
    found = config.load(written(tmp_path, paper)).papers["asi2025"]
    grid = ["k2-gap0.5", "k2-gap10", "k4-gap0.5", "k4-gap10"]
    assert list(found.environments) == ["near", *grid, "flip-0", "flip-0.1"]
    assert found.environments["k4-gap0.5"].data == {"kind": "hardest-gap", "arms": 4, "scale": 0.5}
    assert found.environments["flip-0.1"].data["corruption"]["probability"] == 0.1
    assert found.algorithms["tau32"].parameters == {"tau": 32}
    assert found.experiments["e"].environments == grid
    assert found.experiments["e"].algorithms == ["tau1", "tau32", "htinf"]


def test_an_overlay_names_members_and_families(paper: dict[str, Any], tmp_path: Path) -> None:
    """It may choose some, change one, and have a family of its own."""
    own = {"n{arms}": {"kind": "bernoulli-gap", "arms": [3], "gap": 0.2}, "k2-gap10": {"scale": 20}}
    chosen = {"environments": ["k2-gap10", "n{arms}"], "algorithms": ["tau{tau}"]}
    files = written(tmp_path, paper, {"environments": own, "experiments": {"e": chosen}})
    found = config.load(files).papers["asi2025"]
    assert found.experiments["e"].environments == ["k2-gap10", "n3"]
    assert found.experiments["e"].algorithms == ["tau1", "tau32"]
    assert found.environments["k2-gap10"].data == {"kind": "hardest-gap", "arms": 2, "scale": 20}


@pytest.mark.parametrize(
    ("where", "label", "entry", "said"),
    [
        ("environments", "k{arms}", {"kind": "hardest-gap"}, r"environments\.k\{arms\}: '\{arms\}' .* a key"),
        ("environments", "k{arms}", {"kind": "hardest-gap", "arms": 2}, r"k\{arms\}: '\{arms\}' .* a list"),
        ("environments", "k{arms}", {"kind": "hardest-gap", "arms": []}, r"k\{arms\}: '\{arms\}' .* a list"),
        ("environments", "k{arms}", {"kind": "hardest-gap", "arms": [2, 2]}, r"k\{arms\}: '\{arms\}' .* different"),
        ("environments", "k{arms}", {"kind": "hardest-gap", "arms": [None]}, r"k\{arms\}: '\{arms\}' .* numbers"),
        ("environments", "k{arms}", ["a"], r"k\{arms\}: '\{arms\}'"),
        ("environments", "k{}", {"kind": "hardest-gap", "arms": [2]}, r"k\{\}: '\{\}'"),
        ("environments", "x{a}", {"a": [1], "b": {"a": [2]}}, r"x\{a\}: '\{a\}'"),
        (
            "environments",
            "k{arms}-gap10",
            {"kind": "hardest-gap", "arms": [2]},
            r"gap10: 'k2-gap10' .* nothing else",
        ),
        (
            "algorithms",
            "{algorithm}",
            {"algorithm": ["htinf"]},
            r"algorithms\.\{algorithm\}: 'htinf' .* nothing else",
        ),
        ("environments", "k{arms}", {"kind": "hardest-gap", "arms": [3, 1]}, r"environments\.k1\.arms: 1 "),
        ("environments", "k {arms}", {"kind": "hardest-gap", "arms": [3]}, r"environments: 'k 3' .* matches"),
    ],
)
def test_a_bad_family_is_refused(
    paper: dict[str, Any], tmp_path: Path, where: str, label: str, entry: object, said: str
) -> None:
    """By the file, the family's label, the name in braces or the member, and what is allowed."""
    paper[where][label] = entry
    with pytest.raises(BadInput, match=rf"base\.yaml: papers\.asi2025\..*{said}") as caught:
        config.planned(written(tmp_path, paper, {}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "names", "said"),
    [
        (
            "environments",
            ["near", "k{arm}-gap{scale}"],
            r"e\.environments\.1: .*did you mean 'k\{arms\}-gap\{scale\}'",
        ),
        ("algorithms", ["tau{taus}"], r"e\.algorithms\.0: .*did you mean 'tau\{tau\}'"),
        ("algorithms", ["tau{tau}", "tau1"], r"e\.algorithms: .*without repetitions"),
    ],
)
def test_a_family_that_is_not_there_is_refused(
    paper: dict[str, Any], tmp_path: Path, key: str, names: list[str], said: str
) -> None:
    """Where an experiment names it, with the nearest one."""
    paper["experiments"]["e"][key] = names
    with pytest.raises(BadInput, match=rf"base\.yaml: papers\.asi2025\.experiments\.{said}"):
        config.load(written(tmp_path, paper))
