"""A configuration writes into folders of the project alone, unless a person names the others too."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpbandits.core.errors import BadInput
from dpbandits.runs import config, folders
from dpbandits.runs.models import Folders

ELSEWHERE = [
    "..",
    "../x",
    "../../esc",
    "/",
    "/etc",
    "/tmp/x",
    ".",
    "./",
    "results/..",
    "results/../..",
    "a/../../x",
]
ELSEWHERE += ["config", "docs", "workflow/rules", "./src/x", ".git", ".snakemake/x", "results/../config"]
NO_NAMES = ["r{x}", "a}b", "a\nb", "a\x1b[2J", "\x00", "a\u202eb"]
INSIDE = ["results", "results/small", "x y/$(id)/'", "~", "~root", "a..b", "Docs", "résultats", "./results", "a//b"]


@pytest.mark.parametrize("key", ["results", "figures"])
@pytest.mark.parametrize("folder", [*ELSEWHERE, "//x", *NO_NAMES])
def test_a_folder_elsewhere_is_refused(
    folder: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its key; the message says what else to set."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as caught:
        folders.check(Folders.model_validate({key: folder}))
    assert caught.value.where == f"folders.{key}"
    assert "\n" not in str(caught.value)
    assert (folders.OUTSIDE in str(caught.value)) == (folder not in NO_NAMES)


@pytest.mark.parametrize("folder", INSIDE)
def test_a_folder_inside_is_taken(folder: str) -> None:
    """Whatever letters it has that print."""
    folders.check(Folders(results=folder))


@pytest.mark.parametrize("folder", ELSEWHERE)
def test_what_is_said_twice_counts(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder itself, or one above it; another one does not."""
    monkeypatch.chdir(tmp_path)
    for said in (str((tmp_path / folder).resolve()), "/nowhere:/", folder):
        monkeypatch.setenv(folders.OUTSIDE, said)
        folders.check(Folders(results=folder))
    monkeypatch.setenv(folders.OUTSIDE, str(tmp_path / "results" / "other"))
    with pytest.raises(BadInput):
        folders.check(Folders(results=folder))


def test_a_strangers_file_is_named(tmp_path: Path, root: Path) -> None:
    """Before any job."""
    (tmp_path / "x.yaml").write_text("folders: {results: ../../esc}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"x\.yaml: folders\.results: '\.\./\.\./esc' is not allowed"):
        config.load([*config.shipped(root / "config"), tmp_path / "x.yaml"])


@pytest.mark.parametrize("taken", ["results", "results/azize2025", "results/azize2025/aggregates"])
def test_a_file_where_a_folder_goes_is_named(taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any job; Snakemake would end in its own traceback."""
    monkeypatch.chdir(tmp_path)
    file = "results/azize2025/aggregates/fig4.csv"
    folders.check_room([file])
    Path(taken).parent.mkdir(parents=True, exist_ok=True)
    Path(taken).touch()
    with pytest.raises(BadInput, match=f"folders: '{taken}' is not allowed; allowed: a folder"):
        folders.check_room([file])
