"""A picture that was mailed says what made it."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from projects import tiny

from dpbandits.cli.main import main
from dpbandits.core import origin
from dpbandits.core.errors import BadInput
from dpbandits.core.files import seal
from dpbandits.products import catalogue
from dpbandits.products.exhibits import Figure
from dpbandits.publish import texts
from dpbandits.runs import config as configuration
from dpbandits.runs import plan


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Figure]:
    """Return a figure without runs, of a configuration of a person's own, and where it is drawn and sealed."""
    folder = tmp_path_factory.mktemp("drawn")
    content = tiny()
    content["papers"]["azize2025"]["figures"] = {"fig2": {"draw": "interactive-protocol", "caption": "A protocol."}}
    config = configuration.checked(content)
    config.note_configfiles(("my file.yaml", "more.yaml"))
    made = catalogue(config, plan.all_cells(config), texts.load(config))["figure", "azize2025", "fig2"]
    assert isinstance(made, Figure)
    with contextlib.chdir(folder):
        Path("figures/azize2025").mkdir(parents=True)
        made.write(made.made_from)
    return folder, made


@pytest.fixture
def figure(drawn: tuple[Path, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    """Return the figure, with its files in a folder of the test's own."""
    folder, made = drawn
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_a_picture_alone(figure: Figure, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Command with its configuration files, commit, versions and digest are in the file itself."""
    mailed = Path(f"renamed.{suffix}")
    shutil.move(figure.paths[suffix], mailed)
    told = origin.origin_of(mailed)
    stem = "snakemake figures/azize2025/fig2"
    assert told["command"] == f"{stem}.csv --cores 2 --configfile 'my file.yaml' more.yaml"
    assert told["identity"] == figure.fingerprint
    assert told["commit"] == origin.commit() != ""
    assert {"dpbandits", "python", "numpy", "matplotlib"} <= told["versions"].keys()
    assert main(["whence", str(mailed)]) == 0
    shown = capsys.readouterr().out
    assert figure.fingerprint in shown
    # Its seal is found where the command makes it.
    assert "draw interactive-protocol" in shown
    assert "papers.drawing" in shown or "papers.azize2025" in shown


def test_a_seal_of_another_origin_says_nothing(figure: Figure) -> None:
    """Nor one that is damaged."""
    told = origin.origin_of(figure.paths["png"])
    assert set(origin.sealed(figure.paths["png"], told)) == {"definition", "sources"}
    assert origin.sealed(figure.paths["png"], {**told, "identity": "0"}) == {}
    seal(list(figure.paths.values()), {**figure.made_from, "identity": "other"})
    assert origin.sealed(figure.paths["png"], told) == {}
    Path(figure.seal).write_text("{")
    assert origin.sealed(figure.paths["png"], told) == {}


def test_equal_figures_are_equal_files(figure: Figure) -> None:
    """At one commit: no date, no machine."""
    before = {name: path.read_bytes() for name, path in figure.paths.items()}
    replace(figure).write(figure.made_from)
    assert {name: path.read_bytes() for name, path in figure.paths.items()} == before


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG", b"dpbandits origin: {}}", b'dpbandits origin: {"a": {}}', b"x" * 3 * 2**20]
)
def test_what_is_not_ours(tmp_path: Path, content: bytes) -> None:
    """One line."""
    file = tmp_path / "a.png"
    file.write_bytes(content)
    with pytest.raises(BadInput, match="a picture of ours"):
        origin.origin_of(file)
