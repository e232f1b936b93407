"""docs/own-paper.md does what it says: a paper in one file, with its figure, its claim, and its page."""

from __future__ import annotations

import csv
import re
import shlex
import zipfile
from pathlib import Path

import pytest
from projects import copied, environment
from snakemakes import Snakemake

from dpbandits.integrity.compare import differences
from dpbandits.integrity.verify import verify

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SMALL = """\
papers:
  mine:
    runs: {batches: 20, rounds: 2}
    published_runs: 5
    experiments: {starts: {horizon: 2000, checkpoints: 5, epsilons: [1]}}
  nothing: {title: Nothing yet}
  zzz:
    title: No figures
    environments: {a: {kind: bernoulli, means: [0.6, 0.5]}}
    algorithms: {imed: {}}
    experiments:
      e: {environments: [a], algorithms: [imed], epsilons: [1], horizon: 1000, runs: {batches: 5, rounds: 5}}
"""


@pytest.fixture(scope="module")
def blocks(root: Path) -> list[tuple[str, str, str]]:
    """Return the page's blocks: language, file, text."""
    text = (root / "docs" / "own-paper.md").read_text(encoding="utf-8")
    return [(match[1], match[2] or "", match[3]) for match in BLOCK.finditer(text)]


@pytest.fixture(scope="module")
def folder(blocks: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository, without other papers for speed, and the page's files."""
    folder = copied(tmp_path_factory.mktemp("own") / "copy", {})
    for _, file, text in blocks:
        if file:
            (folder / file).write_text(text, encoding="utf-8")
    (folder / "small.yaml").write_text(SMALL, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_page_does_what_it_says(blocks: list[tuple[str, str, str]], folder: Path) -> None:
    """Its command makes the figure and tests the claim; all of it then has a page of the site."""
    (command,) = (text for language, _, text in blocks if language == "sh")
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "snakemake"
    Snakemake(folder, (*arguments, "small.yaml"), environment(folder)).end()
    assert (folder / "figures/mine/starts.pdf").read_bytes().startswith(b"%PDF")
    assert "a start of 10 pulls has less" in (folder / "results/mine/claims.md").read_text(encoding="utf-8")
    assert "How long should DP-IMED start?" in (folder / "results/mine/site/mine.html").read_text(encoding="utf-8")
    index = (folder / "results/mine/site/index.html").read_text(encoding="utf-8")
    assert "We tested <b>1 statement</b> of ours on" in index
    assert "sentences of the papers" not in index
    assert not (folder / "results/claims.md").exists()
    assert not (folder / "results/zzz").exists()
    drawn = (folder / "figures/mine/starts.csv").read_text(encoding="utf-8")
    assert all(title in drawn for title in ("DP-KLUCB", "n0=1", "n0=10", "n0=100"))
    with (folder / "results/mine/findings.csv").open(encoding="utf-8", newline="") as file:
        (finding,) = csv.DictReader(file)
    assert (finding["paper"], finding["claim"]) == ("mine", "short-starts")
    options = "--cores", "2", "--configfile", "mine.yaml", "small.yaml"
    Snakemake(folder, ("results/mine/crate.zip", *options), environment(folder)).end()
    packed = folder / "results/mine/crate.zip"
    assert not verify([packed]).damaged
    assert not differences(packed, packed)
    with zipfile.ZipFile(packed) as crate:
        made = [name for name in crate.namelist() if name.startswith(("results/", "figures/"))]
    assert {"results/claims.csv", "figures/mine/starts.pdf"} <= set(made)
    Snakemake(folder, options, environment(folder)).end()
    page = (folder / "results/site/mine.html").read_text(encoding="utf-8")
    assert "How long should DP-IMED start?" in page
    assert "a start of 10 pulls has less" in (folder / "results/claims.md").read_text(encoding="utf-8")


def test_nothing_of_other_papers_is_run(root: Path, blocks: list[tuple[str, str, str]], tmp_path: Path) -> None:
    """Over the shipped configuration the page's targets plan the paper's own jobs alone."""
    from dpbandits.products import catalogue
    from dpbandits.publish import texts
    from dpbandits.runs import config

    for _, file, text in blocks:
        if file:
            (tmp_path / file).write_text(
                text.replace("mine-claims.yaml", str(tmp_path / "mine-claims.yaml")), "utf-8"
            )
    shipped, mine = config.shipped(root / "config"), tmp_path / "mine.yaml"
    before, after = config.planned(shipped), config.planned([*shipped, mine])
    assert set(after[1]) - set(before[1]) == {("mine", "starts")}
    assert len(after[1]["mine", "starts"]) == 2 * 4
    known, found = (catalogue(*planned, texts.load(planned[0])) for planned in (before, after))
    changed = {key for key in known if known[key].request.made_from != found[key].request.made_from}
    # What speaks of all papers: ledger, register, sites (they show both), article, crate, and the configuration.
    everywhere = {"ledger", "register", "site", "paper_site", "article", "crate", "paper_crate", "configuration"}
    assert {kind for kind, *_ in changed} <= everywhere
