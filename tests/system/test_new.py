"""`dpbandits new` writes what works at once: in every setting, found by being there, with nothing else touched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import COPIED, environment
from snakemakes import Snakemake

from dpbandits.cli.scaffold import SETTINGS, scaffold
from dpbandits.core.errors import BadInput
from dpbandits.notebook.described import EXAMPLE_ENVIRONMENTS

# Simulates each newcomer, and audits each new algorithm a little; in one process, for its imports cost most.
USED = """\
import sys
from dpbandits.cli import main as cli
for line in sys.stdin:
    status = cli.main(line.rstrip().split("|"))
    assert status == 0, line
"""
# Of the contract what concerns traps: all of it holds, and takes twice as long.
CONTRACT = "releases_pass or budget_is_used or block_is_its_runs or accounted_for or have_no_names or exact_losses"


@pytest.fixture(scope="module")
def copy(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository with an algorithm and an environment in every setting, and a paper."""
    folder = tmp_path_factory.mktemp("new")
    for part in (*COPIED, "tests", "pyproject.toml"):
        duplicate = shutil.copytree if (root / part).is_dir() else shutil.copy
        duplicate(root / part, folder / part)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    for setting in SETTINGS:
        hyphened = setting.replace("_", "-")
        scaffold("algorithm", f"my-{hyphened}", setting, f"My {setting}", root=folder)
        scaffold("environment", f"my-{hyphened}-place", setting, root=folder)
    scaffold("paper", "mine2026", "stochastic", "A Paper of Mine", root=folder)
    assert all(file.read_bytes() == text for file, text in before.items())
    return folder


def run(folder: Path, *command: str, given: str = "") -> str:
    """Run Python in the copy, and return what it says."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_setting_has_its_beginnings(root: Path) -> None:
    """A new setting brings them along, or `new` refuses it by name."""
    known = {file.parent.name for file in (root / "src/dpbandits/settings").glob("*/algorithms")}
    assert set(SETTINGS) == known


@pytest.mark.slow
def test_they_are_listed_simulated_and_audited(copy: Path) -> None:
    """With the very parameters that `new` prints, and a claim that is tight and holds."""
    lines = []
    for setting, (rivals, _) in SETTINGS.items():
        place = EXAMPLE_ENVIRONMENTS[setting]
        name = f"my-{setting.replace('_', '-')}"
        player = next(label for label, entry in rivals.items() if not entry)
        there = {**place, "kind": f"{name}-place"}
        for algorithm, where in ((name, place), (player, there), (name, there)):
            lines.append(
                f"simulate|{algorithm}|--environment|{json.dumps(where)}|--epsilon|1|--horizon|2000|--seeds|0-2"
            )
        lines.append(f"audit|{name}|--epsilon|1|--effort|20000|--output|{name}.json")
    lines = [
        f"{line}|--output|out-{i}.npz" if line.startswith("simulate") else line for i, line in enumerate(lines)
    ]
    run(copy, "-c", USED, given="\n".join(lines))
    for setting in SETTINGS:
        name = f"my-{setting.replace('_', '-')}"
        found = json.loads((copy / f"{name}.json").read_text(encoding="utf-8"))
        assert found["verdict"] == "consistent"
        assert found["audited"] == pytest.approx(1.0, rel=1e-6)
    listed = run(copy, "-m", "dpbandits", "list")
    assert all(f"my-{setting.replace('_', '-')}" in listed for setting in SETTINGS)
    assert "mine2026" in listed


@pytest.mark.slow
def test_they_pass_the_contract_and_their_own_tests(copy: Path) -> None:
    """As they are; tests/contract finds them by name."""
    chosen = f"my_ and ({CONTRACT})"
    said = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "", "tests/contract", "-k", chosen)
    assert "failed" not in said
    own = [str(file) for file in (copy / "tests").glob("*/*/test_my_*.py")]
    assert len(own) == 2 * len(SETTINGS)
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *own, "tests/papers/mine2026")


@pytest.mark.slow
def test_their_figures_are_planned(copy: Path) -> None:
    """Each from its overlay, beside published algorithms; the paper's from its folder of configuration."""
    names = [f"my-{setting.replace('_', '-')}" for setting in SETTINGS]
    names += [f"{name}-place" for name in names]
    arguments = [
        "-n",
        "--cores",
        "1",
        "figures/mine2026/first.pdf",
        *(f"figures/mine/{name}.pdf" for name in names),
    ]
    arguments += ["--configfile", *(f"{name}.yaml" for name in names)]
    said = Snakemake(copy, tuple(arguments), environment(copy)).end()
    assert all(f"Drawing mine {name}" in said for name in names)
    assert "Drawing mine2026 first" in said
    assert "Simulating my-linear in linear-place" in said
    assert "Simulating dp-imed in my-stochastic-place" in said


REFUSED = [
    (("algorithm", "dp-imed", "stochastic"), "NAME: 'dp-imed'", "a name that no algorithm has"),
    (("environment", "periodic", "linear"), "NAME: 'periodic'", "a name that no environment has"),
    (("paper", "wu2025", "linear"), "NAME: 'wu2025'", "a name that no paper has"),
    (("paper", "my-paper", "linear"), "NAME: 'my-paper'", "letters a to z and digits"),
    (("algorithm", "../x", "linear"), "NAME: '../x'", "hyphens"),
    (("algorithm", "class", "linear"), "NAME: 'class'", "hyphens"),
    (("algorithm", "Mine", "linear"), "NAME: 'Mine'", "hyphens"),
    (("algorithm", "mine", "liner"), "--setting: 'liner'", "did you mean 'linear'?"),
    (("algorithm", "mine", "linear", None, "dp-imed"), "--from: 'dp-imed'", "an algorithm of the setting linear"),
    (("algorithm", "mine", None, None, "dp-imd"), "--from: 'dp-imd'", "did you mean 'dp-imed'"),
    (("environment", "mine", "linear", None, "dp-imed"), "--from: 'dp-imed'", "an algorithm alone"),
    (("algorithm", "mine"), "--setting is missing", "one of adversarial"),
    (("algoritm", "mine", "linear"), "KIND: 'algoritm'", "did you mean 'algorithm'?"),
    (("algorithm", "mine", "linear", 'a"b'), "--title: 'a\"b'", "without quotes"),
]


@pytest.mark.parametrize(("given", "where", "allowed"), REFUSED)
def test_what_cannot_be_is_refused(given: tuple[str | None, ...], where: str, allowed: str, tmp_path: Path) -> None:
    """In one line, and nothing is written."""
    for part in ("src/dpbandits", "config"):
        (tmp_path / part).mkdir(parents=True)
    with pytest.raises(BadInput) as caught:
        scaffold(*given, root=tmp_path)
    assert str(caught.value).startswith(where)
    assert allowed in str(caught.value)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """Not even one of the files, whatever is missing of the others."""
    for part in ("src/dpbandits", "config"):
        (tmp_path / part).mkdir(parents=True)
    (tmp_path / "mine.yaml").write_text("kept", encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.yaml: 'a file that is there'"):
        scaffold("algorithm", "mine", "linear", root=tmp_path)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["mine.yaml"]
    assert (tmp_path / "mine.yaml").read_text(encoding="utf-8") == "kept"


def test_outside_of_a_clone_it_says_so(tmp_path: Path) -> None:
    """An installed package without its repository has nowhere to write."""
    with pytest.raises(BadInput, match="a clone of the repository"):
        scaffold("algorithm", "mine", "linear", root=tmp_path)
